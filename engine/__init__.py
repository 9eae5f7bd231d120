"""Sortie: a chess engine that speaks the XBoard protocol and whose move ordering is an experiment."""

__version__ = "0.1.0"  # of both programs and their package

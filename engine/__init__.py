"""Sortie: a chess engine that speaks XBoard and UCI, and a test bed for move ordering."""

__version__ = "0.1.0"  # of both programs and their package

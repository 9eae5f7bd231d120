"""Sortie: a chess engine that speaks XBoard and UCI, whose move ordering is an experiment."""

__version__ = "0.1.0"  # of both programs and their package

"""Syzygy endgame tables: the files, the index of a position in them, and its value."""

"""Syzygy endgame tables: the files, the number of a position in them, what they say of it."""

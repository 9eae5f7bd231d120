"""Files of openings, games and endings: opening lists, PGN, Polyglot books, tablebases."""

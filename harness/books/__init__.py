"""Where games start from and how they are known to end: openings, PGN, Polyglot books, tablebases."""

"""Reports of a run: the page, Markdown, PGN, the live page."""

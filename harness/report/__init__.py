"""What a run leaves to be looked at: the page, its Markdown, PGN, the live page."""

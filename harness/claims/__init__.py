"""The old claims: what was said, what the runs found, and the pages made of both."""

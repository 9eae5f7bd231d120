"""The page of a run: what it shows, its pictures, its games, and how they become HTML or Markdown."""

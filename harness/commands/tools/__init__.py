"""Commands about engines, books and experiment files."""

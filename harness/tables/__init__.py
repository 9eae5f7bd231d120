"""What is printed: grids, summaries, node tables."""

"""The results folder: one transaction a game, checksums, repair."""

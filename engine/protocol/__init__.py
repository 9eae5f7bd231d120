"""The doors: lines from a GUI in, lines to it out."""

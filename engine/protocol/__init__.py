"""The protocols: lines from a GUI in, lines to it out."""

"""Engines as processes: pipes, the XBoard and UCI clients, options, and what Sortie says of itself."""

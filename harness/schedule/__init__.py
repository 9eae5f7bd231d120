"""Which games are played, in which order, by whom."""

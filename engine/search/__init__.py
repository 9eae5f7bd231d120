"""The search: alpha-beta and quiescence, one technique a file, the transposition table, the threads."""

"""A run from the experiment file to the exit status, and what it shows while it plays."""

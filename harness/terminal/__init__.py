"""What is drawn on a terminal while a command works."""

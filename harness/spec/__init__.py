"""The experiment file: its tables, its players, its defaults, read and written."""

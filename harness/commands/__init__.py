"""The commands of gauntlet, one a module."""

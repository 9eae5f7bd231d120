"""The commands of gauntlet, one a module, in a folder for each kind."""

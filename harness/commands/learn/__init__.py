"""Commands that fit weights to games."""

"""What games are worth: Elo, LOS, normalized Elo, sequential tests, joint ratings; pure arithmetic."""

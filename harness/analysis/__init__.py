"""What a journal or a search says: counts, summaries, node screens, ablations, tuning."""

"""What a journal or a search tells: counts, summaries, node screens, ablations, tuning."""

"""gauntlet: plays chess engines against each other and measures what each technique is worth."""

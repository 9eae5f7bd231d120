"""gauntlet: plays chess engines against each other and says what each technique is worth."""

"""What a position is worth without a search: the classical evaluation, known endings, fitted weights."""

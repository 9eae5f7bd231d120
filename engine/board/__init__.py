"""The board and its rules: attacks, positions, move generation, static exchange evaluation, the game so far."""

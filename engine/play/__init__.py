"""A game played: clocks, options, book, level of play, thinking and pondering, whatever the protocol."""

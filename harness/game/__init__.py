"""One game: clocks, referee, adjudication."""

"""One game: clocks, the referee's rulings, adjudication."""

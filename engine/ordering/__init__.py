"""Which move is tried next: histories, killers, counter moves, and the picker that hands the moves out."""

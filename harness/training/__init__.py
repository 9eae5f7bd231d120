"""Positions to train a network on, the trainer, and the network it makes."""

"""Simulations that were asked for: worker processes, their progress, stop and pace."""

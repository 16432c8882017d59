"""Variants of a scenario simulated in parallel; finished ones are kept for the next command."""

"""Confidence of simulated numbers: Student's t, confidence intervals, warm-up, steady state."""

"""How sure a simulated number is: Student's t, confidence intervals, warm-up, steady state."""

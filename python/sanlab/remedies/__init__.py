"""What would change a limit: remedies, each simulated and compared with the run."""

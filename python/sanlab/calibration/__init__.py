"""Values of a scenario fitted to runs: measured ones, or simulated ones with known values."""

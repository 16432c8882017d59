"""One simulation and its run folder."""

"""Questions to a finished run."""

"""Where the time of a run goes, and what limits each workload."""

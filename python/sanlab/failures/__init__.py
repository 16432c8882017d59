"""What every single failure of a topology does to the workloads."""

"""From names to numbers: a scenario becomes a plan, with nothing left to look up."""

"""Two or more runs side by side: what differs in the scenario, and in the figures."""

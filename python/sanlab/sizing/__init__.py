"""How many, how far, how much: the values of a scenario with which goals are still met."""

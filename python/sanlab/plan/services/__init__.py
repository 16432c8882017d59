"""What the services of a fabric decide, worked out before the run.

Everything a scenario says is timed and known, so a pure function goes through the instants at which
something changes: who is in whose fabric, which port is in which state and why, who sees whom. The
engine is told the outcome: when links carry frames, and which N_Ports may talk.
"""

"""Decisions of the fabric services, computed before the run.

All changes in a scenario have known times, so a pure function computes the state after each change:
the switches of each fabric, the state of each port with its reason, and the pairs of ports that may
communicate. The engine gets only the result: when links carry frames, and which N_Ports may
exchange them.
"""

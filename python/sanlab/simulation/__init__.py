"""One simulation and the folder it leaves behind."""

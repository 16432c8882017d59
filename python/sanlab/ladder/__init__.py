"""One I/O of a run step by step: its frames at every port, and the stages between them."""

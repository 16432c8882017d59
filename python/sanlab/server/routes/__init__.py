"""Routes, one module for each topic; each has a `router`."""

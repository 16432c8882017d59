"""The command line: a door to the package, which computes nothing itself."""

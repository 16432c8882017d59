"""One disk drive by itself: its description, traces of commands, and their replay."""

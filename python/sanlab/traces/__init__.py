"""Block traces: their formats, and the tables that the engine replays."""

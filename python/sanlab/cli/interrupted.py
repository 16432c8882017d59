"""The end of a command that Ctrl-C stopped before it had a result."""

from __future__ import annotations

#: The exit code of shells for a command that Ctrl-C ended.
EXIT_INTERRUPTED = 130
#: What `--json` prints if Ctrl-C comes before there is a result.
STOPPED = """\
{
  "error": {
    "kind": "Interrupted",
    "message": "Stopped before the run began"
  }
}"""

"""Where the command `sanlab` starts: Ctrl-C ends it silently even while modules are imported.

This module imports next to nothing, so that the handler is there before what takes time.
"""

from __future__ import annotations

import os
import signal
import sys

from sanlab.cli.interrupted import EXIT_INTERRUPTED, STOPPED


def main() -> None:
    """Import the command line and run it."""
    # An import that is interrupted by an exception may hide it or turn it into another, so the
    # process ends at once; nothing has been written yet. Where Ctrl-C is ignored, it stays so.
    is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heeded:
        signal.signal(signal.SIGINT, _end)
    from sanlab.cli.main import main as run

    if is_heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _end(*_: object) -> None:
    try:
        if "--json" in sys.argv:
            os.write(1, f"{STOPPED}\n".encode())
    finally:  # stdout may be closed
        os._exit(EXIT_INTERRUPTED)

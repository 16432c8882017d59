"""A long line: a TCP relay with a rate and a delay, shared by all connections through it.

Usage: python3 line.py LISTEN-PORT TARGET-PORT BYTES-PER-SECOND ONE-WAY-SECONDS

Each direction sends one byte after the other at the rate, and what was sent arrives after the
delay, as on a fibre.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import sys
import threading
import time

HERE = "127.0.0.1"


class Direction:
    """One direction of the line: a transmitter that is busy until some time."""

    def __init__(self, rate: float, delay: float) -> None:
        """Idle from the start."""
        self._rate, self._delay = rate, delay
        self._lock = threading.Lock()
        self._free_at = 0.0

    def arrives_at(self, count: int) -> float:
        """Send so many bytes now; return when the last one arrives."""
        with self._lock:
            self._free_at = max(time.monotonic(), self._free_at) + count / self._rate
            return self._free_at + self._delay


def carry(source: socket.socket, sink: socket.socket, direction: Direction) -> None:
    """Carry what comes from a socket to the other, in two threads, until its end."""
    under_way: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()

    def read() -> None:
        data = b"-"
        while data:
            try:
                data = source.recv(1 << 16)
            except OSError:
                data = b""
            under_way.put((direction.arrives_at(len(data)), data))

    def write() -> None:
        with contextlib.suppress(OSError):
            while True:
                due, data = under_way.get()
                time.sleep(max(0.0, due - time.monotonic()))
                if not data:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(data)

    threading.Thread(target=read, daemon=True).start()
    threading.Thread(target=write, daemon=True).start()


def main() -> None:
    """Listen until the process is ended."""
    listen, target, rate, delay = sys.argv[1:]
    there, back = (Direction(float(rate), float(delay)) for _ in range(2))
    with socket.create_server((HERE, int(listen))) as server:
        while True:
            near, _ = server.accept()
            far = socket.create_connection((HERE, int(target)))
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            carry(near, far, there)
            carry(far, near, back)


if __name__ == "__main__":
    main()

"""Capture files, as tshark reads them.

Its own matching of FCP commands with their responses finds nothing over native Fibre Channel (4.0
to 4.4), so they are paired here, by (S_ID, D_ID, OX_ID).
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not installed (Debian package tshark)"
)

#: SOF, header, CRC and EOF.
FRAME_OVERHEAD_BYTES = 36
COMMAND, READY, DATA, RESPONSE = 0x06, 0x05, 0x01, 0x07
ABORT, ABORT_ACCEPTED = 0x81, 0x84


@dataclass(frozen=True)
class Seen:
    """One frame as tshark decodes it."""

    port: str
    is_sent: bool
    at_ns: int
    payload_bytes: int
    s_id: int
    d_id: int
    r_ctl: int
    f_ctl: int
    ox_id: int
    rx_id: int
    seq_id: int
    seq_cnt: int
    offset: int
    is_first: bool
    is_last: bool

    @property
    def exchange(self) -> tuple[int, int, int]:
        """Initiator, target, OX_ID."""
        from_responder = self.f_ctl & 0x800000
        pair = (self.d_id, self.s_id) if from_responder else (self.s_id, self.d_id)
        return *pair, self.ox_id


def fields(file: Path, names: list[str], where: str = "", *options: str) -> list[list[str]]:
    """Values of fields, one row a frame."""
    columns = [part for name in names for part in ("-e", name)]
    chosen = ["-Y", where] if where else []
    command = ["tshark", "-r", str(file), *options, *chosen, "-T", "fields", *columns]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in found.splitlines()]


def frames(file: Path) -> list[Seen]:
    names = (
        "frame.interface_name frame.packet_flags_direction frame.time_epoch frame.len fc.s_id"
        " fc.d_id fc.r_ctl fc.f_ctl fc.ox_id fc.rx_id fc.seq_id fc.seq_cnt fc.relative_offset"
        " fc.sof fc.eof"
    )
    return [_seen(row) for row in fields(file, names.split(), "", "-o", "fc.reassemble:FALSE")]


def _seen(row: list[str]) -> Seen:
    port, direction, time, length, s_id, d_id, *rest, offset, sof, eof = row
    r_ctl, f_ctl, ox_id, rx_id, seq_id, seq_cnt = (int(text, 0) for text in rest)
    return Seen(
        port=port,
        is_sent=int(direction, 0) == 2,
        at_ns=int(Fraction(time) * 10**9),
        payload_bytes=int(length) - FRAME_OVERHEAD_BYTES - (f_ctl & 3),
        s_id=address(s_id),
        d_id=address(d_id),
        r_ctl=r_ctl,
        f_ctl=f_ctl,
        ox_id=ox_id,
        rx_id=rx_id,
        seq_id=seq_id,
        seq_cnt=seq_cnt,
        offset=int(offset or "0"),
        is_first=int(sof, 0) == 0xBCB55656,
        is_last=int(eof, 0) == 0xBC957575,
    )


def address(text: str) -> int:
    """Number of an address as tshark writes it, `01.02.00`."""
    return int(text.replace(".", ""), 16)


def ends(row: list[str]) -> tuple[int, int]:
    """S_ID and D_ID, the first two fields."""
    return address(row[0]), address(row[1])


def by_exchange(found: list[Seen]) -> dict[tuple[int, int, int], list[Seen]]:
    """Frames of each exchange in order; with fewer than 65535 a port no OX_ID comes twice."""
    exchanges = defaultdict(list)
    for frame in found:
        exchanges[frame.exchange].append(frame)
    return exchanges


def complaints(file: Path, *options: str) -> list[list[str]]:
    """Frames that tshark finds malformed or wants to say anything about."""
    names = ["frame.number", "_ws.expert.message"]
    return fields(file, names, "_ws.malformed || _ws.expert", *options)


def crcs(file: Path) -> Counter[str]:
    return Counter(row[0] for row in fields(file, ["fc.crc.status"]))

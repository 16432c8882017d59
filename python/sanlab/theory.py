"""Closed forms for comparison with simulations and measurements."""

from __future__ import annotations

import math

#: SOF, header, CRC and EOF of a frame, and the six fill words after it (FC-FS).
FRAME_BYTES = 36
GAP_BYTES = 24
#: Payload of a full data frame with which most ports log in.
DATA_BYTES = 2048
#: What such a frame takes of a fibre.
FULL_FRAME_BYTES = DATA_BYTES + FRAME_BYTES + GAP_BYTES
#: One primitive signal, such as R_RDY.
WORD_BYTES = 4
#: FCP_CMND with a 16-byte CDB (FCP-4).
FCP_CMND_BYTES = 32


def frame_time_s(payload_bytes: int, bytes_per_s: float, gap_bytes: int = GAP_BYTES) -> float:
    """Tell the time a frame takes of its fibre, fill words included, in seconds.

    Parameters
    ----------
    payload_bytes
        Payload, padded here to whole words.
    bytes_per_s
        Data rate after line coding: 212.5e6 at 2GFC.

    Examples
    --------
    >>> round(frame_time_s(2048, 212.5e6) * 1e6, 3)
    9.92
    """
    return (math.ceil(payload_bytes / 4) * 4 + FRAME_BYTES + gap_bytes) / bytes_per_s


def credit_limited_throughput(
    *, credit: int, distance_km: float, bytes_per_s: float, payload_bytes: int = DATA_BYTES
) -> float:
    """Tell the payload rate of a long link in bytes per second.

    It is BB_Credit frames a round trip, or the line rate, whichever is less.

    A credit is away from the first bit of its frame until R_RDY is back: the frame's time on the
    fibre, light there and back at 5 us for a kilometre, and one word.

    Examples
    --------
    >>> full = credit_limited_throughput(credit=2000, distance_km=50, bytes_per_s=850e6)
    >>> eight = credit_limited_throughput(credit=8, distance_km=50, bytes_per_s=850e6)
    >>> round(full / 1e6, 1), round(eight / 1e6, 1)
    (825.8, 32.6)
    """
    slot = frame_time_s(payload_bytes, bytes_per_s)
    sending = frame_time_s(payload_bytes, bytes_per_s, gap_bytes=0)
    round_trip = sending + 2 * distance_km * 5e-6 + WORD_BYTES / bytes_per_s
    return payload_bytes / max(slot, round_trip / credit)


def credit_limited_copy(
    *,
    credit: int,
    distance_km: float,
    bytes_per_s: float,
    copy_bytes: int = 65_536,
    payload_bytes: int = DATA_BYTES,
) -> float:
    """Tell the rate of writes over a long link in bytes per second, with many on their way.

    Each write of `copy_bytes` takes one credit for its FCP_CMND and one for every data frame, and
    that much of the fibre.
    """
    frames = math.ceil(copy_bytes / payload_bytes)
    slots = frames * frame_time_s(payload_bytes, bytes_per_s)
    slots += frame_time_s(FCP_CMND_BYTES, bytes_per_s)
    sending = frame_time_s(payload_bytes, bytes_per_s, gap_bytes=0)
    round_trip = sending + 2 * distance_km * 5e-6 + WORD_BYTES / bytes_per_s
    return copy_bytes / max(slots, round_trip * (frames + 1) / credit)

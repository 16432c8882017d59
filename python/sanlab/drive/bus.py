"""The bus between host and drive, which DiskSim keeps in the `.parv` of a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sanlab.drive.parameters import read_blocks, read_text

if TYPE_CHECKING:
    from pathlib import Path

    from sanlab.drive.parameters import Block


class Bus(NamedTuple):
    """Times of the buses and controllers on the way, in milliseconds."""

    #: Transfer of a block to the host, and from it, by the slowest part.
    read_ms: float
    write_ms: float
    #: To take all buses.
    arbitration_ms: float
    notes: list[str]


def bus_of(blocks: list[Block]) -> Bus | None:
    """Return the bus that blocks of a `.parv` describe, or None."""
    buses = [block for block in blocks if block.kind == "disksim_bus"]
    if not buses:
        return None
    controllers = [block for block in blocks if block.kind == "disksim_ctlr"]
    least = max([0.0, *(block.number("Bulk sector transfer time", 0.0) for block in controllers)])
    notes = [
        f"The delays of controller '{block.name}' are not simulated"
        for block in controllers
        if block.number("Scale for delays", 0.0) > 0
    ]
    return Bus(
        read_ms=max(least, *(bus.number("Read block transfer time", 0.0) for bus in buses)),
        write_ms=max(least, *(bus.number("Write block transfer time", 0.0) for bus in buses)),
        arbitration_ms=sum(bus.number("Arbitration time", 0.0) for bus in buses),
        notes=notes,
    )


def bus_beside(path: Path) -> Bus | None:
    """Return the bus of the `.parv` beside a drive file: of its name, else one that names it."""
    candidates = [path.with_suffix(".parv")]
    candidates += sorted(set(path.parent.glob("*.parv")) - {*candidates, path})
    for number, candidate in enumerate(candidates):
        if candidate == path or not candidate.is_file():
            continue
        words = read_text(candidate).split()
        if number == 0 or path.name in words:
            # The drives it names may lie elsewhere.
            return bus_of(read_blocks(candidate, follows=False))
    return None

"""Measured seek times in DiskSim's form: their number, then lines `distance, milliseconds`."""

from __future__ import annotations

import re

from sanlab.errors import Problem, ScenarioError

_HEAD = re.compile(r"Seek distances measured:\s*(\d+)\s*$")


def parse_seek(text: str, file: str) -> tuple[list[tuple[int, float]], list[str]]:
    r"""Return distances in cylinders, which rise, with their times in milliseconds, and notes.

    A third column, the deviation of the measurement, is passed over, and so is distance 0.

    >>> parse_seek("Seek distances measured: 2\n1, 1.2\n5, 2.0, 0.1\n", "some.seek")
    ([(1, 1.2), (5, 2.0)], [])
    """
    points: list[tuple[int, float]] = []
    announced: int | None = None
    number = seen = 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.partition("#")[0].strip()
        head = _HEAD.match(stripped)
        if head and not points:
            announced = int(head.group(1))
        elif stripped:
            seen += 1
            point = _point(stripped, points, file, number)
            points += [] if point[0] == 0 else [point]
    notes = []
    if announced is not None and announced > seen:
        notes.append(
            f"{file} announces {announced} distances and has {seen}; it may have been cut off"
        )
    if not points:
        raise _problem(
            file, number or 1, "The file has no seek times", "Add 'distance, milliseconds'"
        )
    return points, notes


def _point(line: str, points: list[tuple[int, float]], file: str, number: int) -> tuple[int, float]:
    columns = line.replace(",", " ").split()
    try:
        distance, time = int(columns[0]), float(columns[1])
    except (ValueError, IndexError):
        raise _problem(
            file,
            number,
            f"'{line[:60]}' is not a distance and a time",
            "Write 'distance, milliseconds'",
        ) from None
    if distance == 0 and 0 <= time < 1000:
        return distance, time
    if not 0 < time < 1000 or distance < 1:
        reason = f"{distance} cylinders in {time:g} ms cannot be"
        raise _problem(file, number, reason, "Write at least 1 cylinder and times in milliseconds")
    if points and distance <= points[-1][0]:
        reason = f"Distance {distance} does not rise: {points[-1][0]} is before it"
        raise _problem(file, number, reason, "Sort the lines by their distance, each once")
    return distance, time


def _problem(file: str, line: int, reason: str, remedy: str) -> ScenarioError:
    return ScenarioError([Problem(file, line, None, "", reason, remedy)])

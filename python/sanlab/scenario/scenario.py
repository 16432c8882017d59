"""A scenario as a whole."""

from __future__ import annotations

import os
import pathlib
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from sanlab.errors import Problem
from sanlab.scenario.arrays import Array
from sanlab.scenario.base import ScenarioModel, also
from sanlab.scenario.counts import filled
from sanlab.scenario.document import Mark, MarkedMap, find_mark, path_text
from sanlab.scenario.fabric import Link, Switch
from sanlab.scenario.faults import Fault
from sanlab.scenario.groups import MAX_GROUP
from sanlab.scenario.hosts import Host
from sanlab.scenario.measure import Measure
from sanlab.scenario.phases import Phase
from sanlab.scenario.qos import Qos
from sanlab.scenario.services import FabricServices
from sanlab.scenario.stacks import Stack
from sanlab.scenario.volumes import FileSystem, Volume
from sanlab.scenario.workload import Traffic, Workload
from sanlab.scenario.zoning import Zoning, as_zonings

if TYPE_CHECKING:
    from sanlab.scenario.document import Path


class Scenario(ScenarioModel):
    """A storage area network and its load."""

    title: str = ""
    """Title, shown in reports."""
    description: str = ""
    """Free text."""
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 1
    """Seed of all random draws; the same scenario and seed give the same run."""
    counts: dict[str, Annotated[int, Field(ge=1, le=MAX_GROUP)]] = Field(default_factory=dict)
    """Numbers by name that groups use: with `counts: {N: 4}`, `host[1..N]` makes four hosts.

    `[0..N-1]`, `[1..2*N]` and `[N]` work too, in every name and pattern. `--set N=8` changes all
    of them, and `sanlab sweep -p N=1,2,4,8` varies them."""
    hosts: list[Host] = Field(default_factory=list)
    """Hosts."""
    switches: list[Switch] = Field(default_factory=list)
    """Switches."""
    arrays: list[Array] = Field(default_factory=list)
    """Arrays."""
    stacks: list[Stack] = Field(default_factory=list)
    """Stacks of disk enclosures on arbitrated loops."""
    links: list[Link] = Field(default_factory=list)
    """Links."""
    zoning: Annotated[
        list[Zoning] | None, BeforeValidator(as_zonings), also({"type": "object"})
    ] = None
    """Zoning: which ports may communicate; by default all. One, or a list for several fabrics or
    VSANs."""
    fabric: FabricServices = Field(default_factory=FabricServices)
    """Fabric services: logins, names, notifications."""
    volumes: list[Volume] = Field(default_factory=list)
    """Several LUNs as one."""
    filesystems: list[FileSystem] = Field(default_factory=list)
    """File systems on volumes."""
    workloads: list[Workload] = Field(default_factory=list)
    """Streams of I/O."""
    traffic: list[Traffic] = Field(default_factory=list)
    """Plain frames."""
    qos: list[Qos] = Field(default_factory=list)
    """Limits and priorities of N_Port pairs, and their changes."""
    faults: list[Fault] = Field(default_factory=list)
    """Faults."""
    phases: list[Phase] = Field(default_factory=list)
    """Parts of the run whose figures are reported apart."""
    measure: Measure = Field(default_factory=Measure)
    """How long to simulate and what to keep."""

    _document: MarkedMap | None = PrivateAttr(default=None)
    _folder: pathlib.Path | None = PrivateAttr(default=None)
    _root: pathlib.Path | None = PrivateAttr(default=None)

    @model_validator(mode="before")
    @classmethod
    def _has_its_counts(cls, data: object) -> object:
        # Those of a file are in place before, with messages that name its lines.
        if isinstance(data, dict) and not isinstance(data, MarkedMap) and "counts" in data:
            return filled(data)
        return data

    def attach(self, document: MarkedMap) -> None:
        """Remember the text this was read from, so that later problems can point at it."""
        self._document = document

    def confine(self, folder: pathlib.Path, root: pathlib.Path) -> None:
        """Let names of files begin at `folder`, and none of them lead out of `root`."""
        self._folder, self._root = folder, root

    def beside(self, name: str) -> pathlib.Path | None:
        """Return the file that a value names; None where it is not to be read.

        A relative name begins at the folder of the scenario, or at the present one without a
        file.
        """
        folder = self._folder
        if folder is None:
            file = self._document.mark.file if self._document is not None else ""
            folder = pathlib.Path(file).parent
        try:
            path = pathlib.Path(os.path.realpath(folder / name))
        except (OSError, ValueError):
            return None
        if self._root is None:
            return folder / name
        root = os.path.realpath(self._root)
        is_within = path.is_relative_to(root)
        if not is_within or any(part.startswith(".") for part in path.relative_to(root).parts):
            return None
        return path

    def problem(self, path: Path, reason: str, remedy: str) -> Problem:
        """Return a problem with the value at `path`, pointing at its place in the file."""
        found = find_mark(self._document, path) if self._document is not None else None
        mark = found or Mark("scenario")
        return Problem(mark.file, mark.line, mark.column, path_text(path), reason, remedy)

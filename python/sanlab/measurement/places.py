"""What stands for a LUN in a measurement, and what must not be written."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sanlab.errors import SanlabError
from sanlab.measurement.clients import own_files
from sanlab.measurement.iscsi import Iscsi, Relays, parse_iscsi
from sanlab.measurement.nbd import Nbd, ask, parse_nbd

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sanlab.measurement.clients import Client


T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """A LUN and the file or device that stands for it.

    Attributes
    ----------
    lun
        Its name in the scenario.
    address
        Path of a file or a block device, or URI of an export.
    bytes
        Its size; 0 for a device of another machine, which is not known here.
    is_own
        A file that this measurement made, and removes.
    is_nbd
        A network block device, for fio's engine `nbd`.
    relays
        Exports that lead to it, by host, if fio cannot drive it itself: a LUN of an iSCSI target.
    files
        Files that fio makes for it on other machines and removes, by host.
    """

    lun: str
    address: str
    bytes: int
    is_own: bool = False
    is_nbd: bool = False
    relays: Mapping[str, Nbd] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    def address_for(self, host: str) -> str:
        """What fio of a host drives: the place itself, a relay to it, or a file of that host."""
        return self.files.get(host) or str(self.relays.get(host, self.address))


@dataclass
class Use:
    """What the workloads do with a LUN.

    Attributes
    ----------
    hosts
        Hosts that use it.
    is_written
        One of them writes to it.
    """

    hosts: list[str] = field(default_factory=list)
    is_written: bool = False


@dataclass(frozen=True)
class Wanted:
    """What the person asked for.

    Attributes
    ----------
    targets
        A path or a URI for each LUN; the LUN `*` stands for all others.
    size
        Of files that are made, in bytes.
    destructive
        Files, devices and URIs that may be written.
    clients
        Machines that run the jobs of the hosts, by host; none if this machine runs them all.
    """

    targets: dict[str, str]
    size: int
    destructive: tuple[str, ...] = ()
    clients: Mapping[str, Client] = field(default_factory=dict)


def parse_target(text: str) -> tuple[str, str]:
    """Split `lun=PLACE`.

    >>> parse_target("dev1.lun1=/dev/sdb")
    ('dev1.lun1', '/dev/sdb')

    Raises
    ------
    SanlabError
        It has no `=`.
    """
    lun, equals, path = text.partition("=")
    if not equals or not lun.strip() or not path.strip():
        reason = f"--target {text}: write LUN=PATH, --target dev1.lun1=/mnt/test, or '*=/mnt/test'"
        raise SanlabError(reason)
    return lun.strip(), path.strip()


def each_once(pairs: Iterable[tuple[str, T]], option: str) -> dict[str, T]:
    """Return pairs of a repeated option by name.

    >>> each_once([("a", 1), ("b", 2)], "--target")
    {'a': 1, 'b': 2}

    Raises
    ------
    SanlabError
        A name is given twice.
    """
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            reason = f"{option} {name} is given twice. Remove one of them"
            raise SanlabError(reason)
        found[name] = value
    return found


def is_uri(text: str) -> bool:
    """Whether a place is an address on a network: a path has no `://`.

    >>> is_uri("nbd://127.0.0.1/disk"), is_uri("/dev/sdb")
    (True, False)
    """
    return "://" in text


class Places:
    """The files and devices of a measurement; what it made is removed at the end."""

    def __init__(self, wanted: Wanted, uses: Mapping[str, Use]) -> None:
        """Find a place for each LUN.

        Parameters
        ----------
        uses
            The LUNs that are used, by name.

        Raises
        ------
        SanlabError
            A LUN has no place, or one that must not be written.
        """
        self._made: list[Path] = []
        self.by_lun: dict[str, Place] = {}
        self._relays = Relays()
        unknown = set(wanted.targets) - set(uses) - {"*"}
        if unknown:
            reason = (
                f"--target {min(unknown)}: the workloads use no such LUN; they use"
                f" {', '.join(uses)}"
            )
            raise SanlabError(reason)
        self._wanted = wanted
        try:
            for lun, use in uses.items():
                self.by_lun[lun] = self._place(lun, use)
            # All log in at once: over a long line each takes seconds.
            for lun, place in self.by_lun.items():
                self.by_lun[lun] = self._logged_in(place)
        except BaseException:
            self.close()
            raise

    def _place(self, lun: str, use: Use) -> Place:
        is_written = use.is_written
        text = self._wanted.targets.get(lun) or self._wanted.targets.get("*")
        if text is None:
            reason = f"no place for {lun}: add --target {lun}=FOLDER, or a file or a device"
            raise SanlabError(reason)
        if is_uri(text):
            return self._of_uri(lun, text, use)
        if self._wanted.clients:
            return self._remote(lun, text, use)
        path = Path(text)
        try:
            mode = path.stat().st_mode
        except OSError as error:
            reason = f"{path} for {lun}: {error.strerror}. Name a folder, a file or a block device"
            raise SanlabError(reason) from None
        if stat.S_ISDIR(mode):
            return self._own_file(lun, path)
        if stat.S_ISBLK(mode):
            if is_written:
                self._refuse_unnamed(lun, path)
                refuse_in_use(path)
            return Place(lun, str(path), _device_bytes(path))
        if not stat.S_ISREG(mode):
            reason = f"{path} for {lun} is neither a folder, nor a file, nor a block device"
            raise SanlabError(reason)
        if is_written:
            self._refuse_unnamed(lun, path)
        return Place(lun, str(path), path.stat().st_size)

    def _of_uri(self, lun: str, text: str, use: Use) -> Place:
        if not text.startswith("iscsi:"):
            return self._export(lun, text, is_written=use.is_written)
        if self._wanted.clients:
            reason = (
                f"{text} for {lun} needs a relay on each machine, which sanlab starts on this one"
                " alone. Log in there, and name the device"
            )
            raise SanlabError(reason)
        return self._iscsi(lun, text, use)

    def _remote(self, lun: str, text: str, use: Use) -> Place:
        """A folder or a device of other machines; what is on their devices cannot be asked."""
        if text.endswith("/"):
            files = own_files(lun, text, use.hosts)
            return Place(lun, text, self._wanted.size, is_own=True, files=files)
        if use.is_written:
            reason = (
                f"{text} is not written: a workload writes to {lun}, and what is on a device of"
                " another machine cannot be found out from here. Name a folder, with a slash at its"
                " end, or measure on that machine"
            )
            raise SanlabError(reason)
        return Place(lun, text, 0)

    def _export(self, lun: str, text: str, *, is_written: bool) -> Place:
        """An export of an NBD server, which is a device: writes must name it."""
        address = parse_nbd(text)
        if is_written and address not in self._named():
            raise SanlabError(_overwritten(text, lun))
        export = ask(address)
        if is_written and export.is_read_only:
            reason = f"{text} is read-only, and a workload writes to {lun}. Serve it writable"
            raise SanlabError(reason)
        if not export.bytes:
            reason = f"{text} for {lun} has no bytes. Serve an export with a size"
            raise SanlabError(reason)
        return Place(lun, str(address), export.bytes, is_nbd=True)

    def _iscsi(self, lun: str, text: str, use: Use) -> Place:
        """A LUN of an iSCSI target, with a session of each host that uses it."""
        address = parse_iscsi(text)
        if use.is_written and address not in self._named():
            raise SanlabError(_overwritten(text, lun))
        relays = {
            host: self._relays.start(address, host, is_written=use.is_written) for host in use.hosts
        }
        return Place(lun, str(address), 0, is_nbd=True, relays=relays)

    def _logged_in(self, place: Place) -> Place:
        """A place whose relays have logged in, with its size."""
        sizes = [self._relays.ready(relay).bytes for relay in place.relays.values()]
        return replace(place, bytes=sizes[0]) if sizes else place

    def _named(self) -> set[Nbd | Iscsi]:
        """The addresses that may be written."""
        uris = [text for text in self._wanted.destructive if is_uri(text)]
        return {
            parse_iscsi(text) if text.startswith("iscsi:") else parse_nbd(text) for text in uris
        }

    def _own_file(self, lun: str, folder: Path) -> Place:
        """A file in a folder of its own below the one that was named."""
        free = os.statvfs(folder)
        if free.f_bavail * free.f_frsize < self._wanted.size:
            reason = f"{folder} has too little room for a file for {lun}. Choose a smaller --size"
            raise SanlabError(reason)
        own = Path(tempfile.mkdtemp(prefix="sanlab-measure-", dir=folder))
        self._made.append(own)
        return Place(lun, str(own / f"{lun}.data"), self._wanted.size, is_own=True)

    def _refuse_unnamed(self, lun: str, path: Path) -> None:
        named = {Path(one).resolve() for one in self._wanted.destructive if not is_uri(one)}
        if path.resolve() not in named:
            raise SanlabError(_overwritten(str(path), lun))

    def close(self) -> None:
        """Remove the files that were made, and end the relays."""
        self._relays.end()
        for folder in self._made:
            for file in folder.iterdir() if folder.is_dir() else ():
                file.unlink(missing_ok=True)
            if folder.is_dir():
                folder.rmdir()
        self._made.clear()


def _overwritten(place: str, lun: str) -> str:
    return (
        f"{place} would be overwritten: a workload writes to {lun}. Name a folder instead,"
        f" or add --destructive '{place}' if nothing on it is needed"
    )


def refuse_in_use(device: Path) -> None:
    """Raise if a device, a part of it or a disk it is on is mounted or holds something.

    Raises
    ------
    SanlabError
        It is mounted, used as swap, in a RAID or a volume group, or has a file system or a
        partition table; or that cannot be found out.
    """
    command = ["lsblk", "--json", "--output", "NAME,TYPE,FSTYPE,PTTYPE,MOUNTPOINTS", str(device)]
    above = ["lsblk", "--json", "--inverse", *command[2:]]
    for words in (command, above):
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30)
            found = json.loads(done.stdout)["blockdevices"]
        except (OSError, subprocess.SubprocessError, ValueError, KeyError):
            reason = f"what is on {device} cannot be found out with lsblk, so it is not written"
            raise SanlabError(reason) from None
        own = device.resolve().name
        for row in _rows(found):
            why = _use(row, is_self=row["name"] == own)
            if why:
                reason = f"{device} is not written: {row['name']} {why}"
                raise SanlabError(reason)


def _rows(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for row in rows:
        yield row
        yield from _rows(row.get("children") or [])


def _use(row: dict[str, Any], *, is_self: bool) -> str:
    """What a device is used for; empty if for nothing."""
    mounts = [place for place in row.get("mountpoints") or [] if place]
    if mounts:
        return f"is mounted at {mounts[0]}"
    if row.get("fstype"):
        return f"holds {row['fstype']}"
    if is_self and row.get("pttype"):
        return f"has a partition table ({row['pttype']})"
    return ""


def _device_bytes(device: Path) -> int:
    try:
        with device.open("rb") as file:
            return file.seek(0, os.SEEK_END)
    except OSError as error:
        reason = f"{device} cannot be opened: {error.strerror}"
        raise SanlabError(reason) from None

"""What this machine has for measurements and other optional parts, and how to get the rest."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from typing import Final

from sanlab.errors import SanlabError
from sanlab.measurement import fio

#: Engines of fio: name, and what it is for.
ENGINES: Final[dict[str, str]] = {
    "libaio": "files and block devices",
    "nbd": "network block devices, also iSCSI through qemu-nbd",
}
#: Optional Python packages: module, extra of sanlab, and what it is for.
MODULES: Final[dict[str, tuple[str, str]]] = {
    "scipy": ("calibrate", "sanlab calibrate"),
    "distributed": ("cluster", "sanlab sweep --cluster"),
    "pandas": ("notebook", "Run.frame() in notebooks"),
}
#: Programs: Debian package, and what it is for.
PROGRAMS: Final[dict[str, tuple[str, str]]] = {
    "lsblk": ("util-linux", "knowing whether a device is in use"),
    "tshark": ("tshark", "reading captures of sanlab trace"),
    "qemu-nbd": ("qemu-utils qemu-block-extra", "LUNs of an iSCSI target, for fio's engine nbd"),
    "tgtd": ("tgt", "an iSCSI target on this machine: examples/real-iscsi-san"),
    "nbdkit": ("nbdkit", "a disk with a known delay and rate: examples/real-rate-limited-disk"),
}
#: Where Debian installs servers, which is not on the path of users.
SYSTEM: Final = "/usr/sbin:/sbin"


@dataclass(frozen=True)
class Check:
    """One this machine has or has not.

    Attributes
    ----------
    what
        Its name.
    use
        What it is for.
    found
        Its version or place; empty if it is missing.
    remedy
        The command that installs it, or what else to do; empty if it is there.
    """

    what: str
    use: str
    found: str
    remedy: str = ""

    @property
    def is_there(self) -> bool:
        """It was found."""
        return bool(self.found)


def checks() -> list[Check]:
    """Return what this machine has, the parts of measurements first."""
    return [*_fio(), *_programs(), *_modules(), _memory_and_cores()]


def _fio() -> list[Check]:
    use = "sanlab measure"
    try:
        program = fio.find()
    except SanlabError as error:
        return [Check("fio", use, "", str(error))]
    engines = fio.engines(program)
    return [
        Check("fio", use, f"{program.version} ({program.path})"),
        *(
            Check(
                f"fio's engine {name}",
                purpose,
                "built in" if name in engines else "",
                "" if name in engines else "another build of fio has it; it is optional",
            )
            for name, purpose in ENGINES.items()
        ),
    ]


def _programs() -> list[Check]:
    found = []
    for name, (package, use) in PROGRAMS.items():
        path = shutil.which(name) or shutil.which(name, path=SYSTEM) or ""
        remedy = "" if path else f"sudo apt-get install {package}"
        found.append(Check(name, use, path, remedy))
    return found


def _modules() -> list[Check]:
    found = []
    for name, (extra, use) in MODULES.items():
        is_there = importlib.util.find_spec(name) is not None
        remedy = "" if is_there else f"pip install 'sanlab[{extra}]'"
        found.append(Check(name, use, "installed" if is_there else "", remedy))
    return found


def _memory_and_cores() -> Check:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    gib = pages * size / 2**30
    return Check("machine", "simulations", f"{os.cpu_count()} cores, {gib:.0f} GiB of memory")

"""LUNs of an iSCSI target, through qemu-nbd: it is the initiator, and fio drives its export.

fio's own engine for iSCSI is missing in the packages of distributions, and a kernel initiator needs
root. The relay is one process more in the path of every I/O; docs say what it costs.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from sanlab.errors import SanlabError
from sanlab.measurement.nbd import Nbd, ask

if TYPE_CHECKING:
    from sanlab.measurement.nbd import Export

#: Port of targets that name none (IANA).
PORT: Final = 3260
#: Requests of a connection that qemu-nbd passes on at once (MAX_NBD_REQUESTS of QEMU).
MOST_OPEN: Final = 16
#: How long a relay gets to log in, in seconds: libiscsi itself gives up a login after 5.
PATIENCE_S = 20
#: Prefix of the names of initiators (RFC 3720, example domain of RFC 2606).
INITIATOR: Final = "iqn.2026-11.example.sanlab"
_FORM = "iscsi://HOST:PORT/TARGET-NAME/LUN, iscsi://10.0.0.1/iqn.2026-11.example.san:disk1/1"


@dataclass(frozen=True)
class Iscsi:
    """The address of a LUN."""

    host: str
    port: int
    target: str
    lun: int

    def __str__(self) -> str:
        """The URI."""
        return f"iscsi://{self.portal}/{self.target}/{self.lun}"

    @property
    def portal(self) -> str:
        """Address of the target, with its port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_iscsi(text: str) -> Iscsi:
    """Read a URI as libiscsi writes it.

    >>> str(parse_iscsi("iscsi://10.0.0.1/iqn.2026-11.example.san:disk1/1"))
    'iscsi://10.0.0.1:3260/iqn.2026-11.example.san:disk1/1'

    Raises
    ------
    SanlabError
        A part is missing, or it has a password.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        reason = f"{text}: {error}. Write {_FORM}"
        raise SanlabError(reason) from None
    if "@" in parts.netloc:
        reason = (
            f"iscsi://...@{parts.netloc.rpartition('@')[2]}: a target with a password (CHAP) cannot"
            " be measured, because every user of this machine could read it. Allow this machine"
            " without one"
        )
        raise SanlabError(reason)
    found = re.fullmatch(r"/((?:iqn|eui|naa)\.[^/\s]+)/(\d{1,5})/?", unquote(parts.path))
    if found is None or not parts.hostname or parts.query:
        reason = f"{text} is not the address of a LUN. Write {_FORM}"
        raise SanlabError(reason)
    return Iscsi(parts.hostname, port or PORT, found[1], int(found[2]))


class Relays:
    """Processes of qemu-nbd, one for each host and LUN: each host has a session of its own."""

    def __init__(self) -> None:
        """Start none yet."""
        self._folder: Path | None = None
        self._running: list[subprocess.Popen[str]] = []
        self._logging_in: dict[Nbd, tuple[subprocess.Popen[str], Iscsi]] = {}

    def start(self, address: Iscsi, host: str, *, is_written: bool) -> Nbd:
        """Begin to log in to a LUN as a host, read-only unless it is written; return the export.

        Raises
        ------
        SanlabError
            qemu-nbd is missing.
        """
        program = shutil.which("qemu-nbd")
        if program is None:
            reason = (
                "qemu-nbd is not installed, and iSCSI needs it. Install it: sudo apt-get install"
                " qemu-utils qemu-block-extra"
            )
            raise SanlabError(reason)
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="sanlab-nbd-"))
        place = self._folder / f"{len(self._running)}.sock"
        command = [program, "--persistent", "--shared=0", "--cache=none", f"--socket={place}"]
        command += [] if is_written else ["--read-only"]
        command += ["--image-opts", _image(address, host)]
        # In a session of its own, so that Ctrl-C ends fio first, which then writes its results.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._running.append(process)
        relay = Nbd("", place)
        self._logging_in[relay] = process, address
        return relay

    def ready(self, relay: Nbd) -> Export:
        """Wait until a relay has logged in; return what it serves.

        Raises
        ------
        SanlabError
            It cannot log in.
        """
        process, address = self._logging_in[relay]
        return _ready(process, relay, address)

    def end(self) -> None:
        """End all of them."""
        for process in self._running:
            process.terminate()
        for process in self._running:
            try:
                process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        self._running.clear()
        self._logging_in.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def _image(address: Iscsi, host: str) -> str:
    """Options of QEMU's block driver; a comma within a value is doubled."""
    name = re.sub(r"[^a-z0-9.:-]", "-", host.lower())
    options = {
        "driver": "raw",
        "file.driver": "iscsi",
        "file.transport": "tcp",
        "file.portal": address.portal,
        "file.target": address.target,
        "file.lun": str(address.lun),
        "file.initiator-name": f"{INITIATOR}:{name}",
    }
    return ",".join(f"{key}={value.replace(',', ',,')}" for key, value in options.items())


def _ready(process: subprocess.Popen[str], export: Nbd, address: Iscsi) -> Export:
    """Wait until the relay answers; it does so once it has logged in."""
    ends = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < ends:
        try:
            return ask(export)
        except SanlabError:
            time.sleep(0.05)
    if process.poll() is None:
        reason = (
            f"{address} does not answer within {PATIENCE_S} s. Check its portal and the network"
        )
        raise SanlabError(reason)
    said = process.stderr.read().strip().splitlines() if process.stderr else []
    words = said[-1].rpartition("': ")[2] if said else f"it ended with code {process.returncode}"
    if "Unknown driver" in words:
        words += ". Install QEMU's iSCSI driver: sudo apt-get install qemu-block-extra"
    reason = (
        f"qemu-nbd cannot log in to {address}: {words[:300].rstrip('.')}. `iscsi-ls -s iscsi://{address.portal}`"
        " lists the LUNs of a portal"
    )
    raise SanlabError(reason)

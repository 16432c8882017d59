"""Other machines that run the jobs of a host: servers of fio, whose client runs here."""

from __future__ import annotations

import re
import secrets
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sanlab.errors import SanlabError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Port of a server that names none (fio(1), `--server`).
PORT: Final = 8765
#: How long a server gets to take a connection, in seconds.
PATIENCE_S = 5
_ADDRESS = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")


@dataclass(frozen=True)
class Client:
    """A machine with `fio --server` that stands for a host of the scenario."""

    address: str
    port: int = PORT

    def __str__(self) -> str:
        """The address as fio's `--client` takes it."""
        return f"{self.address},{self.port}"


def parse_client(text: str) -> tuple[str, Client]:
    """Split `host=ADDRESS:PORT`; without a port it is fio's own.

    >>> parse_client("host1=10.0.0.5")
    ('host1', Client(address='10.0.0.5', port=8765))

    Raises
    ------
    SanlabError
        It has no `=`, or no address of a machine.
    """
    host, _, where = text.partition("=")
    address, _, port = where.strip().partition(":")
    is_port = not port or (port.isdecimal() and len(port) < 6 and 0 < int(port) < 1 << 16)
    if not host.strip() or not _ADDRESS.fullmatch(address) or not is_port:
        reason = f"--client {text}: write HOST=ADDRESS or HOST=ADDRESS:PORT, such as host1=10.0.0.5"
        raise SanlabError(reason)
    return host.strip(), Client(address, int(port) if port else PORT)


def require_clients(clients: Mapping[str, Client], hosts: Iterable[str]) -> None:
    """Raise unless each of these hosts has a machine that answers.

    Raises
    ------
    SanlabError
        A host has none, one is not among the hosts, or a server does not answer.
    """
    wanted = list(dict.fromkeys(hosts))
    for host in clients:
        if host not in wanted:
            reason = f"--client {host}: no workload runs on that host, but on {', '.join(wanted)}"
            raise SanlabError(reason)
    for host in wanted:
        if host not in clients:
            reason = (
                f"no machine for {host}: add --client {host}=ADDRESS. Its jobs can run on this"
                " machine too: start 'fio --server=127.0.0.1' and name that"
            )
            raise SanlabError(reason)
    for host, client in clients.items():
        try:
            socket.create_connection((client.address, client.port), PATIENCE_S).close()
        except OSError as error:
            reason = (
                f"no server of fio answers at {client.address}:{client.port} for {host}:"
                f" {error.strerror or error}. Start 'fio --server' there"
            )
            raise SanlabError(reason) from None


def own_files(lun: str, folder: str, hosts: Iterable[str]) -> dict[str, str]:
    """Return the paths of files that fio makes for a LUN on its machines, by host.

    Each host has a file of its own: on storage that machines share, they do not overwrite each
    other's.
    """
    token = secrets.token_hex(4)
    base = folder.rstrip("/")
    return {host: f"{base}/sanlab-measure-{token}-{host}-{lun}.data" for host in hosts}

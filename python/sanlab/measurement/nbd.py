"""Network block devices: their URIs, and what a server says of an export.

The questions follow the NBD protocol (doc/proto.md of the NBD project): the fixed newstyle
negotiation, `NBD_OPT_INFO`, and `NBD_OPT_EXPORT_NAME` for servers that do not know it.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from sanlab.errors import SanlabError

#: Port of servers that name none.
PORT: Final = 10809
#: How long a server gets for each answer, in seconds.
PATIENCE_S = 10
#: Longest path of a Unix socket (sockaddr_un).
LONGEST_SOCKET = 107

_HELLO, _OPTION_MAGIC, _REPLY_MAGIC = b"NBDMAGIC", b"IHAVEOPT", 0x0003_E889_0455_65A9
_EXPORT_NAME, _ABORT, _INFO = 1, 2, 6
_ACK, _REPLY_INFO = 1, 3
_INFO_EXPORT = 0
_UNSUPPORTED, _TLS_NEEDED, _UNKNOWN = 0x8000_0001, 0x8000_0005, 0x8000_0006
_READ_ONLY = 1 << 1
_FIXED = 1 << 0
#: Longest answer that is read.
_LONGEST = 1 << 16


@dataclass(frozen=True)
class Nbd:
    """The address of an export.

    Attributes
    ----------
    socket
        Absolute path of a Unix socket; None with TCP.
    host, port
        Of TCP.
    export
        Its name; empty for the default export.
    """

    export: str
    socket: Path | None = None
    host: str = ""
    port: int = PORT

    def __str__(self) -> str:
        """The URI, with an absolute path."""
        if self.socket is not None:
            return f"nbd+unix:///{self.export}?socket={self.socket}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"nbd://{host}:{self.port}/{self.export}"


@dataclass(frozen=True)
class Export:
    """What a server says of an export."""

    bytes: int
    is_read_only: bool


def parse_nbd(text: str) -> Nbd:
    """Read a URI as in doc/uri.md of the NBD project.

    >>> str(parse_nbd("nbd://127.0.0.1"))
    'nbd://127.0.0.1:10809/'
    >>> str(parse_nbd("nbd+unix:///disk?socket=/run/n.sock"))
    'nbd+unix:///disk?socket=/run/n.sock'

    Raises
    ------
    SanlabError
        It is of another kind, or a part is missing.
    """
    forms = "nbd://HOST:PORT/EXPORT or nbd+unix:///EXPORT?socket=PATH"
    if any(sign.isspace() or ord(sign) < 32 for sign in text) or "${" in text:
        reason = f"{text!r} has a space or a sign that fio would change. Write {forms}"
        raise SanlabError(reason)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        reason = f"{text}: {error}. Write {forms}"
        raise SanlabError(reason) from None
    export = unquote(parts.path.removeprefix("/"))
    if parts.scheme == "nbd" and parts.hostname and not parts.query:
        return Nbd(export, None, parts.hostname, port or PORT)
    if parts.scheme == "nbd+unix" and not parts.netloc:
        place = parse_qs(parts.query).get("socket", [""])[-1]
        if place:
            return _on_unix(export, Path(place).absolute())
    if parts.scheme.startswith("nbds"):
        reason = f"{text}: exports with TLS cannot be measured. Serve it without TLS on a socket"
        raise SanlabError(reason)
    reason = f"{text} is not the address of an export. Write {forms}"
    raise SanlabError(reason)


def _on_unix(export: str, place: Path) -> Nbd:
    if len(str(place).encode()) > LONGEST_SOCKET:
        reason = (
            f"{place}: the path of a Unix socket has {LONGEST_SOCKET} bytes at most."
            " Start the server on a shorter one, such as /tmp/n.sock"
        )
        raise SanlabError(reason)
    return Nbd(export, place)


def ask(address: Nbd) -> Export:
    """Ask the server for the size of an export; it stays as it is.

    Raises
    ------
    SanlabError
        No server answers, it does not speak NBD, or it has no such export.
    """
    try:
        with _connected(address) as line:
            return _negotiated(line, address)
    except (OSError, EOFError) as error:
        words = getattr(error, "strerror", None) or str(error) or type(error).__name__
        reason = (
            f"no NBD server answers at {address}: {words}. Start it, or correct the address; `ss"
            " -l` lists what listens"
        )
        raise SanlabError(reason) from None


def _connected(address: Nbd) -> socket.socket:
    if address.socket is None:
        return socket.create_connection((address.host, address.port), PATIENCE_S)
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(PATIENCE_S)
    try:
        line.connect(str(address.socket))
    except BaseException:
        line.close()
        raise
    return line


def _negotiated(line: socket.socket, address: Nbd) -> Export:
    hello = _read(line, 16)
    if hello[:8] != _HELLO or hello[8:] != _OPTION_MAGIC:
        reason = (
            f"what answers at {address} does not speak the newstyle negotiation of NBD. Use nbdkit"
            " or qemu-nbd"
        )
        raise SanlabError(reason)
    (offered,) = struct.unpack(">H", _read(line, 2))
    line.sendall(struct.pack(">I", offered & 0b11))
    name = address.export.encode()
    if not offered & _FIXED:
        return _of_old_server(line, name)
    data = struct.pack(">I", len(name)) + name + struct.pack(">H", 0)
    _send(line, _INFO, data)
    found: Export | None = None
    while True:
        kind, said = _reply(line)
        if kind == _REPLY_INFO and said[:2] == struct.pack(">H", _INFO_EXPORT):
            found = _export(said[2:12])
        elif kind == _ACK and found is not None:
            _send(line, _ABORT, b"")
            return found
        elif kind == _UNSUPPORTED:
            return _of_old_server(line, name)
        elif kind & 0x8000_0000:
            raise SanlabError(_refusal(kind, said, address))


def _of_old_server(line: socket.socket, name: bytes) -> Export:
    """Ask by selecting the export, as servers without `NBD_OPT_INFO` need; it has no refusal."""
    _send(line, _EXPORT_NAME, name)
    return _export(_read(line, 10))


def _refusal(kind: int, said: bytes, address: Nbd) -> str:
    if kind == _UNKNOWN:
        shown = f"export '{address.export}'" if address.export else "default export"
        return f"the server at {address} has no {shown}. Name another at the end of the path"
    if kind == _TLS_NEEDED:
        return f"the server at {address} wants TLS. Serve the export without TLS on a socket"
    words = said.decode(errors="replace").strip() or f"error {kind & 0xFFFF} of NBD"
    return f"the server at {address} refuses the export: {words}. Its own log says more"


def _send(line: socket.socket, option: int, data: bytes) -> None:
    line.sendall(_OPTION_MAGIC + struct.pack(">II", option, len(data)) + data)


def _reply(line: socket.socket) -> tuple[int, bytes]:
    magic, _, kind, length = struct.unpack(">QIII", _read(line, 20))
    if magic != _REPLY_MAGIC or length > _LONGEST:
        reason = "its answer does not follow the NBD protocol"
        raise EOFError(reason)
    return kind, _read(line, length)


def _export(data: bytes) -> Export:
    size, flags = struct.unpack(">QH", data)
    return Export(size, bool(flags & _READ_ONLY))


def _read(line: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        part = line.recv(count - len(found))
        if not part:
            reason = "it ends the connection"
            raise EOFError(reason)
        found += part
    return found

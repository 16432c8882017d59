"""The server: an address, a token where others can reach it, and the loop."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import secrets
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import uvicorn

from sanlab.errors import SanlabError
from sanlab.server.app import create_app
from sanlab.server.guard import LOOPBACK, Limits
from sanlab.server.slow import PatientProtocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sanlab.server.services import Services

#: Most connections at once; a request beyond gets 503.
MAX_CONNECTIONS = 256
#: How long a connection may be idle between two requests, in seconds.
IDLE_S = 10
#: How long requests may take to end when the server does, in seconds.
GRACE_S = 3
#: Connections that wait to be accepted.
BACKLOG = 512
#: Hosts that stand for every address of the machine.
EVERY = ("", "0.0.0.0", "::")
#: Shortest token that is accepted.
MIN_TOKEN = 16


@dataclass(frozen=True)
class Address:
    """Where the server listens.

    Attributes
    ----------
    port
        0 is any free one.
    token
        What requests must have; None needs none.
    public
        Origin under which a proxy shows the page, `https://san.example`; None without one.
    """

    host: str
    port: int
    token: str | None
    public: str | None = None

    @property
    def shown_host(self) -> str:
        """The host as it stands in an address."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def opened_host(self) -> str:
        """The host of the address to open: every address of a machine is reached by its name."""
        if self.host not in EVERY:
            return self.shown_host
        name = socket.gethostname().lower()
        try:
            socket.getaddrinfo(name, None)
        except OSError:  # nothing knows the name, not even this machine
            return "localhost"
        return name


def read_token(path: Path) -> str:
    """Return the token of a file.

    Raises
    ------
    SanlabError
        The file cannot be read, or the token is short or has spaces.
    """
    advice = "Write one with: openssl rand -hex 24"
    try:
        if path.exists() and not path.is_file():
            reason = f"{path} is not a file, so it has no token. {advice}"
            raise SanlabError(reason)
        token = path.read_bytes().decode("ascii").strip()
    except OSError as error:
        reason = f"{path} cannot be read as a token: {error.strerror}. {advice}"
        raise SanlabError(reason) from None
    except UnicodeDecodeError:
        reason = f"{path} is not text, so it has no token. {advice}"
        raise SanlabError(reason) from None
    if len(token) < MIN_TOKEN or not all(letter.isalnum() or letter in "-_" for letter in token):
        reason = f"{path}: a token has {MIN_TOKEN} letters, digits, '-' or '_' at least. {advice}"
        raise SanlabError(reason)
    return token


def address_of(host: str, port: int, token: str | None, public_url: str | None = None) -> Address:
    """Return where to listen; where others reach the server, a missing token is made."""
    public = None if public_url is None else origin_of(public_url)
    if token is None and (public is not None or not is_loopback(host)):
        token = secrets.token_urlsafe(24)
    return Address(host, port, token, public)


def origin_of(url: str) -> str:
    """Return the origin of an address, as browsers write it.

    >>> origin_of("https://SAN.example:443/"), origin_of("http://[2001:db8::1]:8080")
    ('https://san.example', 'http://[2001:db8::1]:8080')

    Raises
    ------
    SanlabError
        It is no address of a whole server.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    usual = {"http": 80, "https": 443}
    is_whole = parts.path in ("", "/") and not (parts.query or parts.fragment or "@" in url)
    if parts.scheme not in usual or not parts.hostname or not is_whole or not url.isascii():
        reason = f"--public-url {url} is not the address of a server. Write it as https://NAME"
        raise SanlabError(reason)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    end = "" if port in (None, usual[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{end}"


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bind(address: Address) -> socket.socket:
    """Return a socket that listens.

    Raises
    ------
    SanlabError
        The address is in use, or is not of this machine.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        listener.listen(BACKLOG)  # who connects before the loop begins waits for it
    except OSError as error:
        listener.close()
        reason = (
            f"Cannot listen on {address.shown_host}:{address.port}: {error.strerror or error}."
            " Choose another --port, or --host of this machine"
        )
        raise SanlabError(reason) from None
    return listener


def hosts_of(address: Address) -> tuple[str, ...]:
    """Return the names of this server that a Host header may have."""
    names = [*LOOPBACK, address.host]
    if address.token is not None and not is_loopback(address.host):
        names += [socket.gethostname().lower(), socket.getfqdn().lower()]
    if address.public is not None:
        names.append(urlsplit(address.public).hostname or "")
    return tuple(dict.fromkeys(names))


class _Server(uvicorn.Server):
    """Ends streams of events first: they would go on as long as their jobs."""

    def __init__(self, config: uvicorn.Config, shared: Services) -> None:
        super().__init__(config)
        self._services = shared

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; a client that does not take its answer in time is left without a word."""
        self._services.is_ending = True
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def serve(
    workspace: Path, address: Address, *, on_ready: Callable[[str], None] | None = None
) -> None:
    """Serve a workspace until Ctrl-C or SIGTERM; runs that go on then keep what they have.

    Parameters
    ----------
    on_ready
        Called with the address to open, with its token.
    """
    listener = bind(address)
    port = listener.getsockname()[1]
    app = create_app(workspace, Limits(address.token, hosts_of(address), public=address.public))
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=32 * 1024,
        proxy_headers=False,
    )
    if on_ready is not None:
        query = "" if address.token is None else f"?token={address.token}"
        on_ready(f"{address.public or f'http://{address.opened_host}:{port}'}/{query}")
    with contextlib.suppress(KeyboardInterrupt):  # raised again when everything has ended
        _Server(config, app.state.services).run(sockets=[listener])

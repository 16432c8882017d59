"""What comes before every route: hosts, origins, tokens, sizes, times, headers of security."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response

from sanlab.server.refusal import error_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Largest bodies of requests, in bytes: a scenario as JSON, and files to import.
MAX_BODY = 34 * 2**20
MAX_IMPORT = 130 * 2**20
IMPORTS = "/api/import/"
#: How long a body may take to arrive, in seconds.
BODY_S = 30.0
#: Longest path with its query.
MAX_TARGET = 8000
#: Longest headers together.
MAX_HEADERS = 32 * 1024
COOKIE = "sanlab_token"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
#: Names of this machine for itself.
LOOPBACK = ("localhost", "127.0.0.1", "::1")

#: The page is of one origin; styles in the page come from the editor and the plots.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
    " blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; worker-src 'self' blob:;"
    " manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
#: Browsers heed this one over TLS and on loopback, and complain about it elsewhere.
ISOLATION = {"Cross-Origin-Opener-Policy": "same-origin"}


@dataclass(frozen=True)
class Limits:
    """Which requests are served.

    Attributes
    ----------
    token
        Every request must have it; None on loopback.
    hosts
        Names in the Host header that are accepted, besides addresses where a token is needed.
    body_s
        How long a body may take to arrive.
    public
        Origin under which a proxy shows the page, `https://san.example`; None without one.
    """

    token: str | None = None
    hosts: tuple[str, ...] = LOOPBACK
    body_s: float = BODY_S
    public: str | None = None


class Refused(Exception):  # noqa: N818  an answer, not a fault
    """A request that ends here."""

    def __init__(self, status: int, message: str, remedy: str) -> None:
        super().__init__(message)
        self.answer = error_response(status, {"message": message, "remedy": remedy})
        # What is left of the body is not read.
        self.answer.headers["Connection"] = "close"


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on with its body read."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets
        headers = Headers(scope=scope)
        send = _with_headers(send, HEADERS | (ISOLATION if self._is_trusted(headers) else {}))
        try:
            self._check_host(headers)
            _check_origin(scope, headers, self._limits.public)
            answer = self._signed_in(scope) or self._check_token(headers)
            if answer is not None:
                await answer(scope, receive, send)
                return
            body = await self._body(scope, headers, receive)
        except Refused as refused:
            await refused.answer(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    def _is_trusted(self, headers: Headers) -> bool:
        """Say whether a browser takes the connection for a safe one."""
        name = _host_name(headers.get("host", ""))
        public = urlsplit(self._limits.public or "")
        return name in LOOPBACK or (public.scheme == "https" and name == public.hostname)

    def _check_host(self, headers: Headers) -> None:
        """Refuse names that are not of this server: another site's may lead here (rebinding)."""
        name = _host_name(headers.get("host", ""))
        is_known = name in self._limits.hosts
        if not is_known and self._limits.token is not None:
            is_known = _is_address(name)
        if not is_known:
            message = "The Host header names another server"
            raise Refused(421, message, "Open the address that sanlab serve printed")

    def _signed_in(self, scope: Scope) -> Response | None:
        """Return the answer to `/?token=`: a cookie, and the page without the token."""
        if self._limits.token is None or scope["path"] != "/":
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not given or not self._is_token(given):
            return None
        answer = RedirectResponse("/", 303)
        public = urlsplit(self._limits.public or "")
        name = _host_name(Headers(scope=scope).get("host", ""))
        answer.set_cookie(
            COOKIE,
            given,
            path="/",
            httponly=True,
            samesite="strict",
            secure=public.scheme == "https" and name == public.hostname,
        )
        return answer

    def _check_token(self, headers: Headers) -> Response | None:
        if self._limits.token is None:
            return None
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer if scheme.lower() == "bearer" else _cookie(headers)
        if self._is_token(given):
            return None
        message = "The token is missing or wrong"
        raise Refused(401, message, "Open the address that sanlab serve printed, with its token")

    def _is_token(self, given: str) -> bool:
        """Compare in a time that does not depend on the contents."""
        token = self._limits.token or ""
        return secrets.compare_digest(given.encode(), token.encode())

    async def _body(self, scope: Scope, headers: Headers, receive: Receive) -> bytes:
        """Read the body, as long as it is small and quick enough."""
        most = MAX_IMPORT if scope["path"].startswith(IMPORTS) else MAX_BODY
        if scope["method"] in SAFE_METHODS:
            most = 0
        _check_sizes(scope, headers, most)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.body_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "The request is incomplete", "Send it again")
                    part = message.get("body", b"")
                    size += len(part)
                    if size > most:
                        raise _too_large(most)
                    parts.append(part)
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise Refused(408, "The request took too long to arrive", "Send it again") from None


def _check_sizes(scope: Scope, headers: Headers, most: int) -> None:
    """Refuse what its head says to be too large."""
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_TARGET:
        raise Refused(414, "The address is too long", "Shorten it")
    if sum(len(name) + len(value) for name, value in headers.raw) > MAX_HEADERS:
        raise Refused(431, "The headers are too long", "Shorten them")
    length = headers.get("content-length", "0")
    if "content-length" in headers and "transfer-encoding" in headers:
        raise Refused(400, "The request has two lengths", "Send one of them")
    is_length = length.isascii() and length.isdecimal() and len(length) < 16
    if not is_length or int(length) > most:
        raise _too_large(most)


def _check_origin(scope: Scope, headers: Headers, public: str | None) -> None:
    """Refuse requests that another site made; programs other than browsers send neither header."""
    site = headers.get("sec-fetch-site", "none")
    is_api = scope["path"].startswith("/api/")
    is_safe = scope["method"] in SAFE_METHODS
    if site not in ("same-origin", "none") and (is_api or not is_safe):
        raise _foreign()
    origin = headers.get("origin")
    if origin is not None and not is_safe and origin != public:
        parts = urlsplit(origin)
        if (
            parts.scheme not in ("http", "https")
            or parts.netloc.lower() != headers.get("host", "").lower()
        ):
            raise _foreign()


def _foreign() -> Refused:
    return Refused(403, "Another site made the request", "Use the page of this server")


def _too_large(most: int) -> Refused:
    return Refused(413, f"The body is larger than {most} bytes", "Send less at once")


def _host_name(host: str) -> str:
    """Return the name of a Host header without its port.

    >>> _host_name("[::1]:8717"), _host_name("LocalHost:80"), _host_name("a.b")
    ('::1', 'localhost', 'a.b')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _cookie(headers: Headers) -> str:
    cookies = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    found = cookies.get(COOKIE)
    return "" if found is None else found.value


def _with_headers(send: Send, added: dict[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", POLICY)
            for name, value in added.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a source that gives the body once, then what comes after it."""
    is_sent = False

    async def replay() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        message: dict[str, Any] = {"type": "http.request", "body": body, "more_body": False}
        return message

    return replay

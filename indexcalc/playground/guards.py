"""Who may ask: pages of this server on this machine, and nobody else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine that a browser may use."""


def hosts(port: int) -> frozenset[str]:
    """What the header Host may say."""
    return frozenset(f"{name}:{port}" for name in LOOPBACK)


def security_headers(script: str) -> tuple[tuple[bytes, bytes], ...]:
    """Headers of every answer: nothing from elsewhere is loaded, framed or asked.

    Args:
        script: the hash of the one script that stands in a page itself, that of the notes.
    """
    policy = (
        f"default-src 'none'; script-src 'self' '{script}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return (
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-resource-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
        (b"cache-control", b"no-store"),
    )


class Guard:
    """An application that answers only to pages of its own: it looks at Host, Origin and Sec-Fetch-Site.

    Another site may lead its name to this machine; then Host is wrong. It may let a browser send a request here; then
    Origin is wrong.
    """

    def __init__(self, app: App, names: Collection[str], headers: Collection[tuple[bytes, bytes]]) -> None:
        self.app = app
        self.names = names
        self.headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *self.headers]
            await send(message)

        reason = self.refused(scope)
        if not reason:
            await self.app(scope, receive, sending)
            return
        head = [(b"content-type", b"text/plain; charset=utf-8")]
        await sending({"type": "http.response.start", "status": 403, "headers": head})
        await send({"type": "http.response.body", "body": reason.encode()})

    def refused(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        given: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        host, origin, site = given.get("host", []), given.get("origin", []), given.get("sec-fetch-site", [])
        if len(host) != 1 or host[0] not in self.names:
            return "this server answers to the name of this machine only"
        if origin and origin != [f"http://{host[0]}"]:
            return "this server answers to its own pages only"
        if scope["method"] not in ("GET", "HEAD") and not origin:
            return "a request that asks for work says where it comes from (Origin)"
        # A link from elsewhere may open the page, but nothing else.
        opens = scope["path"] == "/" and scope["method"] == "GET"
        if site and site[0] not in ("same-origin", "none") and not opens:
            return "this server answers to its own pages only"
        return ""

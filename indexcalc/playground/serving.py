"""The server on the loopback address, until it is interrupted."""

from __future__ import annotations

import socket

import uvicorn

from indexcalc.errors import IndexCalcError
from indexcalc.playground.application import application

ADDRESS = "127.0.0.1"


class PortError(IndexCalcError):
    """A port that cannot be had."""


def bound_socket(port: int) -> socket.socket:
    """A socket on a port of this machine, which no other machine reaches; 0 takes a free one.

    Raises:
        PortError: if the port is taken.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((ADDRESS, port))
        found.listen(128)
    except OSError as error:
        found.close()
        raise PortError(f"port {port} cannot be used: {error.strerror}; give another one, or --port 0") from error
    return found


def serve(listening: socket.socket) -> None:
    """Answer on a socket until interrupted."""
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        application(port),
        log_level="warning",
        access_log=False,
        ws="none",
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listening])

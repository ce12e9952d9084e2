"""A process with the engine imported, which makes a copy of itself for each request.

A copy begins at once, works on one request, and can be stopped at any moment: nothing is left of it. It takes its
request from a socket that the server sends over the control socket, answers there, and ends.

What there is to answer, a module of the server says: `answers(request)` are the answers to a request, and
`rehearsals()` the requests that are worked out once before any other, so that tables and caches are there for all.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module

from indexcalc.errors import IndexCalcError
from indexcalc.workers.frames import HEAD, Message, framed, length, message_of

LATER = 10
"""How much less urgent (`nice`) what follows the first answer is."""

Answering = Callable[[Message], Iterator[Message]]
"""The answers to a request, each as soon as it is there."""


def main() -> None:
    """Fork for each socket that comes over the control socket, until it closes.

    The arguments are the module that answers, and the number of the control socket.
    """
    answering = import_module(sys.argv[1])
    control = socket.socket(fileno=int(sys.argv[2]))
    for request in answering.rehearsals():
        for _ in answering.answers(request):
            pass
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, received, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        for number in received:
            if os.fork() == 0:
                control.close()
                work(socket.socket(fileno=number), answering.answers)
                os._exit(0)
            os.close(number)


def work(server: socket.socket, answers: Answering) -> None:
    """Answer one request; the first message says which process this is."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with suppress(OSError):
        server.sendall(framed({"kind": "process", "id": os.getpid()}))
        asked = message_of(received_from(server))
        bound(asked["seconds"], asked["memory"])
        for number, answer in enumerate(guarded(asked["job"], answers)):
            server.sendall(framed(answer))
            if number == 0:
                # Somebody now looks at the first answer, and waits for it to be drawn; the rest has time.
                os.nice(LATER)
        server.sendall(framed({"kind": "done"}))


def received_from(server: socket.socket) -> bytes:
    """One message.

    Raises:
        OSError: if the server has gone.
    """
    with server.makefile("rb") as stream:
        head = stream.read(HEAD)
        text = stream.read(length(head))
    if len(head) < HEAD or len(text) < length(head):
        raise ConnectionError("the server has gone")
    return text


def bound(seconds: float, memory: int) -> None:
    """Let the system stop what takes too long or too much, whatever becomes of the server."""
    limit_to(resource.RLIMIT_CPU, int(seconds) + 1)
    limit_to(resource.RLIMIT_CORE, 0)
    with suppress(OSError, ValueError):
        limit_to(resource.RLIMIT_AS, address_space() + memory)


def limit_to(what: int, most: int) -> None:
    """Set a limit, or keep one that is lower."""
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def address_space() -> int:
    """Bytes of addresses that this process has.

    Raises:
        OSError: if the system does not tell.
    """
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[0]) * resource.getpagesize()


def guarded(request: Message, answers: Answering) -> Iterator[Message]:
    """The same, with mistakes as messages that have their place; our own are told from the user's."""
    try:
        yield from answers(request)
    except IndexCalcError as error:
        yield mistake(error)
    except RecursionError:
        yield {"kind": "error", "message": "this is nested too deeply; name its parts with equations of their own"}
    except MemoryError:
        yield {"kind": "error", "message": "this takes more memory than a request may; make it smaller"}
    except Exception as error:
        traceback.print_exc()
        yield {"kind": "error", "message": f"a mistake of indexcalc, not of yours: {type(error).__name__}: {error}"}


def mistake(error: IndexCalcError) -> Message:
    """A user's mistake with its place; line and column begin with 1."""
    place = error.place
    found: Message = {"kind": "error", "message": error.message}
    if place is not None:
        found["place"] = {"file": place.file, "line": place.line, "column": place.column}
    return found


if __name__ == "__main__":
    main()

"""A process with the engine imported, which makes a copy of itself for each request.

A copy begins at once, works on one request, and can be stopped at any moment: nothing is left of it. It takes its
request from a socket that the server sends over the control socket, answers there, and ends.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress

from indexcalc.errors import IndexCalcError
from indexcalc.library import shipped_paths
from indexcalc.playground.checks import judged
from indexcalc.playground.deriving import derived, note_file
from indexcalc.playground.frames import HEAD, Message, framed, length, message_of
from indexcalc.playground.requests import Check, Derive, Job, NoteFile, from_json

WARM = "attention"
"""The derivation that is worked out once before any request: its tables and caches are then there for all."""


LATER = 10
"""How much less urgent (`nice`) what follows a note is."""


def main() -> None:
    """Fork for each socket that comes over the control socket, whose number is the first argument, until it closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    warm_up()
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
                work(socket.socket(fileno=number))
                os._exit(0)
            os.close(number)


def warm_up() -> None:
    """Work out one derivation and check one relation; a request is then not the first of anything."""
    for job in (
        Derive(shipped_paths()[WARM].read_text(encoding="utf-8")),
        Check(
            r"$$y_i = \sum_j W_{ij} x_j, \quad \frac{\partial L}{\partial x_j} = "
            r"\sum_i W_{ij} \frac{\partial L}{\partial y_i}$$"
        ),
    ):
        for _ in answers(job):
            pass


def work(server: socket.socket) -> None:
    """Answer one request; the first message says which process this is."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with suppress(OSError):
        server.sendall(framed({"kind": "process", "id": os.getpid()}))
        asked = message_of(received_from(server))
        bound(asked["seconds"], asked["memory"])
        for answer in guarded(from_json(asked["job"])):
            server.sendall(framed(answer))
            if answer["kind"] == "note":
                # The browser now draws the note, which somebody waits for; the rest has time.
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


def answers(job: Job) -> Iterator[Message]:
    """What is said to a request."""
    match job:
        case Derive():
            return derived(job)
        case NoteFile():
            return note_file(job)
        case Check():
            return judged(job)


def guarded(job: Job) -> Iterator[Message]:
    """The same, with mistakes as messages that have their place; our own are told from the user's."""
    try:
        yield from answers(job)
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

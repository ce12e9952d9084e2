"""Requests at work: each in a process of its own, which is stopped when time is up or nobody waits for it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from indexcalc.errors import LimitError
from indexcalc.workers.frames import HEAD, Message, framed, length, message_of
from indexcalc.workers.limits import EVENT_LIMIT, Limits

REPLACED: Message = {"kind": "replaced"}
DIED: Message = {
    "kind": "error",
    "message": "the process that worked on this was stopped by the system; it took too much time or memory",
}


@dataclass
class Run:
    """One request at work.

    Attributes:
        replaced: set when a newer request of the same page has come.
        process: the id of its process while that is known to run.
    """

    replaced: asyncio.Event = field(default_factory=asyncio.Event)
    process: int | None = None

    def stop(self) -> None:
        """Stop its process, if it has one."""
        process, self.process = self.process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


class Workers:
    """Processes for requests: a few at once, the newest of a page only."""

    def __init__(self, answering: str, limits: Limits) -> None:
        """Prepare for requests.

        Args:
            answering: the module that answers them, see `indexcalc.workers.zygote`.
            limits: what they may take.
        """
        self.answering = answering
        self.limits = limits
        self.current: dict[tuple[str, str], Run] = {}
        self.places = asyncio.Semaphore(limits.running)
        self.waiting = 0
        self.zygote: subprocess.Popen[bytes] | None = None
        self.control: socket.socket | None = None

    def start(self) -> None:
        """Start the process that all others are copies of, if it does not run."""
        if self.zygote is not None and self.zygote.poll() is None:
            return
        self.close()
        self.control, theirs = socket.socketpair()
        with theirs:
            self.zygote = subprocess.Popen(
                [sys.executable, "-m", "indexcalc.workers.zygote", self.answering, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={"OMP_NUM_THREADS": "1", **os.environ},
            )

    def close(self) -> None:
        """Stop everything."""
        for run in self.current.values():
            run.stop()
        if self.control is not None:
            self.control.close()
        if self.zygote is not None:
            self.zygote.kill()
            self.zygote.wait()
        self.zygote, self.control = None, None

    async def answers(self, page: str, job: Message) -> AsyncGenerator[Message, None]:
        """What a worker says to a request of a page; an older one of the same page and kind is stopped.

        Args:
            page: who asks.
            job: the request; its `kind` is there for the worker, too.

        Raises:
            LimitError: if too many requests wait.
        """
        key, run = (page, job["kind"]), Run()
        older = self.current.get(key)
        if older is not None:
            older.replaced.set()
            older.stop()
        elif self.waiting >= self.limits.waiting:
            raise LimitError("too much is being worked on; try again when something is done")
        self.current[key] = run
        try:
            async with aclosing(self.placed(run, job)) as answers:
                async for answer in answers:
                    yield answer
        finally:
            run.stop()
            if self.current.get(key) is run:
                del self.current[key]

    async def placed(self, run: Run, job: Message) -> AsyncGenerator[Message, None]:
        """The answers, once there is room to work."""
        self.waiting += 1
        try:
            await self.places.acquire()
        finally:
            self.waiting -= 1
        try:
            if run.replaced.is_set():
                yield REPLACED
                return
            async with asyncio.timeout(self.limits.seconds):
                async with aclosing(self.worked(run, job)) as answers:
                    async for answer in answers:
                        yield answer
        except TimeoutError:
            seconds = f"{self.limits.seconds:g} s"
            yield {"kind": "error", "message": f"this takes more than {seconds}, and was stopped; make it smaller"}
        finally:
            self.places.release()

    async def worked(self, run: Run, job: Message) -> AsyncGenerator[Message, None]:
        """The answers of one process."""
        self.start()
        assert self.control is not None
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self.control, [b"."], [theirs.fileno()])
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            asked = {"seconds": self.limits.seconds, "memory": self.limits.memory, "job": job}
            writer.write(framed(asked))
            while True:
                answer = await received(reader)
                if run.replaced.is_set():
                    yield REPLACED
                    return
                if answer is None:
                    run.process = None
                    yield DIED
                    return
                if answer["kind"] == "process":
                    run.process = answer["id"]
                    continue
                if answer["kind"] == "done":
                    run.process = None
                yield answer
                if answer["kind"] == "done":
                    return
        finally:
            run.stop()
            writer.close()


async def received(reader: asyncio.StreamReader) -> Message | None:
    """The next message; None if the process has ended."""
    try:
        size = length(await reader.readexactly(HEAD))
        return message_of(await reader.readexactly(size)) if size <= EVENT_LIMIT else None
    except (asyncio.IncompleteReadError, ConnectionError):
        return None

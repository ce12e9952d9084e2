"""Work that is stopped: by time, by memory, by a newer request, by whoever no longer waits."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from dataclasses import replace

import pytest

from indexcalc.errors import LimitError
from indexcalc.playground.requests import ANSWERING, Check, Derive, to_json
from indexcalc.workers.limits import Limits
from indexcalc.workers.pool import Workers
from tests.playground.support import SMALL, slow

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")


async def all_of(workers, page, job):
    return [answer async for answer in workers.answers(page, to_json(job))]


def run(test, **limits):
    """Run a coroutine function with workers of these limits."""

    async def whole():
        workers = Workers(ANSWERING, Limits(**limits))
        workers.start()
        try:
            return await test(workers)
        finally:
            workers.close()

    return asyncio.run(whole())


async def started(workers, page):
    """Wait until the request of a page has its process; its id."""
    while True:
        for (name, _), one in workers.current.items():
            if name == page and one.process is not None:
                return one.process
        await asyncio.sleep(0.01)


async def ended(process):
    """Wait until a process is gone."""
    for _ in range(500):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        await asyncio.sleep(0.01)
    return False


def test_a_newer_request_of_a_page_stops_the_older():
    async def test(workers):
        older = asyncio.create_task(all_of(workers, "page", Derive(slow())))
        process = await started(workers, "page")
        newer = await all_of(workers, "page", Derive(SMALL))
        assert await ended(process)
        return await older, newer

    older, newer = run(test)
    assert older[-1] == {"kind": "replaced"}
    assert [one["kind"] for one in newer] == ["note", "code", "cost", "worksheet", "checked", "done"]


def test_another_page_and_another_kind_stop_nothing():
    async def test(workers):
        return await asyncio.gather(
            all_of(workers, "one", Derive(SMALL)),
            all_of(workers, "two", Derive(SMALL)),
            all_of(workers, "one", Check("$$y_i = 2 x_i$$")),
        )

    assert all(answers[-1] == {"kind": "done"} for answers in run(test))


def test_a_waiting_request_is_replaced_without_having_run():
    async def test(workers):
        busy = asyncio.create_task(all_of(workers, "other", Derive(slow())))
        await started(workers, "other")
        waiting = asyncio.create_task(all_of(workers, "page", Derive(slow())))
        await asyncio.sleep(0.05)
        newest = asyncio.create_task(all_of(workers, "page", Derive(SMALL)))
        await asyncio.sleep(0.05)
        busy.cancel()
        return await waiting, await newest

    waiting, newest = run(test, running=1)
    assert waiting == [{"kind": "replaced"}]
    assert newest[-1] == {"kind": "done"}


def test_who_stops_waiting_stops_the_work():
    async def test(workers):
        async with aclosing(workers.answers("page", to_json(Derive(slow())))) as answers:
            assert (await anext(answers))["kind"] == "note"
            process = await started(workers, "page")
        return await ended(process), workers.current

    assert run(test) == (True, {})


def test_what_takes_too_long_is_stopped_and_the_next_request_is_answered():
    async def test(workers):
        usual = workers.limits
        await all_of(workers, "page", Check("$$y_i = 2 x_i$$"))
        # No machine derives, writes and checks so many layers in so little time.
        workers.limits = replace(usual, seconds=0.2)
        long = await all_of(workers, "page", Derive(slow(24)))
        workers.limits = usual
        return long, await all_of(workers, "page", Check("$$y_i = 2 x_i$$"))

    long, after = run(test)
    assert "more than 0.2 s" in long[-1]["message"]
    assert after[-1] == {"kind": "done"}


def test_what_takes_too_much_memory_is_told_so():
    async def test(workers):
        return await all_of(workers, "page", Derive(slow()))

    last = [one for one in run(test, memory=1 << 20) if one["kind"] == "error"]
    assert "memory" in last[0]["message"]


def test_too_many_requests_are_refused():
    async def test(workers):
        busy = asyncio.create_task(all_of(workers, "a", Derive(slow())))
        await started(workers, "a")
        waiting = asyncio.create_task(all_of(workers, "b", Derive(SMALL)))
        await asyncio.sleep(0.05)
        try:
            with pytest.raises(LimitError, match="too much"):
                await all_of(workers, "c", Derive(SMALL))
        finally:
            busy.cancel()
            waiting.cancel()

    run(test, running=1, waiting=1)


def test_a_lost_engine_is_started_again():
    async def test(workers):
        await all_of(workers, "page", Check("$$y_i = 2 x_i$$"))
        workers.zygote.kill()
        workers.zygote.wait()
        return await all_of(workers, "page", Check("$$y_i = 2 x_i$$"))

    assert run(test)[-1] == {"kind": "done"}


def test_nothing_is_left_when_the_server_ends():
    async def test(workers):
        task = asyncio.create_task(all_of(workers, "page", Derive(slow())))
        process = await started(workers, "page")
        zygote = workers.zygote
        workers.close()
        await asyncio.gather(task, return_exceptions=True)
        return await ended(process), zygote.poll() is not None

    assert run(test) == (True, True)

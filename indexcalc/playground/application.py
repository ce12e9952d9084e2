"""The server: the page and its files, the examples, the words of the language, and requests for work."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from indexcalc.errors import IndexCalcError, LimitError
from indexcalc.language.paths import shipped_text
from indexcalc.language.vocabulary import words
from indexcalc.library import shipped
from indexcalc.playground.assets import assets, note_script
from indexcalc.playground.guards import Guard, hosts, security_headers
from indexcalc.playground.limits import BODY_LIMIT
from indexcalc.playground.requests import ANSWERING, KINDS, Job, RequestError, read_body, to_json
from indexcalc.workers.limits import Limits
from indexcalc.workers.pool import Workers


def application(port: int, limits: Limits | None = None) -> Guard:
    """The server as an application (ASGI) that answers on one port of this machine.

    Args:
        port: where it is bound; the header Host must name it.
        limits: what requests may take.
    """
    workers = Workers(ANSWERING, limits or Limits())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        workers.start()
        try:
            yield
        finally:
            workers.close()

    async def work(request: Request) -> Response:
        return await worked(request, workers)

    routes = [
        Route("/", page),
        Route("/assets/{name}", asset),
        Route("/api/examples", examples),
        Route("/api/examples/{name}", example),
        Route("/api/words", vocabulary),
        Route("/api/{kind}", work, methods=["POST"]),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), hosts(port), security_headers(note_script()))


async def page(_: Request) -> Response:
    """The page."""
    return file_response("index.html")


async def asset(request: Request) -> Response:
    """A file of the page."""
    return file_response(request.path_params["name"])


def file_response(name: str) -> Response:
    """A file that comes with the package."""
    if name not in assets():
        return failed(404, "there is no such file")
    content, kind = assets()[name]
    return Response(content, headers={"content-type": kind})


async def examples(_: Request) -> Response:
    """The names and titles of the shipped derivations."""
    return JSONResponse([{"name": one.name, "title": one.title} for one in shipped()])


async def example(request: Request) -> Response:
    """The spec of one of them."""
    text = shipped_text(request.path_params["name"])
    return failed(404, "there is no such derivation") if text is None else JSONResponse({"text": text})


async def vocabulary(_: Request) -> Response:
    """The words of the language."""
    return JSONResponse(words())


async def worked(request: Request, workers: Workers) -> Response:
    """The answers to a request, one JSON a line, each as soon as it is there."""
    if request.path_params["kind"] not in KINDS:
        return failed(404, "there is nothing of this kind to ask for")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return failed(415, "a request is JSON (Content-Type: application/json)")
    try:
        body = await bounded_body(request)
        asking, job = read_body(request.path_params["kind"], body)
    except LimitError as error:
        return failed(413, error.message)
    except RequestError as error:
        return failed(400, error.message)
    return StreamingResponse(lines(workers, asking, job), media_type="application/x-ndjson")


async def bounded_body(request: Request) -> bytes:
    """The body of a request, read no further than it may be long.

    Raises:
        LimitError: if it is longer.
    """
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > BODY_LIMIT:
            raise LimitError(f"a request has at most {BODY_LIMIT} bytes; check a long document in parts")
    return bytes(found)


async def lines(workers: Workers, asking: str, job: Job) -> AsyncIterator[bytes]:
    """Each answer as a line of JSON; whoever stops listening stops the work."""
    try:
        async with aclosing(workers.answers(asking, to_json(job))) as answers:
            async for answer in answers:
                yield line(answer)
    except IndexCalcError as error:
        yield line({"kind": "error", "message": error.message})


def line(answer: dict[str, Any]) -> bytes:
    """One line."""
    return json.dumps(answer, ensure_ascii=False).encode() + b"\n"


def failed(status: int, message: str) -> Response:
    """A request that is refused, with the reason."""
    return JSONResponse({"kind": "error", "message": message}, status_code=status)

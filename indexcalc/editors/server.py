"""The language server: what an editor asks, answered over standard input and output.

Only this module and `features` know the protocol. What takes long is asked of workers, so that the server answers at
once; a change of a document stops the work for its older version.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from indexcalc.editors.findings import Finding, findings
from indexcalc.editors.hover import Known
from indexcalc.editors.opened import Opened
from indexcalc.editors.positions import Positions
from indexcalc.errors import IndexCalcError
from indexcalc.workers.limits import Limits
from indexcalc.workers.pool import Workers

ANSWERING = "indexcalc.editors.answering"
"""The module that workers ask."""

LIMITS = Limits(seconds=60.0, memory=1 << 30, running=2, waiting=16)
"""What the work for one version of a document may take."""

PAUSE = 0.15
"""Seconds without typing after which a text is read."""

SOURCE = "indexcalc"

SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


class Server(LanguageServer):
    """The documents that are open, and the workers."""

    def __init__(self, version: str, limits: Limits = LIMITS) -> None:
        super().__init__("indexcalc", version)
        self.workers = Workers(ANSWERING, limits)
        self.opened: dict[str, Opened] = {}

    def refresh(self, uri: str) -> None:
        """Ask the engine about the present version of a document, and no longer about an older one."""
        document = self.workspace.get_text_document(uri)
        path = uris.to_fs_path(uri) or uri
        text = Positions(document.source, self.workspace.position_encoding or types.PositionEncodingKind.Utf16)
        opened = Opened(path, document.language_id or "", document.version, text)
        older = self.opened.pop(uri, None)
        if older is not None:
            older.stop()
            # Until there is more to say, the gradients of the older version are better than none.
            opened.known = Known(older.known.tensors, older.known.gradients)
        self.opened[uri] = opened
        if opened.ending:
            opened.task = asyncio.create_task(self.ask(uri, opened))
        else:
            opened.told.set()

    def close(self, uri: str) -> None:
        """Stop the work for a document, and take back what was said of it."""
        opened = self.opened.pop(uri, None)
        if opened is not None:
            opened.stop()
            self.publish(uri, None, [])

    async def ask(self, uri: str, opened: Opened) -> None:
        """Ask the engine, and tell each answer as soon as it is there."""
        await asyncio.sleep(PAUSE)
        try:
            async with aclosing(self.workers.answers(uri, opened.request)) as answers:
                async for answer in answers:
                    self.take(uri, opened, answer)
        except IndexCalcError as error:
            self.take(uri, opened, {"kind": "error", "message": error.message})
        opened.known.derived = True
        opened.told.set()

    def take(self, uri: str, opened: Opened, answer: dict[str, object]) -> None:
        """Keep an answer, and say what is wrong."""
        match answer:
            case {"kind": "read", "tensors": dict(tensors)}:
                opened.known = Known(tensors, opened.known.gradients)
            case {"kind": "derived", "gradients": dict(gradients)}:
                opened.known = Known(opened.known.tensors, gradients, derived=True)
        opened.findings += findings(answer, opened.text, opened.request["file"])
        self.publish(uri, opened.version, [diagnostic(one, opened.text) for one in opened.findings])

    def publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        """Say what is wrong in a document."""
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))


def diagnostic(finding: Finding, text: Positions) -> types.Diagnostic:
    """A finding as the protocol has it."""
    return types.Diagnostic(
        range_of(text, finding.start, finding.end), finding.message, SEVERITIES[finding.severity], source=SOURCE
    )


def range_of(text: Positions, start: int, end: int) -> types.Range:
    """Two offsets as the protocol counts them."""
    return types.Range(types.Position(*text.position(start)), types.Position(*text.position(end)))


def serve(version: str) -> None:
    """Answer over standard input and output until the editor ends."""
    # Features add themselves to a server.
    from indexcalc.editors.features import add_features  # noqa: PLC0415

    server = Server(version)
    add_features(server)
    try:
        server.start_io(sys.stdin.buffer, sys.stdout.buffer)
    finally:
        server.workers.close()

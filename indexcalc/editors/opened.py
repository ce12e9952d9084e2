"""One document that is open in an editor: its text, what is known of it, and the work that goes on for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from indexcalc.editors.findings import Finding
from indexcalc.editors.hover import Known
from indexcalc.editors.names import SpecNames
from indexcalc.editors.positions import Positions
from indexcalc.language.paths import SUFFIX

DOCUMENTS = {".md": ".md", ".markdown": ".md", ".tex": ".tex", ".latex": ".tex", ".html": ".html", ".htm": ".html"}
"""The endings of documents whose relations are checked, and as what they are read."""

LANGUAGES = {"indexcalc": SUFFIX, "ixc": SUFFIX, "markdown": ".md", "latex": ".tex", "tex": ".tex", "html": ".html"}
"""What editors call the languages of texts whose names say nothing."""


@dataclass
class Opened:
    """One version of a document.

    Attributes:
        path: its file name.
        language: what the editor calls its language.
        version: the editor's number of this version.
        text: the text with its lines.
        known: what the engine said of its names so far.
        findings: what is wrong in it, as far as is known.
        task: what asks the engine.
        told: set when all is known that will be.
    """

    path: str
    language: str
    version: int | None
    text: Positions
    known: Known = field(default_factory=Known)
    findings: list[Finding] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    told: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def ending(self) -> str:
        """The ending that says how the text is read; empty if it is neither a spec nor a document."""
        suffix = PurePosixPath(self.path).suffix.lower()
        return SUFFIX if suffix == SUFFIX else DOCUMENTS.get(suffix) or LANGUAGES.get(self.language, "")

    @property
    def is_spec(self) -> bool:
        """Whether it is a spec."""
        return self.ending == SUFFIX

    @cached_property
    def names(self) -> SpecNames:
        """The names of a spec."""
        return SpecNames(self.text.text if self.is_spec else "")

    @property
    def request(self) -> dict[str, str]:
        """What the engine is asked."""
        kind = "spec" if self.is_spec else "document"
        stem = PurePosixPath(self.path).stem
        file = self.path if self.is_spec else f"{stem}{self.ending}"
        return {"kind": kind, "text": self.text.text, "file": file}

    def stop(self) -> None:
        """Stop the work for this version."""
        if self.task is not None:
            self.task.cancel()

"""The pytest plugin: ``pytest --indexcalc docs/*.md`` runs one test for each relation of a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexcalc.proof.document.check import check
from indexcalc.proof.document.verdicts import Claim, Verdict

SUFFIXES = frozenset({".md", ".tex", ".html", ".htm"})
"""The files that are collected, if they are named on the command line or lie in a folder that is."""


def pytest_addoption(parser: Any) -> None:
    """Add ``--indexcalc``."""
    group = parser.getgroup("indexcalc")
    group.addoption("--indexcalc", action="store_true", help="check the derivations in Markdown, LaTeX and HTML files")


def pytest_collect_file(file_path: Path, parent: Any) -> Any:
    """A document as a file of tests, if the option is given."""
    if not parent.config.getoption("--indexcalc") or file_path.suffix not in SUFFIXES:
        return None
    return classes()[0].from_parent(parent, path=file_path)


def classes() -> tuple[Any, Any]:
    """The collector and its tests; made when pytest is there."""
    from importlib import import_module  # noqa: PLC0415

    pytest = import_module("pytest")

    class Relation(pytest.Item):  # type: ignore[name-defined,misc]
        """One relation of a document."""

        claim: Claim

        def runtest(self) -> None:
            """Fail if the relation is refuted; skip it if it is not understood."""
            if self.claim.verdict is Verdict.UNCLEAR:
                pytest.skip(f"not understood: {self.claim.reason}")
            if self.claim.verdict is Verdict.REFUTED:
                pytest.fail(f"{self.claim.latex}\n{self.claim.reason}\n{self.claim.counterexample}", pytrace=False)

        def reportinfo(self) -> tuple[Path, int, str]:
            """The place of the relation."""
            return self.path, self.claim.line - 1, self.name

    class Derivations(pytest.File):  # type: ignore[name-defined,misc]
        """A document."""

        def collect(self) -> Iterator[Any]:
            """One test a relation."""
            report = check(self.path.read_text(encoding="utf-8"), self.path.name)
            for claim in report.claims:
                item = Relation.from_parent(self, name=f"line {claim.line}, column {claim.column}")
                item.claim = claim
                yield item

    return Derivations, Relation

"""Documents as tests of pytest: one test for each relation. Only a running pytest imports this module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexcalc.document.check import check
from indexcalc.document.formats import correct
from indexcalc.document.report import OPEN, Claim, Verdict
from indexcalc.errors import IndexCalcError


class Relation(pytest.Item):
    """One relation of a document."""

    claim: Claim

    def runtest(self) -> None:
        """Fail if the relation is refuted; skip it if it is not judged."""
        if self.claim.verdict in OPEN:
            pytest.skip(f"{self.claim.verdict}: {self.claim.reason}")
        if self.claim.verdict is Verdict.REFUTED:
            said = (self.claim.latex, self.claim.reason, self.claim.counterexample, correct(self.claim))
            pytest.fail("\n".join(part for part in said if part), pytrace=False)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the relation."""
        return self.path, self.claim.line - 1, f"{self.path.name}, {self.name}"


class Derivations(pytest.File):
    """A document."""

    def collect(self) -> Iterator[Any]:
        """One test a relation.

        Raises:
            CollectError: if the document cannot be read, or is too large.
        """
        try:
            report = check(self.path.read_text(encoding="utf-8"), self.path.name)
        except UnicodeDecodeError as error:
            raise self.CollectError(f"cannot read {self.path}: it is not UTF-8 text") from error
        except IndexCalcError as error:
            raise self.CollectError(str(error)) from error
        for claim in report.claims:
            item = Relation.from_parent(self, name=f"line {claim.line}, column {claim.column}")
            item.claim = claim
            yield item

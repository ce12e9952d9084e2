"""Documents as tests of pytest: one test for each relation. Only a running pytest imports this module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexcalc.proof.document.check import check
from indexcalc.proof.document.verdicts import Claim, Verdict


class Relation(pytest.Item):
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


class Derivations(pytest.File):
    """A document."""

    def collect(self) -> Iterator[Any]:
        """One test a relation."""
        report = check(self.path.read_text(encoding="utf-8"), self.path.name)
        for claim in report.claims:
            item = Relation.from_parent(self, name=f"line {claim.line}, column {claim.column}")
            item.claim = claim
            yield item

"""The project's own pages, checked as it checks those of others."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check
from tests.support.pages import PAGES, ROOT

SHORTENED = {"README.md": "a row of its table has gradients alone; the forward passes are in the gallery"}
"""Pages that say less than a check needs, and why: there, nothing is refuted."""

NOTES = sorted((ROOT / "derivations").glob("*/*.md"))[::8]
"""Some of the notes; all of them are checked where they are broken, too."""


@pytest.mark.parametrize("path", [*PAGES, *NOTES], ids=lambda path: path.name)
def test_nothing_in_it_is_wrong_or_unreadable(path):
    report = check(path.read_text(encoding="utf-8"), path.name)
    assert not report.refuted
    if path.name not in SHORTENED:
        assert not report.unclear

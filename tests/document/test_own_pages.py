"""The project's own pages, checked as it checks those of others."""

from __future__ import annotations

import pytest

from indexcalc.document import check
from tests.support.pages import PAGES, ROOT

NOTES = sorted((ROOT / "derivations").glob("*/*.md"))[::8]
"""Some of the notes; all of them are checked where they are broken, too."""


@pytest.mark.parametrize("path", [*PAGES, *NOTES], ids=lambda path: path.name)
def test_nothing_in_it_is_wrong_and_nearly_everything_is_read(path):
    report = check(path.read_text(encoding="utf-8"), path.name)
    assert not report.refuted
    assert len(report.unclear) <= (1 - READ) * len(report.claims), report.unclear


READ = 0.94
"""How much of a page is read: two sides that are both zero say nothing, for example."""

CONFIRMED = ("focal_loss", "huber", "tsne")
"""The rows that the check confirms by numbers alone: powers with symbols, clipped values, a symmetry that follows."""


def test_every_gradient_in_the_readme_is_proved():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("| [`")]
    found = [claim for claim in check(text, "README.md").claims if claim.line in rows]
    assert {claim.line for claim in found} == set(rows)
    lines = text.splitlines()
    for claim in found:
        confirmed = lines[claim.line - 1].startswith(tuple(f"| [`{name}`]" for name in CONFIRMED))
        assert str(claim.verdict) in ({"proved", "confirmed"} if confirmed else {"proved"}), claim


def test_a_broken_gradient_in_the_readme_is_refuted_at_its_row():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("| [`layer_norm`]"))
    broken = text.replace(line, line.replace(r"- s_{n} \, \mathrm{xh}", r"+ s_{n} \, \mathrm{xh}"))
    report = check(broken, "README.md")
    assert [claim.line for claim in report.refuted] == [1 + text[: text.index(line)].count("\n")]
    assert report.refuted[0].correction

"""The gallery page and the gallery of the README are what the engine derives."""

from __future__ import annotations

import pytest

from tests.support.gallery_page import END, START, every_derivation, gallery_page, gallery_table
from tests.support.pages import ROOT


@pytest.fixture(scope="module")
def derivations():
    return every_derivation()


def test_the_gallery_page_is_generated(golden, derivations):
    golden(ROOT / "docs" / "gallery.md", gallery_page(derivations))


def test_the_gallery_of_the_readme_is_generated(golden, derivations):
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    golden(readme, f"{before}{START}\n{gallery_table(derivations)}\n{END}{after}")

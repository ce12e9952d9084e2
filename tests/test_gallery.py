"""The gallery page is what the engine derives."""

from __future__ import annotations

import pytest

from tests.support.gallery_page import every_derivation, gallery_page
from tests.support.pages import ROOT


@pytest.fixture(scope="module")
def derivations():
    return every_derivation()


def test_the_gallery_page_is_generated(golden, derivations):
    golden(ROOT / "docs" / "gallery.md", gallery_page(derivations))

"""Colours of indices can be read on both papers and are told apart."""

from __future__ import annotations

import colorsys

import pytest

from indexcalc.notes.colours import CONTRAST, DARK, LIGHT, Rgb, colour, contrast

MANY = 40


def parts(text: str) -> Rgb:
    red, green, blue = (int(text[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


def test_contrast_is_that_of_wcag() -> None:
    assert contrast((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)) == pytest.approx(21.0)
    # The grey that WCAG's own material gives as the lightest that passes on white.
    assert contrast(parts("#767676"), LIGHT) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("paper", [LIGHT, DARK])
def test_every_colour_can_be_read(paper: Rgb) -> None:
    for number in range(MANY):
        assert contrast(parts(colour(number, paper)), paper) >= CONTRAST


@pytest.mark.parametrize("paper", [LIGHT, DARK])
def test_the_first_eight_hues_are_apart(paper: Rgb) -> None:
    hues = sorted(colorsys.rgb_to_hls(*parts(colour(number, paper)))[0] for number in range(8))
    gaps = [(after - before) % 1 for before, after in zip(hues, [*hues[1:], hues[0]], strict=True)]
    assert min(gaps) > 0.05


def test_no_two_indices_have_one_colour() -> None:
    for paper in (LIGHT, DARK):
        assert len({colour(number, paper) for number in range(MANY)}) == MANY

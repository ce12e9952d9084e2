"""Colours that tell indices apart and can be read on light and on dark paper."""

from __future__ import annotations

import colorsys

LIGHT, DARK = (1.0, 1.0, 1.0), (0.082, 0.09, 0.106)
"""The two papers, as red, green and blue from 0 to 1."""

CONTRAST = 5.5
"""The least contrast with the paper; 4.5 is what WCAG 2 asks of text, and subscripts are small."""

GOLDEN = 0.381966
"""The part of the circle of hues from one colour to the next: any number of them keeps apart."""

FIRST = 0.6
"""The hue of the first colour, a blue."""

SATURATION = 0.75
STEPS = 100
"""The steps of lightness that are tried."""

Rgb = tuple[float, float, float]


def luminance(colour: Rgb) -> float:
    """The relative luminance of WCAG 2."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def hues(number: int) -> list[Rgb]:
    """The colours of the hue of a number, from dark to light."""
    hue = (FIRST + number * GOLDEN) % 1.0
    return [rounded(colorsys.hls_to_rgb(hue, step / STEPS, SATURATION)) for step in range(STEPS + 1)]


def hexadecimal(found: Rgb) -> str:
    """A colour as ``#rrggbb``."""
    return "#" + "".join(f"{round(part * 255):02x}" for part in found)


def colour_on_both(number: int) -> str:
    """The colour of a number where nobody knows on which paper it stands: of its hue the one that can best be read."""
    return hexadecimal(max(hues(number), key=lambda found: min(contrast(found, LIGHT), contrast(found, DARK))))


def colour(number: int, paper: Rgb) -> str:
    """The colour of a number on a paper, as ``#rrggbb``: of its hue the one nearest to the paper that can be read."""
    candidates = reversed(hues(number)) if paper == LIGHT else hues(number)
    return hexadecimal(next(found for found in candidates if contrast(found, paper) >= CONTRAST))


def rounded(found: Rgb) -> Rgb:
    """The colour that eight bits for each part can show."""
    red, green, blue = (round(part * 255) / 255 for part in found)
    return red, green, blue

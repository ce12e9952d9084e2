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


def colour(number: int, paper: Rgb) -> str:
    """The colour of a number on a paper, as ``#rrggbb``: of its hue the one nearest to the paper that can be read."""
    hue = (FIRST + number * GOLDEN) % 1.0
    lightness = [step / STEPS for step in range(STEPS + 1)]
    if paper == LIGHT:
        lightness.reverse()
    candidates = (rounded(colorsys.hls_to_rgb(hue, light, SATURATION)) for light in lightness)
    red, green, blue = next(found for found in candidates if contrast(found, paper) >= CONTRAST)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def rounded(found: Rgb) -> Rgb:
    """The colour that eight bits for each part can show."""
    red, green, blue = (round(part * 255) / 255 for part in found)
    return red, green, blue

"""Names with the number of a layer in them, as text: ``a^l-1``, ``h_t+1``; and ``x^(·)`` for an index above."""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexcalc.document.statements.layer_marks import BELOW, BRACKETS, PLAIN

ABOVE = "·"
"""Stands in a name for an index above it."""

ABOVE_NAMES = tuple(f"^{opening}{ABOVE}{closing}" for opening, closing in (("", ""), *BRACKETS.items()))
"""How names with an index above end."""

SAMPLES = ABOVE_NAMES[1:]
"""How those end whose index stands in brackets, as the number of a sample does: ``x^{(i)}``."""

LAYER = re.compile(
    r"(?P<style>[\^_](?:[(\[<]|langle)?)(?P<text>ell|[A-Za-z]|\d+)(?P<offset>[+-]\d+)?(?=[)\]>^_]|rangle|$)"
)
"""The number of a layer in a name."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Which layer: a letter or a number, with what is added to it."""

    text: str
    offset: int = 0

    def __str__(self) -> str:
        return self.text + (f"{self.offset:+d}" if self.offset else "")


LABEL = re.compile(r"(?P<mark>[\^_])(?P<style>[(\[<]|langle)?(?P<inner>[^\^_()\[\]<>]+?)(?:[)\]>]|rangle|(?=[\^_]|$))")
"""A label of a name."""


def labelled(name: str, text: str, offset: int, style: str) -> str:
    """A name with one more label, or with the mark of one more index above it."""
    inner = str(Layer(text, offset))
    if style == BELOW:
        return f"{name}_{inner}"
    return f"{name}^{style}{inner}{BRACKETS.get(style, PLAIN)}"


def moved(name: str, letter: str, target: Layer, step: int = 0) -> str | None:
    """The name with layer ``letter + n`` replaced by ``target + n - step``; None if there is no such layer.

    Where the target is a number, the sum is worked out.
    """
    missing = False

    def other(found: re.Match[str]) -> str:
        nonlocal missing
        if found["text"] != letter:
            return found.group()
        offset = target.offset + int(found["offset"] or 0) - step
        if target.text.isdigit():
            missing |= int(target.text) + offset < 0
            return f"{found['style']}{abs(int(target.text) + offset)}"
        return f"{found['style']}{Layer(target.text, offset)}"

    result = LAYER.sub(other, name)
    return None if missing else result


def of_any_layer(name: str) -> str:
    """What the names of a tensor have in common at all layers."""
    return LAYER.sub(lambda found: found["style"], name)


def split_labels(name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The name without its labels, and each label with its style."""
    start = re.search(r"[\^_]", name)
    if start is None or not start.start():
        return name, ()
    found = LABEL.finditer(name, start.start())
    labels = ((BELOW if one["mark"] == "_" else one["style"] or PLAIN, one["inner"]) for one in found)
    return name[: start.start()], tuple(labels)


def displayed(text: str) -> str:
    """Words about names as an author writes these: ``a^{l-1}`` for ``a^l-1``, and no mark of an index above."""
    text = re.sub(r"([\^_])([a-zA-Z][+-]\d+)(?![\w}])", r"\1{\2}", text)
    return re.sub(rf"\^[(\[<]?{ABOVE}[)\]>]?", "", text)

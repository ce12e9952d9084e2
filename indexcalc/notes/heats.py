"""Small tensors of a worked example as maps of colour: each entry a cell with its number, darker the larger it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from indexcalc.algebra.terms import Index
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.network_svg import Classes
from indexcalc.notes.text import spelling_of

Array = np.ndarray[Any, np.dtype[np.float64]]

LONGEST, MOST_SLICES = 8, 4
"""The longest axis, and the most matrices of a stack, of which there is a map: of larger ones nobody reads numbers."""

CELL, LINE, EDGE = 54.0, 26.0, 28.0
"""The least width of a cell, its height, and the room for the indices."""

LETTER = 7.2
"""The width of a digit."""

DEEPEST = 0.5
"""The opacity of the largest entry; numbers can be read on it."""

DIGITS = 3
"""The significant digits of a number."""

STYLE = (
    ":root{--plus:#e07b00;--minus:#2b6cd4}"
    ".heat{display:block;max-width:100%;height:auto;font-family:ui-sans-serif,system-ui,sans-serif}"
    ".heat text{font-size:12px;text-anchor:middle;dominant-baseline:central;fill:var(--ink)}"
    ".heat .place{fill:var(--faint)}"
    ".heat .name{fill:currentColor;font-style:italic}"
    ".heat rect{stroke:var(--line);fill:none;print-color-adjust:exact}"
    ".heat .plus{fill:var(--plus)}.heat .minus{fill:var(--minus)}"
    ".heats{display:flex;flex-wrap:wrap;gap:1rem 1.5rem;padding:0;list-style:none;align-items:start}"
    ".heats li{max-width:100%;break-inside:avoid}"
)


@dataclass(frozen=True, slots=True)
class Heat:
    """A matrix of numbers.

    Attributes:
        title: the tensor, and the places of a stack at which the matrix stands.
        rows: the index of the rows, if it has one.
        columns: the index of the columns.
        numbers: the rows.
        most: the largest size of an entry of the tensor.
    """

    title: str
    rows: Index | None
    columns: Index
    numbers: tuple[tuple[float, ...], ...]
    most: float


@dataclass(frozen=True, slots=True)
class Heats:
    """The maps of a worked example, in the order in which the tensors are computed."""

    maps: tuple[Heat, ...]


def heats_of(derivation: Derivation, arrays: Mapping[str, Array]) -> Heats | None:
    """The maps of all tensors that are small enough; none if there are none.

    Args:
        derivation: whose tensors these are.
        arrays: the value of each tensor, with one axis a slot.
    """
    tensors = {**derivation.problem.program.tensors, **derivation.backward.tensors}
    names = spelling_of(derivation).names
    maps = (
        heat
        for name, array in arrays.items()
        if name in tensors
        for heat in maps_of(names.get(name, name), tensors[name].slots, np.asarray(array, dtype=float))
    )
    found = tuple(maps)
    return Heats(found) if found else None


def maps_of(title: str, slots: tuple[Index, ...], array: Array) -> Iterator[Heat]:
    """A matrix, or each of a small stack of them; a vector is one row, and a single number has no map."""
    if not slots or array.size < 2 or max(array.shape[-2:]) > LONGEST or array[..., 0].size > LONGEST * MOST_SLICES:
        return
    stack = array.shape[:-2]
    if int(np.prod(stack)) > MOST_SLICES:
        return
    finite = np.abs(array[np.isfinite(array)])
    most = float(finite.max()) if finite.size else 0.0
    rows = slots[-2] if len(slots) > 1 else None
    for place in np.ndindex(stack):
        where = ", ".join(f"{slot.name} = {number}" for slot, number in zip(slots, place, strict=False))
        matrix = np.atleast_2d(array[place]).tolist()
        yield Heat(f"{title}, {where}" if where else title, rows, slots[-1], tuple(map(tuple, matrix)), most)


def heat_svg(heat: Heat, name: str, classes: Classes) -> str:
    """One map."""
    left = EDGE if heat.rows is not None else 1.0
    wide = max(CELL, 10 + LETTER * max(len(written(number)) for row in heat.numbers for number in row))
    width, height = left + wide * len(heat.numbers[0]) + 1, EDGE + LINE * len(heat.numbers) + 1
    parts = [*places(heat, left, wide, classes)]
    for row, numbers in enumerate(heat.numbers):
        for column, number in enumerate(numbers):
            parts.append(cell(number, heat.most, (left + wide * column, EDGE + LINE * row), wide))
    return (
        f'<svg class="heat" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" aria-labelledby="{name}-t" aria-describedby="{name}-d">\n'
        f'<title id="{name}-t">{escape(heat.title)}</title>\n'
        f'<desc id="{name}-d">{escape(said(heat))}</desc>\n' + "\n".join(parts) + "\n</svg>"
    )


def places(heat: Heat, left: float, wide: float, classes: Classes) -> Iterator[str]:
    """The values of the indices, beside rows and above columns: ``j = 0``."""
    for column in range(len(heat.numbers[0])):
        x = left + wide * (column + 0.5)
        yield f'<text x="{x:.0f}" y="{EDGE / 2:.0f}">{index_text(heat.columns, classes)} = {column}</text>'
    if heat.rows is not None:
        yield f'<text x="{left / 2:.0f}" y="{EDGE / 2:.0f}">{index_text(heat.rows, classes)}</text>'
        for row in range(len(heat.numbers)):
            yield f'<text class="place" x="{left / 2:.0f}" y="{EDGE + LINE * (row + 0.5):.0f}">{row}</text>'


def index_text(index: Index, classes: Classes) -> str:
    """An index in its colour."""
    return f'<tspan class="name {classes(index)}">{escape(index.name)}</tspan>'


def cell(number: float, most: float, corner: tuple[float, float], wide: float) -> str:
    """An entry with its number; the colour says its sign, and its depth its size."""
    x, y = corner
    depth = DEEPEST * abs(number) / most if most and np.isfinite(number) else 0.0
    kind = "plus" if number > 0 else "minus"
    fill = f' class="{kind}" fill-opacity="{depth:.3f}"' if depth else ""
    return (
        f'<rect{fill} x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{LINE:.0f}"/>'
        f'<text x="{x + wide / 2:.0f}" y="{y + LINE / 2:.0f}">{written(number)}</text>'
    )


def written(number: float) -> str:
    """A number with few digits and a minus sign of its width."""
    if not np.isfinite(number):
        return "\N{MINUS SIGN}\N{INFINITY}" if number < 0 else "\N{INFINITY}" if number > 0 else "undefined"
    return f"{number + 0.0:.{DIGITS}g}".replace("-", "\N{MINUS SIGN}")


def said(heat: Heat) -> str:
    """All numbers, row by row."""
    rows = (", ".join(map(written, numbers)) for numbers in heat.numbers)
    if heat.rows is None:
        return f"Over {heat.columns.name}: {next(rows)}."
    return " ".join(f"{heat.rows.name} = {number}, over {heat.columns.name}: {row}." for number, row in enumerate(rows))

"""Comments, docstring lines and fields of a generated module."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import sympy as sp

from indexcalc.codegen.layout import INDENT, WIDTH
from indexcalc.codegen.storage import Layout, axis_sizes


def plain(text: str) -> str:
    """Prose on one line that is safe in a comment and in a docstring."""
    return " ".join(text.split()).replace("\\", "/").replace('"', "'")


def comment(text: str, depth: int = 1) -> list[str]:
    """Comment lines, unindented, that fit at this depth of indentation."""
    width = WIDTH - depth * INDENT
    return textwrap.wrap(
        plain(text),
        width,
        initial_indent="# ",
        subsequent_indent="#     ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def paragraph(text: str, depth: int = 0, hang: str = "    ", opening: str = "") -> list[str]:
    """Docstring lines, unindented, with a hanging indent; `opening` stands before the first of them."""
    width = WIDTH - depth * INDENT
    wrapped = textwrap.wrap(
        plain(text),
        width,
        initial_indent=opening,
        subsequent_indent=hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.rstrip().removeprefix(opening) for line in wrapped]


def shape_text(axes: Layout, symbols: Mapping[sp.Symbol, str]) -> str:
    """``[T, d]``; ``scalar`` for a tensor without slots."""
    return f"[{', '.join(axis_sizes(axes, symbols))}]" if axes else "scalar"


def field(name: str, kind: str, remark: str) -> list[str]:
    """One field of a NamedTuple, with its remark behind it, or above it where the line is too long."""
    line = f"{name}: {kind}  # {plain(remark)}"
    if len(line) + INDENT <= WIDTH:
        return [line]
    return [*comment(remark), f"{name}: {kind}"]


def default_text(value: sp.Expr) -> str:
    """The default of a keyword argument."""
    return repr(int(value)) if value.is_Integer else repr(float(value))

"""Texts with a marked place, and what an editor says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsprotocol import types

ATTENTION = """title "Attention"
index i, j, l : T "positions"
index k : d
index p : e
input Q[i,k] "queries", K[j,k] "keys", V[j,p] "values"
S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k]) "scores"
A[i,j] = exp(S[i,j]) / sum[l](exp(S[i,l])) "weights"
O[i,p] = sum[j](A[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p]
derive V, A, S, Q, K
prove sum[j](dL/dS[i,j]) = 0
"""

WRONG_NOTE = r"""# A layer

$$y_i = \sum_j W_{ij} x_j$$

$$\frac{\partial L}{\partial x_j} = \sum_i W_{ij} \frac{\partial L}{\partial y_j}$$
"""


def position(text: str, of: str, after: int = 0) -> types.Position:
    """Where the first occurrence of some words is, `after` characters further on."""
    # Some tests need the texts alone, and no protocol.
    from lsprotocol import types  # noqa: PLC0415

    offset = text.index(of) + after
    line = text.count("\n", 0, offset)
    return types.Position(line, offset - (text.rfind("\n", 0, offset) + 1))


def covered(text: str, found: types.Range) -> str:
    """What a range covers; it counts UTF-16 units, as these texts do."""
    lines = text.split("\n")
    if found.start.line == found.end.line:
        return lines[found.start.line][found.start.character : found.end.character]
    first, last = lines[found.start.line], lines[found.end.line]
    middle = lines[found.start.line + 1 : found.end.line]
    return "\n".join([first[found.start.character :], *middle, last[: found.end.character]])


def edited(text: str, edits: list[types.TextEdit]) -> str:
    """The text after edits."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        start, end = edit.range.start, edit.range.end
        whole = lines[start.line][: start.character] + edit.new_text + lines[end.line][end.character :]
        lines[start.line : end.line + 1] = whole.split("\n")
    return "\n".join(lines)

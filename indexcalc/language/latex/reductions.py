"""Sums and means along an axis as code writes them: ``sum(A * B, dim=1, keepdim=True)``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from indexcalc.language.latex.tokens import Token

REDUCTIONS = frozenset({"sum", "mean"})
"""What is taken along an axis."""

AXES = frozenset({"dim", "axis"})
KEEPS = frozenset({"keepdim", "keepdims"})
MARK = " along "


@dataclass(frozen=True, slots=True)
class Reduction:
    """A sum or a mean along an axis, counted from 0, and whether the axis is kept, with one entry."""

    kind: str
    axis: int
    kept: bool


def reduction_of(name: str) -> Reduction | None:
    """What the name of a reduction says; None for other names."""
    kind, mark, rest = name.partition(MARK)
    if not mark or kind not in REDUCTIONS:
        return None
    axis, _, kept = rest.partition(" ")
    return Reduction(kind, int(axis), kept == "kept")


def with_reductions(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with each reduction's words of code gone into its name, such as ``sum along 1 kept``."""
    result = list(tokens)
    position = 0
    while position < len(result):
        if result[position].text in REDUCTIONS and (found := arguments_at(result, position)) is not None:
            comma, close, axis, kept = found
            name = f"{result[position].text}{MARK}{axis}{' kept' if kept else ''}"
            result[comma:close] = []
            result[position] = replace(result[position], kind="NAME", text=name)
        position += 1
    return result


def arguments_at(tokens: Sequence[Token], position: int) -> tuple[int, int, int, bool] | None:
    """Of a call that begins here: where its words begin and end, the axis, and whether it is kept."""
    if position + 1 >= len(tokens) or tokens[position + 1].text != "(":
        return None
    depth, commas, close = 0, [], None
    for n in range(position + 1, len(tokens)):
        depth += (tokens[n].kind in ("(", "[", "{")) - (tokens[n].kind in (")", "]", "}"))
        if depth == 0:
            close = n
            break
        if depth == 1 and tokens[n].kind == "COMMA":
            commas.append(n)
    if close is None or not commas:
        return None
    axis, kept = None, False
    for start, end in zip(commas, [*commas[1:], close], strict=True):
        word, relation, value = pair(tokens[start + 1 : end])
        if relation != "=":
            return None
        if word in AXES and value.removeprefix("-").isdigit():
            axis = int(value)
        elif word in KEEPS and value in ("True", "False", "true", "false"):
            kept = value.lower() == "true"
        else:
            return None
    return None if axis is None else (commas[0], close, axis, kept)


def pair(tokens: Sequence[Token]) -> tuple[str, str, str]:
    """``(word, "=", value)`` of the tokens between two commas; empty texts if it is none."""
    inner = [token for token in tokens if token.kind != "QUAD"]
    place = next((n for n, token in enumerate(inner) if token.kind == "REL"), None)
    if place is None:
        return "", "", ""
    word = "".join(token.text for token in inner[:place])
    return word, inner[place].text, "".join(token.text for token in inner[place + 1 :])

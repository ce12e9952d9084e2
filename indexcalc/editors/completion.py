"""What may be written at a place of a spec: words, functions, and the names that fit there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from indexcalc.editors.names import SpecNames
from indexcalc.editors.occurrences import GRADIENT, Kind
from indexcalc.language.complaints import USAGE
from indexcalc.language.scope import FUNCTIONS, REDUCTIONS
from indexcalc.language.vocabulary import words

INSIDE = re.compile(r'"(?:\\.|[^"\\\n])*"?|#[^\n]*|[(\[\])]')
"""Texts, comments and brackets before a place."""

OF_TENSORS = re.compile(r"^\s*(?:derive|recompute|loss)\b[^\"]*$|\b(?:by|through|with)\s+[\w(), ]*$")
"""Where the names of tensors stand alone."""

OF_INDICES = re.compile(r"^\s*split\s(?:(?!\bover\b)[\w ,])*$")
"""Where the names of indices stand alone."""

BEFORE_SPEC = re.compile(r"^\s*use\s+\w*$")
LONGEST = 500
"""The most proposals."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text that may be written, what it is, and more about it."""

    text: str
    kind: str
    detail: str = ""


def proposals(names: SpecNames, offset: int, shipped: tuple[tuple[str, str], ...]) -> list[Proposal]:
    """What fits at an offset, without regard to what of it is written already.

    Args:
        names: of the whole text.
        offset: the place.
        shipped: the derivations that a ``use`` line may name, with their titles.
    """
    piece = names.piece_at(offset)
    start = offset if piece is None else piece.start
    before = names.text[start:offset]
    if in_text(before):
        return []
    written = re.sub(r"[^\W\d]\w*$", "", before)
    return list(fitting(names, before, written, shipped))[:LONGEST]


def in_text(before: str) -> bool:
    """Whether a place is inside quotes or a comment."""
    parts = list(INSIDE.finditer(before))
    if not parts or parts[-1].end() < len(before):
        return False
    found = parts[-1].group()
    return found.startswith("#") or (found.startswith('"') and not re.fullmatch(r'"(?:\\.|[^"\\])*"', found))


def fitting(names: SpecNames, before: str, written: str, shipped: tuple[tuple[str, str], ...]) -> Iterator[Proposal]:
    """The proposals behind what is written of a statement."""
    if BEFORE_SPEC.match(before):
        yield from (Proposal(name, "module", title) for name, title in shipped)
    elif not written.strip():
        yield from (Proposal(word, "keyword", USAGE.get(word, "")) for word in words()["statements"])
        yield from of_kinds(names, Kind.TENSOR)
    elif written.endswith(GRADIENT) or GRADIENT in before[len(written.rstrip()) - 1 :] or OF_TENSORS.search(before):
        yield from of_kinds(names, Kind.TENSOR)
    elif OF_INDICES.search(before):
        yield from of_kinds(names, Kind.INDEX)
    elif re.search(r"dL/$", written):
        yield from (Proposal(f"d{one.text}", one.kind, one.detail) for one in of_kinds(names, Kind.TENSOR))
    elif re.match(r"\s*index\b[^:]*:", written):
        yield from of_kinds(names, Kind.EXTENT)
    elif brackets(before)[-1:] == ["["]:
        yield from of_kinds(names, Kind.INDEX, Kind.EXTENT)
    else:
        yield from of_kinds(names, Kind.TENSOR, Kind.PARAMETER, Kind.EXTENT)
        yield from (Proposal(name, "function", f"{name}[j](...)") for name in sorted(REDUCTIONS))
        yield from (Proposal(name, "function", f"{name}(...)") for name in sorted(FUNCTIONS))
        yield from (Proposal(word, "keyword") for word in words()["statements"] if word not in USAGE)


def of_kinds(names: SpecNames, *kinds: Kind) -> Iterator[Proposal]:
    """The declared names of some kinds."""
    symbols = {Kind.TENSOR: "variable", Kind.PARAMETER: "constant", Kind.EXTENT: "type", Kind.INDEX: "index"}
    for one in names.of_kind(*kinds):
        yield Proposal(one.name, symbols[one.kind], names.doc(one))


def brackets(before: str) -> list[str]:
    """The brackets that are open."""
    found: list[str] = []
    for part in INSIDE.finditer(before):
        sign = part.group()
        if sign in ("(", "["):
            found.append(sign)
        elif sign in (")", "]"):
            del found[-1:]
    return found

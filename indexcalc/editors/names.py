"""The names of a spec text: what each is, where it is declared, where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from lark import Token, Tree

from indexcalc.editors.occurrences import Kind, Occurrence, occurrences
from indexcalc.editors.statements import Piece, pieces
from indexcalc.language.domains import INFINITY
from indexcalc.language.paths import unquoted
from indexcalc.language.scope import CONSTANTS

DECIDED = {
    Kind.BARE: (Kind.PARAMETER, Kind.EXTENT, Kind.TENSOR),
    Kind.SLOT: (Kind.INDEX, Kind.EXTENT, Kind.TENSOR),
    Kind.SIDE: (Kind.INDEX, Kind.PARAMETER, Kind.EXTENT, Kind.TENSOR),
    Kind.BOUND: (Kind.EXTENT, Kind.INDEX),
}
"""What a bare name may be, in the order in which the reader of specs decides it."""

KRONECKER = "delta"
"""What looks like a tensor with two slots, and is Kronecker's delta unless the spec has a tensor of that name."""

OWN = (Kind.INDEX, Kind.EXTENT, Kind.PARAMETER, Kind.TENSOR)
"""The kinds of names that a spec gives."""


@dataclass(frozen=True)
class SpecNames:
    """All names of a text, with line feeds at the ends of lines."""

    text: str

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The statements."""
        return tuple(pieces(self.text))

    @cached_property
    def unread(self) -> tuple[Piece, ...]:
        """The statements that can't be read."""
        return tuple(piece for piece in self.pieces if piece.tree is None)

    @cached_property
    def found(self) -> tuple[Occurrence, ...]:
        """All names in order, each of the kind that the declarations give it."""
        raw = tuple(one for piece in self.pieces for one in occurrences(piece))
        known = {(one.kind, one.name) for one in raw if one.declares}
        prefixes = tuple(f"{name}_" for kind, name in known if kind is Kind.PREFIX)
        return tuple(decided(one, known, prefixes) for one in raw)

    @cached_property
    def declared(self) -> dict[tuple[Kind, str], Occurrence]:
        """The first declaration of each name."""
        found: dict[tuple[Kind, str], Occurrence] = {}
        for one in self.found:
            if one.declares:
                found.setdefault((one.kind, one.name), one)
        return found

    def at(self, offset: int) -> Occurrence | None:
        """The name that stands at an offset, or ends there."""
        touching = [one for one in self.found if one.start <= offset <= one.end]
        return touching[-1] if touching else None

    def all_of(self, name: Occurrence) -> tuple[Occurrence, ...]:
        """Everywhere that a name stands, in the same meaning."""
        return tuple(one for one in self.found if (one.kind, one.name) == (name.kind, name.name))

    def of_kind(self, *kinds: Kind) -> Iterator[Occurrence]:
        """The declared names of some kinds, each once."""
        yield from (one for (kind, _), one in self.declared.items() if kind in kinds)

    def piece_at(self, offset: int) -> Piece | None:
        """The statement at an offset."""
        return next((piece for piece in self.pieces if piece.start <= offset <= piece.end), None)

    def doc(self, name: Occurrence) -> str:
        """What the statement that declares a name says of it in words."""
        piece = self.piece_at(name.start)
        if piece is None or piece.tree is None:
            return ""
        part = piece.tree
        for inner in piece.tree.iter_subtrees():
            if inner.data in ("declared", "parameter", "renaming") and covers(inner, name.start - piece.start):
                part = inner
        last = part.children[-1] if part.children else None
        return unquoted(last) if isinstance(last, Token) and last.type == "STRING" else ""


def covers(tree: Tree[Token], offset: int) -> bool:
    """Whether a token of a tree starts at an offset."""
    return any(token.start_pos == offset for token in tree.scan_values(lambda one: isinstance(one, Token)))


def decided(one: Occurrence, known: set[tuple[Kind, str]], prefixes: tuple[str, ...]) -> Occurrence:
    """A name with its kind, if the declarations decide it; what a ``use`` line makes is a tensor."""
    for kind in DECIDED.get(one.kind, ()):
        if (kind, one.name) in known:
            return replace(one, kind=kind)
    if one.kind in DECIDED and one.name.startswith(prefixes):
        return replace(one, kind=Kind.TENSOR)
    if one.kind in (Kind.BARE, Kind.SIDE) and one.name in (*CONSTANTS, INFINITY):
        return replace(one, kind=Kind.CONSTANT)
    if one.kind is Kind.TENSOR and one.name == KRONECKER and (Kind.TENSOR, one.name) not in known:
        return replace(one, kind=Kind.FUNCTION)
    return one

"""Where names stand in one statement, and what kind of name each is by its place in the grammar."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from lark import Token, Tree

from indexcalc.editors.statements import REMEMBERED, Node, Piece, tree_of


class Kind(StrEnum):
    """What a name may be."""

    INDEX = "index"
    EXTENT = "extent"
    PARAMETER = "parameter"
    TENSOR = "tensor"
    FUNCTION = "function"
    SPEC = "derivation"
    PREFIX = "prefix"
    FOREIGN = "name of another spec"
    BARE = "bare name"
    """A tensor without slots, a parameter or an extent: the declarations decide."""
    SLOT = "bare name in a slot"
    """An index, an extent or a tensor without slots: the declarations decide."""
    SIDE = "bare name in a comparison"
    """What may be a bare name, or stand in a slot: the declarations decide."""
    BOUND = "bound of whole numbers"
    """An extent or an index, which stands for its extent."""
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place.

    Attributes:
        start: where it starts.
        end: where it ends.
        name: in the normal form that the reader gives to names.
        kind: what it is.
        declares: whether the statement says here what it is.
        kept: whether another spec's name stays here, and a new one follows with ``as``.
    """

    start: int
    end: int
    name: str
    kind: Kind
    declares: bool = False
    kept: bool = False

    def moved(self, by: int) -> Occurrence:
        """The same, further on."""
        return replace(self, start=self.start + by, end=self.end + by)


GRADIENT = "dL/d"
"""What stands before the name of a tensor in a gradient."""

LOOSE = re.compile(r'"(?:\\.|[^"\\\n])*"?|#[^\n]*|dL/d(?=[^\W\d])|[^\W\d]\w*|[(\[]|[)\]]')
"""What is looked for in a statement that can't be read."""


def occurrences(piece: Piece) -> tuple[Occurrence, ...]:
    """The names of a statement, in order."""
    return tuple(one.moved(piece.start) for one in found_in(piece.text))


@lru_cache(maxsize=REMEMBERED)
def found_in(statement: str) -> tuple[Occurrence, ...]:
    """The names of a statement, counted from its start."""
    tree = tree_of(statement)
    found = guessed(statement) if tree is None else read(tree)
    return tuple(sorted(found, key=lambda one: one.start))


def named(token: object, kind: Kind, *, declares: bool = False, kept: bool = False) -> Iterator[Occurrence]:
    """The occurrence that a token is; none for what is left out."""
    if not isinstance(token, Token) or token.type not in ("NAME", "GRADIENT"):
        return
    start, text = token.start_pos or 0, str(token)
    if token.type == "GRADIENT":
        start, text = start + len(GRADIENT), text[len(GRADIENT) :]
    name = unicodedata.normalize("NFKC", text)
    yield Occurrence(start, start + len(text), name, kind, declares, kept)


def read(tree: Node) -> Iterator[Occurrence]:
    """The names of a statement, or of a part of one."""
    rule = RULES.get(str(tree.data))
    if rule is not None:
        yield from rule(tree.children)
        return
    for child in tree.children:
        if isinstance(child, Tree):
            yield from read(child)


def rest(children: Sequence[object]) -> Iterator[Occurrence]:
    """The names of the parts below."""
    for child in children:
        if isinstance(child, Tree):
            yield from read(child)


def all_of(kind: Kind, *, declares: bool = False) -> Callable[[Sequence[object]], Iterator[Occurrence]]:
    """The rule for names of one kind beside other parts."""

    def rule(children: Sequence[object]) -> Iterator[Occurrence]:
        for child in children:
            yield from named(child, kind, declares=declares)
        yield from rest(children)

    return rule


def first_then(first: Kind, *, declares: bool = False) -> Callable[[Sequence[object]], Iterator[Occurrence]]:
    """The rule for a part that begins with a name of its own kind."""

    def rule(children: Sequence[object]) -> Iterator[Occurrence]:
        yield from named(children[0], first, declares=declares)
        yield from rest(children[1:])

    return rule


def index_line(children: Sequence[object]) -> Iterator[Occurrence]:
    """``index i, j : T``."""
    names, extent, *_ = children
    assert isinstance(names, Tree)
    for token in names.children:
        yield from named(token, Kind.INDEX, declares=True)
    yield from rest([extent])


def defined(children: Sequence[object]) -> Iterator[Occurrence]:
    """What begins with the entry that it defines."""
    entry, *others = children
    assert isinstance(entry, Tree)
    yield from named(entry.children[0], Kind.TENSOR, declares=True)
    yield from rest([*entry.children[1:], *others])


def solved(children: Sequence[object]) -> Iterator[Occurrence]:
    """``solve x[j], y[k] : left = right ; left = right``: the entries in front are defined."""
    unknowns, *others = children
    assert isinstance(unknowns, Tree)
    for sought in unknowns.children:
        assert isinstance(sought, Tree)
        yield from defined(sought.children)
    yield from rest(others)


def entry(children: Sequence[object]) -> Iterator[Occurrence]:
    """``A[i,j]``, or a bare name."""
    name, slots = children
    yield from named(name, Kind.BARE if slots is None else Kind.TENSOR)
    yield from rest([slots])


def slot_entry(children: Sequence[object]) -> Iterator[Occurrence]:
    """``i``, or ``tok[n]`` in a slot."""
    name, slots = children
    yield from named(name, Kind.SLOT if slots is None else Kind.TENSOR)
    yield from rest([slots])


def relation(children: Sequence[object]) -> Iterator[Occurrence]:
    """``i <= j``, of places or of values."""
    for found in rest(children):
        yield replace(found, kind=Kind.SIDE) if found.kind is Kind.BARE else found


def several(children: Sequence[object], *, declares: bool = False) -> Iterator[Occurrence]:
    """The tensors ``u`` or ``(u, v)``."""
    for child in children:
        yield from named(child, Kind.TENSOR, declares=declares)
        if isinstance(child, Tree):
            yield from several(child.children, declares=declares)


def split_line(children: Sequence[object]) -> Iterator[Occurrence]:
    """``split i, h over model``: what is split are indices, and the axis has a name of its own."""
    names, _ = children
    assert isinstance(names, Tree)
    for token in names.children:
        yield from named(token, Kind.INDEX)


def product_line(children: Sequence[object]) -> Iterator[Occurrence]:
    """``product hessian L by w with s``, or ``product s with jacobian p by z``: the vector is named here."""
    first, second, *others = children
    if isinstance(first, Token) and first.type == "DERIVATIVE":
        by, along, _ = others
        yield from named(second, Kind.TENSOR)
        yield from several([by])
        yield from several([along], declares=True)
    else:
        of, by, _ = others
        yield from named(first, Kind.TENSOR, declares=True)
        yield from named(of, Kind.TENSOR)
        yield from several([by])


def renaming(children: Sequence[object]) -> Iterator[Occurrence]:
    """``Y as X_norm``, or ``Y``, which keeps its name."""
    name, given, _ = children
    if given is None:
        yield from named(name, Kind.TENSOR, declares=True, kept=True)
    else:
        yield from named(name, Kind.FOREIGN)
        yield from named(given, Kind.TENSOR, declares=True)


def use_line(children: Sequence[object]) -> Iterator[Occurrence]:
    """``use layer_norm(X = H) as ln giving Y as X_norm``."""
    spec, bindings, prefix, renamings = children
    yield from named(spec, Kind.SPEC)
    yield from named(prefix, Kind.PREFIX, declares=True)
    yield from rest([bindings, renamings])


def name_line(children: Sequence[object]) -> Iterator[Occurrence]:
    """``name D = dL/dA``."""
    yield from named(children[0], Kind.TENSOR, declares=True)
    yield from rest(children[1:])


RULES: Mapping[str, Callable[[Sequence[object]], Iterator[Occurrence]]] = {
    "index": index_line,
    "size": all_of(Kind.EXTENT, declares=True),
    "parameter": first_then(Kind.PARAMETER, declares=True),
    "declared": defined,
    "equation": defined,
    "solve": solved,
    "upstream": defined,
    "whole": all_of(Kind.BOUND),
    "probability": all_of(Kind.INDEX),
    "steps": all_of(Kind.INDEX),
    "loss": all_of(Kind.TENSOR),
    "names": all_of(Kind.TENSOR),
    "derivative": all_of(Kind.TENSOR),
    "product": product_line,
    "split": split_line,
    "several": several,
    "name": name_line,
    "use": use_line,
    "binding": first_then(Kind.FOREIGN),
    "renaming": renaming,
    "fused": all_of(Kind.INDEX),
    "entry": entry,
    "gradient": first_then(Kind.TENSOR),
    "slot_entry": slot_entry,
    "relation": relation,
    "reduce": first_then(Kind.FUNCTION),
    "call": first_then(Kind.FUNCTION),
}
"""What the names are in each rule of the grammar; in others, they stand in the parts below."""


def guessed(statement: str) -> Iterator[Occurrence]:
    """The names of a statement that can't be read, by the brackets around them and behind them."""
    open_brackets: list[str] = []
    after_gradient = False
    for part in LOOSE.finditer(statement):
        found = part.group()
        if found in ("(", "["):
            open_brackets.append(found)
        elif found in (")", "]"):
            del open_brackets[-1:]
        elif found[0] not in '"#' and found != GRADIENT:
            behind = statement[part.end() :].lstrip(" \t")[:1]
            inside = "[" in open_brackets[-1:]
            kind = Kind.SLOT if inside else Kind.BARE
            if after_gradient or behind == "[":
                kind = Kind.TENSOR
            elif behind == "(":
                kind = Kind.FUNCTION
            yield Occurrence(part.start(), part.end(), unicodedata.normalize("NFKC", found), kind)
        after_gradient = found == GRADIENT

r"""Sums with an ellipsis whose pattern is plain: ``w_1 x_1 + \dots + w_n x_n`` is a sum over n entries.

What stands before the ellipsis must be the term behind it, with 1, then 2, and so on in the place of the
last letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Fraction, Group, Node, Product, Root, Scripted, Sum, nodes_of
from indexcalc.proof.document.written.trees import sums_of

DUMMY = "ι"
"""The letter that runs; authors do not use it."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of terms: where it begins and ends in its sum, its term at `DUMMY`, its sign, and the last letter."""

    start: int
    end: int
    term: Product
    sign: int
    last: str


def run_in(tree: Sum) -> Run | None:
    """The run of terms around the first ellipsis of a sum; None if there is none, or no plain one."""
    terms = tree.terms
    place = next((n for n, (_, term) in enumerate(terms) if is_dots(term)), None)
    if place is None or not 0 < place < len(terms) - 1:
        return None
    sign, final = terms[place + 1]
    for letter in letters_below(final):
        for start in range(place):
            shown = terms[start:place]
            wanted = [(sign, texts(at(final, letter, str(n)))) for n in range(1, len(shown) + 1)]
            if [(own, texts(term)) for own, term in shown] == wanted and terms[place][0] == sign:
                return Run(start, place + 2, at(final, letter, DUMMY), sign, letter)
    return None


def ends_of(trees: Iterable[Sum]) -> Iterator[str]:
    """The last letters of all such runs: names of sizes."""
    for tree in trees:
        for inner in sums_of(tree):
            found = run_in(inner)
            if found is not None:
                yield found.last


def is_dots(term: Product) -> bool:
    """Whether a term is an ellipsis."""
    return len(term.items) == 1 and isinstance(term.items[0], Atom) and term.items[0].kind == "DOTS"


def letters_below(term: Product) -> list[str]:
    """The letters in the subscripts of a term, in order."""
    found = [
        token.text
        for node in nodes_of(term)
        if isinstance(node, Scripted)
        for tokens in (node.below, *(behind(tokens) for tokens in node.above))
        for token in tokens
        if token.kind == "NAME" and len(token.text) == 1
    ]
    return list(dict.fromkeys(found))


def behind(tokens: Sequence[Token]) -> list[Token]:
    """The tokens right behind the sign of a subscript."""
    return [token for before, token in pairwise(tokens) if before.kind == "SUB"]


def at(term: Product, letter: str, text: str) -> Product:
    """The term with another letter, or a number, in its subscripts."""
    return Product(tuple(changed(item, letter, text) for item in term.items))


def changed(node: Node, letter: str, text: str) -> Node:
    """A factor with another letter in its subscripts."""

    def inside(tree: Sum) -> Sum:
        return Sum(tuple((sign, at(term, letter, text)) for sign, term in tree.terms))

    match node:
        case Scripted(base, below, above):
            above = tuple(tuple(put(tokens, letter, text, all_of=False)) for tokens in above)
            return replace(
                node,
                base=changed(base, letter, text),
                below=tuple(put(below, letter, text, all_of=True)),
                above=above,
            )
        case Group(members=members):
            return replace(node, members=tuple(inside(member) for member in members))
        case Fraction(above_, below_):
            return replace(node, numerator=inside(above_), denominator=inside(below_))
        case Root(body):
            return replace(node, body=inside(body))
        case _:
            return node


def put(tokens: Sequence[Token], letter: str, text: str, *, all_of: bool) -> Iterator[Token]:
    """The tokens with another letter, everywhere or only right behind the sign of a subscript."""
    kind = "NUM" if text.isdigit() else "NAME"
    for position, token in enumerate(tokens):
        stands = all_of or (position > 0 and tokens[position - 1].kind == "SUB")
        fits = stands and token.kind == "NAME" and token.text == letter
        yield replace(token, kind=kind, text=text) if fits else token


def texts(term: Product) -> list[tuple[str, ...]]:
    """What a term says, without places."""
    return [text for item in term.items for text in node_texts(item)]


def node_texts(node: Node) -> Iterator[tuple[str, ...]]:
    """What a factor says: its signs, scripts and inner parts in order."""
    for inner in nodes_of(node):
        if isinstance(inner, Atom):
            yield (inner.kind, inner.text)
        elif isinstance(inner, Scripted):
            below = tuple(token.text for token in inner.below if token.kind not in ("{", "}"))
            above = tuple(t.text for tokens in inner.above for t in tokens if t.kind not in ("{", "}"))
            yield ("scripts", *below, "^", *above, "'" * inner.primes)
        else:
            yield (type(inner).__name__, getattr(inner, "bracket", ""))

"""The syntax tree of LaTeX mathematics: what stands on the page, before anyone says what it means.

Products are flat lists, and scripts are kept as they are written: whether ``d_k`` is an entry or a
label, and whether ``f(x)`` is a product, is decided later, with the document's symbols at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from indexcalc.language.latex.tokens import Token


@dataclass(frozen=True, slots=True)
class Atom:
    """One token that stands for itself: a name, a number, a sign of summation, text."""

    token: Token

    @property
    def kind(self) -> str:
        """The kind of the token."""
        return self.token.kind

    @property
    def text(self) -> str:
        """The text of the token."""
        return self.token.text


@dataclass(frozen=True, slots=True)
class Scripted:
    """A base with scripts: tokens below and above it, primes, and what a derivative is taken along."""

    base: Node
    below: tuple[Token, ...] = ()
    above: tuple[tuple[Token, ...], ...] = ()
    primes: int = 0
    along: tuple[Token, ...] = ()


NORM = "‖"
"""The bracket of a norm."""

ANGLE = "⟨"
"""The bracket of an inner product."""


@dataclass(frozen=True, slots=True)
class Group:
    """A bracketed list of sums: ``{``, ``(``, ``[``, ``|``, ``‖`` or ``⟨``; several members if there are commas."""

    bracket: str
    members: tuple[Sum, ...]
    start: int


@dataclass(frozen=True, slots=True)
class Fraction:
    r"""``\frac{numerator}{denominator}``."""

    numerator: Sum
    denominator: Sum
    start: int


@dataclass(frozen=True, slots=True)
class Root:
    r"""``\sqrt{body}``."""

    body: Sum
    start: int


@dataclass(frozen=True, slots=True)
class Environment:
    """A matrix, cases or the like: its name and its rows of cells, as tokens."""

    name: str
    rows: tuple[tuple[tuple[Token, ...], ...], ...]
    start: int


@dataclass(frozen=True, slots=True)
class Truth:
    """``[left relation right]``: an Iverson bracket."""

    left: Sum
    relation: str
    right: Sum
    start: int


@dataclass(frozen=True, slots=True)
class Cases:
    """Branches with the conditions under which they hold; none for all other cases."""

    branches: tuple[tuple[Sum, tuple[Truth, ...]], ...]
    start: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix written out, row by row."""

    rows: tuple[tuple[Sum, ...], ...]
    start: int


Node = Atom | Scripted | Group | Fraction | Root | Environment | Truth | Cases | Matrix


@dataclass(frozen=True, slots=True)
class Product:
    """Factors and operators as they stand, in order."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Products with their signs, +1 or -1, in order."""

    terms: tuple[tuple[int, Product], ...]

    @property
    def only(self) -> Product | None:
        """The product, if it is the only one and positive."""
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == 1 else None

    @property
    def lone(self) -> Node | None:
        """The factor, if it is the only one of the only product."""
        only = self.only
        return only.items[0] if only is not None and len(only.items) == 1 else None

    @property
    def is_zero(self) -> bool:
        """Whether it is the number 0."""
        return isinstance(self.lone, Atom) and (self.lone.kind, self.lone.text) == ("NUM", "0")


def nodes_of(tree: Node | Product | Sum) -> Iterator[Node]:
    """Every node of a tree, outermost first."""
    if isinstance(tree, Sum):
        for _, term in tree.terms:
            yield from nodes_of(term)
        return
    if isinstance(tree, Product):
        for item in tree.items:
            yield from nodes_of(item)
        return
    yield tree
    if isinstance(tree, Scripted):
        yield from nodes_of(tree.base)
    elif isinstance(tree, Group):
        for member in tree.members:
            yield from nodes_of(member)
    elif isinstance(tree, Fraction):
        yield from nodes_of(tree.numerator)
        yield from nodes_of(tree.denominator)
    elif isinstance(tree, Root):
        yield from nodes_of(tree.body)
    elif isinstance(tree, Truth | Cases | Matrix):
        for part in sums_in(tree):
            yield from nodes_of(part)


def sums_in(node: Truth | Cases | Matrix) -> Iterator[Sum]:
    """The sums directly in a bracket with a relation, in cases, or in a matrix."""
    if isinstance(node, Truth):
        yield node.left
        yield node.right
    elif isinstance(node, Matrix):
        yield from (cell for row in node.rows for cell in row)
    else:
        for value, conditions in node.branches:
            yield value
            for test in conditions:
                yield from sums_in(test)

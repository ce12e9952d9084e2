r"""What a page shows about fields: which names are such, what differentiates them, and whether they obey laws."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from indexcalc.document.statements.field_signs import flowing, is_sign
from indexcalc.document.statements.nouns import fields_called
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import gradients, products_of, rates, rates_at
from indexcalc.errors import IndexCalcError
from indexcalc.language.document import Document
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tree import Atom, Product, Scripted, Sum, nodes_of

PLACE = "the place"
"""The name of the place, where a page gives it none."""

CURLED = 3
"""The dimension in which there is a curl."""

LAWS = re.compile(
    r"\bincompressib|\bsolenoidal|\bdivergence[- ]free|\birrotational|\bharmonic\b|\bcurl[- ]free|\bconservative\b"
    r"|\bgauge\b|\bvacuum\b|\bmaxwell|\bsource[- ]free|\bcharge[- ]free"
)
"""Words that say that the fields of a page obey laws, which may be used without a word."""


def below_signs(survey: Survey, tree: Sum) -> Iterator[Named]:
    r"""The names below signs of a derivative, ``\partial_t``, ``\partial_{x_i}``."""
    for product in products_of(tree):
        for item in product.items:
            if isinstance(item, Scripted) and isinstance(item.base, Atom) and item.base.kind == "PARTIAL":
                try:
                    found = survey.lone(parse(item.below))
                except (IndexCalcError, RecursionError):
                    continue
                if found is not None:
                    yield found


def fields_in(survey: Survey, statements: Sequence[Statement]) -> frozenset[str]:
    """The names that stand alone behind a sign of a derivative, or behind the one between them."""
    found = set[str]()
    for product in (product for one in statements for tree in one.trees for product in products_of(tree)):
        for place, item in enumerate(product.items):
            following = product.items[place + 1 : place + 3]
            if following and isinstance(following[0], Atom) and following[0].kind == "TIMES":
                following = following[1:]
            name = survey.name(following[0]) if following and is_sign(item) else None
            if name is not None:
                found.add(name.name)
    return frozenset(found)


def place_in(survey: Survey, statements: Sequence[Statement]) -> str:
    r"""The name of the place: that of which an entry stands below a sign of a derivative, ``\partial_{x_i}``."""
    names = (one for statement in statements for tree in statement.trees for one in below_signs(survey, tree))
    return next((one.name for one in names if len(one.parts or ()) == 1), PLACE)


SPACE = re.compile(r"\\(?:mathbb|mathbf|Bbb)?\s*\{?\s*R\s*\}?\s*\^\s*\{?\s*([23])\b")
"""The space in which fields are said to live."""


def dimension_in(document: Document, survey: Survey, statements: Sequence[Statement], place: str) -> int:
    """How many components a place has: as its numbered ones say, a curl, or the one space that is named; 0 if nothing.

    A number of components that is written out is no more than that of the place.
    """
    trees = [tree for statement in statements for tree in statement.trees]
    numbered = [part for tree in trees for one in survey.names(tree) if one.name == place for part in one.parts or ()]
    numbered += [part for tree in trees for one in below_signs(survey, tree) for part in (one.parts or (one.name,))]
    numbered += [number for tree in trees for number in numbers_below(tree)]
    numbers = {int(part) for part in numbered if part.isdigit()}
    if numbers:
        return max(numbers)
    if any(kind == "curl" for tree in trees for kind, _ in flowing(tree)):
        return CURLED
    named = {int(number) for number in SPACE.findall(document.source)}
    return named.pop() if len(named) == 1 else 0


def numbers_below(tree: Sum) -> Iterator[str]:
    r"""The numbers below signs of a derivative, ``\partial_1``."""
    for product in products_of(tree):
        for item in product.items:
            if isinstance(item, Scripted) and isinstance(item.base, Atom) and item.base.kind == "PARTIAL":
                yield from (token.text for token in item.below if token.kind == "NUM")


def have_laws(document: Document, statements: Sequence[Statement]) -> bool:
    """Whether a page says that its fields are not any fields: a derivative is zero, or a word says so."""
    return bool(LAWS.search(document.source.lower())) or any(map(is_law, statements))


def is_law(statement: Statement) -> bool:
    """Whether a statement sets a derivative of a field to zero."""
    zero = any(tree.is_zero for tree in statement.trees)
    signs = any(is_sign(item) for tree in statement.trees for p in products_of(tree) for item in p.items)
    return zero and signs and not any(map(vanishes, statement.trees))


def vanishes(tree: Sum) -> bool:
    """Whether a divergence of a curl stands there, or a curl of a gradient, which are zero for all fields."""
    for kind, node in flowing(tree):
        inner = [*flowing(Sum(((1, Product((node,))),)))]
        gradient = any(
            is_sign(item) for product in products_of(Sum(((1, Product((node,))),))) for item in product.items
        )
        if (kind == "divergence" and "curl" in [one for one, _ in inner]) or (
            kind == "curl" and gradient and not inner
        ):
            return True
    return False


def have_fields(statements: Sequence[Statement]) -> bool:
    """Whether a page takes a divergence, a curl, or a derivative along a field."""
    return any(True for one in statements for tree in one.trees for _ in flowing(tree))


def slopes_in(survey: Survey, statement: Statement) -> Iterator[tuple[Named, Named]]:
    """The names that a statement differentiates, and by what, where both stand alone."""
    for tree in statement.trees:
        for above, below in (*rates(tree), *gradients(tree)):
            one, other = survey.name(above), survey.name(below)
            if one is not None and other is not None:
                yield one, other


def signs_in(survey: Survey, statement: Statement) -> Iterator[tuple[Named, Named, str]]:
    """The names in fractions with signs of a derivative, what is differentiated and by what, and the kind of sign."""
    for tree in statement.trees:
        for node in nodes_of(tree):
            for above, below in rates_at(node):
                one, other = survey.name(above[1]), survey.name(below[1])
                if one is not None and other is not None and isinstance(above[0], Atom):
                    yield one, other, above[0].kind


def variables_in(survey: Survey, statement: Statement, letters: Collection[str]) -> Iterator[str]:
    r"""The names without indices below signs of a derivative, ``\partial_t``, each once."""
    found = dict.fromkeys(
        one.name for tree in statement.trees for one in below_signs(survey, tree) if one.parts is None
    )
    yield from (name for name in found if name not in letters)


@dataclass(frozen=True)
class Fields:
    """What a page shows about fields.

    Attributes:
        document: the text.
        survey: how its names are used.
        statements: in order, those of its context first.
        told: how many statements the context has.
        letters: those that index something.
    """

    document: Document
    survey: Survey
    statements: Sequence[Statement]
    told: int
    letters: frozenset[str]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that stand alone behind the sign of a derivative of a field, or are called fields."""
        said = fields_called(self.document, self.survey, self.statements[self.told :])
        return said | fields_in(self.survey, self.statements)

    @cached_property
    def variables(self) -> tuple[tuple[str, ...], ...]:
        r"""The names without indices below signs of a derivative in each statement, as in ``\partial_t``."""
        return tuple(tuple(variables_in(self.survey, one, self.letters)) for one in self.statements)

    @cached_property
    def place(self) -> str:
        """The name of the place by which a nabla alone differentiates."""
        return place_in(self.survey, self.statements)

    @cached_property
    def dimension(self) -> int:
        """How many components the place has; 0 if nothing says it."""
        return dimension_in(self.document, self.survey, self.statements, self.place)

    @cached_property
    def flow(self) -> bool:
        """Whether the page takes a divergence, a curl, or a derivative along a field."""
        return have_fields(self.statements)

    @cached_property
    def obey_laws(self) -> bool:
        """Whether the page says that its fields are not any fields."""
        return have_laws(self.document, self.statements)

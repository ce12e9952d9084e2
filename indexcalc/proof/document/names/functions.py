"""Which names stand for functions that a document never defines: ``a = f(z)``, ``f'(z)``.

A name is one if a bracket follows it wherever it multiplies something, and either it bears a prime before
such a bracket or the document says that it is applied entry by entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tree import Atom, Group, Node, Product, Scripted, Sum
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL
from indexcalc.proof.document.meaning.sizes import ShapeError
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.reading.reader import Reader
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import CONDITION, EQUATION, Roles
from indexcalc.proof.document.written.survey import Survey
from indexcalc.proof.document.written.trees import is_differential, products_of

USUAL_NAMES = frozenset({"f", "g", "h", "phi", "psi", "sigma", "F"})
"""Names that stand for a function although they never bear a prime."""

CAPITALS = frozenset({"F", "G", "H"})
"""Capitals that name functions; others before a bracket, even with a prime, may be matrices."""

NO_FUNCTIONS = frozenset({"d", "e", "pi", "delta", "epsilon", "eta", "lambda"})
"""Small names that stand before a bracket as factors."""

ENTRYWISE = re.compile(
    r"\b(?:element|entry|point|component|coordinate)[-\s]?wise|\bentry by entry|\bto each (?:entry|element|component)",
    re.IGNORECASE,
)
"""Words that say that a function is applied to each entry of an array."""

LOGISTIC = re.compile(r"sigmoid|logistic", re.IGNORECASE)
"""Words that say what sigma is."""

SOFTMAX = re.compile(r"soft-?max", re.IGNORECASE)
"""Words for an activation that is not applied to each entry."""

ACTIVATION = re.compile(r"\bactivation|non-?linearit", re.IGNORECASE)
"""Words that say so of a function that bears a prime."""


@dataclass
class Calls:
    """How a name that may be a function is used.

    Attributes:
        plain: how often a bracket follows it.
        primes: how often one follows it with a prime.
        other: how often it stands as a factor of its own.
    """

    plain: int = 0
    primes: int = 0
    other: int = 0
    arguments: list[Sum] = field(default_factory=list)


def find_unknown(roles: Roles) -> None:
    """The names that stand for functions of which the document says nothing more."""
    entrywise = ENTRYWISE.search(roles.document.source) is not None
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) == EQUATION and names_function(statement):
            roles.kinds[number] = CONDITION
    calls = calls_of(roles)
    own = {*defined(roles), *(("sigma",) if LOGISTIC.search(roles.document.source) else ())}
    roles.symbols.unknown = frozenset(
        name
        for name, found in calls.items()
        if not found.other
        and name not in own
        and (found.primes or (found.plain and entrywise and name in USUAL_NAMES))
        and may_be_function(roles.survey, name)
    )


def find_entrywise(roles: Roles) -> None:
    """Which of them may be applied to an array: those applied to a scalar too, and where words or signs say so."""
    names, source = roles.symbols.unknown, roles.document.source
    said = ENTRYWISE.search(source) or (ACTIVATION.search(source) and not SOFTMAX.search(source))
    if not names or said:
        roles.symbols.entrywise = names
        return
    signs = frozenset(beside_signs(roles)) & names
    calls = calls_of(roles)
    scalar = frozenset(name for name in names if any(is_scalar(roles, argument) for argument in calls[name].arguments))
    roles.symbols.entrywise = signs | scalar


def calls_of(roles: Roles) -> dict[str, Calls]:
    """How each name of a document is used that may be one of a function."""
    found: dict[str, Calls] = {}
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                alone = tree.only is product and (len(statement.sides) == 1 or names_function(statement))
                look_at(roles.survey, product, found, alone=alone)
    return found


def names_function(statement: Statement) -> bool:
    r"""Whether a statement only says which function is meant, as ``g = \tanh`` does."""
    texts = [[token.text for token in side.tokens] for side in statement.sides]
    return len(texts) == 2 and len(texts[1]) == 1 and texts[1][0] in FUNCTIONS and statement.sides[1].relation == "="


def defined(roles: Roles) -> Iterator[str]:
    """The names that head an equation with their argument."""
    for statement in roles.statements:
        only = statement.sides[0].tree.only if statement.sides[0].tree is not None else None
        if only is not None and len(only.items) == 2 and len(statement.sides) > 1:
            name = roles.survey.name(only.items[0])
            if name is not None and not name.primes and argument_behind(only.items, 0) is not None:
                yield name.name


def look_at(survey: Survey, product: Product, found: dict[str, Calls], *, alone: bool) -> None:
    """Count the names of one product; one that is all of a formula is only mentioned."""
    items = product.items
    for place, item in enumerate(items):
        name = survey.name(item)
        if name is None or name.parts is not None or name.name == "1":
            continue
        calls = found.setdefault(name.name, Calls())
        argument = argument_behind(items, place)
        if argument is not None:
            calls.arguments.append(argument)
            calls.plain += not name.primes
            calls.primes += bool(name.primes)
        elif not (is_only_named(items, place) or (alone and len(items) == 1)):
            calls.other += 1


def argument_behind(items: tuple[Node, ...], place: int) -> Sum | None:
    """The one argument in the round brackets behind a factor."""
    following = items[place + 1] if place + 1 < len(items) else None
    if isinstance(following, Scripted):
        following = following.base
    fits = isinstance(following, Group) and following.bracket == "(" and len(following.members) == 1
    return following.members[0] if fits and isinstance(following, Group) else None


def is_only_named(items: tuple[Node, ...], place: int) -> bool:
    """Whether a name stands before a colon or an arrow, or behind the sign of a derivative: it multiplies nothing."""
    following = items[place + 1] if place + 1 < len(items) else None
    if isinstance(following, Atom) and following.kind == "COLON":
        return True
    return place == 1 == len(items) - 1 and is_differential(items[0])


def may_be_function(survey: Survey, name: str) -> bool:
    """Whether a name may be one of a function: no known one, never indexed, and small but for a few."""
    usage = survey.usages.get(name)
    base = name.split("_", maxsplit=1)[0].split("^", maxsplit=1)[0]
    if usage is None or usage.indexed or usage.transposed or name in FUNCTIONS or name in STRUCTURAL:
        return False
    return base in CAPITALS or (base[:1].islower() and base not in NO_FUNCTIONS)


def is_scalar(roles: Roles, tree: Sum) -> bool:
    """Whether a formula is a scalar or an entry."""
    reader = Reader(roles.symbols, roles.survey, roles.symbols.sizes.copy())
    try:
        return not reader.sum(tree).axes
    except (NotUnderstoodError, ShapeError, IndexCalcError):
        return False


def beside_signs(roles: Roles) -> Iterator[str]:
    """The names with a prime that stand beside the sign of an entrywise product, or in a diagonal matrix."""
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                if any(isinstance(item, Atom) and item.kind == "ODOT" for item in product.items):
                    yield from with_primes(roles.survey, product)
                for left, group in pairwise(product.items):
                    name = roles.survey.name(left)
                    if name is not None and name.name in ("diag", "Diag") and isinstance(group, Group):
                        for inner in (part for member in group.members for part in products_of(member)):
                            yield from with_primes(roles.survey, inner)


def with_primes(survey: Survey, product: Product) -> Iterator[str]:
    """The names with a prime among the factors."""
    named = (survey.name(item) for item in product.items)
    yield from (name.name for name in named if name is not None and name.primes and name.parts is None)

"""Conventions that a document does not state: sums that are not written, and what sigma is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from indexcalc.errors import IndexCalcError, LimitError
from indexcalc.language.latex.tree import Atom, Group, Sum, nodes_of
from indexcalc.proof.document.meaning.nodes import Total, free, walk
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.names.functions import LOGISTIC, SOFTMAX
from indexcalc.proof.document.reading.einstein import bind_repeated
from indexcalc.proof.document.reading.reader import Reader
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import EQUATION, Roles
from indexcalc.proof.document.written.trees import products_of


def uses_einstein(roles: Roles) -> bool:
    """Whether the definitions, or else the entries of traces, need sums that are not written."""
    written = sum(
        isinstance(node, Atom) and node.kind == "SUM"
        for statement in roles.statements
        for tree in statement.trees
        for node in nodes_of(tree)
    )
    votes = 0
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION:
            continue
        reader = Reader(roles.symbols, roles.survey, roles.symbols.sizes.copy())
        for side in statement.sides:
            if side.tree is None or side.relation == "in":
                continue
            try:
                value = reader.sum(side.tree)
            except (NotUnderstoodError, ShapeError, LimitError):
                continue
            bound = bind_repeated(value.node, set(head_letters(reader, statement)))
            votes += bound != value.node
    return votes > 2 * written


def sigma_of_scalars(roles: Roles) -> bool:
    """Whether sigma is applied to a scalar: an inner product, or a name without indices; or bears a prime.

    Applied to an entry ``x_i``, it may well be an entry of a softmax. Where words speak of sigmoids, and of a softmax
    only by its name, it is none.
    """
    if any(primed or is_scalar(roles, argument) for primed, argument in arguments_of_sigma(roles)):
        return True
    called = any(word in roles.survey.usages for word in ("softmax", "Softmax"))
    return LOGISTIC.search(roles.document.source) is not None and (called or not SOFTMAX.search(roles.document.source))


def arguments_of_sigma(roles: Roles) -> Iterator[tuple[bool, Sum]]:
    """What stands in brackets behind sigma, and whether that bears a prime."""
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                for left, right in pairwise(product.items):
                    found = roles.survey.name(left)
                    called = isinstance(right, Group) and right.bracket == "(" and len(right.members) == 1
                    if found is not None and found.name == "sigma" and called and isinstance(right, Group):
                        yield bool(found.primes), right.members[0]


def is_scalar(roles: Roles, tree: Sum) -> bool:
    """Whether a formula is a scalar that is no entry."""
    reader = Reader(roles.symbols, roles.survey, roles.symbols.sizes.copy())
    try:
        value = reader.sum(tree)
    except (NotUnderstoodError, ShapeError, IndexCalcError):
        return False
    contracts = any(isinstance(node, Total) for node in walk(value.node))
    return not value.axes and (contracts or not free(value.node))


def head_letters(reader: Reader, statement: Statement) -> Iterator[Ix]:
    """The letters that are free in the first member."""
    tree = statement.sides[0].tree
    if tree is None:
        return
    try:
        value = reader.sum(tree)
    except (NotUnderstoodError, ShapeError, LimitError):
        return
    yield from free(value.node)

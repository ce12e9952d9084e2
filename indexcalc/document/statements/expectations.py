r"""``\mathbb{E}[A x + b]``: where expectations stand, and what a page says of what is random in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexcalc.document.statements.calls import is_expected
from indexcalc.document.statements.outline import EQUALITIES, Statement
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import products_of, without_scripts
from indexcalc.language.latex.tree import Atom, Group, Node, Scripted, Sum


@dataclass(frozen=True)
class Means:
    """What the expectations of a page show.

    Attributes:
        random: the names whose own expectation it writes, or that it draws.
        constant: the names that it writes before an expectation, with the statements in which it does.
        laws: for each product of names whose expectation it gives, behind its sign, the statement that does so.
    """

    random: frozenset[str]
    constant: Mapping[str, frozenset[int]]
    laws: dict[tuple[str, ...], int]


def means_in(survey: Survey, statements: Sequence[Statement], defined: Collection[str]) -> Means:
    """What the expectations in some statements show; those of names that equations define are claims, no laws."""
    random, constant = set[str](), dict[str, set[int]]()
    laws: dict[tuple[str, ...], int] = {}
    for number, statement in enumerate(statements):
        for tree in statement.trees:
            for product in products_of(tree):
                for position in places(product.items):
                    found = monomial(survey, body_of(product.items, position))
                    random.update(found if len(set(found)) == 1 else ())
                    for name in names_of(survey, product.items[:position]):
                        constant.setdefault(name, set()).add(number)
        random.update(drawn(survey, statement))
        law = law_of(survey, statement)
        if law and not any(name in defined for name in law[1:]):
            laws.setdefault(law, number)
            random.update(law[1:])
    steady = {name: frozenset(numbers) for name, numbers in constant.items() if name not in random}
    return Means(frozenset(random), steady, laws)


def places(items: Sequence[Node]) -> Iterator[int]:
    """Where expectations stand in a product."""
    return (position for position in range(len(items) - 1) if is_expectation(items, position))


def is_expectation(items: Sequence[Node], position: int) -> bool:
    """Whether the sign of an expectation stands here, and its bracket behind it."""
    sign, body = items[position], without_scripts(items[position + 1]) if position + 1 < len(items) else None
    bracket = isinstance(body, Group) and body.bracket == "[" and len(body.members) == 1
    return bracket and isinstance(sign, Atom) and sign.kind == "NAME" and is_expected(sign.text)


def body_of(items: Sequence[Node], position: int) -> Sum:
    """What stands in the bracket of an expectation."""
    body = without_scripts(items[position + 1])
    assert isinstance(body, Group)
    return body.members[0]


def monomial(survey: Survey, tree: Sum) -> tuple[str, ...]:
    """The names of which an expression is the product, in order; none if it is more, or has a number in it."""
    if len(tree.terms) != 1 or tree.terms[0][0] < 0:
        return ()
    found = [survey.name(item) for item in tree.terms[0][1].items]
    names = [one.name for one in found if one is not None and not one.powers and one.parts is None]
    return tuple(sorted(names)) if len(names) == len(found) else ()


def law_of(survey: Survey, statement: Statement) -> tuple[str, ...]:
    r"""The sign and the names of an expectation that a statement gives by others, ``E[w w^\top] = Q``; else none."""
    sides = statement.sides
    if len(sides) < 2 or sides[1].relation not in EQUALITIES or sides[0].tree is None or sides[1].tree is None:
        return ()
    only = sides[0].tree.only
    if only is None or len(only.items) != 2 or not is_expectation(only.items, 0) or isinstance(only.items[1], Scripted):
        return ()
    if any(True for product in products_of(sides[1].tree) for _ in places(product.items)):
        return ()
    found, sign = monomial(survey, body_of(only.items, 0)), only.items[0]
    assert isinstance(sign, Atom)
    given = any(one.name in found for one in survey.names(sides[1].tree))
    return (sign.text, *found) if found and not given else ()


def drawn(survey: Survey, statement: Statement) -> Iterator[str]:
    """The names that a statement draws from a distribution."""
    for left, right in pairwise(statement.sides):
        found = survey.lone(left.tree) if right.relation == "~" and left.tree is not None else None
        if found is not None:
            yield found.name


def draws_in(survey: Survey, statement: Statement) -> Iterator[tuple[str, str]]:
    """The names that a statement draws, each with the name of its distribution."""
    for left, right in pairwise(statement.sides):
        if right.relation == "~" and left.tree is not None and right.tree is not None:
            found, law = survey.lone(left.tree), right.tree.lone
            if found is not None and found.is_plain and found.parts is None and isinstance(law, Atom):
                yield found.name, law.text


def names_of(survey: Survey, items: Iterable[Node]) -> Iterator[str]:
    """The names among factors."""
    for item in items:
        found = survey.name(item)
        if found is not None:
            yield found.name

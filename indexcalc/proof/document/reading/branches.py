"""Cases: a sum of branches, each with a bracket that is one where its conditions hold."""

from __future__ import annotations

from indexcalc.language.latex.tree import Cases, Sum, Truth
from indexcalc.proof.document.meaning import typed
from indexcalc.proof.document.meaning.nodes import ONE, Applied, Meaning, Plus, Relation, negated, times
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.binders import RELATIONS, oriented
from indexcalc.proof.document.reading.scope import Scope


def branched(reader: Scope, item: Cases) -> Typed:
    """The value of the one branch whose conditions hold; no two may hold at once."""
    values: list[Typed] = []
    before: list[Meaning] = []
    for tree, conditions in item.branches:
        value = reader.sum(tree)
        holds = times(*(held(reader, test) for test in conditions)) if conditions else otherwise(before)
        before.append(holds)
        values.append(typed.product(Typed(holds), value, reader.sizes))
    return typed.added(values, reader.sizes)


def otherwise(before: list[Meaning]) -> Meaning:
    """One where no condition before holds."""
    return times(*(Plus((ONE, negated(holds))) for holds in before))


def held(reader: Scope, test: Truth) -> Meaning:
    """One where a relation holds, else zero: between index letters, or between numbers other than equality."""
    left, right = letter_of(reader, test.left), letter_of(reader, test.right)
    if left is not None and right is not None:
        one, other = reader.letter(left), reader.letter(right)
        reader.sizes.unify(one, other)
        if test.relation == "=":
            return Relation(one, "==", other)
        if test.relation == "!=":
            return Plus((ONE, negated(Relation(one, "==", other))))
        return Relation(*oriented(one, RELATIONS[test.relation], other))
    if test.relation in ("=", "!="):
        raise NotUnderstoodError("a case that holds where two numbers are equal")
    above, below = (test.left, test.right) if test.relation in (">", ">=") else (test.right, test.left)
    gap = typed.added([reader.sum(above), Typed(negated(scalar(reader, below)))], reader.sizes)
    if gap.axes:
        raise NotUnderstoodError("a case with a condition on an array")
    return Applied("step", gap.node)


def scalar(reader: Scope, tree: Sum) -> Meaning:
    """The meaning of a formula that must not be an array."""
    value = reader.sum(tree)
    if value.axes:
        raise NotUnderstoodError("a case with a condition on an array")
    return value.node


def letter_of(reader: Scope, tree: Sum) -> str | None:
    """The index letter that is all of a formula: one that the chain uses as such."""
    only = tree.only
    found = reader.survey.name(only.items[0]) if only is not None and len(only.items) == 1 else None
    if found is None or found.parts is not None or found.powers or found.primes or len(found.name) != 1:
        return None
    known = (
        found.name in reader.letters
        or found.name in reader.symbols.classes
        or any(found.name in scope for scope in reader.dummies)
    )
    return found.name if known else None

"""The statements of both passes as one list, in which a name stands for one value.

Each pass names the functions that it shares by itself, so the same name may stand for ``tanh(X[i,j])`` in
one pass and for ``tanh(X[j,i])`` in the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from indexcalc.codegen.fast.normal import unused
from indexcalc.codegen.statements import Statement


def both_passes(forward: Iterable[Statement], backward: Iterable[Statement], taken: set[str]) -> tuple[Statement, ...]:
    """The statements of both passes, in order; what the backward pass names like another value gets a name of its own.

    Args:
        forward: the statements of the forward pass.
        backward: the statements of the backward pass; they may compute again what the forward pass did.
        taken: the names in use; new ones join.
    """
    known = {statement.name: statement for statement in forward}
    others: dict[str, str] = {}
    for statement in backward:
        renamed = statement.reading(others)
        earlier = known.get(statement.name)
        if earlier is None:
            known[statement.name] = renamed
        elif replace(earlier, note=renamed.note, may_overflow=renamed.may_overflow) != renamed:
            others[statement.name] = unused(statement.name, taken)
            known[others[statement.name]] = replace(renamed, name=others[statement.name])
    return tuple(known.values())

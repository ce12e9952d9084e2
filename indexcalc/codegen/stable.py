"""Softmax-shaped expressions without overflow: the largest exponent is subtracted before `exp`.

For ``Z[i] = sum[l](w * exp(S[i,l]))`` let ``m[i] = max[l](S[i,l])``. Then ``exp(S[i,j]) / Z[i]`` is
``exp(S[i,j] - m[i]) / Zs[i]`` and ``log(Z[i])`` is ``m[i] + log(Zs[i])``, where ``Zs`` is the sum of
the shifted exponentials. Each use of ``Z`` is rewritten on its own; one that has neither shape keeps
the true ``Z``. Deltas and brackets restrict the maximum as well: what they hide may be huge. A row
that is hidden altogether has ``Z = 0``; what divides by it is not a number, shifted or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import (
    Access,
    Fn,
    Power,
    Term,
    tensors_of,
)
from indexcalc.codegen.exponentials import ONE, ExpSum, Mask, as_exponential, find_sums
from indexcalc.codegen.largest import compared, find_extremes, live, with_extremes
from indexcalc.codegen.shifting import rewritten
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.program import Equation, Program


@dataclass(frozen=True, slots=True)
class Passes:
    """The statements of both passes, and the forward tensors that `Values` keeps."""

    forward: tuple[Statement, ...]
    backward: tuple[Statement, ...]
    kept: tuple[str, ...]


def stable_passes(program: Program, backward: Program) -> Passes:
    """The equations of both passes as statements, in their stable form.

    A sum that the reader gave a name to is kept only where the backward pass reads its true value.
    """
    taken = {*program.tensors, *backward.tensors}
    sums = tuple(find_sums(program, taken))
    extremes = find_extremes(program, taken)
    first = [compared(equation, extremes) for equation in program.equations]
    second = [compared(equation, extremes) for equation in backward.equations]
    reverse = [rewritten(equation, sums, program) for equation in second]
    read = {name for equation in reverse for name in tensors_of(equation.terms)} | set(backward.outputs)
    hidden = hoisted_names(program) - read - set(program.outputs)
    kept = tuple(name for name in program.tensors if name not in hidden)
    ahead = [rewritten(equation, sums, program) for equation in first]
    needed = {*kept, *(name for e in (*ahead, *(found.equation for found in sums)) for name in tensors_of(e.terms))}
    # A shifted sum whose true value nobody needs takes over its name.
    spare = [found.equation.name not in needed for found in sums]
    sums = tuple(
        replace(found, shifted=found.equation.name) if free else found for found, free in zip(sums, spare, strict=True)
    )
    ahead = [rewritten(equation, sums, program) for equation in first]
    reverse = [rewritten(equation, sums, program) for equation in second]
    forward = silenced(forward_statements(ahead, sums, needed), program)
    forward = live(with_extremes(forward, extremes, frozenset()), frozenset(kept), hoisted_names(program))
    return Passes(forward, with_extremes(backward_statements(reverse, sums), extremes, frozenset(kept)), kept)


def hoisted_names(program: Program) -> frozenset[str]:
    """The tensors that the reader gave a name to."""
    return frozenset(equation.name for equation in program.equations if equation.hoisted)


def silenced(statements: Iterable[Statement], program: Program) -> tuple[Statement, ...]:
    """The statements; an exponential that only `Values` needs may overflow where a shifted one is used instead."""
    statements = tuple(statements)
    shifting = any(statement.kind is Kind.MAXIMUM for statement in statements)
    read = {name for statement in statements for name in tensors_of(statement.terms)}
    return tuple(
        replace(s, may_overflow=True)
        if shifting and s.name not in read and as_exponential(Access(s.name, s.axes), program) is not None
        else s
        for s in statements
    )


def forward_statements(
    equations: Iterable[Equation], sums: tuple[ExpSum, ...], needed: set[str]
) -> Iterator[Statement]:
    """The forward pass; the shifted form of a sum stands where the sum does."""
    equations = list(equations)
    by_name = {found.equation.name: found for found in sums}
    read = {name for equation in equations for name in tensors_of(equation.terms)}
    for equation in equations:
        found = by_name.get(equation.name)
        if found is None:
            yield Statement(equation.name, equation.lhs.slots, equation.terms)
            continue
        shifted = list(shift_statements(found, read))
        yield from shifted
        if equation.name in needed or not shifted:
            yield true_sum(found, bool(shifted))


def true_sum(found: ExpSum, is_shifted: bool) -> Statement:
    """The sum itself, from its shifted form where there is one."""
    equation = found.equation
    if not is_shifted:
        return Statement(equation.name, found.slots, equation.terms)
    largest = Term(ONE, ((Access(found.largest, found.slots), ONE),))
    factors: tuple[Power, ...] = ((Fn("exp", (largest,)), ONE), (Access(found.shifted, found.slots), ONE))
    return Statement(equation.name, found.slots, (Term(ONE, factors),), may_overflow=True)


def backward_statements(equations: Iterable[Equation], sums: tuple[ExpSum, ...]) -> Iterator[Statement]:
    """The backward pass; shifted forms that it reads are computed again, before their first use."""
    equations = list(equations)
    read = {name for equation in equations for name in tensors_of(equation.terms)}
    pending = list(sums)
    for equation in equations:
        for found in [found for found in pending if {found.largest, found.shifted, found.numerator} & read]:
            if {found.largest, found.shifted, found.numerator} & set(tensors_of(equation.terms)):
                yield from shift_statements(found, read)
                pending.remove(found)
        yield Statement(equation.name, equation.lhs.slots, equation.terms)


def shift_statements(found: ExpSum, read: set[str]) -> Iterator[Statement]:
    """The maximum, the shifted exponentials if they are used by themselves, and their sum."""
    if not {found.largest, found.shifted, found.numerator} & read:
        return
    (term,) = found.equation.terms
    exponential = found.exponential
    largest = Access(found.largest, found.slots)
    argument = exponential.fn.arg
    if exponential.masks:
        yield Statement(found.hidden, exponential.axes, argument, Kind.HIDDEN, (), exponential.masks)
        argument = (Term(ONE, ((Access(found.hidden, exponential.axes), ONE),)),)
    yield Statement(found.largest, found.slots, argument, Kind.MAXIMUM, term.summed)
    shifted = Fn("exp", (*argument, Term(-ONE, ((largest, ONE),))))
    body: tuple[Power, ...] = ((shifted, ONE),)
    if found.numerator in read:
        yield Statement(found.numerator, exponential.axes, (product(1, body),))
        body = ((Access(found.numerator, exponential.axes), ONE),)
    if found.shifted in read:
        weights = [(b, e) for b, e in term.powers if b != found.source and not isinstance(b, Mask)]
        yield Statement(found.shifted, found.slots, (product(term.coeff, [*weights, *body], term.summed),))

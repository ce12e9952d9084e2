"""Softmax-shaped expressions without overflow: the largest exponent is subtracted before `exp`.

For ``Z[i] = sum[l](w * exp(S[i,l]))`` let ``m[i] = max[l](S[i,l])``. Then ``exp(S[i,j]) / Z[i]`` is
``exp(S[i,j] - m[i]) / Zs[i]`` and ``log(Z[i])`` is ``m[i] + log(Zs[i])``, where ``Zs`` is the sum of
the shifted exponentials. Each use of ``Z`` is rewritten on its own; one that has neither shape keeps
the true ``Z``. Deltas and brackets restrict the maximum as well: what they hide may be huge. A row
that is hidden altogether has ``Z = 0``; what divides by it is not a number, shifted or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import (
    Access,
    Fn,
    Power,
    Term,
    Terms,
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


def stable_passes(program: Program, backward: Program, recompute: Collection[str] = ()) -> Passes:
    """The equations of both passes as statements, in their stable form.

    A sum that the reader gave a name to is kept only where the backward pass reads its true value.
    What is not kept, and is read for all that, the backward pass computes again.

    Args:
        program: the forward pass.
        backward: the backward pass.
        recompute: the intermediates that are not kept.
    """
    taken = {*program.tensors, *backward.tensors}
    sums = tuple(find_sums(program, taken))
    extremes = find_extremes(program, taken)
    first = [compared(equation, extremes) for equation in program.equations]
    second = [compared(eq, extremes) for eq in backward.equations if eq.name not in program.definitions]
    reverse = [rewritten(equation, sums, program) for equation in second]
    read = {name for equation in reverse for name in tensors_of(equation.terms)}
    hidden = hoisted_names(program) - read - set(program.outputs)
    absent = frozenset((*hidden, *recompute, *(name for name in backward.definitions if name in program.definitions)))
    kept = tuple(name for name in program.tensors if name not in absent)
    ahead = [rewritten(equation, sums, program) for equation in first]
    every = (*ahead, *reverse, *(found.equation for found in sums))
    needed = {*kept, *(name for equation in every for name in tensors_of(equation.terms))}
    # A shifted sum whose true value nobody needs takes over its name.
    spare = [found.equation.name not in needed for found in sums]
    sums = tuple(
        replace(found, shifted=found.equation.name) if free else found for found, free in zip(sums, spare, strict=True)
    )
    ahead = [rewritten(equation, sums, program) for equation in first]
    reverse = [rewritten(equation, sums, program) for equation in second]
    forward = silenced(pass_statements(ahead, sums, needed), program)
    forward = live(with_extremes(forward, extremes, frozenset()), frozenset(kept), hoisted_names(program) | absent)
    sources = {name: found.equation.terms for found in sums for name in found.names}
    sources |= {extreme.statement.name: extreme.statement.terms for extreme in extremes}
    again = [eq for eq in ahead if eq.name in computed_again(ahead, reverse, absent, sources)]
    statements = with_extremes(pass_statements([*again, *reverse], sums, needed), extremes, frozenset(kept))
    return Passes(forward, live(statements, frozenset(backward.outputs), absent), kept)


def computed_again(
    forward: Sequence[Equation], reverse: Sequence[Equation], absent: Collection[str], sources: Mapping[str, Terms]
) -> frozenset[str]:
    """The absent tensors that the reverse equations read, or that these are made from.

    Args:
        forward: the forward equations, in order.
        reverse: the backward equations.
        absent: the forward tensors that are not kept.
        sources: what the names are made from that stand for the parts of a stable form.
    """
    definitions = {equation.name: equation.terms for equation in forward if equation.name in absent}
    pending = [name for equation in reverse for name in tensors_of(equation.terms)]
    found: dict[str, None] = {}
    while pending:
        name = pending.pop()
        terms = sources.get(name, definitions.get(name, ()))
        if name not in found and terms:
            found[name] = None
            pending.extend(tensors_of(terms))
    return frozenset(name for name in found if name not in sources)


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


def pass_statements(equations: Iterable[Equation], sums: tuple[ExpSum, ...], needed: set[str]) -> Iterator[Statement]:
    """The equations of one pass; the shifted form of a sum stands where the sum does, or before its first use."""
    equations = list(equations)
    by_name = {found.equation.name: found for found in sums}
    read = {name for equation in equations for name in tensors_of(equation.terms)}
    pending = dict(by_name)
    for equation in equations:
        found = by_name.get(equation.name)
        if found is None:
            names = frozenset(tensors_of(equation.terms))
            for name, other in tuple(pending.items()):
                if names & {*other.names}:
                    yield from shift_statements(pending.pop(name), read)
            yield Statement(equation.name, equation.lhs.slots, equation.terms)
            continue
        pending.pop(equation.name, None)
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


def shift_statements(found: ExpSum, read: set[str]) -> Iterator[Statement]:
    """The maximum, the shifted exponentials if they are used by themselves, and their sum."""
    if not read.intersection(found.names):
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

"""Softmax-shaped expressions without overflow: the largest exponent is subtracted before `exp`.

For ``Z[i] = sum[l](w * exp(S[i,l]))`` let ``m[i] = max[l](S[i,l])``. Then ``exp(S[i,j]) / Z[i]`` is
``exp(S[i,j] - m[i]) / Zs[i]`` and ``log(Z[i])`` is ``m[i] + log(Zs[i])``, where ``Zs`` is the sum of
the shifted exponentials. Each use of ``Z`` is rewritten on its own; one that has neither shape keeps
the true ``Z``. Deltas and brackets restrict the maximum as well: what they hide may be huge. A row
that is hidden altogether has ``Z = 0``; what divides by it is not a number, shifted or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import as_factor, product, scale
from indexcalc.algebra.match import match_base
from indexcalc.algebra.renaming import rename_base, substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Term,
    Terms,
    free_indices,
    tensors_of,
)
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.program import Equation, Program

Mask = Delta | Iverson
ONE = sp.S.One


@dataclass(frozen=True, slots=True)
class Exponential:
    """``masks * exp(argument)``: what is summed over, and what numerators are matched with."""

    fn: Fn
    masks: tuple[Mask, ...]

    @property
    def axes(self) -> tuple[Index, ...]:
        """The indices of the argument, then those that only masks have."""
        return free_indices((Term(ONE, tuple((base, ONE) for base in (self.fn, *self.masks))),))


@dataclass(frozen=True, slots=True)
class ExpSum:
    """A tensor that is a sum of exponentials, and the names of what its shifted form needs.

    Attributes:
        equation: the definition of the sum.
        source: the factor that is the exponential, or the tensor that holds it.
        exponential: the exponential with the deltas and brackets around it.
        largest: the name for the largest argument.
        shifted: the name for the sum of shifted exponentials.
        numerator: the name for the shifted exponentials.
    """

    equation: Equation
    source: Base
    exponential: Exponential
    largest: str
    shifted: str
    numerator: str

    @property
    def slots(self) -> tuple[Index, ...]:
        """The indices of the sum."""
        return self.equation.lhs.slots


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
    reverse = [rewritten(equation, sums, program) for equation in backward.equations]
    read = {name for equation in reverse for name in tensors_of(equation.terms)} | set(backward.outputs)
    kept = tuple(name for name in program.tensors if name not in hoisted_names(program) or name in read)
    ahead = [rewritten(equation, sums, program) for equation in program.equations]
    needed = {*kept, *(name for e in (*ahead, *(found.equation for found in sums)) for name in tensors_of(e.terms))}
    # A shifted sum whose true value nobody needs takes over its name.
    spare = [found.equation.name not in needed for found in sums]
    sums = tuple(
        replace(found, shifted=found.equation.name) if free else found for found, free in zip(sums, spare, strict=True)
    )
    ahead = [rewritten(equation, sums, program) for equation in program.equations]
    reverse = [rewritten(equation, sums, program) for equation in backward.equations]
    forward = silenced(forward_statements(ahead, sums, needed), program)
    return Passes(forward, tuple(backward_statements(reverse, sums)), kept)


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


def find_sums(program: Program, taken: set[str]) -> Iterator[ExpSum]:
    """Every equation that is one sum over an exponential, whatever its weights."""
    for equation in program.equations:
        if len(equation.terms) != 1 or not equation.terms[0].summed:
            continue
        (term,) = equation.terms
        masks = tuple(base for base, _ in term.powers if isinstance(base, Mask))
        factors = [(base, as_exponential(base, program)) for base, exponent in term.powers if exponent == 1]
        found = [(base, e) for base, e in factors if e is not None and set(free_indices(e.fn.arg)) & set(term.summed)]
        if len(found) != 1:
            continue
        ((base, own),) = found
        fn, exponential = own.fn, Exponential(own.fn, tuple(dict.fromkeys((*masks, *own.masks))))
        if set(exponential.axes) != {*equation.lhs.slots, *term.summed}:
            continue
        source = fn.arg[0].powers[0][0] if len(fn.arg) == 1 and len(fn.arg[0].powers) == 1 else None
        stem = source.tensor if isinstance(source, Access) else equation.name
        names = [unused(name, taken) for name in (f"{stem}_max", f"{equation.name}_shifted", f"exp_{stem}")]
        yield ExpSum(equation, base, exponential, *names)


def unused(name: str, taken: set[str]) -> str:
    """The name, or the name with a number; it counts as taken from now on."""
    chosen, number = name, 2
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    taken.add(chosen)
    return chosen


def as_exponential(base: Base, program: Program) -> Exponential | None:
    """The factor as ``masks * exp(argument)``, read through the definition of a named tensor."""
    if isinstance(base, Fn):
        return Exponential(base, ()) if base.name == "exp" else None
    if not isinstance(base, Access) or base.tensor not in program.definitions:
        return None
    equation = program.definitions[base.tensor]
    if len(equation.terms) != 1 or equation.terms[0].summed or equation.terms[0].coeff != 1:
        return None
    (term,) = substitute(equation.terms, dict(zip(equation.lhs.slots, base.slots, strict=True)))
    fns = [b for b, exponent in term.powers if isinstance(b, Fn) and b.name == "exp" and exponent == 1]
    masks = tuple(b for b, _ in term.powers if isinstance(b, Mask))
    return Exponential(fns[0], masks) if len(fns) == 1 and len(term.powers) == 1 + len(masks) else None


def rewritten(equation: Equation, sums: tuple[ExpSum, ...], program: Program) -> Equation:
    """The equation with every stable use of a sum of exponentials in its shifted form."""
    return replace(equation, terms=rewrite_terms(equation.terms, sums, program)) if sums else equation


def rewrite_terms(terms: Terms, sums: tuple[ExpSum, ...], program: Program) -> Terms:
    """Every term rewritten, at every depth."""
    return tuple(part for term in terms for part in rewrite_term(term, sums, program))


def rewrite_term(term: Term, sums: tuple[ExpSum, ...], program: Program) -> Terms:
    """Quotients first, then logarithms and whatever is nested inside the factors."""
    for found in sums:
        term = shift_quotients(term, found, program)
    powers: list[Power] = []
    for base, exponent in term.powers:
        logarithm = shifted_logarithm(base, sums, program)
        if logarithm is not None:
            powers += as_factor(logarithm).powers if exponent == 1 else [(Add(logarithm), exponent)]
        elif isinstance(base, Fn):
            powers.append((Fn(base.name, rewrite_terms(base.arg, sums, program), base.params), exponent))
        elif isinstance(base, Add):
            powers.append((Add(rewrite_terms(base.terms, sums, program)), exponent))
        else:
            powers.append((base, exponent))
    if len(powers) == 1 and isinstance(powers[0][0], Add) and powers[0][1] == 1 and not term.summed:
        return scale(powers[0][0].terms, term.coeff)
    return (product(term.coeff, powers, term.summed),)


def shift_quotients(term: Term, found: ExpSum, program: Program) -> Term:
    """Every ``exp(argument) / Z`` of the term in its shifted form."""
    for position, (divisor, exponent) in enumerate(term.powers):
        if not (isinstance(divisor, Access) and divisor.tensor == found.equation.name):
            continue
        if not (exponent.is_Integer and exponent.is_negative):
            continue
        for number, (base, power) in enumerate(term.powers):
            if number == position or not (power.is_Integer and power.is_positive):
                continue
            numerator = shifted_numerator(base, divisor, found, term, program)
            if numerator is None:
                continue
            count = min(power, -exponent)
            change = [(base, -count), (divisor, count), *((b, count) for b in numerator)]
            change.append((Access(found.shifted, divisor.slots), -count))
            drop = set(numerator_masks(base, divisor, found, program) or ())
            powers = [p for p in term.powers if p[0] not in drop]
            return shift_quotients(product(term.coeff, [*powers, *change], term.summed), found, program)
    return term


def numerator_masks(base: Base, divisor: Access, found: ExpSum, program: Program) -> tuple[Mask, ...] | None:
    """The masks of the sum under the names that they have at this numerator; None if it is not one."""
    exponential = as_exponential(base, program)
    if exponential is None:
        return None
    start = dict(zip(found.slots, divisor.slots, strict=True))
    binding = next(match_base(found.exponential.fn, exponential.fn, start), None)
    if binding is None or any(axis not in binding for axis in found.exponential.axes):
        return None
    renamed = (rename_base(mask, binding) for mask in found.exponential.masks)
    return tuple(mask for mask in renamed if isinstance(mask, Mask))


def shifted_numerator(
    base: Base, divisor: Access, found: ExpSum, term: Term, program: Program
) -> tuple[Base, ...] | None:
    """What stands for the exponential `base` in the shifted form; None if it is no numerator of this sum."""
    exponential = as_exponential(base, program)
    if exponential is None:
        return None
    start = dict(zip(found.slots, divisor.slots, strict=True))
    binding = next(match_base(found.exponential.fn, exponential.fn, start), None)
    if binding is None:
        return None
    masks = numerator_masks(base, divisor, found, program)
    present = {*term.bases, *exponential.masks}
    if masks is not None and all(mask in present for mask in masks):
        extra = tuple(mask for mask in exponential.masks if mask not in masks)
        return (Access(found.numerator, tuple(binding[axis] for axis in found.exponential.axes)), *extra)
    shifted = (*exponential.fn.arg, Term(-ONE, ((Access(found.largest, divisor.slots), ONE),)))
    return (Fn("exp", shifted), *exponential.masks)


def shifted_logarithm(base: Base, sums: tuple[ExpSum, ...], program: Program) -> Terms | None:
    """``log(c * exp(a)^k * Z^n)`` as ``k a + n (m + log Zs) + log c``, also through named quotients."""
    if not (isinstance(base, Fn) and base.name == "log" and len(base.arg) == 1):
        return None
    by_name = {found.equation.name: found for found in sums}
    term = unfolded(base.arg[0], by_name, program)
    if not term.coeff.is_positive or not any(isinstance(b, Access) and b.tensor in by_name for b, _ in term.powers):
        return None
    parts: list[Term] = []
    for factor, exponent in term.powers:
        if isinstance(factor, Fn) and factor.name == "exp":
            parts += [product(exponent * part.coeff, part.powers) for part in factor.arg]
        elif isinstance(factor, Access) and factor.tensor in by_name:
            found = by_name[factor.tensor]
            shifted = Term(ONE, ((Access(found.shifted, factor.slots), ONE),))
            parts.append(Term(exponent, ((Access(found.largest, factor.slots), ONE),)))
            parts.append(Term(exponent, ((Fn("log", (shifted,)), ONE),)))
        else:
            return None
    return (*parts, *((Term(sp.log(term.coeff)),) if term.coeff != 1 else ()))


def unfolded(term: Term, sums: Mapping[str, ExpSum], program: Program) -> Term:
    """The term with every tensor that is a product of exponentials and sums of them replaced by that product."""
    powers: list[Power] = []
    coeff = term.coeff
    for base, exponent in term.powers:
        equation = program.definitions.get(base.tensor) if isinstance(base, Access) else None
        if equation is None or not isinstance(base, Access) or base.tensor in sums or not is_product(equation):
            powers.append((base, exponent))
            continue
        (inner,) = substitute(equation.terms, dict(zip(equation.lhs.slots, base.slots, strict=True)))
        inner = unfolded(inner, sums, program)
        coeff = coeff * inner.coeff**exponent
        powers += [(b, e * exponent) for b, e in inner.powers]
    return product(coeff, powers, term.summed)


def is_product(equation: Equation) -> bool:
    """Whether a definition is one term without sums, deltas or brackets, and positive in front."""
    if len(equation.terms) != 1 or equation.terms[0].summed:
        return False
    (term,) = equation.terms
    return bool(term.coeff.is_positive) and not any(isinstance(base, Mask) for base in term.bases)


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
    yield Statement(found.largest, found.slots, exponential.fn.arg, Kind.MAXIMUM, term.summed, exponential.masks)
    shifted = Fn("exp", (*exponential.fn.arg, Term(-ONE, ((largest, ONE),))))
    body: tuple[Power, ...] = tuple((base, ONE) for base in (*exponential.masks, shifted))
    if found.numerator in read:
        yield Statement(found.numerator, exponential.axes, (product(1, body),))
        body = ((Access(found.numerator, exponential.axes), ONE),)
    if found.shifted in read:
        weights = [(b, e) for b, e in term.powers if b != found.source and not isinstance(b, Mask)]
        yield Statement(found.shifted, found.slots, (product(term.coeff, [*weights, *body], term.summed),))

"""Terms → NumPy expressions: one contraction for each group of factors that sums connect, the rest broadcast."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from indexcalc.algebra.build import is_negative, product
from indexcalc.algebra.canonical import components
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.slots import plain_slots
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Power,
    Term,
    Terms,
    free_indices,
    occurring_indices,
    tensors_of,
    walk,
)
from indexcalc.calculus.pointwise import call_template, row_of
from indexcalc.codegen.contraction import contracted, einsum
from indexcalc.codegen.factors import Factor, fused, multiplied, where, with_masks
from indexcalc.codegen.operands import (
    Axes,
    Mask,
    Operand,
    Scope,
    aligned,
    arranged,
    as_numbers,
    common_axes,
    masks_node,
    of_matrices,
    reduced,
    transposed,
)
from indexcalc.codegen.scalars import scalar_node, split_scalar
from indexcalc.codegen.source import Atom, Binary, Call, Node, flat, signed_sum
from indexcalc.errors import UnsupportedError


def terms_node(terms: Terms, axes: Axes, scope: Scope) -> Node:
    """The array with exactly `axes` that holds the sum of `terms`."""
    if not terms:
        return Call("np.zeros", (shape_of(axes, scope),), (f"dtype={scope.dtype}",)) if axes else Atom("0.0")
    return spread(terms_operand(terms, axes, scope), axes, scope)


def spread(operand: Operand, axes: Axes, scope: Scope) -> Node:
    """An array with some of `axes` as one with exactly these: along those that it lacks it does not vary."""
    if not operand.axes and axes:
        return Call("np.full", (shape_of(axes, scope), operand.node), (f"dtype={scope.dtype}",))
    if len(operand.axes) < len(axes):
        return Call("np.broadcast_to", (aligned(operand, axes), shape_of(axes, scope)))
    return transposed(operand, axes).node


def shape_of(axes: Axes, scope: Scope) -> Atom:
    """The lengths of axes as a tuple."""
    lengths = ", ".join(flat(scalar_node(axis.extent, scope.scalars)) for axis in axes)
    return Atom(f"({lengths},)" if len(axes) == 1 else f"({lengths})")


def terms_operand(terms: Terms, order: Axes, scope: Scope) -> Operand:
    """The sum of `terms` over the axes that they have; 0 where there is none."""
    if not terms:
        return Operand(Atom("0.0"), ())
    terms = tuple(part for term in terms for part in distributed(term))
    signed = [(is_negative(term.coeff), term) for term in terms]
    parts = [
        (minus, term_operand(Term(-term.coeff, term.powers, term.summed) if minus else term, order, scope))
        for minus, term in signed
    ]
    if len(parts) == 1 and not parts[0][0]:
        return parts[0][1]
    axes = common_axes([operand for _, operand in parts], order)
    return Operand(signed_sum([(minus, aligned(operand, axes)) for minus, operand in parts]), axes)


def distributed(term: Term) -> Terms:
    """The term, with a sum inside it multiplied out where its array would be larger than all that it is made of.

    ``sum[j](X[j,l] * (B[i,j] * C[l,k] + ...))`` costs two small products, not an array over all four indices. A
    difference stays: ``sum[k](w[n,k] * (X[n,d] - m[k,d]))`` loses its digits where both are large.
    """
    for number, (base, exponent) in enumerate(term.powers):
        if not isinstance(base, Add) or exponent != 1:
            continue
        axes = free_indices(base)
        widest = max(len(free_indices(factor)) for part in base.terms for factor in (*part.bases, Add(())))
        differs = len({is_negative(part.coeff) for part in base.terms}) == 2
        if len(axes) > max(widest, 2) and set(axes) & set(term.summed) and not differs:
            before, after = term.powers[:number], term.powers[number + 1 :]
            parts = (product(term.coeff * p.coeff, before + p.powers + after, term.summed) for p in base.terms)
            return tuple(piece for part in parts for piece in distributed(part))
    return (term,)


def term_operand(term: Term, order: Axes, scope: Scope) -> Operand:
    """One term whose coefficient has no minus sign."""
    term = without_inner_deltas(term)
    order = (*order, *(axis for axis in term.summed if axis not in order))
    masks, factors = masked_exponentials(
        [base for base, _ in term.powers if isinstance(base, Mask) and not occurs_summed(base, term)],
        [power for power in term.powers if not isinstance(power[0], Mask) and not occurs_summed(power[0], term)],
        order,
        scope,
    )
    bound = [group for group in components(term) if group[1]]
    sums = [Factor(sum_operand(powers, summed, order, scope)) for powers, summed in bound]
    first_sum = min((term.powers.index(powers[0]) for powers, _ in bound), default=len(term.powers))
    leading = sum(1 for power in term.powers[:first_sum] if not isinstance(power[0], Mask))
    factors = [*factors[:leading], *sums, *factors[leading:]]
    multipliers, divisors = split_scalar(term.coeff, scope.scalars)
    scalars = (
        [Factor(Operand(node, ())) for node in multipliers],
        [Factor(Operand(node, ()), True) for node in divisors],
    )
    read = any(tensors_of(base) for base in term.bases if not isinstance(base, Mask))
    if masks and not read and not any(factor.operand.axes for factor in factors):
        # A number to choose beside 0 would say nothing of the dtype.
        cast = as_numbers(masks_node(masks, order, scope), scope)
        return multiplied([*scalars[0], *factors, Factor(cast), *scalars[1]], order)
    value = multiplied([*scalars[0], *factors, *scalars[1]], order)
    return where(masks, value, order, scope)


def occurs_summed(base: Base, term: Term) -> bool:
    """Whether a factor carries one of the term's own summed indices."""
    return any(index in term.summed for index in free_indices((Term(sp.S.One, ((base, sp.S.One),)),)))


def without_inner_deltas(term: Term) -> Term:
    """sum_i delta_ij f_i = f_j: no sum over a delta is ever written out."""
    for base, _ in term.powers:
        if isinstance(base, Delta) and base.is_plain:
            sides = plain_slots((base.left, base.right))
            killed = next((index for index in sides if index in term.summed), None)
            if killed is not None and sides[0].extent == sides[1].extent:
                renaming = {killed: base.other(killed)}
                summed = tuple(index for index in term.summed if index != killed)
                return without_inner_deltas(product(term.coeff, rename_powers(term.powers, renaming), summed))
    return term


def masked_exponentials(
    masks: list[Mask], powers: list[Power], order: Axes, scope: Scope
) -> tuple[list[Mask], list[Factor]]:
    """The factors with every mask put inside the exponentials that have its indices, and the masks left over.

    A mask times ``exp`` may be zero times infinity, and so may be two exponentials; ``exp`` of minus infinity is zero.
    """
    left = list(masks)
    factors = []
    for base, exponent in powers:
        if masks and isinstance(base, Fn) and base.name == "exp" and exponent == 1:
            argument = terms_operand(base.arg, order, scope)
            inside = [mask for mask in masks if set(occurring_indices(mask)) <= set(argument.axes)]
            if inside:
                left = [mask for mask in left if mask not in inside]
                hidden = where(inside, argument, order, scope, otherwise="-np.inf")
                factors.append(Factor(Operand(Call("np.exp", (hidden.node,)), hidden.axes)))
                continue
        factors.append(power_factor(base, exponent, order, scope))
    return left, factors


def power_factor(base: Base, exponent: sp.Expr, order: Axes, scope: Scope) -> Factor:
    """``base**exponent``, as a divisor where the exponent is negative."""
    divides = exponent.could_extract_minus_sign()
    size = -exponent if divides else exponent
    operand = base_operand(base, order, scope)
    # A root of plain numbers is a power: np.sqrt would make a NumPy scalar, which is float64.
    if size == sp.Rational(1, 2) and (operand.axes or tensors_of((Term(sp.S.One, ((base, sp.S.One),)),))):
        operand = Operand(Call("np.sqrt", (operand.node,)), operand.axes)
    elif size.is_Integer and 2 < size <= MOST_SQUARES and operand.axes and scope.dialect.name == "numpy":
        operand = Operand(whole_power(operand.node, int(size)), operand.axes)
    elif size != 1:
        operand = Operand(Binary("**", operand.node, scalar_node(size, scope.scalars)), operand.axes)
    return Factor(operand, divides)


MOST_SQUARES = 16
"""The largest whole exponent that is written as squares and products: NumPy has a fast power for the square alone."""


def whole_power(node: Node, exponent: int) -> Node:
    """``x**2 * x``, ``(x**2) ** 2``: a power from squares, each exact to rounding."""
    if exponent == 1:
        return node
    if exponent % 2:
        return Binary("*", whole_power(node, exponent - 1), node)
    return Binary("**", whole_power(node, exponent // 2), Atom("2"))


def base_operand(base: Base, order: Axes, scope: Scope) -> Operand:
    """One factor as an array."""
    match base:
        case Access(tensor, slots):
            name = Operand(Atom(scope.tensors[tensor]), base.indices)
            # Not np.diagonal: it moves the axis to the end.
            return name if len(set(slots)) == len(slots) else diagonal(name)
        case Add(terms):
            return terms_operand(terms, order, scope)
        case Fn(name, args):
            operands = [terms_operand(arg, order, scope) for arg in args]
            axes = common_axes(operands, order)
            known = {letter: aligned(operand, axes) for letter, operand in zip("xyz", operands, strict=False)}
            call = applied(row_of(name).numpy, known)
            # A NumPy scalar is float64 and would promote float32 arrays; a Python float does not.
            return Operand(call if tensors_of(base) or axes else Call("float", (call,)), axes)
        case MatrixFunction(tensor, slots) if len(set(slots)) == len(slots) and all(
            isinstance(s, Index) for s in slots
        ):
            return Operand(of_matrices(base.word, Atom(scope.tensors[tensor])), plain_slots(slots))
        case Delta() | Iverson():
            return masks_node([base], order, scope)
        case MatrixFunction(tensor):
            raise UnsupportedError(
                f"{base.word} of {tensor} is taken step by step, and code takes those of all steps at once so far; "
                f"give it an equation of its own, which reads no step"
            )
    raise UnsupportedError("an unevaluated derivative cannot be written as code")


def applied(template: str, known: Mapping[str, Node]) -> Call:
    """A function of the table applied to what its letters stand for."""
    function, arguments = call_template(template)
    return Call(function, tuple(filled(part, known) for part in arguments))


def filled(part: str, known: Mapping[str, Node]) -> Node:
    """An argument of a function of the table: a letter, a comparison of one with a number, or a number."""
    letter, relation, number = part.partition(" > ")
    node = known[letter.strip("{}")] if letter.startswith("{") else Atom(letter)
    return Binary(">", node, Atom(number)) if relation else node


def diagonal(operand: Operand) -> Operand:
    """``A[i,i]``: the entries whose equal indices agree."""
    axes = tuple(dict.fromkeys(operand.axes))
    view = einsum([operand], axes).node
    assert isinstance(view, Call)
    return Operand(Call(view.function, view.arguments), axes)


def sum_operand(powers: tuple[Power, ...], summed: Axes, order: Axes, scope: Scope) -> Operand:
    """The sum over `summed` of a product that these sums connect."""
    inner = stored_order(powers, order)
    masks, factors = masked_exponentials(
        [base for base, _ in powers if isinstance(base, Mask)],
        [power for power in powers if not isinstance(power[0], Mask)],
        inner,
        scope,
    )
    factors = with_masks(masks, factors, inner, scope)
    operands = fused(factors, summed, inner, scope)
    union = dict.fromkeys(axis for operand in operands for axis in operand.axes)
    out = arranged([axis for axis in union if axis not in summed], order)
    if len(operands) == 1:
        return reduced(operands[0], summed)
    return contracted(operands, out, scope)


def stored_order(powers: tuple[Power, ...], order: Axes) -> Axes:
    """The axes as they are stored in a tensor that has all of them, so that it needs no transpose; else `order`."""
    term = Term(sp.S.One, powers)
    axes = frozenset(free_indices(term))
    whole = (base.indices for base in walk(term) if isinstance(base, Access) and frozenset(base.slots) == axes)
    first = next((slots for slots in whole if len(slots) == len(axes)), ())
    return (*first, *(axis for axis in order if axis not in axes)) if first else order

"""Factors of a product: multiplied where their indices nest, hidden by masks, ready for a contraction."""

from __future__ import annotations

from dataclasses import dataclass

from indexcalc.algebra.terms import occurring_indices
from indexcalc.codegen.operands import (
    Axes,
    Mask,
    Operand,
    Scope,
    aligned,
    as_numbers,
    common_axes,
    masks_node,
)
from indexcalc.codegen.source import Atom, Call, product_of


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor of a product: an operand, or a divisor."""

    operand: Operand
    divides: bool = False


def where(masks: list[Mask], value: Operand, order: Axes, scope: Scope, otherwise: str = "0.0") -> Operand:
    """The value where all masks hold, a constant elsewhere."""
    if not masks:
        return value
    mask = masks_node(masks, order, scope)
    axes = common_axes([value, mask], order)
    mask = masks_node(masks, axes, scope)
    chosen = Call("np.where", (aligned(mask, axes), aligned(value, axes), Atom(otherwise)))
    return Operand(chosen, axes)


def multiplied(factors: list[Factor], order: Axes) -> Operand:
    """The pointwise product, divisors last."""
    if len(factors) == 1 and not factors[0].divides:
        return factors[0].operand
    axes = common_axes([factor.operand for factor in factors], order)
    above = [aligned(factor.operand, axes) for factor in factors if not factor.divides]
    below = [aligned(factor.operand, axes) for factor in factors if factor.divides]
    return Operand(product_of(above, below), axes)


def with_masks(masks: list[Mask], factors: list[Factor], order: Axes, scope: Scope) -> list[Factor]:
    """Every mask put on a factor that has its indices, or made a factor of zeros and ones."""
    result = list(factors)
    alone: list[Mask] = []
    for mask in masks:
        fits = [
            n for n, f in enumerate(result) if not f.divides and set(occurring_indices(mask)) <= set(f.operand.axes)
        ]
        if fits:
            place = min(fits, key=lambda n: len(result[n].operand.axes))
            result[place] = Factor(where([mask], result[place].operand, order, scope))
        else:
            alone.append(mask)
    for mask in alone:
        result.append(Factor(as_numbers(masks_node([mask], order, scope), scope)))
    return result


def fused(factors: list[Factor], order: Axes) -> list[Operand]:
    """The operands of a contraction: divisors and, while there are more than two, factors whose indices nest."""
    work = list(factors)
    for factor in [factor for factor in work if factor.divides]:
        work.remove(factor)
        hosts = [f for f in work if not f.divides and set(factor.operand.axes) <= set(f.operand.axes)]
        if hosts:
            host = min(hosts, key=lambda f: len(f.operand.axes))
            work[work.index(host)] = Factor(multiplied([host, factor], order))
        else:
            work.append(Factor(multiplied([factor], order)))
    operands = [factor.operand for factor in work]
    while len(operands) > 2:
        pair = nesting_pair(operands)
        if pair is None:
            break
        outer, inner = pair
        joined = multiplied([Factor(operands[min(pair)]), Factor(operands[max(pair)])], order)
        operands[outer] = joined
        del operands[inner]
    return operands


def nesting_pair(operands: list[Operand]) -> tuple[int, int] | None:
    """``(host, guest)``: two operands with the guest's indices among the host's, the tightest fit first."""
    best: tuple[int, int, int, int] | None = None
    for host, outer in enumerate(operands):
        for guest, inner in enumerate(operands):
            if host != guest and set(inner.axes) <= set(outer.axes):
                loose = len(outer.axes) - len(inner.axes)
                rank = (loose, len(outer.axes), min(host, guest), host)
                if best is None or rank < best[:4]:
                    best, chosen = rank, (host, guest)
    return None if best is None else chosen

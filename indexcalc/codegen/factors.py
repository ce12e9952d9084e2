"""Factors of a product: joined where their indices nest, hidden by masks, ready for a contraction."""

from __future__ import annotations

from dataclasses import dataclass

from indexcalc.algebra.terms import Index, occurring_indices
from indexcalc.codegen.contraction import contracted
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


def fused(factors: list[Factor], summed: Axes, order: Axes, scope: Scope) -> list[Operand]:
    """The operands of a contraction: divisors and, while there are more than two, factors whose indices nest.

    Where the two alone have a summed index, as a matrix and a vector, they become their product without it.
    """
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
        pair = nesting_pair(operands, summed)
        if pair is None:
            break
        outer, inner = pair
        both = [operands[number] for number in sorted(pair)]
        own = own_axes(pair, operands, summed)
        kept = arranged([axis for axis in operands[outer].axes if axis not in own], order)
        operands[outer] = contracted(both, kept, scope) if own else multiplied([*map(Factor, both)], order)
        del operands[inner]
    return operands


def nesting_pair(operands: list[Operand], summed: Axes) -> tuple[int, int] | None:
    """``(host, guest)``: two operands with the guest's indices among the host's.

    Those that a sum makes smaller come first, then the tightest fit.
    """
    best: tuple[bool, int, int, int, int] | None = None
    for host, outer in enumerate(operands):
        for guest, inner in enumerate(operands):
            if host != guest and set(inner.axes) <= set(outer.axes):
                loose = len(outer.axes) - len(inner.axes)
                stays = not own_axes((host, guest), operands, summed)
                rank = (stays, loose, len(outer.axes), min(host, guest), host)
                if best is None or rank < best:
                    best, chosen = rank, (host, guest)
    return None if best is None else chosen


def own_axes(pair: tuple[int, int], operands: list[Operand], summed: Axes) -> set[Index]:
    """The summed axes that two operands share, and that no other operand has."""
    rest = {axis for number, operand in enumerate(operands) if number not in pair for axis in operand.axes}
    shared = set(operands[pair[0]].axes) & set(operands[pair[1]].axes)
    return (shared & set(summed)) - rest

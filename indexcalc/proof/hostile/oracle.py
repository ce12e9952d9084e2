"""What is right at a point: the precision is raised until two agree, to far less than rounding explains.

Nothing is right where what the author asked for exceeds the smallest format, or central differences of the loss
do not agree with the adjoints.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, getcontext, localcontext
from functools import partial

from indexcalc.proof.hostile.adjoints import Chain, spans_back
from indexcalc.proof.hostile.explained import FORMATS, Errors, Explained, Format
from indexcalc.proof.hostile.nodes import Leaf, MatrixDeterminant, Node, Power, Product, Root, Sum
from indexcalc.proof.hostile.passes import Asked, Entries, Inputs, Passes, UndeterminedError, both_passes
from indexcalc.proof.hostile.runs import loss_of
from indexcalc.proof.hostile.sweep import forward
from indexcalc.proof.hostile.wide import ONE, ZERO, wide

DIGITS = (32, 64, 160, 480)
"""The precisions that are tried, in decimal digits; ``1 - p`` of a softmax needs 43 for a gap of 100."""

AGREEMENT = 2.0**-10
"""The share of a double's rounding within which two precisions must agree."""

SLOPE_BOUND = Decimal("1e-6")
"""How well central differences must agree with the adjoints, relative to the terms that are added up."""

LEEWAY = 1000
"""How much larger than what zeros multiply its derivative may be."""

BEYOND = f"values exceed {FORMATS[0].name}"
"""Why a point is made milder, most often."""


@dataclass(frozen=True)
class Truth:
    """The right values at one point.

    Attributes:
        values: the entries of each tensor, row-major; NaN where the program has no value.
        gradients: those of each gradient asked for, by its tensor.
        explained: by format, the errors that are no defects.
        floor: by format, an error that comes from numbers too small for it.
        digits: the precision at which it was found.
    """

    values: Mapping[str, Entries]
    gradients: Mapping[str, Entries]
    explained: Mapping[str, Explained]
    floor: Mapping[str, float]
    digits: int


def truth(asked: Asked, inputs: Inputs) -> Truth:
    """The right values at a point.

    Args:
        asked: what is asked for.
        inputs: the entries of each input, row-major.

    Raises:
        UndeterminedError: if the point lies outside the domain, if numbers that the author asked for do not fit
            the smallest format, or if no two precisions agree.
    """
    # Nothing raises here either, where numbers are compared that no format holds.
    with localcontext(wide(DIGITS[0])):
        return settled(asked, inputs)


def settled(asked: Asked, inputs: Inputs) -> Truth:
    """The right values, in precision that rises until two agree; see `truth`."""
    single, double = FORMATS
    with localcontext(wide(DIGITS[0])):
        coarse = both_passes(asked, inputs)
    for before, digits in itertools.pairwise(DIGITS):
        with localcontext(wide(digits)):
            fine = both_passes(asked, inputs, near=coarse.run)
        with localcontext(wide(before)):
            spans = spans_back(asked.graph, coarse.run, asked.weights)
        explained = {f.name: Explained(asked, inputs, coarse, spans, before, f) for f in FORMATS}
        floors = {format.name: floor_of(asked, fine, format) for format in FORMATS}
        if not fine.run.absorbed and agree(asked, coarse, fine, explained[double.name], floors[double.name]):
            break
        coarse = fine
    else:
        raise UndeterminedError(f"not determined within {DIGITS[-1]} digits")
    check_fit(asked, fine, single)
    with localcontext(wide(digits)):
        check_slopes(asked, fine, inputs)
    return Truth(
        {name: picked(asked, name, fine.run.values) for name in asked.graph.entries},
        {name: picked(asked, name, fine.adjoints.values) for name in asked.targets},
        explained,
        floors,
        digits,
    )


def picked(asked: Asked, name: str, numbers: Entries) -> Entries:
    """The numbers at the entries of a tensor."""
    return [numbers[node] for node in asked.graph.entries[name]]


def agree(asked: Asked, coarse: Passes, fine: Passes, explained: Explained, floor: float) -> bool:
    """Whether two precisions give the same for all that is compared, to far less than a double's rounding.

    Nearly always the own rounding of each number says so, which is no more than the whole of what rounding explains.
    """
    agree_within = partial(same_within, asked, coarse, fine, floor)
    return agree_within(explained.own) or agree_within(explained.whole)


def same_within(asked: Asked, coarse: Passes, fine: Passes, floor: float, allowed: Errors) -> bool:
    """Whether two precisions give the same, to a small share of some errors and a floor."""
    pairs = [(name, coarse.run.values, fine.run.values, allowed[0][name]) for name in asked.written]
    pairs += [(name, coarse.adjoints.values, fine.adjoints.values, allowed[1][name]) for name in asked.targets]
    for name, lefts, rights, errors in pairs:
        for left, right, error in zip(picked(asked, name, lefts), picked(asked, name, rights), errors, strict=True):
            if left.is_finite() != right.is_finite():
                return False
            if left.is_finite() and float(abs(left - right)) > AGREEMENT * (error + floor):
                return False
    return True


def sizes_compared(asked: Asked, passes: Passes) -> list[Decimal]:
    """The absolute terms that every number that is compared is made of; what is not finite is left out."""
    found = [size for name in asked.written for size in picked(asked, name, passes.run.sizes)]
    found += [size for name in asked.targets for size in picked(asked, name, passes.adjoints.sizes)]
    return [size for size in found if size.is_finite()]


def floor_of(asked: Asked, passes: Passes, format: Format) -> float:
    """The least normal number, as large as the largest number that may multiply it."""
    largest = max([ONE, *sizes_compared(asked, passes)])
    return float(format.least * min(largest, format.largest))


def check_fit(asked: Asked, passes: Passes, format: Format) -> None:
    """Return if everything that the author asked for fits the format.

    Raises:
        UndeterminedError: if not.
    """
    sizes = [*sizes_compared(asked, passes), *sizes_behind_zeros(asked, passes), *sizes_of_matrices(asked, passes)]
    if any(size > format.largest for size in sizes):
        raise UndeterminedError(BEYOND)


def sizes_behind_zeros(asked: Asked, passes: Passes) -> Iterator[Decimal]:
    """What zeros multiply in the author's equations, quotients aside: zero times what exceeds a format is no number.

    In a quotient such as ``m exp(s) / sum(m exp(s))`` careful code never computes what a mask m hides.
    """
    nodes, values = asked.graph.nodes, passes.run.values
    for name in asked.written:
        for entry in asked.graph.entries[name]:
            total = nodes[entry]
            for part in total.parts if isinstance(total, Sum) else ():
                node = nodes[part]
                if isinstance(node, Product) and values[part] == 0:
                    divided = any(isinstance(n := nodes[p], Power) and n.exponent.is_negative for p in node.parts)
                    if not divided:
                        yield from (abs(values[p]) * LEEWAY for p in node.parts if values[p].is_finite())


def sizes_of_matrices(asked: Asked, passes: Passes) -> Iterator[Decimal]:
    """The gradients of the matrices of systems and determinants: a solver knows matrices and vectors, no other form.

    With ``sum[j](A[i,j]*x[j]) = b[i]`` and the adjoint variables v they are ``-v[i]*x[j]``, which may leave a format
    that v and x fit, and nothing can be put in for the two.
    """
    nodes = asked.graph.nodes
    for number, node in enumerate(nodes):
        readers = [number] if isinstance(node, MatrixDeterminant) else []
        if isinstance(node, Root) and node.entry == 0:
            totals = [nodes[residual] for residual in node.residuals]
            readers = [part for total in totals if isinstance(total, Sum) for part in total.parts]
        for reader in readers:
            received = defaultdict[int, list[Decimal]](list)
            Chain(nodes, passes.run, received).hand_on(reader, passes.adjoints.values[reader])
            yield from (abs(size) for sizes in received.values() for size in sizes if size.is_finite())


def check_slopes(asked: Asked, passes: Passes, inputs: Inputs) -> None:
    """Return if central differences of the loss, all tensors moved at once, agree with the adjoints.

    At a kink, and where something has no value, nothing is compared.

    Raises:
        UndeterminedError: if they differ.
    """
    graph, source, digits = asked.graph, random.Random(asked.seed), getcontext().prec
    length = ONE.scaleb(-digits // 3)
    sizes = {n: passes.run.sizes[n] or ONE for n, node in enumerate(graph.nodes) if is_entry(node)}
    direction = {n: size * source.randint(-1000, 1000) / 1000 for n, size in sizes.items() if size.is_finite()}
    ahead, behind = (
        forward(graph, inputs, shifts={n: sign * length * d for n, d in direction.items()}, near=passes.run)
        for sign in (1, -1)
    )
    found = (loss_of(ahead, asked.weights) - loss_of(behind, asked.weights)) / (2 * length)
    terms = [passes.adjoints.values[n] * d for n, d in direction.items()]
    expected, scale = sum(terms, ZERO), sum(map(abs, terms), ZERO)
    smooth = ahead.sides == passes.run.sides == behind.sides
    if not (smooth and found.is_finite() and expected.is_finite()):
        return
    loss = sum((abs(weight) * passes.run.sizes[n] for n, weight in asked.weights.items()), ZERO)
    if abs(found - expected) > SLOPE_BOUND * scale + loss.scaleb(-digits // 2) / length:
        raise UndeterminedError(f"central differences give {found:.8e}, the adjoints {expected:.8e}")


def is_entry(node: Node) -> bool:
    """Whether a node is an entry of a tensor."""
    return isinstance(node, Leaf | Root) or (isinstance(node, Sum) and bool(node.tensor))

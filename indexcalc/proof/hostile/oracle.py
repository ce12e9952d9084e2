"""What is right at a point, and how much of an error the program itself explains.

The precision is raised until two agree. The explained error of a number is what it moves by when every
input, every tensor entry and every sum of the program, and every gradient on the way, is moved by a
rounding of what was added up (Monte Carlo arithmetic; Parker, 1997), together with its own rounding:
of a tensor's entry that of its terms, of a gradient that of the products along all ways from the loss.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, getcontext, localcontext

import numpy as np

from indexcalc.proof.hostile.adjoints import Chain, backward, spans_back
from indexcalc.proof.hostile.nodes import Leaf, MatrixDeterminant, Node, Power, Product, Root, Sum
from indexcalc.proof.hostile.runs import Adjoints, Forward, Rounding, loss_of
from indexcalc.proof.hostile.sweep import forward
from indexcalc.proof.hostile.unrolled import Unrolled
from indexcalc.proof.hostile.wide import ONE, ZERO, wide
from indexcalc.proof.numeric import Array

DIGITS = (32, 64, 160, 480)
"""The precisions that are tried, in decimal digits; ``1 - p`` of a softmax needs 43 for a gap of 100."""

PATTERNS = 4
"""How many patterns of roundings are tried for each format."""

AGREEMENT = 2.0**-10
"""The share of a double's rounding within which two precisions must agree."""

SLOPE_BOUND = Decimal("1e-6")
"""How well central differences must agree with the adjoints, relative to the terms that are added up."""

Entries = Sequence[Decimal]
LEEWAY = 1000
"""How much larger than what zeros multiply its derivative may be."""

Inputs = Mapping[str, Entries]
Errors = tuple[Mapping[str, Array], Mapping[str, Array]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of floating-point numbers: its rounding unit, its least normal and its largest number."""

    name: str
    unit: Decimal
    least: Decimal
    largest: Decimal


def format_of(name: str) -> Format:
    """The format of a NumPy type."""
    info = np.finfo(np.dtype(name))
    # Below tiny over eps, the factors of a number may have lost digits to underflow, though it has none itself.
    unit, least, largest = (Decimal(float(value)) for value in (info.eps / 2, info.tiny / info.eps, info.max))
    return Format(name, unit, least, largest)


FORMATS = (format_of("float32"), format_of("float64"))

BEYOND = f"values exceed {FORMATS[0].name}"
"""Why a point is made milder, most often."""


@dataclass(frozen=True)
class Truth:
    """The right values at one point.

    Attributes:
        values: the entries of each tensor, row-major; NaN where the program has no value.
        gradients: those of each gradient asked for, by its tensor.
        explained: by format, then as ``values`` and ``gradients``, the error that is no defect.
        floor: by format, an error that comes from numbers too small for it.
        digits: the precision at which it was found.
    """

    values: Mapping[str, Entries]
    gradients: Mapping[str, Entries]
    explained: Mapping[str, Errors]
    floor: Mapping[str, float]
    digits: int


class UndeterminedError(Exception):
    """A point at which the oracle gives no answer; the text says why."""


@dataclass(frozen=True)
class Asked:
    """What the oracle is asked for.

    Attributes:
        graph: the program.
        written: the tensors the author wrote, inputs aside; what the reader named may leave the format.
        targets: the tensors whose gradients are asked for.
        weights: the upstream gradient of each node that has one.
        seed: of the roundings, and of the direction of central differences.
    """

    graph: Unrolled
    written: tuple[str, ...]
    targets: tuple[str, ...]
    weights: Mapping[int, Decimal]
    seed: int


@dataclass(frozen=True)
class Passes:
    """Both passes, once."""

    run: Forward
    adjoints: Adjoints


def both_passes(asked: Asked, inputs: Inputs, rounding: Rounding | None = None, near: Forward | None = None) -> Passes:
    """The forward and the backward pass in the precision of the context.

    Raises:
        UndeterminedError: if the point lies outside the domain.
    """
    run = forward(asked.graph, inputs, rounding, near=near)
    if run.outside and rounding is None:
        raise UndeterminedError(run.outside)
    return Passes(run, backward(asked.graph, run, asked.weights, rounding))


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
            explained = explained_by(asked, coarse, inputs, double)
        floors = {format.name: floor_of(asked, fine, format) for format in FORMATS}
        if not fine.run.absorbed and agree(asked, coarse, fine, explained, floors[double.name]):
            break
        coarse = fine
    else:
        raise UndeterminedError(f"not determined within {DIGITS[-1]} digits")
    check_fit(asked, fine, single)
    with localcontext(wide(digits)):
        check_slopes(asked, fine, inputs)
    with localcontext(wide(before)):
        errors = {single.name: explained_by(asked, coarse, inputs, single), double.name: explained}
    return Truth(
        {name: picked(asked, name, fine.run.values) for name in asked.graph.entries},
        {name: picked(asked, name, fine.adjoints.values) for name in asked.targets},
        errors,
        floors,
        digits,
    )


def picked(asked: Asked, name: str, numbers: Entries) -> Entries:
    """The numbers at the entries of a tensor."""
    return [numbers[node] for node in asked.graph.entries[name]]


def agree(asked: Asked, coarse: Passes, fine: Passes, explained: Errors, floor: float) -> bool:
    """Whether two precisions give the same for all that is compared, to far less than a double's rounding."""
    pairs = [(name, coarse.run.values, fine.run.values, explained[0][name]) for name in asked.written]
    pairs += [(name, coarse.adjoints.values, fine.adjoints.values, explained[1][name]) for name in asked.targets]
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


def explained_by(asked: Asked, passes: Passes, inputs: Inputs, format: Format) -> Errors:
    """How far roundings move each value and each gradient; infinite where they leave the domain."""
    rounded = [
        both_passes(asked, inputs, Rounding(format.unit, asked.seed + pattern, above=pattern % 2 == 0), passes.run)
        for pattern in range(PATTERNS)
    ]

    def moved(name: str, numbers: Entries, sizes: Entries, others: Sequence[Entries]) -> Array:
        nodes = asked.graph.entries[name]
        return np.array([distance(n, numbers, sizes, others, format.unit) for n in nodes], dtype=float)

    spans = spans_back(asked.graph, passes.run, asked.weights)
    values, gradients = [p.run.values for p in rounded], [p.adjoints.values for p in rounded]
    return (
        {name: moved(name, passes.run.values, passes.run.sizes, values) for name in asked.written},
        {name: moved(name, passes.adjoints.values, spans, gradients) for name in asked.targets},
    )


def distance(node: int, numbers: Entries, sizes: Entries, others: Sequence[Entries], unit: Decimal) -> float:
    """How far roundings move one number, and its own rounding."""
    differences = [abs(other[node] - numbers[node]) for other in others]
    if not all(difference.is_finite() for difference in differences):
        return float("inf")
    return float(max(differences) + unit * sizes[node])

"""Which indices to split for so many devices: the fastest of the meshes that are tried, by stated rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice

import sympy as sp

from indexcalc.calculus.steps import Derivation
from indexcalc.cost.mesh import Mesh, MeshAxis, MeshError, check_mesh, indices_of
from indexcalc.errors import UnsupportedError
from indexcalc.mesh.rates import Rates
from indexcalc.mesh.report import MeshReport, mesh_report

MAX_TRIED = 200
"""The most meshes that are tried."""

Sizes = Mapping[sp.Symbol, int]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A mesh that was tried.

    Attributes:
        report: what each device does.
        seconds: the time of both passes.
        held: bytes on one device at the peak, inputs and results included.
        sent: bytes that one device sends.
        fits: whether a device can hold what it must.
    """

    report: MeshReport
    seconds: float
    held: int
    sent: int
    fits: bool

    @property
    def mesh(self) -> Mesh:
        """The devices."""
        return self.report.mesh


@dataclass(frozen=True, slots=True)
class Search:
    """What was found, the fastest that fits first.

    Attributes:
        alone: one device.
        found: every mesh that was tried, over which the program can be split.
        tried: how many were, with those over which the program can't be split.
        whole: whether there are no others.
    """

    alone: Suggestion
    found: tuple[Suggestion, ...]
    tried: int
    whole: bool


def fastest(derivation: Derivation, devices: int, sizes: Sizes, rates: Rates, width: int) -> Search:
    """Try meshes of one axis, then of two, in which every index fits.

    Args:
        derivation: what is to be split.
        devices: how many there are.
        sizes: the size of every extent.
        rates: by which times are estimated.
        width: bytes an entry.

    Raises:
        MeshError: if no mesh fits.
        UnsupportedError: if the program can't be split over any that does.
    """
    check_mesh(Mesh(()), derivation.problem.program, sizes)
    fitting = meshes(derivation, devices, sizes)
    tried = list(islice(fitting, MAX_TRIED))
    if not tried:
        program = derivation.problem.program
        raise MeshError(
            f"no index can be split over {devices} devices, nor two of them over as many in all: an extent must be a "
            f"multiple of the devices of its axis. The indices are: {', '.join(indices_of(program))}"
        )
    found, refusals = [], list[UnsupportedError]()
    for mesh in tried:
        try:
            found.append(judged(mesh_report(derivation, mesh), sizes, rates, width))
        except UnsupportedError as error:
            refusals.append(error)
    if not found:
        raise refusals[0]
    found.sort(key=lambda one: (not one.fits, one.seconds, one.held))
    alone = judged(mesh_report(derivation, Mesh(())), sizes, rates, width)
    return Search(alone, tuple(found), len(tried), next(fitting, None) is None)


def judged(report: MeshReport, sizes: Sizes, rates: Rates, width: int) -> Suggestion:
    """How fast a mesh is, and what a device of it holds and sends."""
    every = report.sizes(sizes)
    held = width * (report.ends.at(every) + report.peak.at(every))
    seconds, sent = report.both.seconds(every, rates, width), report.both.sent.at(every, width)
    return Suggestion(report, seconds, held, sent, held <= rates.room)


def meshes(derivation: Derivation, devices: int, sizes: Sizes) -> Iterator[Mesh]:
    """Every mesh of one axis or two on which sizes are multiples: an axis has one index, or all of one extent."""
    program = derivation.problem.program
    known = indices_of(program)
    hoisted = {equation.name for equation in program.equations if equation.hoisted}
    slots = dict.fromkeys(s.name for n, tensor in program.tensors.items() if n not in hoisted for s in tensor.slots)
    groups: dict[tuple[str, ...], None] = {(name,): None for name in slots}
    for name in slots:
        alike = tuple(other for other in slots if known[other].extent == known[name].extent)
        groups[alike] = None
    length = {group: int(known[group[0]].extent.subs(dict(sizes))) for group in groups}
    for group in groups:
        if not length[group] % devices:
            yield Mesh((MeshAxis(group, devices),))
    for one, other in combinations(groups, 2):
        if set(one) & set(other):
            continue
        for first in divisors(devices):
            second = devices // first
            if first > 1 and second > 1 and not length[one] % first and not length[other] % second:
                yield Mesh((MeshAxis(one, first), MeshAxis(other, second)))


def divisors(number: int) -> list[int]:
    """The divisors, smallest first."""
    small = [n for n in range(1, int(number**0.5) + 1) if not number % n]
    return sorted({*small, *(number // n for n in small)})

"""Which tensors a local derivative holds, though they depend on the target too: the paths through them are others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from indexcalc.algebra.terms import Access, Partial, tensors_of
from indexcalc.calculus.statistics import is_reachable
from indexcalc.calculus.steps import Derivation, Path
from indexcalc.notes.parts import is_part
from indexcalc.program import Program

Held = Mapping[tuple[str, str], tuple[str, ...]]
"""What is held in the derivative of a tensor by another, by ``(tensor, other)``; only where something is."""


@lru_cache(maxsize=2)
def barred_tensors(derivation: Derivation) -> Held:
    """What is held, of the pairs whose derivatives have a bar.

    Derivatives that go through all between two tensors are written as local ones are. Of a pair that has both, neither
    has a bar, and words say what is held.
    """
    whole = set(through_all(derivation))
    return {pair: names for pair, names in held_tensors(derivation).items() if pair not in whole}


@lru_cache(maxsize=2)
def held_tensors(derivation: Derivation) -> Held:
    """The tensors that each local derivative of the derivation holds, where they depend on its target."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for program, target, path in local_paths(derivation):

        def depends(name: str, program: Program = program, target: str = target) -> bool:
            return name != target and is_reachable(program, target, name)

        on_path = dict(held_on(path, program, depends))
        if target in program.recurrence_by_name:
            # The entry at a step changes those at later ones, which its own derivative and that of the loss hold.
            differentiated = [
                local.partial.base.tensor for local in path.locals if isinstance(local.partial.base, Access)
            ]
            for name in (name for name in differentiated if name in (target, derivation.problem.loss)):
                on_path[name] = (target, *on_path.get(name, ()))
        for name, names in on_path.items():
            found[name, target] = tuple(dict.fromkeys((*found.get((name, target), ()), *names)))
    return found


def local_paths(derivation: Derivation) -> Iterator[tuple[Program, str, Path]]:
    """The paths of gradients and of derivatives along directions, each with its target and what is differentiated."""
    along = {
        id(section): order.program for order in derivation.orders if order.result.along for section in order.sections
    }
    for section in derivation.sections:
        program = along.get(id(section), derivation.problem.program)
        if section.target is not None or id(section) in along or not is_part(derivation, section):
            for path in section.paths:
                yield program, section.target or path.locals[-1].partial.wrt.tensor, path


def through_all(derivation: Derivation) -> Iterator[tuple[str, str]]:
    """The pairs of tensors of which a derivative goes through all between them."""
    for order in derivation.orders:
        for path in order.sections[-1].paths if not order.result.along else ():
            for local in path.locals:
                if isinstance(local.partial.base, Access):
                    yield local.partial.base.tensor, local.partial.wrt.tensor


def held_on(path: Path, program: Program, depends: Callable[[str], bool]) -> Mapping[str, tuple[str, ...]]:
    """What the derivatives on one path hold: statistics are differentiated through, and pass on what they hold."""
    differentiated = [local.partial.base.tensor for local in path.locals if isinstance(local.partial.base, Access)]
    held: dict[str, tuple[str, ...]] = {}
    for name in differentiated:
        read = tensors_of(program.definitions[name].terms)
        # A recurrence that reads itself holds itself at the other steps.
        own = [other for other in read if (other not in differentiated or other == name) and depends(other)]
        passed = [other for through in read for other in held.get(through, ())]
        if names := tuple(dict.fromkeys((*own, *passed))):
            held[name] = names
    return held


def held_in(partial: Partial, held: Held) -> tuple[str, ...]:
    """What a derivative holds: that of a tensor what its equation holds, that of a formula what stands in it."""
    target = partial.wrt.tensor
    if isinstance(partial.base, Access):
        if partial.base.tensor == target and not partial.step:
            return ()
        return held.get((partial.base.tensor, target), ())
    every = {name for (_, other), names in held.items() if other == target for name in names}
    return tuple(name for name in tensors_of(partial.base) if name in every and name != target)

"""Hostile inputs, chosen from the program: large, tiny, shifted, dominated, equal, tied, masked, zero, at kinks.

Each starts from mild inputs that `sampling` draws, changes one input or all, and is rounded to float32, so that
every format sees the same numbers. What the author assumed still holds afterwards, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from indexcalc.algebra.terms import Access, Base, Fn, Term, Terms, tensors_of, walk
from indexcalc.problem import Problem
from indexcalc.program import Program
from indexcalc.proof.hostile.admission import Rule
from indexcalc.proof.numeric import Array

SCALES = (1000.0, 300.0, 30.0)
"""Factors that make inputs large, the hardest first."""

TINY = (1e-6, 1e-3)
"""Factors that make inputs small."""

OFFSET = 300.0
"""What is added to all entries."""

SPREAD = 0.03
"""How far entries lie apart beside the offset, where that is asked for, in units of their usual spread."""

WEAKER = 0.75
"""The power of a strength that is tried next, where what the author asked for does not fit: 1000, 178, 49, 18."""

WEAKEST = 2.0
"""A strength that is reduced below this is given up."""

EVERYTHING = "all inputs"
"""The subject of a point that changes all inputs."""

Inputs = Mapping[str, Array]


@dataclass(frozen=True)
class Hostile:
    """One hostile point.

    Attributes:
        family: the kind of hostility, such as ``scale``.
        subject: the input that is changed, or `EVERYTHING`.
        strength: a factor or an offset, reduced until what the author asked for fits; 0 where there is none.
        words: how it is said, with ``{subject}`` and ``{strength}``.
        change: from an array and a strength to the changed array.
        changed: the inputs that are changed, by name.
        cut: whether a domain undoes a part of the change.
    """

    family: str
    subject: str
    strength: float
    words: str
    change: Callable[[Array, float], Array]
    changed: tuple[str, ...]
    cut: bool = False

    def __str__(self) -> str:
        return self.said.format(subject=self.subject)

    @property
    def said(self) -> str:
        """What the point is, with ``{subject}`` for the input."""
        words = self.words.replace("{strength}", f"{self.strength:.4g}")
        return f"{words}, cut off at the ends of {self.ends}" if self.cut else words

    @property
    def ends(self) -> str:
        """What may cut it off."""
        return "their domains" if self.subject == EVERYTHING else "its domain"

    def weaker(self) -> Hostile | None:
        """The same with less of an exponent; nothing if that is mild."""
        strength = self.strength**WEAKER
        return replace(self, strength=strength) if strength >= WEAKEST else None

    def within(self, mild: Inputs, rules: Mapping[str, Rule]) -> Hostile:
        """The same point, which knows whether a domain cuts it off."""
        cut = any(rules[name].cuts(self.change(mild[name], self.strength)) for name in self.changed)
        return replace(self, cut=cut)

    def altered(self, mild: Inputs, rules: Mapping[str, Rule]) -> dict[str, Array]:
        """The inputs that are changed: made to satisfy what is assumed, rounded to float32.

        Raises:
            InadmissibleError: if what is assumed cannot hold.
        """
        return {name: rules[name].admitted(self.change(mild[name], self.strength)) for name in self.changed}

    def inputs(self, mild: Inputs, rules: Mapping[str, Rule]) -> dict[str, Array]:
        """All inputs at this point.

        Raises:
            InadmissibleError: if what is assumed cannot hold.
        """
        altered = self.altered(mild, rules)
        return {n: altered[n] if n in altered else rules[n].admitted(array) for n, array in mild.items()}


def scaled(array: Array, strength: float) -> Array:
    """Times a number."""
    return array * strength


def shifted(array: Array, strength: float) -> Array:
    """With a number added."""
    return array + strength


def lowered(array: Array, strength: float) -> Array:
    """With a number taken off."""
    return array - strength


def turned(array: Array, strength: float) -> Array:
    """Times a number, with the other sign."""
    return array * -strength


def crowded(array: Array, strength: float) -> Array:
    """With a number added to entries that lie close together."""
    return array * SPREAD + strength


def dominated(array: Array, strength: float) -> Array:
    """The first entry far above all others."""
    found = array.copy()
    found.flat[0] = strength
    return found


def equal(array: Array, _strength: float) -> Array:
    """All entries alike."""
    return np.full_like(array, array.flat[0] if array.size else 0.0)


def tied(array: Array, _strength: float) -> Array:
    """The first two entries of the last axis alike."""
    found = array.copy()
    if found.ndim and found.shape[-1] > 1:
        found[..., 1] = found[..., 0]
    return found


def zeroed(array: Array, _strength: float) -> Array:
    """Nothing but zeros."""
    return np.zeros_like(array)


def row_zeroed(array: Array, _strength: float) -> Array:
    """Zeros in the first row."""
    found = array.copy()
    found[0] = 0.0
    return found


def chequered(array: Array, on: float, off: float) -> Array:
    """One of two values by turns: no row and no column has one alone."""
    places = np.add.reduce(np.indices(array.shape), axis=0) if array.ndim else np.zeros(())
    return np.where(places % 2 == 0, on, off)


def masked(array: Array, _strength: float) -> Array:
    """Ones and zeros."""
    return chequered(array, 1.0, 0.0)


def row_masked(array: Array, _strength: float) -> Array:
    """Ones, with a first row of zeros."""
    found = np.ones_like(array)
    found[0] = 0.0
    return found


def hidden(array: Array, _strength: float) -> Array:
    """Zero, or minus infinity."""
    return chequered(array, 0.0, -np.inf)


def row_hidden(array: Array, _strength: float) -> Array:
    """Zero, with a first row of minus infinity."""
    found = np.zeros_like(array)
    found[0] = -np.inf
    return found


def hostile_points(problem: Problem, shapes: Mapping[str, tuple[int, ...]]) -> list[Hostile]:
    """All hostile points of a program, the most telling first.

    Args:
        problem: the program and what is asked of it.
        shapes: the sizes of the slots of each tensor.
    """
    program = problem.program
    names = tuple(tensor.name for tensor in program.inputs if tensor.values is None)
    factors, addends = multiplicative_masks(program), additive_masks(problem)
    groups = [(EVERYTHING, names), *((name, (name,)) for name in names)] if len(names) > 1 else [(names[0], names)]
    found = [Hostile("mild", "", 0.0, "mild inputs", scaled, ())]
    for subject, changed in groups:
        found += [Hostile("scale", subject, s, "{subject} times {strength}", scaled, changed) for s in SCALES]
        found += [Hostile("tiny", subject, s, "{subject} times {strength}", scaled, changed) for s in TINY]
        found.append(Hostile("offset", subject, OFFSET, "{subject} plus {strength}", shifted, changed))
        found.append(Hostile("turned", subject, SCALES[0], "{subject} times -{strength}", turned, changed))
        found.append(Hostile("lowered", subject, OFFSET, "{subject} minus {strength}", lowered, changed))
        words = "{subject} close together at {strength}"
        found.append(Hostile("crowd", subject, OFFSET, words, crowded, changed))
        words = "one entry of {subject} at {strength}"
        found.append(Hostile("dominant", subject, OFFSET, words, dominated, changed))
        found.append(Hostile("equal", subject, 0.0, "equal entries of {subject}", equal, changed))
        found.append(Hostile("tie", subject, 0.0, "two equal entries of {subject}", tied, changed))
        found.append(Hostile("zero", subject, 0.0, "{subject} zero", zeroed, changed))
        if shapes.get(subject):
            found.append(Hostile("zero row", subject, 0.0, "a row of zeros in {subject}", row_zeroed, changed))
    for name in factors:
        found += combined("mask", name, masked, "{subject} of ones and zeros", names)
        if shapes[name]:
            found += combined("mask", name, row_masked, "a row of {subject} all zero, the rest ones", names)
    for name in addends:
        found += combined("hiding", name, hidden, "{subject} of zeros and minus infinity", names)
        if shapes[name]:
            found += combined("hiding", name, row_hidden, "a row of {subject} all minus infinity", names)
    return found


def combined(
    family: str, mask: str, change: Callable[[Array, float], Array], words: str, names: tuple[str, ...]
) -> Iterator[Hostile]:
    """A mask alone, and beside large inputs."""
    yield Hostile(family, mask, 0.0, words, change, (mask,))
    # The mask is told from the rest by what it is filled with, so both changes are one function of the array.
    for strength in SCALES[1:]:
        yield Masking(family, mask, strength, words + ", the others times {strength}", change, (mask,), names=names)


@dataclass(frozen=True)
class Masking(Hostile):
    """A mask beside large inputs.

    Attributes:
        names: all inputs; those that are not the mask are scaled.
    """

    names: tuple[str, ...] = ()

    @property
    def ends(self) -> str:
        """What may cut off the others."""
        return "their domains"

    @property
    def beside(self) -> Hostile:
        """What makes the others large."""
        return Hostile("scale", "", self.strength, "", scaled, tuple(n for n in self.names if n not in self.changed))

    def within(self, mild: Inputs, rules: Mapping[str, Rule]) -> Hostile:
        """The same point, which knows whether a domain cuts off the others."""
        return replace(self, cut=self.beside.within(mild, rules).cut)

    def altered(self, mild: Inputs, rules: Mapping[str, Rule]) -> dict[str, Array]:
        """The mask and the others.

        Raises:
            InadmissibleError: if what is assumed cannot hold.
        """
        return super().altered(mild, rules) | self.beside.altered(mild, rules)


def multiplicative_masks(program: Program) -> tuple[str, ...]:
    """The inputs that multiply an exponential in some term, or an entry of a tensor of exponentials."""
    inputs = {tensor.name for tensor in program.inputs}
    exponentials = set[str]()
    for equation in program.equations:
        if len(equation.terms) == 1 and is_exponential(equation.terms[0], exponentials):
            exponentials.add(equation.name)
    found: dict[str, None] = {}
    for equation in program.equations:
        for term in equation.terms:
            for base in term.bases:
                if isinstance(base, Access) and base.tensor in inputs and hides(base, term, exponentials):
                    found[base.tensor] = None
    return tuple(found)


def is_exponential(term: Term, exponentials: set[str]) -> bool:
    """Whether a term is an exponential times or over other factors, or a tensor of such, without a sum."""
    above = (base for base, exponent in term.powers if not exponent.is_negative)
    return not term.summed and any(
        is_exp(base) or (isinstance(base, Access) and base.tensor in exponentials) for base in above
    )


def hides(mask: Access, term: Term, exponentials: set[str]) -> bool:
    """Whether a factor of a term is zero or one for exponentials in it: as they are, or entry by entry."""
    if not mask.slots:
        return False
    for base in term.bases:
        if is_exp(base) or (
            isinstance(base, Access) and base.tensor in exponentials and set(mask.slots) <= set(base.slots)
        ):
            return True
    return False


def is_exp(base: Base) -> bool:
    """Whether a factor is an exponential."""
    return isinstance(base, Fn) and base.name == "exp"


def additive_masks(problem: Problem) -> tuple[str, ...]:
    """The inputs that are added to an exponent and are not trained."""
    program = problem.program
    inputs = {tensor.name for tensor in program.inputs} - set(problem.targets)
    bases = (base for equation in program.equations for base in walk(equation.terms))
    exponents = [base.arg for base in bases if isinstance(base, Fn) and base.name == "exp"]
    read = {name for arg in exponents for name in tensors_of(arg)}
    sums: list[Terms] = [*exponents, *(eq.terms for eq in program.equations if eq.name in read)]
    return tuple(
        dict.fromkeys(
            base.tensor
            for terms in sums
            if len(terms) > 1
            for term in terms
            for base in term.bases
            if isinstance(base, Access) and base.tensor in inputs and len(term.bases) == 1 and term.coeff == 1
        )
    )

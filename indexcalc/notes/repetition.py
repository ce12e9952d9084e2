"""Derivations that repeat an earlier one under other names: found by structure, cited instead of shown again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

import sympy as sp

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same, scalar_key
from indexcalc.algebra.renaming import substitute, with_tensors
from indexcalc.algebra.terms import Access, Base, Delta, Index, Lookup, Slot, Term, Terms, walk
from indexcalc.calculus.steps import Constant, Derivation, Path, Section, ThroughConsumer, Used
from indexcalc.errors import LimitError

WORTH_CITING = 6
"""The fewest steps of a path that is cited instead of shown again."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A path that repeats an earlier one, with ``(name there, name here)`` for forward tensors that differ.

    For a `mirror` these change places, together with pairs of indices of the consumer, which stays what it is.
    """

    target: str
    consumer: str
    renamed: tuple[tuple[str, str], ...]
    mirror: bool = False
    indices: tuple[tuple[Index, Index], ...] = ()


@dataclass
class Names:
    """Numbers for names, in order of first occurrence, so that equal structures get equal numbers."""

    tensors: dict[str, int] = field(default_factory=dict)
    indices: dict[str, int] = field(default_factory=dict)
    scalars: dict[str, int] = field(default_factory=dict)


Repeats = Mapping[tuple[str, str], Repeat]
"""What repeats an earlier path, by target and consumer."""


def repeats_of(derivation: Derivation) -> Repeats:
    """Every path whose steps are those of an earlier path up to a renaming of tensors and indices."""
    long = [(s, path) for s in derivation.sections for path in s.paths if length(path) >= WORTH_CITING]
    outlines = [outline_of(path) for _, path in long]
    often = Counter(outlines)
    first: dict[str, tuple[Section, Path, list[str]]] = {}
    forward = derivation.problem.program.tensors
    found: dict[tuple[str, str], Repeat] = {}
    for (section, path), outline in zip(long, outlines, strict=True):
        if often[outline] == 1:
            continue
        names = Names()
        text: list[str] = []
        write(path, names, text)
        key = "".join(text)
        tensors = list(names.tensors)
        if key not in first:
            first[key] = (section, path, tensors)
        elif section.target is not None:
            earlier, model, theirs = first[key]
            assert earlier.target is not None
            pairs = tuple((old, new) for old, new in zip(theirs, tensors, strict=True) if old != new and new in forward)
            found[section.target, path.consumer.tensor] = Repeat(earlier.target, model.consumer.tensor, pairs)
    return found


def mirrors_of(derivation: Derivation) -> Repeats:
    """Gradients that are those of an earlier tensor once both have changed places in the one equation that reads them.

    ``S_ij = sum_k Q_ik K_jk`` stays the same if Q and K change places together with i and j. So the gradient by K is
    that by Q with these exchanged, and the two slots of that by S.
    """
    single = [section for section in derivation.sections if section.target and len(section.paths) == 1]
    found: dict[tuple[str, str], Repeat] = {}
    for number, section in enumerate(single):
        for earlier in single[:number]:
            consumer = section.paths[0].consumer.tensor
            if earlier.paths[0].consumer.tensor == consumer and (earlier.target, consumer) not in found:
                pairs = exchanged(derivation, earlier, section, consumer)
                if pairs is not None and section.target is not None and earlier.target is not None:
                    names = ((earlier.target, section.target),)
                    found[section.target, consumer] = Repeat(earlier.target, consumer, names, True, pairs)
                    break
    return found


def exchanged(
    derivation: Derivation, one: Section, other: Section, consumer: str
) -> tuple[tuple[Index, Index], ...] | None:
    """The indices that change places with the targets of two sections; None if that does not keep the consumer."""
    forward = derivation.problem.program.definitions[consumer]
    gradient = derivation.problem.gradient_names[consumer]
    here, there = one.equation.slots, other.equation.slots
    if [slot.extent for slot in here] != [slot.extent for slot in there]:
        return None
    pairs = tuple((a, b) for a, b in zip(here, there, strict=True) if a != b)
    swap: dict[Index, Slot] = {**dict(pairs), **{b: a for a, b in pairs}}
    tensors = {one.target or "": other.target or "", other.target or "": one.target or ""}
    slots = tuple(swap.get(slot, slot) for slot in forward.slots)
    if len(swap) != 2 * len(pairs) or set(slots) != set(forward.slots):
        return None
    order = [forward.slots.index(slot) for slot in slots if isinstance(slot, Index)]
    turned = dict.fromkeys((consumer, gradient), order)

    def mirrored(terms: Terms) -> Terms:
        return with_slots(with_tensors(substitute(terms, swap), tensors), turned)

    every = (*forward.terms, *one.equation.terms)
    entries = [base for base in walk(every) if isinstance(base, Access) and base.tensor in turned]
    if len(entries) != sum(base in entries for term in every for base in term.bases):
        return None  # one stands inside of a function
    try:
        kept = same(expand(mirrored(forward.terms)), expand(forward.terms))
        equal = kept and same(expand(mirrored(one.equation.terms)), expand(other.equation.terms))
        return pairs if equal else None
    except LimitError:
        return None


def with_slots(terms: Terms, orders: Mapping[str, Sequence[int]]) -> Terms:
    """The terms with the slots of some factors in another order."""

    def moved(base: Base) -> Base:
        if isinstance(base, Access) and base.tensor in orders:
            return Access(base.tensor, tuple(base.slots[place] for place in orders[base.tensor]))
        return base

    return tuple(Term(t.coeff, tuple((moved(base), e) for base, e in t.powers), t.summed) for t in terms)


def outline_of(path: Path) -> tuple[object, ...]:
    """What paths that repeat each other share, and others rarely do: the rules of their steps, and their sizes."""
    steps = [*path.steps, *(step for local in path.locals for step in local.steps)]
    return tuple((step.rule, tuple(len(term.powers) for term in step.after)) for step in steps)


def length(path: Path) -> int:
    """The number of steps of a path."""
    return len(path.steps) + sum(len(local.steps) for local in path.locals)


def write(item: object, names: Names, text: list[str]) -> None:  # noqa: PLR0912 - one case a kind of part
    """A structure put at the end of `text`, with numbers instead of the names of tensors, indices and scalars."""
    match item:
        case tuple():
            text.append("(")
            for inner in item:
                write(inner, names, text)
                text.append(",")
            text.append(")")
        case Access():
            text.append(f"T{number(item.tensor, names.tensors)}(")
            for slot in item.slots:
                write(slot, names, text)
                text.append(",")
            text.append(")")
        case Lookup(tensor, slots):
            write((f"L{number(tensor, names.tensors)}", slots), names, text)
        case Index():
            text.append(f"i{number(item.name, names.indices)}")
        case sp.Basic():
            text.append(scalar_text(item, names))
        case Delta(left, right):
            text.append("D")
            write((left, right), names, text)
        case Constant(tensors) | Used(tensors):
            text.extend(f"T{number(name, names.tensors)}" for name in tensors)
        case ThroughConsumer(gradient, wrt, consumer):
            write((gradient, wrt), names, text)
            text.append(f"T{number(consumer, names.tensors)}")
        case Enum() | str() | int() | None:
            text.append(f"<{item}>")
        case _ if is_dataclass(item):
            kind: Any = type(item)
            text.append(kind.__name__)
            write(tuple([getattr(item, name) for name in attributes(kind)]), names, text)
        case _:
            raise AssertionError(f"a step holds an unexpected {type(item).__name__}")


@cache
def attributes(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a dataclass."""
    return tuple(each.name for each in fields(kind))


def scalar_text(value: sp.Basic, names: Names) -> str:
    """A scalar with numbers instead of the names of its symbols."""
    if value.is_Rational:
        return scalar_key(value)
    symbols = sorted(value.free_symbols, key=str)
    return str(value.xreplace({s: sp.Symbol(f"s{number(str(s), names.scalars)}") for s in symbols}))


def number(name: str, numbers: dict[str, int]) -> int:
    """The number of a name; a new one for a new name."""
    return numbers.setdefault(name, len(numbers))

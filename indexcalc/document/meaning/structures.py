"""Formulas without the identity of their index variables: which are alike, and which repeat another one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.meaning.nodes import (
    Applied,
    Cholesky,
    Derivative,
    Entry,
    Exponential,
    Gathered,
    Inverse,
    Meaning,
    Number,
    Plus,
    Relation,
    Size,
    Times,
    Total,
    bound_in,
    children,
    free,
    own_indices,
    rebuilt,
    times,
)
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.symbols import Definition, depends_on


@dataclass(frozen=True, slots=True)
class Structure:
    """A formula without the identity of its index variables.

    Attributes:
        form: its nodes in order, with the numbers of their index variables.
        indices: the index variables, by their numbers.
        names: the tensors in it.
    """

    form: tuple[Hashable, ...]
    indices: tuple[Ix, ...]
    names: tuple[str, ...]


def structure_of(node: Meaning, axes: Sequence[Ix]) -> Structure:
    """The structure of a formula over some axes, which come first."""
    numbers: dict[Ix, int] = {}
    names: dict[str, None] = {}
    form: list[Hashable] = [len(axes)]

    def index(one: Ix) -> None:
        form.append(
            (numbers.setdefault(one, len(numbers)), one.fixed) if one.fixed else numbers.setdefault(one, len(numbers))
        )

    def visit(node: Meaning) -> None:
        form.append(type(node).__name__)
        match node:
            case Entry(name, slots):
                names[name] = None
                form.extend((name, len(slots)))
            case Times() | Plus():
                form.append(len(children(node)))
            case Number(value):
                form.append(value)
            case Applied(name) | Relation(relation=name):
                form.append(name)
            case Size(own):
                index(own)
            case Derivative(local=local, held=held):
                form.extend((local, held))
            case Inverse() | Exponential() | Cholesky() | Gathered():
                pass
        bound = bound_in(node)
        form.append(len(bound))
        for one in (*own_indices(node), *bound):
            index(one)
        for child in children(node):
            visit(child)

    for axis in axes:
        index(axis)
    visit(node)
    return Structure(tuple(form), tuple(numbers), tuple(names))


def folded(definitions: Mapping[str, Definition], names: Iterable[str]) -> dict[str, Definition]:
    """Definitions that read some tensors where they repeat their formulas.

    A part may get its name behind what is made of it: with ``A = softmax(Q K^T)`` and ``S = Q K^T``, what depends on
    ``A`` depends on ``S``.
    """
    found = dict(definitions)
    for name in names:
        own = definitions.get(name)
        if own is None or isinstance(own.body, Entry | Number):
            continue
        body = ordered(own.body)
        part = Part(name, own.slots, body, structure_of(body, ()))
        for other, definition in found.items():
            if other != name and not depends_on(found, name, other):
                before = ordered(definition.body)
                after = part.put_in(before)
                found[other] = replace(definition, body=after) if after != before else definition
    return found


@dataclass(frozen=True)
class Part:
    """A formula that has a name, with its slots and its structure."""

    name: str
    slots: tuple[Ix, ...]
    body: Meaning
    structure: Structure

    def put_in(self, node: Meaning) -> Meaning:
        """A formula with the name where it repeats the part's."""
        if type(node) is type(self.body) and len(children(node)) == len(children(self.body)):
            other = structure_of(node, ())
            places = dict(zip(self.structure.indices, other.indices, strict=False))
            if self.structure.form == other.form and all(slot in places for slot in self.slots):
                return Entry(self.name, tuple(places[slot] for slot in self.slots))
        return rebuilt(node, self.put_in) if children(node) else node


def ordered(node: Meaning) -> Meaning:
    """A formula in a form that doesn't rest on the order of its factors and terms, nor on where a sum begins."""
    if not children(node):
        return node
    node = rebuilt(node, ordered)
    match node:
        case Total(indices, Times(factors)):
            inside = tuple(part for part in factors if not set(indices).isdisjoint(free(part)))
            if inside and len(inside) < len(factors):
                outside = (part for part in factors if set(indices).isdisjoint(free(part)))
                return ordered(times(*outside, Total(indices, times(*inside))))
        case Times(factors):
            flat = times(*factors)
            return replace(flat, factors=in_order(flat.factors)) if isinstance(flat, Times) else flat
        case Plus(terms):
            return Plus(in_order(terms))
    return node


def in_order(parts: Iterable[Meaning]) -> tuple[Meaning, ...]:
    """Factors or terms by their structure."""
    return tuple(sorted(parts, key=lambda part: str(structure_of(part, ()).form)))

"""Random programs whose slots hold expressions, and their gradients entry by entry: nothing here knows the engine.

A program is drawn as plain data, printed as a spec, and evaluated by loops over numbers that PyTorch differentiates:
every entry is a sum over all values of its indices, brackets and deltas decide whether a product counts, and a
slot is a sum of whole numbers.

Coefficients have both signs and sizes up to 3, lookups repeat, brackets hide what is outside.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import torch

EXTENTS = ("N", "K", "M")
FUNCTIONS = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "exp": torch.exp, "sin": torch.sin}
TRIES = 40


@dataclass(frozen=True)
class Length:
    """An extent: a sum of named extents with whole coefficients, and a number."""

    parts: tuple[tuple[str, int], ...]
    constant: int = 0

    def text(self) -> str:
        """As a spec has it."""
        pieces = [f"{c}*{name}" if c != 1 else name for name, c in self.parts]
        if self.constant or not pieces:
            return "+".join(pieces) + (f"{self.constant:+d}" if pieces else str(self.constant))
        return "+".join(pieces)

    def value(self, sizes: Mapping[str, int]) -> int:
        """The number."""
        return sum(c * sizes[name] for name, c in self.parts) + self.constant


@dataclass(frozen=True)
class Place:
    """What a slot holds: whole coefficients of indices, a number, and perhaps a lookup instead."""

    parts: tuple[tuple[str, int], ...] = ()
    constant: int = 0
    lookup: tuple[str, str] | None = None

    def text(self) -> str:
        """As a spec has it."""
        if self.lookup is not None:
            return f"{self.lookup[0]}[{self.lookup[1]}]"
        text = ""
        for name, c in self.parts:
            size = name if abs(c) == 1 else f"{abs(c)}*{name}"
            text += ("-" if c < 0 else "+" if text else "") + size
        if self.constant or not text:
            text += f"{self.constant:+d}" if text else str(self.constant)
        return text

    def indices(self) -> tuple[str, ...]:
        """The indices that it reads."""
        return (self.lookup[1],) if self.lookup is not None else tuple(name for name, _ in self.parts)

    def value(self, at: Mapping[str, int], ids: Mapping[str, np.ndarray]) -> int:
        """The number at some values of the indices."""
        if self.lookup is not None:
            return int(ids[self.lookup[0]][at[self.lookup[1]]])
        return sum(c * at[name] for name, c in self.parts) + self.constant


@dataclass(frozen=True)
class Factor:
    """An entry of a tensor, inside a function or not."""

    tensor: str
    places: tuple[Place, ...]
    function: str = ""

    def text(self) -> str:
        """As a spec has it."""
        entry = f"{self.tensor}[{','.join(place.text() for place in self.places)}]"
        return f"{self.function}({entry})" if self.function else entry


@dataclass(frozen=True)
class Product:
    """A number times factors, where all guards hold and deltas join, summed over some indices."""

    number: int
    factors: tuple[Factor, ...]
    guards: tuple[tuple[Place, Length], ...]
    deltas: tuple[tuple[str, Place], ...]
    summed: tuple[str, ...]

    def text(self) -> str:
        """As a spec has it."""
        parts = [f"[0 <= {place.text()} < {length.text()}]" for place, length in self.guards]
        parts += [f"delta[{index},{place.text()}]" for index, place in self.deltas]
        parts += [factor.text() for factor in self.factors]
        body = " * ".join(parts)
        return f"{self.number} * " + (f"sum[{','.join(self.summed)}]({body})" if self.summed else body)

    def indices(self) -> set[str]:
        """All indices that occur."""
        places = [p for f in self.factors for p in f.places] + [p for p, _ in self.guards] + [p for _, p in self.deltas]
        return {name for place in places for name in place.indices()} | {index for index, _ in self.deltas}


@dataclass
class Spec:
    """A program as plain data."""

    indices: dict[str, Length] = field(default_factory=dict)
    ids: dict[str, tuple[str, str]] = field(default_factory=dict)
    inputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    equations: list[tuple[str, tuple[str, ...], tuple[Product, ...]]] = field(default_factory=list)

    def slots(self, tensor: str) -> tuple[str, ...]:
        """The indices under which a tensor is declared."""
        return self.inputs[tensor] if tensor in self.inputs else next(o for n, o, _ in self.equations if n == tensor)

    def text(self) -> str:
        """As a spec has it."""
        lines = ['title "A random program"']
        lines += [f"index {name} : {length.text()}" for name, length in self.indices.items()]
        lines += [f"input {name}[{','.join(slots)}]" for name, slots in self.inputs.items()]
        lines += [f"input {name}[{index}] in {extent}" for name, (index, extent) in self.ids.items()]
        for name, slots, terms in self.equations:
            lines.append(f"{name}[{','.join(slots)}] = {' + '.join(term.text() for term in terms)}")
        lines.append(f"derive {', '.join(self.inputs)}")
        return "\n".join(lines) + "\n"


class Drawing:
    """Draws one program."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([12, seed])
        self.spec = Spec()
        for letter, extent in zip("ijkl", (*EXTENTS, "N"), strict=True):
            self.spec.indices[letter] = Length(((extent, 1),))

    def chance(self, share: float) -> bool:
        """Whether something happens."""
        return bool(self.rng.random() < share)

    def pick(self, options: list[str] | tuple[str, ...]) -> str:
        """One of some names."""
        return str(options[int(self.rng.integers(len(options)))])

    def program(self) -> Spec:
        """The program."""
        for number in range(int(self.rng.integers(1, 4))):
            self.equation(f"Y{number}")
        return self.spec

    def equation(self, name: str) -> None:
        """One more equation."""
        free = tuple(self.rng.permutation(list("ijkl"))[: int(self.rng.integers(1, 3))])
        free = tuple(map(str, free))
        others = [letter for letter in "ijkl" if letter not in free]
        terms = []
        for number in range(int(self.rng.integers(1, 3))):
            summed = tuple(sorted(others[: int(self.rng.integers(0, 3))]))
            terms.append(self.product(free, summed, whole=number == 0))
        self.spec.equations.append((name, free, tuple(terms)))

    def product(self, free: tuple[str, ...], summed: tuple[str, ...], *, whole: bool) -> Product:
        """A product; a `whole` one has all free indices."""
        guards: list[tuple[Place, Length]] = []
        deltas: list[tuple[str, Place]] = []
        scope = [*free, *summed]
        if summed and self.chance(0.35):
            moved = self.pick(free)
            scope.remove(moved)
            deltas.append((moved, self.delta_place(moved, summed)))
        factors = [self.factor(scope, guards) for _ in range(int(self.rng.integers(1, 4)))]
        found = Product(1, tuple(factors), tuple(guards), tuple(deltas), summed)
        wanted = [*summed, *(free if whole else ())]
        for index in [index for index in wanted if index not in found.indices()]:
            factors.append(Factor(self.input((index,)), (Place(((index, 1),)),)))
        number = int(self.rng.choice([1, -1, 2, 3]))
        return Product(number, tuple(factors), tuple(guards), tuple(deltas), summed)

    def delta_place(self, moved: str, summed: tuple[str, ...]) -> Place:
        """What an index of the result is joined to."""
        extent = self.spec.indices[moved].parts[0][0]
        if self.chance(0.3):
            return self.looked_up(summed, extent)
        return self.affine(list(summed))

    def looked_up(self, indices: tuple[str, ...] | list[str], extent: str) -> Place:
        """A lookup at one of the indices, with values below an extent."""
        index = self.pick(list(indices))
        return Place(lookup=(self.lookup(index, extent), index))

    def lookup(self, index: str, extent: str) -> str:
        """An input of whole numbers."""
        for name, known in self.spec.ids.items():
            if known == (index, extent) and self.chance(0.7):
                return name
        name = f"tok{len(self.spec.ids)}"
        self.spec.ids[name] = (index, extent)
        return name

    def affine(self, scope: list[str]) -> Place:
        """A random expression of one or two indices."""
        chosen = sorted(map(str, self.rng.permutation(scope)[: int(self.rng.integers(1, min(3, len(scope) + 1)))]))
        parts = tuple((name, int(self.rng.choice([1, 1, -1, 2, -2, 3, -3]))) for name in chosen)
        constant = int(self.rng.integers(-2, 4))
        # An index by itself is a slot of its own extent.
        lone = len(parts) == 1 and parts[0][1] == 1 and constant == 0
        return Place(parts, 1 if lone else constant)

    def factor(self, scope: list[str], guards: list[tuple[Place, Length]]) -> Factor:
        """An entry of an input or of a tensor before."""
        function = self.pick(list(FUNCTIONS)) if self.chance(0.3) else ""
        known = [*self.spec.inputs, *(name for name, _, _ in self.spec.equations)]
        if known and self.chance(0.6):
            tensor = self.pick(known)
            places = tuple(self.place(scope, self.spec.indices[slot], guards) for slot in self.spec.slots(tensor))
            return Factor(tensor, places, function)
        if self.chance(0.5):
            return self.exact(scope, function)
        slots = tuple(map(str, self.rng.permutation(list("ijkl"))[: int(self.rng.integers(1, 3))]))
        tensor = self.input(slots)
        return Factor(tensor, tuple(self.place(scope, self.spec.indices[slot], guards) for slot in slots), function)

    def place(self, scope: list[str], length: Length, guards: list[tuple[Place, Length]]) -> Place:
        """What stands in a slot of this length; a bracket hides what may be outside."""
        same = [name for name in scope if self.spec.indices[name] == length]
        draw = self.rng.random()
        if same and draw < 0.35:
            return Place(((self.pick(same), 1),))
        if len(length.parts) == 1 and length.parts[0][1] == 1 and length.constant == 0 and draw < 0.55 and scope:
            return self.looked_up(scope, length.parts[0][0])
        if draw < 0.6:
            return Place((), 0)
        place = self.affine(scope) if scope else Place((), 0)
        if place.parts:
            guards.append((place, length))
        return place

    def exact(self, scope: list[str], function: str) -> Factor:
        """An entry of a new input that is as long as its expression needs."""
        if not scope:
            return Factor(self.input(("i",)), (Place((), 0),), function)
        place = self.affine(scope)
        low = [(self.spec.indices[name].parts[0][0], c) for name, c in place.parts if c < 0]
        # The least value is the sum of c * (extent - 1) over negative coefficients; the largest over positive ones.
        sizes: dict[str, int] = {}
        constant = 1 + int(self.rng.integers(0, 2))
        for name, c in place.parts:
            extent = self.spec.indices[name].parts[0][0]
            sizes[extent] = sizes.get(extent, 0) + abs(c)
            constant -= abs(c)
        length = Length(tuple(sorted(sizes.items())), constant)
        if low:
            # Only numbers may be added to an expression here: walk the other way instead.
            place = Place(tuple((name, abs(c)) for name, c in place.parts))
        shifted = Place(place.parts, 0)
        name = f"p{sum(index.startswith('p') for index in self.spec.indices)}"
        self.spec.indices[name] = length
        return Factor(self.input((name,)), (shifted,), function)

    def input(self, slots: tuple[str, ...]) -> str:
        """A new input."""
        name = f"X{len(self.spec.inputs)}"
        self.spec.inputs[name] = slots
        return name


def program_of(seed: int) -> Spec:
    """The program of a seed; one that reads at least one input."""
    for attempt in range(TRIES):
        spec = Drawing(seed * TRIES + attempt).program()
        if spec.inputs:
            return spec
    raise AssertionError


@dataclass(frozen=True)
class Sample:
    """Sizes and inputs of a program."""

    sizes: dict[str, int]
    arrays: dict[str, np.ndarray]
    ids: dict[str, np.ndarray]


def sample_of(spec: Spec, seed: int) -> Sample:
    """Small sizes, 1 among them, and random inputs at which lookups repeat."""
    rng = np.random.default_rng([34, seed])
    sizes = {extent: int(rng.integers(1, 5)) for extent in EXTENTS}
    shape = {name: tuple(spec.indices[slot].value(sizes) for slot in slots) for name, slots in spec.inputs.items()}
    arrays = {name: rng.uniform(-1, 1, size) for name, size in shape.items()}
    ids = {
        name: rng.integers(0, sizes[extent], spec.indices[index].value(sizes))
        for name, (index, extent) in spec.ids.items()
    }
    return Sample(sizes, arrays, ids)


def entries(spec: Spec, sample: Sample, indices: tuple[str, ...]) -> Iterator[dict[str, int]]:
    """All values of some indices."""
    ranges = [range(spec.indices[index].value(sample.sizes)) for index in indices]
    for values in itertools.product(*ranges):
        yield dict(zip(indices, values, strict=True))


def run(spec: Spec, sample: Sample) -> dict[str, dict[tuple[int, ...], torch.Tensor]]:
    """Every tensor, entry by entry."""
    tensors: dict[str, dict[tuple[int, ...], torch.Tensor]] = {}
    for name, array in sample.arrays.items():
        tensors[name] = {
            place: torch.tensor(array[place], dtype=torch.float64, requires_grad=True)
            for place in np.ndindex(array.shape)
        }
    for name, free, terms in spec.equations:
        tensors[name] = {}
        for at in entries(spec, sample, free):
            total = torch.zeros((), dtype=torch.float64)
            for term in terms:
                for inner in entries(spec, sample, term.summed):
                    total = total + counted(term, {**at, **inner}, tensors, sample)
            tensors[name][tuple(at.values())] = total
    return tensors


def counted(
    term: Product, at: Mapping[str, int], tensors: Mapping[str, dict[tuple[int, ...], torch.Tensor]], sample: Sample
) -> torch.Tensor | float:
    """What a product adds at some values of its indices."""
    if any(not 0 <= place.value(at, sample.ids) < length.value(sample.sizes) for place, length in term.guards):
        return 0.0
    if any(at[index] != place.value(at, sample.ids) for index, place in term.deltas):
        return 0.0
    total: torch.Tensor | float = float(term.number)
    for factor in term.factors:
        value = tensors[factor.tensor][tuple(place.value(at, sample.ids) for place in factor.places)]
        total = total * (FUNCTIONS[factor.function](value) if factor.function else value)
    return total


def gradients_of(
    spec: Spec, sample: Sample, seed: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Upstream gradients of the results, results, and the gradients of all inputs."""
    rng = np.random.default_rng([56, seed])
    tensors = run(spec, sample)
    read = {factor.tensor for _, _, terms in spec.equations for term in terms for factor in term.factors}
    results = [name for name, _, _ in spec.equations if name not in read]
    loss = torch.zeros((), dtype=torch.float64)
    weights, values = {}, {}
    for name in results:
        shape = tuple(spec.indices[slot].value(sample.sizes) for slot in spec.slots(name))
        weights[name] = rng.normal(size=shape)
        values[name] = np.array([float(e.detach()) for e in tensors[name].values()]).reshape(shape)
        for place, entry in tensors[name].items():
            loss = loss + float(weights[name][place]) * entry
    if loss.requires_grad:
        loss.backward()
    found = {}
    for name, array in sample.arrays.items():
        slopes = [0.0 if e.grad is None else float(e.grad) for e in tensors[name].values()]
        found[name] = np.array(slopes).reshape(array.shape)
    return weights, values, found


def features(spec: Spec) -> set[str]:
    """What is in a program, for counting."""
    products = [term for _, _, terms in spec.equations for term in terms]
    places = [place for term in products for factor in term.factors for place in factor.places]
    steps = [step for place in places for _, step in place.parts]
    found = {"lookups" for place in places if place.lookup is not None}
    found |= {"brackets" for term in products if term.guards} | {"deltas" for term in products if term.deltas}
    found |= {"negative strides" for step in steps if step < 0} | {"strides" for step in steps if abs(step) > 1}
    return found | {"two indices in a slot" for place in places if len(place.parts) > 1}

"""Random programs of functions of several tensors, and their values as PyTorch has them: nothing here knows the engine.

An expression is a tree that prints itself for a spec and evaluates itself in PyTorch, on arrays with one axis for each
index, of length 1 where it does not vary. Every result is added up to the loss.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

LETTERS = "ijk"
EXTENTS = dict(zip(LETTERS, "NMK", strict=True))
DEPTH = 3
LARGEST = 1e6
"""What no part of an expression exceeds at a point."""

Arrays = Mapping[str, Any]
Compare = Callable[[Any, Any], Any]

RELATIONS: Mapping[str, Compare] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Entry:
    """An entry of a tensor, under the indices of its slots."""

    tensor: str
    slots: str

    def text(self) -> str:
        """As a spec has it."""
        return f"{self.tensor}[{','.join(self.slots)}]" if self.slots else self.tensor

    def value(self, arrays: Arrays, torch: Any) -> Any:
        """With an axis for every letter."""
        array = arrays[self.tensor]
        order = [self.slots.index(letter) for letter in LETTERS if letter in self.slots]
        lengths = iter(array.permute(order).shape)
        return array.permute(order).reshape([next(lengths) if letter in self.slots else 1 for letter in LETTERS])

    def free(self) -> frozenset[str]:
        """The indices on which it depends."""
        return frozenset(self.slots)


@dataclass(frozen=True)
class Applied:
    """An operation on some expressions: how a spec has it, and how PyTorch does."""

    name: str
    pattern: str
    compute: Callable[..., Any]
    parts: tuple[Any, ...]
    summed: str = ""

    def text(self) -> str:
        """As a spec has it."""
        return self.pattern.format(
            *(part.text() if isinstance(part, Entry) else f"({part.text()})" for part in self.parts)
        )

    def value(self, arrays: Arrays, torch: Any) -> Any:
        """Entry by entry.

        Raises:
            OverflowError: for what is too large to be compared: towers of powers leave every format.
        """
        found = self.compute(torch, *(part.value(arrays, torch) for part in self.parts))
        for letter in self.summed:
            found = found.sum(dim=LETTERS.index(letter), keepdim=True)
        if not bool((found.abs() < LARGEST).all()):
            raise OverflowError
        return found

    def free(self) -> frozenset[str]:
        """The indices on which it depends."""
        return frozenset().union(*(part.free() for part in self.parts)) - set(self.summed)


def comparison(relation: str, *, bare: bool) -> tuple[str, str, Callable[..., Any]]:
    """A choice by a comparison, in brackets or not."""
    compare = RELATIONS[relation]
    condition = f"{{0}} {relation} {{1}}"
    pattern = f"where({condition if bare else f'[{condition}]'}, {{2}}, {{3}})"
    return "where", pattern, lambda torch, a, b, c, d: torch.where(compare(a, b), c, d)


def bracket(relation: str) -> tuple[str, str, Callable[..., Any]]:
    """A comparison as a factor."""
    compare = RELATIONS[relation]
    return "bracket", f"[{{0}} {relation} {{1}}] * {{2}}", lambda torch, a, b, c: compare(a, b).to(c.dtype) * c


def nearest(torch: Any, value: Any, low: Any) -> Any:
    """The value, kept between a bound and one 0.8 above it."""
    return torch.minimum(torch.maximum(value, low), low + 0.8)


OPERATIONS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("max", "max({0}, {1})", lambda torch, a, b: torch.maximum(a, b)),
    ("min", "min({0}, {1})", lambda torch, a, b: torch.minimum(a, b)),
    ("max of three", "max({0}, {1}, {2})", lambda torch, a, b, c: torch.maximum(torch.maximum(a, b), c)),
    ("min and a number", "min(0.3, {0})", lambda torch, a: a.clamp(max=0.3)),
    ("clip", "clip({0}, {1}, {1} + 0.8)", nearest),
    *(comparison(relation, bare=bare) for relation, bare in zip(RELATIONS, (True, False, True, False), strict=True)),
    ("where", "where({0}, {1}, 0.7)", lambda torch, a, b: torch.where(a > 0, b, torch.full_like(b, 0.7))),
    (
        "where both",
        "where([{0} > {1}] * [{1} <= {2}], {0}, {2})",
        lambda torch, a, b, c: torch.where((a > b) & (b <= c), a, c),
    ),
    *map(bracket, RELATIONS),
    ("pow", "({0}^2 + 0.5)^tanh({1})", lambda torch, a, b: (a**2 + 0.5) ** torch.tanh(b)),
    ("pow", "pow(exp(tanh({0})), {1})", lambda torch, a, b: torch.exp(torch.tanh(a)) ** b),
    ("power of a number", "2^{0}", lambda torch, a: 2**a),
    ("atan2", "atan2({0} + 0.2, {1} - 0.3)", lambda torch, a, b: torch.atan2(a + 0.2, b - 0.3)),
    ("atan", "atan({0})", lambda torch, a: torch.atan(a)),
    ("product", "{0} * {1}", lambda torch, a, b: a * b),
    ("sum", "({0} - 1.5*{1})", lambda torch, a, b: a - 1.5 * b),
    ("tanh", "tanh({0})", lambda torch, a: torch.tanh(a)),
)


HIDING = ("where", "where both", "bracket")
"""What hides a part of what it is made of."""


@dataclass(frozen=True)
class Choices:
    """A program: its inputs with their slots, and what it computes, the last one the loss."""

    inputs: Mapping[str, str]
    equations: tuple[tuple[str, str, Entry | Applied], ...]

    def text(self) -> str:
        """As a spec has it."""
        lines = ['title "A random program"', *(f"index {letter} : {EXTENTS[letter]}" for letter in LETTERS)]
        lines += [f"input {Entry(name, slots).text()}" for name, slots in self.inputs.items()]
        lines += [f"{Entry(name, slots).text()} = {right.text()}" for name, slots, right in self.equations]
        return "\n".join([*lines, "loss L", f"derive {', '.join(self.inputs)}", ""])

    def loss(self, given: Mapping[str, Any], torch: Any) -> Any:
        """Its value."""
        arrays = dict(given)
        for name, slots, right in self.equations:
            value = right.value(arrays, torch)
            axes = [letter for letter in LETTERS if letter in slots]
            shape = [value.shape[LETTERS.index(letter)] for letter in axes]
            arrays[name] = value.reshape(shape).permute([axes.index(letter) for letter in slots])
        return arrays["L"]

    def features(self) -> frozenset[str]:
        """What is in it, for counting."""
        pending, found = [right for _, _, right in self.equations], set[str]()
        while pending:
            node = pending.pop()
            if isinstance(node, Applied):
                found.add(node.name)
                pending += node.parts
        return frozenset(found)


class Drawing:
    """Draws one program."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([78, seed])
        self.inputs: dict[str, str] = {}
        self.known: dict[str, str] = {}

    def letters(self, least: int = 0) -> str:
        """Some indices in some order."""
        return "".join(self.rng.permutation(list(LETTERS))[: int(self.rng.integers(least, 3))])

    def entry(self) -> Entry:
        """An entry of a tensor that is there, or of a new input."""
        every = {**self.inputs, **self.known}
        if every and self.rng.random() < 0.6:
            name = sorted(every)[int(self.rng.integers(len(every)))]
            return Entry(name, every[name])
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.letters()
        return Entry(name, self.inputs[name])

    def expression(self, depth: int) -> Entry | Applied:
        """A random tree."""
        if depth == 0 or self.rng.random() < 0.15:
            return self.entry()
        hiding = self.rng.random() < 0.15
        some = [one for one in OPERATIONS if (one[0] in HIDING) == hiding]
        name, pattern, compute = some[int(self.rng.integers(len(some)))]
        count = len(set(re.findall(r"\{\d\}", pattern)))
        found = Applied(name, pattern, compute, tuple(self.expression(depth - 1) for _ in range(count)))
        free = sorted(found.free())
        if free and self.rng.random() < 0.15:
            letter = free[int(self.rng.integers(len(free)))]
            return Applied("reduction", f"sum[{letter}]({{0}})", lambda torch, a: a, (found,), letter)
        return found

    def program(self) -> Choices:
        """The program: one or two equations, and the sum of what they give."""
        equations = []
        for number in range(int(self.rng.integers(1, 3))):
            right = self.expression(DEPTH)
            while not right.free():
                right = self.expression(DEPTH)
            slots = "".join(self.rng.permutation(sorted(right.free())))
            equations.append((f"y{number}", slots, right))
            self.known[f"y{number}"] = slots
        name, slots = list(self.known.items())[-1]
        total = Applied("sum", f"sum[{','.join(slots)}]({{0}}^2)", lambda torch, a: a**2, (Entry(name, slots),), slots)
        return Choices(self.inputs, (*equations, ("L", "", total)))


def drawn(seed: int) -> Choices:
    """The program of a seed."""
    return Drawing(seed).program()


def points(program: Choices, seed: int) -> Iterator[tuple[dict[str, int], dict[str, np.ndarray]]]:
    """Sizes, 1 among them, and inputs of both signs."""
    for number in range(3):
        rng = np.random.default_rng([90, seed, number])
        sizes = {extent: int(rng.integers(1, 5)) for extent in EXTENTS.values()}
        yield (
            sizes,
            {
                name: np.asarray(0.8 * rng.normal(size=[sizes[EXTENTS[letter]] for letter in slots]))
                for name, slots in program.inputs.items()
            },
        )

"""Random programs: a frame of indices for each equation, formulas drawn inside it, and what is asked.

Each program favours a few kinds of formulas, so that each kind is met often and in company of the others. While a
program grows it is evaluated at one point, and an equation whose values are not tame is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.campaign.evaluation import Evaluation
from tests.campaign.formulas import (
    Apply,
    Axis,
    Extent,
    Formula,
    Negative,
    Number,
    Over,
    Plus,
    Power,
    Ratio,
    Read,
    Statement,
    Symbol,
    Tensor,
    Times,
    Use,
    free,
    nodes,
    renamed,
)

LETTERS = {"N": "ijln", "M": "mstu", "H": "hgw", "D": "kqr"}
"""Named extents with the indices that may run over them."""

TENSORS = tuple("ABCEFPQRSTUVWXYZabcdefopvxyz")
"""Names of tensors; those of indices and extents are left out where they are declared."""

ODD = ("θ", "mu_1", "index", "lambda", "x_hat", "np", "dA", "values", "W_QK", "I", "E", "sum_", "G", "out", "N1", "β")
"""Names that a careless printer trips over."""

LIMIT = 25.0
"""The largest value of a tame tensor."""

CELLS = 5_000
"""How many entries a formula may have at the probing sizes."""

PROBE = {"N": 3, "M": 2, "H": 2, "D": 3}
"""Sizes at which a growing program is evaluated."""

SMOOTH = ("exp", "sin", "cos", "tanh", "sigmoid", "softplus", "silu", "erf", "gelu")
KINKED = ("relu", "abs", "max", "min", "step", "sign")

Kind = Callable[["Drawing"], Formula]


@dataclass
class Drawing:
    """A program while it is drawn.

    Attributes:
        rng: where chance comes from.
        indices: the declared indices.
        parameters: the declared parameters.
        kinds: the kinds of formulas that this program favours.
        names: the names that tensors may take.
        inputs: the given tensors.
        tensors: the axes of every tensor so far.
        lines: the equations so far.
        frame: the indices that the formula at hand may use.
        depth: how many levels a formula may still go down.
        probed: the values so far.
    """

    rng: np.random.Generator
    indices: dict[str, Extent]
    parameters: dict[str, str]
    kinds: list[Kind]
    names: list[str]
    inputs: list[Tensor] = field(default_factory=list)
    tensors: dict[str, tuple[Axis, ...]] = field(default_factory=dict)
    lines: list[Statement | Use] = field(default_factory=list)
    frame: list[str] = field(default_factory=list)
    depth: int = 0
    probed: Evaluation | None = None

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return bool(self.rng.random() < probability)

    def pick(self, options: list[str] | tuple[str, ...]) -> str:
        """One of them."""
        return options[int(self.rng.integers(len(options)))]

    def formula(self) -> Formula:
        """A formula of one of the favoured kinds; an entry when it is deep enough."""
        if self.depth <= 0 or self.chance(0.25):
            return self.read()
        self.depth -= 1
        found = self.kinds[int(self.rng.integers(len(self.kinds)))](self)
        self.depth += 1
        return found

    def read(self, wanted: str = "") -> Formula:
        """An entry of a tensor whose axes fit indices of the frame; late ones are likelier."""
        fitting = [name for name, axes in self.tensors.items() if self.fits(axes)]
        if wanted:
            fitting = [tensor.name for tensor in self.inputs if tensor.kind == wanted and tensor.name in fitting]
        if not fitting:
            return Number("0.5")
        late = fitting[-4:] if self.chance(0.6) else fitting
        name = self.pick(late)
        if not self.tensors[name] and self.chance(0.7):
            name = self.pick(fitting)
        return Read(name, tuple(self.placed(axis) for axis in self.tensors[name]))

    def fits(self, axes: tuple[Axis, ...]) -> bool:
        """Whether the frame has indices for all axes."""
        here = {self.indices[index] for index in self.frame}
        return all(all(self.indices[index] in here for index in axis) or self.product(axis) in here for axis in axes)

    def product(self, axis: Axis) -> Extent:
        """The extent of an axis as a whole."""
        return tuple(part for index in axis for part in self.indices[index])

    def placed(self, axis: Axis) -> Axis:
        """Indices of the frame on an axis: an axis of several may be read by one."""
        whole = [index for index in self.frame if self.indices[index] == self.product(axis)]
        if len(axis) > 1 and whole and self.chance(0.5):
            return (self.pick(whole),)
        parts = [[other for other in self.frame if self.indices[other] == self.indices[index]] for index in axis]
        return tuple(self.pick(options) for options in parts) if all(parts) else (self.pick(whole),)

    def bound(self, body: Formula) -> tuple[str, ...]:
        """Indices of a formula to sum over; none if it has none."""
        letters = free(body)
        if not letters:
            return ()
        count = 2 if len(letters) > 1 and self.chance(0.2) else 1
        return tuple(str(letter) for letter in self.rng.choice(letters, count, replace=False))

    def over(self, operator: str, body: Formula) -> Formula:
        """A composite over indices of its body; the body itself where it has none."""
        bound = self.bound(body)
        return Over(operator, bound, body) if bound else body

    def scalar(self) -> Formula:
        """A number, a parameter, or an extent in a form that is defined for every size."""
        options = [Number("0.5"), Number("2"), Number("0.1"), Ratio(Number("1"), Number("3"))]
        options += [Symbol(name) for name in self.parameters]
        sizes = [Symbol(part) for extent in self.indices.values() for part in extent if isinstance(part, str)]
        if sizes:
            size = sizes[int(self.rng.integers(len(sizes)))]
            root = Apply("sqrt", size)
            options += [
                Ratio(Number("1"), size),
                Ratio(Number("1"), root),
                Power(size, Ratio(Negative(Number("1")), Number("2"))),
            ]
            options += [Ratio(size, Number("4")), Apply("log", Plus((size, Number("1"))))]
        if self.chance(0.1):
            options = [Symbol("pi"), Apply("exp", Number("0.3")), Apply("sqrt", Number("2"))]
        return options[int(self.rng.integers(len(options)))]

    def positive(self) -> Formula:
        """A formula that is positive whatever the inputs are."""
        body = self.formula()
        one = Number("1")
        match int(self.rng.integers(8)):
            case 0:
                return Plus((one, Power(body, Number("2"))))
            case 1:
                return Plus((Apply("softplus", body), Number("0.2")))
            case 2:
                return Apply("exp", Times((Number("0.5"), body)))
            case 3:
                return Plus((self.over("norm2", body), one)) if free(body) else Plus((Power(body, Number("2")), one))
            case 4:
                return Plus((Apply("abs", body), Number("0.5")))
            case 5:
                return Apply("sqrt", Plus((Power(body, Number("2")), one)))
            case 6:
                bound = self.bound(body)
                return Over("sum", bound, Apply("exp", body)) if bound else Apply("exp", body)
            case _:
                found = self.read("positive")
                # The logarithm of 1 is zero, and what it multiplies is not read.
                return found if isinstance(found, Read) else Number("2")

    def pair(self, alike: bool = True) -> tuple[str, str] | None:
        """Two indices of the frame, of one extent if they must be; no product of extents."""
        plain = [index for index in self.frame if len(self.indices[index]) == 1]
        pairs = [
            (one, other)
            for one in plain
            for other in plain
            if one != other and (not alike or self.indices[one] == self.indices[other])
        ]
        return pairs[int(self.rng.integers(len(pairs)))] if pairs else None

    def swapped(self, formula: Formula) -> Formula:
        """The formula with two indices of one extent exchanged, or with one renamed."""
        inside = {index for node in nodes(formula) if isinstance(node, Over) for index in node.indices}
        options = [
            (one, other)
            for one in free(formula)
            for other in self.frame
            if one != other and self.indices[one] == self.indices[other] and not {one, other} & inside
        ]
        if not options:
            return formula
        one, other = options[int(self.rng.integers(len(options)))]
        return renamed(formula, {one: other, other: one})

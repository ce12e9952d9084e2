"""What a worksheet is compared with: every number of both passes and of the update, computed in double precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from indexcalc.algebra.terms import Access, walk
from indexcalc.calculus.steps import Derivation
from indexcalc.errors import IndexCalcError
from indexcalc.figures.tokens import LOSSES
from indexcalc.program import Equation
from indexcalc.proof.evaluate import evaluate, run_program
from indexcalc.proof.numeric import Array
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet.values import Values

Key = tuple[str, str]
"""``(kind, tensor)``; kinds are value, gradient, new and scalar."""


@dataclass(frozen=True)
class Quantity:
    """One tensor with its numbers.

    Attributes:
        key: what it is.
        text: how the model writes it, such as ``dL/dWQ``.
        values: its entries, one axis a slot.
        stored: the shape in which it is stored, where slots are fused.
    """

    key: Key
    text: str
    values: Array
    stored: tuple[int, ...]

    def entry(self, flat: int) -> str:
        """How the model writes one entry."""
        if not self.values.shape:
            return self.text
        return f"{self.text}[{','.join(str(int(n)) for n in np.unravel_index(flat, self.values.shape))}]"


@dataclass(frozen=True)
class Model:
    """A derivation with its values.

    Attributes:
        derivation: both passes.
        values: what is given.
        tensors: the numbers of every tensor of both passes, by the programs' names.
    """

    derivation: Derivation
    values: Values
    tensors: Mapping[str, Array]

    @cached_property
    def quantities(self) -> Mapping[Key, Quantity]:
        """Everything that a sheet may state."""
        problem = self.derivation.problem
        forward, backward = problem.program, self.derivation.backward
        owners = {name: tensor for tensor, name in problem.gradient_names.items()}
        found: dict[Key, Quantity] = {}
        for name, array in self.tensors.items():
            if name in owners and name not in forward.tensors:
                key, text, of = ("gradient", owners[name]), f"d{problem.loss or 'L'}/d{owners[name]}", owners[name]
            else:
                key, text, of = ("value", name), name, name
            program = forward if of in forward.tensors else backward
            found[key] = Quantity(key, text, array, self.stored(program.axes(of), array))
        for name, array in self.updated.items():
            found["new", name] = Quantity(("new", name), f"{name}_new", array, found["value", name].stored)
        numbers = {**dict(self.values.sizes), **dict(self.values.parameters)}
        for symbol, number in numbers.items():
            found["scalar", str(symbol)] = Quantity(("scalar", str(symbol)), str(symbol), np.asarray(float(number)), ())
        if self.values.rate is not None:
            rate = np.asarray(float(self.values.rate))
            found["scalar", "learning rate"] = Quantity(("scalar", "learning rate"), "the learning rate", rate, ())
        return found

    def gradient(self, tensor: str) -> Quantity | None:
        """The gradient by a tensor, also where the derivation was not asked for it; None if there is none."""
        found = self.quantities.get(("gradient", tensor))
        if found is not None or ("value", tensor) not in self.quantities:
            return found
        return self.unasked.get(tensor)

    @cached_property
    def unasked(self) -> Mapping[str, Quantity]:
        """The gradients by all tensors that the derivation was not asked for."""
        problem = self.derivation.problem
        hoisted = {equation.name for equation in problem.program.equations if equation.hoisted}
        asked = [name for name in problem.program.tensors if name not in hoisted and name not in problem.given]
        try:
            whole = derive(replace(problem, targets=tuple(name for name in asked if name != problem.loss), claims=()))
            model = model_of(whole, self.values)
        except IndexCalcError:
            return {}
        return {key[1]: quantity for key, quantity in model.quantities.items() if key[0] == "gradient"}

    def stored(self, axes: tuple[tuple[object, ...], ...], array: Array) -> tuple[int, ...]:
        """The shape with fused slots in one axis."""
        shape, at = [], 0
        for axis in axes:
            shape.append(int(np.prod(array.shape[at : at + len(axis)])))
            at += len(axis)
        return tuple(shape)

    @cached_property
    def losses(self) -> tuple[str, ...]:
        """What the loss is called: by its name, and as losses usually are unless another tensor has that name."""
        loss = self.derivation.problem.loss
        usual = tuple(name for name in LOSSES if name not in self.tensors or name == loss)
        return (*((loss,) if loss is not None else ()), *usual)

    @cached_property
    def updated(self) -> Mapping[str, Array]:
        """The parameters after the step, and the loss they give."""
        problem, rate = self.derivation.problem, self.values.rate
        if rate is None:
            return {}
        names = problem.gradient_names
        new = {
            name: np.asarray(self.tensors[name] - rate * self.tensors[names[name]])
            for name in self.values.updated
            if names[name] in self.tensors
        }
        if problem.loss is not None:
            given = {**self.values.inputs, **new}
            again = run_program(problem.program, given, self.values.sizes, self.values.parameters)
            new[problem.loss] = again[problem.loss]
        return new

    @cached_property
    def given(self) -> frozenset[float]:
        """Every number that is given, so that a figure that shows it shows it exactly."""
        arrays = [*self.values.inputs.values(), *self.values.upstream.values()]
        numbers = {float(value) for array in arrays for value in array.flat}
        numbers |= {float(value) for value in self.values.parameters.values()}
        return frozenset(numbers | ({float(self.values.rate)} if self.values.rate is not None else set()))

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """The equations of both passes, in order."""
        return (*self.derivation.problem.program.equations, *self.derivation.backward.equations)

    def name_of(self, key: Key) -> str | None:
        """The programs' name of a value or a gradient."""
        kind, tensor = key
        name = self.derivation.problem.gradient_names.get(tensor) if kind == "gradient" else tensor
        return name if kind in ("value", "gradient") and name in self.tensors else None

    def with_stated(self, stated: Mapping[str, Mapping[int, float]], target: str) -> Array:
        """A tensor computed from the figures that a sheet states above it instead of from exact numbers.

        Args:
            stated: figures by the programs' names and flat positions; those of `target` are not used.
            target: the tensor to compute.
        """
        values = {name: patched(array, stated.get(name, {})) for name, array in self.tensors.items()}
        for equation in self.equations:
            array = evaluate(equation.terms, equation.slots, values, self.values.sizes, self.values.parameters)
            if equation.name == target:
                return array
            values[equation.name] = patched(array, stated.get(equation.name, {}))
        return self.tensors[target]

    def sources(self, target: str) -> frozenset[str]:
        """The tensors that the equation of one reads."""
        return frozenset(
            base.tensor
            for equation in self.equations
            if equation.name == target
            for base in walk(equation.terms)
            if isinstance(base, Access)
        )


def patched(array: Array, entries: Mapping[int, float]) -> Array:
    """An array with some entries replaced, by flat position."""
    if not entries:
        return array
    flat = np.array(array, dtype=float).reshape(-1)
    for place, value in entries.items():
        flat[place] = value
    return flat.reshape(np.shape(array))


def model_of(derivation: Derivation, values: Values) -> Model:
    """All numbers of a derivation.

    Raises:
        LimitError: if a term is too large for the evaluator.
    """
    problem, backward = derivation.problem, derivation.backward
    forward = run_program(problem.program, values.inputs, values.sizes, values.parameters)
    known = {**forward, **values.upstream}
    needed = {tensor.name: known[tensor.name] for tensor in backward.inputs}
    gradients = run_program(backward, needed, values.sizes, values.parameters)
    return Model(derivation, values, {**known, **gradients})

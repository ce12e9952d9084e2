"""Arrays of three kinds under the same few words: NumPy (real, complex or exact to many digits) and PyTorch.

Functions are written from their definitions. A kink has the slope that the spec language promises. `noise` moves the
result of every operation that rounds by a random part of itself: what that does to a result is its conditioning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

Array = Any

ERF = np.frompyfunc(math.erf, 1, 1)


HUGE = 1e7
"""The largest exponent of e that is computed."""


class Arithmetic:
    """Real NumPy arrays; the other kinds say what differs.

    Attributes:
        noise: the relative size of the random moves; 0 for none.
        decisions: what was decided at kinks, and which entries were the largest, in the order of the operations.
        given: what is to be decided, if that is known already. A step that is taken to find a slope decides nothing:
            at 0, the square of an imaginary step would.
        margins: by how much one was larger than the other, for real arrays.
        exact: whether nothing is rounded.
    """

    exact = False

    def __init__(self, noise: float = 0.0, seed: int = 0, given: Sequence[np.ndarray] = ()) -> None:
        self.noise = noise
        self.rng = np.random.default_rng(seed)
        self.given = given
        self.decisions: list[np.ndarray] = []
        self.margins: list[np.ndarray] = []

    def array(self, values: np.ndarray) -> Array:
        """An array of this kind."""
        return np.asarray(values, float)

    def plain(self, array: Array) -> np.ndarray:
        """Its real part as a NumPy array."""
        return np.asarray(array, float)

    def rounded(self, array: Array, batched: bool) -> Array:
        """The result of an operation that rounds, moved alike along the axis of a batch; its slope moves by itself."""
        if not self.noise:
            return array
        shape = tuple(np.shape(array))[1 if batched else 0 :]
        value, slope = (1 + self.noise * self.rng.uniform(-1, 1, shape) for _ in range(2))
        return self.moved(array, value, slope)

    def steepened(self, array: Array, sizes: np.ndarray, batched: bool) -> Array:
        """An array whose slopes alone move, so many times as much as by rounding; alike along the axis of a batch."""
        if not self.noise:
            return array
        sizes = np.abs(sizes[0] if batched else sizes)
        slope = 1 + self.noise * sizes * self.rng.uniform(-1, 1, sizes.shape)
        return self.moved(array, np.ones(sizes.shape), slope)

    def moved(self, array: Array, value: np.ndarray, slope: np.ndarray) -> Array:
        """The array times one factor, its slopes times another."""
        del slope
        return array * value

    def kept(self, array: Array) -> Array:
        """An array also where an operation gave a bare number."""
        return array

    def transposed(self, array: Array, order: list[int]) -> Array:
        """Its axes in another order."""
        return array.transpose(order)

    def exp(self, x: Array) -> Array:
        return np.exp(x)

    def log(self, x: Array) -> Array:
        return np.log(x)

    def log1p(self, x: Array) -> Array:
        """log(1 + x), to all digits of a small x."""
        return np.log1p(x)

    def sqrt(self, x: Array) -> Array:
        return np.sqrt(x)

    def sin(self, x: Array) -> Array:
        return np.sin(x)

    def cos(self, x: Array) -> Array:
        return np.cos(x)

    def erf(self, x: Array) -> Array:
        return np.asarray(ERF(x), float)

    def where(self, condition: Array, yes: Array, no: Array) -> Array:
        return np.where(condition, yes, no)

    def largest(self, x: Array, places: tuple[int, ...]) -> Array:
        """The largest entry along the axes, which stay with length 1; no gradient goes through it."""
        return np.max(x, axis=places, keepdims=True)

    def over(self, x: Array, y: Array) -> Array:
        """Where one is larger than the other, remembered as a decision."""
        self.margins.append(self.plain(x) - self.plain(y))
        return self.decided(self.real(x) > self.real(y))

    def equal(self, x: Array, y: Array) -> Array:
        """Where both are equal, remembered as a decision."""
        return self.decided(self.real(x) == self.real(y))

    def decided(self, found: Array) -> Array:
        """A decision, as it was found or as it is given."""
        if self.given:
            found = self.given[len(self.decisions)]
        self.decisions.append(np.asarray(found))
        return found

    def real(self, x: Array) -> Array:
        return x

    def power(self, base: Array, exponent: float) -> Array:
        """A power; whole exponents are products, and half ones are roots."""
        if exponent == int(exponent) and abs(exponent) <= 64:
            found = self.array(np.ones(tuple(np.shape(base))))
            for _ in range(abs(int(exponent))):
                found = found * base
            return found if exponent >= 0 else 1 / found
        return self.exp(exponent * self.log(base))


class Wide(Arithmetic):
    """Real NumPy arrays with exponents of a wider range, where the machine has them: less of it vanishes."""

    def array(self, values: np.ndarray) -> Array:
        return np.asarray(values, np.longdouble)


class Complex(Arithmetic):
    """Complex NumPy arrays, for derivatives by complex step.

    Attributes:
        step: the imaginary step.
    """

    step: Any = 1e-30j

    def moved(self, array: Array, value: np.ndarray, slope: np.ndarray) -> Array:
        return np.real(array) * value + 1j * (np.imag(array) * slope)

    def slope(self, array: Array) -> Array:
        """The derivative that the imaginary part holds."""
        return array.imag / 1e-30

    def weight(self, array: np.ndarray) -> Array:
        """What slopes are multiplied by."""
        return array

    def array(self, values: np.ndarray) -> Array:
        return np.asarray(values, complex)

    def plain(self, array: Array) -> np.ndarray:
        return np.asarray(array).real

    def log1p(self, x: Array) -> Array:
        # NumPy's own adds 1 first where x is complex.
        return np.log1p(x.real) + 1j * (x.imag / (1 + x.real))

    def erf(self, x: Array) -> Array:
        slope = 2 / math.sqrt(math.pi) * np.exp(-(x.real**2))
        return np.asarray(ERF(x.real), float) + 1j * slope * x.imag

    def real(self, x: Array) -> Array:
        return np.real(x)


class Exact(Complex):
    """Complex numbers of mpmath in NumPy arrays of objects, to as many digits as mpmath is set to.

    Exponentials beyond `HUGE` are refused: nothing fits that is made of them.
    """

    exact = True

    def __init__(self, mp: Any, noise: float = 0.0, seed: int = 0, given: Sequence[np.ndarray] = ()) -> None:
        super().__init__(noise, seed, given)
        self.mp = mp
        self.step = mp.mpc(0, mp.mpf(10) ** -mp.dps)

    def call(self, function: Callable[[Any], Any], x: Array) -> Array:
        """A function, entry by entry."""
        return np.asarray(np.frompyfunc(function, 1, 1)(x), object)

    def array(self, values: np.ndarray) -> Array:
        return self.call(self.mp.mpc, np.asarray(values, object))

    def kept(self, array: Array) -> Array:
        return np.asarray(array, object)

    def plain(self, array: Array) -> np.ndarray:
        return np.asarray(self.call(lambda x: float(x.real), array), float)

    def moved(self, array: Array, value: np.ndarray, slope: np.ndarray) -> Array:
        imaginary = self.call(lambda x: self.mp.mpc(0, x.imag), array)
        return self.real(array) * value.astype(object) + imaginary * slope.astype(object)

    def slope(self, array: Array) -> Array:
        return self.call(lambda x: self.mp.mpc(x).imag / self.step.imag, array)

    def weight(self, array: np.ndarray) -> Array:
        return self.call(self.mp.mpf, np.asarray(array, object))

    def exp(self, x: Array) -> Array:
        if any(abs(one.real) > HUGE for one in np.ravel(x)):
            raise OverflowError
        return self.call(self.mp.exp, x)

    def log(self, x: Array) -> Array:
        return self.call(self.mp.log, x)

    def log1p(self, x: Array) -> Array:
        return self.call(self.mp.log1p, x)

    def sqrt(self, x: Array) -> Array:
        return self.call(self.mp.sqrt, x)

    def sin(self, x: Array) -> Array:
        return self.call(self.mp.sin, x)

    def cos(self, x: Array) -> Array:
        return self.call(self.mp.cos, x)

    def erf(self, x: Array) -> Array:
        return self.call(self.mp.erf, x)

    def largest(self, x: Array, places: tuple[int, ...]) -> Array:
        return np.max(self.real(x), axis=places, keepdims=True)

    def real(self, x: Array) -> Array:
        return self.call(lambda x: x.real, x)

    def over(self, x: Array, y: Array) -> Array:
        return self.decided(np.asarray(self.real(x) > self.real(y), bool))

    def equal(self, x: Array, y: Array) -> Array:
        return self.decided(np.asarray(self.real(x) == self.real(y), bool))


class Torch(Arithmetic):
    """PyTorch tensors in double precision."""

    def __init__(self, torch: ModuleType, noise: float = 0.0, seed: int = 0) -> None:
        super().__init__(noise, seed)
        self.torch = torch

    def array(self, values: np.ndarray) -> Array:
        return self.torch.as_tensor(np.array(values, float))

    def plain(self, array: Array) -> np.ndarray:
        return np.asarray(array.detach().numpy())

    def moved(self, array: Array, value: np.ndarray, slope: np.ndarray) -> Array:
        result = array * self.array(value)
        if result.requires_grad:
            factor = self.array(slope)
            result.register_hook(lambda gradient: gradient * factor)
        return result

    def transposed(self, array: Array, order: list[int]) -> Array:
        return array.permute(order)

    def exp(self, x: Array) -> Array:
        return self.torch.exp(x)

    def log(self, x: Array) -> Array:
        return self.torch.log(x)

    def log1p(self, x: Array) -> Array:
        return self.torch.log1p(x)

    def sqrt(self, x: Array) -> Array:
        return self.torch.sqrt(x)

    def sin(self, x: Array) -> Array:
        return self.torch.sin(x)

    def cos(self, x: Array) -> Array:
        return self.torch.cos(x)

    def erf(self, x: Array) -> Array:
        return self.torch.erf(x)

    def where(self, condition: Array, yes: Array, no: Array) -> Array:
        return self.torch.where(condition, yes, no)

    def largest(self, x: Array, places: tuple[int, ...]) -> Array:
        return self.torch.amax(x.detach(), dim=places, keepdim=True)

    def real(self, x: Array) -> Array:
        return x.detach()


KINK = 1e-20
"""Below it, what stands in a root is zero but for rounding."""


def sigmoid(a: Arithmetic, x: Array) -> Array:
    """1 / (1 + e^-x)."""
    return 1 / (1 + a.exp(-x))


def root(a: Arithmetic, x: Array) -> Array:
    """A square root, which has a kink at zero: whether it is there is decided, for rounding may move it away.

    What rounding left of zero has no root that is worth anything, as a direction or below a line: no number is given.
    """
    real = a.real(x)
    a.over(x, KINK + 0 * real)
    left_over = (real != 0) & (abs(real) < KINK)
    return a.sqrt(x) if a.exact else a.where(left_over, math.nan + 0 * real, a.sqrt(x))


def softplus(a: Arithmetic, x: Array) -> Array:
    """log(1 + e^x), where e^x overflows too, and where it is small: what is never zero may be divided by, or signed."""
    above = a.where(a.real(x) > 0, x, 0 * x)
    return above + a.log1p(a.exp(x - 2 * above))


def steps(a: Arithmetic, x: Array) -> Array:
    """1 where x is positive, else 0."""
    nought = 0 * a.real(x)
    return a.where(a.over(x, nought), 1 + nought, nought)


FUNCTIONS: dict[str, Callable[[Arithmetic, Array], Array]] = {
    "exp": lambda a, x: a.exp(x),
    "log": lambda a, x: a.log(x),
    "sqrt": root,
    "sin": lambda a, x: a.sin(x),
    "cos": lambda a, x: a.cos(x),
    "tanh": lambda a, x: 1 - 2 / (1 + a.exp(2 * x)),
    "sigmoid": sigmoid,
    "softplus": softplus,
    "silu": lambda a, x: x * sigmoid(a, x),
    "erf": lambda a, x: a.erf(x),
    "gelu": lambda a, x: x * (1 + a.erf(x * math.sqrt(0.5))) / 2,
    "relu": lambda a, x: x * steps(a, x),
    "abs": lambda a, x: x * (steps(a, x) - steps(a, -x)),
    "step": steps,
    "sign": lambda a, x: steps(a, x) - steps(a, -x),
}
"""Functions of one argument, by definition."""

EXACT = frozenset({"relu", "abs", "step", "sign"})
"""Functions that do not round."""

LEAST = 1e-16
"""The least that is left of 1 in double precision."""

SATURATED = frozenset({"tanh", "sigmoid"})
"""Functions that come so close to 1 that what is left of 1 is rounded away."""

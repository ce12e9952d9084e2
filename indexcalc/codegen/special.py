"""Functions that NumPy lacks: private functions that a generated module holds where it uses them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Special:
    """The source of one private function and the private functions that it calls."""

    source: str
    calls: tuple[str, ...] = ()


SIGMOID = '''\
def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)'''

SIGMOID_INTO = '''\
def _sigmoid_into(x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x) in memory that may be x's; 0 where e^-x is too large."""
    np.multiply(x, -1.0, out=out)
    with np.errstate(over="ignore"):
        np.exp(out, out=out)
    np.add(out, 1.0, out=out)
    return np.divide(1.0, out, out=out)'''

SILU = '''\
def _silu(x: np.ndarray) -> np.ndarray:
    """x / (1 + e^-x)."""
    return x * _sigmoid(x)'''

GELU = '''\
def _gelu(x: np.ndarray) -> np.ndarray:
    """x (1 + erf(x / sqrt 2)) / 2."""
    return 0.5 * x * (1.0 + _erf(x / 2**0.5))'''

ERF = '''\
def _erf(x: np.ndarray) -> np.ndarray:
    """The error function to about 1e-15.

    Rational approximations of W. J. Cody, "Rational Chebyshev approximations for the
    error function", Mathematics of Computation 23 (1969), 631-637.
    """
    a = (
        1.85777706184603153e-1,
        3.16112374387056560e0,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    )
    b = (
        1.0,
        2.36012909523441209e1,
        2.44024637934444173e2,
        1.28261652607737228e3,
        2.84423683343917062e3,
    )
    c = (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594e0,
        6.61191906371416295e1,
        2.98635138197400131e2,
        8.81952221241769090e2,
        1.71204761263407058e3,
        2.05107837782607147e3,
        1.23033935479799725e3,
    )
    d = (
        1.0,
        1.57449261107098347e1,
        1.17693950891312499e2,
        5.37181101862009858e2,
        1.62138957456669019e3,
        3.29079923573345963e3,
        4.36261909014324716e3,
        3.43936767414372164e3,
        1.23033935480374942e3,
    )
    # Beyond 6, erf is 1 to the last bit.
    size = np.minimum(np.abs(x), 6.0)
    near = np.minimum(size, 0.46875)
    far = np.maximum(size, 0.46875)
    inner = near * _ratio(a, b, near**2)
    outer = 1.0 - np.exp(-(far**2)) * _ratio(c, d, far)
    return np.copysign(np.where(size <= 0.46875, inner, outer), x)'''

RATIO = '''\
def _ratio(above: tuple, below: tuple, x: np.ndarray) -> np.ndarray:
    """The quotient of two polynomials, highest coefficients first (Horner's rule)."""
    numerator, denominator = above[0], below[0]
    for high, low in zip(above[1:], below[1:], strict=True):
        numerator = numerator * x + high
        denominator = denominator * x + low
    return numerator / denominator'''

PROMOTED = '''\
def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])'''

SPECIAL = {
    "_sigmoid": Special(SIGMOID),
    "_sigmoid_into": Special(SIGMOID_INTO),
    "_silu": Special(SILU, ("_sigmoid",)),
    "_gelu": Special(GELU, ("_erf",)),
    "_erf": Special(ERF, ("_ratio",)),
    "_ratio": Special(RATIO),
    "_promoted": Special(PROMOTED),
}

ERF_IN_BLOCKS = '''\
def _erf(x: np.ndarray) -> np.ndarray:
    """The error function, in blocks that stay in cache; to about 1e-15 in float64."""
    flat = np.reshape(x, -1)
    # Of whole numbers too it is a fraction.
    found = np.empty(flat.shape, np.result_type(flat, np.float16))
    of_block = _erf_of_block if found.itemsize > 4 else _short_erf_of_block
    for start in range(0, flat.size, 16384):
        found[start : start + 16384] = of_block(flat[start : start + 16384])
    return found.reshape(np.shape(x))'''

SHORT_ERF = '''\
def _short_erf_of_block(x: np.ndarray) -> np.ndarray:
    """The error function to about 4e-7 of its value.

    A quotient of polynomials in x^2 of degree 5, fitted for the least relative error.
    """
    a = (
        2.045693159e-6,
        2.847879414e-4,
        3.771635277e-3,
        5.276633896e-2,
        1.905772488e-1,
        1.128379146e0,
    )
    b = (
        3.804140627e-5,
        1.163571017e-3,
        1.498138663e-2,
        1.14175196e-1,
        5.022274265e-1,
        1.0,
    )
    # Beyond 3.925, erf is 1 to the last bit of float32.
    near = np.clip(np.asarray(x, np.float32), -3.925, 3.925)
    near *= _ratio(a, b, near**2)
    return np.clip(near, -1.0, 1.0, out=near)'''

RATIO_IN_PLACE = '''\
def _ratio(above: tuple, below: tuple, x: np.ndarray) -> np.ndarray:
    """The quotient of two polynomials, highest coefficients first (Horner's rule)."""
    numerator, denominator = above[0] * x, below[0] * x
    for high, low in zip(above[1:-1], below[1:-1], strict=True):
        numerator += high
        numerator *= x
        denominator += low
        denominator *= x
    numerator += above[-1]
    denominator += below[-1]
    numerator /= denominator
    return numerator'''

FAST = {
    "_erf": Special(ERF_IN_BLOCKS, ("_erf_of_block", "_short_erf_of_block")),
    "_ratio": Special(RATIO_IN_PLACE),
    "_short_erf_of_block": Special(SHORT_ERF, ("_ratio",)),
    "_erf_of_block": Special(ERF.replace("def _erf(", "def _erf_of_block("), ("_ratio",)),
}
"""Functions that are written otherwise where speed is asked for."""

AS_THEY_LIE = '''\
def _as_they_lie(given: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """The arrays without a copy: all of one dtype, entries one after another."""
    kinds = {}
    for name, array in given.items():
        if not isinstance(array, np.ndarray) and np.ndim(array) > 0:
            raise ValueError(f"{name} is no NumPy array, and would be copied to one")
        if np.ndim(array) == 0:
            continue
        dtype, flags = array.dtype, array.flags
        if dtype.kind not in "fc" or np.result_type(dtype, np.float32) != dtype:
            message = f"{name} holds {dtype}, and would be copied to another dtype; "
            raise ValueError(message + "expected float32 or float64")
        if not (dtype.isnative and flags.aligned and flags.c_contiguous):
            message = f"{name} would be copied: its entries do not lie one after "
            raise ValueError(message + "another, in the order of axes and bytes here")
        kinds.setdefault(dtype, name)
    if len(kinds) > 1:
        (one, first), (other, second), *_ = kinds.items()
        message = f"{first} holds {one}, but {second} {other}; "
        raise ValueError(message + "expected one dtype, for arrays are not copied")
    dtype = next(iter(kinds), np.dtype(float))
    return tuple([np.asarray(array, dtype) for array in given.values()])'''

ADD_PRODUCT = '''\
def _add_product(total: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    """total += left @ right, of which at most `PIECE` bytes are there at once."""
    rows, columns = total.shape[-2:]
    width = max(min(columns, PIECE // total.itemsize), 1)
    height = max(PIECE // (total.itemsize * width), 1)
    for at in np.ndindex(total.shape[:-2]):
        for row in range(0, rows, height):
            some = left[at][row : row + height]
            for column in range(0, columns, width):
                part = total[at][row : row + height, column : column + width]
                part += some @ right[at][:, column : column + width]'''

BOUNDED = {"_as_they_lie": Special(AS_THEY_LIE), "_add_product": Special(ADD_PRODUCT)}
"""Functions of modules that keep within a bound of memory."""


def needed_functions(lines: Iterable[str], table: Mapping[str, Special] = SPECIAL) -> tuple[str, ...]:
    """The private functions that code lines call, with those that they call, in the order of the table."""
    text = "\n".join(lines)
    found = {name for name in table if re.search(rf"\b{name}\(", text)}
    pending = list(found)
    while pending:
        for name in table[pending.pop()].calls:
            if name not in found:
                found.add(name)
                pending.append(name)
    return tuple(name for name in table if name in found)

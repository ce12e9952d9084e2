"""JAX as a dialect: ``jax.numpy`` has most of NumPy's names; what traced code can't hold is left out."""

from __future__ import annotations

from indexcalc.codegen.dialect import Arguments, Dialect, Keywords, renamed
from indexcalc.codegen.moving import JAX_MOVING, MOVING
from indexcalc.codegen.newton import JAX_ROOT
from indexcalc.codegen.source import Atom, Binary, Call, Node, product_of
from indexcalc.codegen.special import Special

PROMOTED = '''\
def _promoted(*arrays: jax.Array) -> tuple[jax.Array, ...]:
    """The arrays in one floating dtype, that of their gradients."""
    dtype = jnp.result_type(0.0, *arrays)
    return tuple(jnp.asarray(array, dtype) for array in arrays)'''

CONSTANT = '''\
@partial(jax.custom_vjp, nondiff_argnums=(1,))
def _constant(x: jax.Array, name: str) -> jax.Array:
    """The array itself, which refuses to be differentiated by."""
    return x


def _constant_forward(x: jax.Array, name: str) -> tuple[jax.Array, None]:
    return x, None


def _constant_backward(name: str, _: None, upstream: jax.Array) -> None:
    raise NotImplementedError(f"dL/d{name} is not derived; ask for it in the spec")


_constant.defvjp(_constant_forward, _constant_backward)'''

TANH = '''\
def _tanh(x: jax.Array) -> jax.Array:
    """``tanh(x)``, right to the last digit where it is near 1 or -1."""
    small = jnp.exp(-2.0 * jnp.abs(x))
    large = jnp.sign(x) * (1.0 - 2.0 * small / (1.0 + small))
    return jnp.where(small > 0.25, jnp.tanh(x), large)'''
"""XLA's own is a rational approximation, off by five units in the last place near 1, which ``1 - tanh(x)**2`` reads."""

DET = '''\
def _det(x: jax.Array) -> jax.Array:
    """The determinant of each matrix, by elimination."""
    sign, logarithm = jnp.linalg.slogdet(x)
    return sign * jnp.exp(logarithm)'''
"""``jnp.linalg.det`` writes small ones out, as products of three entries that cancel, and loses their digits."""

ABOVE = '''\
def _above(x: jax.Array, y: jax.Array) -> jax.Array:
    """1 where x > y, else 0; of plain numbers in whatever dtype it meets."""
    if not (isinstance(x, jax.Array) or isinstance(y, jax.Array)):
        return jnp.where(x > y, 1.0, 0.0)
    return jnp.greater(x, y).astype(jnp.result_type(x, y))'''
"""XLA makes ``x - u * v`` one operation that rounds once: it is not zero where both are equal."""

AT_LEAST = ABOVE.replace("_above", "_at_least").replace("x > y", "x >= y").replace("jnp.greater", "jnp.greater_equal")

PLACED = '''\
def _placed(array: jax.Array, *axes: str | None) -> jax.Array:
    """The array, each axis of it split over the axis of `MESH` that is named for it."""
    sharding = NamedSharding(MESH, PartitionSpec(*axes))
    return jax.lax.with_sharding_constraint(array, sharding)'''

SHARDING = "from jax.sharding import AxisType, NamedSharding, PartitionSpec"

SAME = ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "arctan", "arctan2", "power", "abs", "sign", "where",
        "maximum", "minimum", "logaddexp", "broadcast_to", "einsum")  # fmt: skip
"""The functions whose name and arguments are NumPy's; ``jnp.einsum`` looks for an order by itself."""

MADE = ("zeros", "ones", "full", "eye", "asarray")
"""The functions that make arrays."""


def exact_gelu(arguments: Arguments, keywords: Keywords) -> Node:
    """``jax.nn.gelu`` is an approximation unless told otherwise."""
    return Call("jax.nn.gelu", arguments, ("approximate=False",))


def compared(arguments: Arguments, keywords: Keywords) -> Node:
    """A step of a difference as a comparison, for which nothing is subtracted."""
    match arguments:
        case (Binary("-", left, right), Atom(at_zero)):
            return Call("_above" if float(at_zero) == 0 else "_at_least", (left, right))
    return renamed("jnp.heaviside")(arguments, keywords)


def through_floats(call: Call) -> Node:
    """``f(1.0 * x)``: functions of JAX's own take no whole numbers. Traced code can't hold ``float``."""
    if call.function.startswith("jnp."):
        return call
    floating = product_of([Atom("1.0"), call.arguments[0]], [])
    return Call(call.function, (floating, *call.arguments[1:]), call.keywords)


JAX = Dialect(
    name="jax",
    library="JAX",
    array="jax.Array",
    template="jax_module.py.jinja2",
    prefix="np.",
    loop="jax.lax.fori_loop",
    calls={
        **{f"np.{name}": renamed(f"jnp.{name}") for name in SAME},
        **{f"np.{name}": renamed(f"jnp.{name}", "dtype") for name in MADE},
        **{name: renamed(name) for name in MOVING},
        "np.linalg.cholesky": renamed("jnp.linalg.cholesky"),
        "np.linalg.det": renamed("_det"),
        "np.linalg.inv": renamed("jnp.linalg.inv"),
        "np.linalg.slogdet": renamed("jnp.linalg.slogdet"),
        "np.linalg.solve": renamed("jnp.linalg.solve"),
        "np.arange": renamed("jnp.arange"),
        "np.concatenate": renamed("jnp.concatenate", "axis"),
        "np.tri": renamed("jnp.tri", "k", "dtype"),
        "np.tanh": renamed("_tanh"),
        "np.heaviside": compared,
        "_sigmoid": renamed("jax.nn.sigmoid"),
        "_silu": renamed("jax.nn.silu"),
        "_gelu": exact_gelu,
        "_erf": renamed("jax.lax.erf"),
        "_root": renamed("_root"),
    },
    number=through_floats,
    constants={"np.pi": "jnp.pi", "np.e": "jnp.e", "np.inf": "jnp.inf", "-np.inf": "-jnp.inf"},
    private={
        **JAX_MOVING,
        **JAX_ROOT,
        "_promoted": Special(PROMOTED),
        "_placed": Special(PLACED),
        "_tanh": Special(TANH),
        "_det": Special(DET),
        "_constant": Special(CONSTANT),
        "_above": Special(ABOVE),
        "_at_least": Special(AT_LEAST),
    },
    imports=(
        {
            "Callable": "from collections.abc import Callable",
            "partial": "from functools import partial",
            "NamedTuple": "from typing import NamedTuple",
        },
        {
            "jax": "import jax",
            "jnp": "import jax.numpy as jnp",
            "AxisType": SHARDING,
            "NamedSharding": SHARDING,
            "PartitionSpec": SHARDING,
        },
    ),
)

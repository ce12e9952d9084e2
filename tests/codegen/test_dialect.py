"""Dialects: every word of NumPy that code may hold has its row, and what has none is refused."""

import re
from pathlib import Path

import pytest

import indexcalc.codegen
from indexcalc.calculus.pointwise import ROWS
from indexcalc.codegen.dialect import NUMPY, spelled
from indexcalc.codegen.dialect_jax import JAX
from indexcalc.codegen.dialect_torch import TORCH
from indexcalc.codegen.scalars import CONSTANTS, FUNCTIONS
from indexcalc.codegen.source import Atom, Binary, Call, Method, Prefix, Trailer, flat
from indexcalc.errors import UnsupportedError

X, Y = Atom("X"), Atom("Y")
both = pytest.mark.parametrize("dialect", [TORCH, JAX], ids=lambda dialect: dialect.name)


def said(node, dialect):
    return flat(spelled(node, dialect, "X.dtype"))


@pytest.mark.parametrize(
    ("node", "torch", "jax"),
    [
        (Call("np.exp", (X,)), "torch.exp(X)", "jnp.exp(X)"),
        (
            Call("np.einsum", (Atom('"ij,j->i"'), X, Y), ("optimize=True",)),
            'torch.einsum("ij,j->i", X, Y)',
            'jnp.einsum("ij,j->i", X, Y)',
        ),
        (Method(X, "sum", (), ("axis=(0, 1)",)), "X.sum(dim=(0, 1))", "X.sum(axis=(0, 1))"),
        (Method(X, "max", (), ("axis=1",)), "X.amax(dim=1)", "X.max(axis=1)"),
        (Method(X, "min"), "X.amin()", "X.min()"),
        (Method(X, "transpose", ("0", "2", "1")), "X.permute(0, 2, 1)", "X.transpose(0, 2, 1)"),
        (Method(X, "astype", ("Q.dtype",)), "X.to(Q.dtype)", "X.astype(Q.dtype)"),
        (Trailer(Call("np.log", (X,)), "[:, None]"), "torch.log(X)[:, None]", "jnp.log(X)[:, None]"),
        (
            Call("np.zeros", (Atom("(n,)"),), ("dtype=X.dtype",)),
            "torch.zeros((n,), dtype=X.dtype, device=X.device)",
            "jnp.zeros((n,), dtype=X.dtype)",
        ),
        (
            Call("np.full", (Atom("(n,)"), Y), ("dtype=X.dtype",)),
            "torch.ones((n,), dtype=X.dtype, device=X.device) * Y",
            "jnp.full((n,), Y, dtype=X.dtype)",
        ),
        (
            Prefix("~", Call("np.tri", (Atom("n"),), ("k=-1", "dtype=bool"))),
            "~torch.ones(n, n, dtype=torch.bool, device=X.device).tril(-1)",
            "~jnp.tri(n, k=-1, dtype=bool)",
        ),
        (
            Call("np.where", (Atom("mask"), X, Atom("-np.inf"))),
            "torch.where(mask, X, -torch.inf)",
            "jnp.where(mask, X, -jnp.inf)",
        ),
        (Call("np.maximum", (X, Atom("0.0"))), "torch.clamp_min(X, 0.0)", "jnp.maximum(X, 0.0)"),
        (Call("_gelu", (X,)), "torch.nn.functional.gelu(X)", "jax.nn.gelu(X, approximate=False)"),
        (Binary("**", Atom("np.pi"), Atom("0.5")), "torch.pi**0.5", "jnp.pi**0.5"),
        (Call("float", (Call("np.exp", (Atom("eps"),)),)), "math.exp(eps)", "jnp.exp(eps)"),
        (
            Call("float", (Call("_sigmoid", (Atom("eps"),)),)),
            "float(torch.sigmoid(torch.as_tensor(eps, dtype=torch.float64)))",
            "jax.nn.sigmoid(1.0 * eps)",
        ),
    ],
)
def test_words(node, torch, jax):
    assert said(node, TORCH) == torch
    assert said(node, JAX) == jax
    assert spelled(node, NUMPY, "X.dtype") is node


@both
def test_what_has_no_row_is_refused(dialect):
    for name in ("np.linalg.svd", "_bessel"):
        with pytest.raises(UnsupportedError, match=re.escape(f"{name} has no counterpart in {dialect.library}")):
            spelled(Binary("+", X, Call(name, (Y,))), dialect, "X.dtype")


@both
def test_every_function_that_is_emitted_has_a_row(dialect):
    folder = Path(indexcalc.codegen.__file__).parent
    emitting = [path for path in folder.glob("*.py") if not path.stem.startswith(("dialect", "special"))]
    written = {name for path in emitting for name in re.findall(r'Call\(\s*"(np\.\w+)"', path.read_text())}
    assert {"np.einsum", "np.where", "np.full"} <= written
    pointwise = {row.numpy.partition("(")[0] for row in ROWS}
    assert written | pointwise <= set(dialect.calls)


@both
def test_every_plain_number_can_be_written(dialect):
    assert set(FUNCTIONS.values()) <= {*dialect.calls, *dialect.plain}
    assert set(CONSTANTS.values()) <= set(dialect.constants)


@pytest.mark.parametrize("dialect", [NUMPY, TORCH, JAX], ids=lambda dialect: dialect.name)
def test_private_functions_call_only_private_functions_of_their_own(dialect):
    for row in dialect.private.values():
        called = set(re.findall(r"(?<!\w)(_[A-Za-z_]+)(?:\.apply)?\(", row.source))
        assert called - set(re.findall(r"(?:def|class) (\w+)", row.source)) == set(row.calls)

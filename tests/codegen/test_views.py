"""What einsum gives for a diagonal is a view of its argument: nothing may be written into it."""

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.codegen import module_names, module_symbols, numpy_module
from indexcalc.codegen.fast.module import fast_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.proof.fast import check_fast
from indexcalc.proof.gradcheck import check_module
from indexcalc.rewrite.derive import derive

HEAD = """
index g, h : H
index q    : D
input a[q,g], b[h,q]
"""

PROGRAMS = {
    "a diagonal of an intermediate": """
x[h,g,q] = a[q,g] * b[h,q]
z[g,q] = exp(x[g,g,q])
""",
    "a diagonal of a transpose": """
x[h,g,q] = a[q,g] * b[h,q]
y[h,g,q] = x[g,h,q]
z[g,q] = exp(y[g,g,q])
w = sum[g,q](y[g,g,q] * z[g,q])
""",
    "a diagonal that a sum made": """
x[h,g,q] = sum[q](a[q,g]) / (2 + sin(sum[q](b[h,q] * a[q,h])) + b[h,q]^2)
y[h,g,q] = x[g,h,q]
z[g,q] = exp(y[g,g,q])
""",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_diagonal_is_not_overwritten(text):
    derivation = ic.derive(ic.read_problem(HEAD + text))
    report = ic.validate(derivation, ic.numpy_module(derivation))
    assert report.ok, report.failures


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_values_stay_what_their_equations_say(text):
    module = loaded(ic.numpy_module(ic.derive(ic.read_problem(HEAD + text))))
    rng = np.random.default_rng(0)
    values = module.forward(rng.uniform(0.5, 1, (3, 4)), rng.uniform(0.5, 1, (4, 3)))
    x = values.x if "y[" not in text else values.y
    np.testing.assert_allclose(values.z, np.exp(np.einsum("ggq->gq", x)))


@pytest.mark.parametrize("factor", ["exp(x[l])", "1 / x[l]", "(1 + exp(x[l]))", "log(y[l])", "sqrt(y[l])"])
@pytest.mark.parametrize("write", [ic.numpy_module, lambda one: ic.fast_module(one).source])
def test_a_bracket_that_a_window_makes_good_stays_beside_what_may_be_infinite(factor, write):
    """A window is zero outside of its tensor, but zero times infinity is no number."""
    text = f"index l : N\ninput x[l], y[l], w[l]\nz[l] = [0 <= 3*l-1 < N] * {factor} * w[3*l-1]"
    module = loaded(write(ic.derive(ic.read_problem(text))))
    x, y, w = np.array([1.0, 0.5, 1000.0, 0.0]), np.array([1.0, 2.0, 0.0, 0.0]), np.array([1.0, 2.0, 3.0, 4.0])
    with np.errstate(all="ignore"):
        z, gradients = module.value_and_grad(x, y, w, np.ones(4)) if hasattr(module, "value_and_grad") else (None, None)
        if gradients is None:
            values = module.forward(x, y, w)
            z, gradients = values.z, module.backward(values, np.ones(4))
    assert z[0] == z[2] == z[3] == 0
    assert z[1] != 0
    assert all(np.isfinite(gradient).all() for gradient in gradients if gradient is not None)


@pytest.mark.parametrize("factor", ["exp(s[d])", "1 / s[d]", "1 / g[i]"])
def test_a_factor_of_a_whole_convolution_keeps_no_bracket(factor):
    text = "index i : N\nindex k : K\nindex d : D\ninput x[i], w[d,k], s[d], g[i]\n"
    code = ic.numpy_module(
        ic.derive(ic.read_problem(f"{text}z[d,i] = sum[k]([0<=i+k-1<N]*x[i+k-1]*w[d,k]) * {factor}"))
    )
    forward = code[code.index("def forward") : code.index("def backward")]
    assert "np.where" not in forward


SCATTERED = {
    "a factor outside of the sum": (
        "input x[n,d], y[n] in V, w[v,d]\nz[v,d] = w[v,d]*sum[n](delta[v,y[n]]*x[n,d])\n"
        "upstream G[v,d] = dL/dz[v,d]\nderive x, w"
    ),
    "distances from centres": (
        "input x[n,d], y[n] in V, c[v,d]\nL = sum[n,d]((x[n,d] - c[y[n],d])^2)\nloss L\nderive x, c"
    ),
    "means in one line": (
        "input x[n,d], y[n] in V, c[v]\nz[v,d] = sum[n](delta[v,y[n]]*x[n,d])/(1 + c[v]^2)\n"
        "upstream G[v,d] = dL/dz[v,d]\nderive x, c"
    ),
    "a difference of entries": (
        "input x[v,d], y[n] in V, q[n] in V\nL = sum[n,d]((x[y[n],d] - x[q[n],d])^4)\nloss L\nderive x"
    ),
    "inside a function": (
        "input x[n,d], y[n] in V, c[v,d]\nz[v,d] = sum[n](delta[v,y[n]]*tanh(c[v,d]*x[n,d]))\n"
        "upstream G[v,d] = dL/dz[v,d]\nderive x, c"
    ),
}
"""Sums at looked-up places in which another factor has an index of the result."""


@pytest.mark.parametrize("name", SCATTERED)
def test_no_array_over_samples_and_all_entries_is_made(name):
    problem = read_problem("index n : N\nindex v : V\nindex d : D\n" + SCATTERED[name])
    derivation = derive(problem)
    for source in (numpy_module(derivation), fast_module(derivation).source):
        assert "_summed_at(" in source
        assert "arange" not in source.partition("def _")[0]
    agree(problem, derivation)


COMPARED = {
    "a softmax over edges": (
        "input x[n,d], y[n] in V\nZ[v,d] = sum[n](delta[v,y[n]]*exp(x[n,d]))\n"
        "p[n,d] = exp(x[n,d])/Z[y[n],d]\nupstream G[n,d] = dL/dp[n,d]\nderive x"
    ),
    "a logarithm of a sum, with factors of the entry": (
        "input x[n,d], y[n] in V, w[v,d]\nz[v] = log(1 + sum[n,d](delta[v,y[n]]*exp(x[n,d]*w[v,d])))\n"
        "upstream G[v] = dL/dz[v]\nderive x, w"
    ),
    "attention over edges": (
        "input q[v,d], c[v,d], x[n] in V, y[n] in V\ns[n] = sum[d](q[x[n],d]*c[y[n],d])\n"
        "Z[v] = sum[n](delta[v,x[n]]*exp(s[n]))\n"
        "o[v,d] = sum[n](delta[v,x[n]]*exp(s[n])/Z[x[n]]*c[y[n],d])\nupstream G[v,d] = dL/do[v,d]\nderive q, c"
    ),
}
"""Sums of exponentials at looked-up places, whose largest exponents are found there."""


@pytest.mark.parametrize("name", COMPARED)
def test_the_largest_exponent_at_a_looked_up_place_is_found_there(name):
    problem = read_problem("index n : N\nindex v : V\nindex d : D\n" + COMPARED[name])
    derivation = derive(problem)
    for source in (numpy_module(derivation), fast_module(derivation).source):
        assert "_largest_at(" in source
        assert "arange" not in source.partition("def _")[0]
        assert "==" not in source.partition("def _")[0]
    agree(problem, derivation)


def test_a_sum_over_what_looks_up_the_same_entry_is_made_over_entries():
    problem = read_problem(
        "index n, m : N\nindex v : V\nindex d : D\ninput x[n,d], y[n] in V, w[v,d]\n"
        "s[n,d] = tanh(x[n,d])*sum[m](delta[y[m],y[n]]*x[m,d]*w[y[n],d])\n"
        "upstream G[n,d] = dL/ds[n,d]\nderive x, w"
    )
    derivation = derive(problem)
    for source in (numpy_module(derivation), fast_module(derivation).source):
        assert "==" not in source.partition("def _")[0]
    agree(problem, derivation)


def agree(problem, derivation):
    """The code for reading and the code for speed agree with the oracles."""
    module = loaded(numpy_module(derivation))
    assert check_module(problem, module, names=module_names(derivation), symbols=module_symbols(derivation)).ok
    written = fast_module(derivation)
    assert check_fast(problem, loaded(written.source), written).ok


TWO_PLACES = (
    "index n : N\nindex v, u : V\nindex d : D\n"
    "input x[n,d], y[n] in V, q[n] in V, w[v,d]\n"
    "z[v,u] = w[v,0]*w[u,0]*sum[n,d](delta[v,y[n]]*delta[u,q[n]]*x[n,d])\n"
    "upstream G[v,u] = dL/dz[v,u]\nderive x, w"
)


def test_factors_at_two_looked_up_places_are_read_there():
    """Both deltas move the same samples: their two places are one."""
    problem = read_problem(TWO_PLACES)
    derivation = derive(problem)
    assert numpy_module(derivation).partition("def backward")[0].count("_looked_up(w, 0, ") == 2
    for source in (numpy_module(derivation), fast_module(derivation).source):
        assert "_joined((y, V), (q, V))" in source
        assert not any(f"== {ids}" in source for ids in ("y", "q"))
    agree(problem, derivation)

"""Code that keeps few steps: right for every length of segments, in memory that grows like the root of the steps."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.codegen.checkpoints.module import NoStepsError, checkpoints_module
from indexcalc.generation import loaded, validate
from indexcalc.library import shipped_paths
from indexcalc.proof.checkpoints import check_checkpoints, long_sizes
from indexcalc.proof.fast import whole_candidate
from indexcalc.proof.gradcheck import check_candidate
from indexcalc.proof.sampling import size_sets

RECURRENT = [name for name, path in shipped_paths().items() if ic.load_problem(path).program.is_recurrent]
RETURNED = """
index t : T
input r[t]
R[t] = r[t] + [t+1 < T]*R[t+1]
upstream G[t] = dL/dR[t]
derive r, R
"""
ONE_STEP = "input x\ny = sin(x)\nupstream g = dL/dy\nderive x"


def module_of(problem):
    derivation = ic.derive(problem)
    written = checkpoints_module(derivation)
    return written, loaded(written.source)


def is_right(problem, written, module, every, seed):
    """At the usual sizes, and with many steps."""
    program = problem.program
    sizes = (*size_sets(program, np.random.default_rng(seed)), *long_sizes(program, written.lengths))
    return check_candidate(problem, whole_candidate(problem, module, written, every), seed=seed, sizes=sizes).ok


@pytest.mark.parametrize("name", RECURRENT)
def test_shipped_recurrences_are_right_whatever_is_kept(name):
    problem = ic.load_problem(ic.find_spec(name))
    written, module = module_of(problem)
    assert all(is_right(problem, written, module, every, 3) for every in (None, 1, 2, 3, 100))


@pytest.mark.parametrize("name", RECURRENT)
def test_only_results_are_there_in_full(name):
    problem = ic.load_problem(ic.find_spec(name))
    derivation = ic.derive(problem)
    whole = set(checkpoints_module(derivation).whole)
    results = {*problem.program.outputs, *derivation.backward.outputs}
    # Where steps go both ways, one of the ways is there when the other passes.
    assert whole <= results or name == "bidirectional_rnn"


@pytest.mark.parametrize(
    ("spec", "said"), [(ONE_STEP, "nothing here is computed step by step"), (RETURNED, "returned")]
)
def test_where_no_step_can_be_left_out_this_is_said(spec, said):
    with pytest.raises(NoStepsError, match=said):
        checkpoints_module(ic.derive(ic.read_problem(spec)))


TWO_LAGS = """
index t : T
index i, j : N
input x[t,i], W[i,j], a[i], b[i]
h[0,i] = a[i]
h[1,i] = b[i]
u[t,i] = tanh(x[t,i])
h[t,i] = tanh(sum[j](W[i,j]*h[t-1,j])) * h[t-2,i] + u[t,i] for t in 2 .. T-1
y[i] = sum[t](h[t,i]*u[t,i]) + h[T-1,i]*h[0,i] + a[i]
L = sum[i](y[i]^2)
loss L
derive x, W, a, b
"""
DOWNWARD = """
index t : T
index i, j : N
input x[t,i], W[i,j], e[i]
h[T-1,i] = e[i]
h[t,i] = tanh(sum[j](W[i,j]*h[t+1,j]) + x[t,i]) for t in 0 .. T-2
s[t] = sum[i](h[t,i]^2)
L = sum[t](s[t]*x[t,0]) + log(1 + s[0])
loss L
derive x, W, e
"""
TWO_LOOPS = """
index t : T
index s : S
index i, j : N
input x[t,i], z[s,i], W[i,j], V[i,j], a[i]
h[0,i] = a[i]
h[t,i] = tanh(sum[j](W[i,j]*h[t-1,j]) + x[t,i]) for t in 1 .. T-1
g[0,i] = h[T-1,i]
g[s,i] = tanh(sum[j](V[i,j]*g[s-1,j])*z[s,i]) for s in 1 .. S-1
m[i] = sum[t](h[t,i])
L = sum[s,i](g[s,i]*m[i])
loss L
derive x, z, W, V, a
"""
ALL_BEFORE = """
index t, s : T
index i, j : N
input x[t,i], W[i,j]
h[t,i] = tanh(sum[s,j]([s < t]*W[i,j]*h[s,j]) + x[t,i])
k[t,i] = [1 <= t]*sin(k[t-1,i]) * h[t,i] + x[t,i]
L = sum[i](k[T-1,i]^2)
loss L
derive x, W
"""
OF_ONE = """
index t : T
input x[t], a
h[0] = a
h[t] = sin(h[t-1])*x[t] + 0.5 for t in 1 .. T-1
c[t] = [t+1 < T]*c[t+1]*h[t] - delta[t,T-1]
L = sum[t](c[t]*h[t]) + c[0]
loss L
derive x, a
"""


WHOLE_AND_ADDED_TO = """
index t : T
input x[t]
h[t] = [t <= 3]*x[t] + [1 <= t]*sin(k[t-1])
k[t] = [1 <= t]*k[t-1]*h[t] + x[t]
y = k[T-1]
upstream G[t] = dL/dh[t]
upstream g = dL/dy
derive x
"""
WHOLE_BETWEEN = """
index t : T
input x[t]
h[t] = x[t] + [2 <= t]*sin(k[t-2])
m[t] = [t <= 4]*h[t]^2 + [1 <= t]*m[t-1]
k[t] = [1 <= t]*k[t-1]*m[t] + x[t]
y = k[T-1]
upstream G[t] = dL/dm[t]
upstream g = dL/dy
derive x
"""
BOTH_WAYS = """
index t : T
index i, j : N
input x[t,i], W[i,j]
f[t,i] = [1 <= t]*tanh(f[t-1,i]) + x[t,i]
g[t,i] = [t+1 < T]*tanh(g[t+1,i])*sum[j](W[i,j]*f[t,j]) + x[t,i]
k[t,i] = [1 <= t]*sin(k[t-1,i])*g[t,i] + f[t,i]
L = sum[i](k[T-1,i]^2) + sum[t,i](k[t,i])
loss L
derive x, W
"""
ONE_STEP_MORE = """
index t : T+1
index s : T
input x[s], a
h[0] = a
h[t] = sin(h[t-1]) + x[t-1] for t in 1 .. T
L = h[T]^2
loss L
derive x, a
"""
SOLVED = """
index t : T
index i, j : N
input x0[i], A[i,j], u[t,i]
solve x[t,i] : x[t,i] - 0.1*[1 <= t]*sum[j](A[i,j]*x[t,j]) = [1 <= t]*x[t-1,i] + delta[t,0]*x0[i] + u[t,i]
L = sum[i](x[T-1,i]^2)
loss L
derive x0, A, u
"""
OTHERS = [
    TWO_LAGS,
    DOWNWARD,
    TWO_LOOPS,
    ALL_BEFORE,
    OF_ONE,
    WHOLE_AND_ADDED_TO,
    WHOLE_BETWEEN,
    BOTH_WAYS,
    ONE_STEP_MORE,
    SOLVED,
]


@pytest.mark.parametrize("spec", OTHERS)
@pytest.mark.parametrize("every", [None, 1, 2, 3, 4, 50])
def test_other_recurrences_are_right_whatever_is_kept(spec, every):
    problem = ic.read_problem(spec)
    written, module = module_of(problem)
    assert is_right(problem, written, module, every, 5)


@pytest.mark.parametrize("spec", [TWO_LAGS, DOWNWARD, OF_ONE])
def test_single_precision_stays(spec):
    problem = ic.read_problem(spec)
    _, module = module_of(problem)
    rng = np.random.default_rng(0)
    sizes = {"T": 7, "N": 3}
    shapes = [[sizes[str(slot.extent)] for slot in tensor.slots] for tensor in problem.program.inputs]
    value, gradients = module.value_and_grad(*(rng.normal(size=shape).astype(np.float32) for shape in shapes))
    assert all(array.dtype == np.float32 for array in (value, *gradients))


def peak(function, *arrays, **settings):
    """The bytes that a call takes at most."""
    function(*arrays, **settings)
    tracemalloc.start()
    try:
        function(*arrays, **settings)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def hidden_markov():
    return ic.derive(ic.load_problem(ic.find_spec("hmm_forward")))


def of_length(steps, states=48):
    rng = np.random.default_rng(1)
    return rng.normal(size=states), rng.normal(size=(states, states)), rng.normal(size=(steps, states))


def test_memory_grows_like_the_root_of_the_number_of_steps(hidden_markov):
    """A step holds a matrix; with 16 times as many steps, 4 times as many are there at a time."""
    few = hidden_markov.function("checkpoints")
    short, long = (peak(few, *of_length(steps)) for steps in (64, 1024))
    assert 3 < long / short < 5
    assert long < peak(hidden_markov.function("numpy"), *of_length(1024)) / 10


def test_a_step_is_computed_twice_at_most(hidden_markov, monkeypatch):
    module = hidden_markov.function("checkpoints").module
    calls = []
    monkeypatch.setattr(module.np, "log", lambda x, log=np.log: calls.append(0) or log(x))
    module.value_and_grad(*of_length(100, 3))
    # Once more for each step but those of the last segment, and once for the likelihood.
    assert len(calls) == 2 * 100 - 10 + 1


def test_a_segment_has_a_step_at_least(hidden_markov):
    with pytest.raises(ValueError, match="a segment has 1 step at least"):
        hidden_markov.function("checkpoints")(*of_length(9, 3), every=0)


@pytest.mark.parametrize("every", [1.5, "3"])
def test_a_segment_has_whole_steps(hidden_markov, every):
    with pytest.raises(ValueError, match="a segment has 1 step at least"):
        hidden_markov.function("checkpoints")(*of_length(9, 3), every=every)


def test_what_is_there_in_full_is_not_computed_again():
    source = module_of(ic.read_problem(BOTH_WAYS))[0].source
    assert "def step" not in source
    said = " ".join(source[source.index("Note:") : source.index("x, W = ")].split())
    assert "Of `f`, `g`, `k`, `dk`, `dg` all are, for they are read as a whole." in said
    between = module_of(ic.read_problem(WHOLE_BETWEEN))[0].source
    step = between[between.index("def step") : between.index("for begin, end")]
    assert "m[t]" in step
    assert "+=" not in step


def test_few_steps_are_there_of_a_recurrence_of_numbers():
    spec = "index t : T\ninput x[t], a\nh[t] = a*[1 <= t]*sin(h[t-1]) + x[t]\nL = h[T-1]^2\nloss L\nderive a"
    few = ic.derive(ic.read_problem(spec)).function("checkpoints")
    x, a = np.random.default_rng(0).normal(size=6400), np.array(0.9)
    assert peak(few, x, a) < 3 * peak(few, x[:1600], a)


def test_what_an_author_wants_recomputed_makes_no_difference():
    spec = ic.find_spec("lstm").read_text()
    plain, asked = (ic.derive(ic.read_problem(text)) for text in (spec, f"{spec}\nrecompute i, f, o, g\n"))
    assert checkpoints_module(plain).source == checkpoints_module(asked).source


def test_a_wrong_module_is_found(hidden_markov):
    written = checkpoints_module(hidden_markov)
    for right, wrong in (("begin, end - 1)", "begin, end)"), ("da = ds[t + 1].sum(axis=1)", "da = ds[t].sum(axis=1)")):
        assert right in written.source
        module = loaded(written.source.replace(right, wrong))
        assert not all(c.ok for c in check_checkpoints(hidden_markov.problem, module, written))


def test_generated_with_the_rest_and_checked():
    derivation = ic.derive(ic.load_problem(ic.find_spec("rnn")))
    texts = ic.render(derivation, checkpoints=True, formats=())
    outputs = ic.generation.checked(derivation, texts)
    assert outputs.report.ok
    assert "rnn_checkpoints.py" in outputs.files
    assert any("checkpoints, segments of 2" in comparison.method for comparison in outputs.report.comparisons)
    assert validate(derivation, texts.code).ok

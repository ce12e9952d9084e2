"""Each path of a gradient is checked on its own."""

from dataclasses import replace

from indexcalc.algebra.build import scale
from indexcalc.calculus.steps import Path
from indexcalc.cli.outcome import check_text
from indexcalc.generation import generate
from indexcalc.language import read_problem
from indexcalc.proof.paths import check_paths
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.derive import derive

SELF = """
index i, j : T
index m : D
index k : d
input X[i,m], A[m,k], B[m,k]
P[i,k] = sum[m](X[i,m] * A[m,k])
R[j,k] = sum[m](X[j,m] * B[m,k])
S[i,j] = sum[k](P[i,k] * R[j,k])
O[i,m] = sum[j](S[i,j] * X[j,m])
upstream G[i,m] = dL/dO[i,m]
derive X, A, B
"""


def test_every_path_of_a_gradient_is_compared() -> None:
    found = check_paths(derive(read_problem(SELF)))
    assert [comparison.tensor for comparison in found] == ["dX through P", "dX through R", "dX through O"]
    assert all(comparison.ok for comparison in found)


def test_a_wrong_path_is_named() -> None:
    derivation = derive(read_problem(SELF))

    def spoilt(path: Path) -> Path:
        return replace(path, result=scale(path.result, -1)) if path.consumer.tensor == "R" else path

    sections = tuple(replace(s, paths=tuple(spoilt(path) for path in s.paths)) for s in derivation.sections)
    found = check_paths(replace(derivation, sections=sections))
    assert [comparison.tensor for comparison in found if not comparison.ok] == ["dX through R"]


SPREAD = """
index n : N
input x[n]
y[n] = ((x[n] - mean[n](x[n])) / sqrt(var[n](x[n]) + 0.1))^2 * tanh(x[n] - mean[n](x[n]))
L = 1e9 * sum[n](y[n] + (x[n] - mean[n](x[n]))^2)
loss L
derive x
"""


def test_a_path_whose_slopes_cancel_is_rounding() -> None:
    derivation = derive(read_problem(SPREAD))
    found = check_paths(derivation, seed=1)
    assert found
    assert all(comparison.ok for comparison in found)
    assert not check_derivation(derivation, seed=1)


def test_a_path_is_compared_where_the_oracles_have_time(monkeypatch) -> None:
    derivation = derive(read_problem(SELF))
    every = check_paths(derivation)
    monkeypatch.setattr("indexcalc.proof.paths.WORK_LIMIT", 2500)
    assert 0 < len(check_paths(derivation)) < len(every)
    monkeypatch.setattr("indexcalc.proof.oracles.WORK_LIMIT", 0)
    assert check_paths(derivation) == ()


def test_nothing_is_compared_where_every_gradient_has_one_path() -> None:
    single = "index i : n\ninput x[i]\ny[i] = exp(x[i])\nupstream g[i] = dL/dy[i]\nderive x"
    assert check_paths(derive(read_problem(single))) == ()


def test_only_the_gradients_that_were_asked_for_are_counted() -> None:
    problem = read_problem(SELF)
    assert check_text(generate(derive(problem)).report, problem).startswith("3 gradients by complex step")

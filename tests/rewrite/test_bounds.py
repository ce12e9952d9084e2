from __future__ import annotations

from itertools import combinations

import pytest

from indexcalc.calculus import differentiate
from indexcalc.errors import LimitError, SpecError
from indexcalc.language import read_problem
from indexcalc.rewrite import inline, lemmas, normal, reuse, sharing
from indexcalc.rewrite.derive import derive


def clique(size: int, wrap: str = "{}", operator: str = " * ") -> str:
    names = [f"i{n}" for n in range(size)]
    product = wrap.format(operator.join(f"A[{a},{b}]" for a, b in combinations(names, 2)))
    return f"index {', '.join(names)} : N\ninput A[i0,i1]\nL = sum[{','.join(names)}]({product})\nloss L"


def many_indices(count: int) -> str:
    names = [f"i{n}" for n in range(count)]
    slots = ",".join(names)
    head = f"index {', '.join(names)} : N\ninput x[{slots}]\n"
    return f"{head}Y[{slots}] = exp(x[{slots}])\nupstream G[{slots}] = dL/dY[{slots}]"


def one_entry(right: str) -> str:
    return f"index i : N\ninput x[i]\nY[i] = {right}\nupstream G[i] = dL/dY[i]"


BEYOND = {
    "1900 terms": (one_entry(" + ".join(f"sin({n + 1}*x[i])" for n in range(1900))), "1900 terms; the bound is 500"),
    "400 factors": (one_entry(" * ".join(f"(x[i] + {n})" for n in range(400))), "factors; the bound is 40"),
    "60 indices": (many_indices(60), "60 indices; the bound is 24"),
    "12 axes": (many_indices(12), "12 indices; the bound is 10"),
    "a clique of 14": (clique(14), "91 factors; the bound is 40"),
    "a clique of 8": (clique(8), "28 connected factors; the bound is 20"),
    "a clique in an exponential": (clique(14, "exp({})", " + "), "14 indices; the bound is 10"),
}


@pytest.mark.parametrize("name", BEYOND)
def test_what_is_too_large_is_refused_with_the_bound(name):
    text, message = BEYOND[name]
    problem = read_problem(text)
    with pytest.raises(LimitError, match=message):
        derive(problem)


@pytest.mark.parametrize("tower", ["N^N^N^N^N", "N^N^N", "2^N^5", "N^(2*N^N)"])
def test_towers_of_exponents_are_refused_before_anything_is_computed(tower):
    with pytest.raises(SpecError, match="in an exponent a power is at most the 4th"):
        read_problem(one_entry(f"x[i] * {tower}"))


def chain(length: int) -> str:
    lines = [f"x{n}[i] = tanh(x{n - 1}[i])" for n in range(1, length + 1)]
    return "index i : N\ninput x0[i]\n" + "\n".join(lines) + f"\nupstream G[i] = dL/dx{length}[i]\nderive x0"


def counted(monkeypatch, module, name, work) -> int:
    calls = []
    plain = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **more: calls.append(1) or plain(*given, **more))
    work()
    monkeypatch.setattr(module, name, plain)
    return len(calls)


WORK = [(inline, "tensors_of"), (reuse, "find_products"), (lemmas, "prove_constant"), (inline, "put_in")]


def nested(depth: int) -> str:
    return one_entry(f"{'tanh(' * depth}x[i]{')' * depth}")


@pytest.mark.parametrize(
    ("module", "name"),
    [(inline, "tensors_of"), (lemmas, "prove_constant"), (inline, "put_in"), (differentiate, "product_rule")],
)
def test_the_work_of_nested_functions_grows_with_their_depth(monkeypatch, module, name):
    found = [counted(monkeypatch, module, name, lambda n=n: derive(read_problem(nested(n)))) for n in (9, 36)]
    assert found[1] <= 4.5 * found[0] + 10


@pytest.mark.parametrize(("module", "name"), WORK)
def test_the_work_of_a_chain_grows_with_its_length(monkeypatch, module, name):
    found = [counted(monkeypatch, module, name, lambda n=n: derive(read_problem(chain(n)))) for n in (20, 80)]
    assert found[1] <= 4.5 * found[0]


def wide(count: int) -> str:
    inputs = "\n".join(f"input x{n}[i]" for n in range(count))
    products = " + ".join(f"x{n}[i]*x{(n + 1) % count}[i]" for n in range(count))
    return f"index i : N\n{inputs}\ny[i] = {products}\nderive x0, x1"


def test_a_wide_sum_has_as_many_derivatives_as_its_terms_read():
    """Each term is differentiated by what it reads itself, not by all that its sum reads."""
    derivation = derive(read_problem(wide(300)))
    (gradient,) = [eq for eq in derivation.derived if eq.name == derivation.problem.gradient_names["x0"]]
    assert len(gradient.terms) <= 2


def test_a_wide_sum_under_a_power_is_refused():
    total = " + ".join(f"x{n}[i]" for n in range(300))
    inputs = "\n".join(f"input x{n}[i]" for n in range(300))
    with pytest.raises(LimitError, match="derivatives of 90300 terms"):
        derive(read_problem(f"index i : N\n{inputs}\ny[i] = ({total})^2\n"))


def residual(length: int) -> str:
    step = "input W{n}[f,h]\nx{n}[i,f] = x{b}[i,f] + tanh(sum[h](W{n}[f,h]*x{b}[i,h]))"
    lines = "\n".join(step.format(n=n, b=n - 1) for n in range(1, length + 1))
    return f"index i : N\nindex f, h : F\ninput x0[i,f]\n{lines}\nupstream G[i,f] = dL/dx{length}[i,f]\nderive x0"


@pytest.mark.parametrize(("module", "name"), [(normal, "unfold_everywhere"), (sharing, "tensors_of")])
def test_the_work_of_residual_layers_grows_with_their_number(monkeypatch, module, name):
    """No layer is unfolded in search of what cancels a gradient: nothing does."""
    found = [counted(monkeypatch, module, name, lambda n=n: derive(read_problem(residual(n)))) for n in (6, 24)]
    assert found[1] <= 4.5 * found[0] + 10

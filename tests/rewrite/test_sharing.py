"""Every gradient has one name: what contains another's right side reads it."""

from __future__ import annotations

import pytest

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, tensors_of, walk
from indexcalc.calculus.adjoint import derive_gradients
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.cost import live_cost, nominal_sizes
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.sharing import with_shared_gradients
from indexcalc.rewrite.symmetry import with_accesses
from indexcalc.rewrite.tidy import Simplifier
from tests.rewrite.specs import SPECS

GATE = "{gate}[n,j] = {function}(sum[d](W{gate}[j,d] * x[n,d]) + sum[k](U{gate}[j,k] * y[n,k]) + b{gate}[j])\n"
HEAD = "index n : N\nindex d : D\nindex j, k : H\ninput x[n,d], y[n,j], q[n,j]\n"


def recurrent(gates, rest, *states):
    """A cell with gates of its inputs and its state; the gradients of all of these are asked for."""
    spec = HEAD
    for gate in gates:
        spec += f"input W{gate}[j,d], U{gate}[j,k], b{gate}[j]\n"
    for gate, function in gates.items():
        spec += GATE.format(gate=gate, function=function)
    asked = [f"{kind}{gate}" for gate in gates for kind in "WUb"]
    return spec + rest + "derive " + ", ".join((*asked, "x", "y", *states))


LSTM = recurrent(
    {"i": "sigmoid", "f": "sigmoid", "g": "tanh", "o": "sigmoid"},
    "c[n,j] = f[n,j] * q[n,j] + i[n,j] * g[n,j]\nh[n,j] = o[n,j] * tanh(c[n,j])\nupstream G[n,j] = dL/dh[n,j]\n",
    "q",
)
GRU = recurrent(
    {"r": "sigmoid", "z": "sigmoid"},
    "input Wg[j,d], Ug[j,k], bg[j], cg[j]\n"
    "g[n,j] = tanh(sum[d](Wg[j,d] * x[n,d]) + bg[j] + r[n,j] * (sum[k](Ug[j,k] * y[n,k]) + cg[j]))\n"
    "h[n,j] = (1 - z[n,j]) * g[n,j] + z[n,j] * y[n,j]\nupstream G[n,j] = dL/dh[n,j]\n",
).replace("derive ", "derive Wg, Ug, bg, cg, ")

TEXTBOOK = {
    LSTM: """ec[n,j] = G[n,j] * o[n,j] * (1 - tanh(c[n,j])^2)
eo[n,j] = G[n,j] * h[n,j] * (1 - o[n,j])
eg[n,j] = ec[n,j] * i[n,j] * (1 - g[n,j]^2)
ef[n,j] = ec[n,j] * q[n,j] * f[n,j] * (1 - f[n,j])
ei[n,j] = ec[n,j] * g[n,j] * i[n,j] * (1 - i[n,j])
""",
    GRU: """eg[n,j] = G[n,j] * (1 - z[n,j]) * (1 - g[n,j]^2)
ez[n,j] = G[n,j] * (y[n,j] - g[n,j]) * z[n,j] * (1 - z[n,j])
eu[n,j] = eg[n,j] * r[n,j]
er[n,j] = eg[n,j] * (u6[n,j] + cg[j]) * r[n,j] * (1 - r[n,j])
""",
}
"""What a textbook names: the gradients of the state and of the arguments of the gates."""


@pytest.mark.parametrize(("spec", "outputs"), [(LSTM, 15), (GRU, 12)], ids=["lstm", "gru"])
def test_a_recurrent_cell_has_one_gradient_for_each_argument(spec, outputs):
    problem = read_problem(spec)
    derivation = derive(problem)
    equations = derivation.backward.equations
    named = [equation for equation in equations if equation.name not in derivation.backward.outputs]
    assert len(equations) == outputs + len(TEXTBOOK[spec].splitlines())
    assert len(named) == len(TEXTBOOK[spec].splitlines())
    for equation in (one for one in equations if one.name in derivation.backward.outputs):
        if equation.name[:2] in {"dW", "dU"}:
            (one,) = equation.terms
            assert len(one.powers) == 2, equation
        if equation.name.startswith("db"):
            (one,) = equation.terms
            assert len(one.powers) == 1, equation
    assert check_backward(problem, derivation.backward).ok
    assert check_derivation(derivation) == []


def test_the_arguments_of_the_gates_have_the_textbook_gradients():
    """The gradients that are not asked for are those of the textbook, up to the names of gradients."""
    derivation = derive(read_problem(LSTM))
    expected = read_problem(
        "index n : N\nindex j : H\ninput "
        + ", ".join(f"{t}[n,j]" for t in "Gcohgifq")
        + "\n"
        + TEXTBOOK[LSTM]
        + "upstream E[n,j] = dL/dei[n,j]\nderive G"
    ).program
    found = [equation for equation in derivation.backward.equations if equation.name not in derivation.backward.outputs]
    left = list(expected.equations)
    names = {"dc": "ec"}
    for equation in found:
        alike = [
            other
            for other in left
            if same(expand(equation.terms), expand(renamed(other, {new: old for old, new in names.items()}, equation)))
        ]
        assert len(alike) == 1, equation
        left.remove(alike[0])
    assert not left


def renamed(equation, names, like):
    """The terms of an equation under other tensors' names and the slots of another equation."""
    terms = substitute(equation.terms, dict(zip(equation.lhs.slots, like.lhs.slots, strict=True)))
    read = [base for base in walk(terms) if isinstance(base, Access)]
    entries = {base: Access(names.get(base.tensor, base.tensor), base.slots) for base in read}
    return tuple(with_accesses(one, entries) for one in terms)


def equations_of(spec):
    return {equation.name: equation.terms for equation in derive(read_problem(spec)).backward.equations}


def test_a_gradient_asked_for_serves_another():
    found = equations_of(
        "index o : O\nindex f : F\ninput v[o,f], g[o]\nr[o] = sqrt(sum[f](v[o,f]^2))\n"
        "w[o,f] = g[o] * v[o,f] / r[o]\nupstream G[o,f] = dL/dw[o,f]\nderive g, v"
    )
    assert "dg" in tensors_of(found["dv"])
    assert len(found) == 2


def test_what_cancels_is_not_hidden_behind_gradients_asked_for():
    found = equations_of(
        "index n : N\nindex h : H\ninput a[n,h], p[n,h], q[n,h]\n"
        "s[n] = sum[h]((a[n,h] - p[n,h])^2) - sum[h]((a[n,h] - q[n,h])^2)\nL = sum[n](relu(1 + s[n]))\n"
        "loss L\nderive a, p, q"
    )
    assert not {"a", "dp", "dq"} & set(tensors_of(found["da"]))


def test_gradients_asked_for_that_are_equal_are_copies():
    found = equations_of(
        "index n : N\nindex h : H\ninput x[n,h], b[h], c[h]\ny[n,h] = tanh(x[n,h] + b[h] + c[h])\n"
        "upstream G[n,h] = dL/dy[n,h]\nderive b, c"
    )
    assert sorted(len(terms[0].summed) for terms in found.values()) == [0, 1]


@pytest.mark.parametrize("name", SPECS)
def test_sharing_reads_nothing_before_it_is_computed_and_costs_no_more(name):
    problem = read_problem(SPECS[name], slug=name)
    sizes = nominal_sizes(problem.program)
    outputs = [problem.gradient_names[target] for target in problem.targets]
    sections = derive_gradients(problem, Simplifier(problem.program))
    shared = with_shared_gradients(sections, outputs, sizes)
    done = set()
    names = {section.equation.name for section in shared}
    for section in shared:
        assert set(tensors_of(section.equation.terms)) & names <= done
        done.add(section.equation.name)
    before, after = ([s.equation for s in found] for found in (sections, shared))
    assert live_cost(after, outputs, sizes) <= live_cost(before, outputs, sizes)

"""Tensors that lines define in part: base cases, ranges of steps, and what is no recurrence."""

from __future__ import annotations

import pytest

from indexcalc.codegen.formula import equation_text
from indexcalc.errors import SpecError
from indexcalc.language import read_problem

HEAD = "index t, s : T\nindex i, j : H\ninput h0[i], x[t,i], W[i,j]\n"
TAIL = "\nupstream G[t,i] = dL/dh[t,i]\nderive x\n"


def program_of(body):
    return read_problem(HEAD + body + TAIL).program


def text_of(program, name):
    equation = program.definitions[name]
    return equation_text(equation.lhs, equation.terms, {})


def test_lines_are_one_equation():
    program = program_of("h[0,i] = h0[i]\nh[t,i] = tanh(h[t-1,i] + x[t,i]) for t in 1 .. T-1")
    assert text_of(program, "h") == "h[t,i] = delta[t,0] * h0[i] + [1 <= t] * tanh(h[t-1,i] + x[t,i])"
    (found,) = program.recurrences
    assert (dict(found.axes), found.direction) == ({"h": 0}, 1)


def test_a_base_case_may_use_other_indices_and_stand_last():
    one = program_of("h[t,i] = h[t+1,i] + x[t,i] for t in 0 .. T-2\nh[T-1,j] = sum[i](W[j,i]*h0[i])")
    other = program_of("h[t,i] = h[t+1,i] + x[t,i] for t in 0 .. T-2\nh[T-1,i] = sum[j](W[i,j]*h0[j])")
    assert one.recurrences[0].direction == -1
    assert set(one.definitions) == set(other.definitions) == {"h"}
    assert len(one.definitions["h"].terms) == 3


def test_a_bracket_does_instead_of_a_base_case():
    program = program_of("h[t,i] = x[t,i] + 0.5*[t+1 < T]*h[t+1,i]")
    assert program.recurrences[0].direction == -1


def test_a_sum_over_earlier_steps_is_a_recurrence():
    assert program_of("h[t,i] = x[t,i] + sum[s]([s < t]*h[s,i])").recurrences[0].direction == 1


def test_named_sums_stand_without_brackets():
    program = program_of("h[0,i] = h0[i]\nh[t,i] = tanh(sum[j](W[i,j]*h[t-1,j])) for t in 1 .. T-1")
    assert text_of(program, "Wh") == "Wh[t,i] = sum[j](W[i,j] * h[t-1,j])"


def test_equations_of_a_recurrence_stand_together_in_the_order_of_a_step():
    body = (
        "h[0,i] = h0[i]\n"
        "h[t,i] = c[t,i] for t in 1 .. T-1\n"
        "y[t,i] = x[t,i]^2\n"
        "c[t,i] = x[t,i] + y[t,i]*h[t-1,i] for t in 1 .. T-1"
    )
    assert [equation.name for equation in program_of(body).equations] == ["y", "c", "h"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("h[t,i] = x[t,i] + [1 <= t]*h[t-1,i] + [t+1 < T]*h[t+1,i]", "not shown to come before it"),
        ("h[t,i] = x[t,i] + [1 <= t]*h[t,i]", "read in its own definition, at the same step"),
        ("h[t,i] = x[t,i] + h[t,i]", "h is read in its own definition"),
        ("h[t,i] = x[t,i] + sum[s]([s <= t]*h[s,i])", "a bracket such as [s < t]"),
        ("h[t,i] = x[t,i] + h[t-1,i] for t in 1 .. T-1", "may read a step that no line defines"),
        ("h[t,i] = x[t,i] + h[t-1,i]", "a recurrence has a base case"),
        ("h[0,i] = h0[i]\nh[t,i] = x[t,i] + h[t-1,i]", "end it with for t in 1 .. T - 1"),
        ("h[0,i] = h0[i]\nh[t,i] = x[t,i] + h[t-1,i] for t in 2 .. T-1", "without a gap"),
        ("h[0,i] = h0[i]\nh[0,i] = h0[i]\nh[t,i] = x[t,i] for t in 1 .. T-1", "each step is defined by one line"),
        ("h[0,i] = h0[i]", "a definition has an index in each slot"),
        ("h[0,i] = h0[i]\nh[t,i] = x[t,i] for t in 1 .. T", "may leave that of t"),
        ("h[0,i] = h0[i]\nh[t,i] = x[t,i] for s in 1 .. T-1", "stands in no slot of h"),
        ("h[t-1,i] = h0[i]\nh[t,i] = x[t,i] for t in 1 .. T-1", "a base case has a fixed step"),
        ("h[0,0] = h0[i]\nh[t,i] = x[t,i] for t in 1 .. T-1", "divide several slots"),
        ("h[0,i] = h0[j]\nh[t,i] = x[t,i] for t in 1 .. T-1", "j is free on the right"),
        ("x[0,i] = h0[i]\nh[t,i] = x[t,i]", "x is an input"),
        ("c[t,i] = x[t,i] for t in 1 .. T-1\nh[t,i] = c[t,i]", "may read a step that no line defines"),
        ("c[t,i] = h[t,i]*[1 <= t]\nh[t,i] = c[t,i]", "h reads c in turn"),
        ("h[t,i] = x[t,i] for t", "for t in 1 .. T-1"),
    ],
)
def test_a_mistake_is_said_at_its_place(body, said):
    with pytest.raises(SpecError) as found:
        program_of(body)
    assert said in str(found.value)
    assert found.value.place is not None
    assert found.value.place.line > 3


def test_a_reading_order_that_no_bracket_saves_is_an_old_mistake():
    with pytest.raises(SpecError, match="c is read before it is defined"):
        program_of("h[t,i] = c[t,i] + x[t,i]\nc[t,i] = x[t,i]")

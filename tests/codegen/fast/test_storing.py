"""What the forward pass keeps: results, rows and products; what is large or pointwise is computed again."""

import pytest

from indexcalc.codegen.fast.blocking import Blocking
from indexcalc.codegen.fast.outline import outlined
from indexcalc.codegen.fast.storing import ancestors, is_computed_again, kept_tensors
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.language import load_problem
from indexcalc.rewrite.derive import derive
from tests.support.build import at, fn, i, j, k, term
from tests.support.gradients import at_once

SHIPPED = at_once()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("attention", {"S_max", "Z_shifted", "O"}),
        ("layer_norm", {"mu", "rs"}),
        ("softmax_cross_entropy", {"z_max", "Z_shifted"}),
        ("mlp_relu", set()),
    ],
)
def test_shipped_forward_passes_keep_what_is_small(name, kept):
    assert set(outlined(derive(load_problem(SHIPPED[name])), {}, None).kept) == kept


@pytest.mark.parametrize("name", SHIPPED)
def test_the_backward_pass_finds_all_that_it_reads(name):
    fast = outlined(derive(load_problem(SHIPPED[name])), {}, None)
    outputs = {output for output in fast.plan.program.outputs if output in fast.problem.by_name}
    there = {*fast.problem.given, *fast.kept, *outputs}
    made = set(ancestors(fast.problem.statements, tuple(fast.gradients.values()), there))
    for statement_name in made:
        assert fast.problem.needs[statement_name] <= made | there
    again = made & set(ancestors(fast.problem.statements, fast.plan.program.outputs))
    for statement_name in again - set(fast.gradients.values()):
        assert is_computed_again(fast.problem, fast.problem.by_name[statement_name]), statement_name


SCORES = Statement("S", (i, j), (term(at("X", i, k), at("X", j, k), over=(k,)),))
SOFT = Statement("T", (i, j), (term(fn("exp", term(at("S", i, j)))),))
ROWS = Statement("z", (i,), (term(at("T", i, j), over=(j,)),))
POINTS = Statement("E", (i, k), (term(fn("exp", term(at("X", i, k)))),))
OUT = Statement("Y", (i, k), (term(at("E", i, k), at("z", i)),))
BACK = Statement("dX", (i, k), (term(at("E", i, k), at("z", i), at("G", i, k)),))
GIVEN = {"X": (i, k), "G": (i, k)}


def problem(*statements):
    return Blocking(statements, GIVEN, ("Y", "dX"), {})


def test_rows_are_kept_and_pointwise_arrays_are_not():
    everything = problem(SCORES, SOFT, ROWS, POINTS, OUT, BACK)
    assert kept_tensors(everything, {"S", "T", "z", "E", "Y"}, ["dX"]) == ("z",)


def test_what_is_large_is_computed_again_even_if_it_costs_a_product():
    back = Statement("dX", (i, k), (term(at("T", i, j), at("X", j, k), over=(j,)),))
    everything = problem(SCORES, SOFT, ROWS, POINTS, OUT, back)
    assert kept_tensors(everything, {"S", "T", "z", "E", "Y"}, ["dX"]) == ()


def test_a_product_of_the_size_of_an_input_is_kept():
    products = Statement("E", (i, k), (term(at("X", i, j), at("X", j, k), over=(j,)),))
    everything = Blocking((products, ROWS, OUT, BACK), {**GIVEN, "X": (i, j), "T": (i, j)}, ("Y", "dX"), {})
    assert kept_tensors(everything, {"E", "z", "Y"}, ["dX"]) == ("E", "z")


def test_a_maximum_is_kept():
    largest = Statement("z", (i,), (term(at("X", i, k)),), Kind.MAXIMUM, (k,))
    assert not is_computed_again(problem(largest), largest)


def test_an_output_that_is_read_is_kept():
    back = Statement("dX", (i, k), (term(at("Y", i, k), at("G", i, k)),))
    everything = problem(ROWS, POINTS, OUT, back)
    assert kept_tensors(everything, {"z", "E", "Y"}, ["dX"]) == ("Y",)


def test_ancestors_stop_at_what_is_given():
    statements = (SCORES, SOFT, ROWS)
    assert ancestors(statements, ["z"]) == ("S", "T", "z")
    assert ancestors(statements, ["z"], ["T"]) == ("z",)
    assert ancestors(statements, ["T"], ["T"]) == ()

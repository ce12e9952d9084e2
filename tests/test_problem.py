"""What is asked must fit the program; every gradient has a name of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexcalc.errors import ProgramError
from indexcalc.problem import Upstream, check_problem
from indexcalc.rewrite.derive import derive
from tests.support.build import attention

G = Upstream("G", "O")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"upstream": (Upstream("V", "O"),)}, "the name V of a gradient is taken"),
        ({"upstream": (G, Upstream("H", "O"))}, "upstream gradient of O stands there twice"),
        ({"upstream": (G, Upstream("G", "A"))}, "the name G of a gradient is taken"),
        ({"upstream": (Upstream("G", "P"),)}, "no tensor P"),
        ({"targets": ("Q", "Q")}, "target of Q stands there twice"),
        ({"targets": ("X",)}, "no tensor X"),
        ({"names": {"A": "G"}}, "the name G of a gradient is taken"),
        ({"names": {"A": "D", "S": "D"}}, "the name D of a gradient is taken"),
        ({"names": {"B": "D"}}, "no tensor B"),
        ({"recompute": ("X",)}, "recomputing of X: the program has no tensor X"),
        ({"recompute": ("S", "S")}, "recomputing of S stands there twice"),
        ({"recompute": ("Q",)}, "Q is an input"),
        ({"recompute": ("S", "O")}, "O is an output"),
        ({"upstream": (), "loss": "O"}, r"O\[i,p\] has slots"),
        ({"upstream": (), "loss": "Q"}, "must be computed"),
    ],
)
def test_a_question_that_does_not_fit_is_refused(changes, message):
    problem = replace(attention(), **changes)
    with pytest.raises(ProgramError, match=message):
        check_problem(problem)
    with pytest.raises(ProgramError, match=message):
        derive(problem)


def test_a_question_that_fits_is_not():
    check_problem(replace(attention(), names={"A": "D"}, recompute=("A", "S")))


def test_names_of_gradients_avoid_all_that_is_taken():
    problem = replace(attention(), upstream=(Upstream("dV", "O"),), names={"A": "dQ"})
    names = problem.gradient_names
    assert names["O"] == "dV"
    assert names["A"] == "dQ"
    assert names["V"] == "ddV"
    assert names["Q"] == "ddQ"
    assert len(set(names.values())) == len(names)

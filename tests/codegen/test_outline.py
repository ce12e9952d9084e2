"""The plan of a module: what is remembered of it."""

from __future__ import annotations

from indexcalc.codegen.dialect import NUMPY
from indexcalc.codegen.outline import make_plan
from indexcalc.codegen.targets import DIALECTS
from indexcalc.language import load_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive


def test_the_plan_of_a_derivation_is_made_once():
    """The module, the names for the check and the styles that are run all read the same plan."""
    derivation = derive(load_problem(find_spec("softmax_cross_entropy")))
    assert make_plan(derivation) is make_plan(derivation, NUMPY)
    assert make_plan(derivation) is not make_plan(derivation, DIALECTS["torch"])

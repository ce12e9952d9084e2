from __future__ import annotations

from collections import Counter

from indexcalc.consistency import check_program
from indexcalc.program import Equation
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.variants import KINDS, wrong_programs, wrong_variants
from indexcalc.rewrite.derive import derive
from tests.support.build import at, attention, i, k, term

PROBLEM = attention()


def test_there_are_at_least_eight_kinds_and_attention_meets_them_all():
    assert len(KINDS) >= 8
    forward = Counter(kind for kind, _, _ in wrong_programs(PROBLEM.program))
    backward = Counter(kind for kind, _, _ in wrong_programs(derive(PROBLEM).backward))
    assert set(KINDS) == set(forward) | set(backward)


def test_every_wrong_gradient_of_attention_is_caught():
    count = 0
    for kind, name, wrong in wrong_programs(derive(PROBLEM).backward):
        check_program(wrong)
        assert not check_backward(PROBLEM, wrong).ok, (kind, name, wrong.definitions[name])
        count += 1
    assert count > 50


def test_versions_that_are_right_after_all_are_left_out():
    symmetric = Equation(at("s"), (term(at("X", i, k), over=(i, k)),))
    assert "operand transposed" not in {kind for kind, _ in wrong_variants(symmetric, PROBLEM.program.tensors)}

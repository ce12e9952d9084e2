"""Failing programs become small: for verdicts that are known in advance, down to what they look for."""

from __future__ import annotations

import pytest

import indexcalc as ic
from tests.campaign.formulas import Apply, Over, Program, nodes, spec_text
from tests.campaign.growing import program_of
from tests.campaign.shrinking import kind_of, smaller, steps


def holds(program: Program, wanted: type, name: str) -> bool:
    """Whether a formula of some kind stands in the program."""
    return any(
        isinstance(node, wanted) and name in (getattr(node, "function", ""), getattr(node, "operator", ""))
        for made in program.statements
        for node in nodes(made.right)
    )


@pytest.mark.parametrize(("wanted", "name"), [(Apply, "tanh"), (Over, "var"), (Over, "softmax"), (Apply, "erf")])
def test_a_program_shrinks_to_what_makes_it_fail(wanted, name):
    shrunk = 0
    for seed in range(60):
        program = program_of(seed)
        if not holds(program, wanted, name):
            continue
        shrunk += 1
        found = smaller(program, lambda p: "numpy: wrong: all" if holds(p, wanted, name) else "", 20.0)
        assert len(found.statements) == 1, spec_text(found)
        assert sum(1 for _ in nodes(found.statements[0].right)) <= 4, spec_text(found)
        if shrunk == 2:
            return
    assert shrunk


def test_a_failure_of_another_kind_is_not_taken():
    program = program_of(5)
    verdicts = {program: "numpy: wrong: x"}
    assert smaller(program, lambda p: verdicts.get(p, "derive: traceback: KeyError: 'a' (a.py:1 f)"), 5.0) == program


def test_steps_keep_the_axes_that_others_read():
    for seed in range(40):
        program = program_of(seed)
        if len(program.lines) > 6:
            continue
        for candidate in list(steps(program))[::7]:
            ic.read_problem(spec_text(candidate))


def test_kinds_leave_out_names_and_numbers():
    one = kind_of("fast: traceback: KeyError: 'u12_shifted' (codegen/fast/writing.py:77 leaf_lines)")
    assert one == kind_of("fast: traceback: KeyError: 'u4_shifted' (codegen/fast/writing.py:80 leaf_lines)")
    assert kind_of("numpy: wrong: dX is off by 1.0 at N=2") == kind_of("numpy: wrong: db has shape () at N=1")
    assert kind_of("numpy: wrong: dX") != kind_of("fast: wrong: dX")

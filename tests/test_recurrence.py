"""The order of equations that read one another."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.algebra.slots import Index, place
from indexcalc.algebra.terms import Access, Iverson
from indexcalc.consistency import check_program
from indexcalc.errors import ProgramError
from indexcalc.program import Equation, Program, Tensor
from indexcalc.recurrence import Recurrence, Unordered, groups_of, is_recurrent, recurrence_of
from tests.support.build import term

T, B = sp.symbols("T B", positive=True, integer=True)
t, s, b = Index("t", T), Index("s", T), Index("b", B)


def equation(name, *reads, slots=(t,)):
    return Equation(Access(name, slots), tuple(reads))


def read(name, *slots):
    return term(Access(name, slots))


def names(groups):
    return [[one.name for one in group] for group in groups]


def test_equations_that_read_each_other_are_a_group():
    a = equation("a", read("x", t))
    c = equation("c", read("a", t), read("d", t - 1))
    d = equation("d", read("c", t))
    e = equation("e", read("d", t))
    assert names(groups_of([e, d, c, a])) == [["a"], ["d", "c"], ["e"]]
    assert not is_recurrent((a,))
    assert is_recurrent((c, d))


@pytest.mark.parametrize(("slot", "direction"), [(t - 1, 1), (t - 3, 1), (t + 2, -1)])
def test_a_lag_gives_the_direction(slot, direction):
    found = recurrence_of((equation("h", read("h", slot), read("x", t)),))
    assert isinstance(found, Recurrence)
    assert found.direction == direction


@pytest.mark.parametrize("slot", [t, s, 2 * t, place(T - 1) - t, t - T + T])
def test_what_is_not_shown_to_be_earlier_has_no_order(slot):
    over = (s,) if slot == s else ()
    found = recurrence_of((equation("h", term(Access("h", (slot,)), over=over)),))
    assert isinstance(found, Unordered)


def test_a_bracket_shows_that_a_sum_is_over_earlier_steps():
    earlier = term(Iverson(s, "<", t), Access("h", (s,)), over=(s,))
    found = recurrence_of((equation("h", earlier),))
    assert isinstance(found, Recurrence)
    assert found.direction == 1
    not_later = term(Iverson(s, "<=", t), Access("h", (s,)), over=(s,))
    assert isinstance(recurrence_of((equation("h", not_later),)), Unordered)


def test_the_step_may_stand_in_any_slot():
    one = equation("h", read("c", t, b), slots=(b, t))
    other = equation("c", read("h", b, t - 1), slots=(t, b))
    found = recurrence_of((one, other))
    assert isinstance(found, Recurrence)
    assert dict(found.axes) == {"c": 0, "h": 1}
    assert list(found.axes) == ["c", "h"]


def test_a_cycle_at_one_step_has_no_order():
    one, other = equation("h", read("c", t)), equation("c", read("h", t), read("h", t - 1))
    assert isinstance(recurrence_of((one, other)), Unordered)


def test_both_directions_at_once_have_no_order():
    assert isinstance(recurrence_of((equation("h", read("h", t - 1), read("h", t + 1)),)), Unordered)


def test_the_check_of_programs_takes_what_has_an_order():
    inputs = (Tensor("x", (t,)),)
    right = Program("", inputs, (equation("h", read("h", t - 1), read("x", t)),), ("h",))
    check_program(right)
    wrong = Program("", inputs, (equation("h", read("h", t), read("x", t)),), ("h",))
    with pytest.raises(ProgramError, match="not shown to be an earlier step"):
        check_program(wrong)
    apart = Program(
        "",
        inputs,
        (equation("c", read("h", t - 1)), equation("y", read("x", t)), equation("h", read("c", t), read("y", t))),
        ("h",),
    )
    with pytest.raises(ProgramError, match="stand together"):
        check_program(apart)

"""Both passes as one list: what they share stands there once, what only shares a name gets another one."""

from indexcalc.codegen.fast.joining import both_passes
from indexcalc.codegen.statements import Kind, Statement
from tests.support.build import at, fn, i, j, term


def tanh_of(name, *slots):
    return Statement(name, (i, j), (term(fn("tanh", term(at("X", *slots)))),))


def copy_of(name, tensor):
    return Statement(name, (i, j), (term(at(tensor, i, j)),))


def test_what_is_computed_again_stands_there_once():
    forward = (tanh_of("t", i, j), copy_of("y", "t"))
    taken = {"t", "y", "dX"}
    joined = both_passes(forward, (tanh_of("t", i, j), copy_of("dX", "t")), taken)
    assert joined == (*forward, copy_of("dX", "t"))
    assert taken == {"t", "y", "dX"}


def test_another_value_of_the_same_name_gets_a_name_of_its_own():
    forward = (tanh_of("t", i, j), copy_of("y", "t"))
    taken = {"t", "t_1", "y", "dX"}
    joined = both_passes(forward, (tanh_of("t", j, i), copy_of("dX", "t")), taken)
    assert joined == (*forward, tanh_of("t_2", j, i), copy_of("dX", "t_2"))
    assert "t_2" in taken


def test_what_reads_it_inside_functions_and_parentheses_reads_the_right_one():
    inside = fn("exp", term(at("t", i, j)))
    backward = (tanh_of("t", j, i), Statement("dX", (i, j), (term(inside, (at("t", j, i), 2)),)))
    *_, last = both_passes((tanh_of("t", i, j),), backward, {"t", "dX"})
    assert last.terms == (term(fn("exp", term(at("t_1", i, j))), (at("t_1", j, i), 2)),)


def test_a_maximum_over_another_index_is_another_value():
    def largest(over):
        (rest,) = {i, j} - {over}
        return Statement("m", (rest,), (term(at("X", i, j)),), Kind.MAXIMUM, (over,))

    assert [s.name for s in both_passes((largest(j),), (largest(i),), {"m"})] == ["m", "m_1"]


def test_notes_make_no_difference():
    noted = Statement("t", (i, j), (term(at("X", i, j)),), note="the entries of X")
    assert len(both_passes((copy_of("t", "X"),), (noted,), {"t"})) == 1

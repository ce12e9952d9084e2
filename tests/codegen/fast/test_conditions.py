"""Parts of a step in groups: nothing is read before it is there, and only what is read later needs an array."""

import sympy as sp

from indexcalc.algebra.slots import place
from indexcalc.algebra.terms import Delta, Index, Iverson
from indexcalc.codegen.fast.conditions import Step, needed_parts, steps_of
from indexcalc.codegen.operands import EntryAt
from indexcalc.codegen.statements import Loop, Statement
from tests.support.build import at, fn, i, term

T = sp.Symbol("T", positive=True, integer=True)
t = Index("t", T)
SYMBOL = sp.Symbol("@t", integer=True, nonnegative=True)
FIRST, LATER = Delta(place(SYMBOL), place(0)), Iverson(place(1), "<=", place(SYMBOL))
NEXT = Iverson(place(SYMBOL + 1), "<", place(T))
LOOP = Loop(SYMBOL, T, 1, tuple((name, (t, i), 0) for name in ("a", "h", "c")))
ENTRIES = {
    "a_here": EntryAt("a", ("t", ":")),
    "h_here": EntryAt("h", ("t", ":")),
    "h_before": EntryAt("h", ("t - 1", ":")),
    "h_nearest": EntryAt("h", ("max(t - 1, 0)", ":")),
    "c_here": EntryAt("c", ("t", ":")),
    "x_here": EntryAt("x", ("t", ":")),
}
STEP = Step(LOOP, "t", ENTRIES)


def part(name, *terms, conditions=(), adds=False):
    return Statement(name, (i,), terms, loop=LOOP, conditions=conditions, adds=adds)


def read(name):
    return term(at(name, i))


PARTS = [
    part("a", read("x_here")),
    part("a", read("h_before"), conditions=(LATER,), adds=True),
    part("h", read("h0"), conditions=(FIRST,)),
    part("h", term(fn("tanh", read("a_here"))), conditions=(LATER,)),
]


def test_what_a_step_reads_of_itself_under_one_condition_needs_no_array():
    steps = steps_of(PARTS, STEP, {"h"}, {"a", "h"})
    assert [group.conditions for group in steps.groups] == [(LATER,), (FIRST,)]
    assert [array[0] for array in steps.arrays] == ["h"]
    first = steps.groups[0]
    assert [s.name for s in first.statements] == ["a", "h"]
    assert first.statements[0].terms == (read("x_here"), read("h_before"))
    assert first.statements[1].reads == ("a",)
    assert first.targets == {"h": "h"}
    assert steps.full == {"h"}


def test_what_is_read_behind_the_loop_is_kept_as_it_is():
    steps = steps_of(PARTS, STEP, {"h", "a"}, {"a", "h"})
    assert {array[0] for array in steps.arrays} == {"a", "h"}
    added = [name for group in steps.groups for name in group.added]
    assert added == ["a_1"]
    (reader,) = [s for group in steps.groups for s in group.statements if s.name == "h" and "tanh" in str(s.terms)]
    assert reader.reads == ("a_here",)


def test_parts_that_add_to_what_another_reads_come_before_it():
    parts = [
        part("c", read("x_here")),
        part("c", read("h_before"), conditions=(NEXT,), adds=True),
        part("h", read("c_here")),
        part("a", read("h_here"), conditions=(NEXT,)),
    ]
    steps = steps_of(parts, STEP, {"h", "a", "c"}, set("ahc"))
    order = [s.name for group in steps.groups for s in group.statements]
    assert order == ["c", "c_1", "h", "a"]


def test_an_array_of_which_no_entry_is_missing_needs_no_zeros():
    def full(*parts, later=("h",)):
        return "h" in steps_of(list(parts), STEP, set(later), {"h"}).full

    first, rest = part("h", read("h0"), conditions=(FIRST,)), part("h", read("h_before"), conditions=(LATER,))
    last, others = Delta(place(SYMBOL), place(T - 1)), part("h", read("x_here"), conditions=(NEXT,))
    assert full(first, rest)
    assert full(part("h", read("x_here")))
    assert full(part("h", read("h0"), conditions=(last,)), others)
    assert not full(rest)
    assert not full(first, part("h", read("x_here"), conditions=(Iverson(place(2), "<=", place(SYMBOL)),)))
    assert not full(part("h", read("h0"), conditions=(last,)), rest)
    assert not full(part("h", read("h_nearest")))


def test_only_what_is_asked_for_is_needed():
    parts = [*PARTS, part("c", read("h_here"))]
    assert needed_parts(parts, ENTRIES, ["h"]) == {"h", "a", "x", "h0"}
    assert "c" in needed_parts(parts, ENTRIES, ["c"])

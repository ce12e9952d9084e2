"""Values that readings share are those that each would compute itself, whatever was tried before."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from indexcalc.document.choices import Interpretation
from indexcalc.document.meaning.nodes import Derivative, Entry, Gathered, Times, Total, Value
from indexcalc.document.meaning.sizes import Sizes
from indexcalc.document.meaning.symbols import Definition, Symbols
from indexcalc.document.memory import Contents, Memory, RememberedPoints
from indexcalc.document.numerics.points import Points
from indexcalc.document.page import Page, page_of
from indexcalc.document.search import Trials, judge, relations
from indexcalc.document.statements.context import Context
from indexcalc.language.document import read_document

NOTE = r"""
$$ z_i = \sum_j W_{ij} x_j $$
$$ p_i = \frac{e^{z_i}}{\sum_k e^{z_k}} $$
$$ \frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j) $$
$$ \frac{\partial p_i}{\partial x_k} = \sum_j p_i (\delta_{ij} - p_j) W_{jk} = p_i (W_{ik} - \sum_j p_j W_{jk}) $$
$$ \frac{\partial L}{\partial x_k} = \sum_i \frac{\partial L}{\partial z_i} W_{ik}
 = \sum_i \frac{\partial L}{\partial z_i} W_{ki} $$
"""
"""Definitions that rest upon each other, and derivatives through them, right and wrong."""


def note() -> Page:
    """A page of which nothing has been computed."""
    return page_of(read_document(NOTE, "note.md"), Context())


def outcomes_of(page: Page, order: list[int]) -> dict[tuple[int, int, int], list[tuple[object, ...]]]:
    """The outcomes of all relations, judged in some order."""
    every = [relation for number in range(len(page.statements)) for relation in relations(page, number)]
    found = {}
    for place in order:
        relation = every[place]
        judged = judge(relation, Interpretation(), Trials(page, relation))
        found[relation.number, relation.member, relation.against] = [
            (o.truth, tuple(o.options.items()), o.cost, o.reason, o.open, o.used) for o in judged.outcomes
        ]
    return found


def count() -> int:
    """How many relations the note has."""
    page = note()
    return sum(1 for number in range(len(page.statements)) for _ in relations(page, number))


@pytest.mark.parametrize("seed", range(3))
def test_the_order_in_which_relations_are_read_changes_no_outcome(seed):
    order = list(range(count()))
    fresh = {}
    for place in order:
        fresh |= outcomes_of(note(), [place])
    Random(seed).shuffle(order)
    assert outcomes_of(note(), order) == fresh


def product(sizes: Sizes) -> tuple[Symbols, Total]:
    """A sum of a defined vector times an input, and its symbols."""
    slot, own, place, dummy = (sizes.fresh() for _ in range(4))
    for other in (own, place, dummy):
        sizes.unify(slot, other)
    definitions = {"y": Definition((own,), Times((Entry("x", (own,)), Entry("x", (own,)))))}
    symbols = Symbols(sizes=sizes, slots={"x": (slot,), "y": (own,)}, definitions=definitions)
    return symbols, Total((dummy,), Times((Entry("y", (dummy,)), Entry("x", (dummy,)))))


def values(points: Points, sizes: Sizes, body: Total) -> list[tuple[np.ndarray, float]]:
    """The value at every point, with its scale."""
    found = []
    for _, point in points.at(sizes, ()):
        found.append((point.value(body, ()), point.scale))
    return found


def test_a_remembered_value_has_the_scale_that_computing_it_has():
    memory = Memory()
    for shift in range(3):
        sizes = Sizes()
        for _ in range(shift):
            sizes.fresh()  # the index variables of another reading have other numbers
        symbols, body = product(sizes)
        plain = values(Points(symbols), sizes, body)
        shared = values(RememberedPoints(symbols, memory=memory), sizes, body)
        assert plain == shared
    assert len(memory.values) == 2 * len(plain)  # the sum and what it reads, once a point


def test_another_definition_is_another_content():
    memory, sizes = Memory(), Sizes()
    symbols, body = product(sizes)
    first = values(RememberedPoints(symbols, memory=memory), sizes, body)
    own = symbols.definitions["y"].slots
    other = replace(symbols, definitions={"y": Definition(own, Entry("x", own))})
    assert values(RememberedPoints(other, memory=memory), sizes, body) == values(Points(other), sizes, body) != first


def test_a_positive_input_is_another_content():
    memory, sizes = Memory(), Sizes()
    symbols, body = product(sizes)
    first = values(RememberedPoints(symbols, memory=memory), sizes, body)
    positive = frozenset({"x"})
    again = values(RememberedPoints(symbols, positive, memory=memory), sizes, body)
    assert again == values(Points(symbols, positive), sizes, body) != first


def test_what_leads_back_to_itself_is_shared_with_nothing():
    memory, sizes = Memory(), Sizes()
    slot, other = sizes.fresh(), sizes.fresh()
    definitions = {"y": Definition((slot,), Derivative(Entry("L"), Entry("y", (slot,))))}
    symbols = Symbols(sizes=sizes, slots={"y": (slot,), "L": ()}, definitions=definitions, losses={"L"}, outputs=("y",))
    lengths = {slot: 3, other: 3}
    numbers = [
        Contents(RememberedPoints(symbols, memory=memory), sizes, lengths, frozenset()).name("y") for _ in range(2)
    ]
    assert numbers[0] != numbers[1]


def recurrence(body_of_c: str) -> dict[str, int]:
    """The numbers of h and c, where h reads c at the step before, and c reads a name."""
    sizes = Sizes()
    slot = sizes.fresh()
    symbols = Symbols(
        sizes=sizes,
        slots={"h": (slot,), "c": (slot,), "x": (slot,), "y": (slot,)},
        definitions={
            "h": Definition((slot,), Gathered(Entry("c", (slot,)), (slot,), (Value(slot),))),
            "c": Definition((slot,), Times((Entry("h", (slot,)), Entry(body_of_c, (slot,))))),
        },
        recurring=frozenset({"h", "c"}),
    )
    contents = Contents(RememberedPoints(symbols, memory=MEMORY), sizes, {slot: 3}, frozenset())
    return {name: contents.name(name) for name in ("c", "h")}


MEMORY = Memory()


def test_what_is_computed_step_by_step_is_shared_if_all_its_formulas_are_equal():
    first, again, other = recurrence("x"), recurrence("x"), recurrence("y")
    assert first == again
    assert first["h"] != first["c"]
    assert not set(first.values()) & set(other.values())

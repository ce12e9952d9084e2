"""What stands inside an expression, of every kind that there is."""

import dataclasses
import itertools
from typing import get_args

import pytest

from indexcalc.document.meaning.nodes import Applied, Entry, Meaning, Plus, Times, children, walk


@pytest.mark.parametrize("kind", get_args(Meaning), ids=lambda kind: kind.__name__)
def test_children_are_all_expressions_that_a_kind_holds(kind):
    """As its annotations say, in their order."""
    numbers = itertools.count()
    values, expected = [], []
    for one in dataclasses.fields(kind):
        many = {"Meaning": 1, "Entry": 1, "tuple[Meaning, ...]": 2}.get(one.type, 0)
        inside = [Entry(f"x{next(numbers)}") for _ in range(many)]
        expected += inside
        values.append(tuple(inside) if many > 1 else inside[0] if many else None)
    assert children(kind(*values)) == tuple(expected)


def test_walking_goes_from_the_outside_to_the_inside_and_from_left_to_right():
    a, b, c = (Entry(name) for name in "abc")
    product = Times((a, b))
    root = Applied("exp", product)
    whole = Plus((root, c))
    assert list(walk(whole)) == [whole, root, product, a, b, c]

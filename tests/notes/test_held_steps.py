"""In a recurrence no symbol has two values: what holds the other steps is marked, the delta of two entries is not."""

from __future__ import annotations

import re

import pytest

from indexcalc.language.read import read_problem
from indexcalc.notes import markdown_note
from indexcalc.rewrite.derive import derive

RETURNS = """
title "Returns"
index t : T
input r[t]
R[t] = r[t] + 1/2*[t+1 < T]*R[t+1]
upstream G[t] = dL/dR[t]
derive r
"""
LAST = """
title "A loss that reads the last step"
index t : T
input u[t]
c[0] = u[0]
c[t] = tanh(c[t-1]) + u[t] for t in 1 .. T-1
L = c[T-1]^2
loss L
derive u
"""


@pytest.mark.parametrize(("text", "name"), [(RETURNS, "R"), (LAST, "c")])
def test_one_symbol_has_one_value(text, name):
    note = markdown_note(derive(read_problem(text)))
    bare = set(re.findall(rf"(?<!left\.)\\frac{{\\partial {name}_{{(.*?)}}}}{{\\partial {name}_{{(.*?)}}}}(.*)", note))
    assert bare
    for left, right, _ in bare:
        # What stands without a bar is the derivative of an entry by an entry, a delta.
        found = re.findall(
            rf"^(?:&?=? ?)?\\frac{{\\partial {name}_{{{re.escape(left)}}}}}{{\\partial {name}_{{{right}}}}} = (.*)$",
            note,
            re.MULTILINE,
        )
        assert all(value.startswith(r"\delta") for value in found)
    assert rf"\right|_{{{name} \text{{ held}}}}" in note
    assert f"at one step, what is held of $`{name}`$ are its entries at all other steps." in note


def test_the_loss_holds_what_it_reads_one_step_of():
    note = markdown_note(derive(read_problem(LAST)))
    assert r"\left.\frac{\partial L}{\partial c_{t}}\right|_{c \text{ held}}" in note

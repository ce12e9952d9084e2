"""Formulas at other steps: the same as what an author writes there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.document.statements.families import families_of
from indexcalc.document.statements.labels import Layer
from indexcalc.document.statements.layer_marks import BELOW
from indexcalc.document.statements.layers import with_layers
from indexcalc.document.statements.steps import moved_tree, numbers_step, step_between
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import tokenize

EXAMPLES = (r"h_t = W h_{t-1} + U x_{t-1}", r"x_t = h_t + x_{t-1}", r"\sum_{i=1}^{t} x_i")
"""What shows that t numbers steps, and i with it."""


def tree(text: str):
    families = families_of([tokenize(one) for one in EXAMPLES])
    return parse(with_layers(tokenize(text), families))


def spelling(part) -> str:
    """A tree without the places of its tokens."""
    return str([(token.kind, token.text) for token in tokens_of(part)])


def tokens_of(part):
    if isinstance(part, tuple):
        for one in part:
            yield from tokens_of(one)
    elif hasattr(part, "kind") and hasattr(part, "start"):
        yield part
    elif hasattr(part, "__dataclass_fields__"):
        for name in part.__dataclass_fields__:
            yield from tokens_of(getattr(part, name))


TEMPLATES = (
    "W h_{{{}}} + U x_{{{}}}",
    r"\tanh(W h_{{{}}})^\top \frac{{x_{{{}}}}}{{2}}",
    r"\sqrt{{h_{{{}}}}} \left[ x_{{{}}} \right]",
)
"""Formulas with two steps in them."""


def written(offset: int) -> str:
    return f"t{offset:+d}" if offset else "t"


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(TEMPLATES), st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3))
def test_a_formula_at_another_step_is_what_is_written_there(template, one, other, by):
    here = tree(template.format(written(one), written(other)))
    there = tree(template.format(written(one + by), written(other + by)))
    assert spelling(moved_tree(here, "t", Layer("t", by))) == spelling(there)


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(TEMPLATES), st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 9))
def test_a_formula_at_a_numbered_step_has_numbers_and_no_step_before_zero(template, one, other, step):
    moved = moved_tree(tree(template.format(written(one), written(other))), "t", Layer(str(step)))
    if min(one, other) + step < 0:
        assert moved is None
    else:
        assert spelling(moved) == spelling(tree(template.format(one + step, other + step)))


def test_limits_of_sums_are_moved_and_a_letter_that_is_calculated_with_is_not():
    here = tree(r"\sum_{i=1}^{t-1} x_i")
    assert spelling(moved_tree(here, "t", Layer("5"))) == spelling(tree(r"\sum_{i=1}^{4} x_i"))
    assert spelling(moved_tree(here, "t", Layer("t", 2))) == spelling(tree(r"\sum_{i=1}^{t+1} x_i"))
    assert moved_tree(tree(r"t \, h_t"), "t", Layer("t", 1)) is None


STEPS = frozenset({("t", BELOW), ("l", "")})


@pytest.mark.parametrize(
    ("general", "name", "found"),
    [
        ("h_t", "h_t+1", ("t", Layer("t", 1))),
        ("h_t-1", "h_t+1", ("t", Layer("t", 2))),
        ("h_t", "h_3", ("t", Layer("3"))),
        ("h_t+1", "h_3", ("t", Layer("2"))),
        ("a^l", "a^L", ("l", Layer("L"))),
        ("h_t+1", "h_0", None),
        ("h_t", "g_t+1", None),
        ("W_q", "W_k", None),
        ("h_t", "h_t", None),
    ],
)
def test_how_a_name_is_moved_to_that_at_another_step(general, name, found):
    assert step_between(general, name, STEPS) == found


def test_a_value_at_another_step_is_another_value_and_words_in_it_stay():
    (name,) = (token for token in [tokenize("x")[0]])
    value = parse([type(name)("NAME", "p_theta(x_t|x_t-1,t)", 0)])
    moved = moved_tree(value, "t", Layer("t", 1))
    assert [token.text for token in tokens_of(moved)] == ["p_theta(x_t+1|x_t,t+1)"]
    assert moved_tree(parse([type(name)("NAME", "p(alpha_tx_t)", 0)]), "t", Layer("t", 1)) is None
    assert numbers_step("p_theta(x_t|x_t-1)", "t")
    assert not numbers_step("p_theta(x_s)", "t")

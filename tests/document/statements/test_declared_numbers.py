"""A row of a table may say with a word that a name is a number: it is declared, and depends on nothing."""

from __future__ import annotations

import random

import pytest

from indexcalc.document import Verdict, check

WORDS = ("scalar", "a scalar", "real number", "positive scalar", "number")
OTHERS = ("scaling", "scalar field", "vector", "")


def model(word, *, factor=1, seed=0, tex=False):
    """A mean of exponentials of a line with an offset, whose row in a table says a word; and a gradient of it."""
    b, w, x, z, u = random.Random(seed).sample(["a", "b", "c", "g", "h", "q", "s", "w", "x", "z"], 5)
    rows = [(x, r"\mathbb{R}^{N}"), (w, r"\mathbb{R}")]
    cell = f"| $${b}$$ | {word} | offset |".replace("$$", "$") if not tex else rf"${b}$ & {word} & offset \\"
    table = "\n".join(f"| ${name}$ | ${shape}$ |" for name, shape in rows)
    return (
        f"| Input | Shape |\n| --- | --- |\n{table}\n{cell}\n\n"
        rf"$${z}_n = {w} {x}_n + {b}$$" + "\n\n"
        rf"$${u}_n = e^{{{z}_n}}$$" + "\n\n"
        rf"$$L = \sum_n ({u}_n - {b} {z}_n)$$" + "\n\n"
        rf"$$\frac{{\partial {b}}}{{\partial {b}}} = 1$$" + "\n\n"
        rf"$$\frac{{\partial L}}{{\partial {z}_n}} = {factor} {u}_n - {b}$$"
    )


def last(text):
    return check(text, "note.md").claims[-1].verdict


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("tex", [False, True])
def test_what_a_row_calls_a_number_is_held(word, tex):
    for seed in range(3):
        assert last(model(word, seed=seed, tex=tex)) in (Verdict.PROVED, Verdict.CONFIRMED)
        assert last(model(word, factor=2, seed=seed, tex=tex)) is Verdict.REFUTED


@pytest.mark.parametrize("seed", range(3))
def test_a_path_through_a_number_that_is_declared_is_none(seed):
    """A term too much is no path through what the table gives, and may be one through what nothing gives."""
    *before, _, claim = model("scalar", seed=seed).split("\n\n")
    text = "\n\n".join([*before, claim[:-2] + " + 3 " + claim.rsplit("- ", 1)[1]])
    assert last(text) is Verdict.REFUTED
    for word in OTHERS:
        assert last(text.replace("scalar", word)) is Verdict.UNCLEAR

"""Shipped notes with one equation broken: the corrections give back what stood there."""

from __future__ import annotations

from functools import cache

import pytest

from indexcalc.document import Verdict, check
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token, tokenize
from tests.support.mutants import KINDS
from tests.support.mutation_sweep import broken, source_of

NOTE = "linear"

AT_LEAST = 4
"""Of every second kind of the twelve: how many must be taken back to the formula as it stood.

A power put on what a derivative is by can be taken back in two places; both corrections are true.
"""


def shape(part):
    """A syntax tree without the places of its tokens."""
    if isinstance(part, Token):
        return part.kind, part.text
    if isinstance(part, tuple):
        return tuple(shape(inner) for inner in part)
    if hasattr(part, "__dataclass_fields__"):
        return type(part).__name__, *(
            shape(getattr(part, name)) for name in part.__dataclass_fields__ if name != "start"
        )
    return part


def read(latex):
    return shape(parse(tokenize(latex)))


@cache
def corrections():
    """For each kind of mistake: the formula as it stood, and the corrections of the broken note."""
    source = source_of(NOTE)
    found = {}
    for kind in list(KINDS)[::2]:
        for one in broken(NOTE, kind, 1):
            report = check(source.replace(one.before, one.after, 1), f"{NOTE}.md")
            found[kind] = one.before, [claim.correction for claim in report.refuted]
    return found


def test_most_mistakes_are_taken_back():
    same = [kind for kind, (before, texts) in corrections().items() if read(before) in [read(t) for t in texts if t]]
    assert len(same) >= AT_LEAST, same


@pytest.mark.parametrize("number", range(3))
def test_every_correction_put_in_place_is_true(number):
    kind = list(corrections())[number * 2]
    before, texts = corrections()[kind]
    source = source_of(NOTE)
    for text in filter(None, texts):
        report = check(source.replace(before, text, 1), f"{NOTE}.md")
        assert not report.refuted
        assert report.counts[str(Verdict.UNCLEAR)] == 0

"""Shipped notes: all true as they are, and with one equation broken in one of twelve ways, refuted at its line.

Each note is broken in one way here, so that every way is tried on several notes; the whole sweep is
``python -m tests.support.mutation_sweep``.
"""

from __future__ import annotations

from itertools import cycle

import pytest

from indexcalc.library import shipped_paths
from indexcalc.proof.document import Verdict
from tests.support.labelled import equal
from tests.support.mutants import KINDS, Mutant, indexed_names, member_text, mutants
from tests.support.mutation_sweep import broken, members_of, quick_check, report_of, source_of, values_of

LINES = {name: path.with_suffix(".md").read_text("utf-8").count("\n") for name, path in shipped_paths().items()}
SHORT = [name for name, lines in LINES.items() if lines <= 580]
SHORTEST = [name for name, lines in LINES.items() if lines <= 400]
LONGEST = max(LINES, key=LINES.__getitem__)
"""Long notes take seconds each time; the sweep breaks them too, and looks for the proofs of all."""

BAD = (Verdict.REFUTED, Verdict.FOLLOWS, Verdict.UNCLEAR, Verdict.SCHEMATIC)

CONFIRMED = ("focal_loss", "huber")
"""Notes with lines that numbers confirm and no proof reaches: powers with symbols, clipped values."""

UNCLEAR = (("spectral_norm", "sign"),)
"""What the check leaves open rather than accuse: the words around a gradient say more than its equations."""

SAMPLE = [one for one in zip(SHORT, cycle(KINDS), strict=False) if one not in UNCLEAR]


@pytest.mark.parametrize("name", LINES)
def test_every_line_of_a_shipped_note_is_true(name):
    assert not [claim for claim in report_of(name, proofs=False).claims if claim.verdict in BAD]


@pytest.mark.parametrize(
    "name", [name for name in (*SHORTEST, "cosine_similarity", "group_norm", "layer_norm") if name not in CONFIRMED]
)
def test_the_lines_of_a_shipped_note_are_proved(name):
    report = report_of(name)
    assert not [claim for claim in report.claims if claim.verdict in (*BAD, Verdict.CONFIRMED)]
    assert report.counts[str(Verdict.PROVED)]


@pytest.mark.parametrize(("name", "kind"), SAMPLE)
def test_a_broken_equation_is_refuted_at_its_line_and_no_other(name, kind):
    for one in broken(name, kind, 1):
        assert one.found, str(one)
        assert not one.accused, str(one)


def test_a_sign_broken_in_the_first_half_of_the_longest_note_is_refuted():
    source = source_of(LONGEST)
    start = source.index("\n## ", len(source) // 2)
    place = source.rindex(" - ", 0, start)
    report = quick_check(source[:place] + " + " + source[place + 3 : start], f"{LONGEST}.md")
    assert {claim.line for claim in report.refuted} == {source.count("\n", 0, place) + 1}


def test_every_way_is_tried():
    assert {kind for _, kind in SAMPLE} == set(KINDS)


@pytest.mark.parametrize("name", ["attention", "layer_norm", "tsne"])
def test_the_values_of_true_members_agree_with_those_of_their_heads(name):
    note = values_of(name)
    for member in members_of(name):
        letters = note.letters(member.texts)
        values = [note.value(text, letters) for text in member.texts]
        assert equal(values[0], values[member.place]), member.texts


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("sign", r"\sum_{k} A_{ik} \, B_{kj} - c_{j}"),
        ("factor", r"2 \, \sum_{k} A_{ik} \, B_{kj} + c_{j}"),
        ("exponent", r"\sum_{k} A_{ik}^{2} \, B_{kj} + c_{j}"),
        ("transposed operand", r"\sum_{k} A_{ki} \, B_{kj} + c_{j}"),
        ("free index", r"\sum_{k} A_{uk} \, B_{kj} + c_{j}"),
        ("captured dummy", r"\sum_{k} A_{kk} \, B_{kj} + c_{j}"),
        ("missing sum", r"A_{ik} \, B_{kj} + c_{j}"),
        ("extra sum", r"\sum_{i} \sum_{k} A_{ik} \, B_{kj} + c_{j}"),
        ("wrong operand", r"\sum_{k} B_{ik} \, B_{kj} + c_{j}"),
        ("missing term", r"\sum_{k} A_{ik} \, B_{kj}"),
    ],
)
def test_an_edit_breaks_one_thing(kind, after):
    before = r"\sum_{k} A_{ik} \, B_{kj} + c_{j}"
    assert Mutant(kind, after) in list(mutants(before, "Y_{ij}", indexed_names(before)))


def test_a_member_ends_where_the_next_begins():
    source = r"\boxed{y_{i} = \frac{a}{b} = c}"
    assert [member_text(source, source.index(start)) for start in ("y", r"\frac", "c}")] == [
        "y_{i}",
        r"\frac{a}{b}",
        "c",
    ]


def test_a_value_is_not_that_of_another_formula():
    note = values_of("attention")
    sizes = note.letters((r"A_{ij}",))
    true = note.value(r"\frac{e^{S_{ij}}}{Z_{i}}", sizes)
    assert equal(true, note.value("A_{ij}", sizes))
    assert not equal(true, note.value("A_{ji}", sizes))

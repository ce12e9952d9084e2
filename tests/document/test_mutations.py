"""Shipped notes: all true as they are, and with one equation broken in one of twelve ways, refuted at its line.

Each note is broken in one way here, so that every way is tried on several notes; the whole sweep is
``python -m tests.support.mutation_sweep``.
"""

from __future__ import annotations

import re
from itertools import cycle

import pytest

from indexcalc.codegen.outline import has_expressions
from indexcalc.document import Verdict, check
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from tests.support.gradients import of_gradients, step_by_step
from tests.support.labelled import equal
from tests.support.mutants import KINDS, Mutant, indexed_names, member_text, mutants
from tests.support.mutation_sweep import broken, members_of, report_of, values_of

PATHS = {name: path for name, path in shipped_paths().items() if name not in step_by_step()}
LINES = {name: path.with_suffix(".md").read_text("utf-8").count("\n") for name, path in PATHS.items()}
PLAIN = [
    name for name, path in of_gradients().items() if name in PATHS and not has_expressions(load_problem(path).program)
]
"""Notes of gradients at plain indices, which the evaluator of these tests reads."""

SHORT = [name for name in PLAIN if LINES[name] <= 580]
SHORTEST = [name for name in PLAIN if LINES[name] <= 400]
LONGEST = max(LINES, key=LINES.__getitem__)
"""Long notes take seconds each time; the sweep breaks them too, and looks for the proofs of all."""

BAD = (Verdict.REFUTED, Verdict.FOLLOWS, Verdict.STEP, Verdict.UNCLEAR, Verdict.SCHEMATIC)

NOTES = [*LINES][::5]
"""Some of the notes."""

READ = 0.9
"""How much of them is read at least."""

FOUND = 0.75
"""The share of broken equations that are refuted at their line at least."""

SEEDS = (0, 1)
"""Each chooses other equations: the share of a dozen alone is mostly chance."""

SAMPLE = [*zip(sorted(SHORT, key=LINES.__getitem__)[::2], cycle(KINDS), strict=False)]
"""Some notes, each to be broken in another way."""


def test_shipped_notes_are_read_and_nothing_in_them_is_refuted():
    claims = [claim for name in NOTES for claim in report_of(name, proofs=False).claims]
    assert not [claim for claim in claims if claim.verdict is Verdict.REFUTED]
    assert sum(claim.verdict is not Verdict.UNCLEAR for claim in claims) >= READ * len(claims)


def test_most_lines_of_shipped_notes_are_proved():
    counts = [report_of(name).counts for name in SHORTEST[::3]]
    proved, confirmed = (
        sum(count[str(verdict)] for count in counts) for verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    )
    assert proved > 4 * confirmed


def test_a_broken_equation_is_refuted_at_its_line_and_no_other():
    every = [one for seed in SEEDS for name, kind in SAMPLE for one in broken(name, kind, 1, seed)]
    assert not [str(one) for one in every if one.accused]
    missed = [str(one) for one in every if not one.found]
    assert len(missed) <= (1 - FOUND) * len(every), missed


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


SIGNED = re.compile(r"(?<=[a-z]) (?P<sign>[-+]) (?=[a-z][^{}]*\})")
"""A sign between two letters of an index."""


@pytest.mark.parametrize("name", ["conv_transpose"])
def test_a_changed_place_is_never_called_true(name):
    """A sign in an index is turned: the line is refuted, or all of it reads outside of an axis and is not judged."""
    source = shipped_paths()[name].with_suffix(".md").read_text("utf-8")
    lines = source.split("\n")
    true = {
        claim.line for claim in check(source, "note.md").claims if claim.verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    }
    changed = [
        (number, lines[number - 1][: sign.start("sign")] + turned + lines[number - 1][sign.end("sign") :])
        for number in sorted(true)
        for sign in list(SIGNED.finditer(lines[number - 1]))[-1:]
        for turned in ["-" if sign["sign"] == "+" else "+"]
        if lines[number - 1].count(" = ") == 1 and sign.start() > lines[number - 1].index(" = ")
    ]
    found = []
    for number, line in changed[::3]:
        report = check("\n".join([*lines[: number - 1], line, *lines[number:]]), "note.md")
        found.append({claim.verdict for claim in report.claims if claim.line == number})
        assert not [claim.line for claim in report.refuted if claim.line != number]
    assert found
    assert not any({Verdict.PROVED, Verdict.CONFIRMED} & verdicts for verdicts in found)
    assert any(Verdict.REFUTED in verdicts for verdicts in found)

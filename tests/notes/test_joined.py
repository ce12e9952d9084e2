"""A brief note tells what is alike once: joined paths, paths and gradients with other names, gradients in groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexcalc.calculus.steps import Derivation, Rule
from indexcalc.language import read_problem
from indexcalc.language.read import load_problem
from indexcalc.notes import Detail, markdown_note
from indexcalc.notes.blocks import Heading, displays_of
from indexcalc.notes.familiar import shown_before
from indexcalc.notes.groups import alike_at_start
from indexcalc.notes.joined import SHOWN_BEFORE, is_joined
from indexcalc.notes.outline import Chapter, chapters
from indexcalc.notes.parts import named_parts
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

ROOT = Path(__file__).resolve().parents[2]
CELLS = ("lstm", "gru", "bidirectional_rnn")


def shipped(name: str) -> Derivation:
    return derive(load_problem(ROOT / "derivations" / name / f"{name}.ixc"))


LSTM = shipped("lstm")


def brief(derivation: Derivation, chapter: Chapter) -> tuple[object, ...]:
    return dict(chapters(derivation, detail=Detail.BRIEF)).get(chapter, ())


@pytest.mark.parametrize("name", CELLS)
def test_every_gradient_of_a_cell_is_boxed_once(name: str) -> None:
    derivation = shipped(name)
    boxes = [d.left for d in displays_of(brief(derivation, Chapter.SECTIONS)) if d.boxed]
    wanted = [section.equation.lhs for section in derivation.sections if section.target is not None]
    assert sorted(map(str, boxes)) == sorted(map(str, wanted))


def test_the_derivation_of_an_lstm_is_short() -> None:
    blocks = brief(LSTM, Chapter.SECTIONS)
    headings = [block for block in blocks if isinstance(block, Heading)]
    assert len(headings) <= 15
    # That of one gate is told, and those of three are said to be like it.
    assert len(displays_of(blocks)) <= 55


def test_what_a_note_shows_in_full_it_shows_first() -> None:
    shown = shown_before(LSTM, Detail.BRIEF)
    first, second = LSTM.sections[0], LSTM.sections[1]
    assert not any(is_joined(path, shown) for path in first.paths)
    shown = shown.after_section(first, ())
    assert shown.habits >= SHOWN_BEFORE
    assert all(is_joined(path, shown) for path in second.paths)
    full = shown_before(LSTM).after_section(first, ())
    assert full.habits >= SHOWN_BEFORE
    assert not any(is_joined(path, full) for path in second.paths)


def test_a_path_with_a_rule_that_is_no_routine_is_never_joined() -> None:
    """A quotient or a statistic, whose derivative is an argument of its own, is told step by step."""
    for problem in PROBLEMS.values():
        derivation = derive(problem())
        shown = shown_before(derivation, Detail.BRIEF)
        for section in derivation.sections:
            shown = shown.after_section(section, ())
            for path in section.paths:
                rules = {step.rule for local in path.locals for step in local.steps}
                if len(path.locals) > 1 or rules & {Rule.QUOTIENT, Rule.LEMMA, Rule.JACOBI, Rule.CHOLESKY}:
                    assert not is_joined(path, shown)


SECOND = """title "t"
index i : N
index k : K
input x[i,k], m[k], W[k]
y[i,k] = x[i,k] * W[k]
u[i,k] = y[i,k] - 1
q[i] = sum[k]({formula})
upstream G[i] = dL/dq[i]
derive u, y, x, m
"""


@pytest.mark.parametrize(
    ("formula", "joined"),
    [
        ("tanh(m[k]) * u[i,k]", True),
        ("m[k]^2 * u[i,k]", True),
        ("(1 - m[k]) * u[i,k]", True),
        ("tanh(2*m[k]) * u[i,k]", False),
        ("(u[i,k] - m[k])^2", False),
    ],
)
def test_a_derivative_with_parts_of_its_own_is_told_step_by_step(formula: str, joined: bool) -> None:
    derivation = derive(read_problem(SECOND.format(formula=formula)))
    shown = shown_before(derivation, Detail.BRIEF)
    *before, section = derivation.sections
    for one in before:
        shown = shown.after_section(one, ())
    assert section.target == "m"
    assert is_joined(section.paths[0], shown) is joined


def test_a_joined_path_says_where_the_target_stands_and_what_deltas_do() -> None:
    note = markdown_note(LSTM, detail=Detail.BRIEF)
    assert (
        r"$`L`$ depends on $`W^{i}_{nk}`$ only through $`i^{\mathrm{arg}}`$, "
        r"which reads it in $`\sum_{l} W^{i}_{jl} \, x_{adl}`$. "
        r"There, $`\delta_{lk}`$ collapses the sum over $`l`$:"
    ) in note
    # A sum that ends at another place than an index of the target says at which; a bracket that goes is named.
    assert r"collapse the sums over $`a`$, $`d`$ ($`d = t + 1`$) and $`j`$:" in note
    assert r"$`[1 \le d]`$ holds wherever the delta that comes is not zero, and need not stand." in note


def test_gradients_with_the_same_collapses_stand_under_one_heading() -> None:
    shown = shown_before(LSTM, Detail.BRIEF).after_section(LSTM.sections[0], ())
    starts = {section.target: n for n, section in enumerate(LSTM.sections)}
    parts = named_parts(LSTM)
    for first, last in (("g", "i_arg"), ("h0", "c0"), ("W_i", "b_g")):
        group = alike_at_start(LSTM.sections[starts[first] :], parts, shown)
        assert (group[0].target, group[-1].target) == (first, last)


def test_gates_are_told_by_their_names() -> None:
    note = markdown_note(LSTM, detail=Detail.BRIEF)
    names = [
        rf"$`{gate}^{{\mathrm{{arg}}}}`$, $`W^{{{gate}}}`$, $`U^{{{gate}}}`$ and $`b^{{{gate}}}`$" for gate in "ifog"
    ]
    swaps = f"with {names[1]} for {names[0]}; likewise with {names[2]} and with {names[3]}"
    assert note.count(swaps) == 3  # the paths of h and of x, and the parameters


def test_the_summary_of_a_brief_note_has_what_runs_step_by_step() -> None:
    left = [display.left.tensor for display in displays_of(brief(LSTM, Chapter.SUMMARY))]
    assert left == ["dh", "dc", "dg_arg", "do_arg", "df_arg", "di_arg"]

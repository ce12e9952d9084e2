"""A long note says what it has shown in fewer words; it shows everything once, and leaves out nothing new."""

from __future__ import annotations

import pytest

from indexcalc.calculus.steps import Derivation, Rule, Step
from indexcalc.language import read_problem
from indexcalc.notes import displayed_equations, latex_note, markdown_note
from indexcalc.notes.familiar import LONG, Habit, Shown, all_groups, habits_of, shown_before
from indexcalc.notes.outline import reading_order
from indexcalc.notes.reading import is_a_sum_of_paths
from indexcalc.notes.repetition import repeats_of
from indexcalc.notes.sections import cited_consumers, section_blocks
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

HEAD = """title "A stack"
index b : B
index n, q : N
index m : M
index k : K
input X[b,n,m], W[m,k], U[m,k], c[k]
"""
LONG_SPEC = (
    HEAD
    + """H[b,n,k] = sum[m](X[b,n,m] * W[m,k])
F[b,n,k] = sum[m](X[b,n,m] * U[m,k]) + c[k]
T[b,n,k] = tanh(H[b,n,k])
S[b,n,q] = sum[k](T[b,n,k] * F[b,q,k])
A[b,n,q] = softmax[q](S[b,n,q])
C[b,n,k] = sum[q](A[b,n,q] * T[b,q,k])
Y[b,n,k] = C[b,n,k]^2
derive C, A, S, T, F, H, W, U, c, X
"""
)


def long_derivation() -> Derivation:
    return derive(read_problem(LONG_SPEC, "long.ixc"))


DERIVATION = long_derivation()
FULL = {name: derive(problem()) for name, problem in PROBLEMS.items()}


def step_lists(derivation: Derivation) -> list[tuple[Step, ...]]:
    """The lists of steps that a note tells, in reading order."""
    found = []
    for section in reading_order(derivation):
        for path in section.paths:
            found.extend(local.steps for local in path.locals)
            found.append(path.steps)
        found.append(section.steps)
    return found


@pytest.mark.parametrize("derivation", [DERIVATION, *FULL.values()])
def test_groups_hold_every_step_once_and_in_order(derivation: Derivation) -> None:
    everything = Shown(brief=True, long=True, habits=frozenset(Habit))
    for steps in step_lists(derivation):
        for groups in (all_groups(steps), everything.groups(steps), Shown(True).groups(steps)):
            assert tuple(step for group in groups for step in group) == steps
        assert all(len(group) == 1 for group in Shown().groups(steps))


def test_a_note_is_long_by_its_gradients() -> None:
    assert shown_before(DERIVATION).brief
    assert len(DERIVATION.gradients) >= LONG
    assert not any(shown_before(derivation).brief for derivation in FULL.values())


def test_what_is_told_together_has_been_shown_step_by_step() -> None:
    shown, repeats = shown_before(DERIVATION), repeats_of(DERIVATION)
    displayed = displayed_equations(DERIVATION)
    told: set[Habit] = set()
    for section in reading_order(DERIVATION):
        before, cited = shown, cited_consumers(section, repeats)
        shown = shown.after_section(section, cited)
        for path in section.paths:
            if path.consumer.tensor in cited:
                continue
            tail = () if is_a_sum_of_paths(section) else section.steps
            for steps in (*(local.steps for local in path.locals), (*path.steps, *tail)):
                for group in all_groups(steps):
                    assert (group[-1].subject, group[-1].after) in displayed or group[-1].rule is Rule.ENTRY
                    if not habits_of(group) <= before.habits and len(group) > 1:
                        told |= habits_of(group)
    assert told >= {Habit.RUN, Habit.ENTRY, Habit.BACK}
    first = DERIVATION.sections[0].paths[0]
    for step in (*first.locals[0].steps, *first.steps):
        assert (step.subject, step.after) in displayed


def test_the_long_note_is_the_shorter_one_and_boxes_every_gradient() -> None:
    displayed = displayed_equations(DERIVATION)
    for section in DERIVATION.sections:
        assert (section.equation.lhs, section.equation.terms) in displayed
    repeats = repeats_of(DERIVATION)
    for number, section in enumerate(DERIVATION.sections):
        full = section_blocks(DERIVATION, section, repeats)
        brief = section_blocks(DERIVATION, section, repeats, Shown(brief=True, long=True, habits=frozenset(Habit)))
        assert len(brief) < len(full) or section.target is None, number
    text = markdown_note(DERIVATION)
    for sentence in ("Back in the chain rule, ", "Relabelling ", "is as above. ", "a variable of its own: "):
        assert sentence in text
    assert text == markdown_note(long_derivation())
    assert latex_note(DERIVATION) == latex_note(long_derivation())

"""The derivation of one gradient: what it says of statistics, and of steps that are cited."""

from __future__ import annotations

import pytest

from indexcalc.algebra.terms import Partial
from indexcalc.language import read_problem
from indexcalc.notes import displayed_equations, markdown_note, outline
from indexcalc.notes.familiar import number_of_steps
from indexcalc.notes.outline import chapters_once
from indexcalc.rewrite.derive import derive

HEAD = 'title "t"\nindex i : I\nindex k : K\nindex m : M\ninput X[i,k], W[k]\n'
CENTRED = "mu[i] = sum[k](X[i,k])\nvar[i] = sum[k]((X[i,k] - mu[i])^2)\nY[i,k] = X[i,k] * mu[i] / var[i]\nderive X\n"
STACK = """title "stack"
index i : I
index a : A
index b : B
index c : C
input X[i,a], U[a,b], V[b,c]
Y[i,b] = sum[a](X[i,a] * U[a,b])
Z[i,c] = sum[b](Y[i,b] * V[b,c])
derive V, U
"""


def note(spec: str) -> str:
    return markdown_note(derive(read_problem(spec, "t.ixc")))


@pytest.mark.parametrize(
    ("equations", "sentence"),
    [
        ("s[i] = sum[k](X[i,k]^2)\nY[i,k] = W[k] * s[i]\nderive X\n", "$`Y`$ depends on $`X`$ through $`s`$, whose"),
        (CENTRED, "$`Y`$ depends on $`X`$ also through $`\\mu`$ and $`\\mathrm{var}`$, whose derivatives come first."),
    ],
)
def test_statistics_are_announced_once_together(equations: str, sentence: str) -> None:
    text = note(HEAD + equations)
    assert text.count(sentence) == 1
    assert text.count("come first") + text.count("comes first") == 1


def test_names_that_change_into_each_other_change_at_once() -> None:
    assert "with $`Y`$ for $`Z`$, $`U`$ for $`V`$ and $`X`$ for $`Y`$, all at once." in note(STACK)


def test_a_result_of_zero_is_said_to_be_zero() -> None:
    text = note(HEAD + "Y[i,k] = step(X[i,k]) * W[k]\nderive X\n")
    assert "Reading the result. Nothing is left: the result is zero." in text
    assert "computed entry by entry" not in text


TWICE = "s[i] = sum[k](X[i,k]^2)\nY[i,k] = X[i,k] / s[i]\nZ[i] = sum[k](X[i,k] * W[k]) / s[i]\nderive X\n"


def test_a_derivative_that_two_paths_share_is_derived_for_the_first_of_them() -> None:
    text = note(HEAD + TWICE)
    assert text.count("#### The derivative of $`s`$") == 1
    sentence = "$`Z`$ depends on $`X`$ also through $`s`$, whose derivative is found above:"
    assert text.count(sentence) == 1
    result = text.split(sentence)[1].split("```")[1].removeprefix("math").strip()
    assert f"= {result.split(' = ')[1]}" in text.split(sentence)[0]


def test_of_several_statistics_those_found_above_are_named() -> None:
    more = "q[i] = sum[k](s[i] * X[i,k])\nV[i,k] = X[i,k] * q[i] + s[i]\nderive X\n"
    text = note(HEAD + TWICE.replace("derive X\n", more))
    assert "whose derivatives come first. That of $`s`$ is found above:" in text


def test_a_note_with_too_many_steps_holds_what_each_path_contributes(monkeypatch: pytest.MonkeyPatch) -> None:
    derivation = derive(read_problem(HEAD + TWICE, "t.ixc"))
    full = set(displayed_equations(derivation))
    results = {(section.equation.lhs, section.equation.terms) for section in derivation.sections if section.target}
    (section,) = (section for section in derivation.sections if section.target == "X")
    contributions = {(path.steps[-1].subject, path.result) for path in section.paths}
    assert len(contributions) == 2
    steps = number_of_steps(derivation)
    for limit, holds in ((steps, full), (steps - 1, results | contributions)):
        chapters_once.cache_clear()
        monkeypatch.setattr(outline, "STEPS_LIMIT", limit)
        shown = set(displayed_equations(derivation))
        assert holds <= shown <= full
        assert ("note tells" in markdown_note(derivation)) == (limit < steps)
        assert (shown == full) == (limit == steps)
    chapters_once.cache_clear()
    assert any(isinstance(left, Partial) for left, _ in full - shown)

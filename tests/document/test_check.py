from __future__ import annotations

from pathlib import Path

import pytest

from indexcalc.document import Verdict, check
from indexcalc.library import shipped

SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"

LINEAR = r"""
Let $X \in \mathbb{R}^{N \times F}$ and $W \in \mathbb{R}^{O \times F}$.

$$Y_{no} = \sum_f X_{nf} W_{of}$$
"""


def verdicts(source, name="note.md"):
    return [claim.verdict for claim in check(source, name).claims]


def last(source):
    return check(source).claims[-1]


@pytest.mark.parametrize(
    "claim",
    [
        r"\frac{\partial L}{\partial W_{of}} = \sum_n \frac{\partial L}{\partial Y_{no}} X_{nf}",
        r"\frac{\partial L}{\partial W} = \left(\frac{\partial L}{\partial Y}\right)^\top X",
        r"Y = X W^\top",
        r"\frac{\partial Y_{no}}{\partial W_{pq}} = \delta_{op} X_{nq}",
    ],
)
def test_a_true_claim_is_proved(claim):
    assert last(f"{LINEAR}\n$${claim}$$").verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (r"\frac{\partial L}{\partial W_{of}} = -\sum_n \frac{\partial L}{\partial Y_{no}} X_{nf}", "sign"),
        (r"\frac{\partial L}{\partial W_{of}} = 2\sum_n \frac{\partial L}{\partial Y_{no}} X_{nf}", "2 times"),
        (r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial Y} X", "shapes"),
    ],
)
def test_a_false_claim_is_refuted_with_its_reason(claim, reason):
    found = last(f"{LINEAR}\n$${claim}$$")
    assert found.verdict is Verdict.REFUTED
    assert reason in found.reason


def test_what_follows_from_a_wrong_member_is_not_accused():
    claim = r"\frac{\partial Y_{no}}{\partial W_{pq}} = 2\delta_{op} X_{nq} = X_{nq} (\delta_{op} + \delta_{op})"
    assert verdicts(f"{LINEAR}\n$${claim}$$")[-2:] == [Verdict.REFUTED, Verdict.FOLLOWS]


@pytest.mark.parametrize("entry", [e for e in shipped() if e.name in ("linear", "softmax", "attention", "layer_norm")])
def test_generated_notes_are_true(entry):
    note = entry.path.with_suffix(".md")
    found = check(note.read_text(encoding="utf-8"), note.name)
    assert not [claim for claim in found.claims if claim.verdict in (Verdict.REFUTED, Verdict.FOLLOWS)]
    assert len(found.unclear) < len(found.claims) / 20
    assert found.counts["proved"] > 20


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seed documents are not here")
def test_a_hand_written_derivation_is_proved():
    (path,) = SEEDS.glob("002*.md")
    found = check(path.read_text(encoding="utf-8"), path.name)
    assert not found.refuted
    assert not found.unclear
    assert found.counts["proved"] >= 60


@pytest.mark.parametrize("right", ["0", r"\sum_n (p_n - p_n) X_{nf}", r"\sum_n y_n (1 - p_n) X_{nf}"])
def test_the_derivative_of_a_loss_is_total(right):
    source = r"$$z_n = \sum_f X_{nf} w_f$$ $$p_n = \tanh(z_n)$$ $$L = \sum_n y_n p_n$$"
    claim = f"$$\\frac{{\\partial L}}{{\\partial w_f}} = {right}$$"
    assert last(source + claim).verdict is Verdict.REFUTED


def test_names_with_several_meanings_end_in_not_understood():
    tangled = r"""
$$a_i = b_i c_i$$

$$b_i = \sum_j a_j x_{ij}$$

$$c_{ik} = a_i + b_k$$

$$a_i = \sum_k c_{ik} b_k$$
"""
    assert Verdict.REFUTED not in verdicts(tangled)


@pytest.mark.parametrize("text", ["n > 0", "0 < p_i < 1", "x \\to 0", "a \\neq b", r"f: \mathbb{R}^n \to \mathbb{R}"])
def test_what_bounds_a_name_is_a_condition(text):
    assert {claim.verdict for claim in check(f"$${text}$$").claims} == {Verdict.CONDITION}


def test_an_inequality_between_formulas_is_a_claim_that_is_not_judged():
    assert [claim.verdict for claim in check(r"$$x^2 + y^2 \ge 2 x y$$").claims] == [Verdict.UNJUDGED]

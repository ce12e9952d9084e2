"""Claims broken in one place."""

from __future__ import annotations

import random
import re

import pytest

from indexcalc.document import Verdict
from tests.campaign.case import failures
from tests.campaign.documents.breaking import WAYS, Formula, broken
from tests.campaign.documents.comparing import placed
from tests.campaign.documents.corpus import Document
from tests.campaign.documents.edits import Edit, edited
from tests.campaign.documents.fakes import LAYER, NOTE, always, case_of, judging
from tests.campaign.documents.items import items_of
from tests.campaign.documents.mutation import Mutation, cases, member_end, verdict

TRUE = always(Verdict.PROVED)


def mutation(line: int, old: str, new: str) -> Mutation:
    (claim,) = [one for one in placed(TRUE(NOTE, "layer.md"), NOTE) if one.claim.line == line]
    start = NOTE.index(old, claim.position)
    changed = edited(NOTE, [Edit(start, start + len(old), new)])
    end = member_end(NOTE, claim)
    own = NOTE[claim.position : end].replace(old, new, 1)
    return Mutation(LAYER, changed, claim, "two indices swapped", own)


def test_checkers_that_are_too_lenient_are_found():
    case = case_of(mutation(9, "W_{kj}", "W_{jk}"))
    assert failures(verdict(case, TRUE))[0].startswith("two indices swapped: called true: proved at layer.md:9: ")
    unclear = judging(lambda text, left, right: Verdict.UNCLEAR if "W_{jk}" in right else Verdict.PROVED)
    assert failures(verdict(case, unclear))[0].startswith("two indices swapped: missed: not understood at layer.md:9")
    other = judging(lambda text, left, right: Verdict.REFUTED if "W_{jk}" in text and "X}" in left else Verdict.UNCLEAR)
    assert failures(verdict(case, other))[0].startswith(
        "two indices swapped: missed: not understood, another line refuted at layer.md:9"
    )


def test_a_checker_that_refutes_the_broken_line_is_right():
    right = judging(lambda text, left, other: Verdict.REFUTED if "W_{jk}" in other else Verdict.PROVED)
    assert failures(verdict(case_of(mutation(9, "W_{kj}", "W_{jk}")), right)) == []


@pytest.mark.parametrize(
    ("way", "after"),
    [
        ("a sign", r"\sum_{k} X_{ik} W_{kj}^{2} - 3 \frac{1}{n} b_{j} A^{\top}"),
        ("a factor dropped", r"\sum_{k} X_{ik}   + 3 \frac{1}{n} b_{j} A^{\top}"),
        ("a factor doubled", r"\sum_{k} X_{ik} \, X_{ik} W_{kj}^{2} + 3 \frac{1}{n} b_{j} A^{\top}"),
        ("a number", r"\sum_{k} X_{ik} W_{kj}^{2} + 4 \frac{1}{n} b_{j} A^{\top}"),
        ("two indices swapped", r"\sum_{k} X_{ki} W_{kj}^{2} + 3 \frac{1}{n} b_{j} A^{\top}"),
        ("an index replaced", r"\sum_{k} X_{ij} W_{kj}^{2} + 3 \frac{1}{n} b_{j} A^{\top}"),
        ("a transpose", r"\sum_{k} X_{ik} W_{kj}^{2} + 3 \frac{1}{n} b_{j} A "),
        ("a power", r"\sum_{k} X_{ik} W_{kj}^{3} + 3 \frac{1}{n} b_{j} A^{\top}"),
        ("a sum dropped", r" X_{ik} W_{kj}^{2} + 3 \frac{1}{n} b_{j} A^{\top}"),
    ],
)
def test_every_way_breaks_one_thing(way, after):
    text = r"\sum_{k} X_{ik} W_{kj}^{2} + 3 \frac{1}{n} b_{j} A^{\top}"
    found = [edited(text, edits).text for edits in WAYS[way](Formula(text, 0, len(text)))]
    assert after in found
    assert text not in found


@pytest.mark.parametrize(
    ("text", "way"),
    [
        (r"\delta_{ij} x_j", "an index replaced"),
        (r"\delta_{ij}", "two indices swapped"),
        (r"f(x)", "a factor dropped"),
        (r"\mathbf{1}", "a factor doubled"),
        (r"\frac{\partial}{\partial x} y", "a factor dropped"),
        (r"\sum_{j} \frac{\partial L}{\partial y_j} \frac{\partial y_j}{\partial x_i}", "a sum dropped"),
        (r"x^{(1)}", "a power"),
    ],
)
def test_what_may_be_as_true_as_before_is_left_alone(text, way):
    assert list(WAYS[way](Formula(text, 0, len(text)))) == []


@pytest.mark.parametrize("text", [r"a \text{ if } b", r"\begin{cases} a \\ b \end{cases}", r"x_1 + \dots + x_n", ""])
def test_what_is_hard_to_read_is_not_broken(text):
    assert broken(Formula(text, 0, len(text)), random.Random(0)) is None


def test_items_of_a_formula():
    text = r"-2 \frac{a}{b} \left(c + d\right)^2 \exp(e) \frac{\partial L}{\partial x_i} \sum_{j=1}^n \hat{f}_j"
    roles = [str(item.role) for item in items_of(text, 0, len(text))]
    assert roles == ["sign", "number", "fraction", "group", "function", "group", "derivative", "sum", "name"]


def test_the_member_of_a_claim_ends_where_its_text_does():
    for one in placed(TRUE(NOTE, "layer.md"), NOTE):
        own = NOTE[one.position : member_end(NOTE, one)]
        assert " ".join(own.split()) == one.claim.latex.removeprefix("= ")


def test_broken_claims_differ_in_one_member_and_stay_latex():
    for case in cases(0, 8, ("small",)):
        subject = case.subject
        before, after = subject.document.text, case.text
        assert re.sub(r"\s", "", before) != re.sub(r"\s", "", after)
        assert after.count("{") - after.count("}") == before.count("{") - before.count("}")
        first, last = subject.changed.edits[0], subject.changed.edits[-1]
        assert subject.claim.position <= first.start
        assert last.end <= member_end(before, subject.claim)
        assert isinstance(subject.document, Document)

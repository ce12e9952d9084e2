"""Documents with something taken out."""

from __future__ import annotations

import random

import pytest

from indexcalc.document import Verdict
from tests.campaign.case import counts, failures
from tests.campaign.documents.ablation import OPERATIONS, Ablation, ablation_of, cases, displays, paragraphs, verdict
from tests.campaign.documents.blocks import Kind, blocks_of, formulas_of
from tests.campaign.documents.corpus import Document
from tests.campaign.documents.edits import edited
from tests.campaign.documents.fakes import LAYER, NOTE, always, case_of, judging

SEED = 0
COUNT = 24


def without(document: Document, words: str) -> Ablation:
    (edit,) = [edit for edit in paragraphs(document) if words in document.text[edit.start : edit.end]]
    return Ablation(document, edited(document.text, [edit]), "without a paragraph")


def test_a_checker_that_leans_on_a_paragraph_is_found():
    def leaning(text, left, right):
        return Verdict.PROVED if "stand apart" in text or "_" in left else Verdict.REFUTED

    case = case_of(without(LAYER, "stand apart"))
    assert failures(verdict(case, judging(leaning))) == [
        "without a paragraph: newly refuted: true to refuted at layer.md:17: = "
        r"\frac{\partial L}{\partial Y} W^{\top}"
    ]
    assert failures(verdict(case, always(Verdict.PROVED))) == []
    assert failures(verdict(case, always(Verdict.REFUTED))) == []
    assert counts(verdict(case, always(Verdict.PROVED))) == {"claims": 4}


def test_what_is_taken_out_has_no_verdict_any_more():
    (edit,) = [edit for edit in displays(LAYER) if "Y_{ij} =" in NOTE[edit.start : edit.end]]
    case = case_of(Ablation(LAYER, edited(NOTE, [edit]), "without a display"))
    assert counts(verdict(case, always(Verdict.PROVED))) == {"claims": 3}


@pytest.mark.parametrize(
    "text",
    [
        "We assume that $X$ is symmetric.\n\n$$A = X^T$$\n",
        "For $i \\neq j$:\n\n$$a_{ij} = b_{ij}$$\n",
        "$$q_{ij} = q_{ji}$$\n",
        "$$\\sum_k p_k = 1$$\n",
        "$$n = 64$$\n",
        "$$a = b$$\n\n$$= c$$\n",
        "Only here $x$ has another meaning.\n",
        "# A heading\n",
    ],
)
def test_conditions_laws_and_heads_of_chains_stay(text):
    document = Document("own", "a.md", text)
    taken = [text[edit.start : edit.end] for edit in (*displays(document), *paragraphs(document))]
    assert taken in ([], ["$$= c$$\n"])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_new_comes_in_and_every_heading_stays(operation):
    done = 0
    for seed in range(60):
        rng = random.Random(seed)
        document = ablation_of(rng, ("own", "small")).document
        edits = OPERATIONS[operation](document, rng)
        if not edits:
            continue
        done += 1
        changed = edited(document.text, edits).text
        name = document.name
        assert changed != document.text
        assert headings(changed, name) == headings(document.text, name)
        left = [changed[one.inner : one.inner_end] for one in formulas_of(changed, name)]
        before = [document.text[one.inner : one.inner_end] for one in formulas_of(document.text, name)]
        if operation == "without a member of a chain":
            assert len(left) == len(before)
        else:
            assert is_part(left, before)
    assert done


def headings(text: str, name: str) -> list[str]:
    return [text[one.start : one.end] for one in blocks_of(text, name) if one.kind is Kind.HEADING]


def is_part(some: list[str], every: list[str]) -> bool:
    """Whether the first list is the second with some left out."""
    rest = iter(every)
    return all(one in rest for one in some)


def test_a_member_that_has_a_row_is_taken_out_of_its_chain():
    text = "$$\\begin{aligned}\na &= b \\\\\n&= c \\\\\n&= d\n\\end{aligned}$$\n"
    document = Document("own", "a.md", text)
    found = {edited(text, OPERATIONS["without a member of a chain"](document, random.Random(n))).text for n in range(9)}
    assert found == {text.replace("&= c \\\\\n", ""), text.replace(" \\\\\n&= d", "")}


def test_cases_depend_on_their_seed_alone():
    one, other = ([case.text for case in cases(seed, count, ("own",))] for seed, count in ((3, 2), (4, 1)))
    assert one[1:] == other

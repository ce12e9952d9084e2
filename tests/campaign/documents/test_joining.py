"""Two documents one behind the other."""

from __future__ import annotations

from indexcalc.document import Verdict
from tests.campaign.case import counts, failures
from tests.campaign.documents.blocks import Kind, blocks_of, formulas_of
from tests.campaign.documents.corpus import Document
from tests.campaign.documents.fakes import LAYER, NOTE, always, case_of, judging
from tests.campaign.documents.joining import cases, joined, shifted, verdict

OTHER = Document("own", "other.md", "---\ntitle: b\n---\n# Another layer\n\n$$Z = V U$$\n")


def test_a_checker_that_mixes_documents_up_is_found():
    def mixing(text, left, right):
        return Verdict.REFUTED if "Z = V U" in text and r"\top" in right else Verdict.PROVED

    case = case_of(joined(LAYER, OTHER))
    found = failures(verdict(case, judging(mixing)))
    assert found == [
        r"joined: between true and refuted: true to refuted at layer.md:17: = \frac{\partial L}{\partial Y} W^{\top}"
    ]
    assert failures(verdict(case, always(Verdict.PROVED))) == []
    assert counts(verdict(case, always(Verdict.PROVED))) == {"claims": 5}


def test_a_checker_that_loses_claims_is_found():
    def cautious(text, name):
        return always(Verdict.PROVED)(text if "second note" not in text else "", name)

    assert len(failures(verdict(case_of(joined(LAYER, OTHER)), cautious))) == 2


def test_a_definition_that_becomes_a_restatement_is_none():
    def by_place(text, left, right):
        return Verdict.DEFINITION if text.count("= V U") == 1 and "Z" in left else Verdict.PROVED

    case = case_of(joined(OTHER, Document("own", "third.md", "$$Z = V U$$\n\n$$Z = V U$$\n")))
    assert failures(verdict(case, judging(by_place))) == []


def test_joined_documents_keep_every_formula_at_its_place():
    for case in cases(0, 30, ("own", "small")):
        for document, below, start in case.subject.parts:
            moved = shifted(below, start)
            for region in formulas_of(document.text, document.name):
                place = moved(region.inner)
                assert place is not None
                own = document.text[region.inner : region.inner_end]
                assert case.text[place : place + len(own)] == own
        formulas = [len(list(formulas_of(one.text, one.name))) for one, _, _ in case.subject.parts]
        assert len(list(formulas_of(case.text, "joined.md"))) == sum(formulas)


def test_headings_go_down_by_one_level_and_front_matter_goes():
    joint = joined(LAYER, OTHER)
    heads = [joint.text[one.start : one.end] for one in blocks_of(joint.text, "joined.md") if one.kind is Kind.HEADING]
    assert heads == [
        "# The first note\n",
        "## A layer\n",
        "### As matrices\n",
        "# The second note\n",
        "## Another layer\n",
    ]
    assert "title" not in joint.text
    assert NOTE.replace("# ", "## ").strip() in joint.text.replace("### ", "## ## ").replace("## ## ", "### ")


def test_both_orders_are_tried():
    one, other = cases(0, 2, ("own",))
    first, second = ([document for document, _, _ in case.subject.parts] for case in (one, other))
    assert first == second[::-1]

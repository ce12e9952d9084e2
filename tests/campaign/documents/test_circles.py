"""Names whose definition can't be read."""

from __future__ import annotations

from indexcalc.document import Verdict
from tests.campaign.case import counts, failures
from tests.campaign.documents.circles import WHOLE, Circle, cases, emptied, equations_of, tripled, verdict
from tests.campaign.documents.corpus import Document
from tests.campaign.documents.edits import edited
from tests.campaign.documents.fakes import case_of, judging

TEXT = "$$y = x z$$\n\n$$y w = x z w$$\n\n$$v = u$$\n"
SMALL = Document("own", "small.md", TEXT)


def circle() -> Circle:
    chains = equations_of(SMALL)["y"]
    otherwise = edited(TEXT, [edit for chain in chains for one in chain.members[1:] for edit in tripled(one)])
    return Circle(SMALL, otherwise, emptied(SMALL, chains, r"\text{as above}"), WHOLE)


def rule(lenient: bool):
    def judge(text, left, right):
        if left.startswith("y ="):
            return Verdict.DEFINITION
        if "y w" in left and "3" in text:
            return Verdict.REFUTED
        if "y w" in left and "as above" in text:
            return Verdict.PROVED if lenient else Verdict.UNCLEAR
        return Verdict.PROVED

    return judging(judge)


def test_a_checker_that_goes_round_in_a_circle_is_found():
    found = verdict(case_of(circle()), rule(lenient=True))
    assert failures(found) == ["unreadable definition: still true: proved at small.md:3: = x z w"]
    assert counts(found) == {"claims": 1}


def test_a_checker_that_says_nothing_is_right():
    assert failures(verdict(case_of(circle()), rule(lenient=False))) == []


def test_all_equations_of_a_name_lose_their_right_sides():
    assert circle().unreadable.text == TEXT.replace("y = x z$", r"y = \text{as above}$")
    assert "y = 3 \\, \\bigl( x z \\bigr) $$" in circle().otherwise.text


def test_names_are_the_same_in_every_font_and_none_are_taken_from_indices():
    text = "$$Y = X W$$ $$\\mathbf{y}_i = x_i$$ $i = j$ $$a = b = c$$ $$d = a u$$\n"
    assert list(equations_of(Document("own", "a.md", text))) == ["y", "d"]


def test_no_equation_of_the_name_is_left():
    for case in cases(0, 6, ("small",)):
        subject = case.subject
        assert case.text != subject.document.text
        assert len(subject.unreadable.edits) >= 1
        assert all("text{" in edit.text for edit in subject.unreadable.edits)

"""The interpretations of a relation: those that can make a difference to it."""

from __future__ import annotations

from indexcalc.document.choices import Interpretation, Kind
from indexcalc.document.outcomes import Truth
from indexcalc.document.page import page_of
from indexcalc.document.search import Trials, judge, relations
from indexcalc.document.statements.context import read_context
from indexcalc.language.document import read_document

SQUARE = r"Let $A, B, C \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$." + "\n\n"


def judged(text):
    page = page_of(read_document(SQUARE + text, "note.md"), read_context([]))
    (relation,) = [one for number in range(len(page.statements)) for one in relations(page, number)][-1:]
    return judge(relation, Interpretation(), Trials(page, relation))


def changed(outcome):
    return {key[0] for key, name in outcome.options.items() if name != outcome.asked[key].options[0].name}


def test_what_does_not_fit_is_not_tried_with_other_properties():
    found = judged("$$ A B C = x $$\n")
    assert found.outcomes[0].truth is Truth.MISFIT
    assert any(key[0] is Kind.PROPERTY for key in found.outcomes[0].asked)
    assert not any(o.truth is Truth.MISFIT and Kind.PROPERTY in changed(o) for o in found.outcomes)


def test_what_is_false_is_tried_with_properties():
    found = judged("$$ A^T x = A x $$\n")
    assert found.outcomes[0].truth is Truth.FALSE
    assert any(o.truth is Truth.TRUE and changed(o) == {Kind.PROPERTY} for o in found.outcomes)

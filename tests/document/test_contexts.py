"""What an author leaves unsaid and a context says: it takes choices, gives equations, and never claims."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from indexcalc.errors import SpecError
from tests.support.verdicts import judged

CONFIRMED, REFUTED, SCHEMATIC = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.SCHEMATIC


def last(text: str, context: str = "") -> Verdict:
    """The verdict on the last relation of a document."""
    return judged(check(text, "note.md", context).claims[-1])


CENTRED = "$$\\mu_n = \\frac{1}{H} \\sum_h x_{nh}$$\n\n$$\\sum_h (x_{nh} - \\mu_n) = 0$$\n"


def test_a_size_is_that_of_the_slot_that_is_named():
    assert last(CENTRED, "size H = x.2") is CONFIRMED
    assert last(CENTRED, "size H = x.1") is REFUTED


def test_a_comment_of_the_document_is_a_context():
    assert last(f"<!-- indexcalc\nsize H = x.1\n-->\n\n{CENTRED}") is REFUTED


EINSTEIN = "$$y_i = W_{ij} x_j$$\n\n$$\\frac{\\partial y_i}{\\partial x_k} = W_{ik}$$\n"


def test_a_convention_says_what_is_summed():
    assert last(EINSTEIN, "convention einstein") is CONFIRMED
    assert last(EINSTEIN.replace("W_{ik}$", "W_{ki}$"), "convention einstein") is REFUTED


QUADRATIC = "$$E = \\sum_{ij} x_i J_{ij} x_j$$\n\n$$\\frac{\\partial E}{\\partial x_i} = 2 \\sum_j J_{ij} x_j$$\n"


def test_an_assumption_makes_a_matrix_symmetric():
    assert last(QUADRATIC) is not CONFIRMED
    assert last(QUADRATIC, "assume J[i,j] = J[j,i]") is CONFIRMED


def test_an_assumption_makes_entries_sum_to_one():
    text = "$$s_i = \\sum_k y_k x_i$$\n\n$$s_i = x_i$$\n"
    assert last(text, "assume sum[k](y[k]) = 1") is CONFIRMED
    assert last(text.replace("= x_i", "= 2 x_i"), "assume sum[k](y[k]) = 1") is REFUTED


def test_an_equation_of_the_context_defines():
    text = "$$\\frac{\\partial u_i}{\\partial x_j} = 2 x_i \\delta_{ij}$$\n"
    assert last(text) not in (CONFIRMED, REFUTED)
    assert last(text, "u_i = x_i^2") is CONFIRMED
    assert last(text, "u_i = x_i^3") is REFUTED
    assert len(check(text, "note.md", "u_i = x_i^2").claims) == 1


def test_an_alias_is_another_name():
    text = "$$u_i = x_i^2$$\n\n$$\\frac{\\partial v_i}{\\partial x_j} = 2 x_i \\delta_{ij}$$\n"
    assert last(text, "alias v = u") is CONFIRMED


def test_a_scope_holds_below_its_heading():
    claim = "$$\\frac{\\partial u_i}{\\partial x_j} = 2 x_i \\delta_{ij}$$\n"
    text = f"# One\n\n{claim}\n# Two\n\n{claim}"
    first, second = check(text, "note.md", 'scope "Two"\nu_i = x_i^2').claims
    assert (judged(first), judged(second)) == (Verdict.UNCLEAR, CONFIRMED)


def test_schematic_lines_are_not_judged():
    assert last(CENTRED, "schematic lines 3-3") is SCHEMATIC


@pytest.mark.parametrize("line", ["size H = x", "frobnicate x", "u_i = x_{", "schematic lines 9-9"])
def test_a_mistake_in_a_context_is_an_error(line):
    with pytest.raises(SpecError):
        check(CENTRED, "note.md", line)

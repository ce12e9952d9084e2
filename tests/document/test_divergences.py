"""Cross-entropies and divergences between vectors, and what a page says of entries that sum to one."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

HEAD = r"Let $p = \mathrm{softmax}(z)$ and "


def verdicts(text):
    """The verdicts on the relations of a page."""
    return [claim.verdict for claim in check(text).claims]


@pytest.mark.parametrize(
    "value", [r"\mathrm{CE}(y, p)", r"D_{KL}(y \| p)", r"\mathrm{KL}(y || p)", r"KL(y, p)", "D_{KL}(y || p)"]
)
@pytest.mark.parametrize(("right", "is_true"), [("p_i - y_i", True), ("y_i - p_i", False), ("p_i + y_i", False)])
def test_their_gradients_by_logits(value, right, is_true):
    page = HEAD + f"$L = {value}$ where $\\sum_i y_i = 1$.\n\n$$\\frac{{\\partial L}}{{\\partial z_i}} = {right}$$"
    assert verdicts(page)[-1] in (TRUE if is_true else (Verdict.UNCLEAR,))


def test_a_cross_entropy_may_have_its_targets_last_or_logits():
    last = r"Let $p = \mathrm{softmax}(z)$, $L = CE(p, y)$ and $\sum_i y_i = 1$." + "\n\n"
    assert verdicts(last + r"$$\frac{\partial L}{\partial z_i} = p_i - y_i$$")[-1] in TRUE
    logits = r"Let $p = \mathrm{softmax}(z)$, $L = CE(y, z)$ and $\sum_i y_i = 1$." + "\n\n"
    assert verdicts(logits + r"$$\frac{\partial L}{\partial z_i} = p_i - y_i$$")[-1] in TRUE


@pytest.mark.parametrize(
    ("loss", "right"),
    [
        (r"\mathrm{CE}(z, y)", "p_i - y_i"),
        (r"\mathrm{CE}(y, \sigma(z))", r"\sigma(z_i) - y_i"),
        (r"\mathrm{KL}(p, y)", "p_i - y_i"),
        (r"D_{KL}(y \| p)", r"\frac{p_i - y_i}{\log 2}"),
    ],
)
def test_what_may_be_meant_otherwise_is_not_refuted(loss, right):
    page = HEAD + f"$L = {loss}$ where $\\sum_i y_i = 1$.\n\n$$\\frac{{\\partial L}}{{\\partial z_i}} = {right}$$"
    assert verdicts(page)[-1] is not Verdict.REFUTED


def test_a_page_may_define_one_without_a_bracket():
    page = r"Let $\mu, s \in \mathbb{R}^d$ and $L = \mathrm{KL}(\mu, s)$." + "\n\n"
    page += r"$$\mathrm{KL} = \sum_i \mu_i^2$$" + "\n\n"
    wrong = r"$$\frac{\partial L}{\partial s_i} = -\frac{\mu_i}{s_i}$$"
    assert verdicts(page + wrong)[-1] not in TRUE


def test_what_a_page_defines_itself_is_no_other():
    own = r"$$D_{KL}(p \| q) = \sum_i q_i \log \frac{q_i}{p_i}$$" + "\n\n$L = D_{KL}(u \\| v)$\n\n"
    assert verdicts(own + r"$$\frac{\partial L}{\partial v_i} = -\frac{u_i}{v_i}$$")[-1] not in (*TRUE, Verdict.REFUTED)


def test_what_is_given_may_sum_to_one():
    page = r"Let $L = -\sum_i y_i \log p_i$ with $p = \mathrm{softmax}(z)$. {}" + "\n\n"
    page += r"$$\frac{\partial L}{\partial z_i} = p_i - y_i$$"
    said = check(page.replace("{}", r"Here $\sum_i y_i = 1$."))
    assert [claim.verdict for claim in said.claims][-2:] == [Verdict.DECLARATION, Verdict.PROVED]
    assert not said.claims[-1].reason
    assert check(page.replace("{}", "")).claims[-1].reason == "it would hold if the entries of y sum to one"


def test_the_sum_of_what_is_computed_is_a_claim():
    page = r"Let $p_i = e^{z_i} / \sum_j e^{z_j}$." + "\n\n$$\\sum_i p_i = {}$$"
    assert verdicts(page.replace("{}", "1"))[-1] in TRUE
    assert verdicts(page.replace("{}", "2"))[-1] not in (*TRUE, Verdict.DECLARATION)


def test_columns_may_sum_to_one():
    page = r"Let $A \in \mathbb{R}^{n \times m}$ with $\sum_i A_{ij} = 1$ and $s = \sum_i \sum_j A_{ij}$." + "\n\n"
    assert verdicts(page + "$$s = m$$")[-1] in TRUE
    assert verdicts(page + "$$s = n$$")[-1] not in TRUE


RANGES = [r"\sum_{i=2}^n x_i", r"\sum_{i \ne j} x_i", r"\sum_{i \in S} x_i", r"\sum_{i=1}^m x_i"]


@pytest.mark.parametrize("part", RANGES)
def test_a_part_of_the_entries_may_sum_to_one(part):
    page = rf"Let $x \in \mathbb{{R}}^n$ with ${part} = 1$." + "\n\n" + r"$$\sum_i 2 x_i = 2$$"
    (claim,) = check(page).claims[-1:]
    assert claim.verdict not in TRUE or claim.unstated


@pytest.mark.parametrize(
    "said",
    [
        r"A student may think that $\sum_i x_i = 1$, but this is wrong.",
        r"$\sum_i x_i \ne 1$ in general; only for a softmax is $\sum_i x_i = 1$.",
        r"If $\sum_i x_i = 1$, then more is known.",
        r"Maximize $f$ subject to $\sum_i x_i = 1$.",
    ],
)
def test_what_is_not_said_plainly_is_not_said(said):
    (claim,) = check(rf"Let $x \in \mathbb{{R}}^n$. {said}" + "\n\n" + r"$$\sum_i 2 x_i = 2$$").claims[-1:]
    assert claim.verdict not in TRUE or claim.unstated


def test_what_a_section_declares_anew_sums_to_anything():
    page = "## Chain\n\nThe rows of $P \\in \\mathbb{R}^{n\\times n}$ satisfy $\\sum_j P_{ij} = 1$.\n\n"
    page += "## Filter\n\nNow $P \\in \\mathbb{R}^{n\\times n}$ is any matrix.\n\n$$\\sum_i \\sum_j 2 P_{ij} = 2 n$$"
    (claim,) = check(page).claims[-1:]
    assert claim.verdict not in TRUE or claim.unstated

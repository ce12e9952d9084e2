"""Names that a system determines: they vary with what it is made of, and others that stand in an equation do not."""

from __future__ import annotations

import random
import re

import pytest

from indexcalc.document import Verdict, check
from tests.support.pages import ROOT

SYSTEMS = ("mahalanobis", "gaussian_process", "kernel_ridge", "least_squares_layer", "ridge_closed_form")
"""Sections of the gallery with a linear system."""

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)


def verdicts(lines):
    """What is said of each line of a document of equations."""
    report = check("\n\n".join(f"$${line}$$" if "declare" not in line else line[7:] for line in lines), "note.md")
    return [[claim.verdict for claim in report.claims if claim.line == 2 * n + 1] for n in range(len(lines))]


def distance(seed, claim, *, symmetric=False, turned=False):
    """A form ``u^T S^{-1} u`` through the solution of a system, with a claim on its gradient by what u is made of."""
    draw = random.Random(seed)
    x, m, u, v, w = draw.sample(["a", "b", "h", "x", "y", "z", "u", "v", "w"], 5)
    matrix, above = draw.choice("ACHKMS"), draw.choice(["n", ""])
    places = "ji" if turned else "ij"
    first, last = rf"\sum_{{j}} {matrix}_{{{places}}} \, {v}_{{{above}j}}", f"{u}_{{{above}i}}"
    system = [first, last] if draw.random() < 0.5 else [last.replace(u, f"2 {u}") + f" - {u}_{{{above}i}}", first]
    at = f"_{above}" if above else ""
    names = {"x": x, "u": u, "v": v, "w": w, "S": matrix, "n": above, "G": f"G{at}"}
    law = rf", and ${matrix}_{{ij}} = {matrix}_{{ji}}$" if symmetric else ""
    return [
        rf"declare${matrix} \in \mathbb{{R}}^{{D \times D}}${law}",
        rf"{u}_{{{above}i}} = {x}_{{{above}i}} - {m}_{{i}}",
        " = ".join(system),
        rf"q{at} = \sum_{{i}} {u}_{{{above}i}} \, {v}_{{{above}i}}",
        rf"G{at} := \frac{{\partial L}}{{\partial q{at}}}",
        *(line.format(**names) for line in claim),
    ]


BY_X = r"\frac{{\partial L}}{{\partial {x}_{{{n}i}}}} = "
TWICE = [BY_X + r"2 \, {G} \, {v}_{{{n}i}}"]
ONCE = [BY_X + r"{G} \, {v}_{{{n}i}}"]
BOTH = [
    r"\sum_{{j}} {S}_{{ji}} \, {w}_{{{n}j}} = {u}_{{{n}i}}",
    BY_X + r"{G} \, {v}_{{{n}i}} + {G} \, {w}_{{{n}i}}",
]
"""Without a symmetric matrix the gradient has the solution of the transposed system in it, too."""


@pytest.mark.parametrize("seed", range(6))
def test_a_gradient_through_the_solution_is_confirmed(seed):
    assert verdicts(distance(seed, TWICE, symmetric=True))[-1][0] in TRUE
    assert verdicts(distance(seed, BOTH))[-1][0] in TRUE


@pytest.mark.parametrize("seed", range(6))
def test_a_gradient_that_holds_the_solution_is_refuted(seed):
    assert verdicts(distance(seed, ONCE, symmetric=True))[-1] == [Verdict.REFUTED]
    assert verdicts(distance(seed, ONCE))[-1] == [Verdict.REFUTED]


@pytest.mark.parametrize("turned", [False, True])
def test_the_solution_is_that_of_the_system_as_it_is_written(turned):
    again = [r"\sum_{{j}} {S}_{{ij}} \, {v}_{{{n}j}} = {u}_{{{n}i}}"]
    found = [verdicts(distance(seed, again, turned=turned))[-1][0] for seed in range(4)]
    assert all(one is Verdict.REFUTED if turned else one in TRUE for one in found), found


@pytest.mark.parametrize(
    "equation",
    [
        r"\sum_j F_{ij} v_j = u_i",  # a matrix that nothing says is square
        r"v_i + m_i = u_i",  # no sum mixes its entries: any of the names may be what it gives
        r"\sum_j S_{ij} v_j = 0",
        r"\sum_j S_{ij} v_j w_j = u_i",  # two unknowns
    ],
)
def test_a_name_that_only_stands_in_an_equation_is_held(equation):
    lines = [
        r"declare$S \in \mathbb{R}^{D \times D}$",
        "u_i = x_i - m_i",
        equation,
        r"q = \sum_i u_i v_i",
        r"\frac{\partial q}{\partial x_i} = 2 v_i",
    ]
    assert verdicts(lines)[-1] == [Verdict.REFUTED]
    assert verdicts([*lines[:-1], r"\frac{\partial q}{\partial x_i} = v_i"])[-1][0] in TRUE


def test_what_is_differentiated_by_varies_freely():
    lines = [
        r"declare$S \in \mathbb{R}^{D \times D}$",
        "u_i = x_i - m_i",
        r"\sum_j S_{ij} v_j = u_i",
        r"q = \sum_i u_i v_i",
        r"\frac{\partial q}{\partial v_i} = u_i",
        r"\frac{\partial q}{\partial x_i} = v_i",
    ]
    assert verdicts(lines)[-1][0] in TRUE


BATCHED = [
    r"declare$S \in \mathbb{R}^{D \times D}$ and $G \in \mathbb{R}^{B \times D}$",
    r"G_{bj} := \frac{\partial L}{\partial x_{bj}}",
    r"\sum_j S_{ij} x_{bj} = \sum_k S_{ki} y_{bk}",
    r"\sum_i \lambda_{bi} S_{ij} = G_{bj}",
    r"r_{bi} := \sum_k S_{ki} y_{bk} - \sum_j S_{ij} x_{bj}",
]


def test_of_two_unknowns_on_both_sides_either_may_be_determined():
    right = r"\frac{\partial L}{\partial y_{bk}} = \sum_i S_{ki} \lambda_{bi}"
    assert verdicts([*BATCHED, right])[-1] == [Verdict.UNCLEAR]
    context = "assume line 5 determines x"
    text = "\n\n".join(f"$${line}$$" if "declare" not in line else line[7:] for line in [*BATCHED, right])
    assert check(text, "note.md", context).claims[-1].verdict in TRUE
    wrong = check(text.replace(right, right.replace("= ", "= 2 ")), "note.md", context)
    assert wrong.claims[-1].verdict is Verdict.REFUTED


def test_no_loss_depends_on_what_is_left_of_a_system():
    through = r"\left.\frac{\partial L}{\partial y_{bk}}\right|_{\text{via } r} = "
    right = r"\frac{\partial L}{\partial y_{bk}} = \sum_i S_{ki} \lambda_{bi}"
    for part in (r"\sum_i S_{ki} \lambda_{bi}", r"2 y_{bk}"):
        assert verdicts([*BATCHED, right, through + part])[-1] == [Verdict.UNCLEAR]
    assert verdicts([*BATCHED, right, through + "0"])[-1] == [Verdict.CONDITION]


ADJOINT = [
    r"declare$S \in \mathbb{R}^{D \times D}$, $u \in \mathbb{R}^D$ and $c \in \mathbb{R}^D$",
    r"\sum_j S_{ij} v_j = u_i",
    r"r_i := u_i - \sum_j S_{ij} v_j",
    r"L = \sum_i c_i v_i",
    r"\sum_i m_i S_{ij} = c_j",
    r"\left.\frac{\partial L}{\partial v_j}\right|_{\text{via } r} = \sum_a m_a \frac{\partial r_a}{\partial v_j}",
    r"\left.\frac{\partial L}{\partial v_j}\right|_{\text{via } r} = -\sum_a m_a S_{aj}",
    r"\left.\frac{\partial L}{\partial u_j}\right|_{\text{via } r} = m_j",
    r"\frac{\partial L}{\partial u_j} = m_j",
]


def test_a_multiplier_is_the_gradient_by_what_is_left_of_a_system():
    assert all(one[0] in TRUE for one in verdicts(ADJOINT)[-4:])


@pytest.mark.parametrize("number", range(5, 9))
def test_with_a_wrong_multiplier_nothing_is_called_true(number):
    lines = [*ADJOINT[:number], ADJOINT[number].replace(" m_", " 2 m_"), *ADJOINT[number + 1 :]]
    assert verdicts(lines)[number][0] not in TRUE


@pytest.mark.parametrize("name", SYSTEMS)
def test_nothing_is_refuted_in_a_section_with_a_system(name):
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    section = gallery[gallery.index(f"## {name}\n") :]
    report = check(section[: section.find("\n## ") + 1 or None], "gallery.md")
    assert not report.refuted


@pytest.mark.parametrize("seed", range(6))
def test_a_name_that_is_differentiated_by_may_follow_from_its_system(seed):
    varied = [r"\frac{{\partial L}}{{\partial {v}_{{{n}i}}}} = {G} \, {u}_{{{n}i}}"]
    twice, once = verdicts(distance(seed, varied + TWICE, symmetric=True)), verdicts(distance(seed, varied + ONCE))
    assert twice[-2][0] in TRUE
    assert twice[-1][0] is not Verdict.REFUTED
    assert once[-2][0] in TRUE
    wrong = [varied[0].replace("= ", "= 2 ")]
    assert verdicts(distance(seed, wrong))[-1][0] is Verdict.REFUTED


def test_a_displayed_law_says_that_a_matrix_is_square():
    lines = [
        r"S_{ij} = S_{ji}",
        r"u_{ni} = x_{ni} - \mu_i",
        r"\sum_j S_{ij} v_{nj} = u_{ni}",
        r"q_n = \sum_i u_{ni} v_{ni}",
        r"\frac{\partial q_n}{\partial x_{ni}} = 2 v_{ni}",
    ]
    given = r"Let $\mu \in \mathbb{R}^D$ and $x \in \mathbb{R}^{N \times D}$." + "\n\n"
    report = check(given + "\n\n".join(f"$${line}$$" for line in lines))
    assert report.claims[-1].verdict in TRUE


def joined(*names):
    """What is said of some sections of the gallery as one document."""
    sections = re.split(r"(?m)^(?=## )", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))
    named = {section.partition("\n")[0].removeprefix("## "): section for section in sections}
    return check("".join(named[name] for name in names)).claims


def test_a_system_is_solved_in_a_section_that_stands_alone():
    claims = joined("gaussian_full_covariance", "gae", "mahalanobis")
    found = [claim.verdict for claim in claims if claim.latex.startswith(("= 2 ", "= -2 "))]
    assert len(found) == 2
    assert set(found) <= set(TRUE)


def test_a_family_is_given_before_a_later_section_defines_its_name():
    (claim,) = [one for one in joined("gaussian_process", "graph_message_passing") if one.latex == r"= \alpha_{n"]
    assert claim.verdict in TRUE

"""Names that only an equation to be solved determines: no right gradient is refuted because they are held."""

from __future__ import annotations

import random

import pytest

from indexcalc.document import check
from tests.support.pages import ROOT

SYSTEMS = ("mahalanobis", "gaussian_process", "kernel_ridge", "least_squares_layer", "ridge_closed_form")
"""Sections of the gallery with a linear system."""


def distance(seed, *, solved=True):
    """A form ``u^T S^{-1} u`` through the solution of a system, with its gradient.

    The right gradient is twice the solution, since ``S`` is symmetric. Letters, ranks and forms are drawn.
    """
    draw = random.Random(seed)
    x, m, u, v = draw.sample(["a", "b", "h", "x", "y", "z", "u", "v", "w"], 4)
    matrix, above = draw.choice("ACHKMS"), draw.choice(["n", ""])
    left = rf"\sum_{{j}} {matrix}_{{ij}} \, {v}_{{{above}j}}"
    lines = [
        rf"{u}_{{{above}i}} = {x}_{{{above}i}} - {m}_{{i}}",
        *([" = ".join([left, f"{u}_{{{above}i}}"] if above else [f"{left} - {u}_{{i}}", "0"])] if solved else []),
        rf"q{'_{n}' if above else ''} = \sum_{{i}} {u}_{{{above}i}} \, {v}_{{{above}i}}",
        rf"G{'_{n}' if above else ''} := \frac{{\partial L}}{{\partial q{'_{n}' if above else ''}}}",
        rf"\frac{{\partial L}}{{\partial {x}_{{{above}i}}}} = 2 \, G{'_{n}' if above else ''} \, {v}_{{{above}i}}",
    ]
    return f"${matrix}$ is symmetric: ${matrix}_{{ij}} = {matrix}_{{ji}}$.\n\n" + "\n\n".join(
        f"$${one}$$" for one in lines
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_gradient_through_the_solution_of_a_system_is_not_refuted(seed):
    assert not check(distance(seed), "note.md").refuted


@pytest.mark.parametrize("seed", range(4))
def test_with_no_equation_to_be_solved_the_name_is_held(seed):
    assert len(check(distance(seed, solved=False), "note.md").refuted) == 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_nothing_is_refuted_in_a_section_with_a_system(name):
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    section = gallery[gallery.index(f"## {name}\n") :]
    report = check(section[: section.find("\n## ") + 1 or None], "gallery.md")
    assert not report.refuted

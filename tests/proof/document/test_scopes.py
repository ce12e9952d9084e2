"""Sections that reuse letters are read on their own; a wrong restatement is still refuted."""

from __future__ import annotations

from indexcalc.proof.document import Verdict, check, understanding
from indexcalc.proof.document.understanding import roles_of


def verdicts(text: str, name: str = "note.md") -> list[str]:
    """The verdicts of all claims, in order."""
    return [str(claim.verdict) for claim in check(text, name).claims]


COLLECTED = r"""
## Scale
$$y_{ni} = a \, x_{ni}$$
$$\frac{\partial L}{\partial x_{ni}} = a \frac{\partial L}{\partial y_{ni}}$$

## Square
$$y_{ni} = x_{ni}^2$$
$$\frac{\partial L}{\partial x_{ni}} = 2 x_{ni} \frac{\partial L}{\partial y_{ni}}$$

## Cube
$$y_{ni} = x_{ni}^3$$
$$\frac{\partial L}{\partial x_{ni}} = FACTOR x_{ni}^2 \frac{\partial L}{\partial y_{ni}}$$
"""


def test_each_section_of_a_collection_has_its_own_letters():
    assert verdicts(COLLECTED.replace("FACTOR", "3")) == ["definition", "proved"] * 3


def test_a_wrong_gradient_is_refuted_within_its_section():
    assert verdicts(COLLECTED.replace("FACTOR", "2")) == ["definition", "proved"] * 2 + ["definition", "refuted"]


def test_a_single_wrong_restatement_is_no_new_meaning():
    text = r"""
## Forward
$$S_{ij} = \frac{1}{\sqrt{d}} \sum_{k=1}^{d} Q_{ik} K_{jk}$$
$$P_{ij} = S_{ij}^3$$
## Recall
$$S_{ij} = \sum_k Q_{ik} K_{jk}$$
$$\frac{\partial P_{ij}}{\partial S_{ij}} = 3 S_{ij}^2$$
"""
    assert verdicts(text) == ["definition", "definition", "refuted", "proved"]


def test_numbered_items_reuse_letters():
    text = r"""
\section{Identities}
\begin{enumerate}
\item $z_i = \sum_k W_{ik} x_k$ gives $\frac{\partial z_i}{\partial x_j} = W_{ij}$.
\item $z_j = \sum_k x_k W_{kj}$ gives $\frac{\partial z_j}{\partial x_i} = W_{ij}$.
\item $z_i = x_i^2$ gives $\frac{\partial z_i}{\partial x_j} = 2 x_i \delta_{ij}$.
\end{enumerate}
"""
    assert verdicts(text, "note.tex") == ["definition", "proved"] * 3


def test_a_name_from_another_section_refutes_nothing():
    text = (
        COLLECTED.replace("FACTOR", "3") + "\n## Sum\n$$y_{ni} = 1$$\n$$w_n = \\sum_i z_{ni}$$\n$$x_{ni} = z_{ni}$$\n"
    )
    report = check(text + "\n## Use\n$$w_n = \\sum_i x_{ni}^2$$\n")
    assert report.counts[str(Verdict.REFUTED)] == 0


def test_conditions_on_indices_are_no_restatements(monkeypatch):
    read = []
    monkeypatch.setattr(
        understanding,
        "roles_of",
        lambda document, statements, *rest: read.append(statements) or roles_of(document, statements, *rest),
    )
    section = "\n## Part {0}\n$$y_{{ni}} = a \\, x_{{ni}}$$\nOnly\n$$k = {0}$$\nis left.\n"
    text = r"$$z_n = \sum_k y_{nk}$$" + section.format("i") + section.format("j") + section.format("m")
    assert not check(text).refuted
    assert len(read) == 1

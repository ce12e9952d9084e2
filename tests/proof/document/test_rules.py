"""One small true note for each rule that guards a true equation against a false accusation."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

HARMLESS = {
    Verdict.PROVED,
    Verdict.CONFIRMED,
    Verdict.DEFINITION,
    Verdict.DECLARATION,
    Verdict.CONDITION,
    Verdict.SCHEMATIC,
    Verdict.UNCLEAR,
}

NOTES = {
    "a label is no index": r"$$S_{ij} = \frac{1}{\sqrt{d_k}} \sum_c Q_{ic} K_{jc}$$ $$S = \frac{Q K^T}{\sqrt{d_k}}$$",
    "a condition holds for what follows": r"$$a_i = \frac{e^{z_i}}{\sum_l e^{z_l}}$$"
    r"$$\frac{\partial a_j}{\partial z_i} = -a_i a_j, \quad i \neq j$$",
    "local derivatives": r"$$m_b = \frac{1}{H}\sum_{h=1}^H x_{bh}$$ $$c_{bh} = x_{bh} - m_b$$"
    r"$$\frac{\partial c_{bh}}{\partial x_{pq}} = \delta_{bp} \delta_{hq}$$",
    "unwritten sums": r"$$y_{ij} = x_{ik} c_{kj}$$ $$\frac{\partial y_{ij}}{\partial x_{pq}} = \delta_{ip} c_{qj}$$"
    r"$$\frac{\partial l}{\partial x_{pq}} = \frac{\partial l}{\partial y_{pj}} c_{qj}$$",
    "an assumption that is not stated": r"$$a_j = \frac{e^{z_j}}{\sum_k e^{z_k}}$$ $$L = -\sum_k y_k \log a_k$$"
    r"$$\frac{\partial L}{\partial z_i} = a_i \sum_k y_k - y_i = a_i - y_i$$",
    "an assumed translation": r"$$\mu_l = \frac{1}{N}\sum_{k=1}^N h_{kl}$$ $$c_{kl} = 2 (h_{kl} - \mu_l)$$"
    "\n\nAssume for a moment that\n\n"
    r"$$c_{kl} = h_{kl} - \mu_l$$ $$\frac{\partial c_{kl}}{\partial h_{ij}} = \delta_{ki}\delta_{lj}"
    r" - \frac{1}{N} \delta_{lj}$$",
    "a small and a capital name": r"$$Y = WX, \quad y_{ij} = \sum_a w_{ia} x_{aj}$$"
    r"$$\frac{\partial L}{\partial X} = W^T \frac{\partial L}{\partial Y}$$",
    "the square is a symbol": r"$$\sigma^2_l = \frac{1}{N}\sum_{k=1}^N h_{kl}^2$$"
    r"$$\frac{d\sigma^2_l}{dh_{ij}} = \frac{2}{N} h_{il} \delta_{jl}$$",
    "limits that are one off": r"$$y_i = \sum_{k=0}^{N-1} W_{ik} x_k$$ $$y_i = \sum_{j=0}^{N} W_{ij} x_j$$",
    "a short name of a gradient": r"$Q \in \mathbb{R}^{n \times d}, K \in \mathbb{R}^{d \times e}$"
    r"$$\mathbf{O} = \mathbf{Q}\mathbf{K}$$ $$\mathbf{dQ} = \mathbf{dO}\,\mathbf{K}^\top$$",
    "an undefined function": r"$$D = \phi(A)$$ $$\frac{\partial D_{ab}}{\partial A_{cd}} = \delta_{ac} D_{ab}$$",
    "variants from other inputs": r"$$Q = X W$$ $$Q = Z V$$",
    "the upstream gradient itself": r"$$O = A V$$ $$\frac{\partial L}{\partial O} = 2 O$$",
    "the trace's order": r"$$\frac{\partial}{\partial X} \mathrm{tr}(XA)"
    r" = \frac{\partial (X_{ij} A_{ji})}{\partial X_{kl}} = A_{lk} = A^T$$",
}


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES.keys())
def test_a_true_note_is_not_accused(note):
    wrong = [claim for claim in check(note).claims if claim.verdict not in HARMLESS]
    assert not wrong


@pytest.mark.parametrize(
    "name",
    [
        "a label is no index",
        "a condition holds for what follows",
        "local derivatives",
        "unwritten sums",
        "an assumption that is not stated",
        "an assumed translation",
        "a small and a capital name",
        "the square is a symbol",
        "a short name of a gradient",
        "the trace's order",
    ],
)
def test_a_true_note_is_understood(name):
    assert not check(NOTES[name]).unclear

"""Sums that reach further than they are written, and other liberties that authors take."""

from __future__ import annotations

from indexcalc import check

LOGISTIC = r"$$p_i = \frac{1}{1 + e^{-z_i}}$$ "


def verdicts(text: str) -> list[str]:
    """The verdicts of a note, in order."""
    return [str(claim.verdict) for claim in check(text).claims]


def test_a_sum_over_all_terms_with_its_letter_defines() -> None:
    note = LOGISTIC + (
        r"$$L = -\frac{1}{n} \sum_{i=1}^n y_i \log p_i + (1 - y_i) \log(1 - p_i)$$ "
        r"$$\frac{\partial L}{\partial z_i} = \frac{p_i - y_i}{n}$$ $$\frac{\partial L}{\partial z_i} = p_i - y_i$$"
    )
    assert verdicts(note)[1:3] in (["definition", "proved"], ["definition", "confirmed"])
    assert verdicts(note)[3] == "refuted"


def test_such_a_sum_is_confirmed_and_never_saves_what_is_false() -> None:
    note = LOGISTIC + (
        r"$$L = \sum_{i=1}^n (\log(1 + e^{z_i}) - y_i z_i)$$ "
        r"$$L = -\sum_i y_i \log p_i + (1 - y_i) \log(1 - p_i)$$ "
        r"$$L = \sum_i \log(1 + e^{z_i}) - y_i z_i$$ $$L = \sum_i \log(1 + e^{z_i}) + y_i z_i$$"
    )
    assert verdicts(note)[1:] == ["definition", "confirmed", "confirmed", "refuted"]


def test_functions_defined_at_an_entry() -> None:
    note = (
        r"$$s(\mathbf{z})_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$ "
        r"$$\frac{\partial s(\mathbf{z})_i}{\partial z_j} = s(\mathbf{z})_i (\delta_{ij} - s(\mathbf{z})_j)$$ "
        r"$$\frac{\partial s(\mathbf{z})_i}{\partial z_j} = s(\mathbf{z})_i (1 - s(\mathbf{z})_j)$$"
    )
    assert verdicts(note) == ["definition", "proved", "refuted"]


def test_functions_right_behind_a_letter() -> None:
    note = r"$$L = -\sum_i y_ilog(p_i)$$ $$\frac{\partial L}{\partial p_i} = -\frac{y_i}{p_i}$$"
    assert verdicts(note) == ["definition", "proved"]


def test_a_choice_of_an_index_defines_nothing() -> None:
    note = r"For $i = 1, 2, \dots, K$ let $p_i = e^{z_i}$; the class is $j = y$. "
    note += r"$$\frac{\partial p_i}{\partial z_i} = p_i$$"
    assert verdicts(note) == ["condition", "definition", "condition", "proved"]


def test_sizes_of_brackets_and_traces_of_names() -> None:
    assert verdicts(r"Let $A, B \in \mathbb{R}^{n \times n}$. $$\mathrm{tr}\qty(AB) = \mathrm{tr}\qty(BA)$$")[1:] == [
        "proved"
    ]


def test_a_function_of_entries_with_a_sum_without_an_index() -> None:
    note = (
        r"$$\mathbf{s}(\mathbf{x}) = \begin{bmatrix} s(\mathbf{x})_1 & \dots & s(\mathbf{x})_n \end{bmatrix}$$ "
        r"$$s(\mathbf{x})_i = \frac{e^{x_i}}{\sum e^{x_j}}$$ "
        r"$$\frac{\partial s(\mathbf{x})_i}{\partial x_i} = s(\mathbf{x})_i - s(\mathbf{x})_i^2$$ "
        r"$$\frac{\partial s(\mathbf{x})_i}{\partial x_i} = s(\mathbf{x})_i + s(\mathbf{x})_i^2$$"
    )
    assert verdicts(note) == ["declaration", "definition", "proved", "refuted"]


def test_signs_above_relations_and_a_forgotten_sign_of_a_derivative() -> None:
    note = (
        r"$$p \overset{\text{def}}{=} e^x$$ $$q \stackrel{(a)}{=} p^2$$ $$\frac{\partial}{x} p = p$$ "
        r"$$\frac{\partial}{\partial x} q = q$$"
    )
    assert verdicts(note) == ["definition", "definition", "proved", "refuted"]

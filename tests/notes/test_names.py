"""Names come out right in LaTeX, whatever they hold."""

from __future__ import annotations

import pytest

from indexcalc.notes.names import Notation, gradient_latex, notation_of, scalar_latex, spelled_apart, tensor_latex
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("A", "A"),
        ("W_Q", "W^{Q}"),
        ("W1", "W^{(1)}"),
        ("xh", r"\mathrm{xh}"),
        ("mu", r"\mu"),
        ("μ", r"\mu"),
        ("Σ", r"\Sigma"),
        ("Α", r"\mathrm{A}"),
        ("ς", r"\sigma"),
        ("mu_x", r"\mu^{x}"),
        ("W_out1", r"W^{\mathrm{out}1}"),
        ("ab2_c", r"\mathrm{ab}^{(2),c}"),
        ("_x", r"\mathtt{\_x}"),
        ("x__y", r"\mathtt{x\_\_y}"),
        ("é", r"\mathrm{e}"),
        ("漢", r"\mathrm{u6f22}"),
    ],
)
def test_a_tensor(name: str, latex: str) -> None:
    assert tensor_latex(name) == latex


@pytest.mark.parametrize(
    ("name", "latex"), [("Z_L", "Z^{(L)}"), ("Z_Q", "Z^{Q}"), ("x_eps", r"x^{(\varepsilon)}"), ("a_L_Q", "a^{(L),Q}")]
)
def test_the_name_of_a_number_above_a_tensor_is_no_power(name: str, latex: str) -> None:
    assert tensor_latex(name, ("L", "eps")) == latex


@pytest.mark.parametrize(
    ("name", "latex"),
    [("d_v", "d_{v}"), ("eps", r"\varepsilon"), ("lam", r"\lambda"), ("beta2", r"\beta_{2}"), ("N_H", "N_{H}")],
)
def test_a_scalar(name: str, latex: str) -> None:
    assert scalar_latex(name) == latex


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("dmu", r"\mathrm{d\mu}"),
        ("dgamma_1", r"\mathrm{d\gamma}^{(1)}"),
        ("dX", r"\mathrm{dX}"),
        ("dW_Q", r"\mathrm{dW}^{Q}"),
    ],
)
def test_a_gradient_called_after_its_tensor(name: str, latex: str) -> None:
    assert gradient_latex(name) == latex


def test_two_names_never_look_alike() -> None:
    names = ["mu", "μ", "e", "é"]
    spelled = spelled_apart(names, {name: tensor_latex(name) for name in names})
    assert len(set(spelled.values())) == 4
    assert spelled["mu"] == r"\mu"


def notation(name: str) -> Notation:
    return notation_of(derive(PROBLEMS[name]()))


def test_gradients_are_printed_by_name_only_if_the_author_gave_one() -> None:
    found = notation("attention")
    assert found.named == {"G": "O", "D": "A"}
    assert found.gradients == {"dV": "V", "dS": "S", "dQ": "Q", "dK": "K", "dZ": "Z"}
    assert set(found.spelled.gradients) == {"G", "D", "dV", "dS", "dQ", "dK", "dZ"}


def test_subscripts_are_separated_where_letters_do_not_suffice() -> None:
    derivation = derive(PROBLEMS["attention"]())
    slots = derivation.problem.program.tensors["Q"].slots
    assert notation("attention").subscript(slots) == "ik"

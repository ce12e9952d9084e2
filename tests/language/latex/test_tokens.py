from __future__ import annotations

import pytest

from indexcalc.errors import LimitError
from indexcalc.language.latex.macros import Macro
from indexcalc.language.latex.tokens import DEPTH_LIMIT, TOKEN_LIMIT, tokenize


def texts(latex, **macros):
    return [token.text for token in tokenize(latex, {name: Macro(*value) for name, value in macros.items()})]


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\mathbf{Q}K", ["Q", "K"]),
        (r"\mathrm{var}_n", ["var", "_", "n"]),
        (r"\mathrm{d\mu}", ["dmu"]),
        (r"X_{if} if", ["X", "_", "{", "i", "f", "}", "if"]),
        (r"K_{ln} ln x", ["K", "_", "{", "l", "n", "}", "ln", "x"]),
        (r"\hat{h_{kl}}", ["hat h", "_", "{", "k", "l", "}"]),
        (r"\frac12", ["frac", "1", "2"]),
        (r"\left( a \right.", ["(", "a"]),
        (r"\boxed{x}", ["{", "x", "}"]),
        (r"\underbrace{x}_{\text{small}} + y", ["{", "x", "}", "+", "y"]),
        (r"\underbrace{x}\_{\text{small}} + y", ["{", "x", "}", "+", "y"]),
        (r"\[f \(x\)\]", ["[", "f", "(", "x", ")", "]"]),
        (r"softmax(x)", ["softmax", "(", "x", ")"]),
        (r"a \\[2pt] b", ["a", "\\\\", "b"]),
        (r"\mathcal{L}", ["mathcal L"]),
        (r"\begin{aligned}[t] x \end{aligned}", ["aligned", "x", "aligned"]),
        (r"\begin{aligned}[k] x \end{aligned}", ["aligned", "[", "k", "]", "x", "aligned"]),
        (r"\begin{array}[b]{cc} x \end{array}", ["array", "x", "array"]),
        (r"\tag{3} x \label{eq:1}", ["x"]),
        (r"\setcounter{equation}{6} x \stepcounter{equation} y", ["x", "y"]),
    ],
)
def test_fonts_accents_and_decoration(latex, expected):
    assert texts(latex) == expected


def test_macros_are_expanded_with_their_arguments():
    assert texts(r"\pd{L}{x}", pd=(2, r"\frac{\partial #1}{\partial #2}")) == (texts(r"\frac{\partial L}{\partial x}"))


def test_positions_count_in_the_source():
    assert [token.start for token in tokenize("a + bc", offset=10)] == [10, 12, 14, 15]


def test_what_is_bold_is_marked_but_is_no_other_name():
    (plain,), (bold,) = tokenize("x"), tokenize(r"\mathbf{x}")
    assert plain.text == bold.text
    assert bold.bold
    assert not plain.bold


@pytest.mark.parametrize("latex", ["x" * (TOKEN_LIMIT + 1), "{" * (DEPTH_LIMIT + 1), r"\a"])
def test_what_is_too_long_or_too_deep_is_refused(latex):
    with pytest.raises(LimitError):
        tokenize(latex, {"a": Macro(0, r"\a")})


def test_a_word_at_the_start_that_leads_to_a_formula_is_no_factor():
    def kinds(latex):
        return [token.kind for token in tokenize(latex) if token.text in ("compute", "scale")]

    assert kinds(r"\text{compute}\space S = A") == ["TEXT"]
    assert kinds(r"a &= b \\ & \text{compute } \tilde{S} = A") == ["TEXT"]
    assert kinds(r"y = \text{scale}\; x") == ["NAME"]
    assert kinds(r"\text{scale}\; = 2") == ["NAME"]
    assert kinds(r"\text{scale} x = 2") == ["NAME"]
    assert kinds(r"\text{scale } x = 2") == ["NAME"]

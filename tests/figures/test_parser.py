from __future__ import annotations

import pytest

from indexcalc.errors import LimitError
from indexcalc.figures.nodes import Call, Figure, Name, Node, Power, Product, Rows, Sum
from indexcalc.figures.parser import read_expression
from indexcalc.figures.text import read_source
from indexcalc.figures.tokens import tokenize


def tokens(text: str, name: str = "sheet.md"):  # type: ignore[no-untyped-def]
    return tokenize(read_source(text, name))


def read(text: str) -> Node:
    found = tokens(text)
    node = read_expression(found, 0, len(found))
    assert node is not None
    assert node[1] == len(found), found[node[1] :]
    return node[0]


def figures(text: str) -> list[tuple[float, float]]:
    return [(t.figure.value, t.figure.half) for t in tokens(text) if t.figure is not None]


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [
        ("0.250", 0.25, 0.0005),
        ("3", 3.0, 0.5),
        ("1.77e-4", 1.77e-4, 0.5e-6),
        ("1.77 × 10^-4", 1.77e-4, 0.5e-6),
        (r"$1.77 \times 10^{-4}$", 1.77e-4, 0.5e-6),
        ("1.77·10⁻⁴", 1.77e-4, 0.5e-6),
        ("25.1%", 0.251, 0.0005),
    ],
)
def test_a_figure_has_the_precision_of_its_digits(text: str, value: float, half: float) -> None:
    assert figures(text) == [(pytest.approx(value), pytest.approx(half))]


@pytest.mark.parametrize(
    ("text", "base", "places", "gradient", "transposed"),
    [
        ("dL/dWQ[1][0]", "WQ", (1, 0), True, False),
        ("∂L/∂W_Q[1,0]", "W_Q", (1, 0), True, False),
        (r"$\frac{\partial L}{\partial W_{Q}}$", "W_Q", (), True, False),
        (r"$\frac{\partial \mathcal{L}}{\partial \mathbf{z}_{2}}$", "z", (2,), True, False),
        ("weights^T[0][1]", "weights", (0, 1), False, True),
        (r"$A_{1,0}$", "A", (1, 0), False, False),
        (r"$A_{10}$", "A", (1, 0), False, False),
        (r"$V^\top$", "V", (), False, True),
        ("X[1,:]", "X", (1, None), False, False),
        ("T[0,(1,2)]", "T", (0, 1, 2), False, False),
        (r"$\nabla_{W_1} L$", "W_1", (), True, False),
        (r"$\hat{y}$", "y_hat", (), False, False),
    ],
)
def test_names(text: str, base: str, places: tuple[int | None, ...], gradient: bool, transposed: bool) -> None:
    node = read(text)
    assert isinstance(node, Name)
    assert (node.base, node.places, node.gradient, node.transposed) == (base, places, gradient, transposed)


def test_letters_as_indices_make_a_name_general() -> None:
    assert isinstance(node := read("dL/dz[i]"), Name)
    assert node.symbolic


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("0.5 × (0.25 - (-0.1))", Product),
        ("-log(0.251)", Sum),
        ("1/√2", Product),
        (r"$\frac{1}{1 + e^{-0.2}}$", Product),
        ("(0.5 - 1)^2", Power),
        ("(0.5 - 1)²", Power),
        (r"$\exp 0.5$", Call),
        ("[0.1, -0.2, 3]", Rows),
        ("[[0.1 -0.2]\n [3. 4. ]]", Rows),
        (r"$\begin{pmatrix} 0.1 & 2 \\ 3 & 4 \end{pmatrix}$", Rows),
    ],
)
def test_expressions(text: str, kind: type) -> None:
    assert isinstance(read(text), kind)


def test_a_list_without_commas_has_signed_items() -> None:
    node = read("[0.1 -0.2]")
    assert isinstance(node, Rows)
    assert [item.value for item in node.items if isinstance(item, Figure)] == [0.1, -0.2]


def test_words_end_an_expression() -> None:
    found = tokens("0.25 (rounded) and more")
    assert read_expression(found, 0, len(found)) == (found[0].figure, 1)


@pytest.mark.parametrize("text", ["(" * 500 + "1", "[" * 500, "2^" * 500 + "1", "√" * 500 + "2", "2" + "⁹" * 50])
def test_nesting_is_bounded(text: str) -> None:
    found = tokens(text)
    with pytest.raises(LimitError):
        read_expression(found, 0, len(found))

"""The grammar: what a spec text may look like, and the tree that comes of it."""

import pytest
import sympy as sp

from indexcalc.errors import SpecError
from indexcalc.language import syntax as ast
from indexcalc.language.lines import ClaimLine
from indexcalc.language.reader import parse
from indexcalc.language.source import Source


def statements(text):
    return parse(Source("spec.ixc", tuple(text.split("\n"))))


def right_side(formula):
    (line,) = statements(f"Y = {formula}")
    return line.right


def shape(node):
    """The tree as nested text, without places."""
    match node:
        case ast.Scalar(value=value):
            return str(value)
        case ast.Entry(name=name, slots=slots):
            return name if slots is None else f"{name}[{','.join(slot.name for slot in slots)}]"
        case ast.Plus(parts=parts):
            return f"({' + '.join(shape(part) for part in parts)})"
        case ast.Times(factors=factors):
            return f"({' * '.join(shape(factor) for factor in factors)})"
        case ast.Negate(operand=operand):
            return f"-{shape(operand)}"
        case ast.Over(operand=operand):
            return f"1/{shape(operand)}"
        case ast.Raise(base=base, exponent=exponent):
            return f"{shape(base)}^{shape(exponent)}"
        case ast.Reduce(operator=operator, indices=indices, body=body):
            return f"{operator}[{','.join(slot.name for slot in indices)}]<{shape(body)}>"
        case ast.Call(function=function, args=args):
            return f"{function}<{', '.join(shape(arg) for arg in args)}>"
        case ast.Bracket(left=left, relation=relation, right=right):
            return f"[{left.name} {relation} {right.name}]"
        case ast.Gradient(of=of, slots=slots):
            return f"dL/d{of}[{','.join(slot.name for slot in slots or ())}]"


@pytest.mark.parametrize(
    ("formula", "tree"),
    [
        ("a - b - c", "(a + -b + -c)"),
        ("a / b * c", "(a * 1/b * c)"),
        ("a / b / c", "(a * 1/b * 1/c)"),
        ("-x^2", "-x^2"),
        ("x^-2", "x^-2"),
        ("x**2", "x^2"),
        ("2^3^2", "2^3^2"),
        ("-a * b", "(-a * b)"),
        ("+a", "a"),
        ("1e-5", "1/100000"),
        (".5", "1/2"),
        ("0.1", "1/10"),
        ("sum[k,l](Q[i,k] * K[l])", "sum[k,l]<(Q[i,k] * K[l])>"),
        ("max(x, 0)", "max<x, 0>"),
        ("[j <= i] * x", "([j <= i] * x)"),
        ("[j != i]", "[j != i]"),
        ("((a))", "a"),
        ("2 * (a + b)", "(2 * (a + b))"),
    ],
)
def test_shape_of_a_formula(formula, tree):
    assert shape(right_side(formula)) == tree


def test_the_minus_sign_binds_less_than_a_power():
    outer = right_side("-x^2")
    assert isinstance(outer, ast.Negate)
    assert isinstance(right_side("(-x)^2"), ast.Raise)


def test_powers_group_from_the_right():
    outer = right_side("2^3^2")
    assert isinstance(outer.exponent, ast.Raise)


def test_every_statement():
    kinds = [type(line).__name__ for line in statements(EVERY)]
    assert kinds == [
        "TitleLine",
        "IndexLine",
        "ParameterLine",
        "ParameterLine",
        "InputLine",
        "InputLine",
        "EquationLine",
        "UpstreamLine",
        "LossLine",
        "DeriveLine",
        "RecomputeLine",
        "SplitLine",
        "NameLine",
        "ClaimLine",
        "ClaimLine",
    ]


EVERY = """
title "A \\"quoted\\" title $\\\\alpha$"   # a comment with "quotes"
index i, j : T "positions"
param eps = 1e-5 "small", tau
input X[i,j] "x", b

Y[i] = sum[j](X[i,j]) "y"
upstream G[i] = dL/dY[i] "given"
loss L
derive X, b
recompute Y
split i, j over model
name D = dL/dX
prove sum[i](dL/dX[i,j]) = 0 "centred"
assume sum[i](X[i,j]) = 1
"""


def test_texts_are_read_as_written():
    lines = statements(EVERY)
    assert lines[0].text == 'A "quoted" title $\\alpha$'
    assert lines[1].doc == "positions"
    assert lines[4].doc == "x"
    assert [line.doc for line in lines if isinstance(line, ClaimLine)] == ["centred", ""]


WORDS = ["title", "index", "param", "input", "upstream", "loss", "derive", "recompute", "split", "name", "prove"]


@pytest.mark.parametrize("word", WORDS)
def test_statement_words_may_name_tensors_indices_and_extents(word):
    lines = statements(f"index {word} : {word}\ninput {word}[{word}]\n{word}[{word}] = exp({word}[{word}])\n{word} = 1")
    assert [type(line).__name__ for line in lines] == ["IndexLine", "InputLine", "EquationLine", "EquationLine"]
    assert lines[2].left.name == word


@pytest.mark.parametrize("name", ["α", "μ", "lambda", "in", "class", "None", "np", "W_Q", "x_1", "größe", "行"])
def test_names_may_be_greek_or_python_keywords(name):
    (line,) = statements(f"{name}[{name}] = {name}[{name}]")
    assert line.left == ast.Entry(name, (ast.Slot(name, line.left.slots[0].at),), ast.At(1, 1))


def test_names_are_normalised_as_python_does():
    (line,) = statements("ﬁ = 𝛼")
    assert (line.left.name, line.right.name) == ("fi", "α")


def test_a_gradient_is_one_word_without_blanks():
    assert shape(right_side("dL/dX[i]")) == "dL/dX[i]"
    assert shape(right_side("dL / dX[i]")) == "(dL * 1/dX[i])"
    assert shape(right_side("2*dL/dX[i]")) == "(2 * dL/dX[i])"


def test_a_line_goes_on_while_a_bracket_is_open():
    lines = statements("Y[i] = sum[k](\n  Q[i,k]  # first\n  * K[k]\n)\nZ = 1")
    assert [line.left.name for line in lines] == ["Y", "Z"]
    assert lines[1].at == ast.At(5, 1)


def test_places_count_lines_and_columns_from_one():
    (line,) = statements("\n\n  Y[i] = \tX[i]")
    assert (line.at, line.left.slots[0].at, line.right.at) == (ast.At(3, 3), ast.At(3, 5), ast.At(3, 11))


def test_long_chains_are_flat():
    assert len(right_side("+".join(["x"] * 5000)).parts) == 5000
    assert shape(right_side("(" * 3000 + "x" + ")" * 3000)) == "x"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("Y = 2 x", 1, 7, "a product is written with *"),
        ("Y = exp(x\nZ = 1", 1, 8, "this ( is never closed"),
        ("Y = exp(x", 1, 8, "this ( is never closed"),
        ("Y[i = x", 1, 2, "this [ is never closed"),
        ("Y = x)", 1, 6, "this ) closes nothing"),
        ("Y =", 1, 4, "the line ends too early"),
        ("index i", 1, 8, "such a line reads: index i, j : T"),
        ("indx i : T", 1, 1, "did you mean index? such a line reads: index i, j : T"),
        ("derive", 1, 7, "such a line reads: derive Q, K"),
        ("upstream G[i] = O[i]", 1, 17, "such a line reads: upstream G[i,p] = dL/dO[i,p]"),
        ('Y = "text', 1, 5, "no closing"),
        ("Y = x − 1", 1, 7, "write -"),
        ("Y = a @ b", 1, 7, "as sum[k]"),
        ("Y = x; Z = y", 1, 6, "lines of their own"),
        ("Y = x\x00", 1, 6, "the character U+0000"),
        ("Y = x²", 1, 5, "x² is not a name"),
        ("Y = 1e999", 1, 5, "too long"),
        ("Y = " + "1" * 100, 1, 5, "too long"),
        ("index i : 0", 1, 11, "a whole number from 1 on"),
        ("index i : 1.5", 1, 11, "a whole number from 1 on"),
        ("index i : 99999999999", 1, 11, "a whole number from 1 on"),
        ("Y[] = x", 1, 3, "expected a name"),
        ("Y = sum[k] x", 1, 12, "a product"),
    ],
)
def test_syntax_errors_say_where_and_what(text, line, column, words):
    with pytest.raises(SpecError) as caught:
        statements(text)
    place = caught.value.place
    assert (place.file, place.line, place.column) == ("spec.ixc", line, column)
    assert place.text == text.split("\n")[line - 1]
    assert words in caught.value.message


def test_numbers_are_exact():
    assert right_side("0.1").value == sp.Rational(1, 10)
    assert right_side("1e-300").value == sp.Rational(1, 10**300)

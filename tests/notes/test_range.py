"""What a note says of the inputs at which its code is checked."""

from __future__ import annotations

import pytest

from indexcalc.algebra.terms import Iverson, tensors_of
from indexcalc.codegen.other_formulas import other_formulas
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.notes.blocks import Paragraph, Sign, Symbol
from indexcalc.notes.prose import figures
from indexcalc.notes.range import FAMILIES, range_blocks
from indexcalc.program import CheckedRange, Extreme, OtherFormulas
from indexcalc.rewrite.derive import derive

OF_X, OF_ALL = Extreme("x", "{subject} times -48.7"), Extreme("", "{subject} minus 300")


def paragraphs(checked):
    return [block for block in range_blocks(checked) if isinstance(block, Paragraph)]


def test_nothing_is_said_of_code_that_is_not_checked():
    assert list(range_blocks(None)) == list(range_blocks(CheckedRange(0, 100, ()))) == []


def test_every_kind_of_inputs_is_named():
    (said,) = paragraphs(CheckedRange(42, 100, ("mild", *FAMILIES), untried=8))
    text = "".join(map(str, said.spans))
    assert "at 42 points, of 50 that there are." in text
    assert all(words in text for words in FAMILIES.values())


@pytest.mark.parametrize("kind", ["limits", "poles", "blurred"])
def test_an_edge_has_its_tensor_and_its_number_as_formulas(kind):
    _, said = paragraphs(CheckedRange(1, 100, (), **{kind: (OF_X, OF_ALL)}))
    assert said.spans[1:] == (
        Symbol("x"),
        " times ",
        Sign("-48.7"),
        "; and ",
        "all inputs",
        " minus ",
        Sign("300"),
        ".",
    )


@pytest.mark.parametrize(
    ("single", "together", "words"),
    [(True, True, "; in single inputs, and in all at once, as"), (False, True, "; in all inputs at once, as")],
)
def test_single_inputs_are_spoken_of_where_they_are_changed(single, together, words):
    (said,) = paragraphs(CheckedRange(5, 100, ("scale",), single=single, together=together))
    assert f"as large{words}" in "".join(map(str, said.spans))


def test_of_many_edges_the_first_are_listed():
    _, said = paragraphs(CheckedRange(1, 100, (), poles=(OF_X,) * 7))
    assert said.spans.count(Symbol("x")) == 4
    assert said.spans[-2:] == ("; and 3 more", ".")


def test_small_numbers_are_powers_of_ten():
    found = [figures(text).latex for text in ("0.25", "1e-06", "2.5e+07")]
    assert found == ["0.25", "10^{-6}", r"2.5 \cdot 10^{7}"]


def form_of(text):
    return other_formulas(derive(read_problem(text)))


def words(form):
    return "".join(
        str(getattr(span, "tensor", span)) for span in paragraphs(CheckedRange(1, 100, (), others=form))[0].spans
    )


SOFTMAX = "index n : N\nindex c, l : C\ninput z[n,c], y[n,c]\n"


NORM = "m[c] = mean[n](z[n,c])\nv[c] = var[n](z[n,c])\nx[n,c] = (z[n,c] - m[c]) / sqrt(v[c] + 1e-5)"


@pytest.mark.parametrize(
    ("line", "changed", "largest"),
    [
        ("p[n,c] = softmax[c](z[n,c])", ("p",), 1),
        ("p[n,c] = exp(z[n,c]) / sum[l](exp(z[n,l]))", ("p",), 1),
        ("p[n,c] = exp(z[n,c])", (), 0),
        ("p[n,c] = z[n,c]*y[n,c]", (), 0),
        ("m[n] = max[c](z[n,c])", ("dz",), 0),
        ("s[n,c] = log(1 + exp(z[n,c]))", ("s", "dz"), 0),
        ("p[n,c] = y[n,c]*exp(z[n,c]) / sum[l](y[n,l]*exp(z[n,l]))", ("p",), 1),
        (NORM, ("m", "v", "x"), 0),
    ],
)
def test_what_code_computes_otherwise_is_named(line, changed, largest):
    form = form_of(f"{SOFTMAX}{line}\nderive z\n")
    assert (form.changed, len(form.largest)) == (changed, largest)


def test_what_is_hidden_has_its_own_name_in_the_note():
    form = other_formulas(derive(load_problem(shipped_paths()["causal_attention"])))
    (largest,) = form.largest
    assert [base.tensor for term in largest.terms for base in term.bases] == ["S"]
    assert [index.name for index in largest.over] == ["l"]
    (guard,) = largest.guards
    assert isinstance(guard, Iverson)
    assert " where " in words(form)


def test_what_no_note_defines_is_not_told():
    derivation = derive(load_problem(shipped_paths()["sinkhorn"]))
    others = other_formulas(derivation)
    told = {*derivation.problem.program.tensors, *(equation.name for equation in derivation.backward.equations)}
    assert {name for largest in others.largest for name in tensors_of(largest.terms)} <= told
    assert not {"r", "s"} & set(others.changed)  # the code holds multiples of them under their names


def test_the_note_says_what_the_code_computes_otherwise():
    assert words(OtherFormulas()).startswith("The generated code is run")
    one = words(OtherFormulas(("p",)))
    assert one == (
        "The generated code computes p by another formula of the same value. Comments in the code state its formulas."
    )
    assert "computes p and q by other formulas of the same values" in words(OtherFormulas(("p", "q")))

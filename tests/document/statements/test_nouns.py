"""What the words beside formulas call the names in them."""

from __future__ import annotations

import pytest

from indexcalc.document.page import page_of
from indexcalc.document.statements.context import read_context
from indexcalc.language.document import read_document

SCALAR, VECTOR, MATRIX = 0, 1, 2

SENTENCES = {
    "Take the vector $x$ and a matrix $A$.": {("x", 0): VECTOR, ("A", 0): MATRIX},
    r"where $\theta$ is a parameter vector": {("theta", 0): VECTOR},
    "Here $A$, $B$ and $C$ are square matrices.": {("A", 0): MATRIX, ("B", 0): MATRIX, ("C", 0): MATRIX},
    "for scalars $a, b$ we have": {("a", 0): SCALAR, ("b", 0): SCALAR},
    "The weight matrices are $U$ and $V$.": {("U", 0): MATRIX, ("V", 0): MATRIX},
    r"with $\lambda$ a positive number": {("lambda", 0): SCALAR},
    "The vectors $$u$$, $$v$$ stand in a display.": {("u", 0): VECTOR, ("v", 0): VECTOR},
    # What is said of something else is not said of the name.
    "The number of columns of $A$ is two.": {},
    "$A$ is made of vectors.": {},
    "$f$ is a function of a vector.": {},
    "The vector space $V$ is given.": {},
    "$u$ is a vector field.": {("u", 0): VECTOR},
    "These are rows of $A$, $c$ and $d$ are vectors.": {("c", 0): VECTOR, ("d", 0): VECTOR},
    "The product of the matrices $AB$ is there.": {},
    "$A$ is not a matrix.": {},
    # One name that is called two things is called nothing.
    r"The vector $x$ is long. The scalar $x$ is short.": {},
}


@pytest.mark.parametrize("text", SENTENCES)
def test_words_say_how_many_slots_names_have(text):
    document = read_document(text, "note.md")
    page = page_of(document, read_context([""]))
    assert page.called == SENTENCES[text]

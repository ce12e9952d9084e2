"""The backward pass between whole arrays: signs are explained where they occur, and no heading is left empty."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.language import read_problem
from indexcalc.notes import markdown_note
from indexcalc.notes.blocks import Assignments, Block, Heading, MatrixDisplays, Paragraph
from indexcalc.notes.matrices import has_dots, implementation_blocks, matrix_blocks
from indexcalc.notes.matrix import Whole
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS
from tests.notes.test_familiar import DERIVATION

ROW, COLUMN = (Index(name, sp.Symbol(name.upper())) for name in "ij")
MERGED = """title "Heads side by side"
index s : S
index h : H
index k : K
input X[s,(h,k)]
Y[h,s,k] = X[s,(h,k)]
derive X
"""


def texts(blocks: list[Block]) -> str:
    """The plain text of the paragraphs."""
    return " ".join(str(span) for block in blocks if isinstance(block, Paragraph) for span in block.spans)


def test_a_short_note_has_equations_and_assignments() -> None:
    derivation = derive(PROBLEMS["attention"]())
    equations, assignments = list(matrix_blocks(derivation)), list(implementation_blocks(derivation))
    assert any(isinstance(block, MatrixDisplays) for block in equations)
    assert "column vector" in texts(equations)
    assert "column vector" not in texts(assignments)


def test_a_long_note_has_assignments_alone_with_their_signs_explained() -> None:
    blocks = list(implementation_blocks(DERIVATION))
    assert list(matrix_blocks(DERIVATION)) == []
    assert "column vector" in texts(blocks)
    assert isinstance(blocks[-1], Assignments)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_no_heading_is_followed_by_another(name: str) -> None:
    derivation = derive(PROBLEMS[name]())
    blocks = [*matrix_blocks(derivation), *implementation_blocks(derivation)]
    kinds = [isinstance(block, Heading) for block in blocks]
    assert (True, True) not in set(zip(kinds, [*kinds[1:], True], strict=True))


def test_what_has_no_matrix_form_is_said_in_a_line_and_no_section_is_empty() -> None:
    def blocks(text: str) -> list[Block]:
        return list(matrix_blocks(derive(read_problem(text))))

    lookup = "index n : N\nindex v : V\nindex m : M\ninput E[v,m], tok[n] in v\nX[n,m] = E[tok[n],m]\n"
    assert blocks(lookup + "derive E\n") == []
    some = blocks(lookup + "input W[m,v]\nY[n,v] = sum[m](X[n,m] * W[m,v])\nderive W, E\n")
    assert isinstance(some[0], Heading)
    assert texts(some[-1:]).startswith("Left in index notation:  Access(tensor='dE'")


def test_sums_over_slices_are_explained() -> None:
    text = "index b : B\nindex n : N\nindex m : M\ninput X[b,n,m], w[m]\nY[b,n] = sum[m](X[b,n,m] * w[m])\nderive w\n"
    note = markdown_note(derive(read_problem(text)))
    assert r"\frac{\partial L}{\partial w} = \sum_{b} X_{b}^{\top} \, G^{Y}_{b}" in note or r"\sum_{b}" in note
    assert "a sum adds up products of slices, whose index it fixes" in note


def test_dots_are_explained_where_they_stand() -> None:
    assert r"a dot $`\cdot`$ stands for an index that runs" in markdown_note(derive(read_problem(MERGED, "merged.ixc")))
    assert "a dot" not in markdown_note(derive(PROBLEMS["attention"]()))


@pytest.mark.parametrize(
    ("whole", "layout", "dots"),
    [
        (Whole("X"), (), False),
        (Whole("X", (ROW,)), (), False),
        (Whole("X", (None, ROW)), (), True),
        (Whole("X", (ROW,)), (2,), True),
        (Whole("X", (ROW, COLUMN)), (2,), False),
        (Whole("X"), (2,), False),
    ],
)
def test_a_slice_has_dots_before_a_fixed_index_and_in_fused_axes(
    whole: Whole, layout: tuple[int, ...], dots: bool
) -> None:
    assert has_dots(whole, {"X": layout} if layout else {}) is dots


@pytest.mark.parametrize(
    ("form", "block"),
    [
        ("ell = sum[s](r[s]^4)", r"H_{\cdot s s \cdot s s} = 12 r_{s}^{2} \, \mathbf{1} \, \mathbf{1}^{\top}"),
        ("ell = sin(min[s](r[s]))", r"H_{\cdot s s \cdot c c}"),
    ],
)
def test_a_block_between_diagonals_has_one_index_for_all_that_deltas_join(form: str, block: str) -> None:
    spec = f'title "T"\nindex a : A\nindex s, m : M\ninput X[a,s,m]\nr[s] = sum[a](X[a,s,s])\n{form}\nloss ell\n'
    assert block in markdown_note(derive(read_problem(spec + "hessian ell by X\n")))

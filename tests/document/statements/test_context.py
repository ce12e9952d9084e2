from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.statements.context import read_context
from indexcalc.errors import SpecError

PRODUCT = r"""
Let $W \in \mathbb{R}^{m \times n}$ and $x \in \mathbb{R}^n$.

$$\mathbf{y} = W \mathbf{x}$$
"""

MEAN = r"""
$$\mu_n = \frac{1}{H} \sum_h x_{nh}$$

$$\sum_h (x_{nh} - \mu_n) = 0$$
"""

TWICE = r"""
# One layer

## Forward

$$Y_{no} = \sum_f X_{nf} W_{fo}$$

## Backward

$$\frac{\partial L}{\partial Z_{no}} = \sum_q \frac{\partial L}{\partial P_{nq}} V_{oq}$$

# Another layer

$$\frac{\partial L}{\partial Z_{no}} = \sum_q \frac{\partial L}{\partial P_{nq}} V_{oq}$$
"""


def last(source, context="", name="note.md"):
    return check(source, name, context).claims[-1]


@pytest.mark.parametrize(
    ("layout", "claim"),
    [
        ("jacobian", r"\frac{\partial L}{\partial \mathbf{x}} = \frac{\partial L}{\partial \mathbf{y}} W"),
        ("gradient", r"\frac{\partial L}{\partial \mathbf{x}} = W^\top \frac{\partial L}{\partial \mathbf{y}}"),
        ("jacobian", r"\frac{\partial \mathbf{y}}{\partial \mathbf{x}} = W"),
        ("gradient", r"\frac{\partial \mathbf{y}}{\partial \mathbf{x}} = W^\top"),
        ("jacobian", r"\frac{\partial L}{\partial W} = \mathbf{x} \frac{\partial L}{\partial \mathbf{y}}"),
        ("gradient", r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial \mathbf{y}} \mathbf{x}^\top"),
    ],
)
def test_a_layout_decides_between_a_matrix_and_its_transpose(layout, claim):
    note = f"{PRODUCT}\n$${claim}$$"
    assert last(note, f"layout {layout}").verdict is Verdict.PROVED
    other = {"jacobian": "gradient", "gradient": "jacobian"}[layout]
    # Without a transpose on it, a vector before a matrix is taken for a row.
    if claim.count(r"\partial") == 2 or "top" in claim:
        assert last(note, f"layout {other}").verdict not in (Verdict.PROVED, Verdict.CONFIRMED)


def test_a_jacobian_that_is_wrong_in_every_layout_is_refuted():
    note = PRODUCT + r"$$\frac{\partial \mathbf{y}}{\partial \mathbf{x}} = 2 W$$"
    assert last(note, "layout jacobian").verdict is Verdict.REFUTED
    assert last(note).verdict is Verdict.REFUTED


def test_entries_keep_their_meaning_under_every_layout():
    note = PRODUCT + r"$$\frac{\partial L}{\partial x_j} = \sum_i \frac{\partial L}{\partial y_i} W_{ij}$$"
    assert last(note, "layout jacobian").verdict is Verdict.PROVED
    assert last(note, "layout gradient").verdict is Verdict.PROVED


def test_a_size_ties_a_letter_to_a_slot():
    assert last(MEAN, "size H = x.2").verdict is Verdict.PROVED
    assert last(MEAN, "size H = x.1").verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ("size H = q.1", "q is no tensor of note.md: size H = q.1"),
        ("size H = x.3", "x has 2 slots, not 3: size H = x.3"),
        ("assume sum[k](q[k]) = 1", "q, whose sum the context assumes to be 1, is no tensor of note.md"),
        ("assume sum[k](x[i,j,k]) = 1", "has 2 slots, not 3"),
    ],
)
def test_what_is_said_of_a_slot_that_is_not_there_is_a_mistake(context, message):
    with pytest.raises(SpecError, match=message):
        check(MEAN, context=context)


def test_schematic_lines_are_not_judged():
    note = "$$y_i = 2 x_i$$\n\n$$\\frac{\\partial y_i}{\\partial x_j} = 3 \\delta_{ij}$$\n"
    assert last(note).verdict is Verdict.REFUTED
    assert last(note, "schematic line 3").verdict is Verdict.SCHEMATIC
    assert last(note, "schematic lines 2-4").verdict is Verdict.SCHEMATIC


def test_schematic_lines_define_nothing():
    note = "$$y_i = 3 x_i$$\n\n$$y_i = 2 x_i$$\n\n$$\\frac{\\partial y_i}{\\partial x_j} = 2 \\delta_{ij}$$\n"
    verdicts = [claim.verdict for claim in check(note, context="schematic lines 1-1").claims]
    assert verdicts == [Verdict.SCHEMATIC, Verdict.DEFINITION, Verdict.PROVED]


def test_members_beside_schematic_ones_are_judged():
    note = "$$y_i = 2 x_i$$\n\n$$\n\\begin{aligned}\ny_i + x_i &= 5 y_i \\\\\n&= 3 x_i\n\\end{aligned}\n$$\n"
    verdicts = [claim.verdict for claim in check(note, context="schematic lines 5-5").claims]
    assert verdicts == [Verdict.DEFINITION, Verdict.SCHEMATIC, Verdict.PROVED]


def test_schematic_lines_without_a_relation_are_said():
    with pytest.raises(SpecError, match=r"schematic lines 90-91: no relation of note.md stands there"):
        check(MEAN, context="schematic lines 90-91")


def test_a_scope_holds_below_its_heading_only():
    context = 'scope "Backward"\nP = Z V'
    before, below, after = check(TWICE, context=context).claims
    assert before.verdict is Verdict.DEFINITION
    assert below.verdict is Verdict.PROVED
    assert after.verdict is Verdict.UNCLEAR


def test_a_wrong_line_in_a_scope_is_refuted():
    context = 'scope "Backward"\nP = Z^T V'
    verdicts = [claim.verdict for claim in check(TWICE, context=context).claims]
    assert Verdict.PROVED not in verdicts
    wrong = TWICE.replace(r"V_{oq}", r"V_{oq} \cdot 2", 1)
    assert check(wrong, context='scope "Backward"\nP = Z V').claims[1].verdict is Verdict.REFUTED


def test_what_stands_before_a_scope_holds_everywhere():
    below, after = check(TWICE, context='P = Z V\nscope "Backward"\nsize q = P.2').claims[1:]
    assert {below.verdict, after.verdict} == {Verdict.PROVED}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("note.tex", "\\section{Forward pass}\n\\[ Y = X W \\]\n\\section*{The rest}\n\\[ \\frac{dL}{dA} = 0 \\]"),
        (
            "note.html",
            "<h2>Forward pass</h2> \\[ Y = X W \\] <h2 id='a'>The <i>rest</i></h2> \\[ \\frac{dL}{dA} = 0 \\]",
        ),
    ],
)
def test_headings_of_every_format_are_found(name, source):
    check(source, name, 'scope "The rest"\nB = A')
    with pytest.raises(SpecError, match='"forward pass", "the rest"'):
        check(source, name, 'scope "Nowhere"\nB = A')


def test_a_heading_that_is_not_there_is_said():
    with pytest.raises(SpecError, match=r'scope "Sideways": no heading of note.md'):
        check(TWICE, context='scope "Sideways"\nP = Z V')
    with pytest.raises(SpecError, match=r"2 headings of note.md have these words"):
        check("# A\n\n# A\n\n$a = 1$", context='scope "A"\nP = Z V')


def test_a_line_of_code_is_no_heading():
    with pytest.raises(SpecError, match="its headings are none"):
        check("```python\n# Backward\n```\n", context='scope "Backward"\nP = Z V')


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("layout numerator", "a layout is gradient .* or jacobian"),
        ("layout jacobian; layout gradient", "the layout was jacobian before"),
        ("size H = x", "as in: size H = x.2"),
        ("size H = x.0", "counted from 1"),
        ("scope Backward", "a heading in quotes"),
        ("schematic 29", "as in: schematic lines 29-30"),
        ("schematic lines 30-29", "the lines 30 to 29 are none"),
        ("\n\nnonsense", "line 3 of the context: neither an equation nor a directive"),
    ],
)
def test_a_mistake_is_said_with_its_line(line, message):
    with pytest.raises(SpecError, match=message):
        read_context([line])


def test_a_tensor_may_bear_the_name_of_a_directive():
    assert read_context(["size = a b"]).equations == ["size = a b"]


def test_a_context_in_a_comment_of_the_note_counts():
    assert last(f"<!-- indexcalc\nsize H = x.1\n-->\n{MEAN}").verdict is Verdict.REFUTED


def test_an_assumption_may_speak_of_a_tensor_of_one_scope_only():
    parts = (r"$$a = b^2$$ $$c = a + b$$", r"$$a = \sin b$$ $$c = a b$$", r"$$a = \cos b$$ $$c = 3 a$$")
    note = "\n\n".join(f"# Part {n}\n\n{part}" for n, part in enumerate((*parts, r"$$\sum_k y_k = 1$$"), 1))
    assert check(note, "note.md", "assume sum[k](y[k]) = 1").claims[-1].verdict is Verdict.PROVED


TABLE = r"""
We write $y = f(x)$ with $q = \lambda x$.

| layer | gradient |
|---|---|
| linear <!-- indexcalc Y_{no} = \sum_f X_{nf} W_{of}; adjoint d* = dL/d* --> | $dX_{nf} = \sum_o dY_{no} W_{of}$ |
| square <!-- indexcalc Y_{no} = X_{no}^2; adjoint d* = dL/d* --> | $dX_{nf} = 2 X_{nf} dY_{nf}$ |
| cube <!-- indexcalc Y_{no} = X_{no}^3; adjoint d* = dL/d* --> | $dX_{nf} = FACTOR X_{nf}^2 dY_{nf}$ |
"""


@pytest.mark.parametrize(("factor", "verdict"), [("3", "proved"), ("2", "refuted")])
def test_a_context_in_a_row_of_a_table_holds_for_this_row_alone(factor, verdict):
    claims = check(TABLE.replace("FACTOR", factor)).claims
    assert [str(claim.verdict) for claim in claims[-3:]] == ["proved", "proved", verdict]


def test_conventions_and_names_hold_in_such_rows_too():
    note = r"| p <!-- indexcalc P_i = s(z_i) --> | $\frac{\partial P_i}{\partial z_j} = P_i (\delta_{ij} - P_j)$ |"
    assert check(note, context="function s = softmax").counts["proved"] == 1
    assert check(note, context="function s = tanh").counts["refuted"] == 1


def test_a_context_in_a_row_has_no_scope():
    with pytest.raises(SpecError, match="holds for this row"):
        check('# A\n\n| x <!-- indexcalc scope "A"; y = x --> | $y = x$ |')

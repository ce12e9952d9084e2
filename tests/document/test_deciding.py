"""What a document says for a reading, and verdicts that rest on it: true claims, their wrong twins, and open ones."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Claim, Verdict
from tests.support.verdicts import judged

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


def claims(*displays: str) -> tuple[Claim, ...]:
    """The claims of a document of these displays; what has no mathematics is prose."""
    blocks = (
        text if "=" not in text or text.startswith(("#", "Let", "|", "Case")) else f"$${text}$$" for text in displays
    )
    return check("\n\n".join(blocks)).claims


def last(*displays: str) -> Verdict:
    """The verdict on the last relation."""
    return judged(claims(*displays)[-1])


IDENTITIES = {
    r"\mathrm{tr}(AB)": (r"\mathrm{tr}(BA)", r"\mathrm{tr}(A) \mathrm{tr}(B)"),
    r"(AB)^{-1}": ("B^{-1}A^{-1}", "A^{-1}B^{-1}"),
    r"(AB)^T": ("B^T A^T", "A^T B^T"),
    r"\frac{\partial \mathbf{x}^T A \mathbf{x}}{\partial \mathbf{x}}": (r"(A + A^T) \mathbf{x}", r"2 A \mathbf{x}"),
    r"\frac{\partial \mathbf{a}^T \mathbf{x}}{\partial \mathbf{x}}": (r"\mathbf{a}", r"2 \mathbf{a}"),
    r"\det(AB)": (r"\det(A) \det(B)", r"\det(A) + \det(B)"),
    "A(B + C)": ("AB + AC", "AB + CA"),
}
"""Identities that stand alone: nothing says what their letters are."""


@pytest.mark.parametrize("left", IDENTITIES)
def test_an_identity_is_judged_with_the_most_general_shapes(left):
    right, wrong = IDENTITIES[left]
    assert last(f"{left} = {right}") is CONFIRMED
    assert last(f"{left} = {wrong}") is REFUTED


@pytest.mark.parametrize("left", IDENTITIES)
def test_an_identity_keeps_its_verdict_among_others(left):
    right, wrong = IDENTITIES[left]
    others = [f"{one} = {two}" for one, (two, _) in IDENTITIES.items()]
    assert last(*others, f"{left} = {right}") is CONFIRMED
    assert last(*others, f"{left} = {wrong}") is REFUTED


NORM = (
    r"\mu_n = \frac{1}{H} \sum_{h=1}^{H} x_{nh}",
    r"c_{nh} = x_{nh} - \mu_n",
)


def test_derivatives_go_through_definitions():
    assert last(*NORM, r"\frac{\partial c_{nh}}{\partial x_{nk}} = \delta_{hk} - \frac{1}{H}") is CONFIRMED
    assert last(*NORM, r"\frac{\partial c_{nh}}{\partial x_{nk}} = \delta_{hk} + \frac{1}{H}") is REFUTED


def test_the_loss_is_any_function_of_what_it_is_differentiated_by():
    claim = (
        r"\frac{\partial L}{\partial x_{nk}} = \sum_h \frac{\partial L}{\partial c_{nh}} (\delta_{hk} - \frac{1}{H})"
    )
    assert last(*NORM, claim) is CONFIRMED
    assert last(*NORM, claim.replace("- \\frac", "+ \\frac")) is REFUTED


def test_what_rests_on_an_unknown_name_is_not_refuted():
    """``m`` is differentiated, so it is computed from something, but no equation says how."""
    start = (r"z_i = x_i - m", r"\frac{\partial m}{\partial x_i} = \frac{1}{N}")
    assert last(*start) is OPEN
    assert last(*start, r"\frac{\partial z_i}{\partial x_j} = \delta_{ij} - \frac{1}{N}") is OPEN


def test_the_loss_may_depend_on_a_tensor_through_one_without_an_equation():
    claim = r"\frac{\partial L}{\partial x_j} = 2 \frac{\partial L}{\partial o_j}"
    assert last(r"Let $x \in \mathbb{R}^n$.", "u_i = x_i^2", claim) is OPEN


def test_a_sum_up_to_an_index_defines():
    start = (r"Let $x, y \in \mathbb{R}^n$.", r"o_i = \sum_{j=1}^{i} x_j")
    claim = r"\frac{\partial L}{\partial x_j} = \sum_{i \geq j} \frac{\partial L}{\partial o_i}"
    assert last(*start, claim) is CONFIRMED
    assert last(*start, claim.replace("geq", "leq")) is REFUTED


def test_no_statement_speaks_for_its_own_reading():
    """Alone, the transpose may be a matter of layout; beside others that have one, it is wrong."""
    wrong = r"\frac{\partial \mathrm{tr}(AX)}{\partial X} = A"
    assert last(wrong) is OPEN
    others = (
        r"\frac{\partial \mathrm{tr}(XB)}{\partial X} = B^T",
        r"\frac{\partial \mathbf{a}^T \mathbf{x}}{\partial \mathbf{x}} = \mathbf{a}",
    )
    assert last(*others, wrong) is REFUTED


def test_definitions_say_whether_sums_are_written():
    start = ("y_{ij} = x_{ik} c_{kj}", "t_i = y_{ij} u_j")
    assert last(*start, r"\frac{\partial y_{ij}}{\partial x_{pq}} = \delta_{ip} c_{qj}") is CONFIRMED
    written = (r"y_{ij} = \sum_k x_{ik} c_{kj}", r"t_i = \sum_j y_{ij} u_j")
    assert last(*written, r"t_i = \sum_j x_{ik} c_{kj} u_j") is not CONFIRMED


def test_a_letter_is_summed_where_all_of_its_occurrences_are():
    start = ("y_{bh} = g_h u_{bh} s_b", "v_b = y_{bh} w_h")
    true = r"\frac{\partial l}{\partial s_p} = \frac{\partial l}{\partial y_{bh}} (g_h u_{bh} \delta_{bp})"
    assert last(*start, true) is CONFIRMED


def test_an_index_on_one_side_only_is_wrong_where_sums_are_written():
    start = (r"y_i = w_i x_i", r"s = \sum_j y_j^2", r"\frac{\partial s}{\partial y_i} = 2 y_i")
    assert last(*start, r"\frac{\partial s}{\partial x_i} = 2 y_i w_i") is CONFIRMED
    assert last(*start, r"\frac{\partial s}{\partial x_i} = 2 y_i w_h") is REFUTED


def test_a_number_may_be_the_size_of_a_slot_if_that_helps_and_the_report_says_so():
    found = claims(r"m_l = \frac{1}{N} \sum_p h_{pl}", r"\sum_p (h_{pl} - 2 m_l) = -N m_l")
    assert judged(found[-1]) is CONFIRMED
    assert any("N is the size of" in text for text in found[-1].assumptions)


@pytest.mark.parametrize("text", ["d = k = 4096", r"\alpha = \beta = 1", "n = 3"])
def test_settings_claim_nothing(text):
    assert {judged(claim) for claim in claims("y_i = n d k x_i", text)} <= {Verdict.DEFINITION}


def test_a_name_may_get_a_new_meaning_in_another_section_and_return_to_an_earlier_one():
    start = ("# One", "w_i = x_i^2", "# Two")
    assert last(*start, "w_i = x_i^3") is not REFUTED
    assert last("# One", "w_i = x_i^2", "w_i = x_i^3") is REFUTED
    assert last(*start, "w_i = x_i^3", "# Three", "w_i = x_i^2") is CONFIRMED


def test_a_matrix_is_symmetric_where_words_say_so():
    claim = r"\frac{\partial \mathbf{x}^T S \mathbf{x}}{\partial \mathbf{x}} = 2 S \mathbf{x}"
    assert last(claim) is REFUTED
    assert last("The matrix is symmetric.", claim) is CONFIRMED
    assert last("S_{ij} = S_{ji}", claim) is CONFIRMED


def test_a_step_behind_a_head_that_is_not_judged_is_not_confirmed():
    found = claims(r"q = \int x \, dx = x (x + 1) = x^2 + x")
    assert [claim.verdict for claim in found[1:]] == [Verdict.UNCLEAR, Verdict.STEP]


def test_a_shape_behind_a_product_is_a_claim():
    start = r"Let $X \in \mathbb{R}^{N \times F}$, $W \in \mathbb{R}^{F \times O}$."
    assert last(start, r"Let $X W \in \mathbb{R}^{N \times O}$.") is CONFIRMED
    assert last(start, r"Let $X W \in \mathbb{R}^{O \times N}$.") is REFUTED


def test_a_condition_in_words_holds_for_what_follows():
    start = r"p_i = \frac{e^{z_i}}{\sum_l e^{z_l}}"
    claim = r"\frac{\partial p_i}{\partial z_j} = -p_i p_j"
    assert last(start, claim) is REFUTED
    assert last(start, r"Case $i \neq j$:", claim) is CONFIRMED


def test_the_same_text_gives_the_same_report():
    text = "\n\n".join(f"$${one} = {two}$$" for one, pair in IDENTITIES.items() for two in pair)
    assert check(text) == check(text)


SOFTMAX_OF_SCORES = (
    r"A_{ij} = \frac{e^{S_{ij}}}{\sum_l e^{S_{il}}}",
    r"O_{ip} = \sum_j A_{ij} V_{jp}",
    r"G_{ip} = \frac{\partial L}{\partial O_{ip}}",
)


def test_the_loss_is_a_function_of_what_lies_on_the_way():
    assert last(*SOFTMAX_OF_SCORES, r"\sum_j \frac{\partial L}{\partial S_{ij}} = 0") is CONFIRMED
    assert last(*SOFTMAX_OF_SCORES, r"\sum_i \frac{\partial L}{\partial S_{ij}} = 0") is not CONFIRMED


def test_what_adds_up_to_zero_is_confirmed():
    mean = r"\mu = \frac{1}{N} \sum_{n=1}^N x_n"
    assert last(mean, r"\sum_{n=1}^N (x_n - \mu) = 0") is CONFIRMED
    assert last(mean, r"\sum_{n=1}^N (x_n - \mu) = 2 \sum_{n=1}^N (x_n - \mu)") is CONFIRMED
    assert last(mean, r"\sum_{n=1}^N (x_n + \mu) = 0") is REFUTED


def test_a_relation_of_letters_is_a_condition():
    found = claims(r"y_{ab} = x_{ab}^2", "Let $a = c$, and $c \\neq b$.", r"y_{cb} = x_{cb}^2")
    assert [judged(one) for one in found[1:3]] == [Verdict.CONDITION, Verdict.CONDITION]
    found = claims(r"y_{ab} = x_{ab}^2", "Let $a = b + 1$, and $a = 2 - b$.", r"y_{cb} = x_{cb}^2")
    assert [judged(one) for one in found[1:3]] == [Verdict.CONDITION, Verdict.CONDITION]
    stepped = claims(r"v_a = 3 u_{a-1}", "Let $a = n$, and $a = n + 1$, and $a = n - 1$.", r"v_n = 3 u_{n-1}")
    assert all(judged(one) is Verdict.CONDITION for one in stepped[1:-1])
    assert last(r"n = 3 m", r"a = n + 1", r"a = 3 m - 1") is REFUTED


RESTATED = (
    r"y_a = 3 x_a^2",
    "# Again",
    r"y_b = {} x_b^2",
    r"\frac{{\partial y_b}}{{\partial x_c}} = {} x_b \delta_{{bc}}",
)


def test_a_section_gives_a_new_meaning_only_if_what_follows_holds_with_it():
    first, heading, again, slope = RESTATED
    assert [judged(one) for one in claims(first, heading, again.format(3), slope.format(6))[1:]] == [CONFIRMED] * 2
    assert [judged(one) for one in claims(first, heading, again.format(4), slope.format(6))[1:]] == [REFUTED, CONFIRMED]
    assert claims(first, heading, again.format(4), slope.format(8))[1].verdict is not REFUTED


EINSTEIN = (r"y_{ij} = x_{ik} c_{kj} + b_j", r"m_i = \frac{1}{n} \mathbf{1}_k x_{ik}", r"v_i = x_{ik} w_k")


def test_a_derivative_takes_a_bracket_with_the_sums_that_nobody_writes():
    slope = (
        r"\frac{{\partial y_{{ij}}}}{{\partial b_p}} = \frac{{\partial}}{{\partial b_p}} (x_{{ik}} c_{{kj}} + {} b_j)"
    )
    assert last(*EINSTEIN, slope.format("")) is CONFIRMED
    assert last(*EINSTEIN, slope.format("2")) is REFUTED


def test_a_letter_repeated_in_a_first_member_of_factors_is_summed():
    assert last(*EINSTEIN, r"\frac{1}{n} \mathbf{1}_k (x_{ik} - m_i) = m_i - m_i") is CONFIRMED


def test_only_a_law_says_what_a_matrix_is():
    slope = r"\frac{\partial x^T S x}{\partial x} = 2 S x"
    inverse = r"\frac{\partial}{\partial S} \log \det S = S^{-1}"
    shapes = r"Let $S \in \mathbb{R}^{d \times d}$ and $x \in \mathbb{R}^d$"
    assert last(f"{shapes}.", inverse, slope) is not CONFIRMED
    assert last(f"{shapes}, $S^T = S$.", inverse, slope) is CONFIRMED


COLLECTION = (
    "# One",
    r"Let $S \in \mathbb{R}^{T \times T}$",
    r"A_{ij} = S_{ij}^2",
    r"Y_{ij} = 2 A_{ij}",
    r"\frac{\partial A_{ij}}{\partial S_{pq}} = 2 S_{ij} \delta_{ip} \delta_{jq}",
    r"\frac{\partial L}{\partial S_{ij}} = 2 S_{ij} \frac{\partial L}{\partial A_{ij}}",
    "# Two",
    r"Let $A \in \mathbb{R}^{N \times S}$",
    r"Y_{ij} = \frac{1}{S} \sum_k A_{ik} A_{jk}",
    r"L = \sum_{i,j} Y_{ij}",
    r"\frac{\partial Y_{ij}}{\partial A_{pq}} = \frac{1}{S} (\delta_{ip} A_{jq} + A_{iq} \delta_{jp})",
    r"\frac{\partial L}{\partial A_{ik}} = \frac{2}{S} \sum_j A_{jk}",
)
"""Two sections that give A, Y and S other meanings."""


def test_sections_that_give_the_same_names_may_stand_alone():
    verdicts = [judged(one) for one in claims(*COLLECTION)]
    assert verdicts.count(CONFIRMED) == 4
    assert set(verdicts) == {CONFIRMED, Verdict.DEFINITION, Verdict.DECLARATION}
    wrong = [*COLLECTION[:-1], COLLECTION[-1].replace("2}{S}", "3}{S}")]
    assert claims(*wrong)[-1].verdict is not CONFIRMED


def test_what_a_row_of_a_table_says_of_a_name_declares_it():
    table = "| $x_{ng}$ | $\\mathbb{R}^{N \\times D_g}$ | inputs |\n| --- | --- | --- |"
    mean = r"m_g = \frac{1}{N} \sum_n x_{ng}"
    assert last(table, mean, r"\sum_n (x_{ng} - m_g) = 0") is CONFIRMED
    assert last(table, mean, r"\sum_n (x_{ng} - m_g) \frac{1}{\sqrt{D_g}} = 0") is CONFIRMED


SLICES = (r"S_{bij} = \sum_k Q_{bik} K_{bjk}", r"\mu_{bi} = \frac{1}{T} \sum_{j=1}^T S_{bij}")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"S_b = Q_b K_b^\top", r"S_b = K_b Q_b^\top"),
        (
            r"\frac{\partial L}{\partial Q_b} = \frac{\partial L}{\partial S_b} K_b",
            r"\frac{\partial L}{\partial Q_b} = 2 \frac{\partial L}{\partial S_b} K_b",
        ),
        (r"S_b \mathbf{1} = T \mu_b", r"S_b \mathbf{1} = \mu_b"),
    ],
)
def test_a_name_with_some_of_its_indices_is_what_is_left_of_it(right, wrong):
    assert last(*SLICES, right) is CONFIRMED
    assert last(*SLICES, wrong) is not CONFIRMED


def test_an_assumption_that_only_other_statements_show_is_named():
    chain = r"a_j = \frac{e^{z_j}}{\sum_k e^{z_k}}", r"L = -\sum_k y_k \log a_k"
    slope = r"\frac{\partial L}{\partial z_i} = a_i - y_i"
    (claim,) = claims(*chain, slope)[-1:]
    assert claim.verdict is OPEN
    assert "sum to one" in claim.reason
    *_, claim = claims(*chain, r"-\sum_k y_k = -1", slope)
    assert judged(claim) is not REFUTED


def test_a_size_of_which_no_slot_is_known_refutes_nothing():
    declared = r"$x \in \mathbb{R}^{n \times D}$"
    assert last(declared, r"y_a = 2 z_a", r"D \, y_a = D \, z_a + D \, z_a") is CONFIRMED
    assert last(declared, r"y_a = 2 z_a", r"D \, y_a = 3 z_a") is OPEN


def test_what_follows_from_a_supposed_equation_is_not_refuted():
    given = r"y_a = 3 x_a^2", r"z_a = 2 y_a"
    assert last(*given, r"\frac{\partial z_a}{\partial x_b} = 6 x_a \delta_{ab}") is REFUTED
    assert last(*given, r"x_a = 0 \Rightarrow \frac{\partial z_a}{\partial x_b} = 6 x_a \delta_{ab}") is not REFUTED


def test_what_follows_from_a_law_of_one_name_is_not_refuted():
    given = r"X, Y \in \mathbb{R}^{n \times n}", r"A = X + Y"
    assert last(*given, r"D = 2 A^\top A = 2 X + 2 Y") is REFUTED
    assert last(*given, r"A = A^\top \implies D = 2 A^\top A = 2 X + 2 Y") is not REFUTED
    assert last(*given, r"A = X + Y \implies D = 2 A^\top A = 2 X + 2 Y") is REFUTED


LEFT_OUT = {
    r"y_i = \frac{w_i x_i}{r}": (
        r"r = \sqrt{\sum_k x_k^2}",
        r"\frac{\partial y_i}{\partial x_j}",
        r"\frac{w_i}{r} \delta_{ij} - \frac{w_i x_i x_j}{r^3}",
        r"\frac{w_i}{r^2} \delta_{ij} - \frac{w_i x_i x_j}{r^3}",
        r"Let $r \in \mathbb{R}$ and $w \in \mathbb{R}^n$ be given.",
    ),
    r"p_i = \frac{e^{z_i}}{Z}": (
        r"Z = \sum_k e^{z_k}",
        r"\frac{\partial p_i}{\partial z_j}",
        r"p_i (\delta_{ij} - p_j)",
        r"p_i (2 \delta_{ij} - p_j)",
        r"Let $Z \in \mathbb{R}$ be given.",
    ),
    r"c_{ni} = x_{ni} - \mu_n": (
        r"\mu_n = \frac{1}{D} \sum_{d=1}^{D} x_{nd}",
        r"\frac{\partial c_{mj}}{\partial x_{ni}}",
        r"\delta_{mn} \delta_{ij} - \frac{1}{D} \delta_{mn}",
        r"2 \delta_{mn} \delta_{ij}",
        r"Let $\mu \in \mathbb{R}^N$ and $x \in \mathbb{R}^{N \times D}$ be given.",
    ),
}
"""Equations that read a name: its equation, a derivative, what it is, what it is not, and what makes it an input."""


@pytest.mark.parametrize("equation", LEFT_OUT)
def test_a_path_through_a_name_without_an_equation_is_no_mistake(equation):
    missing, derivative, right, wrong, _ = LEFT_OUT[equation]
    assert last(missing, equation, f"{derivative} = {right}") is CONFIRMED
    assert last(missing, equation, f"{derivative} = {wrong}") is REFUTED
    assert last(equation, f"{derivative} = {right}") is OPEN


@pytest.mark.parametrize("equation", LEFT_OUT)
def test_without_such_a_path_the_derivative_must_be_that_with_the_name_held(equation):
    _, derivative, _, wrong, _ = LEFT_OUT[equation]
    assert last(equation, f"{derivative} = {wrong}") is REFUTED


@pytest.mark.parametrize("equation", LEFT_OUT)
def test_a_name_that_is_declared_has_no_such_path(equation):
    _, derivative, right, _, said = LEFT_OUT[equation]
    assert last(said, equation, f"{derivative} = {right}") is REFUTED


CONDITIONS = (
    *("exists a matrix $B$ such that", "is invertible if", "and $B$ satisfy", "is equality iff", "are cases when"),
    *("we could require that", "we assume", "is one choice of"),
)


@pytest.mark.parametrize("words", CONDITIONS)
def test_what_words_before_it_make_a_condition_is_no_claim(words):
    given = r"Let $A, B \in \mathbb{R}^{n \times n}$."
    assert check(f"{given} There {words} $A B = B A = I$.").claims[-2].verdict is Verdict.UNCLEAR
    assert check(f"{given} We see that $A B = B A = I$.").claims[-2].verdict is Verdict.REFUTED


def test_a_gradient_that_is_set_to_zero_claims_nothing_there():
    given = r"Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$, $y \in \mathbb{R}^n$."
    loss = r"$$L(w) = \frac{1}{2}\|Xw - y\|^2 + \frac{c}{2} \|w\|^2$$"
    asked = r"$$\nabla_w L = X^T (Xw - y) {} c w = 0$$"
    solved = r"$$w = (X^T X)^{-1} X^T y$$ $$\frac{\partial L}{\partial w} = X^T X w - X^T y + c w$$"
    right, wrong = (check("\n".join((given, loss, asked.replace("{}", sign), solved))) for sign in "+-")
    assert right.counts[str(Verdict.REFUTED)] == 0
    assert wrong.counts[str(Verdict.REFUTED)] == 1


QUADRATIC = r"x^T C^{-1} x"
SLOPE, HALF = r"2 C^{-1} x", r"C^{-1} x"


def test_a_covariance_is_symmetric_without_a_word():
    """d(x^T B x)/dx = (B + B^T) x is 2 B x of a symmetric B alone, and half of that of none."""
    drawn, slope = r"The noise $w \sim \mathcal{N}(0, C)$ is added.", rf"\frac{{\partial {QUADRATIC}}}{{\partial x}}"
    assert last(drawn, f"{slope} = {SLOPE}") is CONFIRMED
    assert last(drawn, f"{slope} = {HALF}") is REFUTED
    assert last(r"The noise $w \sim \mathcal{N}(C, 1)$ is added.", f"{slope} = {SLOPE}") is not CONFIRMED


DATA = (r"$u \in \mathbb{R}^d$, $y, e \in \mathbb{R}^n$, $G \in \mathbb{R}^{n \times d}$", "y = G u + e")
OF_DATA = r"\frac{\partial}{\partial u} (y - G u)^T (y - G u)"


def test_what_a_formula_reads_may_be_held_in_its_derivative():
    """d |y - G u|^2 / du = -2 G^T (y - G u) if y is held, and 0 if it is G u + e; no other factor is right."""
    assert last(*DATA, f"{OF_DATA} = -2 G^T (y - G u)") is CONFIRMED
    assert last(*DATA, f"{OF_DATA} = 0") is not REFUTED
    assert last(*DATA, f"{OF_DATA} = -G^T (y - G u)") is not CONFIRMED
    assert last(*DATA, f"{OF_DATA} = 2 G^T (y - G u)") is not CONFIRMED


REDEFINED = r"""
# Layers

Let $W \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$, $b \in \mathbb{R}^m$,
$B \in \mathbb{R}^{m \times r}$, $A \in \mathbb{R}^{r \times n}$.

$$y = Wx + b$$

Low rank: $V = W + BA$, $y = Vx$, $G = \frac{\partial L}{\partial y}$.
"""


def test_what_follows_may_show_that_a_name_got_a_new_meaning():
    def found(source):
        return {claim.latex: claim.verdict for claim in check(source).claims}["= Vx"]

    assert found(REDEFINED) == Verdict.REFUTED
    assert (
        found(
            REDEFINED
            + r"""
$$\frac{\partial L}{\partial B} = Gx^TA^T$$

$$\frac{\partial L}{\partial A} = B^TGx^T$$
"""
        )
        != Verdict.REFUTED
    )


MARGIN = r"Let $\alpha, y \in \mathbb{R}^N$ and $b \in \mathbb{R}$. "
SPLIT = r"$$\sum_i \alpha_i (1 - y_i b) + \sum_i y_i b = \sum_i \alpha_i + \sum_i y_i b$$"


def split_under(law: str) -> Verdict:
    """The verdict on a relation that needs a law which the page says before."""
    return judged(check(f"{MARGIN}{law}\n\n{SPLIT}").claims[-1])


def test_what_holds_under_what_the_page_sets_to_zero_is_not_refuted():
    assert split_under("") is REFUTED
    assert split_under(r"At the extremum $\sum_i \alpha_i y_i = 0$.") is OPEN


@pytest.mark.parametrize("law", [r"\sum_i (\alpha_i y_i - y_i \alpha_i) = 0", r"\sum_i \alpha_i z_i = 0"])
def test_what_is_zero_anyway_or_of_other_names_constrains_nothing(law):
    assert split_under(rf"We have ${law}$.") is REFUTED


BLOCKS = (
    r"\mathbf{\Sigma} = \begin{pmatrix} \mathbf{\Sigma}_{aa} & \mathbf{\Sigma}_{ab} \\ "
    r"\mathbf{\Sigma}_{ba} & \mathbf{\Sigma}_{bb} \end{pmatrix}",
    r"\mathbf{x} = \begin{pmatrix} \mathbf{x}_a \\ \mathbf{x}_b \end{pmatrix}",
    r"\mathbf{x}^\top \mathbf{x} = \mathbf{x}_a^\top \mathbf{x}_a + \mathbf{x}_b^\top \mathbf{x}_b",
    r"\mathbf{\Sigma}_{ab} \mathbf{\Sigma}_{bb} \mathbf{x}_b = \mathbf{\Sigma}_{ab} "
    r"(\mathbf{\Sigma}_{bb} \mathbf{x}_b)",
)


def test_blocks_named_by_letters():
    form = r"\mathbf{x}^\top \mathbf{\Sigma} \mathbf{x}"
    parts = [
        rf"\mathbf{{x}}_{one}^\top \mathbf{{\Sigma}}_{{{one}{other}}} \mathbf{{x}}_{other}"
        for one in "ab"
        for other in "ab"
    ]
    assert last(*BLOCKS, f"{form} = {' + '.join(parts)}") is CONFIRMED
    assert last(*BLOCKS, f"{form} = {' + '.join(parts[:-1])} - {parts[-1]}") is REFUTED


MULTIPLIERS = (r"Let $w, x, b, y \in \mathbb{R}$.", "s = y (w x + b)", r"\alpha = w^2", "w = x^3", "b = x^4", "y = x^5")


def test_a_product_of_numbers_that_is_set_to_zero_is_a_condition():
    assert last(*MULTIPLIERS, r"\alpha (1 - y (w x + b)) = 0") is Verdict.CONDITION
    assert last(*MULTIPLIERS, "s - y (w x + 2 b) = 0") is REFUTED
    assert last(*MULTIPLIERS, r"\alpha (s - y (w x + b)) = 0") is CONFIRMED


SQUARES = r"Let $a, x \in \mathbb{R}^2$ and $C, D, E \in \mathbb{R}^{2 \times 2}$."
WORDS = "Many words stand here between the two. " * 4


def test_what_rests_on_a_name_that_is_given_anew_may_be_given_anew():
    page = SQUARES, "B = C D", "y = a + B x", "F = E C"
    assert last(*page, "Let now $B = E$.", WORDS, "y = B x - a") is OPEN
    assert last(*page, WORDS, "y = B x - a") is REFUTED


def test_parts_of_a_symmetric_matrix_are_transposes():
    matrix = r"\begin{pmatrix} A_{11} & A_{12} \\ A_{21} & A_{22} \end{pmatrix}"
    page = f"A = {matrix}", r"A_{11} A_{11}^{-1} A_{12} x = A_{12} x"
    claim = r"A_{12}^\top A_{11}^{-1} A_{12} = A_{21} A_{11}^{-1} A_{12}"
    assert last("The matrix A is symmetric.", *page, claim) is CONFIRMED
    assert last("The matrix A is symmetric.", *page, claim.replace("A_{21}", "2 A_{21}")) is not CONFIRMED
    assert last("The matrix A is any.", *page, claim) is not CONFIRMED


def test_a_product_of_arrays_that_have_no_name_in_common_is_one_too():
    page = (
        r"Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$ and $y \in \mathbb{R}^n$.",
        "r = y - X w",
        "P = X X^T",
    )
    given = (*page, r"s = X^T y + r^T r X^T y")
    assert last(*given, r"P (y - r) = 0") is Verdict.CONDITION


def test_what_is_set_to_zero_and_is_no_identity_is_a_condition():
    page = r"Let $a, x \in \mathbb{R}^n$ and $A, B \in \mathbb{R}^{n \times n}$.", r"f = \frac{1}{2} x^T A x - a^T x"
    assert last(*page, r"\nabla_x f = \frac{1}{2} (A + A^T) x - a = 0") is Verdict.CONDITION
    assert last(*page, r"\sum_i x_i a_i = 0") is Verdict.CONDITION
    assert last(*page, r"\operatorname{tr}(A B) - \operatorname{tr}(B A) = 0") is CONFIRMED
    assert last(*page, r"x + A a^T x = 0") is OPEN  # what cannot be read
    assert last(*page, r"g_i = x_i^2", r"\frac{\partial g_i}{\partial x_j} = 0") is not Verdict.CONDITION


def test_a_vector_equals_the_matrix_of_one_row_or_column_that_has_its_entries():
    page = (
        r"Let $w \in \mathbb{R}^{1 \times D}$, $v \in \mathbb{R}^{D \times 1}$ and $p, q \in \mathbb{R}^D$.",
        "w = p + q",
    )
    assert last(*page, "2 w - p = p + 2 q") is CONFIRMED
    assert last(*page, "2 w - p = p + 3 q") is REFUTED


def test_what_stands_behind_a_transpose_with_an_index_is_one_of_several_arrays():
    page = (r"Let $w \in \mathbb{R}^d$.", r"s_i = y_i (w^T x_i + b)", r"w = \sum_i a_i y_i x_i")
    assert last(*page, r"w^T w = \sum_i \sum_j a_i a_j y_i y_j x_i^T x_j") is CONFIRMED
    assert last(*page, r"w^T w = 2 \sum_i \sum_j a_i a_j y_i y_j x_i^T x_j") is not CONFIRMED


def test_what_something_is_differentiated_by_is_not_what_a_later_line_makes_of_it():
    page = r"Let $w, c \in \mathbb{R}^d$.", r"f = \frac{1}{2} w^T w - c^T w"
    assert last(*page, r"\frac{\partial f}{\partial w} = w - c") is CONFIRMED
    solved = claims(*page, r"\frac{\partial f}{\partial w} = w - c", "w = c")
    assert [judged(one) for one in solved[-2:]] == [CONFIRMED, Verdict.DEFINITION]
    wrong = claims(*page, r"\frac{\partial f}{\partial w} = w + c", "w = c")
    assert judged(wrong[-2]) is not CONFIRMED


def test_a_sum_may_begin_behind_another_index():
    square = r"a = \sum_{i=1}^n \sum_{j=1}^n x_i x_j"
    assert last(square, r"a = \sum_{i=1}^n x_i^2 + 2 \sum_{i=1}^n \sum_{j=i+1}^n x_i x_j") is CONFIRMED
    assert last(square, r"a = \sum_{i=1}^n x_i^2 + \sum_{i=1}^n \sum_{j=i+1}^n x_i x_j") is not CONFIRMED


ITEMS = r"""Let $W \in \mathbb{R}^{n \times m}$ and $x \in \mathbb{R}^m$.

$$z = W x$$

$$y = x x^T z$$

\begin{enumerate}
\item Two of them: $2 z = 2 W x$.
\item In rows: $z = x W$.
\item Twice: $2 z - W x = W x$, and $\frac{\partial z_i}{\partial x_j} = W_{ij}$.
\end{enumerate}
"""


def test_an_item_whose_shapes_do_not_fit_with_what_stands_outside_speaks_of_other_arrays():
    prose = ITEMS.replace(r"\item ", "\n").replace(r"\begin{enumerate}", "").replace(r"\end{enumerate}", "")
    verdicts = [[judged(claim) for claim in check(text, "note.tex").claims[-4:]] for text in (ITEMS, prose)]
    assert verdicts == [[CONFIRMED, one, CONFIRMED, CONFIRMED] for one in (OPEN, REFUTED)]


@pytest.mark.parametrize("sign", [r".\blacksquare", r". \qed", r"\qedhere"])
def test_the_end_of_a_proof_is_no_factor(sign):
    assert last("f = x + y", "2 f = 2 x + 2 y" + sign) is CONFIRMED


def test_what_a_name_is_where_all_is_said_behind_counts_for_its_gradient():
    behind = r"L = \frac{1}{2} \sum_i (z_i - t_i)^2", r"z_i = \sum_j W_{ij} x_j"
    for sign, verdict in (("-", CONFIRMED), ("+", REFUTED)):
        first, *_ = claims(rf"\frac{{\partial L}}{{\partial z_i}} = \sum_j W_{{ij}} x_j {sign} t_i", *behind)
        assert judged(first) is verdict


def test_a_sum_to_the_last_but_one_is_no_sum_to_the_last():
    page = r"Let $x \in \mathbb{R}^n$.", r"b_i = \sum_{j=i+1}^{n-1} x_j", r"c_i = \sum_{j=i+1}^{n} x_j"
    assert last(*page, "c_i = b_i") is not CONFIRMED
    zero = r"s = \sum_{i=0}^{n-1} \sum_{j=i+1}^{n-1} x_i x_j"
    assert last(zero, r"2 s = \sum_{i=0}^{n-1} \sum_{j=0}^{n-1} x_i x_j - \sum_{i=0}^{n-1} x_i^2") is CONFIRMED
    one = r"s = \sum_{i=1}^{n} \sum_{j=i}^{n-1} x_i x_j"
    assert last(one, r"2 s = \sum_{i=1}^{n} \sum_{j=1}^{n} x_i x_j + \sum_{i=1}^{n} x_i^2") is not CONFIRMED


PROJECTED = r"""Let $C \in \mathbb{R}^{n \times m}$ and $P \in \mathbb{R}^{n \times n}$. SAID

$$C^\top C - C^\top P C = C^\top C - C^\top P^\top P C$$
"""


@pytest.mark.parametrize(("letter", "expected"), [("P_X", OPEN), ("H", OPEN), ("P", REFUTED), ("B", REFUTED)])
def test_by_its_letter_a_matrix_may_be_a_projection(letter, expected):
    text = PROJECTED.replace("P", letter)
    assert check(text).claims[-1].verdict is expected
    assert check(text.replace(rf"{letter}^\top {letter} C$$", f"2 {letter} C$$")).claims[-1].verdict is REFUTED


@pytest.mark.parametrize(
    ("words", "equations"),
    [
        ("Each step of projected gradient descent uses", (r"f = x^\top P x", r"\frac{\partial f}{\partial x} = 2 P x")),
        ("A projection first:", (r"y = P x", r"\frac{\partial L}{\partial x} = P \frac{\partial L}{\partial y}")),
        ("Let $P$ be an oblique projection.", (r"P^2 = P", r"x^\top P x = \|P x\|^2")),
    ],
)
def test_that_a_matrix_may_be_a_projection_proves_nothing(words, equations):
    text = "\n\n".join([words, *(f"$${one}$$" for one in equations)])
    assert check(text).claims[-1].verdict not in (Verdict.PROVED, CONFIRMED)


def test_a_condition_on_what_numbers_names_may_be_needed():
    page = r"""Let $A \in \mathbb{R}^{n \times n}$ and $b \in \mathbb{R}^n$, and $r_k = b - A x_k$.

WORDS
$$p_l^\top r_k = p_l^\top b$$
"""
    assert check(page.replace("WORDS", "Moreover, for $l > k$:")).claims[-1].verdict is not REFUTED


def test_the_null_space_of_a_matrix_is_no_multiple_of_it():
    page = r"Let $A \in \mathbb{R}^{m \times n}$. Then $\text{null } A = \text{null } A^\top A$."
    assert check(page).claims[-1].verdict is OPEN


def test_where_other_claims_hold_a_name_one_of_them_shows_what_it_is():
    def found(*displays: str, said: str = "") -> Verdict:
        text = rf"Let $x, y \in \mathbb{{R}}^n${said}."
        return check("\n\n".join([text, *(f"$${one}$$" for one in displays)])).claims[-1].verdict

    false, unread, true = r"d = B x + B y = B (x - y)", r"x^\top B y = \mathrm{form}(B, x, y)", r"B (2 x) = 2 B x"
    assert found(false) is REFUTED
    assert found(unread, false) is OPEN
    assert found(unread, true, false) is REFUTED
    assert found(unread, false, said=r" and $B \in \mathbb{R}^{n \times n}$") is REFUTED


def test_entries_of_one_name_that_are_set_equal_are_a_law_for_it():
    law = r"R_{ijkl} = -R_{ijlk} = -R_{jikl} = R_{klij}"
    assert all(claim.verdict is not REFUTED for claim in check(f"$${law}$$").claims)
    assert check(r"$$R_{ij} = x_i y_j$$" + "\n\n" + r"$$z_{ij} = 2 R_{ij} = 2 R_{ji}$$").claims[-1].verdict is REFUTED


def test_a_name_in_brackets_behind_a_name_may_be_its_argument():
    page = r"""Let $m, v, c \in \mathbb{R}$ and $p = \frac{m v}{\sqrt{1 - v^2/c^2}}$.

$$m(v) = \frac{m}{\sqrt{1 - v^2/c^2}}$$
"""
    assert check(page).claims[-1].verdict is not REFUTED
    given = r"Let $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}$." + "\n\n"
    for false in (r"\mathrm{tr}(A) = 2 \mathrm{tr}(A^\top)", r"\det(A) = -\det(A^\top)", r"\sin(x) = \cos(x)"):
        assert check(f"{given}$${false}$$").claims[-1].verdict is REFUTED


def test_on_a_page_where_most_comes_out_false_nothing_is_refuted():
    given = r"Let $A \in \mathbb{R}^{n \times n}$ and $B \in \mathbb{R}^{m \times n}$."
    false, true = r"\mathrm{tr}(A) = 2 \mathrm{tr}(A^\top)", r"\mathrm{tr}(A) = \mathrm{tr}(A^\top)"
    # What is said of sums alone is false, and may be said of numbers that are given.
    excused = [rf"\sum_i x_i + \sum_i x_i = {n} \sum_i x_i" for n in range(3, 15)]

    def found(*displays: str) -> Claim:
        return check("\n\n".join([given, *(f"$${one}$$" for one in displays)])).claims[-1]

    assert found(false).verdict is REFUTED
    assert found(*excused[:4], false).verdict is REFUTED
    assert found(*excused[:5], false).verdict is OPEN
    assert "so are 5 other relations of the page" in found(*excused[:5], false).reason
    # Each true one makes room for two.
    assert found(true, *excused[:6], false).verdict is REFUTED
    assert found(true, *excused[:7], false).verdict is OPEN
    # So with shapes that are said of expressions.
    shape = r"A B^\top \in \mathbb{R}^{m \times n}"
    assert found(*excused[:4], shape).verdict is REFUTED
    assert found(*excused[:5], shape).verdict is OPEN


def test_what_is_given_on_a_short_page_excuses_nothing_else():
    page = r"""Let $A \in \mathbb{R}^{n \times n}$ be symmetric, $v \in \mathbb{R}^n$ and $\lambda \in \mathbb{R}$.

An eigenvector satisfies $$A v = \lambda v$$ and is normalized $$v^\top v = 1$$ Then $$v^\top A v = \lambda$$
The Rayleigh quotient is $$R = \frac{x^\top A x}{x^\top x}$$ with $$\nabla_x R = \frac{A x - R x}{x^\top x}$$
"""
    assert check(page).claims[-1].verdict is REFUTED


@pytest.mark.parametrize("words", ["when", "if", "whenever", "only if", "provided that"])
def test_an_equation_may_hold_under_a_condition_that_is_said_behind_it(words):
    given = r"Let $z \in \mathbb{R}$ and $A \in \mathbb{R}^{n \times n}$."
    false = r"\mathrm{tr}(A) = 2 \mathrm{tr}(A^\top)"
    assert check(f"{given}\n\n${false}$ {words} $z = 1$.").claims[-2].verdict is OPEN
    assert check(f"{given}\n\n$${false}$$\n{words} $z = 1$.").claims[-2].verdict is OPEN
    assert check(f"{given}\n\n${false}$, and $z = 1$.").claims[-2].verdict is REFUTED
    assert check(f"{given}\n\n${false}$. {words.capitalize()} $z = 1$, then $y = 1$.").claims[-3].verdict is REFUTED
    assert check(f"{given}\n\n$${false}$$\n\n{words} $z = 1$, then $y = 1$.").claims[-3].verdict is REFUTED
    assert check(f"{given}\n\n${false}$ {words} you like.").claims[-1].verdict is REFUTED
    rows = rf"$$\begin{{aligned}} {false} \\ \det(A) = 2 \det(A^\top) \end{{aligned}}$$"
    assert [one.verdict for one in check(f"{given}\n\n{rows} {words} $z = 1$.").claims[-3:-1]] == [REFUTED, OPEN]

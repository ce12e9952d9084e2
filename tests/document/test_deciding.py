"""What a document says for a reading, and verdicts that rest on it: true claims, their wrong twins, and open ones."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import claims, judged, last

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


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


def test_parts_of_a_symmetric_matrix_are_transposes():
    matrix = r"\begin{pmatrix} A_{11} & A_{12} \\ A_{21} & A_{22} \end{pmatrix}"
    page = f"A = {matrix}", r"A_{11} A_{11}^{-1} A_{12} x = A_{12} x"
    claim = r"A_{12}^\top A_{11}^{-1} A_{12} = A_{21} A_{11}^{-1} A_{12}"
    assert last("The matrix A is symmetric.", *page, claim) is CONFIRMED
    assert last("The matrix A is symmetric.", *page, claim.replace("A_{21}", "2 A_{21}")) is not CONFIRMED
    assert last("The matrix A is any.", *page, claim) is not CONFIRMED


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


def test_on_a_page_where_most_comes_out_false_nothing_is_refuted():
    given = r"Let $A \in \mathbb{R}^{n \times n}$ and $B \in \mathbb{R}^{m \times n}$."
    false, true = r"\mathrm{tr}(A) = 2 \mathrm{tr}(A^\top)", r"\mathrm{tr}(A) = \mathrm{tr}(A^\top)"
    # What is said of sums alone is false, and may be said of numbers that are given.
    excused = [rf"\sum_i x_i + \sum_i x_i = {n} \sum_i x_i" for n in range(3, 15)]

    def found(*displays: str):
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

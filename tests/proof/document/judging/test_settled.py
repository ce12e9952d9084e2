"""Whether a derivative holds other tensors is settled for all claims together; and what is known of inputs."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check
from indexcalc.proof.document.judging.settled import Vote, majority

SOFTMAX = r"""
Let $z \in \mathbb{R}^{n}$.

$$
Z = \sum_{k} e^{z_k}
$$

$$
p_i = \frac{e^{z_i}}{Z}
$$
"""
TOTAL = [
    r"\frac{\partial p_i}{\partial z_j} = p_i \delta_{ij} - p_i p_j",
    r"\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j)",
    r"\frac{\partial p_i}{\partial z_j} = \frac{e^{z_i} \delta_{ij}}{Z} - \frac{e^{z_i} e^{z_j}}{Z^2}",
]
LOCAL = r"\frac{\partial p_i}{\partial z_j} = p_i \delta_{ij}"


def verdicts(*claims, words=""):
    """The verdicts of the claims, in order."""
    text = SOFTMAX + "".join(f"\n{words}\n\n$$\n{claim}\n$$\n" for claim in claims)
    return [str(claim.verdict) for claim in check(text).claims][-len(claims) :]


def test_a_term_that_is_dropped_is_not_saved_by_a_local_reading():
    assert verdicts(*TOTAL[:2], LOCAL) == ["proved", "proved", "refuted"]


@pytest.mark.parametrize("place", range(3))
def test_most_claims_settle_it_wherever_the_dropped_term_stands(place):
    claims = list(TOTAL)
    claims[place] = LOCAL
    assert [verdict == "refuted" for verdict in verdicts(*claims)] == [n == place for n in range(3)]


def test_a_note_that_holds_throughout_is_true():
    half = r"\frac{\partial p_i}{\partial z_j} = \frac{e^{z_i} \delta_{ij}}{Z}"
    assert verdicts(LOCAL, half) == ["proved", "proved"]


def test_words_say_that_one_derivative_is_meant_otherwise():
    told = SOFTMAX + "".join(f"\nWe have\n\n$$\n{claim}\n$$\n" for claim in TOTAL)
    told += f"\nTreating $Z$ as a constant, only the numerator counts:\n\n$$\n{LOCAL}\n$$\n"
    assert str(check(told).claims[-1].verdict) == "proved"


@pytest.mark.parametrize("words", ["Keep the sum over the classes:", "The same holds of every row:"])
def test_words_that_hold_no_tensor_change_nothing(words):
    assert verdicts(*TOTAL[:2], LOCAL, words=words) == ["proved", "proved", "refuted"]


def test_a_note_that_marks_what_is_held_has_total_derivatives_elsewhere():
    marked = r"\left.\frac{\partial p_i}{\partial z_j}\right|_{Z \text{ held}} = p_i \delta_{ij}"
    assert verdicts(marked, LOCAL) == ["proved", "refuted"]


def test_sections_settle_it_on_their_own():
    once, there = (1,), (2,)
    votes = [Vote(once, True), Vote(once, True), Vote(there, False), Vote(there, False), Vote(there, True)]
    assert majority(votes, once) is True
    assert majority(votes, there) is False
    assert majority(votes, (3,)) is True
    assert majority([], once) is None


def test_as_many_claims_for_the_one_as_for_the_other_leave_it_to_the_section():
    votes = [Vote((1,), True), Vote((2,), False)]
    assert majority(votes, (1,)) is True
    assert majority(votes, (2,)) is False


ERROR = r"""
Let $x, t \in \mathbb{R}^{n}$ and $s \in \mathbb{R}^{n}$.

$$
u_i = (x_i - t_i) s_i
$$

$$
\frac{\partial u_i}{\partial s_j} = (x_i - t_i) \delta_{ij}
$$

$$
\frac{\partial u_i}{\partial s_j} = (x_i - t_i) \frac{\partial s_i}{\partial s_j}
$$
"""


def test_the_derivative_of_an_input_by_an_independent_one_is_zero():
    wrong = r"\frac{\partial u_i}{\partial s_j} = (x_i - t_i) \frac{\partial x_i}{\partial s_j}"
    assert str(check(f"{ERROR}\n$$\n{wrong}\n$$\n").claims[-1].verdict) == "refuted"


def test_what_is_made_of_independent_inputs_is_independent_too():
    made = r"q_i = x_i t_i $$ $$ \frac{\partial u_i}{\partial s_j} = (x_i - t_i) \frac{\partial q_i}{\partial s_j}"
    assert str(check(f"{ERROR}\n$$\n{made}\n$$\n").claims[-1].verdict) == "refuted"


def test_nothing_is_said_of_an_input_that_the_note_does_not_keep_apart():
    text = "$$\ny_i = 2 a_i + 3 t_i\n$$\n\n$$\n"
    text += r"\frac{\partial y_i}{\partial t_j} = 2 \frac{\partial a_i}{\partial t_j} + 3 \delta_{ij}"
    assert str(check(f"{text}\n$$\n").claims[-1].verdict) == "not understood"


def test_a_chain_sum_whose_other_factor_is_worked_out_shows_that_sums_are_written():
    text = "Let $x \\in \\mathbb{R}^{n}$.\n\n$$\ny_i = x_i^2\n$$\n\n$$\nL = \\sum_i y_i^3\n$$\n"
    worked = r"\frac{\partial L}{\partial x_i} = \sum_{k} \frac{\partial L}{\partial y_k} 2 x_k \delta_{ki}"
    bare = r"\frac{\partial L}{\partial x_i} = \frac{\partial L}{\partial y_k} \frac{\partial y_k}{\partial x_i}"
    assert str(check(f"{text}\n$$\n{bare}\n$$\n").claims[-1].verdict) == "proved"
    assert str(check(f"{text}\n$$\n{worked}\n$$\n\n$$\n{bare}\n$$\n").claims[-1].verdict) == "refuted"


def test_points_are_looked_for_where_a_logarithm_is_defined():
    text = "Let $x, t \\in \\mathbb{R}^{n}$.\n\n$$\nu_i = x_i - t_i\n$$\n\n$$\ny_i = u_i^2\n$$\n"
    assert str(check(f"{text}\n$$\ny_i = \\log u_i\n$$\n").claims[-1].verdict) == "refuted"


def test_a_letter_of_a_member_that_does_not_fit_keeps_a_size():
    text = "Let $A \\in \\mathbb{R}^{n \\times m}$ and $v \\in \\mathbb{R}^{m}$.\n\n$$\ny_i = \\sum_k A_{ik} v_k\n$$\n"
    claims = check(text + "\n$$\ny_i = \\sum_k A_{ki} v_k = \\sum_k A_{ik} v_k\n$$\n").claims
    assert [str(claim.verdict) for claim in claims][-2:] == ["refuted", "proved"]


def test_a_sum_over_what_does_not_occur_has_a_length():
    text = "$$\ns = \\sum_q 2\n$$\n\n$$\ny_i = s x_i\n$$\n\n$$\ny_i = x_i s\n$$\n"
    assert str(check(text).claims[-1].verdict) == "proved"


def test_long_chains_of_definitions_and_long_products_end():
    names = [f"\\mathrm{{y{chr(97 + n // 26)}{chr(97 + n % 26)}}}" for n in range(300)]
    chained = "".join(
        f"\n$$\n{name}_i = 2 {before}_i\n$$\n" for before, name in zip(["x", *names], names, strict=False)
    )
    report = check(f"{chained}\n$$\n\\frac{{\\partial {names[-1]}_i}}{{\\partial x_j}} = 0\n$$\n")
    assert "rest one upon another" in report.claims[-1].reason
    power = "$W \\in \\mathbb{R}^{n \\times n}$\n\n$$\nY = " + "W " * 60 + "\n$$\n\n$$\nY = W (" + "W " * 59 + ")\n$$\n"
    slope = "\n$$\n\\frac{\\partial Y_{ij}}{\\partial W_{kl}} = 0\n$$\n"
    assert str(check(power + slope).claims[-1].verdict) == "refuted"

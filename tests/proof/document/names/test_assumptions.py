"""What authors assume of labels without a word, and what is refuted all the same."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check

ASSUMED = ("the entries of y sum to 1, which is not stated",)

ENTRIES = r"""
$$p_{nk} = \frac{e^{z_{nk}}}{\sum_j e^{z_{nj}}}$$
$$L = -\frac{1}{N} \sum_n \sum_k y_{nk} \log p_{nk}$$
$$\frac{\partial L}{\partial z_{nk}} = CLAIM$$
"""

ARRAYS = r"""
$$p = \mathrm{softmax}(z), \quad \ell = \log p$$
$$L = -y^\top \ell$$
$$\frac{\partial L}{\partial z} = CLAIM$$
"""


@pytest.mark.parametrize(("note", "claim"), [(ENTRIES, r"\frac{1}{N} (p_{nk} - y_{nk})"), (ARRAYS, "p - y")])
def test_labels_that_weigh_logarithms_may_sum_to_one(note, claim):
    found = check(note.replace("CLAIM", claim)).claims[-1]
    assert (str(found.verdict), found.assumptions) == ("confirmed", ASSUMED)


@pytest.mark.parametrize(
    ("note", "claim", "reason"),
    [
        (ENTRIES, r"\frac{1}{N} (y_{nk} - p_{nk})", "the sign is wrong, if the entries of y sum to 1"),
        (ENTRIES, "p_{nk} - y_{nk}", "the right side is N times the left, if the entries of y sum to 1"),
        (ARRAYS, "y - p", "the sign is wrong, if the entries of y sum to 1"),
        (ARRAYS, "p", "the two sides differ"),
    ],
)
def test_what_is_wrong_with_such_labels_too_is_refuted(note, claim, reason):
    found = check(note.replace("CLAIM", claim)).claims[-1]
    assert (str(found.verdict), found.reason) == ("refuted", reason)
    assert found.correction


def test_a_weight_of_anything_else_has_no_given_sum():
    note = r"$$q_k = z_k^2$$ $$L = \sum_k y_k q_k$$ $$\frac{\partial L}{\partial z_k} = 2 z_k y_k \sum_j y_j$$"
    assert check(note.replace(r"\sum_j y_j", "")).counts["proved"] == 1
    note = r"$$s = \sum_k y_k z_k$$ $$L = s^2$$ $$\frac{\partial s}{\partial z_k} = CLAIM$$"
    assert check(note.replace("CLAIM", "1")).counts["refuted"] == 1


ENERGY = r"""
$$U = -\frac{1}{2} \sum_{i, j} J_{ij} m_i m_j - \sum_i h_i m_i$$

SAID

$$\frac{\partial U}{\partial m_i} = -\sum_j J_{ij} m_j - h_i$$
"""


def last(note: str, context: str = "") -> str:
    return str(check(note, "note.md", context).claims[-1].verdict)


def test_an_exchange_of_letters_makes_an_input_symmetric():
    assert last(ENERGY.replace("SAID", "")) == "refuted"
    said = ENERGY.replace("SAID", "$$J_{ij} = J_{ji}$$")
    assert [str(claim.verdict) for claim in check(said).claims] == ["definition", "condition", "proved"]
    assert last(ENERGY.replace("SAID", ""), "assume J[i,j] = J[j,i]") == "proved"
    assert last(said.replace("- h_i$$", "+ h_i$$")) == "refuted"
    assert last(r"Let $J_{ij} \in \mathbb{R}^{N \times N}$, $J_{ij} \ge 0$." + said) == "proved"


def test_an_exchange_of_letters_of_what_is_defined_is_a_claim():
    claims = check("$$D_{ij} = a_i b_j$$\n\nThen $$D_{ij} = D_{ji}$$").claims
    assert [str(claim.verdict) for claim in claims] == ["definition", "refuted"]


def test_the_words_say_which_name_is_the_loss():
    note = "The loss $F$ is $$F = \\sum_i m_i^2 - \\sum_i h_i m_i$$\n\n$$dm = 2 m - h$$"
    assert last(note) == "proved"
    assert last(note.replace("2 m - h", "2 m + h")) == "refuted"

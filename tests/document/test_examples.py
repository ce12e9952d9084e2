"""An array that a sentence writes out as an example is the meaning of its name there, and not of all that follows."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

EXAMPLES = (
    r"For example, if $F = \left( \begin{smallmatrix} 1 & 2 \\ 0 & 1 \end{smallmatrix} \right)$, all is simple.",
    r"To sketch this idea, suppose we have the matrix $F = \begin{pmatrix} 1 & u \\ v & 1 \end{pmatrix}$.",
    r"Consider $F = \begin{bmatrix} 2 & 0 \\ 0 & 3 \end{bmatrix}$.",
)

SETTING = r"""Let $F \in \mathbb{R}^{3 \times 3}$.

$$C = F^T F$$

$$B = C - I$$

EXAMPLE

$$a = 2 b$$

$$g = 3 b$$

$$h = g + a$$

$$k = g - a$$

"""

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)


def last(example, claim):
    return check(SETTING.replace("EXAMPLE", example) + f"$${claim}$$", "note.md").claims[-1]


@pytest.mark.parametrize("example", ["", *EXAMPLES])
def test_what_follows_an_example_is_judged_as_without_it(example):
    assert last(example, r"\operatorname{tr}(B) = \operatorname{tr}(C) - 3").verdict in TRUE
    assert last(example, r"\operatorname{tr}(B) = \operatorname{tr}(C) + 3").verdict not in TRUE


def test_beside_it_an_example_gives_the_meaning():
    text = EXAMPLES[2] + "\n\n" + r"$$F^2 = \begin{bmatrix} 4 & 0 \\ 0 & 9 \end{bmatrix}$$"
    assert check(text, "note.md").claims[-1].verdict in TRUE


def test_what_is_no_example_holds_to_the_end():
    given = EXAMPLES[2].replace("Consider", "Here")
    squared = r"F^2 = \begin{bmatrix} 4 & 0 \\ 0 & 9 \end{bmatrix}"
    text = SETTING.replace("EXAMPLE", given).replace(r"Let $F \in \mathbb{R}^{3 \times 3}$.", "")
    assert check(text.replace("I_3", "I_2") + f"$${squared}$$", "note.md").claims[-1].verdict in TRUE

"""Entries that are looked up, ``E_{y_n}``, and brackets that compare what is looked up with an index."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.statements.lookups import with_lookups
from indexcalc.language.latex.tokens import tokenize
from tests.support.verdicts import last

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


def read(*formulas: str) -> list[str]:
    """The formulas of a document as they are read."""
    return ["".join(token.text for token in tokens) for tokens in with_lookups([list(tokenize(f)) for f in formulas])]


@pytest.mark.parametrize(
    ("formulas", "first"),
    [
        (("x_{nm} = E_{y_n m}",), "x_{nm}=E_{y_n,m}"),
        (("x_n = E_{y_n}",), "x_n=E_{y_n}"),
        (("p_{n y_n}", "y_n \\ge 0"), "p_{n,y_n}"),
        # A label below the name of what is computed, a time, and an index that stands elsewhere on its own.
        (("\\mu_{c_n} = x_n",), "\\mu_{c_n}=x_n".replace("\\", "")),
        (("x_{t_n} m", "t + 1"), "x_{t_n}m"),
        (("a_{i_k} b", "c_i"), "a_{i_k}b"),
    ],
)
def test_what_is_looked_up(formulas: tuple[str, ...], first: str) -> None:
    """Commas part it from the letters beside it."""
    assert read(*formulas)[0] == first


ROWS = (r"x_n = E_{y_n}", r"g_n = \frac{\partial L}{\partial x_n}")

ENTRIES = (r"x_{nm} = E_{y_n m}",)

CLASSES = (
    r"L = -\frac1N \sum_{n=1}^N \log p_{n y_n}",
    r"p_{nk} = \frac{e^{z_{nk}}}{\sum_j e^{z_{nj}}}",
)

CENTRES = (r"J = \sum_n \|x_n - \mu_{c_n}\|^2",)


@pytest.mark.parametrize(
    ("displays", "right", "wrong"),
    [
        (
            ROWS,
            r"\frac{\partial L}{\partial E_v} = \sum_{n : y_n = v} g_n",
            r"\frac{\partial L}{\partial E_v} = 2 \sum_{n : y_n = v} g_n",
        ),
        (
            ROWS,
            r"\frac{\partial L}{\partial E_v} = \sum_n \mathbf 1[y_n = v] g_n",
            r"\frac{\partial L}{\partial E_v} = \sum_n \mathbf 1[y_n \ne v] g_n",
        ),
        (
            ENTRIES,
            r"\frac{\partial L}{\partial E_{vm}} = \sum_{n \mid y_n = v} \frac{\partial L}{\partial x_{nm}}",
            r"\frac{\partial L}{\partial E_{vm}} = \sum_n \frac{\partial L}{\partial x_{nm}}",
        ),
        (
            ENTRIES,
            r"\frac{\partial x_{nm}}{\partial E_{vk}} = \delta_{y_n v} \delta_{mk}",
            r"\frac{\partial x_{nm}}{\partial E_{vk}} = \delta_{y_n v}",
        ),
        (
            CLASSES,
            r"\frac{\partial L}{\partial z_{nk}} = \frac1N (p_{nk} - \mathbf{1}[k = y_n])",
            r"\frac{\partial L}{\partial z_{nk}} = p_{nk} - \mathbf{1}[k = y_n]",
        ),
        (
            CENTRES,
            r"\frac{\partial J}{\partial \mu_k} = -2 \sum_{n : c_n = k} (x_n - \mu_k)",
            r"\frac{\partial J}{\partial \mu_k} = 2 \sum_{n : c_n = k} (x_n - \mu_k)",
        ),
    ],
)
def test_lookups_are_judged(displays: tuple[str, ...], right: str, wrong: str) -> None:
    """What is right is true, and what is wrong is refuted."""
    assert last(*displays, right) is CONFIRMED
    assert last(*displays, wrong) is REFUTED


def test_corrections_name_no_index_like_an_array() -> None:
    """No sum runs over a letter that is the name of what is looked up, nor is that an index that changes places."""
    displays = (*ENTRIES, r"\frac{\partial L}{\partial E_{vm}} = \sum_n [y_n \ne v] \frac{\partial L}{\partial x_{nm}}")
    *_, claim = check("\n\n".join(f"$${text}$$" for text in displays)).claims
    assert claim.correction == r"\sum_{n} \frac{\partial L}{\partial x_{nm}} \, \delta_{y_{n},v}"


def test_the_relation_is_as_it_is_written() -> None:
    """Commas that are read and not written are not shown."""
    (claim,) = check("$$x_{nm} = E_{y_n m}$$").claims
    assert claim.latex == "= E_{y_n m}"

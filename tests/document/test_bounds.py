"""Documents made to be slow end in a message, in the time of a few pages of equations."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import cache
from itertools import pairwise

import pytest

from indexcalc.document import Verdict, check
from indexcalc.errors import LimitError

PAGES = 200
"""The longest time of one document, in times of a page of equations that is read on the same machine."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@cache
def page():
    """The seconds of this thread that a page of equations takes; the median of three."""
    lines = [
        rf"$$y^{{({a})}}_i = x_i \sum_k W^{{({a})}}_{{ik}} z_k$$"
        rf"$$\frac{{\partial y^{{({a})}}_i}}{{\partial z_l}} = x_i W^{{({a})}}_{{il}}$$"
        for a in LETTERS[:8]
    ]

    def seconds():
        start = time.thread_time()
        assert check("\n\n".join(lines)).counts[str(Verdict.PROVED)] == len(lines)
        return time.thread_time() - start

    return sorted(seconds() for _ in range(3))[1]


@contextmanager
def bounded():
    """What is done inside takes no longer than it may."""
    start = time.thread_time()
    yield
    assert time.thread_time() - start < PAGES * page()


def nested(opening, inside, closing, depth):
    return f"$$y = {opening * depth}{inside}{closing * depth}$$"


def laughs(smallest):
    names = [f"\\l{letter}" for letter in LETTERS[:12]]
    macros = [f"\\newcommand{{{names[0]}}}{{{smallest}}}"]
    macros += [f"\\newcommand{{{new}}}{{{old * 10}}}" for old, new in pairwise(names)]
    return "".join(macros) + f"\n\n$$y = {names[-1]}$$"


UNREAD = {
    "round brackets": (nested("(", "x", ")", 300), "brackets nested deeper than 60"),
    "brackets that never close": (nested("(", "x", "", 5000), "brackets nested deeper than 60"),
    "braces": (nested("{", "x", "}", 2000), "brackets nested deeper than 60"),
    "large brackets": (nested(r"\left(", "x", r"\right)", 1000), "brackets nested deeper than 60"),
    "nested sums": ("$$y = 1$$" + nested(r"\sum_{i} ", "x_i", "", 500), "nested deeper than 60"),
    "a megabyte": ("$$y = " + " + ".join(["x"] * 250_000) + "$$", "an equation of more than 6000 tokens"),
    "a megabyte in one word": (f"$$y = {'x' * 1_000_000}$$", "an equation of more than 6000 tokens"),
    "one display": ("$$" + "\\\\\n".join(["y_i = 2 x_i"] * 1_100) + "$$", "an equation of more than 6000 tokens"),
    "many digits": (f"$$y = x + 2$$ $$y - x = {'9' * 5000}$$", "a number of more than 60 digits"),
    "macros of nothing": (laughs(""), "more than 5000 uses of macros"),
    "a macro of itself": (r"\newcommand{\dd}{\dd\dd} $$y = \dd$$", "macros nested deeper than 20"),
    "a macro that doubles": (r"\newcommand{\dd}[1]{#1#1}" + nested(r"\dd{", "", "}", 40), "macros nested deeper"),
    "a function that doubles": (
        f"$$f(x) = x x + x$$ $$y = 1$$ $$y = {'f(' * 30}x{')' * 30}$$",
        "more than 5000 parts",
    ),
    "functions of functions": (
        "$$f(x) = e^x$$"
        + "".join(f"$${b}(x) = {a}(x) + {a}(x) {a}(x)$$" for a, b in pairwise("fghuvwqr"))
        + "$$r'(x) = 1$$",
        "more than 400 functions put in",
    ),
    "arrays of millions": (
        f"$$A_{{{' '.join(LETTERS[:8])}}} = 2 B_{{{' '.join(LETTERS[:8])}}}$$"
        rf"$$\frac{{\partial A_{{{' '.join(LETTERS[:8])}}}}}{{\partial B_{{{' '.join(LETTERS[8:16])}}}}} = 1$$",
        "more than 3000000 entries",
    ),
}


@pytest.mark.parametrize(("source", "reason"), UNREAD.values(), ids=UNREAD)
def test_what_is_too_large_is_not_understood(source, reason):
    with bounded():
        report = check(source)
    assert report.claims[-1].verdict is Verdict.UNCLEAR
    assert reason in report.claims[-1].reason


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("\n\n".join(f"$$y_i = {n} x_i$$" for n in range(3_000)), "note.md has 3000 relations; the limit is 2000"),
        ("\n\n".join(["$$y_i = 2 x_i$$"] * 3_000), "note.md has 3000 relations; the limit is 2000"),
        (
            "\n".join(f"Let $y_{{{n}}} = x^2 + {n}$." for n in range(5_900)),
            "note.md has 5900 formulas; the limit is 4000",
        ),
        (" ".join(["$x$"] * 100_000), "note.md has 100000 formulas; the limit is 4000"),
        ("one\n\n$x" + " " * 1_000_000 + "$", "note.md, line 3: more than 2000 blanks or line ends in a row"),
    ],
    ids=[
        "three thousand equations",
        "one equation three thousand times",
        "thousands of definitions",
        "a hundred thousand formulas",
        "a million blanks",
    ],
)
def test_a_document_that_is_too_long_is_refused(source, message):
    with bounded(), pytest.raises(LimitError, match=message):
        check(source)


ODD = {
    "blanks after a dollar": "$x = x$ $y" + " " * 2000 + "z",
    "comments": "$x = x$ " + "<!--" * 50_000 + "$y = y$",
    "openings of code": "$x = x$ " + " ".join("`" * n for n in range(1, 500)) + " $y = y$",
    "openings of Liquid": "{% highlight " * 20_000 + "$x = x$",
    "parentheses": r"\(" * 100_000 + "$x = x$",
    "dollars apart": "$ " * 100_000,
    "open definitions": r"\newcommand{" * 20_000 + "$x = x$",
    "nested definitions": r"\newcommand{\a}{" * 2000 + "x" + "}" * 2000 + "$x = x$",
    "a long formula": "$$" + "x + " * 50_000 + "x = x$$",
    "a formula of formulas": "$$" + r"\frac{1}{" * 10_000 + "x" + "}" * 10_000 + " = x$$",
    "primes": "$$x" + "'" * 100_000 + " = x$$",
    "a large matrix": r"$$\begin{pmatrix}" + ("1 & " * 300 + r"1 \\") * 100 + r"\end{pmatrix} = 1$$",
    "paragraphs": "$x = x$ " + "a\n\n" * 50_000 + "$y = y$",
    "dollars": "$" * 100_000,
    "openings": r"\[" * 20_000,
    "environments": r"\begin{align}" * 20_000,
    "backticks": "`" * 100_000 + "$x$",
    "angles": "<" * 100_000 + "$x = 1$",
    "quotes": ">" * 3000 + " $$x = 1$$",
    "lists": "\n".join(" " * n + "- a" for n in range(1000)) + "$x = 1$",
    "definitions": "\n\n".join(f"$$y^{{({n + 1})}}_i = y^{{({n})}}_i y^{{({n})}}_i$$" for n in range(60)),
    "a large sum": "$$y = 2$$ $$y = " + " + ".join(["x_i"] * 900) + "$$",
    "a symmetric sum": r"$$y = \sum_{abcdef} "
    + " ".join(f"x_{{{a}{b}}}" for a in "abcdef" for b in "abcdef" if a < b)
    + "$$",
    "a high power": r"$$y_i = x_i$$ $$y_i = x_i^{999999999} + (x_i + z_i)^{99999}$$",
    "a tower": "$$y = 9$$ $$y = " + "9^{" * 20 + "9" + "}" * 20 + "$$",
    "functions of each other": "$f(x) = g(x) g(x)$ $g(x) = h(x) h(x)$ $h(x) = f(x)$ $$y = f(f(f(x)))$$",
}


@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_what_is_odd_ends(source):
    with bounded():
        report = check(source)
    assert Verdict.FOLLOWS not in {claim.verdict for claim in report.claims}


TYPESET = {
    "comments": ("note.html", "$x = x$ " + "<!--" * 100_000),
    "scripts": ("note.html", '<script type="math/tex">' * 20_000),
    "code": ("note.html", "<code>" * 50_000 + "$x = x$"),
    "verbatim": ("note.tex", r"\begin{verbatim}" * 50_000 + "$x = x$"),
    "openings": ("note.tex", r"\(" * 200_000),
    "openings on a page": ("note.html", r"\(" * 200_000),
    "macros": (
        "note.tex",
        "\n".join(rf"\newcommand{{\{a}{b}{c}}}{{x}}" for a in LETTERS for b in LETTERS for c in LETTERS[:9])
        + "$x = x$",
    ),
    "lists": ("note.tex", r"\begin{enumerate}\item " * 20_000 + "$x = x$"),
}


@pytest.mark.parametrize(("name", "source"), TYPESET.values(), ids=TYPESET)
def test_what_is_odd_in_other_formats_ends(name, source):
    with bounded():
        check(source, name)


LINES = {
    "definitions": [f"Let $y_{{{n}}} = x^2 + {n}$." for n in range(1100)],
    "sums of definitions": [f"$y_{n} = x^2 + {n}$ and $z_{n} = y_{n} + 1$." for n in range(550)],
    "sizes": [rf"Let $A_{{{n}}} \in \mathbb{{R}}^{{n \times m}}$." for n in range(3000)],
}


@pytest.mark.parametrize("lines", LINES.values(), ids=LINES)
def test_many_lines_are_read(lines):
    with bounded():
        check("\n\n".join(lines))


def test_a_thousand_members_are_judged():
    with bounded():
        report = check("$$y_i = 2 x_i$$\n\n$$y_i" + "= 2 x_i" * 1000 + "$$")
    assert report.counts[str(Verdict.PROVED)] == 1000

"""Every mistake in a spec is one clear error with its place, exit code 2, no traceback, and nothing is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app

RUNNER = CliRunner()

GOOD = """\
title "A product"
index i, j : N "rows"
index k : K
param eps = 1e-5
input x[i,k], w[k], s
y[i] = sum[k](x[i,k] * w[k]) + s
upstream G[i] = dL/dy[i]
derive x, w
"""

MISTAKES = [
    # (what is replaced, by what, line, what the message must say)
    ("index k : K", "index k", 3, "expected"),
    ("index k : K", "index k : 0", 3, "0"),
    ("index k : K", "index i : K", 3, "i"),
    ('title "A product"', 'title "A product', 1, "closing"),
    ('title "A product"', "title A product", 1, "title"),
    ("param eps", "parm eps", 4, "param"),
    ("param eps = 1e-5", "param eps = i", 4, "i"),
    ("input x[i,k]", "input x[i,q]", 5, "q"),
    ("w[k], s", "w[k], x[k]", 5, "x"),
    ("sum[k](x[i,k] * w[k])", "sum[k](x[i,k] w[k])", 6, "*"),
    ("sum[k](x[i,k] * w[k])", "sum[k](x[i,k] * w[k]", 6, "never closed"),
    ("sum[k](x[i,k] * w[k])", "sum[q](x[i,k] * w[k])", 6, "q"),
    ("sum[k](x[i,k] * w[k])", "sum[j](x[i,k] * w[k])", 6, "j"),
    ("sum[k](x[i,k] * w[k])", "x[i,k] * w[k]", 6, "k"),
    ("sum[k](x[i,k] * w[k])", "sum[k](x[i,k] * w[i])", 6, "N"),
    ("sum[k](x[i,k] * w[k])", "sum[k](x[k] * w[k])", 6, "slots"),
    ("sum[k](x[i,k] * w[k])", "sum[k](x[i,k] * v[k])", 6, "v"),
    ("sum[k](x[i,k] * w[k])", "sum[k](x[i,k] * w[k] ∕ 2)", 6, "unexpected"),
    ("sum[k](x[i,k] * w[k])", "sinn(s)", 6, "sin"),
    ("sum[k](x[i,k] * w[k])", "max(s)", 6, "max"),
    ("* w[k])", "* w[k] / 0)", 6, "division by zero"),
    ("y[i] = sum", "y[j] = sum", 6, "i"),
    ("y[i] = sum", "y[i,i] = sum", 6, "i"),
    ("y[i] = sum", "x[i] = sum", 6, "x"),
    ("y[i] = sum", "y[i] = y[i] + sum", 6, "y"),
    ("upstream G[i] = dL/dy[i]", "upstream G[k] = dL/dy[k]", 7, "y"),
    ("upstream G[i] = dL/dy[i]", "upstream G[i] = dL/dq[i]", 7, "q"),
    ("upstream G[i] = dL/dy[i]", "upstream x[i] = dL/dy[i]", 7, "x"),
    ("upstream G[i] = dL/dy[i]", "loss y", 7, "y"),
    ("derive x, w", "derive x, q", 8, "q"),
    ("derive x, w", "derive x, x", 8, "x"),
    ("derive x, w", "derive G", 8, "G"),
    ("derive x, w", "name D = dL/dq", 8, "q"),
    ("derive x, w", "prove sum[i](dL/dx[i,k]) = w[j]", 8, ""),
    ("derive x, w", "__import__('os')", 8, "unexpected"),
    ("derive x, w", "y[i] = x[i].__class__", 8, "unexpected"),
    ("* w[k])", "/ (s - s))", 6, "a denominator must not be near zero"),
    ("+ s", "+ log(-s^2 - 1)", 6, "the argument of log must be positive"),
    ("+ s", "+ (sum[k](exp(w[k])) - sum[k](exp(w[k])))^(-1)", 6, "a denominator must not be near zero"),
    ("derive x, w", "assume sum[k](w[k]^2) = 1", 8, "an assumption does not hold"),
    ("derive x, w", "t = " + "exp(" * 500 + "s" + ")" * 500, 8, "deep"),
]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_spec_without_a_mistake_is_derived():
    Path("mine.ixc").write_text(GOOD, encoding="utf-8")
    result = RUNNER.invoke(app, ["derive", "mine.ixc"])
    assert result.exit_code == 0, result.output


def refused(content: bytes) -> str:
    """What is said about a spec that must be refused; nothing may be left behind."""
    Path("mine.ixc").write_bytes(content)
    result = RUNNER.invoke(app, ["derive", "mine.ixc"])
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert [path.name for path in Path().iterdir()] == ["mine.ixc"]
    return result.stderr


@pytest.mark.parametrize(("old", "new", "line", "words"), MISTAKES, ids=[new[:40] for _, new, _, _ in MISTAKES])
def test_a_mistake_is_shown_in_its_place(old, new, line, words):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    said = refused(text.encode())
    place = re.match(r"error: mine\.ixc:(\d+):(\d+): (.*)", said)
    assert place is not None, said
    assert int(place[1]) == line, said
    assert words in place[3], said
    _, excerpt, caret = said.rstrip("\n").split("\n")
    written, column = text.splitlines()[line - 1], int(place[2])
    assert len(excerpt) < 200
    assert excerpt.strip(" …") in written
    assert excerpt[caret.index("^") :][:1] == written[column - 1 : column]
    if len(written) < 100:
        assert excerpt == "  " + written


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ""),
        (b"\n\n# nothing\n", ""),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"x" * 300_000, "longer"),
        (GOOD.encode().replace(b"rows", b"ro\x00ws"), "U+0000"),
        (b"index i : N\ninput x[i]\n", ""),
    ],
    ids=["empty", "comments", "binary", "long", "control", "no equation"],
)
def test_a_file_that_is_no_spec(content, words):
    assert words in refused(content)


def test_a_bound_that_the_check_meets_has_the_place_of_the_equation():
    said = refused(
        b"index a, b, c, d, e, f, g, h : 9\ninput u[a]\nv = sum[a](u[a])\n"
        b"w[a,b,c,d,e,f,g,h] = u[a] * u[b] * u[c] * u[d] * u[e] * u[f] * u[g] * u[h]\n"
    )
    assert said.startswith("error: mine.ixc:4:1: a term has 43046721 grid points; the limit is 20000000\n")

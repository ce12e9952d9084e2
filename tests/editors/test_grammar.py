"""The grammar for editors against the tokens of the reader, on all specs that come with the package."""

from __future__ import annotations

from itertools import pairwise

import pytest

from indexcalc.language.reader import parser
from indexcalc.language.scope import FUNCTIONS
from indexcalc.language.vocabulary import words
from indexcalc.library import shipped_paths
from tests.support.pages import ROOT
from tests.support.textmate import Grammar, grammar_text

FILE = ROOT / "docs" / "editors" / "indexcalc.tmLanguage.json"
SPECS = {**shipped_paths(), **{p.stem: p for p in sorted((ROOT / "benchmarks").rglob("*.ixc"))}}
KEYWORDS = {*words()["statements"]}
OTHERS = """title "a # b"
index i, t : T  # index j
param name = 2 "a"
input index[i,t] in (0, 1], x[i] positive "by", p[i] probability over i, S[i,t] spd over (i,t), by[i] in [-1,1]
use layer_norm(X = index[i,t],
  g = x[i]) as use giving Y as for, Z
title[i] = by[i] * sum[t](index[i,t]) .. for
h[t] = 1e-5 * h[t-1] + .5 for t in 1 .. T-1 "steps"
product hessian L by (u, v) with (s, r)
product in with jacobian p by x
gauss_newton L by x through z
split i, t over model
prove -sum[t](dL/dx[t]) = 0
"""


def read(text):
    """The tokens of the reader; what can't be read ends them."""
    interactive = parser().parse_interactive(text + "\n")
    return list(interactive.iter_parse())


def test_the_grammar_is_made_from_the_tables_of_the_language(golden):
    golden(FILE, grammar_text())


def expected(token, after):
    """The beginning of the scope of a token of the reader; empty for plain text."""
    if str(token) in KEYWORDS and token.type != "NAME":
        return "keyword."
    kinds = {"STRING": "string", "NUMBER": "constant.numeric", "GRADIENT": "variable.other.gradient"}
    kinds |= dict.fromkeys(("OPERATOR", "SIGN", "POWER", "RELATION", "EQUAL", "FLOOR", "_DOTS"), "keyword.operator")
    if token.type == "NAME" and str(token) in FUNCTIONS and after.type == "LPAR":
        return "support.function"
    return kinds.get(token.type, "")


def compare(text, tokens):
    scopes = dict.fromkeys(range(len(text)), ())
    for start, end, found in Grammar(FILE.read_text("utf-8")).tokens(text):
        scopes |= dict.fromkeys(range(start, end), found)
    count = 0
    for token, after in pairwise(tokens):
        own = [scopes[place][-1:] or ("",) for place in range(token.start_pos, token.end_pos)]
        wanted = expected(token, after)
        if token.type == "_NL" or (token.type in ("LPAR", "RPAR", "LSQB", "RSQB", "COMMA", "COLON") and not wanted):
            continue
        for (scope,) in own:
            told = (str(token), token.line, scope)
            if wanted:
                assert scope.startswith(wanted) or scope.startswith("constant.character"), told
            else:
                assert not scope.startswith(("keyword", "string", "comment", "constant")), told
        count += bool(wanted)
    return count


@pytest.mark.parametrize("name", SPECS)
def test_every_token_of_a_spec_has_its_scope(name):
    text = SPECS[name].read_text(encoding="utf-8")
    assert compare(text, read(text)) > 5


def test_words_are_words_where_the_language_has_them_and_names_elsewhere():
    lines = [line for line in OTHERS.replace(",\n", ", ").replace(" .. for\n", "\n").split("\n") if line]
    for line in lines:
        compare(line, read(line))


def test_a_comment_is_one_to_the_end_of_its_line_and_in_no_string():
    text = OTHERS
    tokens = Grammar(FILE.read_text("utf-8")).tokens(text)
    found = [text[a:b] for a, b, s in tokens if s[-1:] and "comment" in s[-1]]
    assert found == ["# index j"]


def test_brackets_hold_more_lines_of_a_statement():
    text = "use layer_norm(X = H[n,m],\n  g = as) as ln giving Y as Z\ny[i] = by\n"
    marked = [
        (text[a:b], text.count("\n", 0, a))
        for a, b, s in Grammar(FILE.read_text("utf-8")).tokens(text)
        if s[-1:] == ("keyword.other.ixc",)
    ]
    assert marked == [("as", 1), ("giving", 1), ("as", 1)]

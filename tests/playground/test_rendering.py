"""Checked documents as they are read: every relation can be chosen, and nothing of the document runs or is fetched."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import CheckReport
from indexcalc.playground import typeset
from indexcalc.playground.rendering import PRIVATE, rendered
from tests.playground.support import WRONG_NOTE
from tests.support.pages import ROOT

pytest.importorskip("pypandoc")

MARKED = re.compile(r'<(\w+) class="(\w+)" data-claim="(\d+)"')


def claims_shown(report: CheckReport) -> dict[int, str]:
    """The relations that a rendered document marks, each with its style."""
    return {int(number): style for _, style, number in MARKED.findall(rendered(report))}


class Elements(HTMLParser):
    """The elements of a page, and whether each ends where it should."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("br", "hr", "img", "col", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


NOTES = ("attention", "mlp_relu", "softmax", "linear", "softmax_cross_entropy")


@pytest.mark.parametrize("path", [ROOT / "derivations" / name / f"{name}.md" for name in NOTES], ids=NOTES)
def test_each_relation_of_a_note_is_marked_in_the_formula_that_holds_it(path):
    report = check(path.read_text(encoding="utf-8"), path.name)
    page = rendered(report)
    Elements(page)
    placed = {number for number, claim in enumerate(report.claims) if claim.place is not None}
    first = {min(n for n in placed if report.claims[n].place == report.claims[number].place) for number in placed}
    assert set(claims_shown(report)) == first
    assert not PRIVATE.search(page)
    assert {tag for tag, _, _ in MARKED.findall(page)} == {"mrow"}


TEXT = r"""$$y_i = \sum_j W_{ij} x_j$$

\begin{align}
\frac{\partial L}{\partial x_j} &= \sum_i W_{ij} \frac{\partial L}{\partial y_j} \\
\frac{\partial L}{\partial W_{ij}} &= \frac{\partial L}{\partial y_i} x_j
\end{align}
"""

SPELLINGS = {
    "Markdown with dollars": ("note.md", TEXT),
    "Markdown with brackets": ("note.md", TEXT.replace("$$y", r"\[y").replace("j$$", r"j\]")),
    "Markdown with a fence": ("note.md", TEXT.replace("$$y", "```math\ny").replace("j$$", "j\n```")),
    "a quotation": ("note.md", "> " + TEXT.replace("\n", "\n> ")),
    "a list": ("note.md", "- one\n- " + TEXT.replace("\n", "\n  ")),
    "LaTeX": ("note.tex", rf"\documentclass{{article}}\begin{{document}}\section{{One}} {TEXT} \end{{document}}"),
    "LaTeX with macros": (
        "note.tex",
        r"\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}}\newcommand{\eqn}[1]{\begin{align}#1\end{align}}"
        + re.sub(
            r"\\begin\{align\}(.*?)\\end\{align\}",
            lambda match: rf"\eqn{{{match[1]}}}",
            re.sub(r"\\frac\{\\partial L\}\{\\partial (\S+)\}(?= )", r"\\pd{L}{\1}", TEXT),
            flags=re.DOTALL,
        ),
    ),
    "HTML": ("note.html", f"<h1>One</h1><p>{TEXT}</p>"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_wrong_relation_is_marked_in_every_format(spelling):
    name, text = SPELLINGS[spelling]
    report = check(text, name)
    page = rendered(report)
    Elements(page)
    wrong = [number for number, claim in enumerate(report.claims) if claim.verdict == "refuted"]
    assert len(wrong) == 1
    assert claims_shown(report) == {n: "wrong" if n in wrong else claims_shown(report)[n] for n in range(3)}
    assert page.count("<math") == 2
    assert "\\" not in re.sub(r'="[^"]*"', "", page)
    assert "$" not in page


HOSTILE = r"""# A <script>alert(1)</script> title

<script>alert(1)</script> <img src="http://elsewhere.example/a.png" onerror="alert(1)">
[one](javascript:alert(1)) [two](JavaScript:alert) [three](data:text/html,x) [four](https://example.org/ "x")
![picture](http://elsewhere.example/b.png) <b onclick="alert(1)" style="color: red" id="said">bold</b>

$$\href{javascript:alert(1)}{x} = \text{<script>alert(1)</script>}$$
$$a = "<img src=x onerror=alert(1)>"$$
"""


@pytest.mark.parametrize("name", ["note.md", "note.html", "note.tex"])
def test_nothing_of_a_document_runs_or_is_fetched(name):
    for tag, attributes in Elements(rendered(check(HOSTILE, name))).found:
        assert tag not in ("script", "img", "iframe", "object", "style", "link", "svg", "form", "input")
        assert not [key for key in attributes if key.startswith("on") or key in ("src", "id", "action")]
        assert str(attributes.get("href", "https:")).startswith("https:")


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\foo{x} = y", "foo"),
        (r"{\rm softmax}(x) = y", "softmax"),
        (r"a = b \label{one} \tag{2}", "b"),
        (r"a &= b \\ &= c", "c"),
    ],
)
def test_a_formula_with_unusual_commands_is_typeset(formula, shown):
    page = rendered(check(f"$$\n{formula}\n$$\n", "note.md"))
    assert shown in re.sub("<.*?>", "", page)
    assert "<code>" not in page


def test_a_formula_that_cannot_be_typeset_stands_as_it_is_written():
    page = rendered(check(r"Here $y = \frac{a < b$ end.", "note.md"))
    Elements(page)
    assert re.sub("<.*?>", "", page).strip() == r"Here y = \frac{a &lt; b end."


def test_a_bracket_keeps_its_size():
    page = rendered(check("$$y = \\Bigl(a + b\\Bigr)^2$$", "note.md"))
    assert [tag for tag, _, _ in MARKED.findall(page)] == ["mrow"]


@pytest.mark.parametrize("number", [0, 1, 99])
def test_signs_that_stand_for_formulas_cannot_be_written_by_a_document(number):
    page = rendered(check(f"One $x = y$. {f'&#xE000;{number}&#xE001; ' * 50}", "note.md"))
    Elements(page)
    assert page.count("<math") == 1


def test_a_control_character_in_a_formula_breaks_nothing():
    Elements(rendered(check("$$a = b \x01 c$$ and $x = \x0b y$", "note.md")))


def test_without_pandoc_there_is_no_page(monkeypatch):
    def missing() -> str:
        raise typeset.NotTypesetError("pandoc is not installed")

    monkeypatch.setattr(typeset, "program", missing)
    assert rendered(check(WRONG_NOTE, "note.md")) == ""


def test_what_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(typeset, "SECONDS", 0.001)
    assert rendered(check(WRONG_NOTE, "note.md")) == ""


def test_deep_nesting_ends_in_a_page_or_none():
    for text in ("> " * 2_000 + "a", "[" * 5_000 + "a" + "]" * 5_000, "$" + "{" * 3_000 + "a" + "}" * 3_000 + "$"):
        Elements(rendered(check(text, "note.md")))

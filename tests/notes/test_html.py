"""The page: every block is there, every element closed, every text of the author harmless, nothing fetched."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings

from indexcalc.language import load_problem
from indexcalc.library import shipped
from indexcalc.notes import VIEWS, html_note
from indexcalc.notes.blocks import Display, Displays, Heading, Paragraph, Table
from indexcalc.notes.outline import outline
from indexcalc.problem import Problem
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS, attention
from tests.notes.test_writers import nasty_problem
from tests.support.programs import problems

VOID = frozenset(("meta", "br", "mspace", "input"))
"""The elements without content that the page uses."""


class Reader(HTMLParser):
    """Reads a page with a stack of open elements."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack
        assert self.stack.pop() == tag


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.stack == []
    for formula in re.findall(r"<math.*?</math>", page, re.DOTALL):
        ET.fromstring(formula)
    ids = [value for name, value in reader.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    for name, value in reader.attributes:
        if name == "aria-labelledby":
            assert value in ids
        for target in re.findall(r"url\(#(.*?)\)", value or ""):
            assert target in ids
        if name == "href":
            assert value is not None
            assert value.removeprefix("#") in ids
    assert "\x1e" not in page
    assert "\x1f" not in page
    return reader


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<(style|script)>.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)).split())


@pytest.mark.parametrize("name", [one.name for one in shipped()])
def test_every_shipped_note_is_a_page(name: str) -> None:
    path = next(one.path for one in shipped() if one.name == name)
    read(html_note(derive(load_problem(path)), VIEWS))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(problems())
def test_a_page_can_be_written_of_random_programs(problem: Problem) -> None:
    read(html_note(derive(problem)))


@pytest.mark.parametrize("make", PROBLEMS.values(), ids=PROBLEMS)
def test_every_block_is_on_the_page(make) -> None:
    derivation = derive(make())
    blocks, page = outline(derivation), html_note(derivation)
    reader = read(page)
    displays = sum(len(b.items) if isinstance(b, Displays) else isinstance(b, Display) for b in blocks)
    assert page.count('<math display="block">') >= displays > 0
    assert reader.tags.count("table") >= sum(isinstance(b, Table) for b in blocks)
    assert sum(tag in ("h1", "h2", "h3", "h4") for tag in reader.tags) >= sum(isinstance(b, Heading) for b in blocks)
    said = words(page)
    for block in blocks:
        if isinstance(block, Paragraph):
            for span in block.spans:
                if isinstance(span, str):
                    assert " ".join(span.split()) in said


def test_what_an_author_writes_is_no_markup() -> None:
    problem = nasty_problem()
    title = '</title><script>alert("x")</script><img src=x onerror=y>'
    program = replace(problem.program, title=title, index_docs={"tok_1": "</td><b onclick='x'>"})
    page = html_note(derive(replace(problem, program=program)), VIEWS)
    reader = read(page)
    plain = read(html_note(derive(attention()), VIEWS))
    assert not {"img", "b", "onerror"} & set(reader.tags)
    assert reader.tags.count("script") == plain.tags.count("script")
    assert not any(name.startswith("on") for name, _ in reader.attributes)
    assert title in unescape(page)
    assert "<script>alert" not in page


def test_nothing_is_fetched() -> None:
    page = html_note(derive(attention()))
    reader = read(page)
    assert not {"link", "img", "iframe", "object"} & set(reader.tags)
    assert not any(name == "src" for name, _ in reader.attributes)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == reader.tags.count("script") == 1
    assert not re.search(r"fetch|XMLHttp|import|eval|Function|innerHTML|WebSocket", scripts[0])
    assert "url(" not in page.replace("url(#", "")
    assert "@import" not in page
    assert not re.search(r"https?:", page.replace("http://www.w3.org/2000/svg", ""))


@pytest.mark.parametrize("make", PROBLEMS.values(), ids=PROBLEMS)
def test_the_legend_names_every_index_in_its_colour(make) -> None:
    page = html_note(derive(make()))
    legend, body = re.search(r'<aside class="legend".*?</aside>', page, re.DOTALL), page.partition("</aside>")[2]
    assert legend is not None
    numbers = re.compile(r'class="index (i\d+)"')
    assert set(numbers.findall(body)) <= set(numbers.findall(legend[0]))
    for name in numbers.findall(body):
        assert page.count(f".{name}{{color:") == 2
        # One number is one symbol.
        shown = set(re.findall(rf'<(m\w+) class="index {name}">(.*?)</\1>', page))
        assert len(shown) == 1, shown


def test_a_dataflow_that_is_too_long_to_be_drawn_is_left_out(monkeypatch):
    derivation = derive(attention())
    drawn = html_note(derivation)
    monkeypatch.setattr("indexcalc.notes.layers.MOST", 3)
    page = html_note(derivation)
    assert "too long for a drawing" in page
    assert "too long for a drawing" not in drawn
    assert page.count("<h2") == drawn.count("<h2")
    assert page.count('class="drawing"') < drawn.count('class="drawing"')

"""What a page shows at a level is the note of that level, word for word; results are a part of the brief note."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from indexcalc.calculus.steps import Derivation
from indexcalc.language.read import load_problem
from indexcalc.notes import Detail, html_note
from indexcalc.notes.blocks import Display, Heading, displays_of
from indexcalc.notes.levels import Level, heading_level, parts_of
from indexcalc.notes.outline import outline
from indexcalc.notes.pictures import pictures_of
from indexcalc.notes.setup import setup_blocks
from indexcalc.notes.sides import side_terms
from indexcalc.problem import Problem
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS, attention
from tests.notes.test_html import VOID
from tests.support.programs import problems

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("layer_norm", "lstm", "gaussian_process", "logistic_hessian", "conv2d", "clip")


def shown(derivation: Derivation, level: Level, detail: Detail = Detail.FULL) -> tuple[object, ...]:
    return tuple(part.block for part in parts_of(derivation, detail=detail) if level in part.levels)


def assert_levels_are_notes(derivation: Derivation) -> None:
    assert shown(derivation, Level.FULL) == outline(derivation)
    assert shown(derivation, Level.BRIEF) == outline(derivation, detail=Detail.BRIEF)
    parts = parts_of(derivation)
    assert all(Level.BRIEF in part.levels for part in parts if Level.RESULT in part.levels)
    # Where a heading is hidden, all that it begins is.
    for number, part in enumerate(parts):
        level = heading_level(part.block)
        if level is None:
            continue
        for other in parts[number + 1 :]:
            found = heading_level(other.block)
            if found is not None and found <= level:
                break
            assert other.levels - {Level.RESULT} <= part.levels


@pytest.fixture(scope="module", params=[*PROBLEMS, *SHIPPED])
def derivation(request) -> Derivation:
    path = ROOT / "derivations" / request.param / f"{request.param}.ixc"
    return derive(PROBLEMS[request.param]() if request.param in PROBLEMS else load_problem(path))


def test_a_level_is_the_note_of_that_level(derivation) -> None:
    assert_levels_are_notes(derivation)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(problems())
def test_so_it_is_for_random_programs(problem: Problem) -> None:
    assert_levels_are_notes(derive(problem))


def test_the_results_are_all_there_with_the_forward_pass_and_no_step(derivation) -> None:
    blocks = shown(derivation, Level.RESULT)
    found = {(display.left, side_terms(side)) for display in displays_of(blocks) for side in display.sides}
    results = {(s.equation.lhs, s.equation.terms) for s in derivation.sections if s.target is not None}
    assert results <= found
    assert {display.left for display in displays_of(setup_blocks(derivation))} <= {left for left, _ in found}
    assert len(blocks) < len(shown(derivation, Level.BRIEF))


def test_a_brief_page_has_no_steps_to_show(derivation) -> None:
    assert shown(derivation, Level.BRIEF, Detail.BRIEF) == outline(derivation, detail=Detail.BRIEF)
    assert shown(derivation, Level.FULL, Detail.BRIEF) == ()


def test_without_a_script_the_page_is_the_full_note() -> None:
    """What only the brief note says is hidden in the markup, and nothing else is."""
    derivation = derive(attention())
    page = html_note(derivation)
    body = page.partition("</style>")[2].partition("<script>")[0]
    marks = re.findall(r'data-levels="([^"]*)"( hidden)?', body)
    assert {bool(hidden) for _, hidden in marks} == {True, False}
    assert all(bool(hidden) == ("full" not in levels.split()) for levels, hidden in marks)
    only_brief = [part.block for part in parts_of(derivation) if part.levels == {Level.BRIEF}]
    assert only_brief
    assert not any(isinstance(block, Heading) for block in only_brief)
    brief = html_note(derivation, detail=Detail.BRIEF)
    assert 'data-levels="full' not in brief
    assert " hidden>" not in brief.partition("</style>")[2].partition("<section")[2].partition("<script>")[0]


def test_a_section_that_shows_nothing_is_hidden_with_its_heading() -> None:
    page = html_note(derive(attention()))
    symbols = re.search(
        r'<section aria-labelledby="h\d+"([^>]*)><h2([^>]*)><span id="h\d+">Symbols', page.replace("\n", "")
    )
    assert symbols is not None
    assert 'data-levels="full"' in symbols[1]
    assert 'data-levels="full"' in symbols[2]


class Titles(HTMLParser):
    """The titles of the tensor diagrams that are shown at a level."""

    def __init__(self, level: Level) -> None:
        super().__init__()
        self.level, self.found, self.hidden, self.inside = level, list[str](), list[bool](), False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        levels = dict(attrs).get("data-levels")
        if tag not in VOID:
            self.hidden.append(levels is not None and self.level not in levels.split())
        self.inside = tag == "title" and not any(self.hidden)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Nothing stands in it."""

    def handle_endtag(self, tag: str) -> None:
        self.hidden.pop()
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found.append(data)


def test_the_pictures_of_a_level_are_those_of_its_note(derivation) -> None:
    """In the brief note a result has a picture where the full one has that of the collapse that gives it."""
    page = html_note(derivation)
    for level, detail in ((Level.FULL, Detail.FULL), (Level.BRIEF, Detail.BRIEF)):
        reader = Titles(level)
        reader.feed(page)
        pictures = [picture.title for picture in pictures_of(outline(derivation, detail=detail), derivation, detail)]
        assert [title for title in reader.found if title in pictures] == pictures


def test_displays_that_are_no_results_stay_away() -> None:
    blocks = shown(derive(attention()), Level.RESULT)
    after = blocks[next(n for n, block in enumerate(blocks) if heading_level(block) == 2 and n) :]
    steps = [b for b in after if isinstance(b, Display) and not (b.boxed or b.defines) and len(b.sides) > 1]
    assert steps == []


def test_all_pages_have_the_same_script() -> None:
    """The playground lets one script run, known by its hash."""
    derivation = derive(attention())
    scripts = {html_note(derivation, detail=detail).partition("<script>")[2] for detail in Detail}
    assert len(scripts) == 1

"""The maps of a worked example: every cell has the number that the evaluator found, its sign and its size."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from indexcalc.algebra.terms import Index
from indexcalc.cli.app import app
from indexcalc.language.read import load_problem
from indexcalc.notes import html_note
from indexcalc.notes.heats import DEEPEST, LONGEST, heat_svg, heats_of, maps_of, said, written
from indexcalc.notes.text import spelling_of
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import load_values, worked

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "derivations" / "two_token_model"
SPEC, VALUES = FOLDER / "two_token_model.ixc", FOLDER / "values.toml"


@pytest.fixture(scope="module")
def derivation():
    return derive(load_problem(SPEC))


@pytest.fixture(scope="module")
def arrays(derivation):
    return worked(derivation, load_values(VALUES, derivation.problem))


def test_every_tensor_has_its_numbers(derivation, arrays) -> None:
    names, maps = spelling_of(derivation).names, heats_of(derivation, arrays).maps
    shown = {heat.title: heat for heat in maps}
    small = {name: array for name, array in arrays.items() if np.size(array) > 1}
    assert set(shown) == {names.get(name, name) for name in small}
    for name, array in small.items():
        heat = shown[names.get(name, name)]
        assert np.array_equal(np.atleast_2d(array), np.array(heat.numbers))
        assert heat.most == np.abs(array).max()
    # The weights of attention are rows that add up to one, the gradients of scores rows that add up to nothing.
    assert np.allclose(np.sum(shown["A"].numbers, axis=1), 1)
    assert np.allclose(np.sum(shown["dL/dS"].numbers, axis=1), 0)


def test_a_cell_has_its_number_its_sign_and_its_depth(derivation, arrays) -> None:
    for heat in heats_of(derivation, arrays).maps:
        root = ET.fromstring(heat_svg(heat, "x", lambda index: index.name))
        numbers = [number for row in heat.numbers for number in row]
        cells, texts = root.findall("rect"), root.findall("text")[-len(numbers) :]
        assert [text.text for text in texts] == [written(number) for number in numbers]
        for rect, number in zip(cells, numbers, strict=True):
            assert rect.get("class") == (None if not number else "plus" if number > 0 else "minus")
            assert float(rect.get("fill-opacity", "0")) == pytest.approx(DEEPEST * abs(number) / heat.most, abs=1e-3)
        words = root.findtext("desc")
        assert words == said(heat)
        assert all(written(number) in words for number in numbers)


def test_what_is_too_large_or_a_number_has_no_map() -> None:
    i, j, k, n = (Index(name, 3) for name in "ijkn")
    assert len(list(maps_of("A", (i, j), np.ones((LONGEST, LONGEST))))) == 1
    assert not list(maps_of("A", (i, j), np.ones((LONGEST + 1, 2))))
    assert not list(maps_of("A", (i, j), np.ones((2, LONGEST + 1))))
    assert not list(maps_of("L", (), np.array(1.0)))
    stack = list(maps_of("A", (i, j, k), np.arange(24.0).reshape(2, 3, 4)))
    assert [heat.title for heat in stack] == ["A, i = 0", "A, i = 1"]
    assert [heat.most for heat in stack] == [23, 23]
    assert not list(maps_of("A", (i, j, k), np.ones((5, 2, 2))))
    assert not list(maps_of("A", (i, j, k, n), np.ones((3, 2, 2, 2))))


def test_what_is_not_finite_is_said_and_has_no_colour() -> None:
    i, j = Index("i", 2), Index("j", 2)
    (heat,) = maps_of("M", (i, j), np.array([[0.0, -np.inf], [2.0, -1.0]]))
    root = ET.fromstring(heat_svg(heat, "x", lambda index: index.name))
    assert [rect.get("class") for rect in root.findall("rect")] == [None, None, "plus", "minus"]
    assert said(heat) == "i = 0, over j: 0, −∞. i = 1, over j: 2, −1."


def test_a_page_without_an_example_has_no_maps(derivation, arrays) -> None:
    assert "A worked example" not in html_note(derivation)
    page = html_note(derivation, example=arrays)
    assert page.count('class="heat"') == len(heats_of(derivation, arrays).maps)


def test_the_command_takes_values(tmp_path) -> None:
    run = CliRunner().invoke
    arguments = ["derive", str(SPEC), "--out", str(tmp_path / "a"), "--values", str(VALUES)]
    refused = run(app, [*arguments, "--format", "md"])
    assert refused.exit_code != 0
    assert "name html among the formats" in refused.stderr
    assert run(app, arguments).exit_code == 0
    assert "A worked example" in (tmp_path / "a" / "two_token_model.html").read_text(encoding="utf-8")
    missing = run(app, ["derive", str(SPEC), "--format", "html", "--values", str(tmp_path / "none.toml")])
    assert missing.exit_code != 0
    assert "cannot read the values" in missing.stderr

"""Tensor diagrams: every leg of every factor is joined once, legs outside are the result's, deltas are bare wires."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter

import pytest
import sympy as sp

from indexcalc.algebra.terms import Access, Delta, Index
from indexcalc.calculus.steps import Derivation
from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import Detail, html_note, svg_note, tikz_note
from indexcalc.notes.network_layout import Curve, Dot, Drawing, Label, Shape, drawn
from indexcalc.notes.network_tikz import tex_text
from indexcalc.notes.networks import Kind, Network, networks_of, powered
from indexcalc.notes.outline import outline
from indexcalc.notes.pictures import Picture, pictures_of
from indexcalc.notes.text import PLAIN, short_scalar
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

NAMES = ("attention", "conv2d", "gaussian_process", "logistic_hessian", "lstm", "softmax_cross_entropy", "tucker")
"""Shipped derivations with expressions in slots, recurrences, systems, second derivatives, and products of many."""


@pytest.fixture(scope="module", params=NAMES)
def derivation(request: pytest.FixtureRequest) -> Derivation:
    return derive(load_problem(shipped_paths()[request.param]))


def all_pictures(derivation: Derivation, detail: Detail = Detail.FULL) -> tuple[Picture, ...]:
    return tuple(pictures_of(outline(derivation, detail=detail), derivation, detail))


def drawings_of_results(derivation: Derivation) -> list[tuple[tuple[Network, ...], Drawing]]:
    found = []
    for equation in derivation.backward.equations:
        networks = networks_of(equation.terms, equation.lhs.indices, PLAIN)
        found += [(networks, drawn([networks]))] if networks else []
    return found


def test_every_leg_is_an_end_of_one_joint(derivation: Derivation) -> None:
    for networks, _ in drawings_of_results(derivation):
        for network in networks:
            ends = Counter(end for joint in network.joints for end in joint.ends)
            legs = {(body, leg) for body, one in enumerate(network.bodies) for leg in range(len(one.legs))}
            assert ends == dict.fromkeys(legs, 1)
            assert all(network.bodies[b].legs[leg] == joint.index for joint in network.joints for b, leg in joint.ends)


def test_legs_outside_are_the_indices_of_the_result() -> None:
    for make in PROBLEMS.values():
        for equation in derive(make()).backward.equations:
            for network in networks_of(equation.terms, equation.lhs.indices, PLAIN):
                assert {joint.index for joint in network.joints if joint.free} == set(equation.lhs.indices)


def test_bodies_are_apart_and_everything_is_inside(derivation: Derivation) -> None:
    for picture in all_pictures(derivation):
        shapes = [part for part in picture.drawing.parts if isinstance(part, Shape)]
        for number, one in enumerate(shapes):
            for other in shapes[:number]:
                beside = abs(one.x - other.x) >= (one.width + other.width) / 2
                assert beside or abs(one.y - other.y) >= (one.height + other.height) / 2
        for part in picture.drawing.parts:
            points = part.points if isinstance(part, Curve) else ((part.x, part.y),)
            for x, y in points:
                assert 0 <= x <= picture.drawing.width
                assert 0 <= y <= picture.drawing.height


def test_names_are_clear_of_the_wires_that_lie_level(derivation: Derivation) -> None:
    for picture in all_pictures(derivation):
        names = [part for part in picture.drawing.parts if isinstance(part, Label) and part.index is not None]
        curves = [part for part in picture.drawing.parts if isinstance(part, Curve)]
        for start, end in ((c.points[0], c.points[3]) for c in curves if len({y for _, y in c.points}) == 1):
            over = [name for name in names if start[0] - 4 < name.x < end[0] + 4]
            assert all(abs(name.y - start[1]) > 8 for name in over), picture.title


def test_scalars_and_powers_are_short() -> None:
    T, d = sp.symbols("T d", positive=True)
    shown = {1 / sp.sqrt(d): "1/√d", sp.sqrt(d + T): "√(T + d)", d + T: "(T + d)", 1 / (2 * sp.sqrt(d)): "1/(2*√d)"}
    assert {short_scalar(value): text for value, text in shown.items()} == {text: text for text in shown.values()}
    powers = {sp.Integer(-1): "1/Z", sp.Integer(-2): "1/Z^2", sp.S.Half: "√Z", -sp.S.Half: "1/√Z"}
    assert {powered("Z", exponent) for exponent in powers} == set(powers.values())
    assert powered("exp(S)", sp.S.Half) == "√(exp(S))"


MEAN = """title "t"
index i : N
index k : K
input X[i,k]
mu[k] = 1/N * sum[i](X[i,k])
E[i,k] = exp(mu[k] - X[i,k])
upstream G[i,k] = dL/dE[i,k]
derive X
"""


def test_a_sum_of_one_factor_is_a_leg_that_ends_in_a_dot() -> None:
    pictures = {picture.title: picture.drawing.parts for picture in all_pictures(derive(read_problem(MEAN)))}
    parts = pictures["mu[k] = (1/N) Σ_i X[i,k]"]
    assert [part.index.name for part in parts if isinstance(part, Dot)] == ["i"]
    # What is no more than a function of one tensor has no picture.
    assert not any(title.startswith("E[i,k]") for title in pictures)


def test_the_name_at_a_dot_is_beside_the_leg_that_goes_past_it() -> None:
    pictures = {picture.title: picture.drawing.parts for picture in all_pictures(derive(read_problem(MEAN)))}
    parts = pictures["mu[k] = (1/N) Σ_i X[i,k]"]
    (name,) = (part for part in parts if isinstance(part, Label) and part.text == "i")
    legs = [c.points for c in parts if isinstance(c, Curve) and c.points[0][1] < name.y < c.points[3][1]]
    assert legs
    assert all(abs(points[0][0] - name.x) > 8 for points in legs)


def test_a_delta_is_a_wire_without_a_body() -> None:
    i, j, k = Index("i", 2), Index("j", 3), Index("k", 3)
    (term,) = derive(PROBLEMS["linear"]()).backward.equations[0].terms
    one = type(term)(term.coeff, ((Access("x", (i, j)), term.coeff), (Delta(j, k), term.coeff)), (j,))
    networks = networks_of((one,), (i, k), PLAIN)
    assert [body.kind for body in networks[0].bodies] == [Kind.TENSOR, Kind.DELTA]
    parts = drawn([networks]).parts
    assert [part.body.label for part in parts if isinstance(part, Shape)] == ["x"]
    ends: dict[Index, set[tuple[float, float]]] = {}
    for part in parts:
        if isinstance(part, Curve):
            ends.setdefault(part.index, set()).update((part.points[0], part.points[3]))
    # The two colours meet in one point, and only there.
    assert len(ends[j] & ends[k]) == 1
    assert {part.text for part in parts if isinstance(part, Label)} == {"i", "j", "k"}


def test_collapses_are_drawn_before_and_after_in_full_detail_only() -> None:
    derivation = derive(PROBLEMS["attention"]())
    collapses = [picture for picture in all_pictures(derivation) if picture.collapses]
    assert collapses
    for picture in collapses:
        left, before, after = picture.title.split(" = ")
        assert before.count("δ") > after.count("δ"), left
    assert not any(picture.collapses for picture in all_pictures(derivation, Detail.BRIEF))


def test_the_file_and_the_page_hold_the_same_pictures_with_words(derivation: Derivation) -> None:
    pictures = all_pictures(derivation)
    root = ET.fromstring(svg_note(derivation))
    space = "{http://www.w3.org/2000/svg}"
    inner = root.findall(f"{space}svg")
    assert [svg.findtext(f"{space}title") for svg in inner] == [picture.title for picture in pictures]
    assert all(svg.findtext(f"{space}desc") for svg in inner)
    note = html_note(derivation)
    page = re.findall(r'<svg class="network".*?</svg>', note, re.DOTALL)
    titles = [ET.fromstring(svg).findtext("title") for svg in page]
    # Where the brief note has a result alone, or under another heading, the page has that beside the full one.
    brief = {picture.title for picture in all_pictures(derivation, Detail.BRIEF)}
    full = list(dict.fromkeys(picture.title for picture in pictures))
    assert list(dict.fromkeys(title for title in titles if title in full)) == full
    assert set(titles) <= {*full, *brief}
    ids = re.findall(r' id="([^"]*)"', note)
    assert len(ids) == len(set(ids))


def test_texts_are_no_commands() -> None:
    assert tex_text(r"a_b\c{") == r"a\_b\textbackslash{}c\{"


def test_tikz_compiles(tmp_path) -> None:
    find = shutil.which("kpsewhich")
    if (
        shutil.which("pdflatex") is None
        or find is None
        or subprocess.run([find, "tikz.sty"], check=False, capture_output=True).returncode
    ):
        pytest.skip("pdflatex or TikZ is not installed")
    (tmp_path / "note.tex").write_text(tikz_note(derive(PROBLEMS["attention"]())), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "note.tex"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]

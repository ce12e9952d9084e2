"""The project's own pages, checked as it checks those of others."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from indexcalc.document import check
from indexcalc.library import shipped_paths
from tests.support.gradients import step_by_step
from tests.support.pages import PAGES, ROOT

LESS_READ = {
    "conv2d": "its arrays have more entries than are tried",
    "max_pool": "the derivatives of its steps are zero on both sides, which says nothing",
    "mlp_hessian_vector": "its operator along directions is no function, and formulas of gradients are differentiated",
    "total_variation": "it says twice what its differences are",
}
"""Notes of which less is read, and why; of these, too, nothing is refuted."""

NOTES = [
    path.with_suffix(".md")
    for name, path in shipped_paths().items()
    if name not in LESS_READ and name not in step_by_step()
][::8]
"""Some of the notes; most are checked where they are broken, too."""


OTHERS = [path for path in PAGES if path.name != "gallery.md"]
"""The pages but that of all gradients, which takes long, and is checked once, with what its boxes say."""


@pytest.mark.parametrize("path", [*OTHERS, *NOTES], ids=lambda path: path.name)
def test_nothing_in_it_is_wrong_and_nearly_everything_is_read(path):
    is_right_and_read(check(path.read_text(encoding="utf-8"), path.name))


def is_right_and_read(report):
    """Nothing of a page is refuted, and nearly everything is read."""
    assert not report.refuted
    assert len(report.unclear) <= (1 - READ) * len(report.claims), report.unclear


SYSTEMS = ("kernel_ridge", "mahalanobis", "least_squares_layer")
"""Notes whose systems determine a tensor by which they differentiate, too."""


@pytest.mark.parametrize("name", SYSTEMS)
def test_nothing_in_a_note_about_a_system_is_refuted(name):
    path = shipped_paths()[name].with_suffix(".md")
    assert not check(path.read_text(encoding="utf-8"), path.name).refuted


READ = 0.94
"""How much of a page is read: two sides that are both zero say nothing, for example."""

CONFIRMED = (
    "conv_transpose",
    "flash_attention",
    "focal_loss",
    "gru_cell",
    "huber",
    "linear_attention",
    "lstm_cell",
    "mha_block",
    "sliding_window_attention",
    "tsne",
)
"""Sections of the gallery with gradients that the check confirms by numbers alone: powers with symbols, clipped
values, a symmetry that follows, a gradient whose given name could be a differential, brackets around places."""

OPEN = {
    "two_token_model": 1,
    **{"conv1d": 1, "conv2d": 2, "depthwise_separable": 1, "heat_equation_step": 1, "max_pool": 1},
    **{"relative_position_attention": 1, "total_variation": 1},
}
"""Gradients that are left open: the first needs the assumption that the labels add up to one; of the others the gallery
does not say how many values their indices have, as the notes do."""


def without_recurrences(gallery):
    """The page of all gradients without the sections about recurrences."""
    head, *sections = re.split("(?m)^(?=## )", gallery)
    return head + "".join(one for one in sections if one.partition("\n")[0].removeprefix("## ") not in step_by_step())


@pytest.fixture(scope="module")
def gallery():
    """The page of all gradients, but for recurrences."""
    return without_recurrences((ROOT / "docs" / "gallery.md").read_text(encoding="utf-8"))


def section_of(text, line):
    """The heading above a line."""
    return next(above.removeprefix("## ") for above in reversed(text.splitlines()[:line]) if above.startswith("## "))


def test_the_gallery_is_right_and_every_boxed_gradient_is_proved(gallery):
    boxed = [
        number + line.endswith(r"\begin{aligned}")  # of several rows, the first stands below
        for number, line in enumerate(gallery.splitlines(), 1)
        if line.startswith(r"\boxed")
    ]
    report = check(gallery, "gallery.md")
    is_right_and_read(report)
    found = [claim for claim in report.claims if claim.line in boxed]
    verdicts = {claim.line: str(claim.verdict) for claim in found}
    names = {line: section_of(gallery, line) for line in boxed}
    assert names.keys() == verdicts.keys()
    unread = Counter(names[line] for line, verdict in verdicts.items() if verdict == "not understood")
    assert unread == OPEN
    for line, verdict in verdicts.items():
        if names[line] not in (*CONFIRMED, *OPEN):
            assert verdict in ("proved", "definition"), (names[line], line)


def test_a_broken_gradient_of_the_gallery_is_refuted_at_its_line(gallery):
    start = gallery.index("## layer_norm\n")
    section = gallery[start : gallery.index("\n## ", start)]
    before, right, after = section.partition(r"- s_{n} \, \mathrm{xh}")
    assert right
    report = check(before + right.replace("-", "+") + after, "gallery.md")
    assert [claim.line for claim in report.refuted] == [1 + before.count("\n")]
    assert report.refuted[0].correction


@pytest.mark.parametrize("name", LESS_READ)
def test_what_is_not_read_whole_is_not_refuted(name):
    path = shipped_paths()[name].with_suffix(".md")
    report = check(path.read_text(encoding="utf-8"), path.name)
    assert len(report.unclear) < len(report.claims) / 2
    assert not report.refuted


@pytest.mark.parametrize("name", ["discounted_returns", "euler_ode"])
def test_of_a_recurrence_nothing_is_refuted(name):
    path = shipped_paths()[name].with_suffix(".md")
    assert not check(path.read_text(encoding="utf-8"), path.name).refuted

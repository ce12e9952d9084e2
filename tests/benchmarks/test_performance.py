"""What the benchmark of speed says of its measurements: bounds, medians, spreads, and the table on the page."""

import dataclasses
import importlib
import sys

import pytest

from tests.support.pages import ROOT


@pytest.fixture
def performance(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("performance")


@pytest.fixture
def one(performance):
    return performance.Measurement(
        work="some work",
        against="other",
        own=12.0,
        other=10.0,
        in_a_row=1.1,
        bound=1.1,
        limit=11.0,
        near=0.0,
        error=1e-6,
        agrees=True,
    )


def test_a_ratio_above_its_bound_is_missed_unless_the_limit_allows_it(one):
    assert (one.ratio, one.met, one.verdict) == (1.2, False, "MISSED")
    near = dataclasses.replace(one, near=1.1)
    assert near.allowed == pytest.approx(1.21)
    assert (near.met, near.verdict) == (True, "met by the limit: 1.1 of it")
    assert dataclasses.replace(one, own=11.0).verdict == "met"
    assert dataclasses.replace(one, own=1.0, error=0.5, agrees=False).verdict == "DISAGREES by 5.0e-01"


def test_several_runs_give_a_median_and_how_far_they_spread(performance, one):
    runs = [dataclasses.replace(one, own=own) for own in (10.0, 30.0, 11.0)]
    summary = performance.Summary(runs)
    assert summary.met
    assert summary.spread(lambda run: run.ratio) == "1.10 (1.00 to 3.00)"
    assert summary.spread(lambda run: run.in_a_row) == "1.10"
    assert summary.cells()[-3:] == ("11", "1.00", "0.91")
    wrong = performance.Summary([*runs, dataclasses.replace(one, own=1.0, agrees=False)])
    assert not wrong.met


def test_a_work_without_a_limit_has_empty_cells(performance, one):
    assert performance.Summary([dataclasses.replace(one, limit=None)]).cells()[-3:] == ("", "", "")


def test_the_table_on_the_page_is_replaced(performance, one):
    page = performance.PAGE.read_text(encoding="utf-8")
    once = performance.with_table(page, [performance.Summary([one])])
    assert "| some work | other | 12 | 10 | 1.20 | 1.1 | no | 1.10 | 11 | 1.09 | 0.91 |" in once
    assert performance.with_table(once, [performance.Summary([one])]) == once


def test_a_table_is_not_written_from_some_of_the_works(performance, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["performance.py", "lstm", "--write"])
    with pytest.raises(SystemExit):
        performance.main()
    assert "leave the names out" in capsys.readouterr().err

"""The driver of long campaigns: every seed is judged once, a run goes on where it was, the figures are right."""

from __future__ import annotations

import json

import pytest

from benchmarks import campaign
from benchmarks.campaign import Job, Judged

EVERY = Job("programs", 0, 0, "", "")


@pytest.mark.parametrize("seeds", [range(0), range(3, 4), range(0, 23), [1, 2, 5, 6, 7, 30]])
def test_every_seed_is_in_one_job(seeds):
    found = list(campaign.jobs(EVERY, seeds))
    assert [seed for job in found for seed in range(job.seed, job.seed + job.count)] == list(seeds)
    assert all(0 < job.count <= campaign.CHUNK for job in found)


ROWS = {
    0: Judged(0, ("bracket", "exp"), "numpy: wrong: dx[0] at N=2\ncounted: points: 2", 1.0),
    1: Judged(1, ("exp",), "counted: points: 2", 30.0),
    2: Judged(2, ("exp",), "refused: fast: UnsupportedError: no systems\ncounted: points: 0", 2.0),
}


def test_the_figures_count_by_feature_and_style():
    lines = [" ".join(line.split()) for line in campaign.figures(ROWS).splitlines()]
    assert lines[0] == "3 cases, 1 fail; 33 s of processor time"
    assert {"bracket 1 1", "exp 3 1", "1 numpy", "1 numpy: wrong"} <= set(lines)
    assert "compared at: 2 points in 2 cases, 0 points in 1 cases" in lines
    assert lines[-1].startswith("slowest: 30.0 s (seed 1)")


RIGHT = {"seed": 0, "features": [], "verdict": "counted: points: 2", "seconds": 1.0}
WRONG = RIGHT | {"verdict": "numpy: traceback: KeyError"}


@pytest.mark.parametrize(("row", "count", "code"), [(RIGHT, 2, 0), (WRONG, 1, 1)])
def test_a_run_goes_on_where_it_was_and_its_exit_code_says_whether_all_is_right(
    row, count, code, tmp_path, monkeypatch, capsys
):
    path = tmp_path / "judged.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    command = f"campaign.py programs --styles numpy --workers 1 --count {count} --out {path}"
    monkeypatch.setattr("sys.argv", command.split())
    assert campaign.main() == code
    lines = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0]) == row
    assert [json.loads(line)["seed"] for line in lines] == list(range(count))
    assert f"{count} cases, {code} fail" in capsys.readouterr().out

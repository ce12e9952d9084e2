"""``indexcalc cost``: a table in symbols, numbers for given sizes, JSON, and mistakes."""

from __future__ import annotations

import json

import pytest
import sympy as sp
from typer.testing import CliRunner

from indexcalc.cli.app import app
from indexcalc.library import shipped_paths
from tests.support.pages import ROOT, blocks

RUN = CliRunner()
PAGE = ROOT / "docs" / "cost.md"


def cost(*arguments: str) -> str:
    found = RUN.invoke(app, ["cost", *arguments])
    assert found.exit_code == 0, found.output
    return found.stdout


def cells(text: str, label: str) -> list[str]:
    """The cells of the row with this label, which is followed by two blanks at least."""
    (line,) = (line for line in text.splitlines() if line.startswith(label + "  "))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_symbols():
    text = cost("attention")
    assert text.startswith("Scaled dot-product attention\n")
    assert cells(text, "dL/dV[j,p]") == ["dL/dV[j,p]", "2 T^2 d_v", "4 T^2 + 8 T d_v"]
    assert cells(text, "both passes")[1] == "6 T^2 d + 6 T^2 d_v + 6 T^2 + 3 T d + 2 T d_v"
    assert cells(text, "backward pass before simplification")[1] == "4 T^2 d + 4 T^2 d_v + 8 T^2 + 2 T d + 2 T"
    assert "peak over these: 8 T^2 + 4 T bytes (S, Z, A, while A is computed)" in text


def test_numbers():
    text = cost("attention", "--at", "T=4096,d=64", "--at", "d_v=64")
    assert cells(text, "D[i,j]") == ["D[i,j]", "2.15 G", "66.0 MiB", "31.03"]
    assert "float32 at T=4096, d=64, d_v=64." in text
    assert "peak over these: 128 MiB (S, Z, A, while A is computed)" in text
    assert "in blocks of 64 i: inputs and results 8.00 MiB, peak over these 3.02 MiB, both passes move 388 MiB" in text


def test_twice_the_bytes_for_float64():
    assert cells(cost("softmax", "--dtype", "float64"), "Z[n]")[2] == "8 C N + 8 N"
    assert cells(cost("softmax"), "Z[n]")[2] == "4 C N + 4 N"


def test_a_peak_that_depends_on_the_sizes_has_all_candidates():
    assert "peak over these: the largest of " in cost("multi_head_attention")


def test_nothing_is_held_where_there_are_no_intermediates():
    assert "peak over these: nothing" in cost("linear")


@pytest.mark.parametrize("name", ["attention", "mha_block", "softmax_cross_entropy", "flash_attention"])
def test_json_in_numbers_is_json_in_symbols_with_sizes_put_in(name):
    symbols = json.loads(cost(name, "--format", "json"))
    sizes = {extent: 10 * number + 7 for number, extent in enumerate(symbols["extents"])}
    at = ",".join(f"{extent}={size}" for extent, size in sizes.items())
    numbers = json.loads(cost(name, "--format", "json", "--at", at))
    assert numbers.pop("sizes") == sizes
    assert symbols.pop("sizes") is None
    assert symbols.pop("extents") == numbers.pop("extents")
    peaks = [(symbols.pop(key), numbers.pop(key)) for key in ("peak", "peak_before")]
    named, counted = symbols.pop("in_blocks"), numbers.pop("in_blocks")
    assert (named is None) == (counted is None)
    assert (named is not None) == (name != "softmax_cross_entropy")
    if named is not None:
        assert named.items() <= counted.items()
        assert counted["peak_bytes"] > 0 < counted["bytes_moved"]
    local = {extent: sp.Symbol(extent) for extent in sizes}

    def put_in(value):
        if isinstance(value, dict):
            return {key: put_in(one) if key not in {"title", "dtype", "tensor"} else one for key, one in value.items()}
        if isinstance(value, list):
            return [put_in(one) for one in value]
        return int(sp.sympify(value, locals=local).subs(sizes))

    assert put_in(symbols) == numbers
    for candidates, (one,) in peaks:
        assert one["bytes"] == max(put_in({"bytes": candidate["bytes"]})["bytes"] for candidate in candidates)
        assert one["held"] in [candidate["held"] for candidate in candidates]


@pytest.mark.parametrize("name", shipped_paths())
def test_every_shipped_derivation_has_a_table(name):
    assert "backward pass" in cost(name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["attention", "--at", "T=4,d=2"], "--at: no size is given for d_v; add d_v=... (the extents are: T, d, d_v)"),
        (["attention", "--at", "T=4,d=2,dv=2"], "--at: there is no extent 'dv'; did you mean d_v?"),
        (["attention", "--at", "T=0,d=2,d_v=2"], "--at: the size of T is 0; a size is a positive whole number"),
        (["attention", "--at", "T=x"], "--at: the size of T is 'x'"),
        (["nothing"], "there is no derivation called 'nothing'"),
    ],
)
def test_a_mistake_is_one_message(arguments, message):
    found = RUN.invoke(app, ["cost", *arguments])
    assert found.exit_code == 2
    assert message in " ".join(found.stderr.split())
    assert "Traceback" not in found.output


def test_a_file_of_ones_own_and_sizes_past_all_units(tmp_path):
    spec = tmp_path / "mine.ixc"
    spec.write_text("index i : N\ninput x[i]\ny[i] = x[i]^2\nupstream g[i] = dL/dy[i]\nderive x\n")
    assert cells(cost(str(spec)), "dL/dx[i]")[1:] == ["2 N", "12 N"]
    assert cells(cost(str(spec), "--at", "N=" + "1" + "0" * 30), "y[i]")[1] == "1.00e+30"


def test_names_that_could_steer_the_terminal_are_not_printed(tmp_path):
    spec = tmp_path / "mine.ixc"
    spec.write_text('title "a\x1b[2Jb"\nindex i : N\ninput x[i]\ny[i] = x[i]^2\nupstream g[i] = dL/dy[i]\nderive x\n')
    found = RUN.invoke(app, ["cost", str(spec)])
    assert "\x1b" not in found.output


def without_blanks(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def test_the_page_shows_what_the_command_prints(regenerated):
    (shown,) = blocks(PAGE, "console")
    command, *lines = shown.text.splitlines()
    printed = without_blanks(cost(*command.removeprefix("$ indexcalc cost ").split()))
    if lines != printed:
        assert regenerated(PAGE, shown.text, "\n".join([command, *printed, ""])), "\n".join(printed)

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from indexcalc.checking import check
from indexcalc.cli.app import app
from indexcalc.errors import IndexCalcError, LimitError, SpecError
from tests.figures.support import checked, model, sheet, verdicts

RUN = CliRunner()


def test_a_name_is_read_by_its_description() -> None:
    (claim,) = checked("Probabilities: [0.251, 0.249, 0.251, 0.249]").claims
    assert claim.verdict.name == "CONFIRMED"
    assert claim.assumptions == ("Probabilities is P",)


def test_a_description_of_several_tensors_is_no_name() -> None:
    (claim,) = checked("weights = [[0.1, 0.0], [0.0, 0.1]]").unclear
    assert "WQ or WK or WV or WO or A; say which" in claim.reason


def test_an_alias_says_which() -> None:
    assert verdicts("weights = [[0.502, 0.498], [0.498, 0.502]]", "alias weights = A") == ["CONFIRMED"]
    assert verdicts("weights = [[0.1, 0.0], [0.0, 0.1]]", "alias weights = A") == ["REFUTED"]
    assert verdicts("<!-- indexcalc alias s = A[1] -->\ns[0] = 0.498") == ["CONFIRMED"]
    with pytest.raises(SpecError, match="alias"):
        checked("s = 0.5", "alias s = 3 + 4")


def test_an_alias_of_gradients_follows_the_author() -> None:
    context = "alias scores = SS\nalias scaled_scores = S"
    text = "dL/dscores[1][0] = 0.0025\ndL/dscaled_scores[1][0] = 0.001768"
    assert verdicts(text, context) == ["CONFIRMED", "CONFIRMED"]
    assert "REFUTED" in verdicts(text)


def test_another_entry_put_in_for_a_name_is_said() -> None:
    found = checked("dL/dc[0] = dL/dz[0] × WO[0][1] + dL/dz[2] × WO[0][2] = 0.251 × 0.1 + (-0.749) × 0.0 = 0.0251")
    (claim,) = found.refuted
    assert "0.1 stands for WO[0][1], which is 0.0" in claim.reason
    assert claim.correction == "WO[0][0] instead of WO[0][1]"


def test_a_chain_of_rounded_figures_is_no_mistake() -> None:
    found = checked("dot = 0.0025 × 0.498 + (-0.00749) × 0.502 = 0.001245 - 0.00376 = -0.002515", "alias dot = r[1]")
    assert not found.refuted
    assert found.claims[-1].verdict.name == "ROUNDED"
    assert "off by 3.6e-06" in found.claims[-1].reason


def test_arithmetic_without_names_is_followed() -> None:
    assert verdicts("k = 0.5 × 4 = 1.5 + 0.5 = 2.0") == ["DEFINITION", "CONFIRMED", "CONFIRMED"]
    assert verdicts("0.50 × 4 = 1.50 + 0.70 = 2.20")[0] == "REFUTED"


def test_a_slip_in_the_arithmetic_is_no_rounding() -> None:
    above = "A[0] = [0.502, 0.498]\nA[1] = [0.498, 0.502]\ndL/dA[1] = [0.0025, -0.00749]\n"
    chain = "dot = 0.0025 × 0.498 + (-0.00749) × 0.502 = 0.001245 - 0.00376 = "
    assert not checked(above + chain + "-0.002515", "alias dot = r[1]").refuted
    found = checked(above + chain + "-0.002505", "alias dot = r[1]")
    assert [claim.verdict.name for claim in found.refuted] == ["REFUTED"]


def test_an_update_without_its_formula_is_compared_with_it() -> None:
    assert verdicts("WQ_new[1][0] = 0.0 - 0.1 × 0.000177 = -0.0000177") == ["CONFIRMED", "CONFIRMED"]
    assert "REFUTED" in verdicts("WQ_new[1][0] = 0.0 - 0.01 × 0.000177 = -0.00000177")
    assert "REFUTED" in verdicts("WQ_new[1][0] = 0.0 + 0.1 × 0.000177 = 0.0000177")


def test_formulas_of_whole_arrays_are_compared() -> None:
    assert verdicts("dL/dQ = dL/dS × K = [[0, 0], [0.000177, -0.000177]]") == ["CONFIRMED", "CONFIRMED"]
    assert verdicts("dL/dQ = dL/dSS × K = [[0, 0], [0.000177, -0.000177]]") == ["REFUTED", "CONFIRMED"]


def test_what_is_general_states_no_number() -> None:
    assert verdicts("dL/dQ[i,k] = Σ_j dL/dS[i,j] K[j,k]\n\nx_i = s_i × (d_i - sum_j(d_j × s_j))") == []


def test_gradients_that_were_not_asked_for_are_known_too() -> None:
    right = "dL/dP = [0, 0, -3.990, 0] and dL/dX[0][0] = 0.00125"
    assert verdicts(right) == ["CONFIRMED", "CONFIRMED"]
    assert verdicts(right.replace("3.990", "3.909")) == ["REFUTED", "CONFIRMED"]


@pytest.mark.parametrize("text", ["L = (1/N) Σ_n (y[n] - t[n])^2", "L = 0.5 Σ_n 0.3", "L = 2 mean(0.3)", "L = 3x"])
def test_a_member_that_goes_on_is_not_judged_by_its_beginning(text: str) -> None:
    assert not checked(text).refuted


def test_a_bracket_behind_a_number_is_a_factor_or_a_remark() -> None:
    assert verdicts("k = 0.5 (0.3 + 0.2) = 0.25 (as before, see 3.2)") == ["DEFINITION", "CONFIRMED"]


@pytest.mark.parametrize(
    "text",
    [
        "The change of L = 0.0007, and the log of L = 0.325.",
        "see https://example.org/?L=0.5",
        "max P = 0.25 and K = 3 heads",
        "1 - 0.251 = 0.749 and L is 1.3 or so",
        "ΔL = -0.0007",
    ],
)
def test_other_quantities_are_not_accused(text: str) -> None:
    assert not checked(text).refuted


def test_the_value_of_a_quantity_is_the_quantity() -> None:
    assert verdicts("the value of L = 1.394") == ["REFUTED"]


def test_limits_are_said() -> None:
    with pytest.raises(LimitError, match="tokens"):
        checked("a b " * 60_000)
    assert verdicts("L = 1/0") == ["UNCLEAR"]


def written(folder: Path, text: str) -> str:
    path = folder / "sheet.md"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("text", "code"), [("L = 1.384", 0), ("L = 1.394", 1), ("nothing", 0)])
def test_exit_codes(tmp_path: Path, text: str, code: int) -> None:
    found = RUN.invoke(app, ["check", written(tmp_path, text), "--against", "two_token_model"])
    assert found.exit_code == code


def test_the_sheet_of_the_command_is_right(tmp_path: Path) -> None:
    found = RUN.invoke(app, ["check", written(tmp_path, sheet(3)), "--against", "two_token_model", "--strict"])
    assert found.exit_code == 0
    assert "confirmed" in found.stdout


def test_reports_for_machines_have_the_place_and_the_right_number(tmp_path: Path) -> None:
    arguments = ["check", written(tmp_path, "The loss is\n\nL = 1.394"), "--against", "two_token_model"]
    (claim,) = json.loads(RUN.invoke(app, [*arguments, "--format", "json"]).stdout)["claims"]
    assert (claim["line"], claim["column"], claim["correction"]) == (3, 5, "1.384")
    assert ",line=3,col=5" in RUN.invoke(app, [*arguments, "--format", "github"]).stdout
    assert 'failures="1"' in RUN.invoke(app, [*arguments, "--format", "junit"]).stdout
    assert "✗ refuted" in RUN.invoke(app, [*arguments, "--format", "md"]).stdout


@pytest.mark.parametrize(
    "options", [["--against", "no_such_model"], ["--values", "values.toml"], ["--against", "attention"]]
)
def test_mistakes_in_the_options_are_said(tmp_path: Path, options: list[str]) -> None:
    assert RUN.invoke(app, ["check", written(tmp_path, "L = 1"), *options]).exit_code == 2


def test_values_need_a_model() -> None:
    with pytest.raises(IndexCalcError, match="against"):
        check("L = 1", values="values.toml")
    assert check("L = 1.384", against=model().derivation, values=model().values).ok

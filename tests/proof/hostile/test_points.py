"""Hostile points: chosen from the program, within what is assumed, exact in float32, made milder where they must."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.language import load_problem, read_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.hostile.admission import Rule
from indexcalc.proof.hostile.points import additive_masks, hostile_points, multiplicative_masks
from indexcalc.proof.hostile.trial import CALLS, FEWEST, WORK, checked_range, distinct, hostile_trial, spread

MASKED = """
index i, j : N
input m[i,j], z[i,j]
p[i,j] = m[i,j]*exp(z[i,j]) / sum[j](m[i,j]*exp(z[i,j]))
derive z
"""


def names_of(text: str) -> list[str]:
    return [case.name for case in hostile_trial(read_problem(text)).cases]


def poles_of(trial) -> dict[str, tuple[str, ...]]:
    return {case.name: case.poles for case in trial.cases if case.poles}


def test_every_family_has_its_points():
    names = names_of("index i, j : N\ninput x[i,j], y[j]\nz[i] = sum[j](x[i,j]*relu(y[j]))\n")
    wanted = ["mild inputs"]
    wanted += [f"{who} times {s}" for who in ("all inputs", "x", "y") for s in ("1000", "300", "30", "0.001", "1e-06")]
    wanted += ["x plus 300", "x close together at 300", "one entry of y at 300", "equal entries of x"]
    wanted += ["two equal entries of y", "x zero", "a row of zeros in x", "an entry of y at a kink of relu"]
    assert set(wanted) <= set(names)
    assert len(names) == len(set(names))


def test_a_factor_of_an_exponential_is_a_mask():
    problem = read_problem(MASKED)
    assert multiplicative_masks(problem.program) == ("m",)
    trial = hostile_trial(problem)
    names = [case.name for case in trial.cases]
    assert {"m of ones and zeros", "a row of m all zero, the rest ones, the others times 300"} <= set(names)
    assert "p" in poles_of(trial)["a row of m all zero, the rest ones"]
    assert "m of ones and zeros" not in poles_of(trial)
    masked = next(case for case in trial.cases if case.name == "m of ones and zeros, the others times 300")
    assert set(np.unique(masked.inputs["m"])) == {0.0, 1.0}
    assert np.abs(masked.inputs["z"]).max() > 30


def test_a_mask_is_found_where_the_exponential_has_a_name_and_where_it_has_fewer_indices():
    named = "index i, j : N\ninput m[i,j], z[i,j]\ne[i,j] = exp(z[i,j])\np[i,j] = m[i,j]*e[i,j]/sum[j](m[i,j]*e[i,j])\n"
    assert multiplicative_masks(read_problem(named).program) == ("m",)
    fewer = "index i, j : N\ninput R[i,j], z[j]\nL = sum[i](log(sum[j](R[i,j]*exp(z[j]))))\nloss L\n"
    assert multiplicative_masks(read_problem(fewer).program) == ("R",)


def test_a_factor_of_a_softmax_is_a_mask():
    text = "index n : N\nindex c : C\ninput z[n,c], y[n,c]\nq[n,c] = softmax[c](z[n,c])\np[n] = sum[c](y[n,c]*q[n,c])\n"
    assert multiplicative_masks(read_problem(text).program) == ("y",)


def test_a_scalar_that_multiplies_exponentials_hides_no_entry():
    text = "index i, j : N\ninput a positive, x[i]\nK[i,j] = a*exp(-(x[i] - x[j])^2)\nderive a, x\n"
    assert multiplicative_masks(read_problem(text).program) == ()


@pytest.mark.parametrize("name", ["attention", "flash_attention", "moe_gate", "linear"])
def test_what_is_averaged_is_no_mask(name):
    assert multiplicative_masks(load_problem(shipped_paths()[name]).program) == ()


def test_what_is_added_to_an_exponent_is_a_mask_unless_it_is_trained():
    text = "index i, j : N\ninput z[i,j], m[i,j]\ns[i,j] = z[i,j] + m[i,j]\np[i,j] = softmax[j](s[i,j])\nderive {}\n"
    assert additive_masks(read_problem(text.format("z"))) == ("m",)
    assert additive_masks(read_problem(text.format("m"))) == ("z",)
    trial = hostile_trial(read_problem(text.format("z")))
    hidden = next(case for case in trial.cases if case.name == "m of zeros and minus infinity")
    assert np.isneginf(hidden.inputs["m"]).any()
    assert hidden.name not in poles_of(trial)
    assert "p" in poles_of(trial)["a row of m all minus infinity"]


def test_the_mask_of_a_shipped_block_is_found():
    assert additive_masks(load_problem(shipped_paths()["mha_block"])) == ("M",)


@pytest.mark.parametrize("name", ["softmax_cross_entropy", "tsne", "two_token_model"])
def test_what_is_assumed_holds_exactly_at_every_point(name):
    problem = load_problem(shipped_paths()[name])
    trial = hostile_trial(problem)
    sums = {"softmax_cross_entropy": ("y", (1,)), "tsne": ("P", (0, 1)), "two_token_model": ("y", (0,))}
    tensor, axes = sums[name]
    for case in trial.cases:
        assert (case.inputs[tensor].astype(float).sum(axis=axes) == 1).all(), case.name


def test_all_inputs_are_numbers_of_float32():
    for case in hostile_trial(load_problem(shipped_paths()["layer_norm"])).cases:
        assert all(array.dtype == np.float32 for array in (*case.inputs.values(), *case.weights.values()))


def test_a_point_is_made_milder_until_what_the_author_asked_for_fits():
    trial = hostile_trial(read_problem("index i : N\ninput z[i]\ne[i] = exp(z[i])\n"))
    assert ("z times 1000", "z times 48.7") in [(str(wanted), str(used)) for wanted, used, _ in trial.reduced]
    assert {reason for _, _, reason in trial.reduced} == {"values exceed float32"}
    limits = checked_range(trial).limits
    assert [(extreme.subject, extreme.words) for extreme in limits] == [("z", "{subject} times 48.7")]
    assert 20 < max(float(case.inputs["z"].max()) for case in trial.cases) < 88.8
    assert min(float(case.inputs["z"].min()) for case in trial.cases) < -88.8


def test_both_signs_are_made_milder_where_both_exceed_a_format():
    trial = hostile_trial(read_problem("index i : N\ninput z[i]\ne[i] = exp(z[i]) + exp(-z[i])\n"))
    limits = [extreme.words for extreme in checked_range(trial).limits]
    assert sorted(limits) == ["{subject} times -48.7", "{subject} times 48.7"]


def test_no_two_points_have_the_same_inputs():
    domain = "index i, j : N\ninput a[i,j] in [0,1], z[i,j]\np[i,j] = a[i,j]*exp(z[i,j])/sum[j](a[i,j]*exp(z[i,j]))\n"
    trial = hostile_trial(read_problem(domain))
    assert len({tuple(array.tobytes() for array in case.inputs.values()) for case in trial.cases}) == len(trial.cases)
    # What the domain makes zero is called so: a sign and a factor alone would leave p as it is.
    assert "a zero" in poles_of(trial)
    assert {name for name in poles_of(trial) if "cut off" in name} == {
        f"all inputs {change}, cut off at the ends of their domains" for change in ("minus 300", "times -1000")
    }


def test_a_point_says_where_a_domain_cuts_it_off():
    names = names_of("index i : N\ninput m[i] in (-1,1), y[i]\nz[i] = m[i]*y[i]\n")
    assert "m times 1000, cut off at the ends of its domain" in names
    assert "y times 1000" in names
    assert "m times 1000" not in names


@pytest.mark.parametrize("count", [6, 9])
def test_every_input_is_made_large_before_any_is_made_large_once_more(count):
    terms = " + ".join(f"x{n}[i]" for n in range(count))
    problem = read_problem(f"index i : N\ninput {', '.join(f'x{n}[i]' for n in range(count))}\ny[i] = {terms}\n")
    points = hostile_points(problem, {f"x{n}": (2,) for n in range(count)})
    for family in ("scale", "turned", "tiny", "offset", "lowered"):
        chosen = [point.subject for point in spread(points, 80) if point.family == family]
        seen = [chosen.count(subject) for subject in ("all inputs", *(f"x{n}" for n in range(count)))]
        assert max(seen) - min(seen) <= 1


def test_a_small_share_of_the_points_has_both_signs():
    points = hostile_points(load_problem(shipped_paths()["lstm"]), {})
    assert {point.family for point in spread(points, 12)} >= {"scale", "turned", "offset", "lowered"}


def test_the_others_beside_a_mask_say_where_their_domain_ends():
    text = "index i, j : N\ninput m[i,j], z[i,j] in [0,1]\np[i,j] = m[i,j]*exp(z[i,j])/sum[j](m[i,j]*exp(z[i,j]))\n"
    names = names_of(text)
    assert "m of ones and zeros, the others times 300, cut off at the ends of their domains" in names


def test_points_of_many_inputs_are_told_apart_by_what_they_change():
    count = 60
    terms = " + ".join(f"x{n}[i]" for n in range(count))
    problem = read_problem(f"index i : N\ninput {', '.join(f'x{n}[i]' for n in range(count))}\ny[i] = {terms}\n")
    admitted = []

    class Counting(Rule):
        def admitted(self, array):
            admitted.append(array)
            return super().admitted(array)

    rules = {f"x{n}": Counting((), -np.inf, np.inf, {}) for n in range(count)}
    mild = {f"x{n}": np.array([n + 1.0, -2.0, 0.5]) for n in range(count)}
    points = hostile_points(problem, dict.fromkeys(mild, (3,)))
    assert len(distinct(points, mild, rules)) == len(points)
    assert len(admitted) < 3 * len(points)


def test_zero_times_what_exceeds_a_format_is_not_asked_for():
    text = "index i : N\ninput x[i], z[i]\no[i] = z[i]*(exp(x[i]) + exp(2*x[i]))\n"
    for case in hostile_trial(read_problem(text)).cases:
        assert case.inputs["x"].max() < 45, case.name


def test_points_at_which_rounding_leaves_the_domain_are_named():
    text = "index i : N\ninput z[i]\np[i] = sigmoid(z[i])\nq[i] = log(1 - p[i])\n"
    trial = hostile_trial(read_problem(text))
    blurred = {case.name: case.blurred for case in trial.cases if case.blurred}
    assert blurred["one entry of z at 300"] == ("q", "dz")
    assert "mild inputs" not in blurred
    assert checked_range(trial).blurred


def test_no_offset_blurs_a_variance():
    trial = hostile_trial(load_problem(shipped_paths()["layer_norm"]))
    assert [case.name for case in trial.cases if case.blurred] == []


def test_points_outside_the_domain_are_left_out_with_the_reason():
    trial = hostile_trial(read_problem("index i : N\ninput z[i]\ne[i] = log(z[i] - 1)\n"))
    assert set(trial.left.values()) == {"outside the domain"}
    assert trial.cases


def test_the_points_are_the_same_every_time():
    problem = load_problem(shipped_paths()["attention"])
    first, second = hostile_trial(problem), hostile_trial(problem)
    assert [case.name for case in first.cases] == [case.name for case in second.cases]
    for left, right in zip(first.cases, second.cases, strict=True):
        assert left.truth.gradients == right.truth.gradients
        for format in left.truth.explained:
            for key, array in left.truth.explained[format].whole[1].items():
                assert np.array_equal(array, right.truth.explained[format].whole[1][key])


def test_large_programs_get_fewer_points_of_every_family():
    problem = load_problem(shipped_paths()["mha_block"])
    trial = hostile_trial(problem)
    assert FEWEST <= len(trial.cases) <= max(FEWEST, WORK // len(trial.graph.nodes))
    assert trial.untried > 0
    points = hostile_points(problem, trial.graph.shapes)
    families = {point.family for point in points}
    assert {point.family for point in spread(points, len(families))} == families


def test_a_program_of_many_functions_gets_the_most_telling_points_only():
    """Points are few enough for the work that functions are, and the first families are among them."""
    lines = "\n".join(f"x{n}[i] = tanh(x{n - 1}[i])" for n in range(1, 301))
    trial = hostile_trial(read_problem(f"index i : N\ninput x0[i]\n{lines}\nupstream G[i] = dL/dx300[i]\n"))
    assert FEWEST <= len(trial.cases) <= CALLS // 600
    assert {case.point.family for case in trial.cases} >= {"mild", "scale", "tiny", "offset"}
    assert trial.untried > 0


def test_a_program_too_large_for_a_few_points_is_tried_at_the_least_sizes():
    """300 layers with a matrix each have twice the scalars that there is time for, at sizes of 3."""
    step = "input W{n}[f,h]\nx{n}[i,f] = x{b}[i,f] + tanh(sum[h](W{n}[f,h]*x{b}[i,h]))"
    lines = "\n".join(step.format(n=n, b=n - 1) for n in range(1, 301))
    head = f"index i : N\nindex f, h : F\ninput x0[i,f]\n{lines}\n"
    trial = hostile_trial(read_problem(f"{head}upstream G[i,f] = dL/dx300[i,f]\nderive x0\n"))
    assert set(trial.sizes.values()) == {2}
    assert trial.cases

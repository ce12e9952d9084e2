"""What each device of a mesh does: textbook splits, and what holds for every mesh."""

from __future__ import annotations

import random

import pytest

import indexcalc as ic
from indexcalc.calculus.steps import Derivation
from indexcalc.codegen import target_module
from indexcalc.cost import Mesh, cost_report, read_mesh
from indexcalc.cost.mesh import MeshAxis, indices_of
from indexcalc.errors import UnsupportedError
from indexcalc.mesh.rates import Rates, RatesError, read_rates
from indexcalc.mesh.report import MeshPass, MeshReport, mesh_report


@pytest.fixture(scope="module")
def derivations() -> dict[str, Derivation]:
    names = ("softmax_cross_entropy", "mlp_gelu", "attention", "multi_head_attention", "layer_norm", "mha_block")
    return {name: ic.derive(ic.load_problem(ic.find_spec(name))) for name in names}


def said(cost: MeshPass) -> list[tuple[str, str, str]]:
    """What is sent, for which statement, and how much."""
    return [(one.kind.value, row.statement.name, str(one.sent)) for row in cost.rows for one in row.collectives]


def test_rows_of_a_batch_send_the_gradients_of_parameters_alone(derivations):
    report = mesh_report(derivations["mlp_gelu"], read_mesh(["n=8"]))
    assert said(report.forward) == []
    assert said(report.backward) == [
        ("all-reduce", "db2", "7/4 M"),
        ("all-reduce", "dW2", "7/4 H M"),
        ("all-reduce", "db1", "7/4 H"),
        ("all-reduce", "dW1", "7/4 F H"),
    ]
    assert report.backward.collectives[1].reason == "dW2[h,o] sums over n, which is split"


def test_hidden_units_send_what_their_sums_give(derivations):
    report = mesh_report(derivations["mlp_gelu"], read_mesh(["h=4"]))
    assert said(report.forward) == [("all-reduce", "Y", "3/2 M N")]
    assert said(report.backward) == [("all-reduce", "dX", "3/2 F N")]


def test_positions_gather_keys_and_values_and_scatter_their_gradients(derivations):
    report = mesh_report(derivations["attention"], read_mesh(["i+j=8"]))
    assert [(kind, name) for kind, name, _ in said(report.forward)] == [
        ("all-gather", "K_placed"),
        ("all-gather", "V_placed"),
    ]
    assert {(kind, name) for kind, name, _ in said(report.backward)} == {
        ("reduce-scatter", "dV"),
        ("all-gather", "V_placed_2"),
        ("all-gather", "K_placed_2"),
        ("reduce-scatter", "dK"),
    }
    assert report.forward.collectives[0].reason == "S[i,j] needs K at every j, which is split"


def test_rows_over_both_axes_gather_weights(derivations):
    """Weights that lie in blocks are gathered where rows are split over all devices: fully sharded data parallelism."""
    report = mesh_report(derivations["multi_head_attention"], read_mesh(["b=2,b+h=2"]))
    assert {kind for kind, _ in kinds(report.forward)} == {"all-gather"}
    assert {str(one.axis) for one in report.forward.collectives} == {"b+h=2"}
    whole = report.plan.layouts["Y"][0]
    assert whole is not None
    assert (str(whole), whole.devices) == ("b=2 and b+h=2", 4)
    source = target_module(derivations["multi_head_attention"], "jax", report.mesh).source
    assert 'PartitionSpec(("b", "b_h"), None, None)' in source


@pytest.mark.parametrize(
    ("mesh", "first"),
    [
        ("s=2,t=4", [("collective-permute", "K", "(T/4) B D_h N_H")]),
        ("s=4,t=2", [("collective-permute", "K", "(T/4) B D_h N_H"), ("all-gather", "K", "1/2 (T/2) B D_h N_H")]),
        ("s=2,t=2", [("collective-permute", "K", "(T/2) B D_h N_H")]),
    ],
)
def test_keys_on_another_axis_than_positions_are_sent_from_device_to_device(derivations, mesh: str, first: list[str]):
    report = mesh_report(derivations["multi_head_attention"], read_mesh([mesh]))
    (row,) = (row for row in report.forward.rows if row.statement.name == "K_placed")
    assert [(one.kind.value, one.tensor, str(one.sent)) for one in row.collectives] == first
    was, wanted = report.mesh.axes
    reason = f"S[b,h,s,t] needs K split by s over {wanted}, and it is split over {was}"
    assert row.collectives[0].reason == reason


def test_blocks_that_fit_no_others_are_gathered(derivations):
    report = mesh_report(derivations["multi_head_attention"], read_mesh(["s=2,t=3"]))
    (row,) = (row for row in report.forward.rows if row.statement.name == "K_placed")
    assert [(one.kind.value, str(one.sent)) for one in row.collectives] == [("all-gather", "1/2 B D_h N_H T")]
    # An axis of one device splits nothing.
    alone = mesh_report(derivations["multi_head_attention"], read_mesh(["s=1,t=4"]))
    assert not any(one.sent.terms for row in alone.forward.rows if row.placed.copy for one in row.collectives)


def test_a_softmax_over_a_split_index_takes_a_largest_entry_and_a_sum(derivations):
    report = mesh_report(derivations["softmax_cross_entropy"], read_mesh(["c=8"]))
    reasons = [one.reason for one in report.forward.collectives]
    assert "z_max[n] takes its largest or smallest entry over l, which is split" in reasons
    assert "Z[n] sums over l, which is split" in reasons


def test_along_two_axes_sums_are_added_up_one_after_the_other(derivations):
    report = mesh_report(derivations["multi_head_attention"], read_mesh(["b=2,s=4"]))
    found = [(str(one.axis), one.kind.value) for row in report.backward.rows for one in row.collectives
             if row.statement.name == "dW_Q"]  # fmt: skip
    assert found == [("b=2", "all-reduce"), ("s=4", "all-reduce")]


@pytest.mark.parametrize(
    "name", ["softmax_cross_entropy", "attention", "multi_head_attention", "layer_norm", "mha_block"]
)
def test_every_mesh(derivations, name: str):
    """No work is lost, a device holds its part at least, one device sends nothing, and the module can be written."""
    derivation, numbers = derivations[name], random.Random(name)
    program = derivation.problem.program
    sizes = {extent: 8 * (number + 1) for number, extent in enumerate(program.extents)}
    alone = mesh_report(derivation, Mesh(()))
    assert not alone.both.collectives
    # Its own statements take the largest entries of rows too, which formulas don't know.
    assert alone.both.flops.at(sizes) >= 0.9 * cost_report(derivation).both.flops.at(sizes)
    for _ in range(6):
        chosen = numbers.sample(sorted(indices_of(program)), 2)
        split = [tuple(chosen)] if numbers.random() < 0.5 else [(index,) for index in chosen]
        mesh = Mesh(tuple(MeshAxis(group, numbers.choice([2, 4])) for group in split))
        report = mesh_report(derivation, mesh)
        every = report.sizes(sizes)
        assert mesh.devices * report.both.flops.at(every) >= alone.both.flops.at(sizes)
        assert report.both.flops.at(every) <= alone.both.flops.at(sizes)
        assert mesh.devices * report.ends.at(every) >= alone.ends.at(sizes) >= report.ends.at(every)
        assert "both_passes" in target_module(derivation, "jax", mesh).source
        one = Mesh(tuple(MeshAxis(axis.indices, 1) for axis in mesh.axes))
        assert mesh_report(derivation, one).both.sent.at(sizes) == 0


def kinds(cost: MeshPass) -> list[tuple[str, str]]:
    """What is sent, for which statement."""
    return [(kind, name) for kind, name, _ in said(cost)]


def report_of(name: str, mesh: str) -> MeshReport:
    return mesh_report(ic.derive(ic.load_problem(ic.find_spec(name))), read_mesh([mesh]))


@pytest.mark.parametrize(
    ("name", "mesh", "parameters"),
    [("conv2d", "b=8", ["dw"]), ("embedding", "b=8", ["dE"]), ("max_pool", "c=8", []), ("gae", "n=8", [])],
)
def test_a_batch_sends_gradients_of_parameters_alone_whatever_moves(name: str, mesh: str, parameters: list[str]):
    report = report_of(name, mesh)
    assert kinds(report.forward) == []
    assert kinds(report.backward) == [("all-reduce", parameter) for parameter in parameters]


def test_a_recurrence_sends_nothing_between_its_steps():
    report = report_of("lstm", "b=4")
    assert kinds(report.forward) == []
    assert {kind for kind, _ in kinds(report.backward)} == {"all-reduce"}
    assert len(report.backward.collectives) == 12
    sizes = dict.fromkeys(report.plan.plan.program.extents, 8)
    alone = report_of("lstm", "b=1")
    assert 4 * report.both.flops.at(report.sizes(sizes)) == alone.both.flops.at(alone.sizes(sizes))


def test_an_index_that_is_shifted_or_looked_up_is_gathered():
    convolution, table = report_of("conv1d", "n=2"), report_of("embedding", "v=2")
    assert convolution.forward.collectives[0].reason.endswith("needs x at every n, which is split")
    assert kinds(table.forward) == [("all-gather", "E_placed")]
    assert kinds(table.backward) == []


@pytest.mark.parametrize(
    ("name", "mesh", "words"),
    [
        ("rnn", "t=2", "is computed step by step along t"),
        ("rnn", "i=2", "each step of h_arg[t,i] reads h at every i, which is split over i=2"),
        ("crf", "i=2", "split other indices, such as that of a batch"),
    ],
)
def test_what_steps_would_have_to_send_is_refused(name: str, mesh: str, words: str):
    with pytest.raises(UnsupportedError) as error:
        report_of(name, mesh)
    assert words in str(error.value)


def test_rates():
    rates = read_rates(["flops=1e12, link=5e9"])
    assert rates == Rates(flops=1e12, link=5e9)
    assert read_rates([str(rates)]) == rates
    assert read_rates(["latency=0"]).latency == 0
    for text in ("speed=3", "link", "link=0", "link=-1", "link=fast", "link=nan", "flops=inf"):
        with pytest.raises(RatesError):
            read_rates([text])


def test_times_are_those_of_a_hand_calculation(derivations):
    derivation = derivations["mlp_gelu"]
    report = mesh_report(derivation, read_mesh(["h=4"]))
    sizes = report.sizes(dict.fromkeys(derivation.problem.program.extents, 64))
    (row,) = (row for row in report.forward.rows if row.statement.name == "Y")
    rates = Rates(flops=1e3, memory=1e30, link=1e4, latency=0.25)
    # Rows times a quarter of the units times outputs, twice, and the bias; 3/2 of a square of 4 bytes; two waits.
    flops = 2 * 64 * 16 * 64 + 64 * 64
    assert row.seconds(sizes, rates, 4) == pytest.approx(flops / 1e3 + 4 * 1.5 * 64 * 64 / 1e4 + 2 * 0.25)
    slow = Rates(flops=1e30, memory=1e3, link=1e30, latency=0)
    moved = 4 * (64 * 16 + 16 * 64 + 64 + 64 * 64)
    assert row.seconds(sizes, slow, 4) == pytest.approx(moved / 1e3)

"""What is sent in a ring, held against rings that are run, and polynomials with shares for coefficients."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.cost.counts import span
from indexcalc.cost.mesh import MeshAxis
from indexcalc.cost.traffic import Collective, Kind, Traffic, sent_share, traffic

T, D = sp.symbols("T d", positive=True, integer=True)
ROW, COLUMN = Index("i", T), Index("k", D)


def ring_sum(parts: np.ndarray) -> tuple[np.ndarray, int]:
    """Blocks go round and are added up; what each device ends with, and the entries that one device sent."""
    devices, blocks = len(parts), parts.reshape(len(parts), len(parts), -1).copy()
    sent = 0
    for step in range(devices - 1):
        moving = [blocks[d, (d - step) % devices].copy() for d in range(devices)]
        for d in range(devices):
            blocks[(d + 1) % devices, (d - step) % devices] += moving[d]
        sent += moving[0].size
    return np.stack([blocks[d, (d + 1) % devices] for d in range(devices)]), sent


def ring_gather(own: np.ndarray) -> tuple[np.ndarray, int]:
    """Blocks go round until every device has all."""
    devices = len(own)
    held: list[dict[int, np.ndarray]] = [{d: own[d]} for d in range(devices)]
    sent = 0
    for step in range(devices - 1):
        moving = [held[d][(d - step) % devices] for d in range(devices)]
        for d in range(devices):
            held[(d + 1) % devices][(d - step) % devices] = moving[d]
        sent += moving[0].size
    return np.stack([np.concatenate([one[d] for d in range(devices)]) for one in held]), sent


@pytest.mark.parametrize("devices", [2, 3, 4, 8])
def test_a_ring_sends_what_is_said(devices: int):
    entries = 24 * devices
    parts = np.random.default_rng(1).standard_normal((devices, entries))
    blocks, scattered = ring_sum(parts)
    whole, gathered = ring_gather(blocks)
    total = parts.sum(axis=0).reshape(devices, -1)
    # Device d ends with block d + 1.
    assert np.allclose(whole, np.roll(total, -1, axis=0).reshape(-1))
    assert scattered == sent_share(Kind.SCATTER, devices) * entries
    assert gathered == sent_share(Kind.GATHER, devices) * entries
    assert scattered + gathered == sent_share(Kind.REDUCE, devices) * entries
    # To exchange, each device keeps one of as many blocks.
    assert sent_share(Kind.EXCHANGE, devices) * entries == entries - entries // devices


def test_a_permutation_sends_its_block():
    assert sent_share(Kind.PERMUTE, 2) == sent_share(Kind.PERMUTE, 8) == 1


def test_nothing_is_sent_by_one_device():
    assert all(sent_share(kind, 1) == 0 for kind in Kind)


def test_polynomials():
    axis = MeshAxis(("i",), 4)
    one = Collective(Kind.REDUCE, "x", axis, span((ROW, COLUMN)), "")
    other = Collective(Kind.GATHER, "y", axis, span((ROW, COLUMN), 2), "")
    both = traffic((one, other, Collective(Kind.GATHER, "z", axis, span(()), "")))
    assert str(one.sent) == "3/2 T d"
    assert str(both) == "3 T d + 3/4"
    assert str(Traffic()) == "0"
    assert both.expr == 3 * T * D + sp.Rational(3, 4)
    assert both.at({T: 5, D: 3}, 4) == 4 * 45 + 3
    assert both.at({T: 5, D: 3}) == 46
    assert (both * 4).terms[0] == ((T, D), Fraction(12))

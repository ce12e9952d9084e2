"""The search for the fastest mesh."""

from __future__ import annotations

import pytest

import indexcalc as ic
from indexcalc.cost.mesh import MeshError
from indexcalc.mesh import search as module
from indexcalc.mesh.rates import Rates
from indexcalc.mesh.search import fastest, meshes

DERIVATION = ic.derive(ic.load_problem(ic.find_spec("attention")))
SIZES = dict(zip(DERIVATION.problem.program.extents, (48, 12, 20), strict=True))


def test_every_mesh_fits_and_is_tried_once():
    found = list(meshes(DERIVATION, 12, SIZES))
    assert len(set(found)) == len(found)
    known = {index.name: SIZES[index.extent] for index in DERIVATION.problem.program.indices}
    for mesh in found:
        assert mesh.devices == 12
        assert all(known[name] % axis.devices == 0 for axis in mesh.axes for name in axis.indices)
    texts = {str(mesh) for mesh in found}
    assert {"i=12", "k=12", "i+j+l=12", "i=3,k=4", "i=4,k=3"} <= texts | {t.replace("i+j=", "i+j+l=") for t in texts}
    # The size 20 has no block for three or six, and none for twelve.
    assert not any(part in text.split(",") for text in texts for part in ("p=3", "p=6", "p=12"))


def test_the_fastest_comes_first_and_rates_decide():
    fast = fastest(DERIVATION, 4, SIZES, Rates(link=1e30, latency=0), 4)
    slow = fastest(DERIVATION, 4, SIZES, Rates(link=1e3, latency=0), 4)
    for found in (fast, slow):
        assert found.whole
        assert [one.seconds for one in found.found] == sorted(one.seconds for one in found.found)
    assert fast.found[0].seconds < fast.alone.seconds
    # Where sending takes long, the best is among those that send least.
    assert slow.found[0].sent == min(one.sent for one in slow.found)


def test_what_fits_comes_first():
    found = fastest(DERIVATION, 4, SIZES, Rates(), 4).found
    assert all(one.fits for one in found)
    least = min(one.held for one in found)
    assert found[0].held > least
    tight = fastest(DERIVATION, 4, SIZES, Rates(room=least), 4).found
    assert tight[0].held == least
    assert [one.fits for one in tight] == sorted((one.held <= least for one in tight), reverse=True)
    assert not any(one.fits for one in fastest(DERIVATION, 4, SIZES, Rates(room=least - 1), 4).found)


def test_a_bound(monkeypatch):
    monkeypatch.setattr(module, "MAX_TRIED", 3)
    found = fastest(DERIVATION, 4, SIZES, Rates(), 4)
    assert found.tried == len(found.found) == 3
    assert not found.whole


def test_numbers_of_devices_that_divide_nothing():
    with pytest.raises(MeshError, match="no index can be split over 11 devices"):
        fastest(DERIVATION, 11, SIZES, Rates(), 4)


def test_meshes_over_which_a_recurrence_cannot_be_split_are_left_out():
    derivation = ic.derive(ic.load_problem(ic.find_spec("lstm")))
    sizes = dict.fromkeys(derivation.problem.program.extents, 8)
    found = fastest(derivation, 4, sizes, Rates(), 4)
    assert 0 < len(found.found) < found.tried
    assert "b=4" in {str(one.mesh) for one in found.found}
    system = ic.derive(ic.load_problem(ic.find_spec("ridge_closed_form")))
    with pytest.raises(ic.UnsupportedError, match="has systems"):
        fastest(system, 2, dict.fromkeys(system.problem.program.extents, 4), Rates(), 4)

"""Meshes: texts, mistakes, which slots of a tensor are split, and blocks of extents."""

from __future__ import annotations

import pytest
import sympy as sp

import indexcalc as ic
from indexcalc.algebra.terms import Index
from indexcalc.cost.mesh import Mesh, MeshAxis, MeshError, block_extent, check_mesh, read_mesh, together, with_blocks

T = sp.Symbol("T", positive=True, integer=True)
ATTENTION = ic.load_problem(ic.find_spec("attention")).program


def test_texts():
    mesh = read_mesh(["h=4, s+t=2", "b=3"])
    assert mesh == Mesh((MeshAxis(("h",), 4), MeshAxis(("s", "t"), 2), MeshAxis(("b",), 3)))
    assert mesh.devices == 24
    assert str(mesh) == "h=4,s+t=2,b=3"
    assert read_mesh([str(mesh)]) == mesh
    assert [axis.name for axis in mesh.axes] == ["h", "s_t", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h", "'h' is not INDEX=DEVICES; write a mesh like h=4,s+t=2"),
        ("", "'' is not INDEX=DEVICES"),
        ("h+=4", "'h+=4' is not INDEX=DEVICES"),
        ("h=0", "the axis of h has '0' devices; expected a whole number from 1"),
        ("h=two", "the axis of h has 'two' devices"),
        ("h=-2", "the axis of h has '-2' devices"),
        ("h=99999999999", "expected a whole number from 1 to 16777216"),
        ("h=2,s+h+s=2", "the index s is split twice over one axis, s+h+s=2; name it once"),
        ("h=2,h=2", "two axes of the mesh would be called h; one with 4 devices does the same"),
        ("s+t=2,s_t=2", "two axes of the mesh would be called s_t; name other indices"),
        ("a=2,b=2,c=2,d=2,e=2", "the mesh has 5 axes; the limit is 4"),
        ("a=16777216,b=2", "the mesh has 33554432 devices; the limit is"),
    ],
)
def test_mistakes_in_texts(text: str, said: str):
    with pytest.raises(MeshError) as found:
        read_mesh([text])
    assert said in str(found.value)


def test_axes_that_a_spec_names():
    splits = {"model": ("h", "f"), "data": ("b",)}
    mesh = read_mesh(["model=4, s=2,data=1"], splits)
    assert mesh == Mesh((MeshAxis(("h", "f"), 4, "model"), MeshAxis(("s",), 2), MeshAxis(("b",), 1, "data")))
    assert str(mesh) == "model=4,s=2,data=1"
    assert read_mesh([str(mesh)], splits) == mesh
    assert [axis.name for axis in mesh.axes] == ["model", "s", "data"]
    with pytest.raises(MeshError, match=r"the spec splits b over data, .* such as --mesh model=4,s=2,data=2, with 1"):
        read_mesh(["model=4, s=2"], splits)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h=4", "the spec splits h over model; write model=4"),
        ("s+b=2", "the spec splits b over data and pod; write data=2,pod=2"),
        ("model=4,model=2,data=1,pod=1", "two axes of the mesh would be called model"),
        ("model=0", "the axis of model has '0' devices"),
    ],
)
def test_mistakes_beside_axes_that_a_spec_names(text: str, said: str):
    with pytest.raises(MeshError) as found:
        read_mesh([text], {"model": ("h", "f"), "data": ("b",), "pod": ("b",)})
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q=2", "there is no index 'q' to split; the indices are: i, k, j, p, l"),
        ("i=7", "the index i runs over T = 12, which is no multiple of the 7 devices of its axis; split it over 6, or"),
    ],
)
def test_meshes_that_do_not_fit(text: str, said: str):
    with pytest.raises(MeshError) as found:
        check_mesh(read_mesh([text]), ATTENTION, dict.fromkeys(ATTENTION.extents, 12))
    assert said in str(found.value)


def test_a_size_that_is_a_number_is_checked_without_sizes():
    problem = ic.read_problem("index i : 6\ninput x[i]\ny[i] = exp(x[i])\nupstream G[i] = dL/dy[i]\nderive x\n")
    check_mesh(read_mesh(["i=3"]), problem.program)
    with pytest.raises(MeshError, match="no multiple of the 4 devices"):
        check_mesh(read_mesh(["i=4"]), problem.program)


def test_systems_are_refused():
    program = ic.load_problem(ic.find_spec("ridge_closed_form")).program
    with pytest.raises(ic.UnsupportedError, match="which are not split over a mesh so far"):
        check_mesh(Mesh(()), program)


def test_of_two_slots_on_one_axis_the_first_is_split():
    i, j, k = (Index(name, T) for name in "ijk")
    mesh = read_mesh(["i+j=2,k=4"])
    first, second = mesh.axes
    assert mesh.split([(i,), (j,), (k,)]) == (first, None, second)
    assert mesh.split([(j,), (i,)]) == (first, None)


def test_of_fused_slots_only_the_first_is_split():
    i, j, k = (Index(name, T) for name in "ijk")
    mesh = read_mesh(["i=2,k=4"])
    first, second = mesh.axes
    assert mesh.split([(i, k), (j,)]) == (first, None, None)
    assert mesh.split([(j, k), (i,)]) == (None, None, first)
    assert mesh.split([(k, i)]) == (second, None)


def test_an_index_on_two_axes_is_split_over_those_that_are_free():
    i, j = (Index(name, T) for name in "ij")
    mesh = read_mesh(["i=2,i+j=4"])
    first, second = mesh.axes
    both = together(mesh.axes)
    assert both is not None
    assert both.devices == 8
    assert mesh.split([(i,), (j,)]) == (both, None)
    assert mesh.split([(j,), (i,)]) == (second, first)
    assert str(block_extent(T, both.devices)) == "(T/8)"
    with pytest.raises(MeshError, match="no multiple of the 8 devices"):
        check_mesh(read_mesh(["i=2,i+j=4"]), ATTENTION, dict.fromkeys(ATTENTION.extents, 12))


def test_blocks():
    assert block_extent(T, 1) == T
    assert str(block_extent(T, 4)) == "(T/4)"
    assert block_extent(sp.Integer(12), 4) == 3
    mesh = read_mesh(["i=4,k=2"])
    sizes = with_blocks({symbol: 8 * (n + 1) for n, symbol in enumerate(ATTENTION.extents)}, mesh, ATTENTION)
    for symbol in ATTENTION.extents:
        for devices in (2, 4):
            assert sizes[block_extent(symbol, devices)] * devices == sizes[symbol]

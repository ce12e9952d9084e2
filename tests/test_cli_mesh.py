"""``cost --mesh``, ``cost --devices`` and ``derive --target jax --mesh``: tables, JSON, files, and mistakes."""

from __future__ import annotations

import json
import re

import pytest
import sympy as sp
from typer.testing import CliRunner

import indexcalc as ic
from indexcalc.cli.app import app
from indexcalc.codegen import target_module
from indexcalc.cost import read_mesh
from tests.support.pages import ROOT, blocks

RUN = CliRunner()
LAYER = """title "A layer"
index n : N
index f : F
index h : H
input X[n,f], W[f,h]
A[n,h] = sum[f](X[n,f] * W[f,h])
Y[n] = sum[h](A[n,h]^2)
"""
AT = ("--at", "T=4096,d=64,d_v=64")


def output(*arguments: str) -> str:
    found = RUN.invoke(app, list(arguments))
    assert found.exit_code == 0, found.output
    return found.stdout


def row(text: str, label: str) -> list[str]:
    """The cells of the row with this label."""
    (line,) = (line for line in text.splitlines() if line.startswith(label + "  "))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_the_page_shows_what_the_command_prints():
    (shown,) = (block.text for block in blocks(ROOT / "docs" / "scale.md", "console"))
    command, _, expected = shown.partition("\n")
    printed = output(*command.removeprefix("$ indexcalc ").split())
    assert [line.rstrip() for line in printed.splitlines()] == expected.rstrip().splitlines()


def test_symbols():
    text = output("cost", "softmax_cross_entropy", "--mesh", "n=8")
    assert row(text, "L") == [
        "L", "4 (N/8) C + (N/8) + 1", "4", "7", "all-reduce over n=8: L sums over n, which is split",
    ]  # fmt: skip
    assert row(text, "dL/dz[n,c]") == ["dL/dz[n,c]", "2 (N/8) C", "4 (N/8) C"]
    assert "8 devices, n=8. float32. Of one device" in text
    assert "time:" not in text


def test_numbers():
    text = output("cost", "attention", *AT, "--mesh", "i+j=8", "--rates", "link=1e9")
    assert row(text, "dL/dV[j,p]")[:4] == ["dL/dV[j,p]", "268 M", "128 KiB", "896 KiB"]
    assert row(text, "K_placed[j,k]")[1:4] == ["0", "1.00 MiB", "896 KiB"]
    assert "reduce-scatter over i+j=8: dV[j,p] sums over i, which is split" in text
    assert "XLA's backend for processors makes no reduce-scatter" in text
    assert "link=1e+09" in text


def test_json():
    found = json.loads(output("cost", "attention", *AT, "--mesh", "i=8", "--format", "json", "--dtype", "float64"))
    assert found["devices"] == 8
    (collective,) = (
        one for row in found["backward"]["statements"] if row["tensor"] == "dV" for one in row["collectives"]
    )
    assert collective == {
        "kind": "all-reduce", "tensor": "dV", "axis": "i=8", "bytes_sent": 8 * 4096 * 64 * 7 // 4,
        "reason": "dV[j,p] sums over i, which is split",
    }  # fmt: skip
    assert found["backward"]["bytes_sent"] == 2 * collective["bytes_sent"]
    symbols = json.loads(output("cost", "attention", "--mesh", "i=8", "--format", "json"))
    sent = sp.sympify(symbols["backward"]["bytes_sent"])
    names = {symbol.name: symbol for symbol in sent.free_symbols}
    assert sent.subs({names["T"]: 4096, names["d"]: 64, names["d_v"]: 64}) * 2 == found["backward"]["bytes_sent"]


def test_a_spec_names_the_axes_of_its_mesh(tmp_path):
    plain, named = tmp_path / "plain" / "layer.ixc", tmp_path / "named" / "layer.ixc"
    for path, more in ((plain, ""), (named, "split n over data\nsplit h over model\n")):
        path.parent.mkdir()
        path.write_text(LAYER + more, "utf-8")
    said = output("cost", str(named), "--mesh", "data=2,model=4")
    assert "over h, which is split" in said
    plainly = output("cost", str(plain), "--mesh", "n=2,h=4")
    called = re.sub(r"\bn=2\b", "data=2", re.sub(r"\bh=4\b", "model=4", plainly))
    assert said.replace("─", "").split() == called.replace("─", "").split()
    for path, mesh in ((plain, "n=2,h=4"), (named, "data=2,model=4")):
        output("derive", str(path), "--target", "jax", "--format", "md", "--mesh", mesh, "--out", str(path.parent))
    module = (plain.parent / "layer_jax.py").read_text("utf-8")
    called = re.sub(r'"n"(?=[,)\]])', '"data"', re.sub(r'"h"(?=[,)\]])', '"model"', module))
    assert (named.parent / "layer_jax.py").read_text("utf-8") == called


def test_axes_of_a_spec_want_a_number_of_devices(tmp_path):
    path = tmp_path / "layer.ixc"
    path.write_text(LAYER + "split n over data\nsplit h, f over model\n", "utf-8")
    wanted = (
        (
            (),
            "the spec splits n over data and h, f over model",
            "data and model; give the mesh, such as --mesh data=2,",
        ),
        (("--mesh", "data=4"), "the spec splits h, f over model", "such as --mesh data=4,model=2"),
    )
    for more, *words in wanted:
        found = RUN.invoke(app, ["derive", str(path), "--target", "jax", "--out", str(tmp_path), *more])
        assert found.exit_code == 2
        assert all(said in " ".join(found.stderr.split()) for said in words), found.stderr
    assert not list(tmp_path.glob("*.py"))
    with pytest.raises(ic.IndexCalcError, match="the spec splits n over data and h, f over model"):
        ic.generate(ic.derive(ic.load_problem(path)), targets=["jax"])
    # Other libraries know no meshes, and one device is one.
    output("derive", str(path), "--format", "md", "--out", str(tmp_path))
    assert "The spec splits n over data and h, f over model: --mesh says" in output("cost", str(path))


def test_no_mesh_that_fits():
    text = output("cost", "attention", *AT, "--devices", "8", "--rates", "room=1e6")
    assert "MiB, too much" in text
    assert "No mesh fits: a device has room for 977 KiB" in text


def test_devices():
    text = output("cost", "attention", *AT, "--devices", "8")
    assert "one device" in text
    assert "Tried: all meshes of one axis or two" in text
    found = json.loads(output("cost", "attention", *AT, "--devices", "8", "--format", "json"))
    best = ",".join(f"{'+'.join(axis['indices'])}={axis['devices']}" for axis in found["meshes"][0]["mesh"])
    assert len(found["meshes"]) == found["tried"]
    assert found["meshes"][0]["seconds"] < found["one_device"]["seconds"]
    assert any(line.startswith(best) for line in text.splitlines()[3:4])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--mesh", "q=2"), "there is no index 'q' to split; the indices are: i, k, j, p, l"),
        (("--mesh", "i=7", *AT), "the index i runs over T = 4096, which is no multiple of the 7 devices"),
        (("--mesh", "i=2,i=2"), "two axes of the mesh would be called i; one with 4 devices does the same"),
        (("--mesh", "i+i=2"), "the index i is split twice over one axis"),
        (("--mesh", "i"), "'i' is not INDEX=DEVICES"),
        (("--devices", "8"), "--devices compares times, which depend on sizes; add --at"),
        (("--devices", "8", "--mesh", "i=8", *AT), "give one of them"),
        (("--devices", "11", *AT), "no index can be split over 11 devices"),
        (("--rates", "link=1e9"), "--rates is about times on a mesh; add --mesh or --devices"),
        (("--mesh", "i=8", *AT, "--rates", "speed=1"), "'speed=1' is no rate"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], said: str):
    found = RUN.invoke(app, ["cost", "attention", *arguments])
    assert found.exit_code == 2
    assert said in " ".join(found.stderr.split())


def test_a_mesh_is_for_jax(tmp_path):
    found = RUN.invoke(app, ["derive", "softmax_cross_entropy", "--mesh", "n=8", "--out", str(tmp_path)])
    assert found.exit_code == 2
    assert "--mesh is about the code for JAX; add --target jax" in found.stderr


@pytest.mark.parametrize(("name", "mesh"), [("mha_block", "h=4,s=2"), ("conv2d", "b=2,g=2"), ("lstm", "b=2")])
def test_every_array_that_is_assigned_has_a_sharding(name: str, mesh: str):
    derivation = ic.derive(ic.load_problem(ic.find_spec(name)))
    source = target_module(derivation, "jax", read_mesh([mesh])).source
    table = re.search(r"^SHARDINGS = \{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL)
    assert table is not None
    found = dict(re.findall(r'"(\w+)": NamedSharding\(MESH, PartitionSpec\((.*)\)\),', table[1]))
    placed = re.findall(r"^    (\w+) = _placed\(\w+(?:, (.*))?\)$", source, re.MULTILINE)
    assert len(placed) > 5
    for variable, axes in placed:
        # What has fused axes is placed with an axis for each slot, too.
        if variable.endswith("_split"):
            assert variable.removesuffix("_split") in found
        else:
            assert found[variable] == axes
    assert {tensor.name for tensor in derivation.problem.program.inputs} <= {*found}


def test_the_module(tmp_path):
    pytest.importorskip("jax")
    arguments = ["derive", "softmax_cross_entropy", "--target", "jax", "--mesh", "n=4,c=2", "--out", str(tmp_path)]
    text = output(*arguments)
    assert "checked jax: 1 gradient" in text
    source = (tmp_path / "softmax_cross_entropy_jax.py").read_text(encoding="utf-8")
    assert 'MESH = jax.make_mesh((4, 2), ("n", "c"), axis_types=(AxisType.Auto,) * 2)' in source
    assert '    "z": NamedSharding(MESH, PartitionSpec("n", "c")),' in source
    assert '    Z = _placed(Z, "n")' in source

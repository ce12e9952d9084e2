"""Long assignments: lines that fit, in a form that ruff keeps, with the value of the short form."""

import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from indexcalc.codegen.layout import WIDTH, assignment
from indexcalc.codegen.source import Atom, Binary, Call, Prefix, Trailer, chain, flat

LONG = tuple(Atom(f"a_rather_long_tensor_name_{letter}") for letter in "abcde")
EINSUM = Call("np.einsum", (Atom('"ij,jk->ik"'), LONG[0], LONG[1]), ("optimize=True",))
SUM = chain("+", list(LONG[:3]))
ROOT = Call("np.sqrt", (chain("*", list(LONG[:4])),))
CASES = [
    EINSUM,
    SUM,
    Binary("/", EINSUM, Binary("**", Atom("d"), Atom("0.5"))),
    Binary("/", EINSUM, Binary("*", Atom("d"), Atom("some_extent"))),
    Binary("*", Atom("2"), EINSUM),
    Binary("*", Trailer(LONG[2], "[:, None]"), EINSUM),
    Binary("+", EINSUM, EINSUM),
    Binary("-", chain("+", [EINSUM, EINSUM, LONG[3]]), ROOT),
    Prefix("-", EINSUM),
    Binary("/", Prefix("-", EINSUM), Atom("n")),
    Binary("**", chain("*", list(LONG[:4])), Atom("2")),
    Trailer(chain("*", list(LONG[:4])), ".sum(axis=1)"),
    Trailer(ROOT, "[:, None]"),
    Trailer(LONG[0], ".reshape(one_extent, another_extent * one_extent, one_extent * one_extent)"),
    Trailer(Trailer(LONG[0], "[:, :, None]"), ".reshape(another_extent, one_extent * one_extent)"),
    Call("np.where", (LONG[0], Binary("*", SUM, SUM), Atom("0.0"))),
    Binary("*", LONG[0], chain("+", list(LONG))),
    chain("*", [SUM, ROOT, EINSUM]),
]


def lines_of(node):
    return assignment("result", node, (f"part_{number}" for number in count(1)))


@pytest.mark.parametrize("node", CASES, ids=range(len(CASES)))
def test_lines_fit(node):
    assert len(flat(node)) > WIDTH - 30
    assert all(len(line) + 4 <= WIDTH for line in lines_of(node))


def test_ruff_keeps_every_layout(tmp_path):
    ruff = Path(sys.executable).with_name("ruff")
    found = str(ruff) if ruff.exists() else shutil.which("ruff")
    if found is None:
        pytest.skip("ruff is not installed")
    body = "\n".join(f"    {line}" for node in CASES for line in lines_of(node))
    path = tmp_path / "cases.py"
    path.write_text(f"def cases():\n{body}\n", encoding="utf-8")
    command = [found, "format", "--isolated", "--diff", str(path)]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("node", CASES, ids=range(len(CASES)))
def test_splitting_keeps_the_value(node):
    rng = np.random.default_rng(0)
    space = {"np": np, "d": 2.0, "n": 3.0, "some_extent": 5.0, "one_extent": 1, "another_extent": 9}
    space.update({atom.text: rng.random((3, 3)) for atom in LONG})
    exec("\n".join(lines_of(node)), space)
    np.testing.assert_array_equal(space["result"], eval(flat(node), space))

"""Derivations over a mesh of eight devices: what JAX's partitioner sends beside what `indexcalc cost --mesh` predicts.

Run it with ``python benchmarks/mesh.py [NAME ...]``; ``pip install 'indexcalc[jax]'`` brings JAX. The devices are
virtual ones of this processor, in a process of their own. Both passes are compiled apart and as one program, their
results compared with those of one device. ``--write`` puts the tables into docs/scale.md, ``--json`` prints all
rows. The exit code is 1 if results differ, or what is sent differs without a known cause.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import jax
import numpy as np

from indexcalc.calculus.steps import Derivation
from indexcalc.cli.mesh_table import seconds_text
from indexcalc.codegen import target_module
from indexcalc.cost import Mesh, checked_sizes, read_mesh
from indexcalc.cost.units import bytes_text
from indexcalc.generation import loaded
from indexcalc.language import load_problem
from indexcalc.library import find_spec
from indexcalc.mesh.comparison import Verdict, compared
from indexcalc.mesh.compiled import collectives_in
from indexcalc.mesh.rates import Rates
from indexcalc.mesh.report import MeshReport, mesh_report
from indexcalc.mesh.search import Suggestion, fastest
from indexcalc.rewrite.derive import derive

PAGE = Path(__file__).parent.parent / "docs" / "scale.md"
DEVICES = 8
FLAGS = f"--xla_force_host_platform_device_count={DEVICES}"
WIDTH = 4
CLOSE = 1e-11
"""How far results over a mesh may be from those of one device, of the largest entry: sums are in another order."""

HEADS = {"B": 4, "D": 48, "N_H": 4, "D_h": 8}
SIZES = {
    "softmax_cross_entropy": {"N": 64, "C": 48},
    "mlp_gelu": {"N": 64, "F": 48, "H": 96, "M": 32},
    "attention": {"T": 64, "d": 16, "d_v": 24},
    "multi_head_attention": {**HEADS, "T": 32},
    "mha_block": {**HEADS, "S": 32},
    "conv2d": {"B": 16, "S": 2, "C": 3, "F": 4, "N": 8, "M": 7, "K": 3, "Q": 2},
    "embedding": {"B": 16, "T": 5, "V": 24, "M": 16},
    "lstm": {"B": 16, "T": 5, "D": 8, "H": 6},
    "rnn": {"T": 5, "D": 16, "H": 6},
}
HEAD_SPLITS = (
    ("data", "b=4"),
    ("tensor", "h=4"),
    ("sequence", "s=8"),
    ("2-D", "b=2,h=4"),
    ("2-D", "h=4,s=2"),
    ("2-D", "b=2,s=4"),
    ("queries and keys", "s=2,t=4"),
)
SPLITS = {
    "softmax_cross_entropy": (("data", "n=8"), ("tensor", "c=8"), ("2-D", "n=4,c=2")),
    "mlp_gelu": (
        ("data", "n=8"),
        ("tensor", "h=8"),
        ("2-D", "n=2,h=4"),
        ("all features", "f+h+o=8"),
        ("rows over both axes", "n=2,n+h=4"),
    ),
    "attention": (("data", "i=8"), ("tensor", "k=8"), ("sequence", "i+j=8"), ("2-D", "i=4,j=2")),
    "multi_head_attention": (*HEAD_SPLITS, ("batch over both axes", "b=2,b+h=2")),
    "mha_block": (*HEAD_SPLITS, ("2-D", "m+h=4,s=2")),
    "conv2d": (("data", "b=8"), ("rows of pixels", "n=8"), ("2-D", "b=4,g=2")),
    "embedding": (("data", "b=8"), ("features", "m=8"), ("words", "v=8"), ("2-D", "b=4,m=2")),
    "lstm": (("data", "b=8"), ("2-D", "b=4,k=2")),
    "rnn": (("features", "k=8"),),
}
"""Of every program, what is split: rows, features or heads, positions, and two of them."""

LONG = 131_072
PLANS = {
    "attention": {"T": LONG, "d": 128, "d_v": 128},
    "multi_head_attention": {"B": 1, "T": LONG, "D": 4096, "N_H": 32, "D_h": 128},
}
ACCELERATORS = (8, 64, 4096)


def main() -> int:
    """Run the comparison in a process with many devices, print the tables, write them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="derivations; all by default")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/scale.md")
    parser.add_argument("--json", action="store_true", help="print all rows as JSON")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.names if name not in SIZES]:
        parser.error(f"there is no {unknown[0]!r} here; there are {', '.join(SIZES)}")
    if FLAGS not in os.environ.get("XLA_FLAGS", ""):
        environment = {**os.environ, "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {FLAGS}".strip()}
        return subprocess.run([sys.executable, *sys.argv], env=environment, check=False).returncode
    rows = [row for name in chosen.names or SIZES for row in rows_of(name)]
    if chosen.json:
        print(json.dumps(rows, indent=1))
    else:
        print(compiled_table(rows))
    if chosen.write:
        parts = {"compiled": compiled_table(rows), "causes": causes_text(rows), "plans": plans_text()}
        page = PAGE.read_text(encoding="utf-8")
        for name, text in parts.items():
            page = with_part(page, name, text)
        PAGE.write_text(page, encoding="utf-8", newline="\n")
    return 0 if all(map(is_right, rows)) else 1


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    """What was found for every split of a derivation: a row for each of its programs."""
    derivation = derive(load_problem(find_spec(name)))
    sizes = SIZES[name]
    inputs = random_inputs(derivation, sizes)
    alone = results(derivation, sizes, inputs, None)
    for split, text in SPLITS[name]:
        mesh = read_mesh([text])
        report = mesh_report(derivation, mesh)
        found = results(derivation, sizes, inputs, mesh)
        errors = {kind: largest_error(alone[kind], found[kind]) for kind in alone}
        for program, verdicts in verdicts_of(derivation, report, sizes).items():
            sent = [{**fields(one), "agrees": one.agrees} for one in verdicts]
            yield {
                "name": name,
                "split": split,
                "mesh": text,
                "program": program,
                "errors": errors,
                "sent": sent,
            }


def fields(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a table."""
    return {name: getattr(verdict, name) for name in ("kind", "predicted", "compiled", "cause")}


def is_right(row: Mapping[str, Any]) -> bool:
    """Whether results are those of one device, and what is sent is as predicted, or the cause is known."""
    return max(row["errors"].values()) <= CLOSE and all(one["agrees"] or one["cause"] for one in row["sent"])


def shapes_of(derivation: Derivation, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The shape of every array that is given."""
    program = derivation.problem.program
    symbols = checked_sizes(sizes, program.extents)

    def shape(name: str) -> tuple[int, ...]:
        return tuple(prod(int(slot.extent.subs(symbols)) for slot in axis) for axis in program.axes(name))

    given = {tensor.name: shape(tensor.name) for tensor in program.inputs}
    return {**given, **{up.name: shape(up.of) for up in derivation.problem.handed}}


def random_inputs(derivation: Derivation, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Inputs and upstream gradients."""
    numbers = np.random.default_rng(7)
    program = derivation.problem.program
    symbols = checked_sizes(sizes, program.extents)
    given: dict[str, Any] = {}
    for name, shape in shapes_of(derivation, sizes).items():
        values = program.tensors[name].values if name in program.tensors else None
        if values is None:
            given[name] = numbers.standard_normal(shape)
        else:
            given[name] = numbers.integers(0, int(values.subs(symbols)), shape)
    return given


def results(
    derivation: Derivation, sizes: Mapping[str, int], inputs: Mapping[str, Any], mesh: Mesh | None
) -> dict[str, list[Any]]:
    """All outputs and gradients, computed by one device or by a mesh of them."""
    written = target_module(derivation, "jax", mesh)
    module: Any = loaded(written.source)
    problem = derivation.problem
    keywords = known_extents(module, written.symbols, sizes)
    given = [inputs[tensor.name] for tensor in problem.program.inputs]
    upstream = [inputs[up.name] for up in problem.handed]
    with jax.enable_x64(True):
        if mesh is None:
            values = module.forward(*given, **keywords)
            outputs = [getattr(values, written.names[name]) for name in problem.program.outputs]
            gradients = module.backward(values, *upstream)
        else:
            outputs, gradients = module.both_passes(*given, *upstream, **keywords)
            outputs = outputs if isinstance(outputs, tuple) else [outputs]
        found = {"outputs": outputs, "gradients": gradients}
        return {kind: [np.asarray(one) for one in arrays] for kind, arrays in found.items()}


def known_extents(module: Any, symbols: Mapping[str, str], sizes: Mapping[str, int]) -> dict[str, int]:
    """The extents that no shape shows."""
    wanted = module.forward.__kwdefaults__ or {}
    names = set(module.forward.__annotations__) - set(wanted)
    return {symbols[name]: size for name, size in sizes.items() if symbols[name] in names}


def largest_error(expected: Sequence[Any], found: Sequence[Any]) -> float:
    """The largest difference, relative to the largest entry of its array."""
    pairs = zip(expected, found, strict=True)
    return max(float(np.abs(one - other).max() / (np.abs(one).max() or 1.0)) for one, other in pairs)


def verdicts_of(derivation: Derivation, report: MeshReport, sizes: Mapping[str, int]) -> dict[str, tuple[Verdict, ...]]:
    """Predicted and compiled, of each pass by itself and of both as one program."""
    written = target_module(derivation, "jax", report.mesh)
    module: Any = loaded(written.source)
    problem, shapes = derivation.problem, shapes_of(derivation, sizes)
    keywords = known_extents(module, written.symbols, sizes)
    every = report.sizes(checked_sizes(sizes, problem.program.extents))
    field = {up.name: written.names.get(up.name, up.name) for up in problem.handed} | dict(written.names)

    whole = {tensor.name for tensor in problem.program.inputs if tensor.values is not None}

    def array(name: str) -> Any:
        kind = np.int32 if name in whole else np.float32
        return jax.ShapeDtypeStruct(shapes[name], kind, sharding=module.SHARDINGS[field[name]])

    given = [array(tensor.name) for tensor in problem.program.inputs]
    upstream = [array(up.name) for up in problem.handed]

    def arrays(*inputs: Any) -> list[Any]:
        return [one for one in module.forward(*inputs, **keywords) if isinstance(one, jax.Array)]

    kept = jax.eval_shape(arrays, *given)
    names = module.Values._fields[: len(kept)]
    held = [
        jax.ShapeDtypeStruct(one.shape, one.dtype, sharding=module.SHARDINGS[name])
        for name, one in zip(names, kept, strict=True)
    ]
    defaults = {**(module.forward.__kwdefaults__ or {}), **keywords}
    scalars = [defaults[name] for name in module.Values._fields[len(kept) :]]
    programs = {
        "forward": (jax.jit(arrays).lower(*given), report.forward),
        "backward": (
            jax.jit(lambda tensors, *ups: module.backward(module.Values(*tensors, *scalars), *ups)).lower(
                held, *upstream
            ),
            report.backward,
        ),
        "both": (module.both_passes.lower(*given, *upstream, **keywords), report.both),
    }
    return {
        name: compared(cost.collectives, collectives_in(lowered.compile().as_text()), every, WIDTH)
        for name, (lowered, cost) in programs.items()
    }


def compiled_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as a table in Markdown; a program that sends nothing, as predicted, is one cell."""
    causes = list(dict.fromkeys(one["cause"] for row in rows for one in row["sent"] if one["cause"]))
    lines = [
        "| derivation | split | mesh | program | predicted | compiled | |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        predicted, compiled = (
            ", ".join(f"{one['kind']} {size(one[which])}" for one in row["sent"] if one[which]) or "nothing"
            for which in ("predicted", "compiled")
        )
        marks = sorted({causes.index(one["cause"]) + 1 for one in row["sent"] if one["cause"]})
        said = ", ".join(f"({mark})" for mark in marks)
        said = said or ("as predicted" if is_right(row) else "not explained")
        cells = (row["name"], row["split"], f"`{row['mesh']}`", row["program"], predicted, compiled, said)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def size(number: float) -> str:
    """Bytes with a unit."""
    return bytes_text(round(number))


def causes_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The causes of differences, numbered, and how close results are."""
    causes = dict.fromkeys(one["cause"] for row in rows for one in row["sent"] if one["cause"])
    agree = sum(all(one["agrees"] for one in row["sent"]) for row in rows)
    unexplained = sum(not all(one["agrees"] or one["cause"] for one in row["sent"]) for row in rows)
    worst = max(error for row in rows for error in row["errors"].values())
    first = (
        f"Of {len(rows)} programs {agree} send what was predicted, {len(rows) - agree - unexplained} differ for a "
        f"cause below, {unexplained} for none. Outputs and gradients over the mesh are those of one device, up to "
        f"{worst:.1e} of the largest entry (in double precision)."
    )
    return "\n".join([first, "", *(f"{number}. {cause}" for number, cause in enumerate(causes, 1))])


def plans_text() -> str:
    """For every number of accelerators, the fastest mesh that was found."""
    lines = [
        "| derivation | accelerators | `--mesh` | a device holds | it sends | time | of it sending | one device |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    rates = Rates()
    for name, sizes in PLANS.items():
        derivation = derive(load_problem(find_spec(name)))
        symbols = checked_sizes(sizes, derivation.problem.program.extents)
        for devices in ACCELERATORS:
            found = fastest(derivation, devices, symbols, rates, WIDTH)
            lines.append(plan_line(name, devices, found.found[0], found.alone, rates))
    return "\n".join(lines)


def plan_line(name: str, devices: int, best: Suggestion, alone: Suggestion, rates: Rates) -> str:
    """One row of the plans."""
    sending = best.sent / rates.link / best.seconds
    cells = (
        name,
        f"{devices:,}",
        f"`{best.mesh}`",
        bytes_text(best.held) + ("" if best.fits else ", too much"),
        bytes_text(best.sent),
        seconds_text(best.seconds),
        f"{sending:.0%}",
        seconds_text(alone.seconds),
    )
    return f"| {' | '.join(cells)} |"


def with_part(page: str, name: str, text: str) -> str:
    """The page with a part between two marks replaced."""
    pattern = re.compile(rf"(<!-- {name}: generated -->\n).*?(\n<!-- end -->)", re.DOTALL)
    if pattern.search(page) is None:
        raise SystemExit(f"{PAGE} has no part '<!-- {name}: generated -->' ... '<!-- end -->'")
    return pattern.sub(lambda found: found[1] + text + found[2], page)


if __name__ == "__main__":
    sys.exit(main())

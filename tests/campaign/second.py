"""The campaign of Jacobians, Hessians and products with them: random programs, differentiated twice by PyTorch.

A program is drawn as for gradients. What is asked of it is drawn here: a derivative of something by something, whole or
along random directions. The oracle takes derivative after derivative of every entry, and knows no structure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

import indexcalc as ic
from indexcalc.codegen import module_symbols
from indexcalc.codegen.outline import result_fields
from indexcalc.generation import loaded
from indexcalc.proof.steps import check_derivation
from tests.campaign import judge
from tests.campaign.arithmetic import Arithmetic, Torch
from tests.campaign.case import COUNTED, Case
from tests.campaign.evaluation import run, shape_of
from tests.campaign.features import features
from tests.campaign.formulas import Axis, Program, entry, spec_text
from tests.campaign.growing import Wishes, program_of
from tests.campaign.judge import EPS, RELATIVE, ROUNDING, Slow, limited, size_sets, tried
from tests.campaign.oracle import NOISE, Point, is_steady, sample
from tests.campaign.pipeline import converter, double_precision

STYLES = ("note", "steps", "numpy", "fast", "torch", "torch fast", "jax")
"""The notes, the steps by themselves, code for three libraries, and code for speed for two."""

IN_BLOCKS = "{} in blocks"
"""A module for speed whose blocks hold one or two entries along each axis, and whose passes run in one go."""

SMALLEST = {"CACHE": 1, "LEAST": 2, "PART": 0}
"""The settings of such a module."""

SHORT = Wishes(lengths=((0.6, 1, 3), (0.4, 4, 8)))
"""Programs whose derivatives of all entries take not too long."""

LOSS = "ell"
"""The loss that a program is given where it has none."""

ENTRIES = 6_000
"""The most entries of a derivative that is compared."""

WIDE = 4
"""The most slots of a tensor in a program whose steps are checked: the check evaluates derivatives of whole arrays."""

RUNS = 2
"""How often the operations are moved to see what rounding may do."""


@dataclass(frozen=True)
class Asked:
    """A program with a derivative that is asked for.

    Attributes:
        program: without requests of its own.
        kind: ``jacobian`` or ``hessian``.
        of: what is differentiated: a tensor, or for a Hessian what the loss is made of.
        by: the tensors to differentiate by.
        along: whether products are asked for.
    """

    program: Program
    kind: str
    of: str
    by: tuple[str, ...]
    along: bool

    @property
    def text(self) -> str:
        """The spec."""
        plain = replace(
            self.program, upstream=(), loss=None, targets=(), written=False, names=(), recompute=(), claims=()
        )
        lines = [spec_text(plain).rstrip("\n")]
        of = self.of
        if self.kind == "hessian":
            read = entry(self.of, self.program.axes[self.of])
            names = [name for axis in self.program.axes[self.of] for name in axes_in(axis)]
            body = f"sin({read}) + {read}^2/2"
            lines.append(f"{LOSS} = sum[{','.join(names)}]({body})" if names else f"{LOSS} = {body}")
            of = LOSS
        by = self.by[0] if len(self.by) == 1 else f"({', '.join(self.by)})"
        if self.along:
            given = [f"way_{place}" for place in range(len(self.by))]
            lines.append(f"product {self.kind} {of} by {by} with {given[0] if len(given) == 1 else commas(given)}")
        else:
            lines.append(f"{self.kind} {of} by {by}")
        return "\n".join(lines) + "\n"


def commas(names: Sequence[str]) -> str:
    """Several names in brackets."""
    return f"({', '.join(names)})"


def axes_in(axis: Axis) -> tuple[str, ...]:
    """The indices of an axis."""
    return axis if isinstance(axis, tuple) else (axis,)


def cases(seed: int, count: int) -> Iterator[Case]:
    """So many programs, the first of this seed, the next of the seed after it."""
    for own in range(seed, seed + count):
        program = program_of(own, SHORT)
        asked = asked_of(program, np.random.default_rng([17, own]))
        of = f"{'product ' if asked.along else ''}{asked.kind} by {len(asked.by)}"
        yield Case(own, asked.text, frozenset({*features(program), of}), asked)


def asked_of(program: Program, rng: np.random.Generator) -> Asked:
    """A derivative of what an equation computes, by inputs or by other tensors that come before it."""
    written = [line.name for line in program.lines if hasattr(line, "right")]
    of = str(rng.choice(written)) if written else program.statements[-1].name
    names = [tensor.name for tensor in program.inputs if tensor.kind != "mask"] or [program.inputs[0].name]
    between = [name for name in written if name != of and written.index(name) < written.index(of)] if written else []
    pool = [*names, *between] if rng.random() < 0.3 else names
    count = 2 if len(pool) > 1 and rng.random() < 0.35 else 1
    by = tuple(str(name) for name in rng.choice(pool, size=count, replace=False))
    kind = "hessian" if rng.random() < 0.65 else "jacobian"
    return Asked(program, kind, of, by, bool(rng.random() < 0.4))


@dataclass(frozen=True)
class Truth:
    """What is right at a point: each result by its name, and how far rounding may move it."""

    results: Mapping[str, np.ndarray]
    spread: Mapping[str, float]


def blocks(asked: Asked, point: Point, noise: float, seed: int) -> dict[tuple[str, str], np.ndarray]:
    """The derivative by each pair of tensors, rows first: PyTorch differentiates entry after entry."""
    torch = import_module("torch")
    arithmetic, program = Torch(torch, noise, seed), asked.program
    moves = {
        name: torch.zeros(
            shape_of(program.axes[name], program.extents, point.sizes), dtype=torch.float64, requires_grad=True
        )
        for name in asked.by
    }
    value = run(program, point.inputs, point.sizes, arithmetic, moves)[asked.of]
    nothing = sum(0 * (move**2).sum() for move in moves.values())
    if asked.kind == "jacobian":
        rows = {asked.of: value}
    else:
        loss = (torch.sin(value) + value**2 / 2).sum() + nothing
        slopes = torch.autograd.grad(loss, list(moves.values()), create_graph=True, allow_unused=True)
        rows = {name: slope for name, slope in zip(moves, slopes, strict=True) if slope is not None}
    found = {}
    for row, array in rows.items():
        for column, move in moves.items():
            lines = []
            for part in array.reshape(-1):
                slope = torch.autograd.grad(part + nothing, move, retain_graph=True, allow_unused=True)[0]
                lines.append(torch.zeros_like(move) if slope is None else slope.detach())
            shape = (*array.shape, *move.shape)
            found[row, column] = torch.stack(lines).reshape(shape).numpy() if lines else np.zeros(shape)
    return found


def truth(asked: Asked, problem: Any, point: Point, ways: Mapping[str, np.ndarray]) -> Truth | None:
    """What each result is, and its conditioning; None where something is no number."""

    def results(noise: float, seed: int) -> dict[str, np.ndarray]:
        found = blocks(asked, point, noise, seed)
        return {one.name: put_together(one, found, ways) for one in problem.results}

    first = results(0.0, 0)
    spread = dict.fromkeys(first, 0.0)
    for seed in range(1, RUNS + 1):
        for name, array in results(NOISE, seed).items():
            spread[name] = max(spread[name], float(np.max(np.abs(array - first[name]), initial=0.0)) / NOISE)
    every = (*first.values(), np.array(list(spread.values())))
    return Truth(first, spread) if all(np.all(np.isfinite(array)) for array in every) else None


def put_together(
    result: Any, found: Mapping[tuple[str, str], np.ndarray], ways: Mapping[str, np.ndarray]
) -> np.ndarray:
    """A block, or the sum of the products of blocks with directions."""
    if not result.along:
        return found[result.of, result.by[0]]
    products = (
        np.tensordot(found[result.of, one.of], ways[one.name], axes=ways[one.name].ndim) for one in result.along
    )
    return np.asarray(sum(products))


def verdict(case: Case, styles: Sequence[str] = STYLES) -> str:
    """What is wrong with the engine on this program; nothing if all is right."""
    found: list[str] = []
    asked: Asked = case.subject
    try:
        with limited(judge.PATIENCE):
            derivation = derived(asked, styles, found)
            modules = written(derivation, styles, found) if derivation is not None else {}
    except Slow:
        return "\n".join([*found, f"all: slow: more than {judge.PATIENCE:.0f} s to write"])
    points = compare(asked, derivation, modules, case.seed, found) if derivation is not None else 0
    return "\n".join([*found, f"{COUNTED}points: {points}"])


def derived(asked: Asked, styles: Sequence[str], found: list[str]) -> Any:
    """The derivation, with its notes written and its steps checked."""
    problem = tried("read", lambda: ic.read_problem(asked.text), found)
    if problem is None:
        # What is held is not clear where one tensor is computed from another: that is said, and no failure.
        found[:] = [line if "is computed from" not in line else f"refused: {line}" for line in found]
        return None
    derivation = tried("derive", lambda: ic.derive(problem), found)
    if derivation is None:
        found[:] = [line if "is computed from" not in line else f"refused: {line}" for line in found]
        return None
    if "note" in styles:
        tried("note", lambda: (ic.markdown_note(derivation), ic.latex_note(derivation)), found)
    widest = max(len(tensor.slots) for tensor in derivation.problem.program.tensors.values())
    if "steps" in styles and widest <= WIDE:
        wrong = tried("steps", lambda: check_derivation(derivation), found)
        found += [f"steps: wrong: {failure.what} {failure.error:.1e}" for failure in (wrong or [])[:1]]
    return derivation


def written(derivation: Any, styles: Sequence[str], found: list[str]) -> dict[str, Any]:
    """The modules of the styles, imported."""
    modules = {}
    for style in styles:
        if style in ("note", "steps"):
            continue
        text = tried(style, lambda style=style: source(derivation, style), found)
        module = tried(style, lambda text=text: loaded(text), found) if text is not None else None
        if module is not None:
            modules[style] = module
        if module is not None and style.endswith("fast"):
            modules[IN_BLOCKS.format(style)] = blocks_of = loaded(text)
            vars(blocks_of).update({name: value for name, value in SMALLEST.items() if hasattr(blocks_of, name)})
    return modules


def source(derivation: Any, style: str) -> str:
    """The text of a module."""
    if style == "numpy":
        return ic.numpy_module(derivation)
    if style.endswith("fast"):
        return ic.fast_module(derivation, target="numpy" if style == "fast" else "torch").source
    return ic.target_module(derivation, style).source


def compare(asked: Asked, derivation: Any, modules: Mapping[str, Any], seed: int, found: list[str]) -> int:
    """All modules at several sizes, until the first finding of each; at how many points they were compared."""
    problem, program = derivation.problem, asked.program
    done: set[str] = set()
    points = 0
    for sizes in size_sets(program, seed):
        rng = np.random.default_rng([23, seed])
        for _ in range(4):
            point = sample(program, sizes, rng)
            ways = {
                one.name: rng.normal(size=shape_of(program.axes[one.of], program.extents, sizes))
                for one in problem.directions
            }
            if entries(asked, sizes) > ENTRIES:
                break
            with np.errstate(all="ignore"):
                is_smooth = is_steady(program, point) and not at_kink(program, point)
                right = truth(asked, problem, point, ways) if is_smooth else None
            if right is None:
                continue
            points += 1
            for style, module in modules.items():
                if style in done:
                    continue
                wrong: list[str] = []
                results = tried(style, results_of(style, module, derivation, point, ways), wrong)
                if results is not None:
                    wrong += [f"{style}: wrong: {line}" for line in mistakes(results, right)]
                if wrong:
                    done.add(style)
                    found.append(f"{wrong[0]} at {sizes}")
            break
    return points


def at_kink(program: Program, point: Point) -> bool:
    """Whether something stands exactly at a kink: x^2 and abs(x)^2 have other second derivatives there by the rules."""
    arithmetic = Arithmetic()
    run(program, point.inputs, point.sizes, arithmetic)
    return any(np.any(margin == 0) for margin in arithmetic.margins)


def entries(asked: Asked, sizes: Mapping[str, int]) -> int:
    """How many entries the largest block has."""
    program = asked.program
    count = {name: int(np.prod(shape_of(program.axes[name], program.extents, sizes))) for name in (asked.of, *asked.by)}
    rows = count[asked.of] if asked.kind == "jacobian" else max(count[name] for name in asked.by)
    return rows * max(count[name] for name in asked.by)


def results_of(
    style: str, module: Any, derivation: Any, point: Point, ways: Mapping[str, np.ndarray]
) -> Callable[[], dict[str, np.ndarray]]:
    """Runs a module: each result with all its entries, and those in parts times a vector too."""

    def action() -> dict[str, np.ndarray]:
        array, problem = converter(style), derivation.problem
        symbols = module_symbols(derivation)

        def scalars(function: Callable[..., Any]) -> dict[str, int]:
            wanted = {p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY}
            named = {symbols.get(name, name): size for name, size in point.sizes.items()}
            return {name: size for name, size in named.items() if name in wanted}

        with double_precision(style):
            inputs = [array(np.array(point.inputs[tensor.name])) for tensor in problem.program.inputs]
            given = [array(np.array(ways[one.name])) for one in problem.directions]
            if style.endswith("in blocks"):
                _, gradients = module.value_and_grad(*inputs, *given, **scalars(module.value_and_grad))
            else:
                gradients = module.backward(module.forward(*inputs, **scalars(module.forward)), *given)
            results = {}
            for field, order in result_fields(derivation).items():
                value, name = getattr(gradients, field), order.result.name
                results[name] = np.asarray(value.dense() if hasattr(value, "dense") else value)
                if hasattr(value, "dense"):
                    rows = results[name].ndim - len(derivation.problem.program.axes(order.result.by[0]))
                    vector = np.cos(np.arange(1.0, 1.0 + np.prod(results[name].shape[rows:], dtype=int)))
                    vector = vector.reshape(results[name].shape[rows:])
                    results[f"{name} @"] = np.asarray(value @ array(vector))
        return results

    return action


def mistakes(results: Mapping[str, np.ndarray], right: Truth) -> Iterator[str]:
    """What differs: shapes, entries that are no numbers, numbers beyond what rounding explains."""
    for name, array in results.items():
        own = name.removesuffix(" @")
        expected = right.results[own]
        if own != name:
            axes = expected.ndim - array.ndim
            vector = np.cos(np.arange(1.0, 1.0 + np.prod(expected.shape[array.ndim :], dtype=int)))
            expected = np.tensordot(expected, vector.reshape(expected.shape[array.ndim :]), axes=axes)
        size = float(np.max(np.abs(expected), initial=0.0))
        limit = RELATIVE * size + EPS * ROUNDING * (right.spread[own] + size) * 10 + 1e-12
        if array.shape != expected.shape:
            yield f"{name} has shape {array.shape}, expected {expected.shape}"
        elif not np.all(np.isfinite(array)):
            yield f"{name} is not finite"
        elif (error := float(np.max(np.abs(array - expected), initial=0.0))) > limit:
            yield f"{name} is off by {error:.1e} of {size:.1e}, allowed {limit:.1e}"

"""Generated code for other array libraries: checked like NumPy's, and by each library's own gradient check.

The libraries are extras. They are imported by name, here and only when such code is checked.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from indexcalc.codegen.targets import TargetModule
from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem
from indexcalc.program import Program
from indexcalc.proof.extents import Sizes
from indexcalc.proof.gradcheck import check_module, keywords, stored
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point
from indexcalc.proof.report import Comparison, Report
from indexcalc.proof.sampling import sample_point, size_sets

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Library:
    """How one library takes arrays, and how it checks gradients.

    Attributes:
        method: the name of its check.
        array: its array of double precision from NumPy's.
        check: raises an error unless a function has the gradients that its values show.
        precision: the context in which it computes in double precision.
        compiled: a function that computes the same, and compiles once what a call by itself would compile every time.
    """

    method: str
    array: Callable[[Array], Any]
    check: Callable[[Function, Sequence[Any]], None]
    precision: Callable[[], AbstractContextManager[Any]] = nullcontext
    compiled: Callable[[Function], Function] = lambda function: function


def torch_library() -> Library:
    """PyTorch: ``torch.autograd.gradcheck``."""
    torch = import_module("torch")

    def check(function: Function, arrays: Sequence[Any]) -> None:
        torch.autograd.gradcheck(function, [array.requires_grad_() for array in arrays])

    return Library("torch.autograd.gradcheck", torch.as_tensor, check)


def jax_library() -> Library:
    """JAX: ``jax.test_util.check_grads``, in reverse mode."""
    jax, numpy, test_util = (import_module(name) for name in ("jax", "jax.numpy", "jax.test_util"))

    def check(function: Function, arrays: Sequence[Any]) -> None:
        test_util.check_grads(function, tuple(arrays), order=1, modes=["rev"])

    def compiled(function: Function) -> Function:
        return compiled_by(jax, function)

    return Library("jax.test_util.check_grads", numpy.asarray, check, lambda: jax.enable_x64(True), compiled)


def compiled_by(jax: Any, function: Function) -> Function:
    """A function under ``jax.jit``, once for each shape: numbers among its arguments and results stay plain numbers."""
    known: dict[Any, tuple[Function, list[Any]]] = {}

    def is_array(leaf: Any) -> bool:
        return isinstance(leaf, jax.Array)

    @functools.wraps(function)
    def run(*arguments: Any, **scalars: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((arguments, scalars))
        arrays = [leaf for leaf in leaves if is_array(leaf)]
        numbers = tuple(None if is_array(leaf) else leaf for leaf in leaves)
        key = (tree, numbers, tuple((array.shape, array.dtype.name) for array in arrays))
        if key not in known:
            made: list[Any] = []

            def traced(arrays: Sequence[Any]) -> Sequence[Any]:
                left = iter(arrays)
                given, named = jax.tree_util.tree_unflatten(
                    tree, [next(left) if is_array(leaf) else leaf for leaf in leaves]
                )
                found, shape = jax.tree_util.tree_flatten(function(*given, **named))
                made[:] = [shape, *(None if is_array(leaf) else leaf for leaf in found)]
                return [leaf for leaf in found if is_array(leaf)]

            known[key] = jax.jit(traced), made
        call, made = known[key]
        left = iter(call(arrays))
        shape, *kept = made
        return jax.tree_util.tree_unflatten(shape, [next(left) if leaf is None else leaf for leaf in kept])

    return run


LIBRARIES: Mapping[str, Callable[[], Library]] = {"torch": torch_library, "jax": jax_library}


def is_installed(target: str) -> bool:
    """Whether the library of a target can be imported."""
    return find_spec(target) is not None


def check_target(
    problem: Problem,
    module: ModuleType,
    written: TargetModule,
    *,
    seed: int = 0,
    sizes: Iterable[Sizes] | None = None,
) -> Report:
    """Compare both passes with the oracles, then have the library check the gradients of the whole function.

    Args:
        problem: the forward program and the gradients asked for.
        module: the module, imported.
        written: what was generated.
        seed: of the random inputs and upstream gradients.
        sizes: the extents to compare at; by default all different, then one of them 1, then all 1.

    Raises:
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    library = LIBRARIES[written.target]()
    with library.precision():
        adapted: Any = adapted_passes(problem, module, library)
        tried = some_sizes(problem.program, np.random.default_rng(seed)) if sizes is None else sizes
        report = check_module(problem, adapted, names=written.names, symbols=written.symbols, seed=seed, sizes=tried)
        compared = [replace(c, method=f"{c.method}, {written.target}") for c in report.comparisons]
        function = getattr(module, written.function, None)
        own = [] if function is None else list(own_checks(problem, function, written, library, seed))
    return replace(report, comparisons=(*compared, *own))


def adapted_passes(problem: Problem, module: ModuleType, library: Library) -> Any:
    """Both passes of a module, which take NumPy's arrays; those with loops over steps or to a root compiled once."""
    loops = problem.program.is_recurrent or problem.program.unknowns
    passes = {name: getattr(module, name) for name in ("forward", "backward")}
    if loops:
        passes = {name: library.compiled(function) for name, function in passes.items()}
    taken = {name: taking(function, library.array) for name, function in passes.items()}
    return SimpleNamespace(**taken, array=library.array)


def taking(function: Function, array: Callable[[Array], Any]) -> Function:
    """The function, its arguments made arrays of the library first."""

    @functools.wraps(function)
    def adapted(*arguments: Any, **scalars: Any) -> Any:
        return function(*(array(a) if isinstance(a, np.ndarray) else a for a in arguments), **scalars)

    return adapted


def some_sizes(program: Program, rng: np.random.Generator) -> tuple[Sizes, ...]:
    """All extents different, then one of them 1, then all: the formulas are those that NumPy's check saw throughout."""
    sets = size_sets(program, rng)
    return tuple(sizes for place, sizes in enumerate(sets) if place in (0, 3, len(sets) - 1))


def own_checks(
    problem: Problem, function: Function, written: TargetModule, library: Library, seed: int
) -> Iterator[Comparison]:
    """The verdict of the library at small sizes, for it perturbs every entry; at others if nothing is defined there."""
    if not any(written.derived):
        return
    program, rng = problem.program, np.random.default_rng(seed)
    small = {extent: 2 + place % 2 for place, extent in enumerate(program.extents)}
    for sizes in (small, *size_sets(program, rng)):
        try:
            point = sample_point(program, sizes, rng)
        except UnsupportedError:
            continue
        note = refusal(problem, point, function, written, library)
        named = {str(extent): size for extent, size in sizes.items()}
        yield Comparison(written.function, library.method, math.inf if note else 0.0, 0.0, named, note)
        return


def refusal(problem: Problem, point: Point, function: Function, written: TargetModule, library: Library) -> str:
    """What the library has against the gradients of the derived inputs; nothing if they are right."""
    program = problem.program
    scalars = {
        written.symbols.get(str(s), str(s)): value for s, value in (*point.sizes.items(), *point.parameters.items())
    }
    inputs = [library.array(stored(program, tensor.name, point.values[tensor.name])) for tensor in program.inputs]
    given = keywords(function, scalars)

    def of_derived(*derived: Any) -> Any:
        rest = iter(derived)
        arrays = [next(rest) if wanted else array for wanted, array in zip(written.derived, inputs, strict=True)]
        return function(*arrays, **given)

    try:
        library.check(of_derived, [array for wanted, array in zip(written.derived, inputs, strict=True) if wanted])
    except Exception as error:  # the code under test may fail in any way, and that is a finding
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return ""

"""From a problem to everything that is written about it: the note, the code, and the check of the code."""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen import NUMPY, TargetModule, module_names, module_symbols, numpy_module, target_module
from indexcalc.codegen.listing import code_by_equation
from indexcalc.codegen.other_formulas import other_formulas
from indexcalc.codegen.targets import fast_file
from indexcalc.cost import Mesh
from indexcalc.errors import IndexCalcError, LimitError, UnsupportedError
from indexcalc.notes import Detail, html_note, latex_note, markdown_note, svg_note, tikz_note
from indexcalc.presentation import presenter
from indexcalc.proof.checkpoints import check_checkpoints
from indexcalc.proof.claims import check_claims
from indexcalc.proof.fast import check_fast, has_library, unchecked_kernels
from indexcalc.proof.gradcheck import check_module
from indexcalc.proof.hostile.both import both_passes, of_both_passes
from indexcalc.proof.hostile.check import check_hostile
from indexcalc.proof.hostile.styles import CodeStyle, checkpoints_style, fast_styles, reading_style, target_style
from indexcalc.proof.hostile.trial import Trial, checked_range, hostile_trial
from indexcalc.proof.oracles import program_points
from indexcalc.proof.paths import check_paths
from indexcalc.proof.report import Comparison, Report
from indexcalc.proof.sampling import size_sets
from indexcalc.proof.stand_ins import stand_ins
from indexcalc.proof.targets import check_target, is_installed
from indexcalc.rewrite.derive import derive

if TYPE_CHECKING:
    from indexcalc.codegen.checkpoints.module import CheckpointsModule
    from indexcalc.codegen.fast.module import FastModule, FastOptions
    from indexcalc.proof.numeric import Array
    from indexcalc.worksheet import Values


class BrokenCodeError(IndexCalcError):
    """Generated code that cannot even be imported: a mistake of this package, not of the user."""


OWN_WORK = 10_000_000
"""The most grid points of a program, for each gradient, at which it is compared at large literal extents."""

NOTE_WRITERS = {"md": markdown_note, "tex": latex_note, "html": html_note, "svg": svg_note, "tikz": tikz_note}
"""What writes the note, by the format's name, which is that of its files."""

PAGE = "html"
"""The format that can show an example: the page, which the command writes too."""

USUAL_FORMATS = ("md", "tex")
"""The formats of the note that are written beside the code, and kept with the spec of each shipped derivation."""

UNCHECKED = "the check of the code for {target}: {target} is not installed (pip install 'indexcalc[{target}]')"
"""What is said of code whose library is missing."""

VALIDATION_FILE = "validation.json"
"""The file that holds the report."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The rendered derivation: the note and its code.

    Attributes:
        notes: the note in every format that was asked for, by the format's name.
        code: the NumPy module, for reading.
        targets: the modules for other array libraries.
        fast: the modules made for speed, if they were asked for: NumPy's, and those for other libraries.
        checkpoints: the module that keeps few steps of recurrences, if it was asked for.
        unwritten: why code for speed was not written for some library.
        trial: the hostile inputs at which the code is checked, if there are any.
    """

    notes: Mapping[str, str]
    code: str
    targets: tuple[TargetModule, ...] = ()
    fast: tuple[FastModule, ...] = ()
    checkpoints: CheckpointsModule | None = None
    unwritten: tuple[str, ...] = ()
    trial: Trial | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Outputs:
    """The texts of a derivation, and the report of the numerical check of its code.

    Attributes:
        slug: the short name of the derivation.
        texts: the note and the code.
        report: what was compared.
        unchecked: why code for some library was not checked.
    """

    slug: str
    texts: Texts
    report: Report
    unchecked: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Outputs {self.slug}: {', '.join(self.files)}; {self.report!r}>"

    def _repr_markdown_(self) -> str:
        return presenter().markdown(self)

    def _repr_html_(self) -> str:
        return presenter().html(self)

    @property
    def files(self) -> Mapping[str, str]:
        """The text of every file, by the name of the file."""
        found = {**self.report.to_json(), **({"unchecked": list(self.unchecked)} if self.unchecked else {})}
        validation = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
        return {**rendered_files(self.slug, self.texts), VALIDATION_FILE: validation + "\n"}


def rendered_files(slug: str, texts: Texts) -> Mapping[str, str]:
    """The files that follow from the derivation alone, without random numbers."""
    others = {f"{slug}_{module.target}.py": module.source for module in texts.targets}
    others |= {fast_file(slug, module.target): module.source for module in texts.fast}
    if texts.checkpoints is not None:
        others[f"{slug}_checkpoints.py"] = texts.checkpoints.source
    notes = {f"{slug}.{name}": note for name, note in texts.notes.items()}
    return {**notes, f"{slug}.py": texts.code, **others}


def render(
    derivation: Derivation,
    views: Collection[str] = (),
    targets: Collection[str] = (),
    fast: FastOptions | None = None,
    formats: Collection[str] = USUAL_FORMATS,
    *,
    detail: Detail = Detail.FULL,
    mesh: Mesh | None = None,
    example: Values | None = None,
    checkpoints: bool = False,
) -> Texts:
    """The note and the code of a derivation.

    Args:
        derivation: what was derived.
        views: asks for rows or entries of all gradients in the note.
        targets: the libraries to write code for, besides NumPy: `torch`, `jax`.
        fast: asks for modules made for speed too, NumPy's and those of `targets` that have them, and says how to
            cut their work into blocks.
        formats: the formats of the note: `md`, `tex`, `html`; `svg`, `tikz`: its tensor diagrams alone.
        detail: how much the note says.
        mesh: the devices over which JAX's arrays are split.
        example: numbers with which a page works the derivation out.
        checkpoints: asks for a module that keeps few steps of recurrences.

    Raises:
        UnsupportedError: if a scalar or factor cannot be written with one of these libraries, or no steps be left out.
        ProgramError: if there is no index of the name that is to be cut into blocks.
        MeshError: if the mesh doesn't fit the program.
    """
    others = tuple(target_module(derivation, target, mesh) for target in targets if target != NUMPY.name)
    modules: tuple[FastModule, ...] = ()
    unwritten: Mapping[str, str] = {}
    if fast is not None:
        # Most derivations are written without code for speed, and start sooner without what writes it.
        from indexcalc.codegen.fast.module import fast_modules  # noqa: PLC0415

        modules, unwritten = fast_modules(derivation, fast, targets)
    loops = modules[0].loops if modules else ()
    trial = trial_of(derivation)
    checked = replace(checked_range(trial), others=other_formulas(derivation)) if trial is not None else None
    notes = {name: NOTE_WRITERS[name](derivation, views, loops, checked, detail) for name in formats if name != PAGE}
    if PAGE in formats:
        arrays, code = example_arrays(derivation, example), code_by_equation(derivation)
        notes[PAGE] = html_note(derivation, views, loops, checked, detail, example=arrays, code=code)
    reasons = tuple(f"{fast_file(derivation.problem.slug, target)}: {why}" for target, why in unwritten.items())
    few = few_steps(derivation) if checkpoints else None
    return Texts(notes, numpy_module(derivation), others, modules, few, reasons, trial)


def few_steps(derivation: Derivation) -> CheckpointsModule:
    """The module that keeps few steps of recurrences.

    Raises:
        UnsupportedError: if there are no steps that could be left out.
    """
    # Few derivations are written this way, and start sooner without what writes it.
    from indexcalc.codegen.checkpoints.module import checkpoints_module  # noqa: PLC0415

    return checkpoints_module(derivation)


def example_arrays(derivation: Derivation, example: Values | None) -> Mapping[str, Array]:
    """The value of every tensor in an example; of none if there is no example."""
    if example is None:
        return {}
    # Most pages show no numbers.
    from indexcalc.worksheet import worked  # noqa: PLC0415

    return worked(derivation, example)


@lru_cache(maxsize=2)
def trial_of(derivation: Derivation) -> Trial | None:
    """The hostile inputs of a derivation, always the same ones; nothing if there are none.

    They take longer than all that is written, and every text of a derivation asks for the same.

    Where extents are large numbers, those of the same with symbols for them.
    """
    standing = stand_ins(derivation.problem)
    small = derivation if standing is None or not derivation.orders else derive(standing.problem)
    problem = derivation.problem if standing is None else standing.problem
    try:
        return hostile_trial(both_passes(small) if derivation.orders else problem)
    except (UnsupportedError, LimitError):
        return None


def validate(derivation: Derivation, code: str, *, seed: int = 0) -> Report:
    """Run the generated code against the oracles, check each path on its own, evaluate what is to be proved.

    Args:
        derivation: what the code was generated from.
        code: the source of the module.
        seed: of the random inputs and upstream gradients.

    Raises:
        BrokenCodeError: if the code cannot be imported.
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    module = loaded(code)
    names, symbols = module_names(derivation), module_symbols(derivation)
    report = check_module(derivation.problem, module, names=names, symbols=symbols, seed=seed)
    paths = check_paths(derivation, seed=seed)
    claims = check_claims(derivation.problem, seed=seed)
    return replace(report, comparisons=(*report.comparisons, *paths, *claims))


def validate_targets(
    derivation: Derivation, modules: Iterable[TargetModule], *, seed: int = 0
) -> tuple[tuple[Comparison, ...], tuple[str, ...]]:
    """What the checks of code for other libraries found, and why some were not made.

    Raises:
        BrokenCodeError: if the code cannot be imported.
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    found: list[Comparison] = []
    unchecked = []
    for module in modules:
        if is_installed(module.target):
            found += check_target(derivation.problem, loaded(module.checked_source), module, seed=seed).comparisons
        else:
            unchecked.append(UNCHECKED.format(target=module.target))
    return tuple(found), tuple(unchecked)


def loaded(code: str) -> ModuleType:
    """A generated module, imported from a file of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="indexcalc-") as folder:
        path = Path(folder) / "generated.py"
        path.write_text(code, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("generated", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        compiles = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        try:
            spec.loader.exec_module(module)
        except Exception as error:
            raise BrokenCodeError(f"the generated module cannot be imported: {error!r}") from error
        finally:
            sys.dont_write_bytecode = compiles
    return module


def generate(
    derivation: Derivation, *, targets: Collection[str] = (), mesh: Mesh | None = None, seed: int = 0
) -> Outputs:
    """All texts of a derivation, with the report of the check; a check that fails is in the report.

    Args:
        derivation: what was derived.
        targets: the libraries to write code for, besides NumPy: `torch`, `jax`.
        mesh: the devices over which JAX's arrays are split.
        seed: of the random inputs and upstream gradients.

    Raises:
        BrokenCodeError: if the code cannot be imported.
        UnsupportedError: if the code cannot be written, or cannot be checked, in this version.
        MeshError: if the mesh doesn't fit the program, or lacks an axis over which the spec splits indices.
    """
    texts = render(derivation, targets=targets, mesh=mesh)
    return checked(derivation, texts, seed=seed)


def checked(derivation: Derivation, texts: Texts, *, seed: int = 0) -> Outputs:
    """The texts with the report of the check of all their code.

    Where extents are large numbers, the same is derived with symbols for them, and its code checked at small
    sizes; the code itself is compared at its own sizes, along random directions, if that takes not too long.

    Raises:
        BrokenCodeError: if the code cannot be imported.
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    standing = stand_ins(derivation.problem)
    if standing is None:
        return checked_as_it_is(derivation, texts, seed=seed)
    twin = derive(standing.problem)
    targets = tuple(target_module(twin, module.target, module.mesh) for module in texts.targets)
    fast: tuple[FastModule, ...] = ()
    if texts.fast:
        from indexcalc.codegen.fast.module import FastOptions, fast_modules  # noqa: PLC0415

        fast, _ = fast_modules(twin, FastOptions({}, None), [module.target for module in texts.fast])
    few = few_steps(twin) if texts.checkpoints is not None else None
    own_texts = replace(texts, code=numpy_module(twin), targets=targets, fast=fast, checkpoints=few)
    small = checked_as_it_is(twin, own_texts, seed=seed)
    own = at_own_sizes(derivation, texts.code, seed=seed)
    report = replace(
        small.report,
        comparisons=(*small.report.comparisons, *own),
        stand_ins={str(symbol): number for symbol, number in standing.literal.items()},
        own_sizes=bool(own),
    )
    return Outputs(derivation.problem.slug, texts, report, small.unchecked)


def at_own_sizes(derivation: Derivation, code: str, *, seed: int) -> tuple[Comparison, ...]:
    """The code for reading compared at its literal extents; nothing where that takes too long or leaves the domain."""
    problem = derivation.problem
    sizes = size_sets(problem.program, np.random.default_rng(seed), count=1)[0]
    if program_points(problem.program, sizes) * (1 + len(problem.targets)) > OWN_WORK:
        return ()
    names, symbols = module_names(derivation), module_symbols(derivation)
    try:
        report = check_module(problem, loaded(code), names=names, symbols=symbols, seed=seed, sizes=(sizes,))
    except (UnsupportedError, LimitError):
        # Sums over so many random numbers may leave the domain of a function; small sizes have shown that there is one.
        return ()
    return tuple(replace(c, method=f"{c.method}, at the literal extents") for c in report.comparisons)


def checked_as_it_is(derivation: Derivation, texts: Texts, *, seed: int = 0) -> Outputs:
    """The texts with the report of the check at the extents that they have."""
    report = validate(derivation, texts.code, seed=seed)
    found, unchecked = validate_targets(derivation, texts.targets, seed=seed)
    for module in texts.fast:
        if has_library(module):
            unchecked += unchecked_kernels(module)
            found = (*found, *check_fast(derivation.problem, loaded(module.source), module, seed=seed).comparisons)
    if texts.checkpoints is not None:
        few = texts.checkpoints
        found = (*found, *check_checkpoints(derivation.problem, loaded(few.source), few, seed=seed))
    hostile = check_hostile(both_passes(derivation), code_styles(derivation, texts), trial=texts.trial)
    report = replace(report, comparisons=(*report.comparisons, *found), hostile=hostile)
    return Outputs(derivation.problem.slug, texts, report, (*unchecked, *texts.unwritten))


def code_styles(derivation: Derivation, texts: Texts) -> tuple[CodeStyle, ...]:
    """Every style of code that can be run here.

    Raises:
        BrokenCodeError: if the code cannot be imported.
    """
    problem = derivation.problem
    styles = [reading_style(problem, loaded(texts.code), module_names(derivation), module_symbols(derivation))]
    for fast in texts.fast:
        if has_library(fast):
            styles += fast_styles(problem, loaded(fast.source), fast)
    if texts.checkpoints is not None:
        styles.append(checkpoints_style(problem, loaded(texts.checkpoints.source), texts.checkpoints))
    for module in texts.targets:
        if is_installed(module.target):
            styles.append(target_style(problem, loaded(module.checked_source), module))
    if derivation.orders:
        return tuple(of_both_passes(style, problem) for style in styles)
    return tuple(styles)

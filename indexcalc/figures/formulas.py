"""The verdict on a formula or an arithmetic: its value, and whether its figures are what the names before it say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from indexcalc.document.report import Verdict
from indexcalc.figures.evaluating import NotEvaluatedError, interval, readings
from indexcalc.figures.intervals import Interval
from indexcalc.figures.naming import UnknownNameError
from indexcalc.figures.nodes import Dots, Figure, Name, Node, names_in, replaced, walk
from indexcalc.figures.operands import Operand, Operands, inside
from indexcalc.figures.progress import NOTHING, Finding, Progress, middle, spans
from indexcalc.proof.numeric import Array

CORNERS = 4
"""The most figures of a formula of arrays that are read at both ends."""

REPAIRS_LIMIT = 400
"""The most formulas with one other entry that are tried."""


def judge_formula(
    node: Node, line: int, progress: Progress, operands: Operands, following: Node | None
) -> Finding | None:
    """The finding on a member with names or operations in it; None if it states nothing.

    Args:
        node: the member.
        line: where it stands.
        progress: what is known of its chain; told what this member is.
        operands: what figures stand for.
        following: the member behind it, whose figures may not be those that it names.
    """
    if any(name.symbolic for name in names_in(node)):
        progress.forget()
        return None
    if progress.before is not None:
        operands.tie(progress.before, node)
    progress.before, earlier = node, progress.source
    try:
        progress.source = interval(node, operands.interval, operands.names)
    except NotEvaluatedError as error:
        progress.source = None
        if any(isinstance(inner, Dots) for inner in walk(node)):
            return with_dots(node, operands)
        return of_arrays(node, progress, operands, str(error))
    if not math.isfinite(progress.source.high - progress.source.low):
        progress.forget()
        return Finding(Verdict.UNCLEAR, "this has no bounded value, as far as its figures tell")
    if progress.target is None:
        return new_name(node, progress, operands, earlier)
    if admits(progress.source, progress.target):
        return admitted(used(node, operands), progress)
    return off(node, line, progress, operands, following)


def used(node: Node, operands: Operands) -> list[Operand]:
    """The operands of the figures of an expression."""
    return [operands.of(figure) for figure in inside(node) if figure.start]


def first_refuted(listed: Sequence[Operand]) -> Operand | None:
    """The first figure that is not what the formula says."""
    return next((operand for operand in listed if operand.verdict is Verdict.REFUTED and operand.reason), None)


def admits(source: Interval, target: float) -> bool:
    """Whether an interval holds a number, or both are zero but for the rounding of doubles."""
    return source.holds(target) or max(abs(target), abs(source.low), abs(source.high)) < NOTHING


def admitted(listed: Sequence[Operand], progress: Progress) -> Finding:
    """A member whose figures admit the exact number."""
    bad = first_refuted(listed)
    wrong = next((operand for operand in listed if operand.verdict is Verdict.FOLLOWS and operand.line), None)
    odd = bad or wrong
    if odd is not None and odd.reason and progress.broken is not None:
        return Finding(Verdict.CONFIRMED, f"the figures are right, not the names: {odd.reason}")
    if bad is not None:
        return Finding(Verdict.REFUTED, bad.reason)
    if wrong is not None and wrong.reason:
        progress.origin = wrong.line
        return Finding(Verdict.FOLLOWS, wrong.reason)
    if any(operand.verdict is Verdict.ROUNDED for operand in listed):
        return Finding(Verdict.ROUNDED, "its figures are rounded above")
    return Finding(Verdict.CONFIRMED)


def off(node: Node, line: int, progress: Progress, operands: Operands, following: Node | None) -> Finding:
    """A member that is not what its head is."""
    source = progress.source
    assert source is not None
    listed = used(node, operands)
    bad = first_refuted(listed)
    wrong = next((operand for operand in listed if operand.verdict is Verdict.FOLLOWS), None)
    if progress.broken is not None and source.holds(progress.broken):
        progress.origin = progress.line
        return Finding(Verdict.FOLLOWS, f"equals the member before it, which is wrong (line {progress.line})")
    if bad is not None and progress.broken is None:
        return Finding(Verdict.REFUTED, progress.gives(source, bad.reason))
    if wrong is not None:
        progress.origin = wrong.line
        reasons = [wrong.reason or f"see line {wrong.line}", *([bad.reason] if bad is not None else [])]
        return Finding(Verdict.FOLLOWS, progress.gives(source, "; ".join(reasons)))
    if progress.wrong and progress.broken is None and progress.origin:
        return Finding(Verdict.FOLLOWS, progress.gives(source, f"see line {progress.origin}"))
    exact = operands.exact_value(node)
    progress.broken, progress.line = (exact if exact is not None else middle(source)), line
    reasons = [another(source, progress, operands), *substituted(node, following, operands)]
    repair = repaired(node, progress, operands)
    return Finding(Verdict.REFUTED, progress.gives(source, "; ".join(filter(None, reasons))), repair)


def substituted(node: Node, following: Node | None, operands: Operands) -> list[str]:
    """What the member behind a wrong formula puts in for its names, where it is something else."""
    if following is None or isinstance(following, Figure) or not names_in(node):
        return []
    ahead = Operands(operands.names, operands.ledger, dict(operands.known))
    ahead.tie(node, following)
    return [operand.reason for operand in used(following, ahead) if operand.verdict is Verdict.REFUTED]


def repaired(node: Node, progress: Progress, operands: Operands) -> str:
    """The nearest other entry of a tensor in the formula that makes it right; empty if none does, or several."""
    found: list[tuple[int, str]] = []
    tried = 0
    for name in dict.fromkeys(names_in(node)):
        for other in entries_beside(name, operands):
            tried += 1
            if tried > REPAIRS_LIMIT:
                return ""
            for place in range(sum(inner == name for inner in walk(node))):
                value = operands.exact_value(replaced(node, name, other, place))
                if value is not None and progress.target and spans([np.asarray(value)], np.asarray(progress.target)):
                    moved = sum(a != b for a, b in zip(name.places, other.places, strict=True))
                    found.append((moved, f"{other.text} instead of {name.text}"))
    nearest = [text for moved, text in found if moved == min(found)[0]]
    return nearest[0] if len(nearest) == 1 else ""


def entries_beside(name: Name, operands: Operands) -> Iterator[Name]:
    """The other entries of the tensor that a name is an entry of."""
    if not name.places or None in name.places or not name.text.endswith("]"):
        return
    try:
        shape = operands.names.meaning(name, whole=True).values.shape
    except UnknownNameError:
        return
    if len(shape) != len(name.places) or np.prod(shape) > REPAIRS_LIMIT:
        return
    stem = name.text[: name.text.index("[")]
    for index in np.ndindex(shape):
        places = tuple(int(at) + (operands.names.first or 0) for at in index)
        if places != name.places:
            marks = "".join(f"[{at}]" for at in places) if "][" in name.text else f"[{','.join(map(str, places))}]"
            yield replace(name, places=places, text=stem + marks)


def another(source: Interval, progress: Progress, operands: Operands) -> str:
    """Which entry of another tensor of the same shape has this value, if there is one; then the chain is about it."""
    place, meaning = progress.head.place, progress.head.meaning
    if place is None or meaning is None or source.holds(0.0):
        return ""
    own = meaning.quantity
    for quantity in operands.names.model.quantities.values():
        if quantity.key[0] != own.key[0] or quantity.values.shape != own.values.shape or quantity.key == own.key:
            continue
        value = float(quantity.values.reshape(-1)[place[1]])
        if source.holds(value):
            progress.broken = value
            return (
                f"it is {quantity.entry(place[1])} = {value:.4g} of the model, so the name or the formula is another's"
            )
    return ""


def new_name(node: Node, progress: Progress, operands: Operands, earlier: Interval | None) -> Finding | None:
    """The first formula of a name that the model does not have gives it a value; the next ones have the same."""
    if progress.head.array is not None:
        return Finding(Verdict.UNCLEAR, "a number is stated of an array")
    progress.target = operands.exact_value(node)
    bad = first_refuted(used(node, operands))
    if bad is not None:
        return Finding(Verdict.REFUTED, bad.reason)
    assert progress.source is not None
    if earlier is not None and not earlier.meets(progress.source):
        return Finding(
            Verdict.REFUTED, f"this gives {middle(progress.source):.4g}, not {middle(earlier):.4g} as before it"
        )
    if earlier is not None:
        return Finding(Verdict.CONFIRMED, "follows from the figures shown")
    return Finding(Verdict.DEFINITION) if progress.head.name else None


def with_dots(node: Node, operands: Operands) -> Finding:
    """A sum of which only some terms are shown: those are compared."""
    bad = first_refuted(used(node, operands))
    if bad is not None:
        return Finding(Verdict.REFUTED, bad.reason)
    return Finding(Verdict.SCHEMATIC, "dots stand for some terms; the figures that are shown are compared")


def of_arrays(node: Node, progress: Progress, operands: Operands, why: str) -> Finding | None:
    """A formula of whole arrays: compared exactly, but for figures that nothing explains."""
    target = progress.head.array
    if target is None and progress.target is not None:
        target = np.asarray(progress.target)
    unknown = [figure for figure in inside(node) if operands.exact(figure) is None]
    try:
        corners = [readings(node, exact, operands.names) for exact in choices(unknown, operands)]
    except NotEvaluatedError as error:
        plain = not any(isinstance(inner, Figure) and not inner.whole for inner in walk(node))
        return None if plain else Finding(Verdict.UNCLEAR, str(error) or why)
    if target is None:
        return None
    found = list(zip(*corners, strict=False))
    if any(spans(arrays, target) for arrays in found):
        return Finding(Verdict.CONFIRMED)
    if isinstance(node, Name) or all(array.shape != target.shape for arrays in found for array in arrays):
        return None
    instead = array_named([arrays[0] for arrays in found], operands)
    return Finding(Verdict.REFUTED, f"as named, this is not {progress.head.text}{instead}")


def choices(unknown: Sequence[Figure], operands: Operands) -> Iterator[Callable[[Figure], float | None]]:
    """Ways to read the figures that nothing explains: at either end of what they show."""
    open_figures = unknown if len(unknown) <= CORNERS else ()
    for ends in product((-1, 1), repeat=len(open_figures)):
        yield at_ends({f.start: f.value + end * f.half for f, end in zip(open_figures, ends, strict=True)}, operands)


def at_ends(chosen: dict[int, float], operands: Operands) -> Callable[[Figure], float | None]:
    """What each figure rounds, those chosen at one end of what they show."""
    return lambda figure: chosen.get(figure.start, operands.exact(figure))


def array_named(found: Sequence[Array], operands: Operands) -> str:
    """Which quantity of the model a formula gives instead."""
    for quantity in operands.names.model.quantities.values():
        if quantity.values.shape and any(spans([array], quantity.values) for array in found):
            return f", but {quantity.text}"
    return ""

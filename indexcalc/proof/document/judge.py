"""Judging relations: each member of a chain against its predecessor and against the chain's head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from indexcalc.errors import IndexCalcError
from indexcalc.proof.document.assumptions import summed_entry
from indexcalc.proof.document.declarations import extents_of
from indexcalc.proof.document.definitions import scalars_only
from indexcalc.proof.document.einstein import bind_chain_rule, bind_repeated
from indexcalc.proof.document.nodes import (
    Derivative,
    Entry,
    Meaning,
    Size,
    Total,
    free,
    names_of,
    occurrences,
    own_indices,
    renamed,
    walk,
)
from indexcalc.proof.document.outline import Side, Statement
from indexcalc.proof.document.points import Points, positive_names
from indexcalc.proof.document.proving import proves
from indexcalc.proof.document.reading import Reader
from indexcalc.proof.document.roles import Roles
from indexcalc.proof.document.scripts import GREEK
from indexcalc.proof.document.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.symbols import NotUnderstoodError, Symbols, depends_on
from indexcalc.proof.document.typed import Typed
from indexcalc.proof.document.verdicts import Verdict

TOLERANCE = 1e-9
"""The relative error up to which two values are equal."""

CLEARLY = 1e-6
"""The relative error from which two values differ for certain; between the two nothing is said."""

ZERO_SCALE = 1e-4
"""A value below this part of the largest intermediate one is compared as if it were that large: exact zeros pass."""

NEEDED = 6
"""How many points must agree."""


@dataclass
class Finding:
    """A verdict with its grounds."""

    verdict: Verdict
    reason: str = ""
    counterexample: str = ""
    assumptions: tuple[str, ...] = ()


TANGLED = "the definitions of its symbols lead back to themselves, or do not fit each other in shape"
"""The reason for saying nothing where symbols have more than one meaning."""


@dataclass
class Judge:
    """Judges the statements of one document in order."""

    roles: Roles
    generic: frozenset[str] = frozenset()
    points: Points = field(init=False)

    def __post_init__(self) -> None:
        self.points = Points(self.roles.symbols, positive_names(self.roles.symbols, ()))

    def statement(self, number: int, statement: Statement, *, defines: bool) -> list[Finding]:
        """A finding for every relation of a statement.

        Where a document gives one name several meanings, its definitions can lead back to themselves
        or clash in shape; nothing is said of such a statement then.
        """
        try:
            best = self.under(statement, defines)
            if any(finding.verdict is Verdict.REFUTED for finding in best):
                best = self.with_assumption(statement, defines, best)
        except (ValueError, RecursionError):
            return [Finding(Verdict.UNCLEAR, TANGLED) for _ in statement.sides[1:]]
        return best

    def with_assumption(self, statement: Statement, defines: bool, best: list[Finding]) -> list[Finding]:
        """The findings if an input's entries, whose sum the statement writes out, are assumed to sum to one."""
        symbols = self.roles.symbols
        for name, place in sums_written(Reading(self, statement, False, False)):
            if name in symbols.definitions or name in symbols.simplex:
                continue
            assumed = replace(symbols, simplex={**symbols.simplex, name: place})
            assuming = Judge(replace(self.roles, symbols=assumed), self.generic)
            found = assuming.under(statement, defines)
            if score(found) > score(best) and all(finding.verdict is not Verdict.REFUTED for finding in found):
                text = f"the entries of {name} sum to 1"
                return [
                    replace(new, verdict=Verdict.CONFIRMED, assumptions=(*new.assumptions, text))
                    if old.verdict in (Verdict.REFUTED, Verdict.FOLLOWS)
                    else new
                    for old, new in zip(best, found, strict=True)
                ]
        return best

    def under(self, statement: Statement, defines: bool) -> list[Finding]:
        """The findings under the likeliest reading that accuses least."""
        best: list[Finding] = []
        for reading in self.readings(statement):
            findings = reading.findings(defines)
            if not best or score(findings) > score(best):
                best = findings
            if all(finding.verdict is not Verdict.REFUTED for finding in best) and not any(
                finding.verdict is Verdict.UNCLEAR for finding in best
            ):
                break
        return best

    def readings(self, statement: Statement) -> Iterator[Reading]:
        """The admissible readings, the likeliest first."""
        for local in (False, True):
            symbols = self.roles.symbols
            for unwritten in (False,) if symbols.einstein or symbols.writes_chain_sums else (False, True):
                yield Reading(self, statement, local, unwritten)


def score(findings: Sequence[Finding]) -> tuple[int, int]:
    """Fewer refuted first, then fewer that are not understood."""
    return (
        -sum(finding.verdict in (Verdict.REFUTED, Verdict.FOLLOWS) for finding in findings),
        -sum(finding.verdict is Verdict.UNCLEAR for finding in findings),
    )


class Reading:
    """One reading of a statement."""

    def __init__(self, judge: Judge, statement: Statement, local: bool, unwritten: bool) -> None:
        self.judge = judge
        self.roles = judge.roles
        self.statement = statement
        self.unwritten = unwritten
        self.sizes: Sizes = judge.roles.symbols.sizes.copy()
        self.reader = Reader(judge.roles.symbols, judge.roles.survey, self.sizes, local=local)
        self.reader.scalars_only = scalars_only(judge.roles, statement)
        self.values: list[Typed | None] = []
        self.troubles: list[str] = []
        self.shape_errors: list[str] = []
        self.read()

    def read(self) -> None:
        """The meaning of every member, its axes put on the head's letters."""
        for side in self.statement.sides:
            value: Typed | None = None
            trouble, shape = side.error, ""
            if side.tree is not None and side.relation != "in":
                before = self.sizes.copy()
                try:
                    value = self.reader.sum(side.tree)
                except NotUnderstoodError as error:
                    trouble = str(error)
                except ShapeError as error:
                    shape = str(error)
                    restore(self.sizes, before)
                except IndexCalcError as error:
                    trouble = str(error)
                except RecursionError:
                    trouble = "nested too deeply"
            self.values.append(value)
            self.troubles.append(trouble)
            self.shape_errors.append(shape)
        self.bind()

    def bind(self) -> None:
        """Sums that are not written, where the document leaves them out."""
        heads = [value for value in self.values if value is not None]
        if not heads:
            return
        outside = set.intersection(*(set(letters_of(value)) for value in heads))
        if self.values[0] is not None:
            counts = Counter(occurrences(self.values[0].node))
            outside |= {
                index for index in letters_of(self.values[0]) if counts[index] == 1 or not self.roles.symbols.einstein
            }
        for n, value in enumerate(self.values):
            if value is None:
                continue
            keep = {*outside, *value.axes}
            if self.roles.symbols.einstein:
                if n and not outside:
                    keep |= self.chain_letters(value)
                node = bind_repeated(value.node, keep)
            elif self.unwritten:
                node = bind_chain_rule(value.node, keep)
            else:
                continue
            self.values[n] = Typed(node, value.axes, value.orientation, value.jacobian)

    def chain_letters(self, value: Typed) -> set[Ix]:
        """Where the head is a matrix: the letters of derivatives' denominators in the chain."""
        del value
        found: set[Ix] = set()
        for other in self.values:
            if other is not None:
                for node in walk(other.node):
                    if isinstance(node, Derivative):
                        found.update(slot for slot in node.wrt.slots if slot in self.reader.letters.values())
        return found

    # judging -----------------------------------------------------------------------------------------------------

    def findings(self, defines: bool) -> list[Finding]:
        """A finding for every relation."""
        findings: list[Finding] = []
        truths: list[bool | None] = [True]
        for n, side in enumerate(self.statement.sides):
            if n == 0:
                continue
            finding, truth = self.relation(n, side, defines, truths)
            findings.append(finding)
            truths.append(truth)
        return findings

    def relation(self, n: int, side: Side, defines: bool, truths: list[bool | None]) -> tuple[Finding, bool | None]:
        """One relation; and whether its member equals the head."""
        if side.relation == "in":
            return self.membership(n, side), truths[-1]
        if side.relation not in ("=", ":="):
            reason = {"~": "an approximation is not judged", "->": "an arrow is not judged"}
            return Finding(
                Verdict.UNCLEAR, reason.get(side.relation, f"the relation {side.relation} is not judged")
            ), None
        if n == 1 and defines:
            return Finding(Verdict.DEFINITION), True
        if self.shape_errors[n]:
            if self.grounded(n) is None and not self.troubles[0] and not self.judge.generic:
                return Finding(Verdict.REFUTED, f"shapes do not fit: {self.shape_errors[n]}"), False
            return Finding(Verdict.UNCLEAR, f"shapes do not fit: {self.shape_errors[n]}"), None
        if self.values[n] is None:
            return Finding(Verdict.UNCLEAR, self.troubles[n]), None
        if self.schematic(n):
            return Finding(Verdict.SCHEMATIC, "a product of derivatives of arrays by arrays"), None
        head = self.compare(0, n) if self.values[0] is not None else None
        previous = n - 1
        step = self.compare(previous, n) if previous > 0 and self.values[previous] is not None else head
        if head is not None and head.verdict in (Verdict.PROVED, Verdict.CONFIRMED):
            return head, True
        if head is None or head.verdict is Verdict.UNCLEAR:
            if step is not None and step.verdict in (Verdict.PROVED, Verdict.CONFIRMED):
                return step, truths[-1]
            if step is None or (head is not None and head.reason):
                return Finding(
                    Verdict.UNCLEAR, (head.reason if head else "") or self.troubles[0] or self.troubles[n - 1]
                ), None
            return (step, None) if step.verdict is not Verdict.REFUTED else (step, False)
        if step is not None and step is not head and step.verdict in (Verdict.PROVED, Verdict.CONFIRMED):
            if truths[-1] is False:
                return Finding(Verdict.FOLLOWS, f"follows from a wrong member before it; {head.reason}"), False
            return Finding(Verdict.UNCLEAR, "equal to the member before it, but not to the head"), None
        return head, False

    def schematic(self, n: int) -> bool:
        """Whether a member or the head is a derivative of an array by an array, in matrix notation."""
        for value in (self.values[0], self.values[n]):
            if value is not None and (value.jacobian or len(value.axes) > 2):
                return True
        return False

    def membership(self, n: int, side: Side) -> Finding:
        """The claim that an expression has a shape."""
        extents = extents_of(side.tokens)
        value = next((v for v in reversed(self.values[:n]) if v is not None), None)
        if extents is None or value is None:
            return Finding(Verdict.UNCLEAR, "a set that is not read")
        wanted = [extent for extent in extents if extent != "1"] if len(extents) == 2 else extents
        head = self.values[0] if self.values[0] is not None else value
        found = [self.sizes.name_of(axis) for axis in head.axes]
        if len(wanted) != len(head.axes):
            return Finding(Verdict.UNCLEAR, f"the shape is {' x '.join(found) or 'that of a scalar'}")
        if "?" in found:
            return Finding(Verdict.UNCLEAR, "a size that is not declared")
        if found != wanted:
            reason = f"the shape is {' x '.join(found)}, not {' x '.join(wanted)}"
            return Finding(Verdict.REFUTED, reason)
        return Finding(Verdict.PROVED, "the shape")

    def grounded(self, n: int) -> str | None:
        """Why a member cannot support a refutation; None if it can."""
        symbols = self.roles.symbols
        if self.statement.guessed:
            return "false, if its commas are spaces"
        if self.reader.guesses:
            return f"false, if {self.reader.guesses[0]}"
        head = self.values[0]
        fine = {*symbols.given, *symbols.definitions, *symbols.losses}
        if head is not None:
            fine.update(names_of(head.node))
        value = self.values[n]
        if head is not None and isinstance(head.node, Entry):
            if head.node.name not in symbols.definitions:
                return f"{head.node.name} has no definition to compare with"
            if value is not None and unrelated(symbols, head.node, value.node):
                return f"{head.node.name} is defined from other names before"
        strange = strangers(symbols, head, value)
        if strange:
            return f"the loss is not known to have to do with {strange[0]}"
        for member in (head, value):
            for name in names_of(member.node) if member is not None else ():
                if name in self.judge.generic:
                    return f"{name} is defined in several ways"
        for name in names_of(value.node) if value is not None else ():
            if name not in fine and not name_is_constant(symbols.slots, name, self.roles):
                return f"{name} is never defined"
        for member in (head, value):
            for node in walk(member.node) if member is not None else ():
                if isinstance(node, Derivative) and isinstance(node.body, Entry) and symbols.is_loss(node.body.name):
                    name = node.wrt.name
                    if head is not None and node is head.node and name in symbols.outputs:
                        return f"the loss depends on {name} in a way that is not given"
                    if not any(o == name or depends_on(symbols.definitions, o, name) for o in symbols.outputs):
                        return f"the loss is not known to depend on {name}"
        return None

    def compare(self, left: int, right: int) -> Finding:
        """Whether two members are equal."""
        one, other = self.values[left], self.values[right]
        assert one is not None
        assert other is not None
        sizes = self.sizes.copy()
        try:
            a, b, letters = self.common(one, other, sizes, left, right)
        except NotUnderstoodError as error:
            return Finding(Verdict.UNCLEAR, str(error))
        except ShapeError as error:
            return self.refuted(right, f"shapes do not fit: {error}")
        extra = [index for index in free(b) if index not in letters]
        if extra:
            name = extra[0].name or "?"
            return self.refuted(right, f"the index {name} is free here, but not on the left side")
        try:
            finding = self.by_numbers(a, b, letters, sizes, right)
        except NotUnderstoodError as error:
            return Finding(Verdict.UNCLEAR, str(error))
        except IndexCalcError as error:
            return Finding(Verdict.UNCLEAR, str(error))
        plain = finding.verdict is Verdict.CONFIRMED and not self.statement.conditions
        if plain and proves(a, b, letters, self.roles.symbols, sizes):
            finding = Finding(Verdict.PROVED)
        if finding.verdict in (Verdict.CONFIRMED, Verdict.PROVED) and self.reader.notes:
            finding.assumptions = tuple(dict.fromkeys(n for n in self.reader.notes if "binds nothing" not in n))
        return finding

    def refuted(self, right: int, reason: str, counterexample: str = "") -> Finding:
        """Refuted, if the member is grounded."""
        why = self.grounded(right)
        if why is not None:
            return Finding(Verdict.UNCLEAR, why)
        vacuous = next((note for note in self.reader.notes if "binds nothing" in note), "")
        return Finding(Verdict.REFUTED, "; ".join(part for part in (reason, vacuous) if part), counterexample)

    def common(
        self, one: Typed, other: Typed, sizes: Sizes, left: int, right: int
    ) -> tuple[Meaning, Meaning, tuple[Ix, ...]]:
        """Both expressions over the same index variables, and these."""
        a, b = one.node, other.node
        letters_a, letters_b = letters_of(one), letters_of(other)
        axes = one.axes
        if one.axes and other.axes:
            if len(one.axes) != len(other.axes):
                raise NotUnderstoodError(f"{len(one.axes)} axes on one side, {len(other.axes)} on the other")
            for p, q in zip(one.axes, other.axes, strict=True):
                sizes.unify(p, q)
            b = renamed(b, dict(zip(other.axes, one.axes, strict=True)))
        elif one.axes or other.axes:
            matrix, letters, fixed = (one, letters_b, letters_a) if one.axes else (other, letters_a, letters_b)
            order = [index for index in self.letter_order() if index in letters and index not in fixed]
            if len(order) != len(matrix.axes) and not (one.axes == () and a == b):
                if not letters and not matrix.node == matrix.node:
                    raise NotUnderstoodError("an array on one side, a scalar on the other")
                raise NotUnderstoodError("an array on one side, entries on the other")
            for axis, index in zip(matrix.axes, order, strict=True):
                sizes.unify(axis, index)
            names = dict(zip(matrix.axes, order, strict=True))
            a, b = (renamed(a, names), b) if one.axes else (a, renamed(b, names))
            axes = tuple(order)
        del left, right
        shared = tuple(dict.fromkeys((*axes, *(i for i in free(a) if i not in axes))))
        return a, b, shared

    def letter_order(self) -> list[Ix]:
        """The letters of the chain: those of derivatives' denominators first, then as they occur."""
        order: dict[Ix, None] = {}
        for value in self.values:
            if value is not None:
                for node in walk(value.node):
                    if isinstance(node, Derivative):
                        order.update(dict.fromkeys(node.wrt.slots))
        for value in self.values:
            if value is not None:
                order.update(dict.fromkeys(letters_of(value)))
        return list(order)

    def by_numbers(self, a: Meaning, b: Meaning, letters: tuple[Ix, ...], sizes: Sizes, right: int) -> Finding:
        """Both sides at random points."""
        agreed, failures = 0, []
        both_zero = True
        ratios: list[tuple[float, dict[str, int]]] = []
        every = [*letters, *indices_in(a), *indices_in(b)]
        for pattern, point in self.judge.points.at(sizes, every):
            point.scale = 0.0
            with np.errstate(all="ignore"):
                x = point.value(a, letters)
                y = point.value(b, letters)
            x, y = self.where_conditions_hold(x, y, letters)
            if x.size == 0:
                continue
            if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
                continue
            scale = max(float(np.max(np.abs(x), initial=0)), float(np.max(np.abs(y), initial=0)))
            both_zero = both_zero and scale <= 1e-13 * max(1.0, point.scale)
            floor = max(scale, ZERO_SCALE * max(1.0, point.scale))
            error = float(np.max(np.abs(x - y), initial=0)) / floor
            if error <= TOLERANCE:
                agreed += 1
            elif error >= CLEARLY:
                failures.append((pattern, point, x, y))
                ratios.append(ratio(x, y, {sizes.name_of(i) or i.name: point.length(i) for i in letters}))
        if not failures and agreed >= NEEDED:
            return Finding(Verdict.CONFIRMED, "both sides are zero at every point tried" if both_zero else "")
        if len(failures) >= 3 and len({pattern for pattern, *_ in failures}) >= 2:
            _, point, x, y = failures[0]
            return self.refuted(right, diagnosis(ratios), counterexample(x, y, letters, point.lengths, sizes))
        return Finding(Verdict.UNCLEAR, "too few points at which both sides are defined")

    def where_conditions_hold(
        self, x: np.ndarray, y: np.ndarray, letters: tuple[Ix, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values at the entries that the statement's conditions allow."""
        mask = np.ones(x.shape, dtype=bool)
        by_name = {index.name: n for n, index in enumerate(letters)}
        for left, relation, right in self.statement.conditions:
            if left in by_name and right in by_name and relation in ("=", "!="):
                shape_l, shape_r = [1] * x.ndim, [1] * x.ndim
                shape_l[by_name[left]] = shape_r[by_name[right]] = -1
                i = np.arange(x.shape[by_name[left]]).reshape(shape_l)
                j = np.arange(x.shape[by_name[right]]).reshape(shape_r)
                mask = mask & ((i == j) if relation == "=" else (i != j))
        if mask.all():
            return x, y
        return x[mask], y[mask]


def name_is_constant(slots: dict[str, tuple[Ix, ...]], name: str, roles: Roles) -> bool:
    """Whether a name is a plain scalar, such as a temperature, that needs no definition: a letter, or a Greek one."""
    base = name.split("_", maxsplit=1)[0].rsplit(" ", maxsplit=1)[-1]
    return slots.get(name) == () and name in roles.survey.usages and (len(base) == 1 or base in GREEK)


def unrelated(symbols: Symbols, head: Entry, body: Meaning) -> bool:
    """Whether a name's definition and a restatement come from two sets of inputs without a common member."""
    if head.name not in symbols.definitions:
        return False
    old = inputs_of(symbols, names_of(symbols.definitions[head.name].body))
    new = inputs_of(symbols, names_of(body))
    return bool(old) and bool(new) and not old & new


def strangers(symbols: Symbols, head: Typed | None, value: Typed | None) -> list[str]:
    """Where a gradient of the unknown loss is claimed: inputs of the right side that may be upstream gradients."""
    if head is None or value is None:
        return []
    losses = [
        node
        for node in walk(head.node)
        if isinstance(node, Derivative) and isinstance(node.body, Entry) and symbols.is_loss(node.body.name)
    ]
    if not losses:
        return []
    known = inputs_of(symbols, (*symbols.outputs, *names_of(head.node)))
    return sorted(inputs_of(symbols, names_of(value.node)) - known)


def inputs_of(symbols: Symbols, names: Sequence[str]) -> set[str]:
    """The tensors without a definition from which names are made."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in symbols.definitions:
            pending.extend(names_of(symbols.definitions[name].body))
        elif symbols.slots.get(name):
            found.add(name)
        elif symbols.is_loss(name):
            pending.extend(symbols.outputs)
    return found


def sums_written(reading: Reading) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The tensors whose entries a statement sums up, each with the slot that is summed."""
    for value in reading.values:
        for node in walk(value.node) if value is not None else ():
            found = summed_entry(node)
            if found is not None:
                yield found


def letters_of(value: Typed) -> tuple[Ix, ...]:
    """The free letters of an expression, without its axes."""
    return tuple(index for index in free(value.node) if index not in value.axes)


def indices_in(node: Meaning) -> Iterator[Ix]:
    """Every index variable in an expression."""
    for inner in walk(node):
        yield from own_indices(inner)
        if isinstance(inner, Total):
            yield from inner.indices
        if isinstance(inner, Size):
            yield inner.index


def restore(sizes: Sizes, before: Sizes) -> None:
    """Undo what a member that does not fit has unified."""
    sizes.parent, sizes.names, sizes.owners = before.parent, before.names, before.owners


def ratio(x: np.ndarray, y: np.ndarray, lengths: dict[str, int]) -> tuple[float, dict[str, int]]:
    """The constant by which the right side exceeds the left; NaN if there is none."""
    usable = np.abs(x) > 1e-12
    if not usable.any():
        return float("nan"), lengths
    values = (y[usable] / x[usable]).reshape(-1)
    first = float(values[0])
    constant = bool(np.all(np.abs(values - first) <= 1e-8 * abs(first))) and not np.any(np.abs(y[~usable]) > 1e-9)
    return (first if constant else float("nan")), lengths


def diagnosis(ratios: list[tuple[float, dict[str, int]]]) -> str:
    """What is wrong, from the ratio of the sides over several points."""
    values = [value for value, _ in ratios]
    if all(abs(value + 1) < 1e-8 for value in values):
        return "the sign is wrong"
    if all(np.isfinite(values)) and max(values) - min(values) < 1e-8 * abs(values[0]):
        return f"the right side is {values[0]:.6g} times the left"
    if all(np.isfinite(values)):
        return "the right side is a multiple of the left; a factor is missing or too much"
    return "the two sides differ"


def counterexample(x: np.ndarray, y: np.ndarray, letters: tuple[Ix, ...], lengths: dict[Ix, int], sizes: Sizes) -> str:
    """Sizes, the entry that differs most, and both values."""
    gap = np.abs(x - y)
    flat = int(np.argmax(gap)) if gap.size else 0
    place = np.unravel_index(flat, gap.shape) if gap.ndim else ()
    names = [index.name or f"axis {n + 1}" for n, index in enumerate(letters)]
    where = ", ".join(f"{name} = {int(number) + 1}" for name, number in zip(names, place, strict=False))
    left, right = float(x.reshape(-1)[flat]), float(y.reshape(-1)[flat])
    extents = ", ".join(
        f"{name} runs to {lengths[sizes.find(index)]}" for name, index in zip(names, letters, strict=False)
    )
    at = f" at {where} ({extents})" if where and len(place) == len(names) else ""
    return f"left {left:.8g}, right {right:.8g}{at}"

"""Loops in segments as lines: a step is there as long as something reads it.

A step is a function, which the first pass runs, and the second once more for each segment that it comes to.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from indexcalc.algebra.guards import follow
from indexcalc.algebra.slots import constant_of, place
from indexcalc.algebra.terms import Delta, Index, Iverson, tensors_of
from indexcalc.codegen.checkpoints.holding import Held, Holding
from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.formula import formula
from indexcalc.codegen.layout import call_or_wrap, numbered
from indexcalc.codegen.names import unused
from indexcalc.codegen.operands import EntryAt, Scope
from indexcalc.codegen.plan import shape_of
from indexcalc.codegen.prose import comment
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Binary, Call, Node, flat
from indexcalc.codegen.statements import Loop, Statement
from indexcalc.codegen.steps import added, condition_text

Part = tuple[Statement, Node]
"""A part of a step, and its value."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a step under a condition, or under none, and what is said of them."""

    condition: str
    comment: list[str]
    lines: list[str]


@dataclass
class SegmentsWriter:
    """The loops of both passes on the way to lines.

    Attributes:
        held: how what they compute is held.
        every: the argument that says how many steps a segment has.
        begin: the variable of where a segment begins.
        end: the variable of where it ends.
        segments: the names of lists of segments, by the number of steps.
        again: the functions that run a step again, by the loop.
    """

    held: Held
    every: str
    begin: str
    end: str
    segments: dict[str, str] = field(default_factory=dict)
    again: dict[Loop, str] = field(default_factory=dict)

    def scopes(self, statements: Sequence[Statement], scope: Scope) -> list[Scope]:
        """For each statement the names that it may use: inside a loop, those of steps and of values of a step."""
        texts = {name: self.entry(entry, scope) for name, entry in scope.entries.items()}
        inner = replace(scope, tensors={**scope.tensors, **texts})
        return [scope if statement.loop is None else inner for statement in statements]

    def entry(self, entry: EntryAt, scope: Scope) -> str:
        """An array at a step as it is held."""
        array, how = scope.tensors[entry.tensor], self.held.holding.get(entry.tensor, Holding.ARRAY)
        if how in (Holding.ARRAY, Holding.TOTAL):
            return entry.text(array)
        axis = self.axis(entry.tensor)
        rest = EntryAt(entry.tensor, (*entry.parts[:axis], *entry.parts[axis + 1 :]))
        first = f"{array}[{entry.parts[axis]}]" if how is Holding.STEPS else array
        return first if all(part == ":" for part in rest.parts) else rest.text(first)

    def axis(self, tensor: str) -> int:
        """The axis of a tensor that is the step."""
        axis = self.held.owner[tensor].axis_of(tensor)
        assert axis is not None
        return axis

    def lines(
        self, parts: Sequence[Part], scope: Scope, taken: set[str], depth: int, later: Collection[str]
    ) -> list[str]:
        """A loop as lines.

        Args:
            parts: those of a step, in order.
            scope: the names that they may use.
            taken: the names in use.
            depth: of the indentation.
            later: the tensors that are read behind the loop; those are held as arrays already.
        """
        loop = parts[0][0].loop
        assert loop is not None
        return LoopText(self, loop, scope, taken).lines(parts, depth)


@dataclass
class LoopText:
    """One loop, and how it is written."""

    owner: SegmentsWriter
    loop: Loop
    scope: Scope
    taken: set[str]

    def lines(self, parts: Sequence[Part], depth: int) -> list[str]:
        """What it writes to, the function of a step if it runs again, the loop over segments."""
        others = self.held.holding.keys() - self.held.again - self.held.first
        first, again, rest = (
            [part for part in parts if self.held.is_needed(part[0], names)]
            for names in (self.held.first, self.held.again, others)
        )
        lines = self.storage_lines(depth)
        length, variable = self.length, self.variable
        if not again and not self.forgets:
            steps = self.turned(f"range({length})", self.loop.direction)
            return [
                *lines,
                f"for {variable} in {steps}:",
                *(f"    {line}" for line in self.step_lines(rest, depth + 1)),
            ]
        segments = self.owner.segments.get(length)
        if segments is None:
            segments = self.owner.segments[length] = unused("segments", self.taken)
            lines.append(f"{segments} = _segments({length}, {self.owner.every})")
        inner = self.step_lines(first, depth + 2)
        if again:
            function = self.owner.again[self.loop] = unused("step", self.taken)
            lines += ["", f"def {function}({variable}: int) -> None:"]
            lines.append('    """What the way back reads of a step, or what that is computed from."""')
            lines += [f"    {line}" for line in self.step_lines(again, depth + 1)]
            lines.append("")
            inner.append(f"{function}({variable})")
        inner += self.step_lines(rest, depth + 2)
        lines.append(f"for {self.owner.begin}, {self.owner.end} in {self.turned(segments, self.loop.direction)}:")
        lines += self.again_lines()
        lines.append(f"    for {variable} in {self.turned(self.range, self.loop.direction)}:")
        lines += [f"        {line}" for line in inner or ["pass"]]
        return [*lines, *(f"    {line}" for line in self.forgetting_lines(bool(again)))]

    @property
    def held(self) -> Held:
        """How everything is held."""
        return self.owner.held

    @property
    def forgets(self) -> bool:
        """Whether steps are let go of."""
        names = (*(name for name, _, _ in self.loop.arrays), *self.loop.retraced)
        return any(self.held.holding.get(name) is Holding.STEPS for name in names)

    @property
    def length(self) -> str:
        """The number of steps as source, which may stand beside operators."""
        text = flat(scalar_node(self.loop.extent, self.scope.scalars))
        return text if text.isidentifier() or text.isdecimal() else f"({text})"

    @property
    def range(self) -> str:
        """The steps of a segment as source."""
        return f"range({self.owner.begin}, {self.owner.end})"

    @property
    def variable(self) -> str:
        """The number of the step as source."""
        return self.scope.scalars[self.loop.symbol]

    def turned(self, what: str, direction: int) -> str:
        """A sequence in the order of steps."""
        return what if direction > 0 else f"reversed({what})"

    def storage_lines(self, depth: int) -> list[str]:
        """Arrays and sums, zero at the beginning, and dictionaries of steps, of which none is there yet."""
        lines, dictionaries = list[str](), list[str]()
        for name, axes, _ in self.loop.arrays:
            how = self.held.holding[name]
            if how is Holding.ARRAY:
                lines += numbered(self.scope.tensors[name], self.zeros(axes), self.taken, depth)
            elif how is Holding.STEPS:
                dictionaries.append(self.scope.tensors[name])
        for name, axes in self.loop.totals:
            lines += numbered(self.scope.tensors[name], self.zeros(axes), self.taken, depth)
        return [*lines, *(f"{name}: dict = {{}}" for name in dictionaries)]

    def zeros(self, axes: tuple[Index, ...]) -> Node:
        """An array of zeros."""
        scope = self.scope
        return spelled(
            Call("np.zeros", (shape_of(axes, scope),), (f"dtype={scope.dtype}",)), scope.dialect, scope.dtype
        )

    def again_lines(self) -> list[str]:
        """The steps of a segment run again, unless it is the one that the first pass ended with."""
        before = {self.held.owner[name] for name in self.loop.retraced}
        function = next((function for loop, function in self.owner.again.items() if loop in before), None)
        if function is None:
            return []
        ahead = -self.loop.direction
        return [
            f"    if {self.is_inner(ahead)}:",
            f"        for {self.variable} in {self.turned(self.range, ahead)}:",
            f"            {function}({self.variable})",
        ]

    def is_inner(self, direction: int) -> str:
        """Whether a segment is not the last of a pass in some direction."""
        return f"{self.owner.end} < {self.length}" if direction > 0 else f"{self.owner.begin} > 0"

    def forgetting_lines(self, comes_back: bool) -> list[str]:
        """What is let go of behind a segment."""
        own = [name for name, _, _ in self.loop.arrays if self.held.holding[name] is Holding.STEPS]
        begin, end, up = self.owner.begin, self.owner.end, self.loop.direction > 0
        if comes_back:
            counts = {name: self.held.kept(name) for name in own}
            limits = {n: (begin, less(end, n)) if up else (more(begin, n), end) for n in counts.values()}
            lines = self.forgetting(counts, limits)
            return [f"if {self.is_inner(self.loop.direction)}:", *(f"    {line}" for line in lines)] if lines else []
        read = [name for name in self.loop.retraced if self.held.holding.get(name) is Holding.STEPS]
        counts = {name: self.held.left(name, self.loop) for name in (*own, *read)}
        # The segment before left as many.
        moved = less if up else more
        return self.forgetting(counts, {n: (moved(begin, n), moved(end, n)) for n in counts.values()})

    def forgetting(self, counts: Mapping[str, int], limits: Mapping[int, tuple[str, str]]) -> list[str]:
        """A call for all dictionaries that keep as many steps."""
        lines = []
        for count in sorted(limits):
            names = [self.scope.tensors[name] for name in counts if counts[name] == count]
            if names:
                listed = f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"
                lines += call_or_wrap("_forget", [listed, *limits[count]], 2)
        return lines

    def step_lines(self, parts: Sequence[Part], depth: int) -> list[str]:
        """The parts of a step; what stands under the same conditions stands together."""
        lines = list[str]()
        before = ""
        for _, group in groupby(parts, lambda part: part[0].name):
            for block in self.blocks(tuple(group), depth):
                if block.condition and block.condition == before:
                    lines += [f"    {line}" for line in (*block.comment, *block.lines)]
                    continue
                before = block.condition
                head = [f"if {before}:"] if before else []
                lines += [*block.comment, *head, *(f"    {line}" if before else line for line in block.lines)]
        return lines

    def blocks(self, cases: Sequence[Part], depth: int) -> list[Block]:
        """What a step computes of one tensor."""
        first = cases[0][0]
        how = self.held.holding.get(first.name)
        # What only a step knows has no formula in the spec.
        note = first.note or (formula(first, self.scope.layouts) if how is None else "")
        said = comment(note.replace(self.loop.symbol.name, self.variable), depth) if note else []
        # What runs again must not add to what it left before.
        adds_up = how is Holding.ARRAY and first.name not in self.held.again
        if adds_up or how in (Holding.TOTAL, None):
            found = []
            for number, (one, node) in enumerate(cases):
                adds = how is Holding.TOTAL or (one.adds and how is not None)
                code = self.assigned(one, node, depth + bool(one.conditions), adds=adds)
                found.append(Block(self.condition(one), [] if number else said, code))
            return found
        return [Block("", said, self.chain(cases, depth))]

    def chain(self, cases: Sequence[Part], depth: int) -> list[str]:
        """Cases one of which holds, or none, and what is added to them; zero where no case holds."""
        zeros = f"{self.target(cases[0][0].name)} = {flat(self.zeros(self.axes_of(cases[0][0].name)))}"
        lines, closed = list[str](), False
        earlier: list[Statement] = []
        for number, (one, node) in enumerate(cases):
            adds, condition = one.adds and number > 0, self.condition(one)
            if adds and not closed:
                lines += ["else:", f"    {zeros}"]
                closed = True
            if not adds and number and exhaust(earlier, one):
                condition, closed = "else:", True
            elif condition:
                condition = f"{'elif' if number and not adds else 'if'} {condition}:"
            else:
                closed = True
            value = Binary("+", Atom(self.target(one.name)), node) if adds else node
            code = self.assigned(one, value, depth + bool(condition))
            lines += [condition, *(f"    {line}" for line in code)] if condition else code
            earlier.append(one)
        return lines if closed else [*lines, "else:", f"    {zeros}"]

    def axes_of(self, name: str) -> tuple[Index, ...]:
        """The axes of a tensor at a step."""
        axes, axis = next((axes, axis) for own, axes, axis in self.loop.arrays if own == name)
        return (*axes[:axis], *axes[axis + 1 :])

    def target(self, name: str) -> str:
        """What a step assigns."""
        array, how = self.scope.tensors[name], self.held.holding.get(name)
        if how is Holding.STEPS:
            return f"{array}[{self.variable}]"
        if how is Holding.ARRAY:
            return f"{array}[{', '.join([':'] * self.owner.axis(name) + [self.variable])}]"
        return array

    def assigned(self, one: Statement, node: Node, depth: int, *, adds: bool = False) -> list[str]:
        """An assignment, or what is added to what stands there."""
        scope = self.scope
        if not one.axes and not tensors_of(one.terms):
            node = Call("np.asarray", (node,), (f"dtype={scope.dtype}",))
        silenced = scope.dialect.silenced if one.may_overflow else ""
        value = spelled(node, scope.dialect, scope.dtype)
        code = added(self.target(one.name), value, self.taken, depth + bool(silenced), adds=adds)
        return [silenced, *(f"    {line}" for line in code)] if silenced else code

    def condition(self, one: Statement) -> str:
        """The conditions of a statement as source."""
        return " and ".join(condition_text(guard, self.scope) for guard in one.conditions)


def less(place: str, steps: int) -> str:
    """Some steps before a place, as source."""
    return f"{place} - {steps}" if steps else place


def more(place: str, steps: int) -> str:
    """Some steps behind a place, as source."""
    return f"{place} + {steps}" if steps else place


def exhaust(earlier: Sequence[Statement], last: Statement) -> bool:
    """Whether one of two cases always holds: one is the first or the last step, the other begins beside it."""
    cases, loop = (*earlier, last), last.loop
    if len(cases) != 2 or any(len(one.conditions) != 1 for one in cases) or loop is None:
        return False
    guards = [one.conditions[0] for one in cases]
    equal = next((guard for guard in guards if isinstance(guard, Delta)), None)
    other = next((guard for guard in guards if isinstance(guard, Iverson)), None)
    if equal is None or other is None:
        return False
    step = constant_of(equal.left) + constant_of(equal.right) - loop.symbol
    beside = ((place(0), loop.symbol - 1), (place(loop.extent - 1), loop.extent - 2 - loop.symbol))
    return any(place(step) == end and follow((other,), (*loop.range, place(gap))) for end, gap in beside)

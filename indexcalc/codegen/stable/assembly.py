"""Statements of both passes put together: each helper before what reads it, and only those that something reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from indexcalc.algebra.build import power
from indexcalc.algebra.terms import Access, Add, Base, Index, Term, Terms, free_indices, tensors_of
from indexcalc.codegen.largest import Extreme, live, with_extremes
from indexcalc.codegen.stable.bounds import LOWEST, Bound, Mask
from indexcalc.codegen.stable.carriers import Carriers
from indexcalc.codegen.stable.exponents import ONE, is_exponential
from indexcalc.codegen.stable.rewritten import Rewritten
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.systems import with_solves
from indexcalc.program import Program


@dataclass(frozen=True, slots=True)
class Passes:
    """The statements of both passes, and the forward tensors that `Values` keeps.

    Attributes:
        forward: the statements of the forward pass.
        backward: the statements of the backward pass.
        kept: the tensors that `Values` holds: those of the program, then maxima and shifted sums that are read again.
        added: the slots of those that are no tensors of the program.
        maxima: the names of maxima and of exponents hidden for them, each with what it was made of.
        multiples: the tensors under whose names a shifted sum stands, for nothing reads their true value.
    """

    forward: tuple[Statement, ...]
    backward: tuple[Statement, ...]
    kept: tuple[str, ...]
    added: Mapping[str, tuple[Index, ...]] = field(default_factory=dict)
    maxima: Mapping[str, str] = field(default_factory=dict)
    multiples: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Assembly:
    """What both passes are put together from.

    Attributes:
        program: the forward pass.
        backward: the backward pass.
        recompute: the intermediates that are not kept.
        ahead: the forward equations in stable form.
        reverse: the backward equations in stable form.
        carriers: bounds and shifted sums.
        extremes: maxima that the program itself asks for.
        solves: the statements of each pass that solve systems.
    """

    program: Program
    backward: Program
    recompute: frozenset[str]
    ahead: Rewritten
    reverse: Rewritten
    carriers: Carriers
    extremes: tuple[Extreme, ...]
    solves: tuple[Sequence[Statement], Sequence[Statement]] = ((), ())

    @cached_property
    def helpers(self) -> Mapping[str, Statement]:
        """The maxima, the exponents hidden for them, and the shifted sums, by name."""
        found: dict[str, Statement] = {}
        arguments = {**self.reverse.arguments, **self.ahead.arguments}
        for bound in self.carriers.bounds.values():
            # One that was found ahead for a sum, and that no sum takes in the end, is read by nothing.
            if bound.name in arguments:
                found.update({s.name: s for s in bound_statements(bound, arguments[bound.name])})
        for sums in (self.ahead.sums, self.reverse.sums):
            found.update({eq.name: Statement(eq.name, eq.slots, eq.terms) for eq in sums.values()})
        return found

    @cached_property
    def shifted(self) -> Mapping[str, str]:
        """The sums that are computed in shifted form, for something reads it, with its name."""
        sums = {**self.ahead.sums, **self.reverse.sums}
        found: dict[str, str] = {}
        while True:
            plain = [eq for eq in (*self.ahead.equations, *self.reverse.equations) if eq.name not in found]
            read = self.closure((name for eq in plain for name in tensors_of(eq.terms)), found)
            more = {name: eq.name for name, eq in sums.items() if eq.name in read and name not in found}
            if not more:
                return found
            found.update(more)

    @cached_property
    def values(self) -> Mapping[str, Terms]:
        """The sums that have a shifted form, from that."""
        return {**self.ahead.values, **self.reverse.values}

    def closure(self, names: Iterable[str], shifted: Collection[str]) -> frozenset[str]:
        """The names with all that helpers among them read, and sums whose value comes from their shifted form."""
        pending, found = list(names), set[str]()
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self.helpers[name].reads if name in self.helpers else ())
                pending.extend(tensors_of(self.values[name]) if name in shifted else ())
        return frozenset(found)

    def statements(self, part: Rewritten) -> Iterator[Statement]:
        """The equations of a pass as statements; a sum in shifted form stands before its true value."""
        for equation in part.equations:
            slots = equation.slots
            if equation.name not in self.shifted:
                yield Statement(equation.name, slots, equation.terms)
                continue
            yield self.helpers[self.shifted[equation.name]]
            if equation.name in self.needed:
                yield Statement(equation.name, slots, self.values[equation.name], may_overflow=True)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The tensors whose true value is read, or returned."""
        equations = (*self.ahead.equations, *self.reverse.equations)
        plain = (name for eq in equations if eq.name not in self.shifted for name in tensors_of(eq.terms))
        sums = (*self.ahead.sums.values(), *self.reverse.sums.values())
        again = (name for eq in sums if eq.name in self.shifted.values() for name in tensors_of(eq.terms))
        solved = (name for solves in self.solves for statement in solves for name in statement.reads)
        among = (name for extreme in self.extremes for name in extreme.statement.reads)
        return self.closure((*plain, *again, *solved, *among, *self.tensors, *self.backward.outputs), self.shifted)

    @cached_property
    def absent(self) -> frozenset[str]:
        """The forward tensors that `Values` does not hold."""
        read = self.closure((name for eq in self.reverse.equations for name in tensors_of(eq.terms)), self.shifted)
        hidden = hoisted_names(self.program) - read - set(self.program.outputs)
        again = (name for name in self.backward.definitions if name in self.program.definitions)
        helpers = (eq.name for eq in self.ahead.equations if eq.name not in self.program.tensors)
        return frozenset((*hidden, *self.recompute, *again, *helpers))

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """The tensors of the program that `Values` holds."""
        return tuple(name for name in self.program.tensors if name not in self.absent)

    def passes(self) -> Passes:
        """Both passes."""
        ahead = with_solves(self.statements(self.ahead), self.solves[0])
        forward = silenced(self.with_helpers(ahead, frozenset()), self.program)
        forward = with_extremes(forward, self.extremes, frozenset())
        reverse = list(with_solves(self.statements(self.reverse), self.solves[1]))
        added = self.kept_helpers(live(forward, frozenset(self.tensors), names_of(forward)), reverse)
        forward = live(forward, frozenset((*self.tensors, *added)), names_of(forward))
        there = frozenset((*self.tensors, *added))
        again = self.computed_again(reverse, there)
        # What is computed again may differ by a rounding, and then none of it is the largest entry that was kept.
        moved = names_of(again)
        given = frozenset(self.tensors) - {e.statement.name for e in self.extremes if moved & {*e.statement.reads}}
        second = with_extremes(self.with_helpers((*again, *reverse), there), self.extremes, given)
        second = live(second, frozenset(self.backward.outputs), names_of(second))
        # What `Values` holds under a name of the program is what the program says.
        names = {new: old for old, new in self.shifted.items() if old not in self.needed and new not in added}
        return Passes(
            tuple(renamed(statement, names) for statement in forward),
            tuple(renamed(statement, names) for statement in second),
            (*self.tensors, *added),
            {name: self.helpers[name].axes for name in added},
            self.maxima,
            frozenset(names.values()),
        )

    @property
    def maxima(self) -> Mapping[str, str]:
        """The bounds, with nothing, and the exponents hidden for them, with what they are called after."""
        found = dict.fromkeys(self.carriers.bounds, "")
        for part in (part for bound in self.carriers.bounds.values() for part in bound.parts):
            found.update({part.name: "", part.hidden: part.hidden.removesuffix("_masked")})
        return found

    def with_helpers(self, statements: Iterable[Statement], there: frozenset[str]) -> tuple[Statement, ...]:
        """The statements, each after the helpers that it reads and that are not `there`."""
        done: dict[str, Statement] = {}

        def add(statement: Statement) -> None:
            for name in statement.reads:
                if name in self.helpers and name not in done and name not in there:
                    add(self.helpers[name])
            done.setdefault(statement.name, statement)

        for statement in statements:
            add(statement)
        return tuple(done.values())

    def kept_helpers(self, forward: Iterable[Statement], reverse: Sequence[Statement]) -> tuple[str, ...]:
        """The maxima and shifted sums of the forward pass that the backward pass reads: small, so they are kept."""
        read = {name for statement in reverse for name in statement.reads}
        return tuple(
            statement.name
            for statement in forward
            if statement.name in self.helpers
            and statement.name in read
            and statement.kind is not Kind.HIDDEN
            and not self.sources(statement.name) & self.recompute
        )

    @cached_property
    def absent_reads(self) -> Mapping[str, tuple[str, ...]]:
        """What the forward tensors that `Values` does not hold are made from."""
        return {
            equation.name: tensors_of((*equation.terms, *self.values.get(equation.name, ())))
            for equation in self.ahead.equations
            if equation.name in self.absent
        }

    def sources(self, name: str) -> frozenset[str]:
        """All that a helper or a tensor that is not kept is made from."""
        pending, found = [name], set[str]()
        while pending:
            current = pending.pop()
            reads = self.helpers[current].reads if current in self.helpers else self.absent_reads.get(current, ())
            pending.extend(read for read in reads if read not in found)
            found.update(reads)
        return frozenset(found)

    def computed_again(self, reverse: Iterable[Statement], there: frozenset[str]) -> tuple[Statement, ...]:
        """The forward equations that are read, or that helpers are made from, and not there, in order."""
        read = {name for statement in reverse for name in statement.reads} - there
        wanted = read.union(*map(self.sources, read))
        again = tuple(eq for eq in self.ahead.equations if eq.name in wanted and eq.name in self.absent - there)
        return tuple(self.statements(replace(self.ahead, equations=again)))


def bound_statements(bound: Bound, arguments: Sequence[Terms]) -> Iterator[Statement]:
    """What computes a bound from the exponents of its parts: their maxima, and the largest of these."""
    largest: list[Term] = []
    for part, argument in zip(bound.parts, arguments, strict=True):
        compared = argument
        if part.hidden:
            # In stable form a weight may be a number: a step of what is positive is 1, and hides nothing.
            guards = tuple(guard for guard in part.guards if not is_never_zero(guard))
            kind = Kind.HIDDEN if guards else Kind.ASSIGN
            yield Statement(part.hidden, part.axes, argument, kind, guards=guards)
            compared = part.compared
        if part.name:
            slots = tuple(slot for slot in bound.slots if slot in part.slots)
            # In stable form an exponent may be the same for all that it was to be the largest of: a sign of what is
            # positive is 1.
            guards = part.guards if part.at_places else ()
            over = tuple(index for index in part.over if guards or index in free_indices(compared))
            yield Statement(part.name, slots, compared, Kind.MAXIMUM if over else Kind.ASSIGN, over, guards)
            compared = (Term(ONE, ((Access(part.name, slots), ONE),)),)
        largest.append(power(compared, ONE))
    if bound.limited:
        largest.append(Term(LOWEST))
    if len(largest) > 1:
        yield Statement(bound.name, bound.slots, tuple(largest), Kind.LARGEST)


def is_never_zero(guard: Base) -> bool:
    """Whether a guard is a number other than zero."""
    match guard:
        case Add((Term(coeff, (), ()),)):
            return bool(coeff.is_nonzero)
    return False


def names_of(statements: Iterable[Statement]) -> frozenset[str]:
    """The tensors that statements compute."""
    return frozenset(statement.name for statement in statements)


def renamed(statement: Statement, names: Mapping[str, str]) -> Statement:
    """The statement with a shifted sum under the name of the sum whose true value nobody needs."""
    return replace(statement.reading(names), name=names.get(statement.name, statement.name)) if names else statement


def silenced(statements: Iterable[Statement], program: Program) -> tuple[Statement, ...]:
    """The statements; an exponential that only `Values` needs may overflow where a shifted one is used instead."""
    statements = tuple(statements)
    shifting = any(statement.kind is Kind.MAXIMUM for statement in statements)
    read = {name for statement in statements for name in statement.reads}
    return tuple(
        replace(s, may_overflow=True) if shifting and s.name not in read and holds_exponential(s, program) else s
        for s in statements
    )


def holds_exponential(statement: Statement, program: Program) -> bool:
    """Whether a tensor of the program is an exponential, with no more than masks around it."""
    equation = program.definitions.get(statement.name)
    if equation is None or len(equation.terms) != 1 or equation.terms[0].summed:
        return False
    rest = [power for power in equation.terms[0].powers if not isinstance(power[0], Mask)]
    return len(rest) == 1 and is_exponential(rest[0][0]) and rest[0][1] == 1


def hoisted_names(program: Program) -> frozenset[str]:
    """The tensors that the reader gave a name to."""
    unknowns = (unknown.name for unknown in program.unknowns if unknown.hoisted)
    return frozenset((*unknowns, *(equation.name for equation in program.equations if equation.hoisted)))

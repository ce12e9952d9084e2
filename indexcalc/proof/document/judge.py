"""Judging relations: each member of a chain against its predecessor and against the chain's head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from indexcalc.errors import IndexCalcError
from indexcalc.proof.document.apart import Apart
from indexcalc.proof.document.dead import dead
from indexcalc.proof.document.declarations import extents_of
from indexcalc.proof.document.diagnosis import DIFFER, counterexample, diagnosis
from indexcalc.proof.document.findings import CONSTANT, VACUOUS, Finding, score
from indexcalc.proof.document.grounds import MAY_VARY, Accusation, all_names, loss_without, ungrounded, wrong_alone
from indexcalc.proof.document.jacobians import LAYOUTS, by_layout, is_rate_of_vectors, votes
from indexcalc.proof.document.layouts import lays_out
from indexcalc.proof.document.members import Members
from indexcalc.proof.document.nodes import ZERO, Meaning, free, names_of
from indexcalc.proof.document.outline import Side, Statement
from indexcalc.proof.document.particular import ROUGHLY, has_decimals, unit_of
from indexcalc.proof.document.points import Points, positive_names
from indexcalc.proof.document.proving import proves
from indexcalc.proof.document.reaching import with_reach
from indexcalc.proof.document.reductions import ranks
from indexcalc.proof.document.roles import Roles, prose_before
from indexcalc.proof.document.settled import Settled
from indexcalc.proof.document.sizes import Ix, ShapeError, Sizes
from indexcalc.proof.document.stationary import at_minimum
from indexcalc.proof.document.supposed import Supposed, suppositions
from indexcalc.proof.document.symbols import NotUnderstoodError, Pair
from indexcalc.proof.document.trials import TOLERANCE, Failure, lost_in_rounding, tried
from indexcalc.proof.document.typed import TOO_MANY_AXES
from indexcalc.proof.document.usual import judged, replacements, undefined_functions
from indexcalc.proof.document.varying import variation_of
from indexcalc.proof.document.verdicts import TRUE, Verdict

TANGLED = "the definitions of its symbols lead back to themselves, or do not fit each other in shape"
"""The reason for saying nothing where symbols have more than one meaning."""

DEEP = "too many definitions rest one upon another, or formulas are nested too deeply"
"""The reason for saying nothing where following a statement's definitions does not end in time."""

DOUBTED = (Verdict.REFUTED, Verdict.FOLLOWS, Verdict.UNCLEAR)
"""Verdicts that another reading may better."""

REACHING = "the sum is over all terms with its letter"
"""What is assumed where a sum is read so."""

UNJUDGED = {"~": "an approximation is not judged", "->": "an arrow is not judged"}
"""Relations that claim nothing that could be judged."""

Judged = tuple[Finding, bool | None]
"""A finding, and whether its member equals the head; None if that is not known."""


@dataclass
class Judge:
    """Judges the statements of one document in order.

    Attributes:
        roles: the document's roles.
        generic: names that have no one meaning in the document.
        brief: whether only verdicts are wanted, so that neither a proof nor a diagnosis is looked for.
        points: where claims are tried.
        supposed: the judges where something is supposed of an input, as far as they were needed.
    """

    roles: Roles
    generic: frozenset[str] = frozenset()
    brief: bool = False
    points: Points = field(init=False)
    supposed: dict[Supposed, Judge] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.points = Points(self.roles.symbols, positive_names(self.roles.symbols, ()))

    @cached_property
    def quick(self) -> Judge:
        """This judge, asked for verdicts alone."""
        quick = Judge(self.roles, self.generic, brief=True)
        quick.points, quick.settled, quick.apart = self.points, self.settled, self.apart
        return quick

    @cached_property
    def settled(self) -> Settled:
        """Which derivatives are total and which local."""
        return Settled(self.roles, self)

    def knowing(self, roles: Roles) -> Judge:
        """A judge by other symbols, asked for verdicts alone; what derivatives hold stays settled."""
        other = Judge(roles, self.generic, brief=True)
        other.settled, other.apart = self.settled, self.apart
        return other

    def pairs(self, statement: Statement) -> tuple[Pair, ...]:
        """The pairs whose derivatives are total or local in a statement; with both signs, the signs tell."""
        return Members(self.roles, statement, local=False, unwritten=False).pairs

    def stands(self, statement: Statement, reading: Mapping[Pair, bool]) -> bool:
        """Whether nothing in a statement is false if pairs are local or total as said."""
        return self.holds(Members(self.roles, statement, local=False, unwritten=False, settled=reading))

    def holds(self, members: Members) -> bool:
        """Whether something in a statement is true and nothing false."""
        findings = Reading(self.quick, members).findings(defines=False)
        return score(findings)[0] == 0 and any(finding.verdict in TRUE for finding in findings)

    @cached_property
    def apart(self) -> Apart:
        """Which inputs do not depend on each other."""
        return Apart(self.roles, self.holds)

    def statement(self, number: int, statement: Statement, *, defines: bool) -> list[Finding]:
        """A finding for every relation of a statement.

        Where a document gives one name several meanings, its definitions can lead back to themselves
        or clash in shape; nothing is said of such a statement then.
        """
        try:
            best = self.under(statement, defines)
            if any(finding.verdict is Verdict.REFUTED for finding in best):
                best = self.with_assumption(statement, defines, best)
            if any(finding.verdict is Verdict.REFUTED for finding in best):
                best = self.as_spoken(statement, defines, best)
            if any(finding.verdict is Verdict.REFUTED for finding in best):
                best = self.with_usual(statement, defines, best)
            if any(finding.verdict is Verdict.REFUTED or MAY_VARY in finding.reason for finding in best):
                best = self.as_gradients(statement, defines, best)
            best = self.reaching(statement, best)
            best = at_minimum(self, number, statement, best)
            best = self.in_its_layout(statement, best)
        except RecursionError:
            return [Finding(Verdict.UNCLEAR, DEEP) for _ in statement.sides[1:]]
        except (ValueError, LookupError):
            return [Finding(Verdict.UNCLEAR, TANGLED) for _ in statement.sides[1:]]
        return best

    def reaching(self, statement: Statement, best: list[Finding]) -> list[Finding]:
        """The findings where sums are meant to reach over the terms behind them that have their letter."""
        for meant in with_reach(statement, self.roles.survey):
            if all(finding.verdict not in DOUBTED for finding in best):
                break
            best = [
                replace(new, verdict=Verdict.CONFIRMED, assumptions=(*new.assumptions, REACHING))
                if old.verdict in DOUBTED and new.verdict in TRUE
                else old
                for old, new in zip(best, self.under(meant, defines=False), strict=True)
            ]
        return best

    def with_assumption(self, statement: Statement, defines: bool, best: list[Finding]) -> list[Finding]:
        """The findings if something that is supposed of an input saves them."""
        clearest = best
        for one in suppositions(self.roles, Members(self.roles, statement, local=False, unwritten=False)):
            found = self.assuming(one).under(statement, defines)
            if score(found) > score(best) and all(finding.verdict is not Verdict.REFUTED for finding in found):
                return [
                    replace(new, verdict=Verdict.CONFIRMED, assumptions=(*new.assumptions, one.noted))
                    if old.verdict in (Verdict.REFUTED, Verdict.FOLLOWS) and new.verdict in TRUE
                    else new
                    for old, new in zip(best, found, strict=True)
                ]
            clearest = [
                replace(new, reason=f"{new.reason}, if {one.text}") if said_better(new, old) else old
                for old, new in zip(clearest, found, strict=True)
            ]
        return clearest

    def assuming(self, one: Supposed) -> Judge:
        """This judge, where something is supposed of an input."""
        if one not in self.supposed:
            assuming = Judge(replace(self.roles, symbols=one.of(self.roles.symbols)), self.generic, self.brief)
            assuming.settled, assuming.apart = self.settled, self.apart
            self.supposed[one] = assuming
        return self.supposed[one]

    def as_spoken(self, statement: Statement, defines: bool, best: list[Finding]) -> list[Finding]:
        """The findings where what is false in general holds under the conditions in the words around it."""
        if not statement.spoken:
            return best
        limited = replace(statement, conditions=[*statement.conditions, *statement.spoken])
        text = ", ".join(" ".join(condition) for condition in statement.spoken)
        return [
            replace(new, verdict=Verdict.CONFIRMED, assumptions=(*new.assumptions, text))
            if old.verdict in (Verdict.REFUTED, Verdict.FOLLOWS) and new.verdict in TRUE
            else old
            for old, new in zip(best, self.under(limited, defines), strict=True)
        ]

    def in_its_layout(self, statement: Statement, best: list[Finding]) -> list[Finding]:
        """The findings where derivatives of vectors by vectors are true in the document's layout, or in any."""
        schematic = any(finding.verdict is Verdict.SCHEMATIC for finding in best)
        if self.brief or not schematic or self.roles.symbols.layout or not is_rate_of_vectors(self.roles, statement):
            return best
        return by_layout(self.laid_out, statement, best, self.layout)

    @cached_property
    def laid_out(self) -> dict[str, Judge]:
        """A judge, asked for verdicts alone, for each layout of derivatives of vectors by vectors."""
        symbols = {layout: replace(self.roles.symbols, layout=layout) for layout in LAYOUTS}
        return {layout: Judge(replace(self.roles, symbols=symbols[layout]), self.generic, True) for layout in LAYOUTS}

    @cached_property
    def layout(self) -> str:
        """The layout of derivatives of vectors by vectors in which more of the document's statements are true."""
        counted = Counter(votes(self.roles, self.laid_out)).most_common()
        return counted[0][0] if counted and (len(counted) == 1 or counted[0][1] > counted[1][1]) else ""

    def as_gradients(self, statement: Statement, defines: bool, best: list[Finding]) -> list[Finding]:
        """The findings where what is false of differentials is true of the gradients that the same names stand for."""
        if variation_of(self.roles, statement) is None:
            return best
        symbols = replace(self.roles.symbols, differentials=False)
        judge = Judge(replace(self.roles, symbols=symbols), self.generic, brief=True)
        found = judge.under(statement, defines)
        if not any(finding.verdict in TRUE for finding in found):
            return best
        return [new if new.verdict in TRUE else old for old, new in zip(best, found, strict=True)]

    def with_usual(self, statement: Statement, defines: bool, best: list[Finding]) -> list[Finding]:
        """The findings where what is false of any function is true of a usual one: it says which one is meant."""
        members = Members(self.roles, statement, local=False, unwritten=False, apart=self.apart)
        names = undefined_functions(self.roles, members)
        words = prose_before(self.roles, statement)
        for meant, symbols in replacements(self.roles.symbols, names, self.roles.document.source):
            judge = Judge(replace(self.roles, symbols=symbols), self.generic, brief=True)
            judge.settled = self.settled
            found = judge.under(statement, defines)
            best = [judged(old, new, meant, words) for old, new in zip(best, found, strict=True)]
        return best

    def under(self, statement: Statement, defines: bool) -> list[Finding]:
        """The findings under the likeliest reading that accuses least."""
        best: list[Finding] = []
        for reading in self.readings(statement):
            findings = reading.findings(defines)
            if not best or score(findings) > score(best):
                best = findings
            if score(best) == (0, 0):
                break
        return best

    def readings(self, statement: Statement) -> Iterator[Reading]:
        """The admissible readings, the likeliest first."""
        symbols = self.roles.symbols
        plain = Members(self.roles, statement, local=False, unwritten=False, apart=self.apart)
        settled = self.settled.of(statement, plain.pairs)
        for local in (False, True):
            for unwritten in (False,) if symbols.einstein or symbols.writes_chain_sums else (False, True):
                if local or unwritten or settled:
                    plain = Members(
                        self.roles, statement, local=local, unwritten=unwritten, settled=settled, apart=self.apart
                    )
                yield Reading(self, plain)


def said_better(new: Finding, old: Finding) -> bool:
    """Whether a second reason says what is wrong, and the first only that something is."""
    both = new.verdict is old.verdict is Verdict.REFUTED
    return both and old.reason == DIFFER and new.reason not in ("", DIFFER)


@dataclass
class Reading:
    """A statement under one reading, judged.

    Attributes:
        judge: the judge, with the points.
        members: the members and their meanings.
    """

    judge: Judge
    members: Members

    def findings(self, defines: bool) -> list[Finding]:
        """A finding for every relation."""
        findings: list[Finding] = []
        truth: bool | None = True
        for n, side in enumerate(self.members.statement.sides):
            if n:
                finding, truth = self.relation(n, side, defines, truth)
                findings.append(finding)
        return findings

    def relation(self, n: int, side: Side, defines: bool, truth: bool | None) -> Judged:
        """One relation; `truth` says whether the member before it equals the head."""
        if side.relation == "in":
            return self.membership(n, side), truth
        if side.relation not in ("=", ":="):
            reason = UNJUDGED.get(side.relation, f"the relation {side.relation} is not judged")
            return Finding(Verdict.UNCLEAR, reason), None
        if lays_out(side.tree):
            return Finding(Verdict.DECLARATION, "a layout written out"), truth
        if n == 1 and defines:
            return Finding(Verdict.DEFINITION), True
        if self.members.shape_errors[n]:
            return self.misshapen(n)
        if self.members.values[n] is None:
            layouts = self.schematic(n) and self.members.troubles[n] == TOO_MANY_AXES
            return Finding(Verdict.SCHEMATIC if layouts else Verdict.UNCLEAR, self.members.troubles[n]), None
        if self.schematic(n):
            chain = self.compare(0, n) if self.members.head is not None and not self.members.head.jacobian else None
            if chain is not None and chain.verdict in TRUE:
                return chain, True
            return Finding(Verdict.SCHEMATIC, "a product of derivatives of arrays by arrays"), None
        # A chain whose head cannot be read starts at its first member that can be.
        first = next((m for m in range(n - 1) if self.members.values[m] is not None), n - 1)
        head = self.compare(first, n) if first < n - 1 or self.members.head is not None else None
        if head is not None and head.verdict in TRUE:
            return head, True
        step = self.compare(n - 1, n) if n > 1 and self.members.values[n - 1] is not None else head
        return self.weighed(n, head, step, truth)

    def weighed(self, n: int, head: Finding | None, step: Finding | None, truth: bool | None) -> Judged:
        """The verdict from the comparisons with the head, which is not equal, and with the member before."""
        steps = step is not None and step.verdict in TRUE
        if head is None or head.verdict is Verdict.UNCLEAR:
            if step is not None and steps:
                return step, truth
            if step is None or (head is not None and head.reason):
                reason = (head.reason if head else "") or self.members.troubles[0] or self.members.troubles[n - 1]
                return Finding(Verdict.UNCLEAR, reason), None
            return step, (None if step.verdict is not Verdict.REFUTED else False)
        if step is not head and steps:
            if truth is False:
                side = self.members.statement.sides[n - 1]
                line = self.judge.roles.document.place(side.start)[0]
                return Finding(Verdict.FOLLOWS, f"follows from line {line}, which is wrong; {head.reason}"), False
            return Finding(Verdict.UNCLEAR, "equal to the member before it, but not to the head"), None
        return head, False

    def misshapen(self, n: int) -> Judged:
        """A member whose parts do not fit each other."""
        reason = f"shapes do not fit: {self.members.shape_errors[n]}"
        if not self.members.troubles[0] and not self.judge.generic and not self.repeats(n):
            finding = self.refuted(n, reason, alone=n == 1 and wrong_alone(self.members))
            if finding.verdict is Verdict.REFUTED:
                return finding, False
        return Finding(Verdict.UNCLEAR, reason), None

    def repeats(self, n: int) -> bool:
        """Whether a member is code that may repeat an array along an axis, as its arrays have several ranks."""
        tree = self.members.statement.sides[n].tree
        return tree is not None and self.members.reader.codelike and len(ranks(self.members.roles, tree)) > 1

    def schematic(self, n: int) -> bool:
        """Whether a member or the head is a derivative of an array by an array, in matrix notation."""
        values = (self.members.head, self.members.values[n])
        return any(value is not None and (value.jacobian or len(value.axes) > 2) for value in values)

    def membership(self, n: int, side: Side) -> Finding:
        """The claim that an expression has a shape."""
        extents = extents_of(side.tokens)
        value = next((v for v in (self.members.head, *reversed(self.members.values[:n])) if v is not None), None)
        if extents is None or value is None:
            return Finding(Verdict.UNCLEAR, "a set that is not read")
        wanted = [extent for extent in extents if extent != "1"] if len(extents) == 2 else extents
        sizes = self.members.sizes
        found = [sizes.name_of(axis) for axis in value.axes]
        wanted = [sizes.name_of(sizes.owners[extent]) if extent in sizes.owners else extent for extent in wanted]
        if len(wanted) != len(found):
            return Finding(Verdict.UNCLEAR, f"the shape is {' x '.join(found) or 'that of a scalar'}")
        if "?" in found and all(size in ("?", extent) for size, extent in zip(found, wanted, strict=True)):
            return Finding(Verdict.DECLARATION, "sizes that are not declared elsewhere")
        if "?" in found:
            return Finding(Verdict.UNCLEAR, "a size that is not declared")
        doubted = all_names(self.members.roles.symbols, value.node) & self.members.roles.symbols.unread
        if found != wanted and doubted:
            return Finding(Verdict.UNCLEAR, f"{min(doubted)} has another shape elsewhere")
        if found != wanted:
            return Finding(Verdict.REFUTED, f"the shape is {' x '.join(found)}, not {' x '.join(wanted)}")
        return Finding(Verdict.PROVED, "the shape")

    def compare(self, left: int, right: int) -> Finding:
        """Whether two members are equal."""
        one, other = self.members.values[left], self.members.values[right]
        assert one is not None
        assert other is not None
        sizes = self.members.sizes.copy()
        try:
            a, b, letters = self.members.common(one, other, sizes)
        except NotUnderstoodError as error:
            return Finding(Verdict.UNCLEAR, str(error))
        except ShapeError as error:
            if self.repeats(right):
                return Finding(Verdict.UNCLEAR, f"shapes do not fit: {error}")
            return self.refuted(right, f"shapes do not fit: {error}")
        if a == ZERO:
            letters = tuple(dict.fromkeys((*letters, *free(b))))
        extra = [index for index in free(b) if index not in letters]
        tied = [index for index in extra if any(equal_by(self.members.conditions, index, other) for other in letters)]
        letters, extra = (*letters, *tied), [index for index in extra if index not in tied]
        if extra and extra[0].name in self.judge.roles.symbols.chosen:
            return Finding(Verdict.UNCLEAR, f"{extra[0].name} stands for one given entry")
        if extra:
            return self.refuted(right, f"the index {extra[0].name or '?'} is free here, but not on the left side")
        try:
            return self.decided(a, b, letters, sizes, right)
        except (NotUnderstoodError, IndexCalcError) as error:
            return Finding(Verdict.UNCLEAR, str(error))

    def decided(self, left: Meaning, right: Meaning, letters: tuple[Ix, ...], sizes: Sizes, n: int) -> Finding:
        """Confirmed by numbers, and proved where the algebra can; refuted by numbers; or neither."""
        conditions = self.members.conditions
        trial = tried(self.judge.points, sizes, (left, right), letters, conditions)
        if trial.different and (near := self.nearly(trial.failures[0], right, n)) is not None:
            return near
        if trial.different and lost_in_rounding(trial.failures[0], (left, right), letters, conditions):
            if not conditions and self.proves(left, right, sizes):
                return Finding(Verdict.PROVED)
            return Finding(Verdict.UNCLEAR, "the difference is lost in rounding")
        if trial.different:
            found = self.refuted(n, "")
            if self.judge.brief or found.verdict is not Verdict.REFUTED:
                return found
            shown = counterexample(trial.failures[0], letters, sizes)
            return self.refuted(n, diagnosis(trial.failures, (left, right), sizes), shown)
        if not trial.equal:
            return Finding(Verdict.UNCLEAR, "too few points at which both sides are defined")
        if trial.vanish and (why := dead(self.judge.roles.symbols, left, right)) is not None:
            return Finding(Verdict.UNCLEAR, why)
        name = loss_without(self.judge.roles.symbols, (left, right))
        if name and left != right and ZERO not in (left, right):
            return Finding(Verdict.UNCLEAR, f"the loss is not known to depend on {name}")
        assumptions = tuple(dict.fromkeys(note for note in self.members.reader.notes if "binds nothing" not in note))
        if not conditions and not self.judge.brief and self.proves(left, right, sizes):
            return Finding(Verdict.PROVED, assumptions=assumptions)
        reason = VACUOUS if trial.vanish else CONSTANT.format(trial.constant) if trial.constant is not None else ""
        return Finding(Verdict.CONFIRMED, reason, assumptions=assumptions)

    def nearly(self, failure: Failure, right: Meaning, n: int) -> Finding | None:
        """The finding on a number that is shown to a few digits, or calculated from such; None for anything else."""
        tokens = self.members.statement.sides[n].tokens
        rounded = has_decimals(tokens) or has_decimals(self.members.statement.sides[n - 1].tokens)
        if failure.left.ndim or names_of(right) or not rounded:
            return None
        error, unit = abs(float(failure.left) - float(failure.right)), unit_of(tokens)
        if unit is not None and error <= unit * (1 + TOLERANCE):
            return Finding(Verdict.CONFIRMED, assumptions=("to the digits shown",))
        if error <= ROUGHLY * abs(float(failure.left)):
            return Finding(Verdict.UNCLEAR, "off by no more than its figures may be rounded")
        return None

    def proves(self, left: Meaning, right: Meaning, sizes: Sizes) -> bool:
        """Whether the algebra shows two members equal."""
        return proves(left, right, self.judge.roles.symbols, sizes, self.judge.points.lexicon(sizes))

    def refuted(self, n: int, diagnosed: str, shown: str = "", *, alone: bool = False) -> Finding:
        """Refuted, if the member is grounded: every accusation passes through here.

        Args:
            n: the place of the member.
            diagnosed: what is wrong.
            shown: values that show it.
            alone: whether it is wrong whatever the first member is equal to.
        """
        why = ungrounded(Accusation(self.members, n, self.judge.generic), alone=alone)
        if why is not None:
            return Finding(Verdict.UNCLEAR, why)
        vacuous = next((note for note in self.members.reader.notes if "binds nothing" in note), "")
        return Finding(Verdict.REFUTED, "; ".join(part for part in (diagnosed, vacuous) if part), shown)


def equal_by(conditions: Sequence[tuple[str, str, str]], index: Ix, other: Ix) -> bool:
    """Whether a condition says that two letters are equal."""
    return any(relation == "=" and {left, right} == {index.name, other.name} for left, relation, right in conditions)

"""Judging relations: each member of a chain against its predecessor and against the chain's head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from indexcalc.proof.document.judging.apart import Apart
from indexcalc.proof.document.judging.diagnosis import DIFFER
from indexcalc.proof.document.judging.findings import Finding, score
from indexcalc.proof.document.judging.grounds import MAY_VARY
from indexcalc.proof.document.judging.jacobians import LAYOUTS, by_layout, is_rate_of_vectors, votes
from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.minima import at_minimum
from indexcalc.proof.document.judging.readings import Reading
from indexcalc.proof.document.judging.settled import Settled
from indexcalc.proof.document.judging.supposed import Supposed, suppositions
from indexcalc.proof.document.judging.usual import judged, replacements, undefined_functions
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.meaning.symbols import Pair
from indexcalc.proof.document.names.varying import variation_of
from indexcalc.proof.document.numerics.points import Points, positive_names
from indexcalc.proof.document.reading.reaching import with_reach
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles, prose_before

TANGLED = "the definitions of its symbols lead back to themselves, or do not fit each other in shape"
"""The reason for saying nothing where symbols have more than one meaning."""


DEEP = "too many definitions rest one upon another, or formulas are nested too deeply"
"""The reason for saying nothing where following a statement's definitions does not end in time."""


DOUBTED = (Verdict.REFUTED, Verdict.FOLLOWS, Verdict.UNCLEAR)
"""Verdicts that another reading may better."""


REACHING = "the sum is over all terms with its letter"
"""What is assumed where a sum is read so."""


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

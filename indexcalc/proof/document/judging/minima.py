"""What follows from an equation for a minimum: true where the derivative is zero, or with the solution put in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from indexcalc.proof.document.judging.findings import Finding
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.names.definitions import definition_from
from indexcalc.proof.document.names.stationary import differentiates, is_zero
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles, head_of, index_letters, names_of_tree

if TYPE_CHECKING:
    from indexcalc.proof.document.judging.judge import Judge


def at_minimum(judge: Judge, number: int, statement: Statement, best: list[Finding]) -> list[Finding]:
    """The findings, once it is known that something was set to zero."""
    roles = judge.roles
    if number in roles.zeros and best[-1].verdict not in TRUE:
        return [*best[:-1], Finding(Verdict.CONDITION, "what is asked for")]
    if not any(index_letters(statement, roles.survey)):
        best = [
            Finding(Verdict.UNCLEAR, "may be asked for")
            if is_zero(side) and finding.verdict is Verdict.REFUTED
            else finding
            for side, finding in zip(statement.sides[1:], best, strict=True)
        ]
    before = [zero for zero in roles.zeros if zero < number]
    if not shares(roles, statement, before) or not (before := demands(judge, before)):
        return best
    if number in roles.solutions:
        return solution(judge, number, statement, before)
    accused = (Verdict.REFUTED, Verdict.FOLLOWS)
    doubted = any("no definition to compare with" in finding.reason for finding in best)
    if (
        (all(finding.verdict not in accused for finding in best) and not doubted)
        or differentiates(statement)
        or restates(roles, statement)
    ):
        return best
    found = best
    for other in with_solutions(judge, number):
        found = other.under(statement, defines=False)
        break
    return [
        Finding(Verdict.CONFIRMED, assumptions=("at the minimum that the document gives",))
        if new.verdict in TRUE and old.verdict in (*accused, Verdict.UNCLEAR)
        else Finding(Verdict.UNCLEAR, "may be meant where a derivative is zero")
        if old.verdict in accused
        else old
        for old, new in zip(best, found, strict=True)
    ]


def demands(judge: Judge, zeros: list[int]) -> list[int]:
    """Those of the statements that ask for something: what is zero anyway is an identity, and asks for nothing."""
    roles = judge.roles
    for zero in zeros:
        if zero not in roles.identities:
            found = judge.quick.under(roles.statements[zero], defines=False)
            roles.identities[zero] = found[-1].verdict in TRUE
    return [zero for zero in zeros if not roles.identities[zero]]


def shares(roles: Roles, statement: Statement, zeros: list[int]) -> bool:
    """Whether a statement names something that is in one that sets something to zero."""
    names = {roles.symbols.resolve(found.name) for tree in statement.trees for found in names_of_tree(roles, tree)}
    asked_for = {
        roles.symbols.resolve(found.name)
        for zero in zeros
        for tree in roles.statements[zero].trees
        for found in names_of_tree(roles, tree)
    }
    return bool(names & asked_for & set(roles.symbols.slots))


def restates(roles: Roles, statement: Statement) -> bool:
    """Whether the first member is a name with a definition."""
    head = head_of(roles, statement)
    return head is not None and roles.symbols.resolve(head.name) in roles.symbols.definitions


def with_solutions(judge: Judge, number: int) -> Iterator[Judge]:
    """Judges to whom a solution of the document is the definition of its unknown; the statement's own before others."""
    roles = judge.roles
    solutions = {**roles.estimates, **roles.solutions}
    own = [number] if number in roles.solutions else list(solutions)
    definitions = dict(roles.symbols.definitions)
    for place in own:
        head = head_of(roles, roles.statements[place])
        definition = definition_from(roles, place, head) if head is not None else None
        if definition is not None and definitions.setdefault(solutions[place], definition) is definition:
            continue
    if len(definitions) > len(roles.symbols.definitions):
        yield judge.knowing(replace(roles, symbols=replace(roles.symbols, definitions=definitions)))


def solution(judge: Judge, number: int, statement: Statement, zeros: list[int]) -> list[Finding]:
    """The findings on ``w = ...``: whether it makes something zero that was set to zero; then its other members."""
    for other in with_solutions(judge, number):
        found = other.under(statement, defines=True)
        solves = any(
            other.under(judge.roles.statements[zero], defines=False)[-1].verdict in TRUE for zero in reversed(zeros)
        )
        if solves:
            return [Finding(Verdict.CONFIRMED, "makes zero what was set to zero"), *found[1:]]
        return [Finding(Verdict.UNCLEAR, "not seen to make zero what was set to zero"), *found[1:]]
    return [Finding(Verdict.UNCLEAR, "a solution that is not read") for _ in statement.sides[1:]]

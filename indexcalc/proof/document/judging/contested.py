"""Chains that define a name and contradict themselves: what else the document says settles which member is right.

``L = a + b = a - b``: the first member defines L unless more of the other statements hold if the second one does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from indexcalc.proof.document.judging.findings import Finding
from indexcalc.proof.document.judging.judge import Judge
from indexcalc.proof.document.judging.refine import refine
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.meaning.nodes import names_of
from indexcalc.proof.document.names.understanding import Understanding, roles_of
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles

VOTERS = 60
"""How many statements, the nearest first, are asked which member they agree with."""


def settled_chains(
    understanding: Understanding, numbers: tuple[int, ...]
) -> tuple[list[Statement], Roles, frozenset[str]]:
    """These statements with the defining member of such chains first, understood, and the names that stay open."""
    statements = [*understanding.given, *(understanding.statements[number] for number in numbers)]
    roles = understanding.of(numbers)
    undecided: set[str] = set()
    for number, member in tuple(contested(roles)):
        if number >= len(statements):
            continue
        changed = [*statements]
        changed[number] = put_first(statements[number], member)
        other = roles_of(understanding.document, changed, understanding.context)
        before, after = votes(roles, other, number)
        if after > before:
            statements, roles = changed, other
        elif after == before > 0:
            undecided.add(roles.defining[number])
    return statements, roles, frozenset(undecided)


def settled_definitions(
    understanding: Understanding, statements: list[Statement], roles: Roles
) -> tuple[list[Statement], Roles, frozenset[str]]:
    """These statements refined, and the names that have no one meaning.

    A name that is defined once and restated otherwise each time has one meaning if the restatements agree, something
    holds by them alone, and nothing by the definition alone: then it is the definition that is wrong.
    """
    manifold = refine(roles)
    for name, restated in tuple(manifold.items()):
        defining = next((number for number, defined in roles.defining.items() if defined == name), len(statements))
        if max(defining, *restated) >= len(statements):
            continue
        changed = [*statements]
        changed[defining] = replace(statements[defining], doubted=True)
        other = roles_of(understanding.document, changed, understanding.context)
        left = refine(other)
        if made_of(other, name) == made_of(roles, name) and name not in left and doubtful(roles, other, restated):
            statements, roles, manifold = changed, other, left
    return statements, roles, frozenset(manifold)


def made_of(roles: Roles, name: str) -> frozenset[str]:
    """The names in a definition."""
    definition = roles.symbols.definitions.get(name)
    return frozenset() if definition is None else frozenset(names_of(definition.body))


def doubtful(roles: Roles, other: Roles, restated: Collection[int]) -> bool:
    """Whether all restatements of a name are true by another definition, and what hangs on it holds only then."""
    judge = Judge(other, brief=True)
    for number in restated:
        if number not in other.defining and not holds(judge.statement(number, other.statements[number], defines=False)):
            return False
    apart = {*restated, *roles.defining, *other.defining}
    claims = (n for n, statement in enumerate(roles.statements) if len(statement.sides) > 1 and n not in apart)
    asked = sorted(claims, key=lambda number: min(abs(number - one) for one in restated))[:VOTERS]
    before, after = agreement(roles, other, [(number, roles.statements[number]) for number in asked])
    return before == 0 < after


def contested(roles: Roles) -> Iterator[tuple[int, int]]:
    """The statements that define a name by a chain with a member that does not equal the first one; and that member."""
    judge = Judge(roles, brief=True)
    for number in sorted(roles.defining):
        statement = roles.statements[number]
        if sum(side.relation in ("=", ":=") for side in statement.sides) < 2:
            continue
        findings = judge.statement(number, statement, defines=True)
        wrong = next((n for n, one in enumerate(findings, 1) if one.verdict is Verdict.REFUTED), 0)
        if wrong > 1:
            yield number, wrong


def put_first(statement: Statement, member: int) -> Statement:
    """The statement with one of its members right behind the head."""
    sides = [*statement.sides]
    sides.insert(1, sides.pop(member))
    return replace(statement, sides=sides)


def votes(roles: Roles, other: Roles, chain: int) -> tuple[int, int]:
    """How many statements near a chain are true as the document is first understood and false otherwise; conversely."""
    near = sorted(range(len(roles.statements)), key=lambda number: abs(number - chain))[: VOTERS + 1]
    asked = [number for number in near if number != chain and number not in roles.defining]
    return agreement(roles, other, [(number, roles.statements[number]) for number in asked])


def agreement(roles: Roles, other: Roles, asked: Iterable[tuple[int, Statement]]) -> tuple[int, int]:
    """How many statements are true in one understanding of a document and false in another, and conversely."""
    one, two = Judge(roles, brief=True), Judge(other, brief=True)
    before = after = 0
    for number, statement in asked:
        if len(statement.sides) > 1:
            old = one.statement(number, statement, defines=False)
            new = two.statement(number, statement, defines=False)
            before += holds(old) and fails(new)
            after += holds(new) and fails(old)
    return before, after


def holds(findings: list[Finding]) -> bool:
    """Whether something is true and nothing false."""
    return any(one.verdict in TRUE for one in findings) and not fails(findings)


def fails(findings: list[Finding]) -> bool:
    """Whether something is false."""
    return any(one.verdict is Verdict.REFUTED for one in findings)

"""Equations for a minimum: a derivative set to zero, what follows for the unknown, and its solution.

``X^T (X w - y) = 0`` claims nothing: it is what w is asked to satisfy. From there on, equations without
a derivative hold at the minimum alone, and ``w = (X^T X)^{-1} X^T y`` is no definition of the input w
but a solution, which can be tried: does it make the derivative zero?
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from indexcalc.language.latex.tree import Fraction, Scripted, nodes_of
from indexcalc.proof.document.definitions import definition_from
from indexcalc.proof.document.findings import Finding
from indexcalc.proof.document.outline import Side, Statement
from indexcalc.proof.document.roles import EQUATION, Roles, head_of, index_letters, names_of_tree
from indexcalc.proof.document.verdicts import TRUE, Verdict

if TYPE_CHECKING:
    from indexcalc.proof.document.judge import Judge

REACH = 200
"""How many characters before a formula are looked at."""

MARKED = ("hat ", "tilde ", "bar ")
STARS = ("*", "ast", "star", "opt")
"""What is on a name for the value of an unknown at the minimum."""

WORDS = re.compile(
    r"\b(?:set|sets|setting|equat(?:e|es|ed|ing)|put|putting|make|making|vanish\w*)\b|"
    r"\bsolv(?:e|es|ing)\b|first[- ]order|"
    r"stationar|optim(?:um|al)|minimi[sz]|maximi[sz]|minimum|maximum|normal equation|critical point|"
    r"令|设|零",
    re.IGNORECASE,
)
"""Words that say that what follows is asked for."""


def find_stationary(roles: Roles) -> None:
    """The statements that set something to zero, and those that say of an input what it must be for that."""
    for number, statement in enumerate(roles.statements):
        if roles.kinds.get(number) != EQUATION:
            continue
        if is_zero(statement.sides[-1]) and (
            asked(roles, statement) or (len(statement.sides) > 2 and differentiates(statement))
        ):
            roles.zeros = (*roles.zeros, number)
        elif roles.zeros and (head := head_of(roles, statement)) is not None:
            name = roles.symbols.resolve(head.name)
            plain = name.rsplit(" ", maxsplit=1)[-1].split("_", maxsplit=1)[0].split("^", maxsplit=1)[0]
            if head.parts is not None or statement.sides[1].relation != "=":
                continue
            if is_read(roles, name, roles.zeros[-1]):
                roles.solutions[number] = name
            elif (name.startswith(MARKED) or name.split("^")[-1] in STARS) and is_read(roles, plain, roles.zeros[-1]):
                roles.estimates[number] = plain


def is_zero(side: Side) -> bool:
    """Whether a member is zero."""
    return side.relation == "=" and [token.text for token in side.tokens if token.kind not in ("{", "}")] == ["0"]


def asked(roles: Roles, statement: Statement) -> bool:
    """Whether the words before a statement say that it is asked for."""
    return WORDS.search(roles.document.source[max(0, statement.span.start - REACH) : statement.span.start]) is not None


def differentiates(statement: Statement) -> bool:
    """Whether the first member has a derivative of something without an index, as of a loss, or an operator."""
    tree = statement.sides[0].tree
    for node in nodes_of(tree) if tree is not None else ():
        if getattr(node, "kind", "") == "NABLA":
            return True
        if not isinstance(node, Fraction) or node.numerator.only is None:
            continue
        first, *rest = node.numerator.only.items
        base = first.base if isinstance(first, Scripted) else first
        curly = getattr(base, "kind", "") == "PARTIAL" or getattr(getattr(base, "token", None), "text", "") == "d"
        if curly and not any(isinstance(item, Scripted) and item.below for item in rest):
            return True
    return False


def is_read(roles: Roles, name: str, last: int) -> bool:
    """Whether a name is read before, up to a statement that sets something to zero, and first defined behind it."""
    read = False
    for statement in roles.statements[: last + 1]:
        head = head_of(roles, statement)
        own = head is not None and roles.symbols.resolve(head.name) == name
        if own and len(statement.sides) > 1 and is_equation(statement):
            return False
        names = {roles.symbols.resolve(n.name) for tree in statement.trees[1:] for n in names_of_tree(roles, tree)}
        read = read or name in names
    return read


def is_equation(statement: Statement) -> bool:
    """Whether a statement says what its first member is, and sets nothing to zero."""
    return statement.sides[1].relation in ("=", ":=") and not is_zero(statement.sides[-1])


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

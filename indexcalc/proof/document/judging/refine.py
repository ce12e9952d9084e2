"""Definitions given twice: a later form that names more on its way takes the place of the first."""

from __future__ import annotations

from indexcalc.proof.document.judging.judge import Judge
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.meaning.nodes import names_of
from indexcalc.proof.document.meaning.symbols import Definition, Symbols
from indexcalc.proof.document.names.definitions import candidates, definition_from, function_head
from indexcalc.proof.document.names.folding import fold
from indexcalc.proof.document.names.loss import find_outputs
from indexcalc.proof.document.names.varying import find_variations
from indexcalc.proof.document.written.roles import EQUATION, Roles

GENERIC = 2
"""From so many contradicting forms on, a name has no one meaning in the document."""


def refine(roles: Roles) -> dict[str, tuple[int, ...]]:
    """Adopt equal forms that name more; the names that have no one meaning, with the statements that contradict it."""
    judge = Judge(roles, brief=True)
    contradicted: dict[str, tuple[int, ...]] = {}
    for number, name in sorted(candidates(roles), key=lambda pair: pair[0]):
        resolved = roles.symbols.resolve(name.name)
        old = roles.symbols.definitions.get(resolved)
        if old is None or roles.kinds.get(number) != EQUATION:
            continue
        findings = judge.statement(number, roles.statements[number], defines=False)
        if not findings:
            continue
        if findings[0].verdict in (Verdict.REFUTED, Verdict.FOLLOWS):
            contradicted[resolved] = (*contradicted.get(resolved, ()), number)
            continue
        if findings[0].verdict not in (Verdict.PROVED, Verdict.CONFIRMED):
            continue
        new = definition_from(roles, number, name)
        if new is not None and closure(roles.symbols, new, resolved) > closure(roles.symbols, old, resolved):
            roles.symbols.definitions[resolved] = new
            roles.symbols.slots[resolved] = new.slots
            judge = Judge(roles, brief=True)
    fold(roles.symbols)
    for definition in roles.symbols.definitions.values():
        roles.symbols.given.update(names_of(definition.body))
    find_variations(roles)
    find_outputs(roles)
    forget_equal_functions(roles)
    return {name: numbers for name, numbers in contradicted.items() if len(numbers) >= GENERIC}


def forget_equal_functions(roles: Roles) -> None:
    """A function whose every later form equals its first one has one meaning."""
    symbols = roles.symbols
    if not symbols.redefined:
        return
    judge = Judge(roles, brief=True)
    unequal: set[str] = set()
    for number, statement in enumerate(roles.statements):
        found = function_head(roles, statement)
        name = found[0].name if found is not None else ""
        if name in symbols.redefined - unequal and roles.kinds.get(number) == EQUATION:
            findings = judge.statement(number, statement, defines=False)
            if not findings or findings[0].verdict not in TRUE:
                unequal.add(name)
    symbols.redefined &= unequal


def closure(symbols: Symbols, definition: Definition, name: str) -> set[str]:
    """All names on which a definition depends; everything, if it leads back to its own name."""
    found: set[str] = set()
    pending = list(names_of(definition.body))
    while pending:
        current = pending.pop()
        if current == name:
            return set()
        if current not in found:
            found.add(current)
            if current in symbols.definitions:
                pending.extend(names_of(symbols.definitions[current].body))
    return found

"""Definitions that hold for a while: what the words before a restatement say is assumed, until it is taken back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from indexcalc.proof.document.judging.judge import Judge
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.names.definitions import definition_from
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import DEFINITION, EQUATION, OTHER, Roles, head_of, prose_before

REDEFINED = re.compile(r"\b(?:assum|suppos|consider|instead|imagine|pretend|skip|ignor|neglect|omit)", re.IGNORECASE)
"""Words that say that a name means something else from here on."""


@dataclass
class Sections:
    """The judge for the place in the document that has been reached.

    Attributes:
        roles: the document's roles with its lasting definitions.
        judge: judges with the definitions that hold here.
        redefined: the names that mean something else here.
    """

    roles: Roles
    judge: Judge
    redefined: set[str] = field(default_factory=set)

    def enter(self, number: int, statement: Statement) -> str:
        """The role of a statement here; the judge follows a redefinition, or its end."""
        kind = self.roles.kinds.get(number, OTHER)
        head = head_of(self.roles, statement) if kind == EQUATION else None
        if head is None:
            return kind
        name = self.roles.symbols.resolve(head.name)
        if name not in self.roles.symbols.definitions:
            return kind
        if name in self.redefined and self.holds(Judge(self.roles, self.judge.generic), number, statement):
            self.redefined.discard(name)
            self.judge = Judge(self.roles, self.judge.generic)
            return kind
        if not REDEFINED.search(prose_before(self.roles, statement)) or self.holds(self.judge, number, statement):
            return kind
        definition = definition_from(self.roles, number, head)
        if definition is None:
            return kind
        symbols = self.judge.roles.symbols
        changed = replace(symbols, definitions={**symbols.definitions, name: definition})
        self.judge = Judge(replace(self.roles, symbols=changed), self.judge.generic)
        self.redefined.add(name)
        return DEFINITION

    def holds(self, judge: Judge, number: int, statement: Statement) -> bool:
        """Whether the first relation of a statement is not refuted."""
        findings = judge.quick.statement(number, statement, defines=False)
        return bool(findings) and (findings[0].verdict in TRUE or findings[0].verdict is Verdict.UNCLEAR)

"""Inputs that do not depend on each other, as the document itself shows: then their derivatives are zero.

That ``y`` has no definition does not mean that it is independent of ``x``: the note may leave its equation out.
It is, if a derivative by ``x`` of something made from both is true in the document with ``y`` constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.settled import differentiates
from indexcalc.proof.document.meaning.nodes import Derivative, names_of
from indexcalc.proof.document.meaning.symbols import depends_on
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles


@dataclass
class Apart:
    """What is known of pairs of inputs.

    Attributes:
        roles: the document's roles.
        holds: whether the members of a statement are equal.
        known: the pairs that have been asked for.
    """

    roles: Roles
    holds: Callable[[Members], bool]
    known: dict[tuple[str, str], bool] = field(default_factory=dict)

    def __call__(self, name: str, wrt: str) -> bool:
        """Whether an input is known to be constant where another one varies."""
        if (name, wrt) not in self.known:
            self.known[name, wrt] = self.inputs(name, wrt) and any(
                self.shows(statement, name, wrt) for statement in self.roles.statements
            )
        return self.known[name, wrt]

    def inputs(self, *names: str) -> bool:
        """Whether all of these are inputs of the forward pass."""
        symbols = self.roles.symbols
        return all(name in symbols.given - symbols.unread and name not in symbols.definitions for name in names)

    def shows(self, statement: Statement, name: str, wrt: str) -> bool:
        """Whether a statement is true, and its truth needs the input to be constant."""
        tokens = [token for side in statement.sides for token in side.tokens]
        if len(statement.sides) < 2 or not differentiates(tokens):
            return False
        try:
            members = Members(self.roles, statement, local=False, unwritten=False)
            return any(self.reaches(node, name, wrt) for node in members.derivatives()) and self.holds(members)
        except (ValueError, LookupError, RecursionError):
            return False

    def reaches(self, node: Derivative, name: str, wrt: str) -> bool:
        """Whether a total derivative by one input is that of something made from both."""
        definitions = self.roles.symbols.definitions
        made = [inner for inner in names_of(node.body) if inner in definitions]
        total = node.wrt.name == wrt and not node.local and not node.held
        return total and any(depends_on(definitions, one, name) and depends_on(definitions, one, wrt) for one in made)

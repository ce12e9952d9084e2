"""Scopes: a section that gives the letters of those before it a new meaning is read on its own.

One wrong restatement is no new meaning. A section opens a scope if it contradicts two definitions or
more, if all that it restates is contradicted and it uses nothing else that was defined before, or if it
restates several gradients and contradicts every one; and if it declares a name with another shape.
Where this has happened twice at one level, the document is a collection: every later section of that
level is read on its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from indexcalc.language.document import Document
from indexcalc.language.document.sections import ROW
from indexcalc.language.latex.tree import Fraction
from indexcalc.language.latex.vocabulary import FUNCTIONS
from indexcalc.proof.document.judging.contested import agreement, fails, holds
from indexcalc.proof.document.judging.findings import VACUOUS
from indexcalc.proof.document.judging.judge import Judge
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.meaning.symbols import Symbols
from indexcalc.proof.document.names.definitions import function_head
from indexcalc.proof.document.names.redeclared import Shapes
from indexcalc.proof.document.names.understanding import Understanding
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import CONDITION, Roles, head_of, names_of_tree
from indexcalc.proof.document.written.survey import Survey, survey_of
from indexcalc.proof.document.written.trees import is_differential

COMPARED_LIMIT = 60
"""The most sections that are compared with what stands before; later ones that restate a name stand alone."""

COLLECTION = 2
"""From so many scopes of one level on, every section of that level is one."""

GRADIENT = "∂"
"""The mark of a head that is a gradient."""


@dataclass
class Scope:
    """Statements that share their symbols, by their places in the document.

    Attributes:
        level: that of the section that opened it.
        inherited: statements of the sections around it.
        own: its own.
    """

    level: int = -1
    inherited: tuple[int, ...] = ()
    own: list[int] = field(default_factory=list)

    @property
    def every(self) -> tuple[int, ...]:
        """All statements that are read, in the order of the document."""
        return tuple(sorted((*self.inherited, *self.own)))


@dataclass
class Part:
    """What stands in one section, before the next one starts."""

    level: int
    numbers: list[int] = field(default_factory=list)


def parts_of(document: Document, statements: Sequence[Statement]) -> list[Part]:
    """The parts of a document, with the places of their statements."""
    starts = [section.start for section in document.sections]
    parts = [Part(-1), *(Part(section.level) for section in document.sections)]
    for number, statement in enumerate(statements):
        parts[bisect_right(starts, statement.span.start)].numbers.append(number)
    return parts


def scopes_of(understanding: Understanding) -> list[Scope]:
    """The scopes of a document in order; most documents have one."""
    restatements = Restatements(understanding)
    base = Scope()
    scopes, active = [base], [base]
    path: list[Part] = []
    opened: Counter[int] = Counter()
    for part in parts_of(understanding.document, understanding.statements):
        while path and path[-1].level >= part.level:
            path.pop()
        while len(active) > 1 and active[-1].level > part.level:
            active.pop()
        inherited = tuple(number for around in path for number in around.numbers)
        collection = opened[part.level] >= COLLECTION
        changed = restatements.shapes.changed(active[-1].every, part.numbers)
        if collection or changed or (part.numbers and restatements.opens(active[-1], part, inherited)):
            opened[part.level] += not changed
            if len(active) > 1 and active[-1].level == part.level:
                active.pop()
            active.append(Scope(part.level, restatements.shapes.without(inherited, changed)))
            scopes.append(active[-1])
        active[-1].own.extend(part.numbers)
        path.append(part)
    for scope in scopes[1:]:
        while scope.level == ROW and (called := tuple(restatements.called(scope))):
            scope.inherited += called
    return scopes


def rows_of(understanding: Understanding) -> dict[int, tuple[int, ...]]:
    """For each statement in a row of a table: the statements of this row, and of the sections around it."""
    found: dict[int, tuple[int, ...]] = {}
    path: list[Part] = []
    for part in parts_of(understanding.document, understanding.statements):
        while path and path[-1].level >= part.level:
            path.pop()
        if part.level == ROW:
            around = (number for section in path for number in section.numbers)
            found.update(dict.fromkeys(part.numbers, tuple(sorted((*around, *part.numbers)))))
        path.append(part)
    return found


@dataclass
class Restatements:
    """Compares what a section says of a name with what was said before."""

    understanding: Understanding
    heads: dict[int, tuple[str, tuple[str, ...]]] = field(init=False)
    shapes: Shapes = field(init=False)
    functions: set[str] = field(default_factory=set)
    compared: int = 0
    agreed: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        survey = survey_of(statement.trees for statement in self.statements)
        roles = Roles(self.understanding.document, list(self.statements), survey, Symbols())
        self.shapes = Shapes(self.statements, survey)
        self.heads = {}
        for number, statement in enumerate(self.statements):
            if len(statement.sides) > 1 and statement.sides[1].relation in ("=", ":="):
                right = tuple(token.text for token in statement.sides[1].tokens)
                head, function = head_of(roles, statement), function_head(roles, statement)
                if function is not None:
                    self.functions.add(function[0].name)
                    head = function[0]
                name = head.name if head is not None else gradient_of(statement, survey)
                if name:
                    self.heads[number] = name, right

    @property
    def statements(self) -> Sequence[Statement]:
        """The statements of the document."""
        return self.understanding.statements

    def called(self, scope: Scope) -> Iterator[int]:
        """The statements before a scope that define functions which it uses and does not define."""
        first = min(scope.own, default=0)
        mine = {self.heads[number][0] for number in scope.every if number in self.heads}
        words = {token.text for n in scope.every for side in self.statements[n].sides for token in side.tokens}
        for number, (name, _) in self.heads.items():
            if number < first and name in (self.functions & words) - mine:
                yield number

    def restated(self, scope: Scope, part: Part) -> list[int]:
        """The statements of a part whose head has another right side before."""
        before: dict[str, set[tuple[str, ...]]] = {}
        for number in scope.every:
            if number in self.heads:
                name, text = self.heads[number]
                before.setdefault(name, set()).add(text)
        mine = ((number, *self.heads[number]) for number in part.numbers if number in self.heads)
        return [number for number, name, text in mine if name in before and text not in before[name]]

    def opens(self, scope: Scope, part: Part, inherited: tuple[int, ...]) -> bool:
        """Whether a part gives names of a scope a new meaning."""
        restated = [number for number in self.restated(scope, part) if not self.is_condition(number)]
        if not restated or (scope.level < 0 and self.agree(restated)):
            return False
        self.compared += 1
        if self.compared > COMPARED_LIMIT:
            return True
        alone = cache(lambda: self.understanding.of((*inherited, *part.numbers)))
        together = tuple(sorted({*scope.every, *part.numbers}))
        joint = self.understanding.of(together)
        judge = Judge(joint, brief=True)
        contradicted: set[str] = set()
        gradients: set[str] = set()
        agreed: set[str] = set()
        again = False
        for number in restated:
            name = joint.symbols.resolve(self.heads[number][0])
            place = len(self.understanding.given) + together.index(number)
            verdict = judge.statement(place, self.statements[number], defines=False)[0].verdict
            if verdict in TRUE:
                agreed.add(name)
            elif name.startswith(GRADIENT):
                gradients.update({name} if verdict is Verdict.REFUTED else ())
            elif verdict in (Verdict.REFUTED, Verdict.FOLLOWS) or name in alone().symbols.definitions:
                contradicted.add(name)
            elif name in self.functions:
                contradicted.add(name)
                again = True
        if part.level == ROW:
            backward = gradients | (contradicted & joint.symbols.adjoints.keys())
            forward = {self.heads[n][0] for n in part.numbers if n in self.heads} & alone().symbols.definitions.keys()
            if again or (backward and forward and not agreed):
                return True
        if len(contradicted) > 1 or (len(gradients) > 1 and not agreed):
            return True
        if not contradicted or agreed or leans(alone(), joint):
            return False
        return not self.speaks_for_the_old(together, part, restated)

    def speaks_for_the_old(self, together: tuple[int, ...], part: Part, restated: Sequence[int]) -> bool:
        """Whether more of what a part says holds with what its names meant before than with what it says of them."""
        names = {self.heads[number][0] for number in restated}
        said = [number for number in together if number in self.heads and self.heads[number][0] in names]
        older = [number for number in said if number not in part.numbers]
        rest = tuple(number for number in together if number not in older)
        given = len(self.understanding.given)
        asked = [
            (given + together.index(number), self.statements[number]) for number in part.numbers if number not in said
        ]
        roles = self.understanding.of(together)
        before, after = agreement(roles, self.understanding.of(rest), asked)
        return before > after or (before == after and self.says_nothing_new(roles, older, asked, restated))

    def says_nothing_new(
        self, roles: Roles, older: Sequence[int], asked: Sequence[tuple[int, Statement]], restated: Sequence[int]
    ) -> bool:
        """Whether a part restates names without a new one in it, and all else that it says of them held before."""
        names = {self.heads[number][0] for number in restated}
        known = {name for number in older for name in names_in(roles, self.statements[number])}
        if not all(names_in(roles, self.statements[number]) <= known for number in restated):
            return False
        judge = Judge(roles, brief=True)
        found = [
            judge.statement(number, statement, defines=False)
            for number, statement in asked
            if len(statement.sides) > 1 and names & names_in(roles, statement)
        ]
        return any(holds(findings) for findings in found) and not any(fails(findings) for findings in found)

    def is_condition(self, number: int) -> bool:
        """Whether a statement relates indices, and says nothing of a name."""
        return self.whole.roles.kinds.get(len(self.understanding.given) + number) == CONDITION

    def agree(self, numbers: Sequence[int]) -> bool:
        """Whether all of these are true in the document read as one: the quick way out for most sections."""
        for number in numbers:
            if number not in self.agreed:
                place = len(self.understanding.given) + number
                findings = self.whole.statement(place, self.statements[number], defines=False)
                # In a collection read as one, a gradient may be zero on both sides because all else is defined away.
                self.agreed[number] = findings[0].verdict in TRUE and findings[0].reason != VACUOUS
        return all(self.agreed[number] for number in numbers)

    @cached_property
    def whole(self) -> Judge:
        """The judge of the document read as one."""
        return Judge(self.understanding.of(tuple(range(len(self.statements)))), brief=True)


def names_in(roles: Roles, statement: Statement) -> set[str]:
    """The names in a statement; those of known functions are none of the document's."""
    return {found.name for tree in statement.trees for found in names_of_tree(roles, tree)} - FUNCTIONS.keys()


def gradient_of(statement: Statement, survey: Survey) -> str:
    """The derivative that the head is, such as ``∂L/∂X``; empty if it is none."""
    tree = statement.sides[0].tree
    only = tree.only if tree is not None else None
    if only is None or len(only.items) != 1 or not isinstance(only.items[0], Fraction):
        return ""
    above, below = only.items[0].numerator.only, only.items[0].denominator.only
    if above is None or below is None or not 0 < len(above.items) < 3 or len(below.items) != 2:
        return ""
    if not is_differential(above.items[0]) or not is_differential(below.items[0]):
        return ""
    body, wrt = survey.name(above.items[-1]), survey.name(below.items[1])
    return f"{GRADIENT}{body.name if body else ''}/∂{wrt.name}" if wrt is not None else ""


def leans(alone: Roles, joint: Roles) -> bool:
    """Whether a part uses names that are defined only before it, or gradients by such."""
    used = (joint.symbols.adjoints.get(name, name) for name in alone.survey.usages)
    return any(name in joint.symbols.definitions and name not in alone.symbols.definitions for name in used)


def foreign(roles: Roles, before: Sequence[Roles]) -> frozenset[str]:
    """The names that a scope uses without saying what they are, and that another scope defines."""
    elsewhere = {name for other in before for name in (*other.symbols.definitions, *other.symbols.functions)}
    mine = roles.symbols
    return frozenset(name for name in elsewhere if name in mine.slots and name not in mine.definitions)

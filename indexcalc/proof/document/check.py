"""Checking a document: every relation in it with a verdict."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from indexcalc.errors import LimitError, SpecError
from indexcalc.language.document import Document, Span, read_document
from indexcalc.proof.document.judging.contested import settled_chains, settled_definitions
from indexcalc.proof.document.judging.judge import Judge
from indexcalc.proof.document.judging.scopes import foreign, rows_of, scopes_of
from indexcalc.proof.document.judging.sections import Sections
from indexcalc.proof.document.judging.verdicts import TRUE, CheckReport, Claim, Verdict, report_of
from indexcalc.proof.document.layers.families import Families
from indexcalc.proof.document.layers.labels import displayed
from indexcalc.proof.document.names.assumptions import name_missing
from indexcalc.proof.document.names.particular import after_number
from indexcalc.proof.document.names.understanding import Understanding
from indexcalc.proof.document.repair.correcting import Corrector
from indexcalc.proof.document.repair.spelling import spelling_of
from indexcalc.proof.document.written.context import Context, read_context
from indexcalc.proof.document.written.outline import Side, Statement, Trouble, outline
from indexcalc.proof.document.written.parts import part_below, set_aside
from indexcalc.proof.document.written.roles import CONDITION, DECLARATION, DEFINITION, EQUATION, OTHER, Roles
from indexcalc.proof.document.written.spoken import attach_spoken

RELATION_LIMIT = 1_200
"""The most relations of one document; a note of a thousand lines has some three hundred."""

FORMULA_LIMIT = 4_000
"""The most pieces of mathematics of one document."""


def check(source: str, name: str = "note.md", context: str = "") -> CheckReport:
    """Check every relation of a document.

    Args:
        source: the text of the document.
        name: its file name, which says whether it is Markdown, LaTeX or HTML.
        context: what the document leaves unsaid, beside what its own comments say.

    Raises:
        LimitError: if the document is too long, or has too many formulas or relations.
        SpecError: for a mistake in the context.
    """
    document = read_document(source, name)
    bounded(document)
    unsaid = read_context([*document.contexts, context])
    placed: list[tuple[int, Claim]] = []
    for part, own in document.parts():
        placed += claims_in(part, unsaid.around(read_context([own])) if own else unsaid)
    return report_of(name, [claim for _, claim in sorted(placed, key=lambda pair: pair[0])])


def claims_in(document: Document, unsaid: Context) -> list[tuple[int, Claim]]:
    """The claims of a document, or of a row of one that stands alone, each with its place."""
    statements, troubles = outline(document, unsaid.phrases)
    attach_spoken(document, statements)
    statements, schematic = set_aside(document, statements, unsaid.schematic)
    placed = [
        (trouble.span.start, claim_of(document, whole(trouble), Verdict.UNCLEAR, trouble.reason, trouble.span.display))
        for trouble in troubles
    ]
    for statement, side in schematic:
        claim = claim_of(document, side, Verdict.SCHEMATIC, "the context says so", statement.span.display)
        placed.append((side.start, claim))
    judged = judged_claims(document, statements, unsaid)
    for heading in unsaid.scoped:
        start, end = part_below(document, heading)
        within = judged_claims(document, statements, unsaid.within(heading))
        judged = [pair for pair in judged if not start <= pair[0] < end]
        judged += [pair for pair in within if start <= pair[0] < end]
    return [*placed, *judged]


def bounded(document: Document) -> None:
    """Refuse a document of too many formulas or relations, before any of them is read."""
    relations = sum(span.text.count("=") for span in document.spans)
    for found, limit, what in (
        (len(document.spans), FORMULA_LIMIT, "formulas"),
        (relations, RELATION_LIMIT, "relations"),
    ):
        if found > limit:
            raise LimitError(f"{document.name} has {found} {what}; the limit is {limit}: check it in parts")


def whole(trouble: Trouble) -> Side:
    """A piece of mathematics that could not be split, as one member."""
    return Side("", (), None, trouble.reason, trouble.span.start, trouble.span.end)


def judged_claims(document: Document, statements: list[Statement], context: Context) -> list[tuple[int, Claim]]:
    """The claims of all statements under one context, each with its place."""
    given = given_statements(context, statements[0].families if statements else None)
    placed: list[tuple[int, Claim]] = []
    before: list[Roles] = []
    corrector = Corrector(spelling_of(document.source, statements))
    understanding = Understanding(document, statements, given, context)
    rows = rows_of(understanding)
    for scope in scopes_of(understanding):
        roles, found = claims_within(understanding, scope.every, scope.own, before, corrector)
        for number, claims in found.items():
            row = rows.get(number, scope.every)
            if has_refuted(claims) and set(row) < set(scope.every):
                found[number] = better(
                    claims, claims_within(understanding, row, [number], before, corrector)[1][number]
                )
        placed.extend((side.start, claim) for claims in found.values() for side, claim in claims)
        before.append(roles)
    name_missing(context, before)
    return placed


Placed = list[tuple[Side, Claim]]
"""The claims of one statement, each with its member."""


def claims_within(
    understanding: Understanding,
    numbers: tuple[int, ...],
    own: Collection[int],
    before: Sequence[Roles],
    corrector: Corrector,
) -> tuple[Roles, dict[int, Placed]]:
    """Some statements read together: what they mean, and the claims of those that are wanted."""
    every, roles, undecided = settled_chains(understanding, numbers)
    every, roles, generic = settled_definitions(understanding, every, roles)
    generic |= foreign(roles, before) | undecided
    sections = Sections(roles, Judge(roles, generic))
    found: dict[int, Placed] = {}
    for place, number in enumerate(numbers, len(understanding.given)):
        kind = sections.enter(place, every[place])
        if number in own:
            found[number] = claims_of(
                understanding.document, sections.judge, place, every[place], kind, corrector=corrector
            )
    return roles, found


def has_refuted(claims: Placed) -> bool:
    """Whether one of these claims is refuted."""
    return any(claim.verdict is Verdict.REFUTED for _, claim in claims)


def better(claims: Placed, alone: Placed) -> Placed:
    """The claims of a statement read with its row of a table alone, if something is true then and nothing false."""
    return alone if not has_refuted(alone) and any(claim.verdict in TRUE for _, claim in alone) else claims


def given_statements(context: Context, families: Families | None = None) -> list[Statement]:
    """The equations of a context as statements before all others, their letters read as the document's."""
    text = " \\\\\n".join(context.equations)
    statements, troubles = outline(Document("context", text, (Span(text, 0, True),)), families=families)
    if troubles:
        raise SpecError(f"the context cannot be read: {troubles[0].reason}")
    for statement in statements:
        for side in statement.sides:
            if (
                side.tree is None
                and side.relation != "in"
                and len(statement.sides) > 1
                and statement.sides[1].relation != "in"
            ):
                raise SpecError(f"an equation of the context cannot be read: {side.error}")
    return statements


def claims_of(
    document: Document, judge: Judge, number: int, statement: Statement, kind: str, *, corrector: Corrector
) -> list[tuple[Side, Claim]]:
    """The claims of one statement."""
    sides = statement.sides
    if kind == OTHER or len(sides) < 2:
        return []
    if kind in (DECLARATION, CONDITION):
        verdict = Verdict.DECLARATION if kind == DECLARATION else Verdict.CONDITION
        said = [(sides[1], claim_of(document, sides[1], verdict, "", statement.span.display))]
        if kind == DECLARATION or len(sides) < 3 or sides[1].tree is None:
            return said
        return said + claims_of(document, judge, number, after_number(statement), EQUATION, corrector=corrector)
    findings = corrector.corrected(judge, statement, judge.statement(number, statement, defines=kind == DEFINITION))
    result = []
    for side, finding in zip(sides[1:], findings, strict=True):
        claim = claim_of(
            document,
            side,
            finding.verdict,
            displayed(finding.reason) if statement.families else finding.reason,
            statement.span.display,
            counterexample=finding.counterexample,
            correction=finding.correction,
            assumptions=finding.assumptions,
        )
        result.append((side, claim))
    return result


def claim_of(
    document: Document,
    side: Side,
    verdict: Verdict,
    reason: str,
    display: bool,
    *,
    counterexample: str = "",
    correction: str = "",
    assumptions: tuple[str, ...] = (),
) -> Claim:
    """A claim at its place."""
    line, column = document.place(side.start)
    latex = " ".join(document.source[side.start : side.end].split())
    return Claim(
        document.name,
        line,
        column,
        f"{side.relation} {latex}".strip(),
        verdict,
        reason,
        counterexample,
        correction,
        assumptions,
        display=display,
    )

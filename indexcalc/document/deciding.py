"""Verdicts: what holds under the readings that the rest of the document supports.

Each relation is read under its usual interpretation, and under those that differ from it in a few of the choices it
asks for. A relation speaks for an option if it is true under it and under none of the alternatives. It is true if it
is true under a reading whose options are usual, stated, or spoken for by *other* statements. It is refuted only if it
is false under all such readings, claims something, and rests on nothing that is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.choices import Interpretation, Kind
from indexcalc.document.evidence import (
    GUESSES,
    Votes,
    bears_on,
    consensus,
    contradicted,
    is_guess,
    others,
    readability,
    supported,
    votes_of,
    witnesses,
)
from indexcalc.document.findings import fault, proved
from indexcalc.document.outcomes import Outcome, Relation, Truth
from indexcalc.document.page import EQUALITIES, Page, called_head, head_of, names_in, page_of, sizes_of
from indexcalc.document.reader import Reader, read
from indexcalc.document.search import Judged, RelationKey, Trials, judge, relation_key, relations
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError
from indexcalc.language.document import read_document
from indexcalc.language.latex.tree import Atom, Sum
from indexcalc.proof.document.judging.verdicts import CheckReport, Claim, Verdict, report_of
from indexcalc.proof.document.meaning.sizes import ShapeError
from indexcalc.proof.document.meaning.symbols import NotUnderstoodError
from indexcalc.proof.document.written.context import read_context
from indexcalc.proof.document.written.outline import Side, Statement
from indexcalc.proof.document.written.parts import part_below
from indexcalc.proof.document.written.trees import differentiated

ROUNDS = 3
"""How often all relations are read: each time from the interpretation for which the others spoke."""


UNLIKELY = 1.0
"""What a reading costs that nobody would think of unless the document speaks for it."""


def check(source: str, name: str = "note.md", context: str = "") -> CheckReport:
    """Every relation of a document, with its verdict.

    Args:
        source: the text of the document.
        name: its file name, which says whether it is Markdown, LaTeX or HTML.
        context: what the document leaves unsaid, beside what its own comments say.

    Raises:
        SpecError: for a mistake in the context.
    """
    document = read_document(source, name)
    said = read_context([*document.contexts, context])
    claims: list[Claim] = []
    for part, own in document.parts():
        here = said.around(read_context([own])) if own else said
        found = claims_in(page_of(part, here))
        for heading in here.scoped:
            start, end = (document.place(place)[0] for place in part_below(part, heading))
            within = claims_in(page_of(part, here.within(heading)))
            found = [c for c in found if not start <= c.line < end] + [c for c in within if start <= c.line < end]
        claims += found
    return report_of(name, sorted(claims, key=lambda claim: (claim.line, claim.column)))


def claims_in(page: Page) -> list[Claim]:
    """Every relation of a page, with its verdict."""
    numbers = range(page.told, len(page.statements))
    every = [r for number in numbers for r in relations(page, number)]
    votes: Votes = readability(page)
    judged: dict[RelationKey, Judged] = {}
    trials = {relation_key(r): Trials(page, r) for r in every}
    for _ in range(ROUNDS):
        bases = {number: consensus(votes, number) for number in range(len(page.statements))}
        known = {
            relation_key(r): judge(r, bases[r.number], trials[relation_key(r)])
            if (old := judged.get(relation_key(r))) is None or bears_on(old, bases[r.number])
            else old
            for r in every
        }
        if known == judged:
            break
        judged, votes = known, votes_of(page, known)
    claims = [claim for number in numbers for claim in claims_of(page, number, judged, votes)]
    for trouble in page.troubles:
        side = Side("", (), None, trouble.reason, trouble.span.start, trouble.span.end)
        claims.append(claim_of(page, side, Verdict.UNCLEAR, trouble.reason, display=trouble.span.display))
    for statement, side in page.schematic:
        reason = "the context says so"
        claims.append(claim_of(page, side, Verdict.SCHEMATIC, reason, display=statement.span.display))
    return claims


def claims_of(page: Page, number: int, judged: Mapping[RelationKey, Judged], votes: Votes) -> Iterator[Claim]:
    """The claims of one statement."""
    statement = page.statements[number]
    head = head_of(page.survey, statement)
    defining = head is not None and number in page.defining.get(head.name, ())
    holding = {0}
    for member in range(1, len(statement.sides)):
        side = statement.sides[member]
        display = statement.span.display
        if side.relation == "in":
            yield shape_claim(page, number, member)
            continue
        if side.relation not in EQUALITIES and not page.compares_letters(number):
            yield claim_of(page, side, Verdict.UNCLEAR, "this relation is not judged", display=display)
            continue
        if member == 1 and defining and page.defining[head.name if head else ""][0] == number:
            holding.add(member)
            yield claim_of(page, side, Verdict.DEFINITION, "", display=display)
            continue
        if page.compares_letters(number):
            yield claim_of(page, side, Verdict.CONDITION, "", display=display)
            continue
        if number in page.laws and not defining:
            yield claim_of(page, side, Verdict.DECLARATION, "", display=display)
            continue
        if page.sets(number) or (member == 1 and speaks_of_function(page, number)):
            holding.update((member,) if number in page.function_heads else ())
            yield claim_of(page, side, Verdict.DEFINITION, "", display=display)
            continue
        if statement.sides[0].tree is None or side.tree is None:
            yield claim_of(page, side, Verdict.UNCLEAR, side.error or statement.sides[0].error, display=display)
            continue
        found = [judged[key] for key in ((number, member, against) for against in range(member)) if key in judged]
        decision = decided(page, statement, member, found, votes, defining=defining, holding=holding)
        if decision.verdict is Verdict.CONFIRMED:
            holding.add(member)
        yield explained(page, side, decision, display=display)


@dataclass(frozen=True)
class Decision:
    """The verdict on one member.

    Attributes:
        verdict: the verdict.
        reason: why, in words.
        assumptions: what is not usual in the reading that decided.
        relation, outcome: the relation that decided, and the reading; None where nothing is decided.
    """

    verdict: Verdict
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    relation: Relation | None = None
    outcome: Outcome | None = None


def explained(page: Page, side: Side, decision: Decision, *, display: bool) -> Claim:
    """The claim on a member: proved where the algebra can, and with the fault where it is refuted."""
    claim = claim_of(page, side, decision.verdict, decision.reason, display=display, assumptions=decision.assumptions)
    if decision.relation is None or decision.outcome is None:
        return claim
    interpretation = decision.outcome.interpretation
    if decision.verdict is Verdict.CONFIRMED and proved(page, decision.relation, interpretation):
        return replace(claim, verdict=Verdict.PROVED)
    if decision.verdict is Verdict.REFUTED and decision.outcome.truth is Truth.FALSE:
        found = fault(page, decision.relation, interpretation)
        return replace(claim, reason=found.reason, counterexample=found.counterexample)
    return claim


def speaks_of_function(page: Page, number: int) -> bool:
    """Whether a statement defines a function, or gives a value of one that no formula defines."""
    name = called_head(page.survey, page.statements[number])
    return number in page.function_heads or (bool(name) and name not in page.functions)


def shape_claim(page: Page, number: int, member: int) -> Claim:
    """A shape that is said of a name declares it; said of an expression, it is a claim."""
    statement = page.statements[number]
    side, tree = statement.sides[member], statement.sides[member - 1].tree
    sizes = sizes_of(side.tokens)
    display = statement.span.display
    lone = tree is not None and tree.only is not None and len(tree.only.items) == 1
    if tree is None or lone or not sizes:
        return claim_of(page, side, Verdict.DECLARATION, "", display=display)
    table = Table(page, page.asking(Interpretation()), number, read)
    try:
        value = Reader(table).sum(tree)
        if len(value.axes) != len(sizes):
            return claim_of(page, side, Verdict.UNCLEAR, f"an array with {len(value.axes)} axes", display=display)
        for axis, size in zip(value.axes, sizes, strict=True):
            if size not in page.sizes_of_names:
                return claim_of(page, side, Verdict.UNCLEAR, f"the size {size} is not known", display=display)
            table.sizes.unify(axis, table.sizes.named(size, declared=True))
    except ShapeError as error:
        verdict = Verdict.UNCLEAR if table.open else Verdict.REFUTED
        return claim_of(page, side, verdict, str(error), display=display)
    except (NotUnderstoodError, IndexCalcError, RecursionError) as error:
        return claim_of(page, side, Verdict.UNCLEAR, str(error), display=display)
    return claim_of(page, side, Verdict.CONFIRMED, "", display=display)


def decided(
    page: Page,
    statement: Statement,
    member: int,
    found: Sequence[Judged],
    votes: Votes,
    *,
    defining: bool,
    holding: Collection[int],
) -> Decision:
    """The verdict on one member."""
    number = found[0].relation.number if found else -1
    reasons: list[str] = []
    wrong: list[Decision] = []
    for one in found:
        true = [o for o in one.outcomes if o.truth is Truth.TRUE]
        returns = head_of(page.survey, statement) if one.relation.against == 0 else None
        good = [o for o in true if supported(page, o, votes, number, returns.name if returns else "")]
        if good:
            best = min(good, key=lambda o: o.cost)
            if one.relation.against not in holding:
                reasons.append("it equals a member before it, which is not judged")
                continue
            return Decision(Verdict.CONFIRMED, "", phrases(best), one.relation, best)
    found = [one for one in found if one.relation.against in (0, member - 1)]
    for one in found:
        true = [o for o in one.outcomes if o.truth is Truth.TRUE]
        likely = [o for o in true if o.cost < UNLIKELY and not contradicted(o, votes, number)]
        if likely:
            best = min(likely, key=lambda o: o.cost)
            reasons.append("it would hold if " + " and ".join(phrases(best)))
            break
        admissible = [o for o in one.outcomes if supported(page, o, votes, number)]
        usual = admissible[0] if admissible else one.outcomes[0]
        if usual.truth not in WRONG:
            reasons.append(usual.reason or "nothing is known of what it rests on")
            continue
        why = why_open(Accused(page, statement, member, one, votes, defining), admissible)
        if why:
            reasons.append(why)
            continue
        wrong.append(Decision(Verdict.REFUTED, usual.reason or "the two sides differ", (), one.relation, usual))
    if wrong and (len(wrong) == len(found) or (member > 1 and member - 1 in holding)):
        return wrong[0]
    return Decision(Verdict.UNCLEAR, reasons[0] if reasons else "it cannot be read")


WRONG = (Truth.FALSE, Truth.LOOSE)
"""What speaks against a relation; what does not fit otherwise may be misread."""


@dataclass(frozen=True)
class Accused:
    """A relation that is false under its usual reading.

    Attributes:
        page: the page.
        statement: its statement.
        member: the place of its member.
        judged: it, with its outcomes.
        votes: what the document says for options.
        defining: whether its statement may give its first member a meaning.
    """

    page: Page
    statement: Statement
    member: int
    judged: Judged
    votes: Votes
    defining: bool


def why_open(accused: Accused, admissible: Sequence[Outcome]) -> str:
    """Why what is false is not refuted: it may be no claim, or rest on what is not known; empty if it is refuted."""
    page, statement, member, one = accused.page, accused.statement, accused.member, accused.judged
    if not admissible:
        return "no reading of it is supported by the rest of the document"
    false = [o for o in admissible if o.truth in WRONG]
    if len(false) < len([o for o in admissible if o.truth not in (Truth.SILENT, Truth.MISFIT)]):
        return "it is not false under every reading"
    for o in false:
        if o.open:
            return next((text for text in o.open if text), "an input may depend on what it is differentiated by")
    for o in false:
        for key, name in o.options:
            if key[0] in GUESSES and is_guess(o, key) and not witnesses(accused.votes, key, name, one.relation.number):
                return f"no other statement shows that {o.asked[key].option(name).phrase}"
    alone = [name for o in false for name in o.alone]
    if alone:
        return f"{alone[0]} stands on one side only"
    if asks(page, one.relation):
        return "it may ask where this holds"
    if one.relation.number in page.function_heads and one.relation.against == 0:
        return "it may give the function a new meaning"
    head_name = head_of(page.survey, statement)
    if (
        head_name is not None
        and page.gradient_target(head_name.name) is None
        and one.relation.against == 0
        and (accused.defining or member == 1)
        and renames(accused, head_name.name)
    ):
        return "it may give the name a new meaning"
    head = statement.sides[0].tree
    if (
        head_name is None
        and member == 1
        and head is not None
        and not any(True for _ in differentiated(head))
        and not many_names(page, head)
    ):
        return "it may be said of what is given"
    return ""


def asks(page: Page, relation: Relation) -> bool:
    """Whether a relation may be an equation to be solved: the value of a function the page defines is a number."""
    only = [tree.only.items for tree in (relation.left, relation.right) if tree.only is not None]
    numbers = any(len(items) == 1 and isinstance(items[0], Atom) and items[0].kind == "NUM" for items in only)
    names = {found.name for tree in (relation.left, relation.right) for found in names_in(page.survey, tree)}
    return numbers and bool(names & page.functions.keys()) and not names <= page.functions.keys()


NEW = re.compile(
    r"\b(?:but|instead|now|suppose|assume|let|another|alternativ\w+|redefine|consider|if|where|denote|set)\b"
)
"""Words before an equation that may give a name a new meaning."""


def renames(accused: Accused, name: str) -> bool:
    """Whether an equation may give a name a new meaning: nothing defined it, a word says so, or it is another section.

    A section gives no new meaning if what follows holds with the earlier one.
    """
    page, own = accused.page, accused.judged.relation.number
    numbers = [n for n in page.defining.get(name, ()) if n < own]
    if not numbers:
        return True
    start = page.statements[own].span.start
    before = page.statements[numbers[-1]]
    if NEW.search(page.document.source[max(0, start - 120) : start].lower()):
        return True
    return page.section(before.span.start) != page.section(start) and not rejected(accused, name)


def rejected(accused: Accused, name: str) -> bool:
    """Whether what follows holds with another meaning of the name than the one that an equation would give it."""
    page, number = accused.page, accused.judged.relation.number
    line = page.document.place(page.statements[number].span.start)[0]
    says = accused.votes.get((Kind.DEFINITION, f"{name} at line {line}"), {})
    own = len(says.get(str(number), ()))
    return any(len(others(who, number)) > own for option, who in says.items() if option != str(number))


def many_names(page: Page, tree: Sum) -> bool:
    """Whether a member is made of several names: an identity, not a law for one of them."""
    return len({found.name for found in names_in(page.survey, tree)}) > 1


def phrases(result: Outcome) -> tuple[str, ...]:
    """What the options of a reading say that are not the usual ones."""
    return tuple(
        result.asked[key].option(name).phrase
        for key, name in result.options
        if name != result.asked[key].options[0].name
    )


def claim_of(
    page: Page, side: Side, verdict: Verdict, reason: str, *, display: bool, assumptions: Iterable[str] = ()
) -> Claim:
    """A claim at its place."""
    line, column = page.document.place(side.start)
    latex = " ".join(page.document.source[side.start : side.end].split())
    return Claim(
        page.document.name,
        line,
        column,
        f"{side.relation} {latex}".strip(),
        verdict,
        reason,
        assumptions=tuple(assumptions),
        display=display,
    )

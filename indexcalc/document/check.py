"""The check of a document: every relation in it with its verdict.

Each relation is read under its usual interpretation, and under those that differ from it in a few of the choices it
asks for. A relation speaks for an option if it is true under it and under none of the alternatives; then all are read
again, each under what the others speak for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.document.choices import Interpretation, Kind, system_choice
from indexcalc.document.claimed_shapes import shape_said
from indexcalc.document.deciding import Decision, decided
from indexcalc.document.diagnosis import Diagnosis, Difference
from indexcalc.document.evidence import ALL, Votes, bases, bears_on, consensus, in_doubt, readability, telling, votes_of
from indexcalc.document.explanation import explanation
from indexcalc.document.findings import Fault, fault, proved
from indexcalc.document.fitting import fitted_ranks
from indexcalc.document.meaning.sizes import ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.outcomes import Outcome, Relation, Truth, outcome
from indexcalc.document.page import Page, page_of
from indexcalc.document.reader import read
from indexcalc.document.repair.correcting import Corrector
from indexcalc.document.report import CheckReport, Claim, Verdict, report_of
from indexcalc.document.restated import contradicted
from indexcalc.document.search import Judged, RelationKey, Trials, judge, relation_key, relations
from indexcalc.document.statements.calls import shown
from indexcalc.document.statements.context import Context, read_context
from indexcalc.document.statements.heads import called_head
from indexcalc.document.statements.kinds import bounds, compares_letters, draws, sets, writes_out
from indexcalc.document.statements.outline import EQUALITIES, ORDERS, Side
from indexcalc.document.statements.parts import lines_of
from indexcalc.document.statements.shapes import shape_written
from indexcalc.document.statements.values import Mean, Spread
from indexcalc.document.table import Table
from indexcalc.errors import IndexCalcError, LimitError, SpecError
from indexcalc.language.document import Document, read_document

ROUNDS = 8
"""How often all relations are read at most: each time from the interpretation for which the others spoke.

Most documents are settled after two or three times. A relation is judged by what the others say in the end, and nothing
holds by readings for which they spoke no longer.
"""

RELATION_LIMIT = 1_200
"""The most relations of one document; a note of a thousand lines has some three hundred."""

FORMULA_LIMIT = 4_000
"""The most pieces of mathematics of one document."""


def check(source: str, name: str = "note.md", context: str = "", explain: Collection[int] = ()) -> CheckReport:
    """Every relation of a document, with its verdict.

    Args:
        source: the text of the document.
        name: its file name, which says whether it is Markdown, LaTeX or HTML.
        context: what the document leaves unsaid, beside what its own comments say.
        explain: the lines of which it is said how each relation was read.

    Raises:
        LimitError: if the document is too long, or has too many formulas or relations.
        SpecError: for a mistake in the context.
    """
    document = read_document(source, name)
    bounded(document)
    said = read_context([*document.contexts, context])
    claims: list[Claim] = []
    pages: list[Page] = []
    for part, own in document.parts():
        here = said.around(read_context([own])) if own else said
        pages.append(page_of(part, here))
        compare_slots(pages[-1])
        found = claims_in(pages[-1], explain)
        for scope in here.scoped:
            start, end = lines_of(part, scope)
            pages.append(page_of(part, here.within(scope)))
            within = claims_in(pages[-1], explain)
            found = [c for c in found if not start <= c.line < end] + [c for c in within if start <= c.line < end]
        claims += found
    name_missing(said, pages, document.name)
    return report_of(name, sorted(claims, key=lambda claim: (claim.line, claim.column)), source)


def bounded(document: Document) -> None:
    """Refuse a document of too many formulas or relations, before any of them is read.

    Raises:
        LimitError: if there are more than the limit.
    """
    relations_found = sum(span.text.count("=") for span in document.spans)
    for found, limit, what in (
        (len(document.spans), FORMULA_LIMIT, "formulas"),
        (relations_found, RELATION_LIMIT, "relations"),
    ):
        if found > limit:
            raise LimitError(f"{document.name} has {found} {what}; the limit is {limit}: check it in parts")


def name_missing(context: Context, pages: Sequence[Page], document: str) -> None:
    """Refuse a context that speaks of a tensor that the document does not have, or answers what nothing asks.

    Raises:
        SpecError: if there is no such tensor, or no such choice.
    """
    names = {name for page in pages for name in page.survey.usages}
    heard = {phrase for page in pages for phrase in page.heard}
    for phrase, line in (one for page in pages for one in page.context.assumed.items()):
        if phrase not in heard:
            raise SpecError(f"no relation of {document} leaves open whether {phrase}: {line}")
    for name in context.simplex:
        if name not in names:
            raise SpecError(f"{name}, whose sum the context assumes to be 1, is no tensor of {document}")
    for size in context.sizes:
        if size.tensor not in names:
            raise SpecError(f"{size.tensor} is no tensor of {document}: {size.line}")


def compare_slots(page: Page) -> None:
    """Refuse a context that speaks of a slot that its tensor does not have.

    Raises:
        SpecError: if there is no such slot.
    """
    for name, places in page.context.simplex.items():
        count = slots_of(page, name)
        if count is not None and count <= max(places):
            said = f"{name}, whose sum the context assumes to be 1,"
            raise SpecError(f"{said} has {count} slots, not {max(places) + 1}")
    for size in page.context.sizes:
        count = slots_of(page, size.tensor)
        if count is not None and count < size.slot:
            raise SpecError(f"{size.tensor} has {count} slots, not {size.slot}: {size.line}")


def slots_of(page: Page, name: str) -> int | None:
    """How many slots the document gives a name, by its indices or its declarations; None if it does not say."""
    usage = page.survey.usages.get(name)
    declared = [len(one.sizes) for one in page.declared.get(name, ())]
    return max((*(usage.indexed if usage is not None else ()), *declared), default=None)


def claims_in(page: Page, explain: Collection[int] = ()) -> list[Claim]:
    """Every relation of a page, with its verdict; of those on some lines also how they were read."""
    judged, votes = judgements(page, explain)
    corrector, supported = Corrector(page), consensus(votes)
    mistaken = contradicted(page, judged)
    claims = [
        claim
        for number in range(page.told, len(page.statements))
        if not page.statements[number].implied
        for claim in claims_of(
            page, number, judged, votes, supported=supported, corrector=corrector, explain=explain, mistaken=mistaken
        )
    ]
    for trouble in page.troubles:
        side = Side("", (), None, trouble.reason, trouble.span.start, trouble.span.end)
        claims.append(claim_of(page, side, Verdict.UNCLEAR, trouble.reason, display=trouble.span.display))
    for statement, side in page.schematic:
        reason = "the context says so"
        claims.append(claim_of(page, side, Verdict.SCHEMATIC, reason, display=statement.span.display))
    return claims


def judgements(page: Page, explain: Collection[int] = ()) -> tuple[Mapping[RelationKey, Judged], Votes]:
    """Each relation under its interpretations, and what all of them say for the options that are in doubt."""
    numbers = range(page.told, len(page.statements))
    page.fitted.update(fitted_ranks(page))
    every = [
        r for n in numbers for r in relations(page, n) if unjudged(page, r.number, r.member, Interpretation()) is None
    ]
    votes: Votes = readability(page)
    judged: dict[RelationKey, Judged] = {}
    trials = {relation_key(r): Trials(page, r) for r in every}
    anew = frozenset(r.number for r in every if r.member == 1 and may_give_meaning_anew(page, r.number))
    for turn in range(ROUNDS):
        supported = bases(votes, len(page.statements))
        known: dict[RelationKey, Judged] = {}
        for r in every:
            key = relation_key(r)
            if holds_from_the_first(r, known):
                continue
            if r.member == 1 and r.number in anew and (turn == 0 or stands_alone(page, r.number, supported[ALL])):
                continue
            old = judged.get(key)
            known[key] = (
                judge(r, supported[r.number], trials[key], frozenset())
                if old is None or bears_on(old, supported[r.number])
                else old
            )
        doubtful = in_doubt(page, known.values(), votes if turn else None, explain)
        for key, one in known.items():
            if one.outcomes[0].truth is Truth.TRUE:
                bearing = doubtful.intersection(telling(page, one))
                known[key] = judge(one.relation, one.base, trials[key], bearing) if bearing else one
        if turn and known == judged:
            break
        judged, votes = known, votes_of(page, known)
    return judged, votes


def gives_meaning(page: Page, number: int) -> bool:
    """Whether a statement is the first that defines the name that is its first member."""
    head = page.heads[number]
    return head is not None and page.defining.get(head.name, ())[:1] == (number,)


def has_meaning(page: Page, number: int) -> bool:
    """Whether the first member of a statement is an expectation or an integral: what is written says what it is.

    So is a variance, unless the statement gives that of names, as a law for them.
    """
    head = page.heads[number]
    value = page.values.of(head.name) if head is not None else None
    return isinstance(value, Mean) or (
        isinstance(value, Spread) and not any(number in laws for laws in page.spreads.values())
    )


def determines(page: Page, number: int, supported: Interpretation) -> bool:
    """Whether a statement is the first of those that determine a name without giving it, and can be solved for it."""
    names = [name for name, numbers in page.systems.items() if numbers[0] == number]
    names += [
        name for name, follows in page.may_follow.items() if follows == number and follows_from(page, name, supported)
    ]
    table = Table(page, page.asking(Interpretation()), number, read)
    return any(table.is_solvable(name, number) for name in names)


def follows_from(page: Page, name: str, supported: Interpretation) -> bool:
    """Whether the document says of a name that the equation determines it which may do so."""
    asked = system_choice(name, page.line(page.may_follow[name]))
    return supported.option(asked).name == "determined"


def may_give_meaning_anew(page: Page, number: int) -> bool:
    """Whether a statement is the first to define its name in a section that may stand alone."""
    section, head = page.standing(number), page.heads[number]
    if section is None or head is None:
        return False
    own = (n for n in page.defining.get(head.name, ()) if section[0] <= page.statements[n].span.start < section[1])
    return next(own, None) == number


def stands_alone(page: Page, number: int, supported: Interpretation) -> bool:
    """Whether the document says of the section around a statement that it stands alone."""
    section = page.standing(number)
    return section is not None and supported.option(page.sections.standing_choice(section)).name == "alone"


def holds_from_the_first(relation: Relation, known: Mapping[RelationKey, Judged]) -> bool:
    """Whether a member need not be compared with this one: under the usual reading it equals the first."""
    first = known.get((relation.number, relation.member, 0)) if relation.against else None
    return first is not None and first.outcomes[0].truth is Truth.TRUE


def claims_of(
    page: Page,
    number: int,
    judged: Mapping[RelationKey, Judged],
    votes: Votes,
    *,
    supported: Interpretation,
    corrector: Corrector,
    explain: Collection[int],
    mistaken: Mapping[int, int],
) -> Iterator[Claim]:
    """The claims of one statement; on some lines also how they were read."""
    statement = page.statements[number]
    head = page.heads[number]
    defining = head is not None and number in page.defining.get(head.name, ())
    holding = {0} | {n for n, side in enumerate(statement.sides) if side.relation in ORDERS}
    wrong = set[int]()
    for member, side in enumerate(statement.sides[1:], 1):
        if side.relation == "in":
            yield shape_claim(page, number, member)
            continue
        said = unjudged(page, number, member, supported)
        if said is not None and said.defines and number in mistaken:
            wrong.add(member)
            yield mistaken_definition(page, number, member, mistaken[number])
            continue
        if said is not None:
            holding.update((member,) if said.defines else ())
            yield claim_of(page, side, said.verdict, said.reason, display=statement.span.display)
            continue
        found = [judged[key] for key in ((number, member, against) for against in range(member)) if key in judged]
        decision = decided(page, statement, member, found, votes, defining=defining, holding=holding, wrong=wrong)
        holding.update((member,) if decision.verdict is Verdict.CONFIRMED else ())
        wrong.update((member,) if decision.verdict in (Verdict.REFUTED, Verdict.FOLLOWS) else ())
        if decision.verdict is Verdict.UNCLEAR and member == 1 and gives_meaning(page, number):
            holding.add(member)  # what is not true of any such value may be what is assumed of this one
            yield claim_of(page, side, Verdict.DEFINITION, "", display=statement.span.display)
            continue
        claim = explained(page, side, decision, corrector, display=statement.span.display)
        if claim.line in explain and found:
            one = decision.relation or found[0].relation, decision.outcome or found[0].outcomes[0]
            claim = replace(claim, explanation=explanation(page, *one, votes))
        yield claim


OTHERWISE = {
    **dict.fromkeys(ORDERS, "which of two numbers is greater"),
    **dict.fromkeys(("≺", "≻"), "which of two is greater"),
    **dict.fromkeys(("≲", "≳"), "an order of magnitude"),
    **dict.fromkeys(("!=", "≁"), "that a relation does not hold"),
    **dict.fromkeys(("⊂", "⊃"), "what is a part of a set"),
    **dict.fromkeys(("in", "∋", "∉"), "what is in a set"),
    **dict.fromkeys(("->", "=>", "for"), "what follows from what"),
    "≈": "what is only nearly equal",
    "∝": "an equality up to a factor",
    "~": "an equality of distributions",
    "⊥": "what is independent of what",
}
"""What a relation that is no equality says: it is read, and not judged."""


@dataclass(frozen=True)
class Unjudged:
    """What is said of a member that claims nothing, and whether what follows may rest on it."""

    verdict: Verdict
    reason: str = ""
    defines: bool = False


def unjudged(page: Page, number: int, member: int, supported: Interpretation) -> Unjudged | None:
    """What is said of a member that claims nothing, or cannot be read; None for what is to be judged."""
    statement = page.statements[number]
    side = statement.sides[member]
    head = page.heads[number]
    meanings = page.defining.get(head.name, ()) if head is not None else ()
    if (
        number in page.cases
        or compares_letters(statement, page.index_letters)
        or bounds(page.survey, statement, member)
    ):
        return Unjudged(Verdict.CONDITION)
    if draws(page.survey, statement, member):
        return Unjudged(Verdict.DECLARATION)
    if side.relation not in EQUALITIES:
        unread = unreadable(page, number, member, supported)
        return Unjudged(Verdict.UNCLEAR if unread else Verdict.UNJUDGED, unread or OTHERWISE[side.relation])
    # Those that rest on it may speak too: whether it is a definition is no question of whether it is true.
    anew = may_give_meaning_anew(page, number) and stands_alone(page, number, supported)
    if member == 1 and (gives_meaning(page, number) or anew) and not has_meaning(page, number):
        return Unjudged(Verdict.DEFINITION, defines=True)
    if (number, member) in page.implying:
        return Unjudged(Verdict.DEFINITION)
    if member == 1 and determines(page, number, supported):
        return Unjudged(Verdict.DEFINITION)
    if member == 1 and number in page.means.laws.values():
        return Unjudged(Verdict.DECLARATION, defines=True)
    written = writes_out(page.survey, statement, member) or (member == 1 and shape_written(page.survey, statement))
    if written or (number in page.laws and number not in meanings):
        return Unjudged(Verdict.DECLARATION)
    set_to_number = sets(page.survey, statement) and not has_meaning(page, number)
    if set_to_number or (member == 1 and speaks_of_function(page, number)):
        return Unjudged(Verdict.DEFINITION, defines=number in page.function_heads)
    first = statement.sides[statement.origin(member)]
    if first.tree is None or side.tree is None:
        return Unjudged(Verdict.UNCLEAR, side.error or first.error)
    return None


def unreadable(page: Page, number: int, member: int, supported: Interpretation) -> str:
    """Why a member or the one before it cannot be read; empty if both can, each for itself."""
    for side in page.statements[number].sides[member - 1 : member + 1]:
        if side.tree is None:
            return side.error or "it cannot be read"
        table = Table(page, page.asking(supported), number, read)
        try:
            table.meaning(side.tree)
        except (NotUnderstoodError, ShapeError, IndexCalcError, RecursionError) as error:
            return str(error)
    return ""


def unstated(page: Page, relation: Relation, found: Outcome) -> tuple[str, ...]:
    """What a true relation needs of the inputs that the document does not state: it holds for fewer of them.

    What the reading takes is not needed where the relation holds without it, all else alike.
    """
    needed: list[str] = []
    for key, name in found.options.items():
        question = found.asked[key]
        option, usual = question.option(name), question.options[0]
        if key[0] is not Kind.PROPERTY or option.stated or name == usual.name:
            continue
        without = outcome(page, relation, found.interpretation.but(question, usual), defined=True, cost=0.0)
        if without.truth is not Truth.TRUE:
            needed.append(option.phrase)
    return tuple(needed)


def explained(page: Page, side: Side, decision: Decision, corrector: Corrector, *, display: bool) -> Claim:
    """The claim on a member: proved where the algebra can; where it is refuted, with the fault and a correction."""
    claim = claim_of(page, side, decision.verdict, decision.reason, display=display, assumptions=decision.assumptions)
    claim = replace(claim, suggestion=decision.remedy)
    relation, reading = decision.relation, decision.outcome
    if relation is None or reading is None:
        return claim
    if decision.verdict is Verdict.CONFIRMED:
        verdict = Verdict.PROVED if proved(page, relation, reading) else Verdict.CONFIRMED
        return replace(claim, verdict=verdict, unstated=unstated(page, relation, reading))
    if decision.verdict is not Verdict.REFUTED:
        return claim
    found = Fault(Diagnosis(Difference.SHAPE, decision.reason))
    if reading.truth is Truth.FALSE:
        found = fault(page, relation, reading)
    claim = replace(claim, reason=found.diagnosis.words, counterexample=found.counterexample)
    correction = corrector.correction(relation, reading.interpretation)
    if correction is None:
        return claim
    return replace(claim, reason=correction.explained(found.diagnosis), correction=correction.latex)


def mistaken_definition(page: Page, number: int, member: int, again: int) -> Claim:
    """The claim on a definition that a restatement contradicts, with what that says if it speaks of the same entry."""
    statement, other = page.statements[number], page.statements[again]
    reason = f"line {page.line(again)} says otherwise, and what follows holds by that alone"
    claim = claim_of(page, statement.sides[member], Verdict.REFUTED, reason, display=statement.span.display)
    if page.spellings[number][0] != page.spellings[again][0]:
        return claim
    side = other.sides[1]
    return replace(claim, correction=" ".join(page.document.source[side.start : side.end].split()))


def speaks_of_function(page: Page, number: int) -> bool:
    """Whether a statement defines a function, or gives a value of one that no formula defines."""
    name = called_head(page.survey, page.statements[number])
    return number in page.function_heads or (bool(name) and name not in page.functions)


def shape_claim(page: Page, number: int, member: int) -> Claim:
    """A shape that is said of a name declares it; said of an expression, it is a claim."""
    statement = page.statements[number]
    found = shape_said(page, number, member)
    claim = claim_of(page, statement.sides[member], found.verdict, found.reason, display=statement.span.display)
    if not found.sizes:
        return claim
    shape = r" \times ".join(extent_latex(name) for name in found.sizes)
    return replace(claim, correction=rf"\mathbb{{R}}^{{{shape}}}")


def extent_latex(name: str) -> str:
    """The name of an extent in LaTeX."""
    base, mark, label = name.partition("_")
    return f"{base}_{{{label}}}" if mark else base


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
        shown(reason),
        assumptions=tuple(map(shown, assumptions)),
        display=display,
        place=(side.start, side.end),
    )

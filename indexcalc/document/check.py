"""The check of a document: every relation in it with its verdict.

Each relation is read under its usual interpretation, and under those that differ from it in a few of the choices it
asks for. A relation speaks for an option if it is true under it and under none of the alternatives; then all are read
again, each under what the others speak for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from indexcalc.document.choices import Interpretation, Kind
from indexcalc.document.claimed_shapes import shape_said
from indexcalc.document.deciding import Decision, Tally, decided
from indexcalc.document.diagnosis import Diagnosis, Difference
from indexcalc.document.evidence import ALL, Votes, bases, bears_on, consensus, in_doubt, readability, telling, votes_of
from indexcalc.document.explanation import explanation
from indexcalc.document.findings import Fault, fault, proved
from indexcalc.document.fitting import fitted_ranks
from indexcalc.document.modes import (
    constrains,
    gives_another,
    gives_meaning,
    is_instance,
    is_of_density,
    may_give_meaning_anew,
    stands_alone,
    unjudged,
)
from indexcalc.document.outcomes import Outcome, Relation, Truth, outcome
from indexcalc.document.page import Page, page_of
from indexcalc.document.remedies import Doubt
from indexcalc.document.repair.correcting import Corrector
from indexcalc.document.report import CheckReport, Claim, Verdict, report_of
from indexcalc.document.restated import contradicted
from indexcalc.document.search import Judged, RelationKey, Trials, judge, relation_key, relations
from indexcalc.document.second_equations import decided_again
from indexcalc.document.solutions import decided_solution
from indexcalc.document.statements.calls import shown
from indexcalc.document.statements.context import Context, read_context
from indexcalc.document.statements.outline import ANEW, Side
from indexcalc.document.statements.parts import lines_of
from indexcalc.errors import LimitError, SpecError
from indexcalc.language.document import Document, read_document

ROUNDS = 8
"""How often all relations are read at most: each time from the interpretation for which the others spoke.

Most documents are settled after two or three times. A relation is judged by what the others say in the end, and nothing
holds by readings for which they spoke no longer.
"""

RELATION_LIMIT = 2_000
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

    def every(tally: Tally, distrust: Doubt | None = None) -> list[Claim]:
        """The claims of all statements."""
        return [
            claim
            for number in range(page.told, len(page.statements))
            if not page.statements[number].implied
            for claim in claims_of(
                page,
                number,
                judged,
                votes,
                supported=supported,
                corrector=corrector,
                explain=explain,
                mistaken=mistaken if distrust is None else {},
                tally=tally,
                distrust=distrust,
            )
        ]

    tally = Tally()
    claims = every(tally)
    if tally.doubt is not None and any(claim.verdict is Verdict.REFUTED for claim in claims):
        claims = every(Tally(), tally.doubt)
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
            if holds_from_the_first(page, r, known):
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


def holds_from_the_first(page: Page, relation: Relation, known: Mapping[RelationKey, Judged]) -> bool:
    """Whether a member need not be compared with this one: under the usual reading it equals the first.

    Where several lines say what the first is, it may equal what another one says, and not the member before it.
    """
    if relation.against == relation.member - 1 and is_said_again(page, relation.number):
        return False
    first = known.get((relation.number, relation.member, 0)) if relation.against else None
    return first is not None and first.outcomes[0].truth is Truth.TRUE


def is_said_again(page: Page, number: int) -> bool:
    """Whether several equations say what the name, or the function, on the left of a statement is."""
    head, function = page.heads[number], page.function_heads.get(number)
    if head is not None:
        return len(page.defining.get(head.name, ())) > 1
    return function is not None and len(page.functions[function.name]) > 1


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
    tally: Tally,
    distrust: Doubt | None = None,
) -> Iterator[Claim]:
    """The claims of one statement, counted; on some lines also how they were read. With `distrust` none is refuted."""
    statement = page.statements[number]
    head = page.heads[number]
    defining = head is not None and number in page.defining.get(head.name, ())
    holding = {0} | {n for n, side in enumerate(statement.sides) if side.relation in ANEW}
    wrong = set[int]()
    for member, side in enumerate(statement.sides[1:], 1):
        if side.relation == "in":
            yield shape_claim(page, number, member, distrust)
            continue
        said = unjudged(page, number, member, supported)
        if said is not None and said.defines and number in mistaken:
            wrong.add(member)
            yield mistaken_definition(page, number, member, mistaken[number])
            continue
        if said is not None:
            holding.update((member,) if said.defines else ())
            decision = decided_definition(page, number, votes, supported) if said.defines and member == 1 else None
            if decision is not None:
                yield explained(page, side, decision, corrector, display=statement.span.display)
                continue
            yield claim_of(page, side, said.verdict, said.reason, display=statement.span.display)
            continue
        found = [judged[key] for key in ((number, member, against) for against in range(member)) if key in judged]
        decision = decided(
            page, statement, member, found, votes, defining=defining, holding=holding, wrong=wrong, distrust=distrust
        )
        if decision.verdict is Verdict.UNCLEAR and member == 1:
            decision = decided_again(page, number, votes, supported) or decision
        holding.update((member,) if decision.verdict is Verdict.CONFIRMED else ())
        wrong.update((member,) if decision.verdict in (Verdict.REFUTED, Verdict.FOLLOWS) else ())
        unclear = decision.verdict is Verdict.UNCLEAR and member == 1
        if unclear and (gives_meaning(page, number) or gives_another(page, number, found, supported)):
            holding.add(member)  # what is not true of any such value may be what is assumed of this one
            yield claim_of(page, side, Verdict.DEFINITION, "", display=statement.span.display)
            continue
        if decision.verdict is Verdict.UNCLEAR and constrains(page, number, member, found):
            yield claim_of(page, side, Verdict.CONDITION, "", display=statement.span.display)
            continue
        tally.count(decision)
        claim = explained(page, side, decision, corrector, display=statement.span.display)
        if claim.line in explain and found:
            one = decision.relation or found[0].relation, decision.outcome or found[0].outcomes[0]
            claim = replace(claim, explanation=explanation(page, *one, votes))
        yield claim


def decided_definition(page: Page, number: int, votes: Votes, supported: Interpretation) -> Decision | None:
    """The verdict on a definition that something before it determines; None if nothing is seen to."""
    ways = (decided_instance, decided_solution, decided_again)
    return next(filter(None, (way(page, number, votes, supported) for way in ways)), None)


def decided_instance(page: Page, number: int, votes: Votes, supported: Interpretation) -> Decision | None:
    """The verdict on a definition that follows from a general one, ``a^{(l)}`` for each l; None if it does not follow.

    Of a first or last step it may say something else, and then it is a definition. Of a density it may be a law, which
    holds whatever the density is, as Bayes' rule does.
    """
    relation = next((one for one in relations(page, number) if one.member == 1), None)
    law = is_of_density(page, number)
    if relation is None or not (law or is_instance(page, number)):
        return None
    if law:
        relation = replace(relation, solved=tuple((name, None) for name in page.values.tables))
    found = judge(relation, supported, Trials(page, relation))
    decision = decided(page, page.statements[number], 1, [found], votes, defining=False, holding={0}, wrong=frozenset())
    return decision if decision.verdict is Verdict.CONFIRMED else None


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
        # That a solution fulfils its equation is no proof that it is the one.
        verdict = Verdict.PROVED if not decision.reason and proved(page, relation, reading) else Verdict.CONFIRMED
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


def shape_claim(page: Page, number: int, member: int, distrust: Doubt | None = None) -> Claim:
    """A shape that is said of a name declares it; said of an expression, it is a claim."""
    statement = page.statements[number]
    found = shape_said(page, number, member)
    if found.verdict is Verdict.REFUTED and distrust is not None:
        return claim_of(page, statement.sides[member], Verdict.UNCLEAR, distrust.reason, display=statement.span.display)
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

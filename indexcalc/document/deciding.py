"""Verdicts: what holds under the readings that the rest of the document supports.

A relation is true if it is true under a reading whose options are usual, stated, or spoken for by *other* statements.
It is refuted only if it is false under all such readings, claims something, and rests on nothing that is unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from indexcalc.document.choices import Interpretation, Key, Kind
from indexcalc.document.claims import Accused, is_complementary, why_no_claim
from indexcalc.document.constraints import constraint_on
from indexcalc.document.evidence import CLOSE, GUESSES, Votes, contradicted, is_guess, supported, witnesses
from indexcalc.document.outcomes import Outcome, Relation, Truth
from indexcalc.document.page import Page
from indexcalc.document.paths import further_path
from indexcalc.document.remedies import Doubt, assume, equation_for
from indexcalc.document.report import Verdict
from indexcalc.document.search import UNLIKELY, Judged
from indexcalc.document.statements.outline import Statement
from indexcalc.language.latex.tree import Atom, Scripted, Sum, nodes_of


@dataclass(frozen=True)
class Decision:
    """The verdict on one member.

    Attributes:
        verdict: the verdict.
        reason: why, in words.
        assumptions: what is not usual in the reading that decided.
        relation, outcome: the relation that decided, and the reading; None where nothing is decided.
        remedy: the line of a context that would settle what is not decided, if one would.
        is_false: whether it is not decided, but false under the usual reading of it.
    """

    verdict: Verdict
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    relation: Relation | None = None
    outcome: Outcome | None = None
    remedy: str = ""
    is_false: bool = False


@dataclass
class Tally:
    """How the relations of a page come out as they are read.

    An author errs seldom. So where most relations come out false, it is the reading that errs, in this way or another,
    and what is false besides says little.

    Attributes:
        true: how many are true.
        false: how many are false, and excused by something that they may need.
    """

    true: int = 0
    false: int = 0

    def count(self, decision: Decision) -> None:
        """Take a verdict into account."""
        self.true += decision.verdict is Verdict.CONFIRMED
        self.false += decision.is_false

    @property
    def doubt(self) -> Doubt | None:
        """Why nothing on the page is refuted; None if it is read as it is meant."""
        if self.false <= MOST_FALSE * self.true + FEW:
            return None
        return Doubt(
            f"it is false as it is read, but so are {self.false} other relations of the page, which may need something "
            f"that is not said, and only {self.true} are true: the page may mean other things by its names"
        )


MOST_FALSE = 2
"""How many relations may come out false for each one that is true, on a page that is read as it is meant."""

FEW = 4
"""How many may besides: what is given on a page of few claims is false in general."""


def decided(
    page: Page,
    statement: Statement,
    member: int,
    found: Sequence[Judged],
    votes: Votes,
    *,
    defining: bool,
    holding: Collection[int],
    wrong: Collection[int],
    distrust: Doubt | None = None,
) -> Decision:
    """The verdict on one member, of which some before it hold, and some are refuted.

    With `distrust` nothing is refuted.
    """
    number = found[0].relation.number if found else -1
    doubts: list[Doubt] = []
    refuted: list[Decision] = []
    follows: Decision | None = None
    step: Decision | None = None
    known = member > 1 and member - 1 in holding
    contested = known and is_contested(page, found, member, votes)
    for one in found:
        true = [o for o in one.outcomes if o.truth is Truth.TRUE]
        returns = page.heads[one.relation.number] if one.relation.against == 0 else None
        good = [o for o in true if supported(page, o, votes, number, returns.name if returns else "")]
        if member > 1 and one.relation.against == 0:
            good = [o for o in good if o.used.isdisjoint(said_again(page, number))]
        if good and not (contested and one.relation.against == 0):
            best = min(good, key=lambda o: o.cost)
            if one.relation.against in wrong:
                follows = Decision(Verdict.FOLLOWS, "it equals a member before it, which is refuted", phrases(best))
            if one.relation.against not in holding:
                step = step or Decision(
                    Verdict.STEP, "it equals a member before it, which is not judged", phrases(best)
                )
                continue
            return Decision(Verdict.CONFIRMED, "", phrases(best), one.relation, best)
    if follows is not None:
        return follows
    origin = statement.origin(member)
    found = [one for one in found if one.relation.against in (origin, member - 1)]
    for one in found:
        true = [o for o in one.outcomes if o.truth is Truth.TRUE]
        likely = [o for o in true if o.cost < UNLIKELY and not contradicted(o, votes, number)]
        if likely:
            best = min(likely, key=lambda o: o.cost)
            needed = phrases(best, one.base)
            doubts.append(Doubt("it would hold if " + " and ".join(needed), assume(needed)))
            break
        admissible = [o for o in one.outcomes if supported(page, o, votes, number)]
        usual = admissible[0] if admissible else one.outcomes[0]
        if usual.truth not in WRONG:
            unknown = equation_for(page, usual.missing[0]) if usual.missing else ""
            doubts.append(Doubt(usual.reason or "nothing is known of what it rests on", unknown))
            continue
        doubt = why_open(Accused(page, statement, member, one, votes, defining), admissible) or distrust
        if doubt is not None:
            doubts.append(doubt)
            continue
        refuted.append(Decision(Verdict.REFUTED, usual.reason or "the two sides differ", (), one.relation, usual))
    if refuted and (len(refuted) == len(found) or known):
        return refuted[0]
    if step is not None:
        return step
    unread = "it cannot be read" if origin == 0 else BEHIND
    first = CONTESTED if contested else doubts[0] if doubts else Doubt(unread)
    is_false = any(one.outcomes[0].truth in WRONG for one in found if one.outcomes)
    return Decision(Verdict.UNCLEAR, first.reason, remedy=first.remedy, is_false=is_false)


BEHIND = "it stands behind a relation that is no equality"

CONTESTED = Doubt("it equals what another line says, and not the member before it")


def said_again(page: Page, number: int) -> frozenset[int]:
    """The statements further down that say once more what a statement says of its name: they may repeat its end."""
    head, function = page.heads[number], page.function_heads.get(number)
    numbers = page.defining.get(head.name, ()) if head is not None else ()
    numbers = page.functions[function.name] if function is not None else numbers
    return frozenset(n for n in numbers if n > number) if number in numbers else frozenset()


def is_contested(page: Page, found: Sequence[Judged], member: int, votes: Votes) -> bool:
    """Whether a member equals the head as another line has it, and is false by the member before it."""
    first = [o for one in found if one.relation.against == 0 for o in one.outcomes if o.truth is Truth.TRUE]
    equals = any(supported(page, o, votes, found[0].relation.number) for o in first)
    return equals and any(contradicts(page, one, member, votes) for one in found)


def contradicts(page: Page, one: Judged, member: int, votes: Votes) -> bool:
    """Whether a member is false by the one before it, and both are known, though another line may say it too.

    Then two lines say different things of the head, and nobody knows which is meant.
    """
    usual, number = one.outcomes[0], one.relation.number
    if one.relation.against != member - 1 or usual.truth is not Truth.FALSE or usual.open:
        return False
    return not any(o.truth is Truth.TRUE and supported(page, o, votes, number) for o in one.outcomes)


WRONG = (Truth.FALSE, Truth.LOOSE, Truth.CLASH)
"""What speaks against a relation; what does not fit otherwise may be misread."""


def why_open(accused: Accused, admissible: Sequence[Outcome]) -> Doubt | None:
    """Why what is false is not refuted: it may be no claim, or rest on what is not known; None if it is refuted."""
    page, statement, one = accused.page, accused.statement, accused.judged
    if statement.guessed:
        return Doubt("commas in it may part formulas")
    if statement.supposed:
        return Doubt("it follows from an equation that is only supposed")
    if statement.origin(accused.member):
        return Doubt(f"{BEHIND}, and may say what its names are")
    if not admissible:
        return Doubt("no reading of it is supported by the rest of the document")
    false = [o for o in admissible if o.truth in WRONG]
    if len(false) < len([o for o in admissible if o.truth not in (Truth.SILENT, Truth.MISFIT)]):
        return Doubt("it is not false under every reading")
    for o in false:
        if o.open:
            reason = next((text for text in o.open if text), "an input may depend on what it is differentiated by")
            return Doubt(reason, equation_for(page, o.missing[0]) if o.missing else "")
    for o in false:
        for key, name in o.options.items():
            if not (key[0] in GUESSES and (is_guess(o, key) or is_used_elsewhere(page, key, one.relation.number))):
                continue
            if untried(page, one, o, key) or not witnesses(accused.votes, key, name, one.relation.number):
                phrase = o.asked[key].option(name).phrase
                return Doubt(f"no other statement shows that {phrase}", assume([phrase]))
    reason = why_no_claim(accused)
    if any(is_complementary(one.relation, o) for o in false):
        reason = "it may ask where this holds"
    unknown = unexplained(page, one.relation, false) or solved_below(page, one.relation.number, false)
    return unknown or (Doubt(reason) if reason else constrained(accused, false))


def solved_below(page: Page, number: int, false: Sequence[Outcome]) -> Doubt | None:
    """A solution further down of what may be a condition: an equation for a name by which something is differentiated.

    Such a name varies up to there: ``X^T X w = X^T y`` is a condition on it, and no claim about its solution. What
    begins with a name says what that is, and a derivative is none.
    """
    named = page.heads[number] is not None or number in page.function_heads
    if named or page.slopes[number] or page.slopes_by_nablas[number]:
        return None
    varying = page.varying_at(number).union(page.gradients)
    for later in sorted({n for o in false for n in o.used if n > number}):
        head = page.heads[later]
        if head is not None and head.name in varying:
            return Doubt(f"it may be a condition that line {page.line(later)} solves")
    return None


def is_used_elsewhere(page: Page, key: Key, number: int) -> bool:
    """Whether other claims hold the name of which a choice says what it is: one of them should be true under it.

    What is differentiated is a number as a rule.
    """
    usage = page.survey.usages.get(key[1])
    known = key[0] is not Kind.RANK or (usage is not None and usage.numerator)
    return not known and bool(page.claiming.get(key[1], frozenset()) - {number})


def of_samples(page: Page, relation: Relation) -> Iterator[str]:
    r"""The names, also without an index on the page, at the letters of sums with limits: ``x_i`` in ``\sum_{i=1}^n``.

    Where sizes clash, such a sum may count samples, each of which is an array: its limit is no size of theirs.
    """
    counted = {letter for tree in (relation.left, relation.right) for letter in limited_letters(tree)}
    for found in (one for tree in (relation.left, relation.right) for one in page.survey.names(tree)):
        usage = page.survey.usages.get(found.name)
        if usage is not None and usage.bare and found.parts is not None and counted.intersection(found.parts):
            yield found.name


def limited_letters(tree: Sum) -> Iterator[str]:
    """The letters of sums that say up to which number they run."""
    for node in nodes_of(tree):
        sign = isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM"
        if isinstance(node, Scripted) and sign and node.above:
            yield from (token.text for token in node.below if token.kind == "NAME")


def constrained(accused: Accused, false: Sequence[Outcome]) -> Doubt | None:
    """What the page sets to zero of the names of a false reading: under that it may hold."""
    page = accused.page
    for o in false:
        known = o.comparison.table.known.keys() if o.comparison is not None else ()
        number = constraint_on(page, known, accused.judged.relation.number, o.interpretation)
        if number is not None:
            return Doubt(f"it may need what line {page.line(number)} says")
    return None


def unexplained(page: Page, relation: Relation, false: Sequence[Outcome]) -> Doubt | None:
    """What names without an equation may be, so that false readings hold, and what those with an index may be."""
    for name in of_samples(page, relation) if any(o.truth is Truth.CLASH for o in false) else ():
        return Doubt(f"{name} with an index may be another array than {name}")
    for name in (name for o in false for name in o.alone):
        return Doubt(f"{name} stands on one side only", equation_for(page, name))
    for found in (o.comparison for o in false if o.truth is Truth.FALSE):
        path = further_path(found) if found is not None else None
        if path is not None:
            name, target = path
            return Doubt(f"{name} may depend on {target}", equation_for(page, name))
    return None


def untried(page: Page, judged: Judged, result: Outcome, key: Key) -> bool:
    """Whether a rank is that of the page as a whole, and another one that is likely was not tried."""
    tried = {o.options.get(key) for o in judged.outcomes}
    return key in page.fitted and any(
        option.cost < CLOSE and option.name not in tried for option in result.asked[key].options
    )


def phrases(result: Outcome, base: Interpretation | None = None) -> tuple[str, ...]:
    """What the options of a reading say that are not the usual ones, or not those that the document supports."""
    supported_by = base or Interpretation()
    return tuple(
        asked.option(name).phrase
        for asked, name in ((result.asked[key], name) for key, name in result.options.items())
        if name != asked.options[0].name or name != supported_by.option(asked).name
    )

"""Verdicts: what holds under the readings that the rest of the document supports.

A relation is true if it is true under a reading whose options are usual, stated, or spoken for by *other* statements.
It is refuted only if it is false under all such readings, claims something, and rests on nothing that is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from indexcalc.document.choices import Interpretation, Key, Kind, meaning_key
from indexcalc.document.constraints import constraint_on
from indexcalc.document.evidence import CLOSE, GUESSES, Votes, contradicted, is_guess, supported, witnesses
from indexcalc.document.outcomes import Outcome, Relation, Truth
from indexcalc.document.page import Page
from indexcalc.document.paths import further_path
from indexcalc.document.remedies import Doubt, assume, equation_for
from indexcalc.document.report import Verdict
from indexcalc.document.search import UNLIKELY, Judged
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.trees import differentiated, nabla_targets
from indexcalc.language.latex.tree import Atom, Group, Node, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL


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
    for one in found:
        true = [o for o in one.outcomes if o.truth is Truth.TRUE]
        returns = page.heads[one.relation.number] if one.relation.against == 0 else None
        good = [o for o in true if supported(page, o, votes, number, returns.name if returns else "")]
        if good:
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
    if refuted and (len(refuted) == len(found) or (member > 1 and member - 1 in holding)):
        return refuted[0]
    if step is not None:
        return step
    unread = "it cannot be read" if origin == 0 else BEHIND
    first = doubts[0] if doubts else Doubt(unread)
    is_false = any(one.outcomes[0].truth in WRONG for one in found if one.outcomes)
    return Decision(Verdict.UNCLEAR, first.reason, remedy=first.remedy, is_false=is_false)


BEHIND = "it stands behind a relation that is no equality"

WRONG = (Truth.FALSE, Truth.LOOSE, Truth.CLASH)
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


def why_open(accused: Accused, admissible: Sequence[Outcome]) -> Doubt | None:
    """Why what is false is not refuted: it may be no claim, or rest on what is not known; None if it is refuted."""
    page, statement, one = accused.page, accused.statement, accused.judged
    if statement.guessed:
        return Doubt("commas in it may part formulas")
    if statement.supposed:
        return Doubt("it follows from an equation that is only supposed")
    if statement.origin(accused.member):
        return Doubt("it stands behind an inequality, and may say what its names are")
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
    return unexplained(page, one.relation, false) or (Doubt(reason) if reason else constrained(accused, false))


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


def why_no_claim(accused: Accused) -> str:
    """Why what is false may claim nothing: it asks, gives a meaning, or says what is given; empty if it claims."""
    page, statement, member, one = accused.page, accused.statement, accused.member, accused.judged
    if asks(page, one.relation) or sets_to_zero(page, one.relation):
        return "it may ask where this holds"
    start = statement.span.start
    if CONDITIONS.search(page.document.source[max(0, start - 40) : start].lower()):
        return "it may be a condition"
    if (
        not statement.conditions
        and is_last(page, one.relation)
        and BEHIND_IT.match(page.document.source, statement.span.end)
    ):
        return "it may hold under the condition that follows"
    if one.relation.number in page.function_heads and one.relation.against == 0:
        return "it may give the function a new meaning"
    if any(is_value_of_function(page, tree) for tree in (one.relation.left, one.relation.right)):
        return "a name in brackets may be what the name before it is a function of"
    if is_law_of_entries(page, one.relation):
        return "it may be a law for a name that is given"
    if is_example(page, one.relation):
        return "it may be its value in an example"
    head_name = page.heads[one.relation.number]
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
        and not any(True for _ in (*differentiated(head), *nabla_targets(head)))
        and not many_names(page, head)
    ):
        return "it may be said of what is given"
    return ""


def is_value_of_function(page: Page, tree: Sum) -> bool:
    """Whether a member is a name before a name in round brackets, which nobody needs for a product, ``m(v)``."""
    items = tree.only.items if tree.only is not None else ()
    if len(items) != 2 or not isinstance(items[1], Group) or items[1].bracket != "(" or len(items[1].members) != 1:
        return False
    name, argument = page.survey.name(items[0]), page.survey.lone(items[1].members[0])
    if name is None or argument is None or argument.powers or name.name in ("d", *FUNCTIONS, *STRUCTURAL):
        return False
    return len(name.name) == 1 and name.name not in page.functions


def is_law_of_entries(page: Page, relation: Relation) -> bool:
    """Whether both members are entries of one name that no equation gives, ``R_{ijkl} = -R_{jikl}``."""
    found = []
    for tree in (relation.left, relation.right):
        items = tree.terms[0][1].items if len(tree.terms) == 1 else ()
        name = page.survey.name(items[0]) if len(items) == 1 else None
        found.append(name.name if name is not None and name.parts else "")
    return bool(found[0]) and found[0] == found[1] and found[0] not in page.defining


def is_example(page: Page, relation: Relation) -> bool:
    """Whether a name that is computed from others is set equal to numbers, as where these have values."""
    name = page.survey.lone(relation.left)
    if name is None or any(True for _ in page.survey.names(relation.right)):
        return False
    read = page.definitions.reads.get(name.name, frozenset())
    return any(other not in page.defining or page.definitions.reads[other] for other in read)


CONDITIONS = re.compile(
    r"\b(?:(?:such|provided|requir\w+|suppos\w+|assum\w+|demand\w*|impos\w+|enforc\w+)(?: that)?"
    r"|satisf\w+|when|whenever|if|iff|unless|until|subject to|choice of|choos\w+|the case(?: of)?)[\s$(\\]*$"
)
"""Words right before an equation that may only state where something holds, or what is asked for."""


BEHIND_IT = re.compile(
    r"(?:[ \t$)\\,\]]|\\end\{\w+\*?\}|\n(?!\s*\n))*"
    r"\(?(?:(?:only )?(?:when|if)|whenever|iff|provided|unless|as long as|assuming)\b[\w\s,'-]{0,30}(?:\$|\\\(|\\\[)"
)
"""Words right behind an equation, in its sentence, that begin a condition with a formula: under that it holds."""


def is_last(page: Page, relation: Relation) -> bool:
    """Whether a relation is the last one of its mathematics, so that what stands behind that speaks of it."""
    statements, number = page.statements, relation.number
    ends = relation.member == len(statements[number].sides) - 1
    return ends and (number + 1 == len(statements) or statements[number + 1].number != statements[number].number)


def asks(page: Page, relation: Relation) -> bool:
    """Whether a relation may be an equation to be solved: the value of a function the page defines is a number."""
    only = [tree.only.items for tree in (relation.left, relation.right) if tree.only is not None]
    numbers = any(len(items) == 1 and isinstance(items[0], Atom) and items[0].kind == "NUM" for items in only)
    names = {found.name for tree in (relation.left, relation.right) for found in page.survey.names(tree)}
    return numbers and bool(names & page.functions.keys()) and not names <= page.functions.keys()


def sets_to_zero(page: Page, relation: Relation) -> bool:
    """Whether a formula for a derivative is set to zero, as at an extremum, or a chain begins with zero."""
    head = page.statements[relation.number].sides[0]
    slope = any(token.kind in ("NABLA", "PARTIAL") for token in head.tokens)
    slope = slope or (head.tree is not None and any(True for _ in differentiated(head.tree)))
    return relation.left.is_zero or (slope and relation.member > 1 and relation.right.is_zero)


def is_complementary(relation: Relation, result: Outcome) -> bool:
    """Whether a product is set to zero of numbers, or of arrays with no name in common.

    No identity says this, since one of the factors would be zero: it says where something holds.
    """
    product, found = relation.left.only, result.comparison
    if not relation.right.is_zero or product is None or found is None:
        return False
    if len(product.items) < 2 or not all(isinstance(item, Group) or is_factor(item) for item in product.items):
        return False
    names = [set(names_within(item)) for item in product.items]
    return not found.head.axes or sum(map(len, names)) == len(set[str]().union(*names))


def names_within(item: Node) -> Iterator[str]:
    """The names in a factor."""
    yield from (node.text for node in nodes_of(item) if isinstance(node, Atom) and node.kind == "NAME")


def is_factor(item: Node) -> bool:
    """Whether a factor is a name or a number, and no function and no sign."""
    base = item.base if isinstance(item, Scripted) else item
    if not isinstance(base, Atom):
        return False
    return base.kind in ("NAME", "NUM", "TIMES") and base.text not in {*FUNCTIONS, *STRUCTURAL}


NEW = re.compile(
    r"\b(?:but|instead|now|suppose|assume|let|another|alternativ\w+|redefine|consider|if|where|denote|set"
    r"|reduces to|lineari[sz]\w+|approximat\w+|first order|in the limit)\b"
)
"""Words before an equation that may give a name a new meaning."""


def renames(accused: Accused, name: str) -> bool:
    """Whether an equation may give a name a new meaning: nothing defined it, a word says so, or it stands elsewhere.

    It does so in another section, example, item or row, and where a name in the earlier equation has a new meaning
    since. An item in which its shapes do not fit with what stands outside of it speaks of other arrays. It gives no new
    meaning if what follows holds with the earlier one; in the same place it does if what follows holds with its own
    alone.
    """
    page, own = accused.page, accused.judged.relation.number
    numbers = [n for n in page.defining.get(name, ()) if n < own]
    if not numbers:
        return True
    start = page.statements[own].span.start
    before = page.statements[numbers[-1]]
    if says_new(page, own) or followed(accused, name):
        return True
    sections, earlier = page.sections, before.span.start
    units = {sections.unit(earlier), sections.unit(start)}
    clash = any(o.truth is Truth.CLASH for o in accused.judged.outcomes)
    if clash and sections.unit(start) and len(units) > 1:
        return True
    elsewhere = sections.around(earlier) != sections.around(start) or (len(units) == 2 and "" not in units)
    examples = {sections.example(earlier), sections.example(start)}
    elsewhere = elsewhere or (len(examples) == 2 and -1 not in examples) or read_anew(page, numbers[-1], own)
    return elsewhere and not rejected(accused, name)


def read_anew(page: Page, earlier: int, own: int) -> bool:
    """Whether an equation reads a name that has a new meaning since: what it defines may be given anew, too."""
    read = {found.name for tree in page.statements[earlier].trees[1:] for found in page.survey.names(tree)}
    return any(earlier < number < own for name in read for number in page.defining.get(name, ())[1:])


def followed(accused: Accused, name: str) -> bool:
    """Whether what follows an equation holds with the meaning that it gives a name, and with no earlier one."""
    own = accused.judged.relation.number
    readings = (says for key, says in accused.votes.items() if key[0] is Kind.DEFINITION and is_meaning(key, name))
    found = [(option, {voter for voter in who if voter[0] != own}) for says in readings for option, who in says.items()]
    return any(who for option, who in found if option == str(own)) and not any(
        who for option, who in found if option.isdigit() and int(option) < own
    )


def is_meaning(key: Key, name: str) -> bool:
    """Whether a choice is about the equation that gives a name its meaning at some line."""
    return key[1].startswith(meaning_key(name, 0)[1].removesuffix("0"))


def says_new(page: Page, number: int) -> bool:
    """Whether a word before an equation may say that it gives a name a new meaning."""
    start = page.statements[number].span.start
    return NEW.search(page.document.source[max(0, start - 120) : start].lower()) is not None


def rejected(accused: Accused, name: str) -> bool:
    """Whether what follows holds with another meaning of the name than the one that an equation would give it."""
    page, number = accused.page, accused.judged.relation.number
    line = page.document.place(page.statements[number].span.start)[0]
    says = accused.votes.get(meaning_key(name, line), {})
    behind = {option: sum(voter[0] > number for voter in who) for option, who in says.items()}
    own = behind.pop(str(number), 0)
    return any(count > own for count in behind.values())


def many_names(page: Page, tree: Sum) -> bool:
    """Whether a member is made of several names: an identity, not a law for one of them."""
    return len({found.name for found in page.survey.names(tree)}) > 1


def phrases(result: Outcome, base: Interpretation | None = None) -> tuple[str, ...]:
    """What the options of a reading say that are not the usual ones, or not those that the document supports."""
    supported_by = base or Interpretation()
    return tuple(
        asked.option(name).phrase
        for asked, name in ((result.asked[key], name) for key, name in result.options.items())
        if name != asked.options[0].name or name != supported_by.option(asked).name
    )

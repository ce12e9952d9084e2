"""Steps as sentences with equations: the sentence names the rule, the equation is what it gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import sympy as sp

from indexcalc.algebra.build import is_negative, product
from indexcalc.algebra.guards import follow, said_by
from indexcalc.algebra.terms import (
    Access,
    Base,
    Iverson,
    Partial,
    Term,
    Terms,
    accesses_of,
    occurring_indices,
)
from indexcalc.calculus.steps import (
    Cited,
    Collapse,
    Renamed,
    Rule,
    Step,
    Used,
)
from indexcalc.notes.blocks import (
    Block,
    Display,
    Displays,
    Equality,
    Match,
    Paragraph,
    Renaming,
    Span,
    Spans,
    Symbol,
)
from indexcalc.notes.differentiation import Local, ended, is_whole, pointwise_sentence, product_sentence, sums_of
from indexcalc.notes.familiar import COPYING, Shown, is_clean
from indexcalc.notes.parts import Parts
from indexcalc.notes.prose import RULES, fill, listed, say
from indexcalc.notes.sides import Inside, Nested, Quotient, Side, Split, side_terms

NOTHING = Shown()
"""What a note has shown that shows everything."""


def steps_blocks(
    steps: Iterable[Step], parts: Parts, local: Local | None = None, shown: Shown = NOTHING
) -> Iterator[Block]:
    """A sentence and an equation for each step; neighbouring steps of one sentence share it.

    Steps that do what a note has `shown` in full are put together, and steps of a brief note that only write an
    expression in another way are one chain of equations.
    """
    groups = [(group_intro(group, local), group) for group in shown.groups(tuple(steps))]
    for routine, runs in groupby(groups, key=lambda pair: pair[1][0].subject if shown.rewrites(pair[1]) else None):
        run = tuple(runs)
        if routine is not None and len(run) > 1:
            *before, (last, _) = run
            yield Paragraph((*(span for sentence, _ in before for span in (*ended(sentence), " ")), *last))
            yield Display(routine, tuple(side for _, (step,) in run for side in sides(step, local)))
        else:
            yield from groups_blocks(run, parts, local, shown)


def groups_blocks(
    groups: Iterable[tuple[Spans, Sequence[Step]]], parts: Parts, local: Local | None, shown: Shown
) -> Iterator[Block]:
    """Groups of steps, each under its sentence."""
    for sentence, pairs in groupby(groups, key=lambda pair: pair[0]):
        displays: list[Display] = []
        same = [group for _, group in pairs]
        for group in same:
            yield from computed_from_less(group, parts)
            for step in told(group):
                displays.extend(definitions(step, parts))
                before = () if shown.long else put_in_first(group, step)
                displays.append(Display(step.subject, (*before, *sides(step, local))))
        yield Paragraph(sentence)
        if len(displays) > 1:
            yield Displays(tuple(displays[:-1])) if len(displays) > 2 else displays[0]
        yield displays[-1]


def told(group: Sequence[Step]) -> Sequence[Step]:
    """The steps of a group whose equations are displayed."""
    rules = tuple(step.rule for step in group)
    every = len(rules) > 1 and rules[0] in {Rule.ENTRY, Rule.FORWARD} and rules != COPYING
    return group[1:] if every and rules[-1] is not Rule.COLLAPSE else group[-1:]


def put_in_first(group: Sequence[Step], last: Step) -> tuple[Side, ...]:
    """What a group of steps comes from that puts something in before deltas collapse sums: as one would write it."""
    if last.rule not in (Rule.COLLAPSE, Rule.RELABEL):
        return ()
    return tuple(
        step.after
        for step in group
        if step.rule in (Rule.INSERT, Rule.SUBSTITUTE) and step.subject == last.subject and step.after != last.after
    )


def group_intro(group: Sequence[Step], local: Local | None) -> Spans:
    """The sentence before the equations of steps that are told together."""
    first, last = group[0], group[-1]
    if len(group) == 1:
        return intro(first, local)
    if first.rule is Rule.FORWARD and last.rule is Rule.INSERT and isinstance(first.subject, Access):
        value = (Term(sp.S.One, ((first.subject, sp.S.One),)),)
        return say("copy.again", copy=Equality(value, first.after))
    if first.rule is Rule.FORWARD:
        again = say("forward.again", entry=first.subject) if isinstance(first.subject, Access) else ()
        return (*again, *intro(group[1], local))
    before: Spans = say("back.again") if first.rule is Rule.SUBSTITUTE else ()
    if first.rule is Rule.ENTRY:
        assert isinstance(first.subject, Partial)
        deltas = Equality((Term(sp.S.One, ((first.subject, sp.S.One),)),), first.after)
        key = "entry.again" if first.subject.wrt.slots else "entry.again.scalar"
        before = say(key, target=Symbol(first.subject.wrt.tensor), deltas=deltas)
        if last.rule is Rule.INSERT:
            return (*before, *insert_sentence(last))
        before = (*before, *say("entry.collapse"))
    collapses = [step.detail for step in group if isinstance(step.detail, Collapse)]
    renamings = renamings_of(last.detail) if isinstance(last.detail, Renamed) else []
    part = len(collapses) == 1 and not is_clean(group[-2 if renamings else -1])
    sentence = say(
        "collapse.part.relabel"
        if part
        else ("run.one" if len(collapses) == 1 else "run") + (".relabel" if renamings else ""),
        deltas=listed(detail.delta for detail in collapses),
        killed=listed(detail.killed for detail in collapses),
        matches=listed(Match(detail.killed, detail.survivor) for detail in collapses),
        renamings=renamings,
    )
    return (*before, *sentence)


def renamings_of(detail: Renamed) -> list[Span]:
    """Which dummies get which names; where one list would give a name to two, that sums have their own."""
    pairs = listed([Renaming(*pair) for pair in detail.pairs])
    return pairs if detail.is_one else [*pairs, ", each in sums of its own"]


def definitions(step: Step, parts: Parts) -> Iterator[Display]:
    """What the names that a step gives stand for."""
    if step.rule is Rule.NAME and isinstance(step.detail, Used):
        yield from (parts[name].definition for name in step.detail.tensors if name in parts)


def computed_from_less(group: Sequence[Step], parts: Parts) -> Iterator[Block]:
    """How the named parts that a step is about to put in are computed from less."""
    for step in group:
        if step.rule is Rule.UNFOLD and isinstance(step.detail, Used):
            for part in (parts[name] for name in step.detail.tensors if name in parts):
                if part.steps:
                    yield Paragraph(say("part", part=part.entry))
                    yield part.definition
                    yield from steps_blocks(part.steps, parts)


def sides(step: Step, local: Local | None) -> tuple[Side, ...]:
    """What to print behind the subject: the operator before the sum, a common denominator, the result."""
    if is_whole(step, local) and step.rule in {Rule.PRODUCT, Rule.QUOTIENT, Rule.POINTWISE, Rule.CONSTANT}:
        assert local is not None
        inside = Inside(local.partial.wrt, local.forward, tensor_of(local.partial))
        return (inside, *over_common(step.after), step.after)
    if is_whole(step, local) and step.rule is Rule.INSERT:
        return (*over_common(step.after), step.after)
    if step.rule is Rule.EXPAND:
        return (Split(step.after),)
    if step.rule is Rule.FOLD and (nested := regrouped(step)) is not None:
        return (nested, step.after)
    return (step.after,)


def regrouped(step: Step) -> Nested | None:
    """What is folded as a sum of its own, inside the sum of the rest; None where it is not a sum in a sum."""
    if not isinstance(step.detail, Used) or len(step.before) != 1 or len(step.after) != 1:
        return None
    (before,), (after,) = step.before, step.after
    new = [base for base, _ in after.powers if isinstance(base, Access) and base.tensor in step.detail.tensors]
    inner = tuple(index for index in before.summed if index not in after.summed)
    outer = tuple(power for power in after.powers if power[0] not in new)
    folded = tuple(power for power in before.powers if power not in outer)
    if len(new) != 1 or not inner or not after.summed or not outer or len(folded) < 2:
        return None
    nested = Nested(Term(after.coeff, outer, after.summed), Term(before.coeff / after.coeff, folded, inner))
    held = {index for base in nested.outer.bases for index in occurring_indices(base)} & set(inner)
    if held or is_negative(nested.inner.coeff) or side_terms(nested)[0].coeff != before.coeff:
        return None
    return nested if set(side_terms(nested)[0].powers) == set(before.powers) else None


def tensor_of(partial: Partial) -> str:
    """The tensor that is differentiated; empty for an expression."""
    return partial.base.tensor if isinstance(partial.base, Access) else ""


def over_common(terms: Terms) -> tuple[Side, ...]:
    """The terms over their common denominator, if they have different denominators and no sums."""
    lowest: dict[Base, sp.Expr] = {}
    for term in terms:
        for base, exponent in term.powers:
            if exponent.is_negative:
                lowest[base] = min(exponent, lowest.get(base, exponent))
    shared = all(dict(term.powers).get(base) == exponent for term in terms for base, exponent in lowest.items())
    if len(terms) < 2 or not lowest or shared or any(term.summed for term in terms):
        return ()
    lift = tuple((base, -exponent) for base, exponent in lowest.items())
    above = tuple(product(term.coeff, (*term.powers, *lift)) for term in terms)
    return (Quotient(above, (product(1, lift),)),)


def intro(step: Step, local: Local | None) -> Spans:
    """The sentence before a step's equation."""
    match step.rule, step.detail:
        case Rule.FORWARD, _ if bound := sums_of(step.after):
            assert isinstance(step.subject, Access)
            noun = "dummy" if len(bound) == 1 else "dummies"
            return say("forward.dummies", tensor=Symbol(step.subject.tensor), noun=noun, dummies=listed(bound))
        case Rule.FORWARD, _ if isinstance(step.subject, Access):
            return say("forward.entry" if step.subject.slots else "forward.scalar", tensor=Symbol(step.subject.tensor))
        case Rule.PRODUCT, _ if said := product_sentence(step, local):
            return said
        case Rule.COLLAPSE, Collapse(delta, killed, survivor) if any(killed in term.summed for term in step.after):
            key = "collapse.part.range" if leaves_brackets(step) else "collapse.part"
            return say(key, delta=delta, killed=killed, match=Match(killed, survivor))
        case Rule.COLLAPSE, Collapse(delta, killed, survivor) if leaves_brackets(step):
            return say("collapse.range", delta=delta, killed=killed, match=Match(killed, survivor))
        case Rule.INSERT, _:
            return insert_sentence(step)
        case Rule.POINTWISE, _:
            return pointwise_sentence(step, local)
        case Rule.NAME, Used(tensors) if isinstance(step.subject, Access):
            return name_sentence(step.subject, step.after, tensors)
        case Rule.FOLD, Used(tensors) if (nested := regrouped(step)) is not None:
            used = listed(Symbol(name) for name in tensors)
            return say("fold.nested", indices=listed(nested.inner.summed), used=used)
        case Rule.FOLD, Used((_, _, *_) as tensors):
            return say("fold.many", used=listed(Symbol(name) for name in tensors))
        case Rule.FACTOR, _ if set(step.before) == set(step.after):
            return say("reordered")
        case Rule.ENTRY, _ if isinstance(step.subject, Partial) and not step.subject.wrt.slots:
            return say("entry.scalar")
    return fill(RULES[step.rule], **fields(step, local))


def name_sentence(subject: Access, after: Terms, tensors: Sequence[str]) -> Spans:
    """Why parts get names: they have fewer indices, or another gradient contains them too."""
    entries = [entry for name in tensors for entry in accesses_of(after, name)]
    narrow = {len(entry.slots) < len(subject.slots) for entry in entries}
    if narrow == {True} and len({entry.slots for entry in entries}) == 1 and entries[0].slots:
        key = "name.narrow.of"
    else:
        key = "name.narrow" if narrow == {True} else "name.both" if True in narrow else "name.shared"
    return say(key if len(tensors) == 1 else f"{key}.many", indices=listed(entries[0].slots))


def insert_sentence(step: Step) -> Spans:
    """What is put in, and which brackets go, for the deltas that come say as much."""
    gone = brackets_sentence(step)
    return (*say("entry.insert.and"), *gone[:-1], f"{str(gone[-1])[:-1]}:") if gone else say("entry.insert")


def brackets_sentence(step: Step) -> Spans:
    """Which brackets go, for the deltas that come say as much; nothing where none does."""
    before, after = (
        dict.fromkeys(base for term in terms for base in term.bases if isinstance(base, Iverson))
        for terms in (step.before, step.after)
    )
    gone = [bracket for bracket in before if bracket not in after]
    said = all(any(follow((bracket,), said_by(term.bases)) for term in step.after) for bracket in gone)
    if not gone or not said or len(step.after) < len(step.before):
        return ()
    return say("brackets.go", brackets=listed(gone), hold="holds" if len(gone) == 1 else "hold")


def leaves_brackets(step: Step) -> bool:
    """Whether brackets say where the index that is left lies in the range of the sum that is gone."""
    before, after = (
        {base for term in terms for base in term.bases if isinstance(base, Iverson)}
        for terms in (step.before, step.after)
    )
    return len(after) > len(before)


def fields(step: Step, local: Local | None) -> dict[str, Span | list[Span]]:
    """What the templates of `RULES` may name."""
    values: dict[str, Span | list[Span]] = {}
    if isinstance(step.subject, Partial):
        values["target"] = Symbol(step.subject.wrt.tensor)
    elif local is not None:
        values["target"] = Symbol(local.partial.wrt.tensor)
    match step.detail:
        case Collapse(delta, killed, survivor):
            values |= {"delta": delta, "killed": killed, "match": Match(killed, survivor)}
        case Renamed():
            values["renamings"] = renamings_of(step.detail)
        case Used(tensors):
            values["used"] = listed([Symbol(name) for name in tensors])
        case Cited(identity):
            values["identity"] = Equality(identity.left, identity.right)
    return values

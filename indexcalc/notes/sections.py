"""One gradient's derivation as blocks: a sentence that names the rule, then the equation it gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Index, Partial, Terms, accesses_of, walk
from indexcalc.calculus.pointwise import F, row_of
from indexcalc.calculus.steps import (
    Cited,
    Collapse,
    Constant,
    Derivation,
    LocalDerivative,
    Path,
    Renamed,
    Rule,
    Section,
    Step,
    Used,
)
from indexcalc.notes.blocks import (
    Block,
    Code,
    Display,
    Displays,
    Gradient,
    Heading,
    Inside,
    Loss,
    Match,
    Paragraph,
    Quotient,
    Renaming,
    Side,
    Span,
    Spans,
    Spelled,
    Symbol,
)
from indexcalc.notes.prose import RULES, fill, listed, say
from indexcalc.notes.reading import reading_of

Parts = Mapping[str, Display]


@dataclass(frozen=True)
class Local:
    """What the prose of a local derivative's steps refers to: its entry, target and forward equation."""

    partial: Partial
    forward: Terms


def section_blocks(derivation: Derivation, section: Section) -> list[Block]:
    """The derivation of one backward tensor, from the chain rule to the boxed result."""
    if section.target is None:
        return part_blocks(derivation, section)
    parts = named_parts(derivation)
    blocks: list[Block] = [Heading(2, ("The gradient ", Gradient(Access(section.target))))]
    several = len(section.paths) > 1
    target = Access(section.target, section.equation.lhs.slots)
    if several:
        consumers = listed([Symbol(path.consumer.tensor) for path in section.paths])
        whole = Symbol(section.target)
        blocks.append(Paragraph(say("paths.intro", target=whole, consumers=consumers, loss=Loss())))
    for path in section.paths:
        blocks.extend(path_blocks(path, target, parts, several=several))
    if several:
        blocks.append(Heading(3, ("All paths together",)))
    blocks.extend(steps_blocks(section.steps, parts))
    return [*boxed_result(blocks, section), *reading_of(derivation, section)]


def named_parts(derivation: Derivation) -> Parts:
    """What every named part stood for when it got its name."""
    parts = [section for section in derivation.sections if section.target is None]
    return {part.equation.name: Display(part.equation.lhs, (start_of(part),), defines=True) for part in parts}


def start_of(part: Section) -> Terms:
    """The right side of a part before anything was done to it."""
    return part.steps[0].before if part.steps else part.equation.terms


def part_blocks(derivation: Derivation, section: Section) -> list[Block]:
    """How a part that got a name is computed from less; nothing if its definition is its last word."""
    entry = section.equation.lhs
    named = any(
        step.rule is Rule.NAME and isinstance(step.detail, Used) and entry.tensor in step.detail.tensors
        for step in derivation.all_steps()
    )
    if named and not section.steps:
        return []
    equations = derivation.backward.equations
    readers = [equation.lhs for equation in equations if accesses_of(equation.terms, entry.tensor)]
    intro = say("part", part=entry) if named else say("part.first", part=entry, readers=listed(readers))
    blocks: list[Block] = [
        Heading(3 if named else 2, say("part.heading", part=entry)),
        Paragraph(intro),
        Display(entry, (start_of(section),), defines=True),
        *steps_blocks(section.steps, named_parts(derivation)),
    ]
    return boxed_result(blocks, section) if section.steps else blocks


def boxed_result(blocks: list[Block], section: Section) -> list[Block]:
    """The blocks with the result boxed: the last equation if it is the result, else one more."""
    equation = section.equation
    result = Display(equation.lhs, (equation.terms,), boxed=True, spelled=True)
    last = blocks[-1]
    if isinstance(last, Display) and last.left == equation.lhs and last.sides[-1] == equation.terms:
        return [*blocks[:-1], replace(last, boxed=True, spelled=True)]
    return [*blocks, result]


def path_blocks(path: Path, target: Access, parts: Parts, *, several: bool) -> Iterator[Block]:
    """What one consumer contributes: chain rule, local derivatives, and everything put together."""
    if several:
        yield Heading(3, say("path.heading", consumer=Symbol(path.consumer.tensor)))
    chain, rest = path.steps[0], path.steps[1:]
    yield from chain_blocks(chain, path, target, several=several)
    level = 4 if several else 3
    for local in path.locals:
        if len(path.locals) > 1:
            yield from local_heading(local, path, target, level)
        yield from local_blocks(local, path, parts)
    if len(path.locals) > 1:
        yield Heading(level, say("back.heading", loss=Loss()))
    yield from steps_blocks(rest, parts)


def local_heading(local: LocalDerivative, path: Path, target: Access, level: int) -> Iterator[Block]:
    """The title of one of several local derivatives; why a statistic's comes first."""
    entry = local.partial.base
    assert isinstance(entry, Access)
    yield Heading(level, say("statistic.heading", statistic=Symbol(entry.tensor)))
    if entry != path.consumer:
        names = {"statistic": Symbol(entry.tensor), "target": Symbol(target.tensor)}
        yield Paragraph(say("statistic", consumer=Symbol(path.consumer.tensor), **names))


def chain_blocks(chain: Step, path: Path, target: Access, *, several: bool) -> Iterator[Block]:
    """The full chain rule, first with every gradient spelled out."""
    consumer = path.consumer
    key = "chain.scalar" if not consumer.slots else "chain.path" if several else "chain.only"
    yield Paragraph(
        say(key, loss=Loss(), target=target, consumer=Symbol(consumer.tensor), dummies=listed(consumer.slots))
    )
    yield Display(chain.subject, (Spelled(chain.after), chain.after))


def local_blocks(local: LocalDerivative, path: Path, parts: Parts) -> Iterator[Block]:
    """One local derivative, step by step, and what its deltas will do next."""
    forward = next((step.after for step in local.steps if step.rule is Rule.FORWARD), ())
    yield from steps_blocks(local.steps, parts, Local(local.partial, forward))
    yield from leftover_deltas(local, path)


def steps_blocks(steps: Iterable[Step], parts: Parts, local: Local | None = None) -> Iterator[Block]:
    """A sentence and an equation for each step; neighbouring steps of one sentence share it."""
    intros = [(intro(step, local), step) for step in steps]
    for sentence, group in groupby(intros, key=lambda pair: pair[0]):
        displays: list[Display] = []
        for _, step in group:
            displays.extend(definitions(step, parts))
            displays.append(Display(step.subject, sides(step, local)))
        yield Paragraph(sentence)
        if len(displays) > 1:
            yield Displays(tuple(displays[:-1])) if len(displays) > 2 else displays[0]
        yield displays[-1]


def definitions(step: Step, parts: Parts) -> Iterator[Display]:
    """What the names that a step gives stand for."""
    if step.rule is Rule.NAME and isinstance(step.detail, Used):
        yield from (parts[name] for name in step.detail.tensors if name in parts)


def is_whole(step: Step, local: Local | None) -> bool:
    """Whether the step is about the local derivative itself, not about one factor of it."""
    return local is not None and step.subject == local.partial


def sides(step: Step, local: Local | None) -> tuple[Side, ...]:
    """What to print behind the subject: the operator before the sum, a common denominator, the result."""
    if is_whole(step, local) and step.rule in {Rule.PRODUCT, Rule.QUOTIENT, Rule.POINTWISE, Rule.CONSTANT}:
        assert local is not None
        return (Inside(local.partial.wrt, local.forward), *over_common(step.after), step.after)
    if is_whole(step, local) and step.rule is Rule.INSERT:
        return (*over_common(step.after), step.after)
    return (step.after,)


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
            noun = "dummy" if len(bound) == 1 else "dummies"
            return say("forward.dummies", noun=noun, dummies=listed(bound))
        case Rule.PRODUCT, Constant(tensors) if local is not None and is_whole(step, local):
            return inside_sentence(local, tensors)
        case Rule.POINTWISE, _:
            return pointwise_sentence(step)
        case Rule.ENTRY, _ if isinstance(step.subject, Partial) and not step.subject.wrt.slots:
            return say("entry.scalar")
    return fill(RULES[step.rule], **fields(step, local))


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
        case Renamed(pairs):
            values["renamings"] = listed([Renaming(old, new) for old, new in pairs])
        case Used(tensors):
            values["used"] = listed([Symbol(name) for name in tensors])
        case Cited(identity):
            values["identity"] = [identity.left, " = ", identity.right]
    return values


def inside_sentence(local: Local, tensors: tuple[str, ...]) -> Spans:
    """The derivative pulled inside, naming what is constant."""
    where = "inside" if sums_of(local.forward) else "factors"
    if not tensors:
        return say(where)
    entries = [entry for name in tensors for entry in accesses_of(local.forward, name)]
    return say(
        f"{where}.constant",
        constants=listed([Symbol(name) for name in tensors]),
        verb="does" if len(tensors) == 1 else "do",
        target=Symbol(local.partial.wrt.tensor),
        entries=listed(entries),
        be="is" if len(entries) == 1 else "are",
    )


def pointwise_sentence(step: Step) -> Spans:
    """The chain rule through a function; a function that is its own derivative is said to be one."""
    base = step.subject.base if isinstance(step.subject, Partial) else None
    if not isinstance(base, Fn):
        return say("power")
    if row_of(base.name).derivative == F:
        return say("self", outer=Code(base.name))
    return fill(RULES[Rule.POINTWISE], outer=Code(base.name))


def sums_of(terms: Terms) -> tuple[Index, ...]:
    """The summed indices of all terms, in order."""
    return tuple(dict.fromkeys(index for term in terms for index in term.summed))


def leftover_deltas(local: LocalDerivative, path: Path) -> Iterator[Block]:
    """What the deltas say that no sum inside has used up."""
    entry, wrt = local.partial.base, local.partial.wrt
    if not isinstance(entry, Access) or not local.result:
        return
    compound = len(local.result) > 1 or any(isinstance(base, Add) for base in walk(local.result))
    for delta in common_deltas(local.result):
        pair = [(index, delta.other(index)) for index in (delta.left, delta.right) if index in entry.slots]
        if not pair or pair[0][1] not in wrt.slots:
            continue
        ours, theirs = pair[0]
        if entry != path.consumer:
            yield Paragraph(say("remains.inner", delta=delta, entry=entry, wrt=wrt, match=Match(ours, theirs)))
        elif compound:
            match = Match(ours, theirs)
            yield Paragraph(say("independent", delta=delta, entry=entry, wrt=wrt, match=match, index=theirs))
        else:
            yield Paragraph(say("remains", delta=delta, index=ours))


def common_deltas(terms: Terms) -> list[Delta]:
    """The deltas that are factors of every term."""
    first = [base for base in terms[0].bases if isinstance(base, Delta)]
    return [delta for delta in first if all(delta in term.bases for term in terms)]

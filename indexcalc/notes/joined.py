"""A path in one sentence and one chain of equations: in a brief note, once its kinds of steps have been shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from indexcalc.algebra.terms import Access, Fn, Index, Power, Term, Terms, tensors_of
from indexcalc.calculus.steps import Collapse, LocalDerivative, Path, Renamed, Rule, Step, Used
from indexcalc.notes.blocks import Block, Display, Loss, Match, Paragraph, Span, Spans, Symbol
from indexcalc.notes.differentiation import ended
from indexcalc.notes.familiar import ROUTINE, Habit, Shown, is_clean
from indexcalc.notes.narration import brackets_sentence, intro, renamings_of
from indexcalc.notes.parts import Parts
from indexcalc.notes.prose import listed, listed_groups, say
from indexcalc.notes.sides import Spelled

SHOWN_BEFORE = frozenset((Habit.CHAIN, Habit.BACK, Habit.ENTRY))
"""What must have been shown in full: the chain rule, entries that are independent, and deltas that collapse sums."""

LINEAR = frozenset((Rule.FORWARD, Rule.PRODUCT, Rule.ENTRY, Rule.INSERT, Rule.COLLAPSE))
"""The rules of a local derivative that takes the factors beside its target, times deltas."""

COLLAPSING = (Rule.COLLAPSE, Rule.RELABEL)
"""The rules that end the sums of the chain rule."""

SIMPLE = LINEAR | {Rule.POINTWISE, *ROUTINE}
"""The same with a function of the target, or with terms to put together: the derivative itself is shown."""

REWRITING = frozenset((*ROUTINE, Rule.UNFOLD, Rule.RELABEL))
"""The rules that only write an expression in another way, or put in an equation that stands above."""


def is_joined(path: Path, shown: Shown) -> bool:
    """Whether a path is told in one sentence: nothing in it is new, and every delta ends its sum."""
    if not shown.joins or not shown.habits >= SHOWN_BEFORE or len(path.locals) != 1:
        return False
    (local,) = path.locals
    rules = [step.rule for step in local.steps]
    others = [step.rule for step in path.steps[:2]]
    return (
        others == [Rule.CHAIN, Rule.SUBSTITUTE]
        and rules[0] is Rule.FORWARD
        and set(rules) <= SIMPLE
        and (
            Rule.POINTWISE not in rules or all(is_plain(power, local.partial.wrt.tensor) for power in powers_of(local))
        )
        and all(step.rule in COLLAPSING for step in path.steps[2:])
        and all(is_clean(step) for step in (*local.steps, *path.steps) if step.rule is Rule.COLLAPSE)
    )


def powers_of(local: LocalDerivative) -> tuple[Power, ...]:
    """The powers in the equation that a local derivative starts from."""
    return tuple(power for term in local.steps[0].after for power in term.powers)


def is_plain(power: Power, target: str) -> bool:
    """Whether a factor is constant, a power of an entry of the target, or a function of such an entry alone.

    The derivative of anything else has parts of its own to show.
    """
    base, exponent = power
    if target not in tensors_of(base) or isinstance(base, Access):
        return True
    return isinstance(base, Fn) and exponent == 1 and all(is_entry(argument, target) for argument in base.args)


def is_entry(argument: Terms, target: str) -> bool:
    """Whether an argument of a function is an entry of the target as it is, or does not depend on it."""
    if target not in tensors_of(argument):
        return True
    powers = [power for term in argument for power in term.powers]
    return (
        len(argument) == len(powers) == 1
        and argument[0].coeff == powers[0][1] == 1
        and isinstance(powers[0][0], Access)
    )


def only_rewrites(steps: Sequence[Step], parts: Parts) -> bool:
    """Whether steps only write a result in another way, with nothing to show of what is put in."""
    used = {name for step in steps if isinstance(step.detail, Used) for name in step.detail.tensors}
    return all(step.rule in REWRITING for step in steps) and not used & set(parts)


def joined_blocks(
    path: Path, target: Access, tail: Sequence[Step], *, several: bool, said: Spans = ()
) -> Iterator[Block]:
    """The sentence, the local derivative where a function is differentiated, and the chain, which the `tail` ends.

    What was `said` of all gradients under one heading is not said again.
    """
    (local,) = path.locals
    chain, substituted, *others = (*path.steps, *tail)
    back = ending(others)
    rewritten = others[len(back) :]
    collapses = collapse_sentence("joined.back", back)
    kept = [term for term in local.steps[0].after if target.tensor in tensors_of(term)]
    linear = len(kept) == 1 and {step.rule for step in local.steps} <= LINEAR
    yield Paragraph(
        announced(
            where_it_stands(path, kept, len(local.steps[0].after), target, several=several),
            *(brackets_sentence(step) for step in local.steps if step.rule is Rule.INSERT),
            collapse_sentence("joined.inner", local.steps),
            () if collapses == said else collapses,
            *(intro(step, None) for step in rewritten),
        )
    )
    if not linear:
        whole = [step for step in local.steps if step.subject == local.partial]
        # One term that is differentiated stands in the sentence.
        yield Display(local.partial, tuple(step.after for step in whole[len(kept) == 1 :]))
    put_in = (substituted.after,) if linear or not back else ()
    results = (*(step.after for step in back[-1:]), *(step.after for step in rewritten))
    yield Display(chain.subject, (Spelled(chain.after), chain.after, *put_in, *results))


def ending(steps: Sequence[Step]) -> Sequence[Step]:
    """The first of the steps after the local derivative was put in, as far as they end the sums of the chain rule."""
    return tuple(takewhile(lambda step: step.rule in COLLAPSING, steps))


def back_sentence(key: str, path: Path, tail: Sequence[Step]) -> Spans:
    """What deltas do in the chain rule of a path, and in the `tail` after it."""
    return collapse_sentence(key, ending((*path.steps[2:], *tail)))


def together_blocks(steps: Sequence[Step]) -> Iterator[Block]:
    """The sum of all paths: what is done to it in one sentence, and what that gives."""
    yield Paragraph(announced(*(intro(step, None) for step in steps)))
    yield Display(steps[-1].subject, (steps[-1].after,))


def sentences(every: Iterable[Spans]) -> Spans:
    """Sentences one after another, none of which announces an equation; without those that are empty."""
    return tuple(span for sentence in every if sentence for span in (" ", *ended(sentence)))[1:]


def announced(*every: Spans) -> Spans:
    """The same with a colon at the end, before the equations that follow."""
    *start, end = sentences(every)
    return (*start, f"{end[:-1]}:" if isinstance(end, str) and end.endswith(".") else end)


def where_it_stands(path: Path, kept: Sequence[Term], number: int, target: Access, *, several: bool) -> Spans:
    """Through which tensor a path goes, and the terms that read the target: `kept` of a `number`."""
    terms: list[Span] = [tuple(kept)] if len(kept) == 1 else [f"{len(kept)} of its {number} terms"]
    if len(kept) == number > 1:
        terms = ["each of its terms"]
    names: dict[str, Span | list[Span]] = {"loss": Loss(), "consumer": Symbol(path.consumer.tensor), "terms": terms}
    if several:
        return say("joined.path", target=Symbol(target.tensor), **names)
    return say("joined.only", target=target, **names)


def collapse_sentence(key: str, steps: Sequence[Step]) -> Spans:
    """Which deltas collapse which sums, with places that are no index of the target, and the new names of dummies."""
    collapses = [step.detail for step in steps if isinstance(step.detail, Collapse)]
    if not collapses:
        return ()
    killed = listed_groups(
        (c.killed,) if isinstance(c.survivor, Index) else (c.killed, " (", Match(c.killed, c.survivor), ")")
        for c in collapses
    )
    sentence = say(
        key if len(collapses) == 1 else f"{key}.many", deltas=listed(c.delta for c in collapses), killed=killed
    )
    renamings = [span for step in steps if isinstance(step.detail, Renamed) for span in renamings_of(step.detail)]
    return (*sentence, *say("joined.relabel", renamings=renamings)) if renamings else sentence

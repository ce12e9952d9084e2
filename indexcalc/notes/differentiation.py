"""What is said where the right side of an equation is differentiated: what is constant, which rule applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from indexcalc.algebra.terms import Add, Fn, Index, Partial, Term, Terms, accesses_of, occurring_indices, tensors_of
from indexcalc.calculus.pointwise import F, row_of
from indexcalc.calculus.steps import Constant, Rule, Step
from indexcalc.notes.blocks import Code, Spans, Symbol
from indexcalc.notes.prose import RULES, fill, listed, say

MANY = 12
"""So many constants are named one by one at most."""

FEW = 3
"""So many inputs are named at most from which a constant is computed."""


@dataclass(frozen=True)
class Local:
    """What the prose of a local derivative's steps refers to: its entry, target and forward equation.

    Attributes:
        partial: what is differentiated by what.
        forward: the right side of the equation.
        held: those of the constant tensors that depend on the target too; None where these are not known.
        origins: the inputs that each tensor is computed from, where they may be said.
    """

    partial: Partial
    forward: Terms
    held: frozenset[str] | None = None
    origins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def ended(sentence: Spans) -> Spans:
    """A sentence before an equation as one before another sentence."""
    *before, last = sentence
    return (*before, f"{last[:-1]}." if isinstance(last, str) and last.endswith(":") else last)


def is_whole(step: Step, local: Local | None) -> bool:
    """Whether the step is about the local derivative itself, not about one factor of it."""
    return local is not None and step.subject == local.partial


def inside_sentence(local: Local, tensors: tuple[str, ...]) -> Spans:
    """The derivative pulled inside, naming what is constant."""
    kept = tuple(term for term in local.forward if set(tensors_of(term)) - set(tensors))
    where = "inside" if any(is_inside(term, tensors) for term in kept) else "factors"
    if not tensors:
        return say(where)
    if len(tensors) > MANY:
        return say(f"{where}.others", target=Symbol(local.partial.wrt.tensor))
    entries = [entry for name in tensors for entry in accesses_of(local.forward, name)]
    held = tuple(tensors) if local.held is None else tuple(name for name in tensors if name in local.held)
    apart = tuple(name for name in tensors if name not in held)
    # Of a tensor that is computed it is not plain to see that it does not depend on the target.
    origins = local.origins.get(apart[0], ()) if len(apart) == 1 else ()
    kind = "mixed" if held and apart else "constant" if held else "apart"
    if kind == "apart" and 0 < len(origins) <= FEW:
        kind = "alone"
    sentence = say(
        f"{where}.{kind}",
        held=listed([Symbol(name) for name in held]),
        is_held="is" if len(held) == 1 else "are",
        apart=listed([Symbol(name) for name in apart]),
        origins=listed([Symbol(name) for name in origins]),
        does="does" if len(apart) == 1 else "do",
        target=Symbol(local.partial.wrt.tensor),
        entries=listed(entries),
        be="is" if len(entries) == 1 else "are",
    )
    if kept == local.forward:
        return sentence
    return (*sentence, *say("drops", target=Symbol(local.partial.wrt.tensor)))


def is_inside(term: Term, constant: Sequence[str]) -> bool:
    """Whether what is differentiated in a term depends on an index that it sums over, and stands inside the sum."""
    bound = set(term.summed)
    return any(bound & set(occurring_indices(base)) and set(tensors_of(base)) - set(constant) for base in term.bases)


def power_sentence(local: Local, tensors: tuple[str, ...]) -> Spans:
    """The derivative of a right side that has powers; where it is no more than one, that alone is said."""
    if len(local.forward) == 1 and len(local.forward[0].powers) == 1 and not local.forward[0].summed:
        ((_, exponent),) = local.forward[0].powers
        return say("reciprocal" if exponent == -1 else "power")
    return (*ended(inside_sentence(local, tensors)), " ", *say("power.also"))


def product_sentence(step: Step, local: Local | None) -> Spans:
    """What is constant in a right side; of a parenthesis, whether it has products. Nothing where there is no more."""
    if local is not None and is_whole(step, local) and isinstance(step.detail, Constant):
        return inside_sentence(local, step.detail.tensors)
    base = step.subject.base if isinstance(step.subject, Partial) else None
    products = not isinstance(base, Add) or len(step.after) > len(base.terms)
    return () if products else say("terms")


def pointwise_sentence(step: Step, local: Local | None) -> Spans:
    """The chain rule through a function; a function that is its own derivative is said to be one."""
    if local is not None and is_whole(step, local) and isinstance(step.detail, Constant):
        return power_sentence(local, step.detail.tensors)
    base = step.subject.base if isinstance(step.subject, Partial) else None
    if not isinstance(base, Fn):
        return say("power")
    if len(base.args) > 1:
        return say("several", outer=Code(base.name))
    if row_of(base.name).derivative == F:
        return say("self", outer=Code(base.name))
    return fill(RULES[Rule.POINTWISE], outer=Code(base.name))


def sums_of(terms: Terms) -> tuple[Index, ...]:
    """The summed indices of all terms, in order."""
    return tuple(dict.fromkeys(index for term in terms for index in term.summed))

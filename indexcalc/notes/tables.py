"""The closing parts of a note: identities, summary, deltas, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Access, Index, Slot, Term, tensors_of
from indexcalc.calculus.steps import Collapse, Derivation, Entry, Proof, Rule, Section, Step, Used
from indexcalc.errors import LimitError
from indexcalc.notes.blocks import (
    Block,
    Display,
    Displays,
    Equality,
    Gradient,
    Heading,
    Match,
    Paragraph,
    Scalar,
    Span,
    Spans,
    Split,
    Symbol,
    Table,
)
from indexcalc.notes.cost import memory_of
from indexcalc.notes.narration import fields, sides
from indexcalc.notes.prose import RULES, fill, listed, say
from indexcalc.notes.recurrences import recurrence_blocks
from indexcalc.notes.setup import forward_display, recompute_sources
from indexcalc.program import Identity as Claim


def lemma_blocks(derivation: Derivation) -> Iterator[Block]:
    """Identities of the forward pass, before the gradients that use them."""
    if derivation.lemmas:
        yield Heading(2, ("Identities of the forward pass",))
        for proof in derivation.lemmas:
            yield from proof_blocks(proof)


def identity_blocks(derivation: Derivation) -> Iterator[Block]:
    """Identities of the gradients with their proofs, and claims for which none was found."""
    if derivation.proofs or derivation.unproved:
        yield Heading(2, ("Identities of the gradients",))
    for proof in derivation.proofs:
        shown = any(equal(proof.identity, lemma.identity) for lemma in derivation.lemmas)
        yield from cited_identity(proof.identity) if shown else proof_blocks(proof)
    for claim in derivation.unproved:
        yield Paragraph((f"No proof was found of this claim{doc_of(claim.doc)}:",))
        yield Display(claim.left, (claim.right,))


def equal(one: Claim, other: Claim) -> bool:
    """Whether two identities say the same, up to the names of dummies."""
    return same(one.left, other.left) and same(one.right, other.right)


def cited_identity(identity: Claim) -> Iterator[Block]:
    """An identity that was proved above, among those of the forward pass."""
    about = identity.doc[:1].upper() + identity.doc[1:] + ": " if identity.doc else ""
    yield Paragraph(
        (about, Equality(identity.left, identity.right), ", as shown among the identities of the forward pass.")
    )


def doc_of(doc: str) -> str:
    """The author's words about an identity, in parentheses."""
    return f" ({doc})" if doc else ""


def proof_blocks(proof: Proof) -> Iterator[Block]:
    """An identity and the steps from its left side to its right side."""
    identity = proof.identity
    yield Paragraph(about_identity(identity))
    yield Display(identity.left, (identity.right,), boxed=True)
    for number, step in enumerate(proof.steps):
        sentence = counted_sentence(step) or fill(RULES[step.rule], **fields(step, None))
        yield Paragraph(sentence if number else ("Proof. ", *sentence))
        start = step.subject.left if isinstance(step.subject, Claim) else identity.left
        yield Display(start, (Split(step.after),) if step.rule is Rule.UNFOLD else sides(step, None))


def counted_sentence(step: Step) -> Spans:
    """Why a sum is gone: what is put in does not depend on its index; nothing where none is."""
    if (
        step.rule is not Rule.UNFOLD
        or not isinstance(step.detail, Used)
        or len(step.before) != 1
        or len(step.after) < 2
    ):
        return ()
    summed = step.before[0].summed
    try:
        terms = expand(step.before)
    except LimitError:
        return ()
    for term in terms:
        gone = [index for index in summed if index not in term.summed]
        if gone and set(step.detail.tensors) & set(tensors_of((term,))):
            count = Scalar(sp.Mul(*(index.extent for index in gone)))
            used = listed(Symbol(name) for name in step.detail.tensors)
            return say("unfold.counted", used=used, indices=listed(gone), count=count)
    return ()


def about_identity(identity: Claim) -> Spans:
    """What an identity is about: the author's words, or which sum it is."""
    if identity.doc:
        return (identity.doc[:1].upper() + identity.doc[1:] + ":",)
    match identity.left:
        case (Term(coeff, ((Access(tensor), exponent),), summed),) if coeff == exponent == 1 and summed:
            return say("identity.sum", tensor=Symbol(tensor), indices=listed(summed))
        case (Term(coeff, ((Access(tensor), exponent),), ()),) if coeff == exponent == 1:
            return say("identity.symmetry", tensor=Symbol(tensor))
    return say("identity.other")


def summary_blocks(derivation: Derivation) -> Iterator[Block]:
    """Every equation of the backward pass, in an order in which it can be computed."""
    yield Heading(2, ("Summary",))
    if derivation.recomputed:
        sources = listed(Symbol(name) for name in recompute_sources(derivation))
        yield Paragraph(say("recompute.summary", sources=sources))
        yield Displays(tuple(map(forward_display, derivation.recomputed)))
        yield Paragraph(say("recompute.then"))
    elif derivation.derived:
        yield Paragraph(("The backward pass, in an order in which it can be computed:",))
    asked = {derivation.problem.gradient_names[target] for target in derivation.problem.targets}
    asked |= {order.result.name for order in derivation.orders}
    displays = Displays(
        tuple(
            Display(
                equation.lhs,
                (equation.terms,),
                boxed=equation.name in asked,
                defines=equation.name not in derivation.gradients and equation.name not in asked,
                spelled=True,
            )
            for equation in derivation.derived
        )
    )
    if displays.items:
        yield displays
    yield from recurrence_blocks(derivation.backward)
    made = tuple(order.equation for order in derivation.orders if not order.whole)
    if made:
        yield Paragraph(say("summary.parts"))
        yield Displays(tuple(Display(equation.lhs, (equation.terms,), boxed=True) for equation in made))
    yield from jacobian_blocks(derivation)


def jacobian_blocks(derivation: Derivation) -> Iterator[Block]:
    """The derivatives of whole tensors that were found through sums they are normalised by, such as a softmax's."""
    gradients = [section for section in derivation.sections if section.target is not None]
    found = [path.locals[-1] for section in gradients for path in section.paths if len(path.locals) > 1]
    if found:
        yield Paragraph(say("jacobians.many" if len(found) > 1 else "jacobians"))
        yield Displays(tuple(Display(local.partial, (local.result,), boxed=True) for local in found))


def delta_blocks(derivation: Derivation) -> Iterator[Block]:
    """Which deltas appeared, and which sum each of them killed; gradients with the same deltas in one row."""
    gradients: dict[tuple[Spans, Spans], list[Span]] = {}
    for section in derivation.sections:
        if (found := deltas_of(section)) is not None:
            entry = Access(section.target or "", section.equation.slots)
            gradients.setdefault(found, []).append(Gradient(entry))
    if gradients:
        yield Heading(2, ("Where the deltas acted",))
        yield Paragraph(
            (
                "Every derivative of an entry by an entry brought one delta for each index slot, "
                "and every delta collapsed one sum, or stands in the result:",
            )
        )
        rows = tuple((*found, tuple(comma_joined(names))) for found, names in gradients.items())
        yield Table(("Deltas", "Sums they kill, and what is left", "Gradients"), rows, wrapping=2)


def deltas_of(section: Section) -> tuple[Spans, Spans] | None:
    """The deltas of one section, and the sums they kill; None if there are none."""
    if section.target is None:
        return None
    steps = tuple(section.all_steps())
    deltas = dict.fromkeys(delta for s in steps if isinstance(s.detail, Entry) for delta in s.detail.deltas)
    kills = dict.fromkeys((s.detail.killed, s.detail.survivor) for s in steps if isinstance(s.detail, Collapse))
    if not deltas:
        return None
    return tuple(comma_joined(list(deltas))), tuple(kill_spans(list(kills)))


def comma_joined(items: Sequence[Span]) -> list[Span]:
    """Spans with commas between them."""
    spans: list[Span] = []
    for item in items:
        spans.extend([", ", item] if spans else [item])
    return spans


def kill_spans(kills: list[tuple[Index, Slot]]) -> list[Span]:
    """Each index whose sum is gone, and what is left of it."""
    spans: list[Span] = []
    for killed, survivor in kills:
        spans.extend([", "] if spans else [])
        spans.extend([killed, " (", Match(killed, survivor), ")"])
    return spans or ["none"]


def memory_blocks(derivation: Derivation) -> Iterator[Block]:
    """Which tensors need not be stored, by the structure of both passes."""
    program, backward = derivation.problem.program, derivation.backward
    memory = memory_of(program, backward, [name for order in derivation.orders for name in order.arrays])
    if memory.unread:
        them = "it is" if len(memory.unread) == 1 else "they are"
        names = listed([Symbol(name) for name in memory.unread], "or")
        yield Paragraph(("The backward pass never reads ", *names, f", so {them} not kept after the forward pass."))
    if memory.streamed:
        names = listed(Symbol(name) for name in memory.streamed)
        key = "stream" if len(memory.streamed) > 1 else "stream.one"
        yield Paragraph(say(key, names=names, entries=Scalar(memory.size)))

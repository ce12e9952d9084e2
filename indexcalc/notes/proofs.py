"""Identities with their proofs, before and after the gradients that use them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import expand, lone_entry
from indexcalc.algebra.canonical import same
from indexcalc.algebra.renaming import rename_base
from indexcalc.algebra.terms import Access, Delta, Index, Term, tensors_of, walk
from indexcalc.calculus.steps import Derivation, Proof, Rule, Step, Used
from indexcalc.errors import LimitError
from indexcalc.notes.blocks import (
    Block,
    Display,
    Equality,
    Heading,
    Paragraph,
    Scalar,
    Span,
    Spans,
    Symbol,
)
from indexcalc.notes.differentiation import ended
from indexcalc.notes.familiar import Detail
from indexcalc.notes.invariance import invariance_blocks
from indexcalc.notes.narration import fields, sides
from indexcalc.notes.prose import REASONS, RULES, fill, listed, say
from indexcalc.notes.sides import Split
from indexcalc.program import Identity as Claim


def lemma_blocks(derivation: Derivation, detail: Detail = Detail.FULL) -> Iterator[Block]:
    """Identities of the forward pass, before the gradients that use them."""
    if derivation.lemmas:
        yield Heading(2, ("Identities of the forward pass",))
        for proof in derivation.lemmas:
            yield from proof_blocks(proof, detail)


def identity_blocks(derivation: Derivation, detail: Detail = Detail.FULL) -> Iterator[Block]:
    """Identities of the gradients with their proofs, and claims for which none was found."""
    if derivation.proofs or derivation.unproved:
        yield Heading(2, ("Identities of the gradients",))
    for proof in derivation.proofs:
        shown = any(equal(proof.identity, lemma.identity) for lemma in derivation.lemmas)
        yield from cited_identity(proof.identity) if shown else proof_blocks(proof, detail)
        yield from invariance_blocks(derivation, proof)
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


def proof_blocks(proof: Proof, detail: Detail) -> Iterator[Block]:
    """An identity and the steps from its left side to its right side; in a brief note as one chain of equations."""
    identity = proof.identity
    yield Paragraph(about_identity(identity))
    yield Display(identity.left, (identity.right,), boxed=True)
    told = [(sentence_of(step, identity), displayed(step, identity)) for step in proof.steps]
    reasons = tuple(reason_of(step, identity) for step in proof.steps)
    if len(told) > 1 and all(reasons) and all(d.left == told[0][1].left and len(d.sides) == 1 for _, d in told):
        yield Paragraph(("Proof:",))
        yield Display(told[0][1].left, tuple(d.sides[0] for _, d in told), reasons=reasons)
        return
    if detail is Detail.BRIEF and len({display.left for _, display in told}) == 1:
        *before, (last, display) = told
        sentences = [span for sentence, _ in before for span in (*ended(sentence), " ")]
        chain = tuple(side for _, each in told for side in each.sides)
        told = [((*sentences, *last), replace(display, sides=chain))]
    for number, (sentence, display) in enumerate(told):
        # What is boxed above is not displayed once more.
        claimed = number == len(told) - 1 and display.left == identity.left and display.sides == (identity.right,)
        words = ended(sentence) if claimed else sentence
        yield Paragraph(words if number else ("Proof. ", *words))
        if not claimed:
            yield display


def sentence_of(step: Step, identity: Claim) -> Spans:
    """What is said of a step of a proof."""
    return (
        counted_sentence(step)
        or ones_sentence(step)
        or exchanged_sentence(step, identity)
        or cancelled_sentence(step)
        or fill(RULES[step.rule], **fields(step, None))
    )


def reason_of(step: Step, identity: Claim) -> Spans:
    """What a step of a proof did, in few words; nothing where it takes a sentence."""
    if exchanged_sentence(step, identity) or step.rule not in REASONS:
        return ()
    counted = counted_sums(step)
    if counted is not None:
        return say("reason.counted", **counted)
    ones = counted_ones(step)
    if ones is not None:
        return say("reason.ones", **ones)
    key = "reason.cancelled" if cancelled_sentence(step) else ""
    return say(key, **fields(step, None)) if key else fill(REASONS[step.rule], **fields(step, None))


def displayed(step: Step, identity: Claim) -> Display:
    """The equation of a step of a proof."""
    start = step.subject.left if isinstance(step.subject, Claim) else identity.left
    return Display(start, (Split(step.after),) if step.rule is Rule.UNFOLD else sides(step, None))


def counted_sentence(step: Step) -> Spans:
    """Why a sum is gone: what is put in does not depend on its index; nothing where none is."""
    counted = counted_sums(step)
    return say("unfold.counted", **counted) if counted is not None else ()


def counted_sums(step: Step) -> dict[str, Span | list[Span]] | None:
    """What is put in, the indices that it does not depend on, and how many values these have; None where none are."""
    if (
        step.rule is not Rule.UNFOLD
        or not isinstance(step.detail, Used)
        or len(step.before) != 1
        or len(step.after) < 2
    ):
        return None
    summed = step.before[0].summed
    try:
        terms = expand(step.before)
    except LimitError:
        return None
    for term in terms:
        gone = [index for index in summed if index not in term.summed]
        if gone and set(step.detail.tensors) & set(tensors_of((term,))):
            count = Scalar(sp.Mul(*(index.extent for index in gone)))
            used = listed(Symbol(name) for name in step.detail.tensors)
            return {"used": used, "indices": listed(gone), "count": count}
    return None


def ones_sentence(step: Step) -> Spans:
    """That multiplying out leaves terms that a sum only counts; nothing where it leaves none."""
    ones = counted_ones(step)
    return say("expand.ones", **ones) if ones is not None else ()


def counted_ones(step: Step) -> dict[str, Span | list[Span]] | None:
    """The summed indices on which a term that is multiplied out does not depend, and how many values these have."""
    if step.rule is not Rule.EXPAND or len(step.before) != 1:
        return None
    summed = step.before[0].summed
    for term in step.after:
        gone = [index for index in summed if index not in term.summed]
        if gone and set(term.summed) < set(summed):
            count = Scalar(sp.Mul(*(index.extent for index in gone)))
            return {"indices": listed(gone), "count": count}
    return None


def exchanged_sentence(step: Step, identity: Claim) -> Spans:
    """Why the right side is that of an entry with other slots too; nothing for any other step."""
    before, after = lone_entry(identity.left), lone_entry(identity.right)
    if step.rule is not Rule.FOLD or before is None or after is None or step.after != identity.right:
        return ()
    if before.tensor != after.tensor or set(before.slots) != set(after.slots):
        return ()
    exchange = {old: new for old, new in zip(before.slots, after.slots, strict=True) if isinstance(old, Index)}
    moved = [slot for slot, new in exchange.items() if slot != new]
    entries = [base for base in walk(step.before) if isinstance(base, Access)]
    # What the exchange makes of these entries stands nowhere: they are symmetric, or a delta makes indices equal.
    alone = [entry for entry in entries if all(rename_base(entry, exchange) != other for other in entries)]
    symmetric = dict.fromkeys(entry.tensor for entry in alone if len(set(moved) & set(entry.slots)) > 1)
    deltas = dict.fromkeys(
        base
        for base in walk(step.before)
        if isinstance(base, Delta) and {base.left, base.right} <= set(moved)
        if any(entry.tensor not in symmetric for entry in alone)
    )
    return say(
        "identity.exchanged",
        indices=listed(moved),
        reasons=exchange_reasons(list(deltas), list(symmetric)),
        entry=after,
    )


def exchange_reasons(deltas: list[Delta], symmetric: list[str]) -> list[Span]:
    """Why an exchange of indices changes nothing, where it is not plain to see."""
    reasons: list[Span] = []
    if deltas:
        reasons += [*listed(deltas), " is zero unless they are equal"]
    if symmetric:
        names: list[Span] = [Symbol(name) for name in symmetric]
        reasons += [
            " and " if reasons else "",
            *listed(names),
            " is symmetric" if len(names) == 1 else " are symmetric",
        ]
    return [", since ", *reasons] if reasons else []


def cancelled_sentence(step: Step) -> Spans:
    """That what is folded cancels against its name; nothing where the name is left."""
    if step.rule is not Rule.FOLD or not isinstance(step.detail, Used):
        return ()
    if set(step.detail.tensors) & set(tensors_of(step.after)):
        return ()
    return say("identity.cancelled", used=listed(Symbol(name) for name in step.detail.tensors))


def about_identity(identity: Claim) -> Spans:
    """What an identity is about: the author's words, or which sum it is."""
    if identity.doc:
        return (identity.doc[:1].upper() + identity.doc[1:] + ":",)
    match identity.left:
        case (Term(coeff, ((Access(tensor), exponent),), summed),) if coeff == exponent == 1 and summed:
            return say("identity.sum", tensor=Symbol(tensor), indices=listed(summed))
        case (Term(coeff, ((Access(tensor) as left, exponent),), ()),) if coeff == exponent == 1:
            right = lone_entry(identity.right)
            exchanged = right is not None and right.tensor == tensor and set(right.slots) == set(left.slots)
            return say("identity.symmetry" if exchanged else "identity.form", tensor=Symbol(tensor))
    return say("identity.other")

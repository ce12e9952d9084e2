"""What a sum of gradients that is zero says: along which change of a tensor the loss stays the same."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.terms import Access, Fn, Index, Term, tensors_of, walk
from indexcalc.calculus.statistics import is_reachable
from indexcalc.calculus.steps import Cited, Derivation, Proof, Rule, Step, Used
from indexcalc.notes.blocks import Block, Loss, Paragraph, Span
from indexcalc.notes.meanings import called, tensor_phrase
from indexcalc.notes.prose import listed, say
from indexcalc.program import Identity

JUMPS = frozenset(("step", "sign"))
"""The functions whose value changes where their derivative is zero."""

DERIVED = frozenset((Rule.INSERT, Rule.NAME))
"""The rules that name a tensor for its derivative, or for a part that begins there; its own equation is not used."""


def invariance_blocks(derivation: Derivation, proof: Proof) -> Iterator[Block]:
    """A sentence about what a proved identity says of the loss; nothing where it says nothing of this kind.

    ``sum_j w_j dL/dx_j = 0`` at every x says that ``L(x + t w)`` does not depend on t. It has to hold at every x, also
    where x is not what its own equation makes of other tensors: so nothing that leads to it may have used that one.
    """
    found = lone_gradient(derivation, proof.identity)
    if found is None:
        return
    term, gradient = found
    target = derivation.gradients[gradient.tensor]
    if not is_free(derivation, target) or uses_equation_of(derivation, proof, gradient.tensor, target):
        return
    slots = tuple(slot for slot in gradient.slots if isinstance(slot, Index))
    fixed = [slot for slot in slots if slot not in term.summed]
    entry = Access(target, slots)
    others = tuple(power for power in term.powers if power[0] != gradient)
    names: dict[str, Span | list[Span]] = {"loss": Loss(), "entry": entry, "indices": listed(term.summed)}
    names["called"] = called(tensor_phrase(derivation.problem.program, target))
    names["each"] = list(say("shift.each", fixed=listed(fixed))) if fixed else []
    if not others:
        yield Paragraph(say("shift", **names))
    elif others == ((entry, 1),):
        yield Paragraph(say("shift.scaled", **names))
    elif is_apart(derivation, others_of(others), target):
        yield Paragraph(say("shift.along", direction=(Term(term.coeff, others),), **names))


def others_of(powers: tuple[tuple[object, object], ...]) -> tuple[str, ...]:
    """The tensors that factors read."""
    return tuple(name for base, _ in powers for name in tensors_of(base))  # type: ignore[arg-type]


def lone_gradient(derivation: Derivation, identity: Identity) -> tuple[Term, Access] | None:
    """The one term of a sum that is zero and the gradient in it, which is summed over slots of its own alone."""
    if len(identity.left) != 1 or identity.right:
        return None
    (term,) = identity.left
    found = [
        base
        for base, exponent in term.powers
        if exponent == 1 and isinstance(base, Access) and base.tensor in derivation.gradients
    ]
    if len(found) != 1 or not term.summed or not found[0].is_plain:
        return None
    slots = found[0].slots
    inside = set(term.summed) <= set(slots) and len(set(slots)) == len(slots)
    every = {index for base, _ in term.powers for inner in walk(base) for index in indices_in(inner)}
    return (term, found[0]) if inside and every <= set(slots) else None


def indices_in(base: object) -> tuple[Index, ...]:
    """The plain indices of an entry."""
    return base.indices if isinstance(base, Access) else ()


def is_free(derivation: Derivation, target: str) -> bool:
    """Whether a tensor can be moved while all else that is given stays, and the loss follows without jumps."""
    program = derivation.problem.program
    inner = {name for block in program.systems.values() for equation in block for name in tensors_of(equation.terms)}
    if target in program.recurrence_by_name or target in program.residuals or inner:
        return False
    after = {target, *(name for name in program.definitions if is_reachable(program, target, name))}
    assumed = {name for claim in program.assumptions for name in tensors_of((*claim.left, *claim.right))}
    functions = {base.name for e in program.equations for base in walk(e.terms) if isinstance(base, Fn)}
    return not (assumed & after) and not (functions & JUMPS)


def is_apart(derivation: Derivation, names: tuple[str, ...], target: str) -> bool:
    """Whether some tensors are of the forward pass, and stay as they are when the target moves."""
    program = derivation.problem.program
    return all(name in program.tensors and name != target and not is_reachable(program, target, name) for name in names)


def uses_equation_of(derivation: Derivation, proof: Proof, gradient: str, target: str) -> bool:
    """Whether the proof, a gradient that it reads or an identity on the way used what the target is computed as."""
    sections = {section.equation.name: section for section in derivation.sections}
    steps: list[Step] = list(proof.steps)
    waiting, seen = [gradient, *names_in_steps(proof.steps)], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in sections:
            continue
        seen.add(name)
        own = tuple(sections[name].all_steps())
        steps.extend(own)
        waiting.extend((*tensors_of(sections[name].equation.terms), *names_in_steps(own)))
    lemmas = [lemma for lemma in derivation.lemmas if lemma is not proof]
    for step in steps:
        if isinstance(step.detail, Used) and step.rule not in DERIVED and target in step.detail.tensors:
            return True
        if isinstance(step.detail, Cited):
            cited = step.detail.identity
            steps_of = [inner for lemma in lemmas if lemma.identity == cited for inner in lemma.steps]
            if target in names_in_steps(tuple(steps_of)) or not (
                steps_of or cited in derivation.problem.program.assumptions
            ):
                return True
    return False


def names_in_steps(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """The tensors whose equations some steps used."""
    return tuple(name for step in steps if isinstance(step.detail, Used) for name in step.detail.tensors)

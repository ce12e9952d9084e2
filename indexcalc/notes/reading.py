"""What a result says: which sum survived and why, which index only passes through; read off the steps."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.terms import Access, Delta, Index, Terms, own_indices, walk
from indexcalc.calculus.steps import Collapse, Derivation, Path, Renamed, Section, Step
from indexcalc.notes.blocks import Block, Paragraph, Span, Symbol
from indexcalc.notes.prose import listed, say


def reading_of(derivation: Derivation, section: Section) -> list[Block]:
    """One paragraph about the result; nothing where several paths meet, for each has sums of its own."""
    if len(section.paths) != 1:
        return []
    (path,) = section.paths
    spans: list[Span] = list(say("reading"))
    for number, sentence in enumerate((*surviving(derivation, section, path), *passing(section, path))):
        spans.extend([" ", *sentence] if number else sentence)
    return [Paragraph(tuple(spans))] if len(spans) > 1 else []


def origins(steps: tuple[Step, ...]) -> dict[Index, Index]:
    """For every index that a step renamed, the dummy it was at the start."""
    source: dict[Index, Index] = {}
    for step in steps:
        if isinstance(step.detail, Renamed):
            found = {new: source.get(old, old) for old, new in step.detail.pairs}
            source = {name: old for name, old in source.items() if name not in dict(step.detail.pairs)} | found
    return source


def surviving(derivation: Derivation, section: Section, path: Path) -> Iterator[tuple[Span, ...]]:
    """A sentence for every sum of the result that comes from the chain rule or the forward equation."""
    equation = section.equation
    source = origins((*path.steps, *section.steps))
    sums = tuple(dict.fromkeys(index for term in equation.terms for index in term.summed))
    assert section.target is not None
    target = Symbol(section.target)
    for index in sums:
        origin = source.get(index, index)
        if origin not in path.consumer.slots:
            continue
        weight = weight_of(equation.terms, index, path)
        if weight is None:
            yield say("read.sum", index=index, origin=origin, target=target)
        else:
            yield say("read.sum.weight", index=index, origin=origin, target=target, weight=weight)
    named = {part.equation.name for part in derivation.sections if part.target is None}
    parts = [base for base in walk(equation.terms) if isinstance(base, Access) and base.tensor in named]
    if not sums and parts:
        yield say("read.part", parts=listed(dict.fromkeys(parts)))
    elif not sums:
        yield say("read.none")
    if any(isinstance(base, Delta) for base in walk(equation.terms)):
        yield say("read.deltas")


def weight_of(terms: Terms, index: Index, path: Path) -> Access | None:
    """The one factor, beside the upstream gradient, that carries a surviving index."""
    if len(terms) != 1:
        return None
    upstream = {base.tensor for base in walk(path.steps[0].after) if isinstance(base, Access)}
    carriers = [base for base in terms[0].bases if index in own_indices(base)]
    others = [base for base in carriers if isinstance(base, Access) and base.tensor not in upstream]
    return others[0] if len(others) == 1 and len(carriers) == len(others) + 1 else None


def passing(section: Section, path: Path) -> Iterator[tuple[Span, ...]]:
    """A sentence for every index of the target that a delta tied to a sum and so took over."""
    slots = section.equation.lhs.slots
    renamed = {old: new for new, old in origins((*path.steps, *section.steps)).items()}
    seen: set[Index] = set()
    inner = path.locals[-1].steps if path.locals else ()
    for step in (*inner, *path.steps, *section.steps):
        match step.detail:
            case Collapse(delta, killed, survivor):
                index = renamed.get(survivor, survivor)
                clean = all(killed not in term.summed for term in step.after)
                if index not in slots or index in seen or not clean:
                    continue
                seen.add(index)
                key = "read.pass" if killed in path.consumer.slots else "read.fixed"
                yield say(key, index=index, delta=delta, killed=killed)

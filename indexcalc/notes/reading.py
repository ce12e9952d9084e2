"""What a result says: which sum survived and why, which index only passes through; read off the steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from indexcalc.algebra.terms import Access, Add, Delta, Index, Terms, own_indices, walk
from indexcalc.calculus.steps import Collapse, Derivation, LocalDerivative, Path, Renamed, Rule, Section, Step
from indexcalc.notes.blocks import Block, Match, Paragraph, Span, Spans, Symbol
from indexcalc.notes.prose import listed, say


def reading_of(derivation: Derivation, section: Section) -> list[Block]:
    """One paragraph about the result of a gradient with a single path."""
    if len(section.paths) != 1 or is_a_sum_of_paths(section):
        return []
    (path,) = section.paths
    steps = (*path.steps, *section.steps)
    named = [part.equation.name for part in derivation.sections if part.target is None]
    return reading(section, path, steps, section.equation.terms, named)


def is_a_sum_of_paths(section: Section) -> bool:
    """Whether contributions are added: of several paths, or of paths and what the loss gets directly."""
    return any(step.rule is Rule.PATHS for step in section.steps)


def path_reading(section: Section, path: Path) -> list[Block]:
    """One paragraph about what one of several paths contributes."""
    return reading(section, path, path.steps, path.result, ())


def reading(section: Section, path: Path, steps: tuple[Step, ...], terms: Terms, named: Iterable[str]) -> list[Block]:
    """The sentences about some terms, as one paragraph."""
    spans: list[Span] = list(say("reading"))
    sentences = (*surviving(section, path, steps, terms), *left_over(terms, named), *passing(section, path, steps))
    for number, sentence in enumerate(sentences):
        spans.extend([" ", *sentence] if number else sentence)
    return [Paragraph(tuple(spans))] if sentences else []


def origins(steps: tuple[Step, ...]) -> dict[Index, Index]:
    """For every index that a step renamed, the dummy it was at the start."""
    source: dict[Index, Index] = {}
    for step in steps:
        if isinstance(step.detail, Renamed):
            found = {new: source.get(old, old) for old, new in step.detail.pairs}
            source = {name: old for name, old in source.items() if name not in dict(step.detail.pairs)} | found
    return source


def surviving(section: Section, path: Path, steps: tuple[Step, ...], terms: Terms) -> Iterator[Spans]:
    """A sentence for every sum of the result that comes from the chain rule."""
    source = origins(steps)
    assert section.target is not None
    target = Symbol(section.target)
    for index in dict.fromkeys(index for term in terms for index in term.summed):
        origin = source.get(index, index)
        if origin not in path.consumer.slots:
            continue
        weight = weight_of(terms, index, path)
        if weight is None:
            yield say("read.sum", index=index, origin=origin, target=target)
        else:
            yield say("read.sum.weight", index=index, origin=origin, target=target, weight=weight)


def left_over(terms: Terms, named: Iterable[str]) -> Iterator[Spans]:
    """What is said of a result without sums, and of deltas that stay in it."""
    names = frozenset(named)
    parts = [base for base in walk(terms) if isinstance(base, Access) and base.tensor in names]
    if not any(term.summed for term in terms):
        yield say("read.part", parts=listed(dict.fromkeys(parts))) if parts else say("read.none")
    if any(isinstance(base, Delta) for base in walk(terms)):
        yield say("read.deltas")


def weight_of(terms: Terms, index: Index, path: Path) -> Access | None:
    """The one factor, beside the upstream gradient, that carries a surviving index."""
    if len(terms) != 1:
        return None
    upstream = {base.tensor for base in walk(path.steps[0].after) if isinstance(base, Access)}
    carriers = [base for base in terms[0].bases if index in own_indices(base)]
    others = [base for base in carriers if isinstance(base, Access) and base.tensor not in upstream]
    return others[0] if len(others) == 1 and len(carriers) == len(others) + 1 else None


def passing(section: Section, path: Path, steps: tuple[Step, ...]) -> Iterator[Spans]:
    """A sentence for the indices of the target that deltas tied to sums and so took over."""
    slots = section.equation.lhs.slots
    inner = path.locals[-1].steps if path.locals else ()
    upstream: dict[Index, Collapse] = {}
    own: dict[Index, Collapse] = {}
    for step in (*inner, *steps):
        match step.detail:
            case Collapse(_, killed, survivor) as collapse:
                clean = all(killed not in term.summed for term in step.after)
                if survivor in slots and clean:
                    found = upstream if killed in path.consumer.slots else own
                    found.setdefault(survivor, collapse)
    for key, collapses in (("read.pass", upstream), ("read.fixed", own)):
        if collapses:
            yield about_collapses(key, collapses)


def about_collapses(key: str, collapses: dict[Index, Collapse]) -> Spans:
    """One sentence about indices that took over sums, in the singular or the plural."""
    one = len(collapses) == 1
    return say(
        key if one else f"{key}.many",
        indices=listed(collapses),
        deltas=listed(collapse.delta for collapse in collapses.values()),
        killed=listed(collapse.killed for collapse in collapses.values()),
    )


def leftover_deltas(local: LocalDerivative, path: Path, *, brief: bool = False) -> Iterator[Block]:
    """What the deltas say that no sum inside has used up; in brief, nothing of those that only wait for a sum."""
    entry, wrt = local.partial.base, local.partial.wrt
    if not isinstance(entry, Access) or not local.result:
        return
    ties = [(delta, *pair) for delta in common_deltas(local.result) if (pair := tie(delta, entry, wrt)) is not None]
    if not ties:
        return
    compound = len(local.result) > 1 or any(isinstance(base, Add) and holds_delta(base) for base in walk(local.result))
    key = "remains.inner" if entry != path.consumer else "independent" if compound else "remains"
    if brief and key == "remains":
        return
    yield Paragraph(
        say(
            key if len(ties) == 1 else f"{key}.many",
            deltas=listed(delta for delta, _, _ in ties),
            entry=entry,
            wrt=wrt,
            matches=listed(Match(ours, theirs) for _, ours, theirs in ties),
            own=listed(ours for _, ours, _ in ties),
            indices=listed(theirs for _, _, theirs in ties),
        )
    )


def tie(delta: Delta, entry: Access, wrt: Access) -> tuple[Index, Index] | None:
    """The index of the entry and the index of the target that a delta ties, if it does."""
    for ours in (delta.left, delta.right):
        if ours in entry.slots and delta.other(ours) in wrt.slots:
            return ours, delta.other(ours)
    return None


def holds_delta(base: Add) -> bool:
    """Whether a parenthesis has a delta of its own."""
    return any(isinstance(inner, Delta) for inner in walk(base))


def common_deltas(terms: Terms) -> list[Delta]:
    """The deltas that are factors of every term."""
    first = [base for base in terms[0].bases if isinstance(base, Delta)]
    return [delta for delta in first if all(delta in term.bases for term in terms)]

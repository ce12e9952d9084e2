"""What a result says: which sum survived and why, which index only passes through; read off the steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from indexcalc.algebra.slots import indices_of_slot
from indexcalc.algebra.terms import Access, Add, Delta, Index, Iverson, Slot, Terms, own_indices, own_slots, walk
from indexcalc.calculus.steps import Collapse, Derivation, LocalDerivative, Path, Renamed, Rule, Section, Step
from indexcalc.notes.blocks import Block, Match, Paragraph, Span, Spans, Symbol
from indexcalc.notes.contributions import distance_from_mean, everywhere, products_of_rows
from indexcalc.notes.meanings import called, index_phrase, tensor_phrase, who
from indexcalc.notes.prose import listed, say
from indexcalc.program import Program

EXPLAINED = ("read.sum", "read.pass", "read.fixed")
"""The sentences that give reasons, which have a short form for when these have been given."""

ENTRYWISE = "entrywise"
"""What is told of the first gradient that is found entry by entry, and holds for all of them."""


def reading_of(derivation: Derivation, section: Section, told: Collection[str] = ()) -> list[Block]:
    """One paragraph about the result of a gradient with a single path; of what was `told` the reasons are known."""
    if len(section.paths) != 1 or is_a_sum_of_paths(section):
        return []
    (path,) = section.paths
    named = [eq.name for eq in derivation.backward.equations if any(term.summed for term in eq.terms)]
    return reading(derivation, section, path, named, told)


def is_a_sum_of_paths(section: Section) -> bool:
    """Whether contributions are added: of several paths, or of paths and what the loss gets directly."""
    return any(step.rule is Rule.PATHS for step in section.steps)


def path_reading(derivation: Derivation, section: Section, path: Path, told: Collection[str] = ()) -> list[Block]:
    """One paragraph about what one of several paths contributes."""
    return reading(derivation, section, path, (), told)


def explained(section: Section, path: Path) -> frozenset[str]:
    """What the reading of a path tells, of `EXPLAINED`."""
    steps, terms = read_off(section, path)
    collapses = dict(passed(section, path, steps))
    found = {"read.sum": surviving_sums(path, steps, terms), "read.pass": collapses.get("read.pass")}
    found["read.fixed"] = collapses.get("read.fixed")
    keys = frozenset(key for key in EXPLAINED if found[key])
    return keys | {ENTRYWISE} if is_entrywise(terms) else keys


def is_entrywise(terms: Terms) -> bool:
    """Whether an expression is made of entries at one place: it has no sum, and no delta of its own."""
    return bool(terms) and not any(term.summed for term in terms) and not any(isinstance(b, Delta) for b in walk(terms))


def read_off(section: Section, path: Path) -> tuple[tuple[Step, ...], Terms]:
    """The steps that a reading is about, and the terms they led to."""
    if is_a_sum_of_paths(section):
        return path.steps, path.result
    return (*path.steps, *section.steps), section.equation.terms


def reading(
    derivation: Derivation, section: Section, path: Path, named: Iterable[str], told: Collection[str]
) -> list[Block]:
    """The sentences about a result, as one paragraph; `named` are the tensors that hold sums."""
    program = derivation.problem.program
    steps, terms = read_off(section, path)
    # The sums in the gradient of another tensor are told with that one.
    own = [name for name in named if name not in derivation.gradients]
    of_its_own = (
        *surviving(derivation, section, path, steps, terms, again="read.sum" in told),
        *products_of_rows(section.equation.lhs, terms),
        *left_over(terms, own),
        *([] if is_a_sum_of_paths(section) else distance_from_mean(derivation, section)),
    )
    if ENTRYWISE in told and is_entrywise(terms) and of_its_own == (say("read.none"),):
        return []
    spans: list[Span] = list(say("reading"))
    sentences = (
        *of_its_own,
        *(
            about_collapses(program, key, found, key in told)
            for key, found in passed(section, path, steps)
            if key != "read.fixed" or key not in told
        ),
    )
    for number, sentence in enumerate(sentences):
        spans.extend([" ", *sentence] if number else sentence)
    # That there is no sum is seen at once.
    return [Paragraph(tuple(spans))] if sentences and sentences != (say("read.none"),) else []


def origins(steps: tuple[Step, ...]) -> dict[Index, Index]:
    """For every index that a step renamed, the dummy it was at the start."""
    source: dict[Index, Index] = {}
    for step in steps:
        if isinstance(step.detail, Renamed):
            found = {new: source.get(old, old) for old, new in step.detail.pairs}
            source = {name: old for name, old in source.items() if name not in dict(step.detail.pairs)} | found
    return source


def surviving_sums(path: Path, steps: tuple[Step, ...], terms: Terms) -> list[tuple[Index, Index]]:
    """The summed indices of a result that come from the chain rule, each with the dummy that it was."""
    source = origins(steps)
    pairs = ((index, source.get(index, index)) for term in terms for index in term.summed)
    return [pair for pair in dict.fromkeys(pairs) if pair[1] in path.consumer.slots]


def surviving(
    derivation: Derivation, section: Section, path: Path, steps: tuple[Step, ...], terms: Terms, *, again: bool
) -> Iterator[Spans]:
    """A sentence for the sums of the result that come from the chain rule, those with one factor together."""
    assert section.target is not None
    program = derivation.problem.program
    together: dict[Access | None, list[tuple[Index, Index]]] = {}
    every = sums = surviving_sums(path, steps, terms)
    # A dummy of the chain rule stands for the slot of the consumer in whose place it is.
    consumer = program.tensors.get(path.consumer.tensor)
    slots = dict(zip(path.consumer.indices, consumer.slots, strict=True)) if consumer is not None else {}
    for delta in dict.fromkeys(base for base in walk(terms) if isinstance(base, Delta) and not base.is_plain):
        moved = [index for index, _ in sums if index in own_indices(delta)]
        if moved:
            form = ".many" if len(moved) > 1 else ""
            yield say(f"read.moved{form}", indices=listed(moved), delta=delta, target=Symbol(section.target))
            sums = [pair for pair in sums if pair[0] not in moved]
    # A delta that tied the index in another term is no reason for the sum that is left in this one.
    # An entry alone has no index that a delta could tie.
    again = again or not section.equation.slots or any(origin in tied(path, section.target) for _, origin in sums)
    for index, origin in sums:
        together.setdefault(weight_of(terms, index, path), []).append((index, origin))
    inner = [index for term in terms for index in term.summed if index not in {pair[0] for pair in every}]
    for weight, pairs in together.items():
        form = (".again" if again else "") + (".many" if len(pairs) > 1 else "")
        indices = listed(index for index, _ in pairs)
        share = share_of(derivation, section.target, terms, [index for index, _ in pairs], slots)
        factor: Spans = ()
        if weight is not None:
            words = called(tensor_phrase(program, weight.tensor))
            factor = say("read.weight" if share else "read.weight.alone", weight=weight, called=words)
        names: dict[str, Span | list[Span]] = {"indices": indices, "target": Symbol(section.target)}
        names["origins"] = listed((origin for _, origin in pairs), "or")
        yield say(f"read.sum{form}", share=list(share), weight=list(factor), **names)
    if inner:
        key = "read.stays" if len(set(inner)) == 1 else "read.stays.many"
        yield say(key, indices=listed(dict.fromkeys(inner)), consumer=Symbol(path.consumer.tensor))


def share_of(
    derivation: Derivation, target: str, terms: Terms, indices: Sequence[Index], slots: Mapping[Index, Index]
) -> Spans:
    """Who contributes to a gradient, in the author's words; nothing where some values of an index are left out.

    A recurrence has steps at which its equations do not hold, and entries there that are zero.
    """
    program = derivation.problem.program
    steps = {one.step(program.definitions[name]) for one in program.recurrences for name in one.axes}
    masked = any(hides(derivation, base.tensor) for base in walk(terms) if isinstance(base, Access))
    if masked or not everywhere(terms, indices) or steps & set(indices):
        return ()
    phrases = {index: index_phrase(program, index) for index in indices}
    same = phrases[indices[0]] if len({*phrases.values()}) == 1 else None
    if len(indices) == 2 and same is not None and same.plural and not same.words.endswith("pairs"):
        names: list[Span] = [f"pairs of {same.words} (", indices[0], ", ", indices[1], ")"]
    else:
        names = [span for index in indices for span in (" and all ", *who(program, index, slots.get(index)))][1:]
    what = tensor_phrase(program, target)
    if what is None:
        return say("read.share", who=names)
    return say("read.share.of", who=names, what=what.words)


def hides(derivation: Derivation, tensor: str) -> bool:
    """Whether brackets make some entries of a tensor zero, in its equation or in that of a factor: a causal mask."""
    own = derivation.problem.program
    program = own if tensor in own.definitions else derivation.backward
    equation = program.definitions.get(tensor)
    if equation is None or not equation.terms:
        return False
    recurrence = program.recurrence_by_name.get(tensor)
    # Where a recurrence begins is not what is asked here.
    steps = {recurrence.step(equation)} if recurrence is not None else set()
    brackets = [base for base in walk(equation.terms) if isinstance(base, Iverson)]
    if any(not set(own_indices(base)) <= steps for base in brackets):
        return True
    if recurrence is not None or any(term.summed for term in equation.terms):
        return False
    factors = ({base.tensor for base in term.bases if isinstance(base, Access)} for term in equation.terms)
    return all(any(hides(derivation, name) for name in names if name != tensor) for names in factors)


def tied(path: Path, target: str) -> frozenset[Index]:
    """The dummies of the chain rule that some delta of the local derivative makes equal to an index of the target."""
    found: set[Index] = set()
    for local in path.locals:
        wrt = local.partial.wrt
        if wrt.tensor == target:
            deltas = (base for base in walk(local.result) if isinstance(base, Delta))
            pairs = (own_indices(delta) for delta in deltas)
            found.update(index for pair in pairs if set(pair) & set(wrt.indices) for index in pair)
    return frozenset(found & set(path.consumer.slots))


def left_over(terms: Terms, named: Iterable[str]) -> Iterator[Spans]:
    """What is said of a result without sums, and of deltas that stay in it."""
    if not terms:
        yield say("read.zero")
        return
    names = frozenset(named)
    parts = [base for base in walk(terms) if isinstance(base, Access) and base.tensor in names]
    if not any(term.summed for term in terms):
        hold = "holds" if len(set(parts)) == 1 else "hold"
        yield say("read.part", parts=listed(dict.fromkeys(parts)), hold=hold) if parts else say("read.none")
    with_delta = [any(isinstance(base, Delta) and base.is_plain for base in term.bases) for term in terms]
    if any(isinstance(base, Delta) and base.is_plain for base in walk(terms)):
        yield say("read.deltas" if all(with_delta) else "read.deltas.some")


def weight_of(terms: Terms, index: Index, path: Path) -> Access | None:
    """The one factor, beside the upstream gradient, that carries a surviving index."""
    if len(terms) != 1:
        return None
    upstream = {base.tensor for base in walk(path.steps[0].after) if isinstance(base, Access)}
    carriers = [base for base in terms[0].bases if index in own_indices(base)]
    others = [base for base in carriers if isinstance(base, Access) and base.tensor not in upstream]
    return others[0] if len(others) == 1 and len(carriers) == len(others) + 1 else None


def passed(section: Section, path: Path, steps: tuple[Step, ...]) -> list[tuple[str, dict[Index, Collapse]]]:
    """The indices of the target that deltas tied to sums, and so took over: of the chain rule, then of the consumer."""
    slots = section.equation.slots
    # Where entries at other places are read too, different values of an index do mix.
    slots_read = (slot for base in walk(section.equation.terms) for slot in own_slots(base))
    shifted = {index for slot in slots_read if not isinstance(slot, Index) for index in indices_of_slot(slot)}
    inner = path.locals[-1].steps if path.locals else ()
    upstream: dict[Index, Collapse] = {}
    own: dict[Index, Collapse] = {}
    for step in (*inner, *steps):
        match step.detail:
            case Collapse(_, killed, survivor) as collapse:
                clean = all(killed not in term.summed for term in step.after)
                if survivor in slots and clean and survivor not in shifted:
                    found = upstream if killed in path.consumer.slots else own
                    found.setdefault(survivor, collapse)
    return [(key, found) for key, found in (("read.pass", upstream), ("read.fixed", own)) if found]


def about_collapses(program: Program, key: str, collapses: dict[Index, Collapse], again: bool) -> Spans:
    """One sentence about indices that took over sums, in the singular or the plural."""
    phrases = {index: index_phrase(program, index) for index in collapses}
    parts: list[Span] = []
    for number, (index, found) in enumerate(phrases.items()):
        word = "" if not number else " and " if number == len(phrases) - 1 else ", "
        # The first time, and of what only passes through, the author's words stand beside the letter.
        parts.extend([word, index, *(called(found) if key == "read.pass" and not again else [])])
    first = next(iter(collapses))
    return say(
        key + (".again" if again else "") + (".many" if len(collapses) > 1 else ""),
        indices=[part for part in parts if part != ""],
        values=["values of ", first],
        deltas=listed(collapse.delta for collapse in collapses.values()),
        killed=listed(collapse.killed for collapse in collapses.values()),
    )


def leftover_deltas(local: LocalDerivative, path: Path, *, brief: bool = False) -> Iterator[Block]:
    """What the deltas say that no sum inside has used up; in brief, nothing of those that only wait for a sum."""
    entry, wrt = local.partial.base, local.partial.wrt
    if not isinstance(entry, Access) or not local.result:
        return
    common = common_deltas(local.result)
    ties = [(delta, *pair) for delta in common if (pair := tie(delta, entry, wrt)) is not None]
    compound = len(local.result) > 1 or any(isinstance(base, Add) and holds_delta(base) for base in walk(local.result))
    key = "remains.inner" if entry != path.consumer else "independent" if compound else "remains"
    if key == "remains":
        # Of entries at other places too, it is the steps of the chain rule that say which sum they collapse.
        found = {step.detail.delta: step.detail.killed for step in path.steps if isinstance(step.detail, Collapse)}
        waiting = [(delta, found[delta]) for delta in common if delta in found]
        if waiting and not brief:
            deltas, own = listed(delta for delta, _ in waiting), listed(dict.fromkeys(index for _, index in waiting))
            yield Paragraph(say(key if len(waiting) == 1 else f"{key}.many", deltas=deltas, own=own))
        return
    if not ties:
        return
    yield Paragraph(
        say(
            key if len(ties) == 1 else f"{key}.many",
            deltas=listed(delta for delta, _, _ in ties),
            entry=entry,
            wrt=wrt,
            matches=listed(Match(ours, theirs) for _, ours, theirs in ties),
            indices=listed(theirs for _, _, theirs in ties),
        )
    )


def tie(delta: Delta, entry: Access, wrt: Access) -> tuple[Slot, Index] | None:
    """The index of the entry and the index of the target that a delta ties, if it does."""
    for ours in (delta.left, delta.right):
        theirs = delta.other(ours)
        if ours in entry.slots and isinstance(theirs, Index) and theirs in wrt.slots:
            return ours, theirs
    return None


def holds_delta(base: Add) -> bool:
    """Whether a parenthesis has a delta of its own."""
    return any(isinstance(inner, Delta) for inner in walk(base))


def common_deltas(terms: Terms) -> list[Delta]:
    """The deltas that are factors of every term."""
    first = [base for base in terms[0].bases if isinstance(base, Delta)]
    return [delta for delta in first if all(delta in term.bases for term in terms)]

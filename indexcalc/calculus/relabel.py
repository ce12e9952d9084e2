"""Names for dummies as an author would choose them: those declared for the slots they stand in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.algebra.renaming import fresh_indices, rename_bound
from indexcalc.algebra.terms import Access, Index, Term, Terms, index_names, own_indices, walk
from indexcalc.calculus.steps import Renamed, Rule, Step, Subject
from indexcalc.program import Program


@dataclass(frozen=True)
class Nomenclature:
    """The names an author uses: the declared slots of every tensor, and the declared indices in order."""

    slots: Mapping[str, tuple[Index, ...]]
    indices: tuple[Index, ...]

    def candidates(self, index: Index, term: Term) -> Iterator[Index]:
        """Names for a dummy: those of the slots it stands in, then all declared ones of its extent."""
        for base in walk(term):
            if isinstance(base, Access) and base.tensor in self.slots:
                for declared, actual in zip(self.slots[base.tensor], base.slots, strict=True):
                    if actual == index and declared.extent == index.extent:
                        yield declared
        yield from (declared for declared in self.indices if declared.extent == index.extent)


def relabel(subject: Subject, terms: Terms, names: Nomenclature) -> tuple[Step, ...]:
    """One step that gives every dummy an author's name; none if they all have one."""
    outer = frozenset(index.name for base in walk_subject(subject) for index in own_indices(base))
    renamed: list[Term] = []
    pairs: dict[tuple[Index, Index], None] = {}
    for term in terms:
        renaming = choose(term, names, outer)
        renamed.append(rename_bound(term, renaming))
        pairs.update(dict.fromkeys((old, new) for old, new in renaming.items() if old != new))
    after = tuple(renamed)
    if after == terms:
        return ()
    return (Step(Rule.RELABEL, subject, terms, after, Renamed(tuple(pairs))),)


def walk_subject(subject: Subject) -> Iterator[Access]:
    """The entries that a subject is written with."""
    if isinstance(subject, Access):
        yield subject


def choose(term: Term, names: Nomenclature, outer: Collection[str]) -> dict[Index, Index]:
    """A name for each sum of a term, none of them free in it, none used twice, and none that a tensor has."""
    taken = {*outer, *(index.name for index in free_in(term)), *names.slots}
    chosen: dict[Index, Index] = {}
    for index in term.summed:
        candidate = next((c for c in names.candidates(index, term) if c.name not in taken), None)
        if candidate is None:
            (candidate,) = (index,) if index.name not in taken else fresh_indices((index,), taken | index_names(term))
        chosen[index] = candidate
        taken.add(candidate.name)
    return chosen


def free_in(term: Term) -> Sequence[Index]:
    """The indices that the term does not sum over."""
    return [index for base in walk(term) for index in own_indices(base) if index not in term.summed]


def other_indices(slots: Sequence[Index], taken: Sequence[Index], program: Program) -> tuple[Index, ...]:
    """Indices for slots that stand beside others: as they are declared, else others that the author declared."""
    used = {index.name for index in taken}
    found: list[Index] = []
    for slot in slots:
        candidates = (slot, *(index for index in program.indices if index.extent == slot.extent))
        chosen = next((index for index in candidates if index.name not in used), None)
        if chosen is None:
            (chosen,) = fresh_indices((slot,), program.names | used)
        used.add(chosen.name)
        found.append(chosen)
    return tuple(found)

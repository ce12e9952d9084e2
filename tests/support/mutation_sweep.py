"""Every shipped note with one equation broken at a time: is the broken line refuted, and no other?

``python -m tests.support.mutation_sweep [--each N] [--seed N] [NAME ...]`` breaks `N` equations of each
note in each of the twelve ways and prints what was found; the test suite takes a small sample of it.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from unittest.mock import patch

from indexcalc.document import CheckReport, Claim, Verdict, check
from indexcalc.document.repair.correcting import Corrector
from indexcalc.document.statements.outline import Statement, outline
from indexcalc.errors import IndexCalcError
from indexcalc.language import load_problem
from indexcalc.language.document import read_document
from indexcalc.library import shipped_paths
from indexcalc.rewrite.derive import derive
from tests.support.formulas import Note, UnreadableError, key_of, note_of
from tests.support.labelled import MismatchError, equal
from tests.support.mutants import KINDS, indexed_names, member_text, mutants

TRIES = 40
"""How many edits are tried for one that changes the meaning and can be evaluated."""

REACH = 6
"""How many columns a member's beginning may move by an edit."""


@dataclass(frozen=True)
class Member:
    """A member of a chain that was found true: the texts of all members, its place among them and in the note."""

    texts: tuple[str, ...]
    place: int
    start: int
    claim: Claim


@dataclass(frozen=True)
class Broken:
    """A broken note: where and how, and what the checker says."""

    name: str
    kind: str
    line: int
    before: str
    after: str
    verdicts: tuple[str, ...]
    accused: tuple[int, ...]

    @property
    def found(self) -> bool:
        """Whether the broken member is refuted."""
        return str(Verdict.REFUTED) in self.verdicts

    def __str__(self) -> str:
        return f"{self.name}:{self.line} {self.kind}: {self.before}  ->  {self.after}  {self.verdicts} {self.accused}"


@cache
def source_of(name: str) -> str:
    """The text of a shipped note."""
    return shipped_paths()[name].with_suffix(".md").read_text(encoding="utf-8")


@cache
def report_of(name: str, *, proofs: bool = True) -> CheckReport:
    """The check of a shipped note as it is; without proofs, what is true is confirmed."""
    return check(source_of(name), f"{name}.md") if proofs else quick_check(source_of(name), f"{name}.md")


def quick_check(source: str, name: str) -> CheckReport:
    """The check of a document without corrections and proofs, which take long and accuse nothing."""
    with (
        patch.object(Corrector, "correction", lambda self, relation, interpretation: None),
        patch.object(import_module("indexcalc.document.check"), "proved", lambda *relation: False),
    ):
        return check(source, name)


@cache
def values_of(name: str) -> Note:
    """The values of a shipped derivation."""
    return note_of(derive(load_problem(shipped_paths()[name])))


@cache
def members_of(name: str) -> tuple[Member, ...]:
    """The members of a note's chains that were found true, in order."""
    source = source_of(name)
    document = read_document(source, f"{name}.md")
    true = {
        (claim.line, claim.column): claim
        for claim in report_of(name, proofs=False).claims
        if claim.verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    }
    found = []
    for statement in outline(document)[0]:
        texts = texts_of(source, statement)
        for place, side in enumerate(statement.sides):
            claim = true.get(document.place(side.start))
            if place and claim is not None:
                found.append(Member(texts, place, side.start, claim))
    return tuple(found)


def texts_of(source: str, statement: Statement) -> tuple[str, ...]:
    """The texts of a chain's members."""
    return tuple(member_text(source, side.start) for side in statement.sides)


def broken(name: str, kind: str, each: int, seed: int = 0) -> Iterator[Broken]:
    """Up to `each` notes with one equation broken in one way, chosen by the seed."""
    source = source_of(name)
    names = {
        rank: tuple(one for one in found if rank_of(name, one) == rank) for rank, found in indexed_names(source).items()
    }
    chance = random.Random(f"{seed} {name} {kind}")
    members = list(members_of(name))
    chance.shuffle(members)
    count = tries = 0
    for member in members:
        text = member.texts[member.place]
        edits = [mutant.text for mutant in mutants(text, member.texts[0], names) if mutant.kind == kind]
        if count == each or tries == TRIES * each:
            return
        if not edits:
            continue
        tries += 1
        edited = chance.choice(edits)
        if changed(name, member, edited):
            count += 1
            yield judged(name, kind, member, edited)


def rank_of(name: str, latex: str) -> int:
    """The number of slots of a tensor of a note; -1 if it has no such tensor."""
    note = values_of(name)
    tensor = note.tensors.get(key_of(latex))
    return note.context.named[tensor].ndim if tensor is not None else -1


def changed(name: str, member: Member, edited: str) -> bool:
    """Whether an edit changes the value of a member; not if that cannot be told."""
    note = values_of(name)
    try:
        letters = note.letters(member.texts)
        original = note.value(member.texts[member.place], letters)
        try:
            return not equal(original, note.value(edited, {**note.letters((edited,)), **letters}))
        except MismatchError:
            return True
    except (UnreadableError, IndexCalcError, IndexError, StopIteration):
        return False


def judged(name: str, kind: str, member: Member, edited: str) -> Broken:
    """What the checker says of a note with one member edited."""
    source, text = source_of(name), member.texts[member.place]
    start = source.rindex(text[:2], 0, member.start + 2)
    assert source.startswith(text, start)
    report = quick_check(source[:start] + edited + source[start + len(text) :], f"{name}.md")
    claim = member.claim
    here = [
        str(found.verdict) if found.verdict is Verdict.REFUTED else f"{found.verdict}: {found.reason}"
        for found in report.claims
        if found.line == claim.line and abs(found.column - claim.column) <= REACH
    ]
    accused = tuple(found.line for found in report.refuted if found.line != claim.line)
    return Broken(name, kind, claim.line, text, edited, tuple(here), accused)


def main() -> None:
    """Print the share of broken equations that are refuted, by kind, and those that are not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS)
    options = parser.parse_args()
    found: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for name in options.names or shipped_paths():
        print(name, {verdict: count for verdict, count in report_of(name).counts.items() if count}, flush=True)
        for kind in [options.kind] if options.kind else KINDS:
            for one in broken(name, kind, options.each, options.seed):
                tried[kind] += 1
                found[kind] += one.found
                if not one.found or one.accused:
                    print(one, flush=True)
    for kind in tried:
        print(f"{kind}: {found[kind]} of {tried[kind]}")
    print(f"all: {found.total()} of {tried.total()}")


if __name__ == "__main__":
    main()

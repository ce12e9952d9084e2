"""How many slots a name has of which nothing says so: choices whose costs come from its letter and its use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from indexcalc.document.choices import Choice, Kind, Option, choice
from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.labels import SAMPLES
from indexcalc.document.statements.survey import Usage

FAMILY = " with an index"
"""How a choice calls a name that bears one index."""

WORDS = ("a number", "a vector", "a matrix")
"""What a report calls an array, by how many slots it has."""

OF_CALLS: Mapping[str, Mapping[int, float]] = {
    "Cov": {0: 0.0, 2: 0.1, 1: 1.5},
    "Var": {0: 0.0, 2: 0.2, 1: 0.4},
    "E": {0: 0.0, 1: 0.2, 2: 0.4},
    "": {0: 0.0, 1: 0.5, 2: 1.5},
}
"""The costs of being a number, a vector or a matrix, of values of which no more is known than their operator."""

SAID = {"matrix": 2, "vector": 1, "scalar": 0}
"""How many slots a name has that is a word, as in ``keyMatrix``, by the end of the word."""


def rank_choice(
    name: str, usage: Usage | None, here: Usage | None, *, unknown: bool, said: int | None = None
) -> Choice:
    """How many slots a name has that never bears an index and has no shape: what words say comes before its letter.

    How it is used in the whole document counts, and whether it is so used `here`, in the section.
    """
    if said is not None:
        costs: Mapping[int, float] = as_said(said, (0, 1, 2))
    elif is_call(name):
        costs = OF_CALLS.get(re.split(r"[(\[_|]", name, maxsplit=1)[0], OF_CALLS[""])
    elif usage is not None and (usage.turns or usage.flows):
        costs = costs_of_field(name.partition("_")[0].partition("^")[0], usage)
    else:
        costs = rank_costs(name, usage, here, unknown=unknown)
    return choice(Kind.RANK, name, *(rank_option(name, rank, cost, said) for rank, cost in costs.items()))


def as_said(said: int, ranks: Iterable[int]) -> dict[int, float]:
    """The costs where the document says how many slots a name has."""
    return {rank: 0.0 if rank == said else 1.0 for rank in ranks}


def rank_option(name: str, rank: int, cost: float, said: int | None) -> Option:
    """One number of slots, and whether the document says it."""
    return Option(str(rank), cost, f"{name} is {WORDS[rank]}", stated=rank == said)


PAIR = re.compile(r"_[a-z]{2}$")
"""How a name ends that says of which two parts it is: ``Sigma_ab``."""


def rank_costs(name: str, usage: Usage | None, here: Usage | None, *, unknown: bool) -> Mapping[int, float]:
    """The costs of being a number, a vector or a matrix."""
    letter = re.sub(r"^(?:\w+ )+", "", name).partition("_")[0].partition("^")[0]
    if usage is not None and usage.numerator and not usage.below and not usage.indexed:
        if letter.isupper() and here is not None and not here.numerator:  # a loss, but in another section
            return {0: 0.0, 1: 0.4, 2: 0.4}
        if letter.isupper():  # a loss, rather than a vector
            return {0: 0.0, 1: 1.0, 2: 1.5 if unknown else 0.5}
        if unknown:
            return {0: 0.0, 1: 0.5, 2: 1.0}
    if usage is not None and usage.scalar and not usage.transposed:
        return {0: 0.0, 1: 1.0, 2: 1.0}
    said = next((rank for word, rank in SAID.items() if letter.lower().endswith(word)), None)
    if said is not None:
        return {said: 0.0} | {rank: 1.0 for rank in (0, 1, 2) if rank != said}
    if letter.isupper() and len(letter) == 1:
        return {2: 0.0, 1: 1.0, 0: 1.0}
    if letter[:1].isupper() and letter.lower() in GREEK:
        if usage is not None and usage.bold:
            return {2: 0.0, 1: 0.5, 0: 1.0}
        return {2: 0.0, 0: 0.2, 1: 1.0} if PAIR.search(name) else {0: 0.0, 2: 0.2, 1: 1.0}
    if usage is not None and usage.bold:
        return {1: 0.0, 2: 1.0, 0: 1.0}
    return small_costs(letter, usage)


def small_costs(letter: str, usage: Usage | None) -> Mapping[int, float]:
    """The costs of being a number, a vector or a matrix, of a small letter in no font."""
    if usage is not None and (usage.transposed or usage.normed) and letter not in GREEK:
        return {1: 0.0, 0: 1.0, 2: 1.5}
    if usage is not None and usage.signs >= {"times", "cdot"}:  # who uses both tells them apart
        return {1: 0.0, 0: 0.1, 2: 1.5}
    if usage is not None and usage.behind and (letter in GREEK or len(letter) == 1):  # a matrix times a vector
        return {0: 0.0, 1: 0.1, 2: 1.0} if letter in GREEK else {1: 0.0, 0: 0.1, 2: 1.5}
    if letter in GREEK:
        return {0: 0.0, 1: 0.6, 2: 1.0}
    if letter in ("a", "b", "c", "u", "v", "w", "x", "y", "z"):
        return {0: 0.0, 1: 0.1, 2: 1.5}
    return {0: 0.0, 1: 0.5, 2: 1.5}


def costs_of_field(letter: str, usage: Usage) -> Mapping[int, float]:
    """The costs of a field that flows, or turns around: a vector, or a matrix, whose divergence is a vector."""
    if usage.turns:
        return {1: 0.0, 2: 1.5, 0: 1.5}
    if 2 in usage.indexed:
        return {2: 0.0, 1: 1.0, 0: 1.5}
    if usage.bold and (letter.isupper() or letter in GREEK):
        return {2: 0.0, 1: 0.1, 0: 1.5}
    return {1: 0.0, 2: 0.3 if letter.isupper() else 0.6, 0: 1.5}


def family_choice(
    name: str, count: int, usage: Usage | None, *, numbered: bool, said: int | None = None, hint: bool = False
) -> Choice | None:
    """Whether an index says which of several arrays is meant, as in ``x_i^T x_j``; None where nothing hints at it."""
    if usage is None or count != 1:
        return None
    if said is not None:
        costs = as_said(said, {0, 1, said, *((2,) if numbered else ())})
    elif usage.normed:
        costs = {1: 0.0, 0: 0.6}
    elif usage.transposed or usage.bold:
        costs = {1: 0.0, 0: 0.2 if usage.transposed else 0.1}
        if usage.bold and name[:1].isupper():  # the covariance of each class
            costs[2] = 0.1
    elif hint:
        costs = {0: 0.0, 1: 0.1}
    elif numbered or name.endswith(SAMPLES):
        costs = {0: 0.0, 1: 0.5}
    else:
        return None
    if numbered and said is None and 2 not in costs:  # as the weights of layers are
        costs[2] = 0.5 if name[:1].isupper() else 1.0
    return choice(
        Kind.RANK,
        f"{name}{FAMILY}",
        *(rank_option(f"{name}{FAMILY}", rank, cost, said) for rank, cost in costs.items()),
    )


ENTRY = re.compile(r"[A-Z]_\d\d")
"""A capital with two numbers below it: an entry of a matrix, or one of its blocks."""


def entries_choice(usages: Iterable[Usage]) -> Choice:
    """Whether capitals with two numbers below, ``A_{11}`` beside ``A_{12}``, are entries or blocks: all of them alike.

    No entry is transposed.
    """
    name = "a capital with two numbers below it"
    costs = {2: 0.0, 0: 1.0 if any(usage.transposed for usage in usages) else 0.5, 1: 1.0}
    return choice(Kind.RANK, name, *(rank_option(name, rank, cost, None) for rank, cost in costs.items()))


SIZE = "size"
"""The option that a name is that of a size."""


def size_choice(name: str) -> Choice:
    """Whether a name is that of a size which is also a term beside arrays, or an array with the same letter."""
    costs = rank_costs(name, None, None, unknown=False)
    ranks = (rank_option(name, rank, 0.1 + cost, None) for rank, cost in costs.items() if rank)
    return choice(Kind.RANK, name, Option(SIZE, 0.0, f"{name} is the size of an axis"), *ranks)


def row_choice(name: str, count: int) -> Choice:
    """Whether a name with fewer indices than its definition is a row of that array, or another one."""
    return choice(
        Kind.RANK,
        f"{name} with {count} indices",
        Option("row", 0.0, f"{name} with {count} of its indices is a row"),
        Option("other", 0.1, f"{name} with {count} indices is another array"),
    )

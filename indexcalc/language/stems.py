"""What a generated name says: a mean of ``X`` is ``X_mean``, a sum of ``X[n,m] * W[m,h]`` is ``XW``.

The words are those of the statistic that the formula is, however it was spelled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import sympy as sp

from indexcalc.algebra.terms import Access, Add, Fn, Index, Power, Term, Terms

DENOMINATOR = "Z"
"""The name of a sum in a denominator or a logarithm, and of every sum of exponentials; the tensor that it is for
follows from the second on: ``Z_r``."""

ARGUMENT = "u"
"""The name of a sum in any other non-linear place, of which no more can be said, in a formula without a name."""

ALONE = {
    "mean": "mu",
    "softmax": "p",
    "logsoftmax": "logp",
    "max": "largest",
    "min": "smallest",
    "sum": "total",
    "arg": ARGUMENT,
}
"""What stands in the place of a word where it stands alone: the names of functions are no names of tensors."""

IsMeanOf = Callable[[str, Terms], bool]

FACTOR_LIMIT = 3
"""The most factors whose names are put side by side: ``XW``."""


def stem_of(terms: Terms, place: str, generated: Collection[str], is_mean_of: IsMeanOf) -> str:
    """The name that what is summed suggests, before a number makes it a new one.

    Args:
        terms: what gets the name.
        place: the name for the place where it stands, if the sum itself says nothing.
        generated: the names that were made up before; they lend none.
        is_mean_of: whether a tensor holds the mean of some terms.
    """
    if mean_body(terms) is not None:
        place = alone("mean")
    if len(terms) != 1 or not terms[0].summed:
        return place
    (term,) = terms
    average = is_mean(term)
    if not average and any(isinstance(base, Fn) and base.name == "exp" for base in term.bases):
        return DENOMINATOR
    body = only_factor(term)
    if body is None:
        product = product_stem(term, generated) if place != DENOMINATOR else ""
        return (f"{product}_mean" if average else product) if product else place
    base, exponent = body
    if isinstance(base, Access) and exponent == 1 and place != DENOMINATOR:
        return described(base, "mean" if average else "sum", generated)
    if exponent != 2:
        return place
    if isinstance(base, Access):
        return described(base, "ms" if average else "sq", generated)
    return square_stem(base, average, generated, is_mean_of) if isinstance(base, Add) else place


def square_stem(base: Add, average: bool, generated: Collection[str], is_mean_of: IsMeanOf) -> str:
    """A variance, a squared distance, or a mean squared error: what a sum of squared differences is."""
    *rest, last = base.terms
    centre = entry_of((Term(-last.coeff, last.powers),))
    if centre is not None and is_mean_of(centre.tensor, tuple(rest)):
        return described(entry_of(tuple(rest)), "var" if average else "scatter", generated)
    entry = entry_of(tuple(rest))
    if entry is None or centre is None:
        return "ms" if average else "sq"
    if entry.tensor != centre.tensor:
        return "mse" if average else "dist"
    return described(entry, "msd" if average else "dist", generated)


def alone(stem: str) -> str:
    """The word of ``X_mean`` by itself, which takes a number: ``X^{mean2}`` would read as a power."""
    word = stem.rpartition("_")[2]
    return ALONE.get(word, word)


def described(body: Access | None, word: str, generated: Collection[str]) -> str:
    """``X_mean``; a word that stands alone where what it is taken of has no name of the author's."""
    return alone(word) if body is None or body.tensor in generated else f"{body.tensor}_{word}"


def entry_of(terms: Terms) -> Access | None:
    """The entry of a tensor that the terms are, without a factor or a power; None if they are anything else."""
    if len(terms) != 1 or terms[0].coeff != 1 or terms[0].summed:
        return None
    body = only_factor(terms[0])
    return body[0] if body is not None and body[1] == 1 and isinstance(body[0], Access) else None


def only_factor(term: Term) -> Power | None:
    """The one factor of a term, to whatever power."""
    return term.powers[0] if len(term.powers) == 1 else None


def is_mean(term: Term) -> bool:
    """Whether the coefficient is one over the number of entries that are summed."""
    return bool(term.coeff * sp.Mul(*(index.extent for index in term.summed)) == 1)


def mean_body(terms: Terms) -> Terms | None:
    """``x`` if the terms are the mean of x over some indices; None if they are no mean."""
    if not terms or not terms[0].summed or len({term.summed for term in terms}) != 1:
        return None
    count = sp.Mul(*(index.extent for index in terms[0].summed))
    body = tuple(Term(term.coeff * count, term.powers) for term in terms)
    extents = {symbol for index in terms[0].summed for symbol in index.extent.free_symbols}
    return body if all(extents.isdisjoint(term.coeff.free_symbols) for term in body) and count != 1 else None


def product_stem(term: Term, generated: Collection[str]) -> str:
    """``XW`` for a sum of ``X[n,m] * W[m,h]``, ``QK`` for one of ``Q[i,k] * K[j,k]``; empty for other sums."""
    entries = [base for base, exponent in term.powers if isinstance(base, Access) and exponent == 1 and base.slots]
    if len(entries) < len(term.powers) or not 2 <= len(entries) <= FACTOR_LIMIT:
        return ""
    orders = [order for order in (entries, entries[::-1]) if is_chain(order, term.summed)]
    if not orders and (len(entries) > 2 or term.summed != (entries[0].slots[-1],) or not same_end(entries)):
        return ""
    names = [entry.tensor for entry in (orders[0] if orders else entries)]
    plain = all(name.isalpha() for name in names[:-1]) and names[-1].split("_")[0].isalpha()
    return "".join(names) if plain and not {*names} & {*generated} else ""


def is_chain(entries: Sequence[Access], summed: tuple[Index, ...]) -> bool:
    """Whether each entry ends in the index that the next one begins with, and these are what is summed over."""
    links = [(one.slots[-1], other.slots[0]) for one, other in pairwise(entries)]
    return all(end == start for end, start in links) and {end for end, _ in links} == set(summed)


def same_end(entries: Sequence[Access]) -> bool:
    """Whether all entries end in the same index, as rows do whose inner products are taken."""
    return len({entry.slots[-1] for entry in entries}) == 1

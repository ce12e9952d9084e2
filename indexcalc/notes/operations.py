"""What an equation does, read off its structure: a matrix product over k, a softmax over j, a merge of (h, k)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import is_negative
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.slots import indices_of_slot, parts_of_slot, slot_text
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Term,
    Terms,
    free_indices,
    occurring_indices,
    own_lookups,
    walk,
)
from indexcalc.notes.blocks import Span, Spans
from indexcalc.notes.prose import listed
from indexcalc.program import Equation, Program


@dataclass(frozen=True, slots=True)
class Operation:
    """One kind of operation, such as a matrix product; `over` are the indices it runs over."""

    name: str
    over: tuple[Index, ...] = ()

    @property
    def spans(self) -> Spans:
        """In words, indices as formulas."""
        return (self.name, " over ", *listed(self.over)) if self.over else (self.name,)

    @property
    def text(self) -> str:
        """In words, in plain text."""
        if not self.over:
            return self.name
        return f"{self.name} over {''.join(map(str, listed(index.name for index in self.over)))}"


COPY = Operation("copy")
"""Every entry stays where it is."""


def operations_of(equation: Equation, program: Program) -> tuple[Operation, ...]:
    """What an equation does, the parts in authored order; equal parts are said once."""
    normal = normalised_over(equation, program.definitions)
    if normal is not None:
        exponential = any(isinstance(base, Fn) and base.name == "exp" for base in walk(equation.terms))
        return (Operation("softmax" if exponential else "normalisation", normal),)
    if len(equation.terms) == 1:
        return tuple(term_operations(equation.terms[0], equation.lhs, program))
    whole = [term for term in equation.terms if term.powers and not is_plain(term)]
    parts = [part for term in whole for part in term_operations(term, equation.lhs, program)]
    return tuple(dict.fromkeys((*parts, addition(equation))))


def addition(equation: Equation) -> Operation:
    """A sum of terms; a bias is one with fewer indices than the result, and it is broadcast."""
    narrow = [term for term in equation.terms if is_plain(term) and missing(term, equation.lhs)]
    negative = [term for term in equation.terms if is_negative(term.coeff)]
    kind = "subtraction" if negative and len(equation.terms) == 2 else "addition"
    return Operation(f"{kind} with broadcast", missing(narrow[0], equation.lhs)) if narrow else Operation(kind)


def is_plain(term: Term) -> bool:
    """Whether a term is one entry and nothing else."""
    return not term.summed and len(term.powers) == 1 and isinstance(term.bases[0], Access) and term.powers[0][1] == 1


def missing(term: Term, lhs: Access) -> tuple[Index, ...]:
    """The indices of the result that a term does not have."""
    return tuple(slot for slot in lhs.indices if slot not in free_indices(term))


def normalised_over(equation: Equation, definitions: Mapping[str, Equation]) -> tuple[Index, ...] | None:
    """The indices of a normalisation: the equation divides something by its own sum; None if it does not."""
    if len(equation.terms) != 1 or equation.terms[0].summed:
        return None
    term = equation.terms[0]
    below = [base for base, exponent in term.powers if exponent == -1 and isinstance(base, Access)]
    above = {base: exponent for base, exponent in term.powers if base not in below}
    if len(below) != 1 or not isinstance(below[0], Access) or below[0].tensor not in definitions:
        return None
    total = definitions[below[0].tensor]
    if len(total.terms) != 1 or term.coeff != total.terms[0].coeff:
        return None
    kept = dict(zip(total.slots, below[0].slots, strict=True))
    over = tuple(slot for slot in equation.slots if slot not in below[0].slots)
    if len(over) != len(total.terms[0].summed) or not over:
        return None
    inner = (Term(sp.S.One, total.terms[0].powers),)
    (body,) = substitute(inner, {**kept, **dict(zip(total.terms[0].summed, over, strict=True))})
    return over if dict(body.powers) == above else None


def term_operations(term: Term, lhs: Access, program: Program) -> Iterator[Operation]:
    """What one term does: its sum or product first, then a scalar in front."""
    factors = [base for base in term.bases if not isinstance(base, Delta | Iverson)]
    mean = is_mean(term)
    scaled = bool(abs_of(term.coeff) != 1 and not mean and factors)
    if is_plain(term) and isinstance(term.bases[0], Access):
        yield from (move for move in moved(term.bases[0], lhs, program) if move != COPY or not scaled)
    elif term.summed and any(isinstance(base, Delta) and not base.is_plain for base in term.bases):
        yield Operation("scatter-add of products" if len(factors) > 1 else "scatter-add", term.summed)
    elif term.summed and len(factors) > 1 and len(inside := inside_sums(term, factors)) == 1:
        yield Operation(f"{'mean' if mean else 'sum'}{of_what(term, inside)}", term.summed)
        below = any(exponent.could_extract_minus_sign() for base, exponent in term.powers if base not in inside)
        yield Operation("quotient entry by entry" if below else "product entry by entry")
    elif term.summed and len(factors) > 1:
        yield from applied(factors)
        ways = {way_of(base) for base in factors if isinstance(base, Access) and not base.is_plain}
        of = " of lookups" if "lookup" in ways else " of windows" if "window" in ways else ""
        name = product_name(term, factors)
        yield Operation(f"{'mean of products' if mean and name == 'inner product' else name}{of}", term.summed)
    elif term.summed:
        yield Operation(f"{'mean' if mean else 'sum'}{of_what(term, factors)}", term.summed)
    else:
        yield from entrywise(term, factors, lhs, program)
    if any(isinstance(base, Iverson) for base in term.bases):
        yield Operation("mask")
    if scaled:
        yield Operation("scaling")


def inside_sums(term: Term, factors: Sequence[Base]) -> list[Base]:
    """The factors that depend on an index of the term's sums."""
    return [base for base in factors if set(occurring_indices(base)) & set(term.summed)]


def applied(factors: Sequence[Base]) -> Iterator[Operation]:
    """The functions and the sums of terms among the factors of a product, each once."""
    names = dict.fromkeys(base.name for base in factors if isinstance(base, Fn))
    yield from (Operation(f"{name}, entry by entry") for name in names)
    yield from dict.fromkeys(addition_of(base.terms) for base in factors if isinstance(base, Add))


def addition_of(terms: Terms) -> Operation:
    """A sum of terms in a parenthesis."""
    return Operation("subtraction" if len(terms) == 2 and any(is_negative(t.coeff) for t in terms) else "addition")


def abs_of(coeff: sp.Expr) -> sp.Expr:
    """A scalar without its sign."""
    return -coeff if is_negative(coeff) else coeff


def is_mean(term: Term) -> bool:
    """Whether a sum is divided by the number of its values."""
    count = sp.Mul(*(index.extent for index in term.summed))
    return bool(term.summed) and abs_of(term.coeff) * count == 1


def of_what(term: Term, factors: Sequence[Base]) -> str:
    """What a sum of single factors adds up."""
    if not factors:
        return ""
    exponent = dict(term.powers)[factors[0]]
    if isinstance(factors[0], Fn):
        return f" of {factors[0].name}"
    return " of squares" if exponent == 2 else "" if exponent == 1 else " of powers"


def product_name(term: Term, factors: Sequence[Base]) -> str:
    """Which product is summed: an index that both factors keep is a batch, one that only one keeps is an axis."""
    if len(factors) != 2:
        return "contraction"
    own = [set(free_indices(base)) - set(term.summed) for base in factors]
    left, right = own[0] - own[1], own[1] - own[0]
    if left and right:
        return "matrix product"
    return "matrix-vector product" if left or right else "inner product"


def moved(base: Access, lhs: Access, program: Program) -> Iterator[Operation]:
    """Entries that only change their place: transposed, split, merged, broadcast, read under expressions."""
    if not base.is_plain:
        yield Operation(way_of(base))
        return
    common = [slot for slot in lhs.indices if slot in base.slots]
    if len(set(base.slots)) < len(base.slots):
        yield Operation("diagonal")
    elif list(base.slots) != common:
        yield Operation("transpose")
    wide = tuple(slot for slot in lhs.indices if slot not in occurring_indices(base))
    if wide:
        yield Operation("broadcast", wide)
    before, after = fused_axes(base, program), fused_axes(lhs, program)
    for axis in after:
        if axis not in before:
            yield Operation(f"merge of ({', '.join(axis)})")
    for axis in before:
        if axis not in after:
            yield Operation(f"split into ({', '.join(axis)})")
    if list(base.slots) == list(lhs.slots) and before == after:
        yield COPY


def way_of(base: Access) -> str:
    """How an entry under expressions is read: looked up, at one place, some steps off, or in windows."""
    if own_lookups(base):
        return "lookup"
    counts = [len(indices_of_slot(slot)) for slot in base.slots if not isinstance(slot, Index)]
    return "slice" if not any(counts) else "shift" if max(counts) == 1 and is_shifted(base) else "window"


def is_shifted(base: Access) -> bool:
    """Whether all expressions in the slots of an entry are an index and a number."""
    parts = [part for slot in base.slots for part in parts_of_slot(slot)]
    return all(abs(weight) == 1 for _, weight in parts)


def fused_axes(base: Access, program: Program) -> list[tuple[str, ...]]:
    """The axes of an entry that fuse several slots, by the names of their indices."""
    sizes = program.layouts.get(base.tensor, ())
    names, found = [slot_text(slot) for slot in base.slots], []
    for size in sizes:
        found.append(tuple(names[:size]))
        names = names[size:]
    return [axis for axis in found if len(axis) > 1]


MATRIX_FUNCTIONS = {
    "det": "determinant",
    "logdet": "logarithm of the determinant",
    "cholesky": "Cholesky factor",
}
"""What a function of a matrix is, by its word."""


def entrywise(term: Term, factors: Sequence[Base], lhs: Access, program: Program) -> Iterator[Operation]:
    """A product, a quotient or a function of single entries."""
    if len(factors) == 1:
        exponent = dict(term.powers)[factors[0]]
        if isinstance(factors[0], Fn):
            yield Operation(f"{factors[0].name}, entry by entry")
        elif isinstance(factors[0], MatrixFunction):
            yield Operation(MATRIX_FUNCTIONS[factors[0].word])
        elif isinstance(factors[0], Add) and exponent == 1:
            yield addition(Equation(lhs, factors[0].terms))
        elif isinstance(factors[0], Access) and exponent == 1:
            # A delta or a bracket stands beside it.
            yield from (move for move in moved(factors[0], lhs, program) if move != COPY)
            if any(isinstance(base, Delta) for base in term.bases):
                yield Operation("mask")
        else:
            yield Operation(POWERS.get(exponent, "power, entry by entry"))
    elif factors:
        yield from applied(factors)
        divided = any(exponent.could_extract_minus_sign() for _, exponent in term.powers)
        sets = [set(free_indices(base)) for base in factors]
        if not divided and len(sets) == 2 and sets[0] and sets[1] and not sets[0] & sets[1]:
            yield Operation("outer product")
            return
        narrow = [slot for slot in lhs.indices if any(slot not in own for own in sets)]
        name = "quotient" if divided else "product"
        yield (
            Operation(f"{name} entry by entry, broadcast", tuple(narrow))
            if narrow
            else Operation(f"{name} entry by entry")
        )
    else:
        yield Operation("constant")


POWERS: Mapping[sp.Expr, str] = {
    sp.Integer(2): "square, entry by entry",
    sp.S.Half: "root, entry by entry",
    -sp.S.One: "reciprocal, entry by entry",
    -sp.S.Half: "reciprocal root, entry by entry",
}
"""What a single power does, by its exponent."""


def operation_spans(operations: Iterable[Operation]) -> Spans:
    """The operations of one equation in a row."""
    spans: list[Span] = []
    for operation in operations:
        spans.extend(["; ", *operation.spans] if spans else operation.spans)
    return tuple(spans)

"""Wrong versions of a right equation, to show that a check would notice.

Each kind of mistake is one small function from an equation to its wrong versions. All are well
formed: they read the same tensors with the same extents, so only numbers can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import surely_same
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Index, Iverson, Power, Term, Terms
from indexcalc.program import Equation, Program, Tensor, read_in
from indexcalc.recurrence import Unordered, is_recurrent, recurrence_of

Tensors = Mapping[str, Tensor]
Variants = Iterator[Terms]


def sign_flipped(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """One term with the other sign, also inside a bracket."""
    for n, term in enumerate(terms):
        yield with_term(terms, n, Term(-term.coeff, term.powers, term.summed))
    yield from inside_brackets(terms, sign_flipped, lhs, tensors)


def term_missing(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """One term of a sum left out, also inside a bracket."""
    if len(terms) > 1:
        for n in range(len(terms)):
            yield terms[:n] + terms[n + 1 :]
    yield from inside_brackets(terms, term_missing, lhs, tensors)


def factor_dropped(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """One factor left out; its sums stay, so that an index that is gone counts its extent."""
    for n, term in enumerate(terms):
        for m in range(len(term.powers)):
            yield with_term(terms, n, product(term.coeff, term.powers[:m] + term.powers[m + 1 :], term.summed))


def coefficient_dropped(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """A scalar such as 1/sqrt(d) or 1/n left out."""
    for n, term in enumerate(terms):
        if term.coeff not in {sp.S.One, sp.S.NegativeOne}:
            yield with_term(terms, n, Term(sp.S.One, term.powers, term.summed))


def extra_factor(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """One term counted twice, or multiplied by an extent, as when a mean and a sum are confused."""
    for n, term in enumerate(terms):
        extents = dict.fromkeys(index.extent for index in (*lhs.indices, *term.summed))
        for factor in (sp.Integer(2), *extents):
            if factor != 1:
                yield with_term(terms, n, Term(term.coeff * factor, term.powers, term.summed))


def sum_missing(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """A sum left out: its index becomes a free index of the same extent, and only one entry is read."""
    for n, term in enumerate(terms):
        for bound in term.summed:
            rest = tuple(index for index in term.summed if index != bound)
            for free in lhs.indices:
                if free.extent == bound.extent and free not in term.summed:
                    yield with_term(terms, n, product(term.coeff, rename_powers(term.powers, {bound: free}), rest))


def index_swapped(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """One slot of one factor reads another index of the same extent."""
    for n, term in enumerate(terms):
        scope = tuple(dict.fromkeys((*lhs.indices, *term.summed)))
        for m, (base, exponent) in enumerate(term.powers):
            for other in misread(base, scope):
                powers = (*term.powers[:m], (other, exponent), *term.powers[m + 1 :])
                yield with_term(terms, n, product(term.coeff, powers, term.summed))


def operand_transposed(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """Two slots of one operand exchanged, as in X^T for X."""
    for n, m, base, exponent in factors(terms):
        if isinstance(base, Access) and base.is_plain:
            slots = base.indices
            for a in range(len(slots)):
                for b in range(a + 1, len(slots)):
                    if slots[a].extent == slots[b].extent and slots[a] != slots[b]:
                        order = list(slots)
                        order[a], order[b] = order[b], order[a]
                        yield with_factor(terms, n, m, (Access(base.tensor, tuple(order)), exponent))


def wrong_operand(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """Another tensor of the same shape is read."""
    for n, m, base, exponent in factors(terms):
        if isinstance(base, Access):
            shape = tuple(slot.extent for slot in tensors[base.tensor].slots) if base.tensor in tensors else ()
            for name, tensor in tensors.items():
                if (
                    name != base.tensor
                    and base.tensor in tensors
                    and tensor.values is None
                    and tuple(slot.extent for slot in tensor.slots) == shape
                ):
                    yield with_factor(terms, n, m, (Access(name, base.slots), exponent))


def exponent_changed(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """One factor squared, or to a power one too high."""
    for n, m, base, exponent in factors(terms):
        if not isinstance(base, Delta | Iverson):
            yield with_factor(terms, n, m, (base, exponent + 1 if exponent != -1 else -exponent))


def function_changed(terms: Terms, lhs: Access, tensors: Tensors) -> Variants:
    """A pointwise function left out, so that its argument, or the first of several, stands alone."""
    for n, m, base, exponent in factors(terms):
        if isinstance(base, Fn) and exponent == 1 and len(base.args[0]) == 1:
            term, (argument,) = terms[n], base.args[0]
            powers = (*term.powers[:m], *argument.powers, *term.powers[m + 1 :])
            yield with_term(terms, n, product(term.coeff * argument.coeff, powers, term.summed))


KINDS: Mapping[str, Callable[[Terms, Access, Tensors], Variants]] = {
    "sign flipped": sign_flipped,
    "term missing": term_missing,
    "factor dropped": factor_dropped,
    "coefficient dropped": coefficient_dropped,
    "extra factor": extra_factor,
    "sum missing": sum_missing,
    "index swapped": index_swapped,
    "operand transposed": operand_transposed,
    "wrong operand": wrong_operand,
    "exponent changed": exponent_changed,
    "function changed": function_changed,
}


def wrong_variants(equation: Equation, tensors: Tensors) -> Iterator[tuple[str, Equation]]:
    """Every wrong version of an equation, with the kind of its mistake; equal ones are left out.

    Args:
        equation: a right equation.
        tensors: the tensors that are known where the equation stands, by name.
    """
    for kind, mistake in KINDS.items():
        for terms in mistake(equation.terms, equation.lhs, tensors):
            if not surely_same(terms, equation.terms):
                yield kind, replace(equation, terms=terms)


def wrong_programs(program: Program) -> Iterator[tuple[str, str, Program]]:
    """Every program with one wrong equation: the kind of the mistake, the tensor, the program."""
    known: dict[str, Tensor] = {tensor.name: tensor for tensor in program.inputs}
    starts = {block[0].name: program.determined_by(block) for block in program.blocks}
    for n, equation in enumerate(program.equations):
        known.update({unknown.name: unknown.tensor for unknown in starts.get(equation.name, ())})
        for kind, wrong in wrong_variants(equation, known):
            equations = (*program.equations[:n], wrong, *program.equations[n + 1 :])
            made = replace(program, equations=equations)
            stepping = [b for b in made.blocks if not made.determined_by(b) and is_recurrent(b)]
            if all(not isinstance(recurrence_of(block), Unordered) for block in stepping) and is_determined(made):
                # A program whose steps have no order is no program.
                yield kind, equation.name, made
        known[equation.name] = program.tensors[equation.name]


def is_determined(program: Program) -> bool:
    """Whether every system reads its unknown, so that it may determine it."""
    return all(name in read_in(program.systems[name]) for name in program.residuals if name in program.systems)


def factors(terms: Terms) -> Iterator[tuple[int, int, Base, sp.Expr]]:
    """Every top-level factor: the number of its term, its own number, base and exponent."""
    for n, term in enumerate(terms):
        for m, (base, exponent) in enumerate(term.powers):
            yield n, m, base, exponent


def with_term(terms: Terms, n: int, term: Term) -> Terms:
    """The sum with its n-th term replaced."""
    return (*terms[:n], term, *terms[n + 1 :])


def with_factor(terms: Terms, n: int, m: int, power: Power) -> Terms:
    """The sum with the m-th factor of its n-th term replaced."""
    term = terms[n]
    return with_term(terms, n, product(term.coeff, (*term.powers[:m], power, *term.powers[m + 1 :]), term.summed))


def inside_brackets(
    terms: Terms, mistake: Callable[[Terms, Access, Tensors], Variants], lhs: Access, tensors: Tensors
) -> Variants:
    """The mistake made inside each bracket ``(a + b)``."""
    for n, m, base, exponent in factors(terms):
        if isinstance(base, Add):
            for inner in mistake(base.terms, lhs, tensors):
                body = Add(inner) if len(inner) > 1 else None
                powers = ((body, exponent),) if body else tuple((b, e * exponent) for b, e in inner[0].powers)
                coeff = sp.S.One if body else inner[0].coeff ** exponent
                term = terms[n]
                changed = (*term.powers[:m], *powers, *term.powers[m + 1 :])
                yield with_term(terms, n, product(term.coeff * coeff, changed, term.summed))


def misread(base: Base, scope: tuple[Index, ...]) -> Iterator[Base]:
    """The factor with one of its slots at another index in scope."""
    if isinstance(base, Access):
        for a, slot in enumerate(base.slots):
            for other in scope:
                if isinstance(slot, Index) and other != slot and other.extent == slot.extent:
                    yield Access(base.tensor, (*base.slots[:a], other, *base.slots[a + 1 :]))
    elif isinstance(base, Delta | Iverson):
        for other in scope:
            if (
                isinstance(base.right, Index)
                and other not in {base.left, base.right}
                and other.extent == base.right.extent
            ):
                yield Delta(base.left, other) if isinstance(base, Delta) else Iverson(base.left, base.relation, other)

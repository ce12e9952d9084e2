"""Tensors as mantissa times exponential: what a product may put in for their names so that exponentials cancel.

``Z[i] = sum[l](w[i,l] * exp(S[i,l]))`` is ``Zs[i] * exp(m[i])`` with ``m[i] = max[l](S[i,l])`` and the shifted sum
``Zs[i] = sum[l](w[i,l] * exp(S[i,l] - m[i]))``. So ``A[i,j] = exp(S[i,j]) / Z[i]`` is
``exp(S[i,j]) * exp(m[i])^-1 / Zs[i]``. These forms are only ever put in where exponentials cancel by it; a form that
no one reads costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.build import lone, lone_entry, power, product, scale
from indexcalc.algebra.guards import Given, said_by
from indexcalc.algebra.ranges import reads_inside
from indexcalc.algebra.renaming import rename_powers, substitute
from indexcalc.algebra.slots import Lookup, indices_of_slot
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Power,
    Term,
    Terms,
    free_indices,
    index_names,
    own_lookups,
    tensors_of,
)
from indexcalc.codegen.names import unused
from indexcalc.codegen.plan import without_inner_deltas
from indexcalc.codegen.stable.bounds import (
    Bound,
    Bounds,
    Mask,
    Part,
    are_divided,
    depth_of,
    find_bound,
    implied_parts,
    may_hide_all,
    under_bound,
)
from indexcalc.codegen.stable.brackets import Brackets
from indexcalc.codegen.stable.exponents import (
    ONE,
    apart,
    exponents_of,
    is_exponential,
    is_negative,
    is_open,
    raised,
)
from indexcalc.codegen.stable.forms import Form, Shifted
from indexcalc.codegen.stable.fronts import in_front
from indexcalc.codegen.stable.logistic import holds_sigmoid, with_sigmoids
from indexcalc.codegen.stable.pairs import is_tight, paired
from indexcalc.program import Equation

TERM_LIMIT = 12
"""The most terms of a form, and of a product with forms put in that has no longer bracket."""
BRACKET_LIMIT = 60
"""The most terms of a bracket that takes in what is wild beside it."""
IMPLIED_LIMIT = 16
"""The most products of exponentials that a bound is known to bound through other bounds."""
FACTOR_LIMIT = 40
"""The most factors of one term of a form."""


@dataclass
class Carriers:
    """The forms of the tensors of both passes; grows equation by equation.

    Attributes:
        taken: the names in use; new ones join.
        divided: the tensors that something is divided by, or whose logarithm is taken, and the parts of such.
        below: those of them that stand below the line or in a logarithm themselves: where all is hidden, no number.
        positive: the tensors that are never zero or negative.
        forms: of the tensors that hold exponentials, or sigmoids, with which exponentials cancel.
        bounds: in the order in which they were found; later ones may rest on earlier ones.
        shifted: the sums in shifted form, by the tensor.
        logarithms: the sums of exponentials that tensors are logarithms of, under the indices of these tensors.
        largest: the bound that is the largest exponent of these parts, whatever they are called.
        found: what `unfolded` found, by what was asked and how much was known.
        extremes: the largest and smallest entries that the program asks for.
        brackets: those that tensors are zero without.
    """

    taken: set[str]
    divided: frozenset[str]
    below: frozenset[str]
    positive: frozenset[str] = frozenset()
    forms: dict[str, Form] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=Bounds)
    shifted: dict[str, Shifted] = field(default_factory=dict)
    logarithms: dict[str, Access] = field(default_factory=dict)
    largest: dict[frozenset[Part], Access] = field(init=False)
    found: dict[tuple[Term, bool, int, int], Terms] = field(default_factory=dict)
    extremes: frozenset[str] = frozenset()
    brackets: Brackets = field(default_factory=Brackets)

    def __post_init__(self) -> None:
        self.largest = {}
        for bound in self.bounds.values():
            if not bound.given:
                self.largest.setdefault(
                    frozenset(replace(part, name="", hidden="") for part in bound.parts), bound.entry
                )

    def learn(self, equation: Equation) -> None:
        """Find the form of the tensor that an equation defines, if it has exponentials or sigmoids.

        What reads itself is the largest or smallest entry of something, and is computed as such.
        """
        if equation.name in tensors_of(equation.terms):
            return
        self.learn_logarithm(equation)
        sums = any(term.summed for term in equation.terms)
        divided = equation.name in self.divided
        unfolded = self.equation_unfolded(equation, everything=divided)
        if not sums:
            unfolded = self.as_one(unfolded)
        if not 0 < len(unfolded) <= TERM_LIMIT or any(len(term.powers) > FACTOR_LIMIT for term in unfolded):
            return
        if not any(exponents_of(term.powers) or holds_sigmoid(term) for term in unfolded):
            return
        wild = any(self.is_open(term) or (sums and self.may_vanish(term)) for term in unfolded)
        loose = divided and not all(is_tight(term, self.bounds, tuple(self.weights(term))) for term in unfolded)
        # Beside what has no exponential, bounded ones leave no sum near zero.
        bare = any(not exponents_of(term.powers) for term in unfolded)
        if not sums and not (divided and len(unfolded) > 1 and (wild or (loose and not bare))):
            self.forms[equation.name] = Form(equation.slots, unfolded, wild)
        elif wild or loose:
            self.carry(equation, unfolded)

    def is_compared(self, base: Fn) -> bool:
        """Whether a test compares an entry that has a shifted form with the largest or smallest one.

        It is that one only if it stands there as it was computed: the form differs by a rounding.
        """
        names = set(tensors_of(base.arg)) if base.name == "step" else set()
        return not names.isdisjoint(self.extremes) and not names.isdisjoint(self.shifted)

    def equation_unfolded(self, equation: Equation, *, everything: bool) -> Terms:
        """The right side with forms put in; with all of them, if fewer exponentials are left open by it."""
        found = [
            tuple(part for term in opened(equation.terms) for part in self.unfolded(term, everything=choice))
            for choice in ((True,) if everything else (False, True))
        ]
        return min(found, key=lambda terms: sum(map(self.is_open, terms)))

    def learn_logarithm(self, equation: Equation) -> None:
        """A logarithm of a sum of exponentials bounds them."""
        source = logarithm_of_tensor(equation)
        shifted = self.shifted.get(source.tensor) if source is not None else None
        if source is None or shifted is None or shifted.bound is None or shifted.outside or not source.is_plain:
            return
        if set(shifted.bound.slots) != set(shifted.equation.slots):
            return
        bound = self.bounds[shifted.bound.tensor]
        if any(not isinstance(guard, Mask) for part in bound.parts for guard in part.guards):
            # A weight that is zero hides an exponent that may be huge; only the exponent hidden for a maximum says so.
            return
        names = dict(zip(shifted.equation.slots, source.indices, strict=True))
        outer = {inner: names[there] for inner, there in zip(bound.slots, shifted.bound.indices, strict=True)}
        taken = index_names((equation.terms[0],)) | {slot.name for slot in equation.slots}
        parts = tuple(part.renamed(outer, taken) for part in bound.parts)
        name, slots = equation.name, equation.slots
        implied = tuple(part.renamed(outer, taken) for part in bound.implied)
        self.bounds[name] = Bound(name, slots, parts, implied, given=True, depth=bound.depth)
        self.logarithms[name] = source

    def carry(self, equation: Equation, terms: Terms) -> None:
        """A sum of exponentials as a shifted sum times exponentials: of its bound, and of what is not summed over."""
        terms, outside = in_front(terms, self.bounds)
        divided = equation.name in self.divided
        inside = any(exponents_of(term.powers) if divided else self.is_open(term) for term in terms)
        entry = self.bound(equation, terms) if inside else None
        if entry is None and (inside or not outside):
            return
        free = free_indices(terms)
        slots = tuple(slot for slot in equation.slots if not outside or slot in free)
        name = Access(unused(f"{equation.name}_shifted", self.taken), slots)
        body = terms if entry is None else tuple(under_bound(term, entry) for term in terms)
        found = Shifted(replace(equation, lhs=name, terms=body), entry, outside)
        self.shifted[equation.name] = found
        self.forms[equation.name] = Form(equation.slots, (found.value,), wild=True)
        if equation.name in self.positive:
            self.positive |= {name.tensor}

    def bound(self, equation: Equation, terms: Terms) -> Access | None:
        """The bound of the exponentials of a sum: one that is there already, or a new one."""
        divided = equation.name in self.divided
        if len(terms) == 1:
            weights = tuple(self.weights(terms[0])) if divided else None
            found = find_bound(terms[0], self.bounds, weights)
            if found is not None:
                return found
        parts = [self.part(equation, term, divided) for term in terms]
        same = self.largest.get(frozenset(parts))
        if same is not None:
            return same
        slots = tuple(slot for slot in equation.slots if any(slot in part.axes for part in parts))
        if any(not set(part.slots) <= set(slots) for part in parts):
            return None
        distinct = tuple({(part.over, part.exponents, part.guards): part for part in parts}.values())
        if len(distinct) == 1 and not distinct[0].over:
            return None
        ranked = tuple(self.with_names(part, equation) for part in sorted(distinct, key=largest_first))
        # A weight may be zero throughout, and the tensor that the author named is zero there: its own value counts.
        weighted = any(not isinstance(guard, Mask) for part in ranked for guard in part.guards)
        own = (weighted and not equation.hoisted) or equation.name not in self.below
        # What is divided by under a lookup alone may be zero elsewhere: a node that no edge leads to.
        own = own or any(isinstance(guard, Mask) and own_lookups(guard) for part in ranked for guard in part.guards)
        limited = own and any(may_hide_all(part) for part in ranked)
        single = len(ranked) == 1 and not limited
        name = ranked[0].name if single else unused(f"{equation.name}_bound", self.taken)
        powers = [power for part in ranked for power in part.exponents]
        depth, divides = depth_of(powers, self.bounds), are_divided(powers, self.bounds)
        implied = tuple(inner for part in ranked for inner in implied_parts(part, self.bounds))
        bound = Bound(name, slots, ranked, implied[:IMPLIED_LIMIT], limited=limited, divided=divides, depth=depth)
        self.bounds[name] = bound
        return self.largest.setdefault(frozenset(parts), bound.entry)

    def part(self, equation: Equation, term: Term, divided: bool) -> Part:
        """The exponentials of one term of a sum, with what guards them."""
        above = exponents_of(term.powers)
        masks = tuple(base for base in term.bases if isinstance(base, Mask))
        guards = (*masks, *(self.weights(term) if divided else ()))
        axes = free_indices((Term(ONE, (*above, *((guard, ONE) for guard in guards))),))
        over = tuple(index for index in term.summed if index in axes)
        return Part("", over, above, guards)

    def with_names(self, part: Part, equation: Equation) -> Part:
        """The part, with names for its maximum and for the exponent hidden for it."""
        stem = self.stem(equation, part.exponents)
        hidden = unused(f"{stem}_masked", self.taken) if part.guards and not part.at_places else ""
        return replace(part, name=unused(f"{stem}_max", self.taken) if part.over else "", hidden=hidden)

    def stem(self, equation: Equation, above: tuple[Power, ...]) -> str:
        """What a maximum is called after: the tensor that it is the largest entry of, or the sum that needs it."""
        if len(above) != 1:
            return equation.name
        base, exponent = above[0]
        assert isinstance(base, Fn)
        inner = base.arg[0].powers[0][0] if len(base.arg[0].powers) == 1 else None
        return inner.tensor if exponent == 1 and isinstance(inner, Access) else equation.name

    def weights(self, term: Term) -> Iterator[Base]:
        """The factors of a sum that vary with what is summed over and may be zero."""
        for base, exponent in term.powers:
            if is_open((base, exponent)) or is_negative(exponent) or isinstance(base, Mask) or self.is_positive(base):
                continue
            if set(free_indices((Term(ONE, ((base, ONE),)),))) & set(term.summed):
                yield base

    def is_positive(self, base: Base) -> bool:
        """Whether a factor is greater than zero for sure."""
        if isinstance(base, Access):
            return base.tensor in self.positive
        return isinstance(base, Fn) and base.name in ("exp", "sigmoid", "softplus")

    def is_open(self, term: Term) -> bool:
        """Whether exponentials are left that no bound bounds."""
        return bool(exponents_of(term.powers)) and bool(exponents_of(paired(term, self.bounds).powers))

    def may_vanish(self, term: Term) -> bool:
        """Whether a bound is left that divides by itself alone: what is then multiplied may be as large."""
        return bool(exponents_of(paired(term, self.bounds, ones=False).powers))

    def unfolded(self, term: Term, *, everything: bool = False) -> Terms:
        """The term with forms put in, of what is wild and of what divides, or of all; its exponentials are apart."""
        # What is known only grows.
        key = (term, everything, len(self.forms), len(self.bounds))
        if key not in self.found:
            self.found[key] = self.unfolding(term, everything)
        return self.found[key]

    def unfolding(self, term: Term, everything: bool) -> Terms:
        """What `unfolded` gives, with the forms that are known now."""
        pending, done = [term], list[Term]()
        # A long bracket stays as long when it takes in a factor beside it; two of them would multiply.
        longest = max((len(base.terms) for base in term.bases if isinstance(base, Add)), default=0)
        limit = longest if TERM_LIMIT < longest <= BRACKET_LIMIT else TERM_LIMIT
        while pending:
            # The exponential of a logarithm is what the logarithm is of, and that may have a form.
            current = apart(pending.pop())
            found = self.first_unfolding(current, everything)
            if found is None:
                done.append(self.brackets.beside(with_deltas(apart(with_sigmoids(current)))))
            else:
                pending.extend(reversed(found))
            if len(pending) + len(done) > limit:
                return (with_deltas(apart(with_sigmoids(term))),)
        return tuple(done)

    def first_unfolding(self, term: Term, everything: bool) -> Terms | None:
        """The terms that come of putting in the first form there is; None if there is none."""
        given = said_by(term.bases)
        for place, (base, exponent) in enumerate(term.powers):
            parts = self.parts(base, exponent, everything, given)
            if parts is not None:
                before, after = term.powers[:place], term.powers[place + 1 :]
                return tuple(
                    product(term.coeff * part.coeff, (*before, *part.powers, *after), term.summed) for part in parts
                )
        return None

    def parts(self, base: Base, exponent: sp.Expr, everything: bool, given: Given) -> Terms | None:
        """What to put in for a power, as terms, where `given` are not negative; None to leave it."""
        if isinstance(base, Access) and base.tensor in self.forms:
            form = self.forms[base.tensor]
            inside = reads_inside(base.slots, form.slots, given)
            if not (form.wild or everything or is_negative(exponent)) or not inside:
                return None
            value = substitute(form.terms, dict(zip(form.slots, base.slots, strict=True)))
            if len(value) == 1:
                return (raised(value[0], exponent, self.is_positive),)
            return value if exponent == 1 else None
        if isinstance(base, Add) and exponent == 1 and any(self.is_wild(part) for part in base.terms):
            whole = self.as_one(
                tuple(part for term in base.terms for part in self.unfolded(term, everything=everything))
            )
            if len(whole) == 1:
                return whole
            wild = tuple(part for part in base.terms if self.is_wild(part))
            tame = tuple(part for part in base.terms if part not in wild)
            return (*wild, *((power(tame, ONE),) if tame else ()))
        return None

    def as_one(self, terms: Terms) -> Terms:
        """Terms with the same exponentials as these times a sum: what is subtracted before it is added up stays so."""
        if len(terms) < 2 or any(term.summed for term in terms):
            return terms
        rest, outside = in_front(terms, self.bounds)
        if not outside or any(exponents_of(term.powers) for term in rest):
            return terms
        whole = power(rest, ONE)
        return (product(whole.coeff, (*outside, *whole.powers)),)

    def is_wild(self, term: Term) -> bool:
        """Whether a factor of the term is wild, or a divisor that exponentials make small."""
        return any(
            is_exponential(base)
            or (isinstance(base, Access) and base.tensor in self.forms and self.is_wild_entry(base.tensor, exponent))
            or (isinstance(base, Add) and any(self.is_wild(part) for part in base.terms))
            for base, exponent in term.powers
        )

    def is_wild_tensor(self, name: str) -> bool:
        """Whether a tensor may overflow where a quotient of it does not."""
        return name in self.forms and self.forms[name].wild

    def is_wild_entry(self, tensor: str, exponent: sp.Expr) -> bool:
        """Whether a power of a tensor that has a form is wild."""
        return self.forms[tensor].wild or is_negative(exponent)


def opened(terms: Terms) -> Terms:
    """The terms of a bracket times a number, or the terms as they are."""
    base = lone((Term(ONE, terms[0].powers),)) if len(terms) == 1 and not terms[0].summed else None
    return scale(base.terms, terms[0].coeff) if isinstance(base, Add) else terms


def largest_first(part: Part) -> tuple[int, float]:
    """The order of the parts of a bound: exp(x)^2 before exp(x), which it holds as well."""
    powers = [abs(exponent) for _, exponent in part.exponents if exponent.is_number]
    return -len(part.exponents), -float(sum(powers))


def logarithm_of_tensor(equation: Equation) -> Access | None:
    """The u of ``f = log(u)``, for an entry u of a tensor."""
    base = lone(equation.terms)
    return lone_entry(base.arg) if isinstance(base, Fn) and base.name == "log" else None


def with_deltas(term: Term) -> Term:
    """The term without sums that a delta kills; indices that one makes equal get one name where that cancels."""
    term = without_inner_deltas(term)
    for base in term.bases:
        index = free_side(base) if isinstance(base, Delta) else None
        if isinstance(base, Delta) and index is not None:
            same = base.left if index == base.right else base.right
            others = [power for power in term.powers if power[0] != base]
            joined = product(term.coeff, rename_powers(others, {index: same}), term.summed)
            if len(joined.powers) < len(others):
                return with_deltas(product(joined.coeff, (*joined.powers, (base, ONE)), joined.summed))
    return term


def free_side(delta: Delta) -> Index | None:
    """An index that a delta makes equal to another one, or to what is looked up without it; else None.

    What is calculated, as in ``delta[i, j + k]``, may lie outside of the range of the index.
    """
    for side, other in ((delta.right, delta.left), (delta.left, delta.right)):
        if isinstance(side, Index) and isinstance(other, Index | Lookup) and side not in indices_of_slot(other):
            return side
    return None

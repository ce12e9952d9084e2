"""Terms to SymPy expressions and back: `Indexed`, `Sum`, `KroneckerDelta` and functions of them.

SymPy is the lingua franca at the edges. Inside, terms stay our own, since SymPy's sums capture
dummies under substitution and take equal sums for different ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

import sympy as sp
from sympy.core.function import AppliedUndef

from indexcalc.algebra.build import access, as_factor, power, product, scalar, scalar_value, sum_over
from indexcalc.algebra.renaming import rename_apart, times
from indexcalc.algebra.slots import Lookup, Slot
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Index, Iverson, MatrixFunction, Partial, Term, Terms
from indexcalc.errors import UnsupportedError

FUNCTIONS: Mapping[str, type[sp.Expr]] = {
    "exp": sp.exp,
    "log": sp.log,
    "sin": sp.sin,
    "cos": sp.cos,
    "tanh": sp.tanh,
    "erf": sp.erf,
    "atan": sp.atan,
    "atan2": sp.atan2,
    "abs": sp.Abs,
    "sign": sp.sign,
    "max": sp.Max,
    "min": sp.Min,
}
"""The pointwise functions that SymPy knows; others go by their name, as undefined functions."""

NAMES = {function: name for name, function in FUNCTIONS.items()}

RELATIONS = {"<": sp.StrictLessThan, "<=": sp.LessThan, "!=": sp.Unequality}


def to_sympy(terms: Terms) -> sp.Expr:
    """The value of a sum of terms as a SymPy expression; an index is an `Idx` with its range."""
    return sp.Add(*(term_to_sympy(term) for term in terms))


def term_to_sympy(term: Term) -> sp.Expr:
    """One term: the coefficient times an unevaluated `Sum` of the product of its factors."""
    body = sp.Mul(*(base_to_sympy(base) ** exponent for base, exponent in term.powers))
    if not term.summed:
        return term.coeff * body
    return term.coeff * sp.Sum(body, *((index_to_sympy(index), 0, index.extent - 1) for index in term.summed))


def index_to_sympy(index: Index) -> sp.Idx:
    """An index as SymPy has it: a name with the range from 0 to the extent less one."""
    return sp.Idx(sp.Symbol(index.name, integer=True), index.extent)


def slot_to_sympy(slot: Slot) -> sp.Expr:
    """What a slot holds: an index, a sum of indices with coefficients, or an entry of an integer tensor."""
    if isinstance(slot, Index):
        return index_to_sympy(slot)
    if isinstance(slot, Lookup):
        return sp.IndexedBase(sp.Symbol(slot.tensor, integer=True))[tuple(map(slot_to_sympy, slot.slots))]
    return sp.Add(slot.const, *(coeff * slot_to_sympy(atom) for atom, coeff in slot.parts))


def base_to_sympy(base: Base) -> sp.Expr:
    """One factor."""
    match base:
        case Access(tensor, ()):
            return sp.Symbol(tensor, real=True)
        case Access(tensor, slots):
            return sp.IndexedBase(sp.Symbol(tensor, real=True))[tuple(slot_to_sympy(slot) for slot in slots)]
        case Delta(left, right):
            return sp.KroneckerDelta(slot_to_sympy(left), slot_to_sympy(right))
        case Iverson(left, relation, right):
            holds = RELATIONS[relation](slot_to_sympy(left), slot_to_sympy(right))
            return sp.Piecewise((1, holds), (0, True))
        case Fn(name, args):
            function = FUNCTIONS.get(name) or sp.Function(name)
            return function(*map(to_sympy, args))
        case Add(terms):
            return to_sympy(terms)
        case MatrixFunction(tensor, slots):
            return sp.Function(base.word)(base_to_sympy(Access(tensor, slots)))
        case Partial(of, wrt):
            return sp.Derivative(base_to_sympy(of), base_to_sympy(wrt), evaluate=False)


def from_sympy(expression: sp.Expr, indices: Iterable[Index] = (), scalars: Iterable[str] = ()) -> Terms:
    """The terms of a SymPy expression; never of a text.

    Args:
        expression: sums, products and functions of `Indexed`; sums only where they are linear.
        indices: the indices that occur free as plain symbols, whose extent the expression does not say.
        scalars: the names of the tensors without slots; other bare symbols are scalars.

    Raises:
        UnsupportedError: for a part that has no counterpart.
    """
    return Reader({index.name: index for index in indices}, frozenset(scalars)).terms(expression)


class Reader:
    """Reads one expression under the indices that are in scope."""

    def __init__(self, scope: Mapping[str, Index], scalars: frozenset[str]) -> None:
        self.scope = scope
        self.scalars = scalars

    def terms(self, expression: sp.Expr) -> Terms:
        """The value as a sum of terms."""
        if not isinstance(expression, sp.Expr):
            raise UnsupportedError(f"expected a SymPy expression, not {type(expression).__name__}")
        if isinstance(expression, sp.Symbol) and expression.name in self.scalars:
            return (access(expression.name),)
        if self.is_scalar(expression):
            return scalar(expression)
        if isinstance(expression, sp.Add):
            return tuple(term for part in expression.args for term in self.terms(part))
        if isinstance(expression, sp.Mul):
            return self.product(expression)
        if isinstance(expression, sp.Pow):
            return (self.power(expression),)
        if isinstance(expression, sp.Sum):
            return self.sum(expression)
        if isinstance(expression, sp.Piecewise):
            return self.under_brackets(expression)
        return (product(1, ((self.base(expression), sp.S.One),)),)

    def is_scalar(self, expression: sp.Expr) -> bool:
        """Whether no tensor, delta, bracket or function of the index language occurs."""
        if expression.has(sp.Indexed, sp.KroneckerDelta, sp.Piecewise, sp.Sum, sp.Derivative, AppliedUndef):
            return False
        return not any(symbol.name in self.scalars for symbol in expression.free_symbols)

    def product(self, expression: sp.Expr) -> Terms:
        """A product, distributed over those of its factors that hold sums over indices."""
        parts = [self.terms(factor) for factor in expression.args]
        factors = [part if any(term.summed for term in part) else (as_factor(part),) for part in parts]
        return reduce(lambda left, right: tuple(times(a, b) for a in left for b in right), factors)

    def power(self, expression: sp.Expr) -> Term:
        """A power with an exponent that is a number."""
        exponent = expression.exp
        if not exponent.is_Rational:
            raise UnsupportedError(f"the exponent of a tensor is a number, not {exponent}")
        return power(self.without_sums(expression.base), exponent)

    def without_sums(self, expression: sp.Expr) -> Terms:
        """The terms of what stands in a non-linear place."""
        terms = self.terms(expression)
        if any(term.summed for term in terms):
            raise UnsupportedError(f"the sum in a non-linear place needs a name of its own: {expression}")
        return terms

    def sum(self, expression: sp.Expr) -> Terms:
        """A sum over whole indices; the innermost limits are SymPy's first."""
        bound = []
        for symbol, *limits in expression.limits:
            if len(limits) != 2 or limits[0] != 0:
                raise UnsupportedError(f"a sum starts at 0 and runs over a whole index, unlike {expression}")
            bound.append(Index(name_of(symbol), limits[1] + 1))
        inner = Reader({**self.scope, **{index.name: index for index in bound}}, self.scalars)
        names = {index.name for index in bound}
        return sum_over(tuple(rename_apart(term, names) for term in inner.terms(expression.function)), bound)

    def base(self, expression: sp.Expr) -> Base:
        """One factor that is not a sum, product or power."""
        if isinstance(expression, sp.Indexed):
            return Access(str(expression.base.label), tuple(self.index(slot) for slot in expression.indices))
        if isinstance(expression, sp.KroneckerDelta):
            return Delta(self.index(expression.args[0]), self.index(expression.args[1]))
        known = type(expression) in NAMES
        if known or isinstance(expression, AppliedUndef):
            name = NAMES[type(expression)] if known else expression.func.__name__
            args = [self.without_sums(argument) for argument in expression.args]
            return largest(name, args) if isinstance(expression, sp.Max | sp.Min) else Fn(name, tuple(args))
        raise UnsupportedError(f"SymPy's {type(expression).__name__} has no counterpart here: {expression}")

    def under_brackets(self, expression: sp.Piecewise) -> Terms:
        """``Piecewise((f, i <= j), (0, True))`` is ``[i <= j] f``; SymPy folds the product by itself."""
        (value, holds), *rest = expression.args
        if len(rest) != 1 or rest[0].args != (0, True):
            raise UnsupportedError(f"a case distinction is zero outside its one condition, unlike {expression}")
        relations = holds.args if isinstance(holds, sp.And) else (holds,)
        brackets = product(1, ((self.bracket(relation), sp.S.One) for relation in relations))
        return tuple(times(brackets, term) for term in self.terms(value))

    def bracket(self, relation: sp.Basic) -> Base:
        """One relation of two indices; a relation written backwards is turned round."""
        if isinstance(relation, sp.StrictGreaterThan | sp.GreaterThan):
            relation = relation.reversed
        if isinstance(relation, sp.Equality):
            return Delta(self.index(relation.lhs), self.index(relation.rhs))
        for sign, kind in RELATIONS.items():
            if isinstance(relation, kind):
                return Iverson(self.index(relation.lhs), sign, self.index(relation.rhs))
        raise UnsupportedError(f"a bracket holds one relation of indices, not {relation}")

    def index(self, slot: sp.Expr) -> Index:
        """An index: an `Idx` brings its extent, a symbol has it from its sum or from the caller."""
        name = name_of(slot)
        if name in self.scope:
            return self.scope[name]
        if isinstance(slot, sp.Idx) and len(slot.args) > 1 and slot.lower == 0:
            return Index(name, slot.upper + 1)
        raise UnsupportedError(f"the extent of the index {name} is not known; pass the index in `indices`")


def name_of(slot: sp.Expr) -> str:
    """The name of a symbol or an `Idx`."""
    label = slot.label if isinstance(slot, sp.Idx) else slot
    if not isinstance(label, sp.Symbol):
        raise UnsupportedError(f"a slot holds one index, not {slot}")
    return str(label.name)


def largest(name: str, args: Sequence[Terms]) -> Fn:
    """The largest or smallest of several, two by two, a number last: SymPy has them in an order of its own."""
    first, second, *rest = sorted(args, key=lambda arg: scalar_value(arg) is not None)
    found = Fn(name, (first, second))
    for other in rest:
        found = Fn(name, ((Term(sp.S.One, ((found, sp.S.One),)),), other))
    return found

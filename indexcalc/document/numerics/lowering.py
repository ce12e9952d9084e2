"""Meanings as terms of the algebra, with the definitions of the names in them.

Derivatives are written out by the rules; the gradient of an unknown loss by a tensor is a name with
a definition of its own, in terms of the gradients of the tensors that read it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields, is_dataclass
from functools import reduce

import sympy as sp

from indexcalc.algebra.build import access, power, product, scalar, sum_over
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import rename_apart, substitute
from indexcalc.algebra.slots import Lookup, Slot, combined, place, times_scalar
from indexcalc.algebra.terms import (
    ONE,
    Access,
    Delta,
    Fn,
    Index,
    Iverson,
    Term,
    Terms,
    index_names,
    tensors_of,
)
from indexcalc.document.meaning.nodes import (
    Applied,
    Cholesky,
    Derivative,
    Determinant,
    Entry,
    Exponential,
    Gathered,
    Inverse,
    Meaning,
    Number,
    Ones,
    Plus,
    Raised,
    Relation,
    Size,
    Stacked,
    Times,
    Total,
    Value,
    free,
    names_of,
    rebuilt,
    times,
)
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.slopes import placed, refreshed, slope, total
from indexcalc.document.meaning.symbols import Symbols, depends_on
from indexcalc.document.numerics.deltas import contracted
from indexcalc.document.numerics.extents import symbols_of, with_extents
from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.language.hoist import SumNames, hoist
from indexcalc.program import Equation

TERM_LIMIT = 400
"""The most terms of one side of a claim that is to be proved."""

REPEAT_LIMIT = 24
"""The most entries of one tensor in a product: which of them is which takes long to find out."""

WHOLE_POWER_LIMIT = 4
"""The highest whole power of a sum over indices that is multiplied out."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """The equation of a name, None if it has none, and the names that it brings up, in order."""

    equation: Equation | None
    reads: tuple[str, ...] = ()


@dataclass
class Lexicon:
    """The definitions of one document as terms of the algebra; the claims of equal sizes share them.

    Attributes:
        symbols: the document's symbols.
        sizes: the sizes, a copy.
        names: sums in nonlinear places get names here.
        known: the equations found so far, by name; those of sums too.
        matrices: the names of inverses and determinants, by what they are of.
    """

    symbols: Symbols
    sizes: Sizes
    names: SumNames = field(default_factory=lambda: SumNames(set()))
    known: dict[str, Lowered] = field(default_factory=dict)
    matrices: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names.taken.update(self.symbols.slots)

    def of(self, name: str) -> Lowered:
        """The equation of a name; lowered when it is first asked for."""
        if name not in self.known:
            lowering = Recording(self.symbols, self.sizes, self)
            slots, body = lowering.definition(name)
            equation = None
            if body is not None:
                terms = collect(contracted(lowering.terms(body)))
                equation = Equation(Access(name, tuple(lowering.index(slot) for slot in slots)), terms)
            self.known[name] = Lowered(equation, tuple(lowering.open))
        return self.known[name]


@dataclass
class Lowering:
    """From meanings to terms of the algebra; grows definitions as names come up.

    Attributes:
        symbols: the document's symbols.
        sizes: the sizes, a copy.
        lexicon: the definitions.
        equations: the definitions met so far, those that others read first.
        open: the names met so far, in order.
        mark: how the names of its indices begin.
    """

    symbols: Symbols
    sizes: Sizes
    lexicon: Lexicon
    equations: dict[str, Equation] = field(default_factory=dict)
    open: dict[str, None] = field(default_factory=dict)
    mark: str = "i"

    def index(self, index: Ix) -> Index:
        """The algebra's index for an index variable; its extent stands for its class."""
        return Index(f"c{index.fixed}" if index.fixed else f"{self.mark}{index.key}", self.extent(index))

    def extent(self, index: Ix) -> sp.Expr:
        """The extent of a class: a symbol of its own, or an expression of those of others."""
        formula = self.sizes.formula_of(index)
        if formula is None:
            return sp.Symbol(f"n{self.sizes.find(index).key}", positive=True, integer=True)
        others = {symbol: self.sizes.named(symbol.name) for symbol in symbols_of(formula)}
        if any(self.sizes.formula_of(other) is not None for other in others.values()):
            raise UnsupportedError("a size that is an expression of expressions")
        return with_extents(formula, tuple((symbol, self.extent(other)) for symbol, other in others.items()))

    def terms(self, node: Meaning) -> Terms:
        """The expression as a sum of terms.

        Raises:
            LimitError: if there are too many terms.
            UnsupportedError: for what the algebra cannot say.
        """
        match node:
            case Number(value):
                return scalar(value)
            case Size(index):
                return scalar(self.index(index).extent)
            case Ones():
                return ONE
            case Entry(name, slots):
                self.define(name)
                return (access(name, *(self.index(slot) for slot in slots)),)
            case Relation(Value(one), "==", Value(other)) if one.fixed and other.fixed:
                return scalar(int(one.fixed == other.fixed))
            case Relation(left, relation, right):
                a, b = self.slot(left), self.slot(right)
                base = Delta(a, b) if relation == "==" else Iverson(a, relation, b)
                return (product(1, ((base, sp.S.One),)),)
            case Plus(parts):
                return self.few(tuple(term for part in parts for term in self.terms(part)))
            case Times(factors):
                return reduce(self.multiplied, (self.terms(factor) for factor in factors))
            case Raised(base, exponent):
                return self.raised(base, exponent)
            case Applied(name, argument):
                return (Term(sp.S.One, ((Fn(name, (self.without_sums(self.terms(argument)),)), sp.S.One),)),)
            case Total(indices, body):
                bound = tuple(self.index(index) for index in indices)
                return sum_over(self.terms(body), bound)
            case (
                Value() | Derivative() | Inverse() | Exponential() | Cholesky() | Determinant() | Stacked() | Gathered()
            ):
                return self.whole(node)

    def slot(self, node: Meaning) -> Slot:
        """The algebra's slot for a place.

        Raises:
            UnsupportedError: for what is no sum of multiples of indices and entries of arrays of whole numbers.
        """
        match node:
            case Number(value):
                return place(value)
            case Size(index):
                return place(self.index(index).extent)
            case Value(index):
                return self.index(index)
            case Entry(name, slots) if name in self.symbols.whole:
                extent = self.index(self.symbols.whole[name]).extent
                return Lookup(name, tuple(self.index(slot) for slot in slots), extent)
            case Gathered(Entry(name, slots), axes, places) if name in self.symbols.whole:
                extent = self.index(self.symbols.whole[name]).extent
                at = dict(zip(axes, map(self.slot, places), strict=True))
                return Lookup(name, tuple(at.get(slot) or self.index(slot) for slot in slots), extent)
            case Plus(parts):
                return reduce(combined, map(self.slot, parts))
            case Times((*factors, last)) if all(isinstance(factor, Number | Size) for factor in factors):
                scale = sp.Mul(*(self.scale(factor) for factor in factors))
                return times_scalar(self.slot(last), scale)
        raise UnsupportedError("a place that is no sum of multiples of indices")

    def scale(self, factor: Meaning) -> sp.Expr:
        """A whole number or a size before an index."""
        assert isinstance(factor, Number | Size)
        return factor.value if isinstance(factor, Number) else self.index(factor.index).extent

    def whole(
        self, node: Value | Derivative | Inverse | Exponential | Cholesky | Determinant | Stacked | Gathered
    ) -> Terms:
        """A derivative written out; an inverse or the like, the same tensor wherever it is of the same matrix.

        Raises:
            UnsupportedError: for blocks, since no extent of the algebra is a sum, and for indices as numbers.
        """
        if isinstance(node, Value):
            raise UnsupportedError("an index as a number")
        if isinstance(node, Gathered):
            at = {self.index(axis): self.slot(one) for axis, one in zip(node.axes, node.places, strict=True)}
            return substitute(self.terms(node.body), at)
        if isinstance(node, Stacked):
            raise UnsupportedError("arrays one behind the other")
        if isinstance(node, Derivative):
            return self.terms(self.derivative(node.body, node.wrt, node.local, node.held))
        own = () if isinstance(node, Determinant) else node.slots
        outer = tuple(index for index in free(node) if index not in own)
        names = {node.axes[0]: "row", node.axes[1]: "column", **{index: f"o{n}" for n, index in enumerate(outer)}}
        key = f"{type(node).__name__} {spelled(node.body, names)}"
        known = self.lexicon.matrices
        name = known.setdefault(key, f"{type(node).__name__} {len(known)}")
        return (access(name, *(self.index(index) for index in (*outer, *own))),)

    def few(self, terms: Terms) -> Terms:
        """The terms, if they are not too many."""
        if len(terms) > TERM_LIMIT:
            raise LimitError(f"a claim with more than {TERM_LIMIT} terms")
        for term in terms:
            entries = Counter(base.tensor for base in term.bases if isinstance(base, Access))
            if len(term.powers) > REPEAT_LIMIT and max(entries.values(), default=0) > REPEAT_LIMIT:
                raise LimitError(f"a claim with a product of more than {REPEAT_LIMIT} entries of one tensor")
        return terms

    def multiplied(self, left: Terms, right: Terms) -> Terms:
        """The product; sums over indices are distributed, dummies renamed apart."""
        lefts = left if any(term.summed for term in left) or len(left) < 2 else (power(left, sp.S.One),)
        rights = right if any(term.summed for term in right) or len(right) < 2 else (power(right, sp.S.One),)
        result = []
        for one in lefts:
            for other in rights:
                apart = rename_apart(other, index_names(one))
                one_apart = rename_apart(one, index_names(apart))
                result.append(
                    product(
                        one_apart.coeff * apart.coeff, one_apart.powers + apart.powers, one_apart.summed + apart.summed
                    )
                )
        return self.few(tuple(result))

    def raised(self, base: Meaning, exponent: Meaning) -> Terms:
        """A power."""
        number = exponent.value if isinstance(exponent, Number) else None
        terms = self.terms(base)
        if number is None or not number.is_Rational:
            raise UnsupportedError("an exponent that is no number")
        if all(not term.powers for term in terms):
            value = sp.Add(*(term.coeff for term in terms))
            return scalar(value**number)
        if any(term.summed for term in terms) and number.is_Integer and 0 < number <= WHOLE_POWER_LIMIT:
            return reduce(self.multiplied, [terms] * int(number))
        return (power(self.without_sums(terms), number),)

    def without_sums(self, terms: Terms) -> Terms:
        """The terms with their sums named."""
        terms = contracted(terms)
        named = hoist(terms, "Z", self.lexicon.names)
        if named is None:
            raise UnsupportedError("a sum that has no name")
        for equation in self.lexicon.names.take():
            self.lexicon.known[equation.name] = Lowered(equation)
        for name in tensors_of(named):
            self.define(name)
        return named

    def derivative(self, body: Meaning, wrt: Entry, local: bool, held: tuple[str, ...] = ()) -> Meaning:
        """A derivative written out; of an unknown loss, a name."""
        if isinstance(body, Entry) and self.symbols.is_loss(body.name):
            return Entry(f"d{body.name}/d{wrt.name}", wrt.slots)
        body = self.without_derivatives(body)
        if local and isinstance(body, Entry) and body.name != wrt.name:
            body = placed(self.symbols.definitions[body.name], body.slots, self.sizes)
        return slope(body, wrt, self.sizes, lambda entry: self.inside(entry, wrt, held, local=local))

    def without_derivatives(self, node: Meaning) -> Meaning:
        """The expression with the derivatives in it written out, for a second derivative.

        Raises:
            UnsupportedError: for a derivative of an unknown loss, which has no rule.
        """
        if isinstance(node, Derivative):
            if isinstance(node.body, Entry) and self.symbols.is_loss(node.body.name):
                raise UnsupportedError("a second derivative of an unknown loss")
            return self.derivative(node.body, node.wrt, node.local)
        return rebuilt(node, self.without_derivatives)

    def inside(self, entry: Entry, wrt: Entry, held: tuple[str, ...] = (), *, local: bool = False) -> Meaning | None:
        """The total derivative of an entry of a defined tensor; None for a constant, as all but a loss is locally."""
        definitions = self.symbols.definitions
        if self.symbols.is_loss(entry.name):
            return Entry(f"d{entry.name}/d{wrt.name}", wrt.slots)
        if local or entry.name not in definitions or not depends_on(definitions, entry.name, wrt.name):
            return None
        if entry.name in held or self.symbols.is_backward(entry.name):
            return None
        if entry.name in self.symbols.recurring:
            raise UnsupportedError("a derivative through a recurrence")
        body = placed(definitions[entry.name], entry.slots, self.sizes)
        return slope(body, wrt, self.sizes, lambda inner: self.inside(inner, wrt, held))

    def define(self, name: str) -> None:
        """Add the definition of a name, after those that it reads."""
        if name in self.open:
            return
        self.open[name] = None
        lowered = self.lexicon.of(name)
        for inner in lowered.reads:
            self.define(inner)
        if lowered.equation is not None:
            self.equations[name] = lowered.equation

    def definition(self, name: str) -> tuple[tuple[Ix, ...], Meaning | None]:
        """What a name is equal to; an unknown loss is an input, and so is what a recurrence gives, whatever that is."""
        if self.symbols.is_loss(name) or name in self.symbols.recurring:
            return (), None
        if name in self.symbols.definitions:
            definition = self.symbols.definitions[name]
            return definition.slots, refreshed(definition.body, self.sizes)
        for loss in sorted(self.symbols.losses):
            prefix = f"d{loss}/d"
            if name.startswith(prefix):
                return self.gradient(loss, name.removeprefix(prefix))
        return (), None

    def gradient(self, loss: str, name: str) -> tuple[tuple[Ix, ...], Meaning | None]:
        """The gradient of an unknown loss by a tensor, through the tensors that read it."""
        if name in self.symbols.outputs or name in self.symbols.recurring:
            return (), None
        slots = tuple(self.sizes.like(slot) for slot in self.symbols.slots[name])
        wrt = Entry(name, slots)
        parts = []
        for reader, definition in self.symbols.definitions.items():
            if name not in names_of(definition.body) or self.symbols.is_backward(reader):
                continue
            if not any(o == reader or depends_on(self.symbols.definitions, o, reader) for o in self.symbols.outputs):
                continue
            fresh = tuple(self.sizes.like(slot) for slot in definition.slots)
            inner = slope(placed(definition, fresh, self.sizes), wrt, self.sizes, lambda entry: None)
            up = Entry(f"d{loss}/d{reader}", fresh)
            parts.append(Total(fresh, times(up, inner)) if fresh else times(up, inner))
        return slots, total(parts)


@dataclass
class Recording(Lowering):
    """Lowers one definition, and only notes the names that come up."""

    mark: str = "d"

    def define(self, name: str) -> None:
        """Note a name."""
        self.open[name] = None


def spelled(node: object, names: dict[Ix, str]) -> str:
    """A text that is the same for expressions that differ in the names of their indices alone."""
    if isinstance(node, Ix):
        return f"={node.fixed}" if node.fixed else names.setdefault(node, str(len(names)))
    if isinstance(node, tuple):
        return f"({' '.join(spelled(part, names) for part in node)})"
    if is_dataclass(node):
        parts = (spelled(getattr(node, part.name), names) for part in fields(node))
        return f"{type(node).__name__}[{' '.join(parts)}]"
    return str(node)

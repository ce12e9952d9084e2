"""Statements in normal form → array operations, with small arrays put together before large ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce

import sympy as sp

from indexcalc.algebra.build import is_negative, lone_entry
from indexcalc.algebra.slots import indices_of_slot, renamed_slot
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Lookup,
    Slot,
    Term,
    Terms,
    occurring_indices,
    own_lookups,
    walk,
)
from indexcalc.calculus.pointwise import call_template, row_of
from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.fast.arrays import Array, Arrays, Value, broadcast
from indexcalc.codegen.fast.graph import Node, Operation, Use
from indexcalc.codegen.fast.overlaps import Windows, order_of_copy
from indexcalc.codegen.fast.storage import COPY
from indexcalc.codegen.operands import Axes, Mask, Scope, arranged
from indexcalc.codegen.plan import MOST_SQUARES, applied
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Binary, Call, Trailer, flat
from indexcalc.codegen.source import Node as Source
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.systems import SOLVED
from indexcalc.codegen.windows import moving_node, source_of
from indexcalc.errors import UnsupportedError

ONE = sp.S.One
REDUCTIONS = {Kind.MAXIMUM: "max", Kind.MINIMUM: "min"}


@dataclass
class Lowering(Arrays):
    """Builds the graph of one block from its statements.

    Attributes:
        tensors: the node of every tensor made in the block; its axes stand in the order of the slots given here.
        name: of the present statement.
        scope: the names outside the block.
        largest: the tensors that are the largest of something, which is subtracted from that first.
        windows: the tensors that show windows.
        blocks: the variable of the slice on every dimension of the loop.
    """

    tensors: dict[str, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    name: str = ""
    scope: Scope | None = None
    largest: frozenset[str] = frozenset()
    windows: Windows = field(default_factory=dict)
    blocks: tuple[str, ...] = ()

    def add(self, statement: Statement, indices: tuple[Index, ...] = ()) -> None:
        """Build what a statement computes; `indices` are its indices on the dimensions of the loop."""
        self.name = statement.name
        self.dimensions = {index: number for number, index in enumerate(indices)}
        summed = tuple(index for term in statement.terms for index in term.summed)
        self.order = tuple(dict.fromkeys((*statement.axes, *statement.over, *summed)))
        array = self.spread(self.value(statement), statement.axes)
        self.tensors[statement.name] = array.node, tuple(array.axes.index(slot) for slot in statement.axes)

    def value(self, statement: Statement) -> Value:
        """The right-hand side."""
        if statement.kind is Kind.LAYER:
            return self.layer(statement)
        if statement.moves:
            return self.moved(statement)
        if statement.kind in SOLVED:
            return self.solved(statement)
        if statement.kind is Kind.HIDDEN:
            value = self.nonzero(statement.weights, self.total(statement.terms))
            return self.hidden(list(statement.masks), value, "-np.inf")
        if statement.kind is Kind.LARGEST:
            return reduce(partial(self.combined, "np.maximum"), [self.total((term,)) for term in statement.terms])
        if statement.kind is not Kind.ASSIGN:
            return self.reduced(REDUCTIONS[statement.kind], self.total(statement.terms), statement.over)
        if len(statement.terms) == 1 and statement.terms[0].summed:
            return self.summed(statement.terms[0], statement.axes)
        return self.total(statement.terms)

    def layer(self, statement: Statement) -> Array:
        """A part of a stack."""
        entry = source_of(statement)
        place, first = entry.slots.index(statement.over[0]), int(statement.start)
        count = int(statement.over[1].extent) if len(statement.over) > 1 else 0
        at = f"{first}:{first + count}" if count else f"{first}"
        part = Trailer(Atom("{0}"), f"[{', '.join([':'] * place + [at])}]")
        return self.expressed(part, (self.whole(entry.tensor, len(entry.slots)),), statement.axes)

    def moved(self, statement: Statement) -> Array:
        """Entries at other places, of an array that is there as a whole, or of its part that a block reads."""
        entry = source_of(statement)
        ranks = {entry.tensor: len(entry.slots)}
        for base in walk(statement.terms):
            ranks.update({lookup.tensor: len(lookup.slots) for lookup in own_lookups(base)})
        own, lengths = self.within_block(statement, entry)
        scope = self.with_fields(ranks, lengths)
        uses = tuple(self.part(entry) if name == entry.tensor else self.whole(name, n) for name, n in ranks.items())
        return self.expressed(self.spelled(moving_node(own, scope), scope), uses, statement.axes)

    def solved(self, statement: Statement) -> Array:
        """The solution of a system, a part of one, or a determinant, of arrays that are there as a whole."""
        read = [base for term in statement.terms for base in term.bases if isinstance(base, Access)]
        ranks = {entry.tensor: len(entry.slots) for entry in read}
        scope = self.with_fields(ranks, {})
        uses = tuple(self.whole(name, rank) for name, rank in ranks.items())
        node = SOLVED[statement.kind](statement, scope)
        return self.expressed(self.spelled(node, scope), uses, statement.axes)

    def with_fields(self, tensors: Iterable[str], lengths: Mapping[sp.Symbol, str]) -> Scope:
        """The names with a number in braces for each of some tensors, and names for lengths in a block."""
        assert self.scope is not None
        fields = {name: f"{{{number}}}" for number, name in enumerate(tensors)}
        scalars = {**self.scope.scalars, **lengths}
        return replace(self.scope, tensors={**self.scope.tensors, **fields}, scalars=scalars)

    def spelled(self, node: Source, scope: Scope) -> Source:
        """An expression in the words of the library."""
        return spelled(node, scope.dialect, scope.dtype)

    def expressed(self, expression: Source, uses: tuple[Use, ...], axes: Axes) -> Array:
        """An expression of arrays, each of which has a number in braces in it."""
        return self.made(Operation.EXPRESSION, flat(expression), (*uses, expression), axes)

    def within_block(self, statement: Statement, entry: Access) -> tuple[Statement, Mapping[sp.Symbol, str]]:
        """The statement with the places that a block reads, and the names of where they begin and of how many."""
        cut: dict[Index, Index] = {}
        begun: dict[Index, Slot] = {}
        names: dict[sp.Symbol, str] = {}
        for index, dimension in self.dimensions.items():
            if index not in entry.slots:
                length, start = sp.Symbol(self.length(index)), sp.Symbol(f"{self.blocks[dimension]}.start")
                names |= {symbol: symbol.name for symbol in (length, start)}
                cut[index] = Index(index.name, length)
                begun[index] = cut[index] + start
        if not cut:
            return statement, names
        # A lone index under which zeros follow an array would become one that runs over its axis.
        slots = tuple(renamed_slot(s, begun) if begun.keys() & set(indices_of_slot(s)) else s for s in entry.slots)
        term = replace(statement.terms[0], powers=((Access(entry.tensor, slots), ONE),))
        return replace(statement, axes=tuple(cut.get(axis, axis) for axis in statement.axes), terms=(term,)), names

    def part(self, entry: Access) -> Use:
        """An array with its axes in the order of its slots; cut where a slot is an index that the loop cuts."""
        if entry.tensor in self.tensors or not self.dimensions:
            return self.whole(entry.tensor, len(entry.slots))
        free = (Index(f"@{n}", sp.S.One) for n in range(len(entry.slots)))
        cut = (slot if isinstance(slot, Index) and slot in self.dimensions else None for slot in entry.slots)
        slots = tuple(slot or next(free) for slot in cut)
        node = self.graph.add(Node(Operation.LEAF, entry.tensor, (), self.axes(slots)))
        return Use(node, tuple(range(len(slots))))

    def whole(self, tensor: str, rank: int) -> Use:
        """An array with its axes in the order of its slots."""
        if tensor in self.tensors:
            return Use(*self.tensors[tensor])
        slots = tuple(Index(f"@{n}", sp.S.One) for n in range(rank))
        return Use(self.graph.add(Node(Operation.LEAF, tensor, (), self.axes(slots))), tuple(range(rank)))

    def spread(self, value: Value, axes: Axes) -> Array:
        """The value as an array with all of `axes`."""
        if isinstance(value, Array) and len(value.axes) == len(axes):
            return value
        if not axes:
            assert not isinstance(value, Array)
            return self.made(Operation.MAP, f"{self.dtype}.type", (self.text(value),), axes)
        sizes = ", ".join(self.length(axis) for axis in axes)
        shape = f"({sizes},)" if len(axes) == 1 else f"({sizes})"
        if isinstance(value, Array):
            use = Use(value.node, tuple(axes.index(axis) for axis in value.axes))
            return self.made(Operation.MAP, "np.broadcast_to", (use, Atom(shape)), axes)
        return self.made(Operation.MAP, "np.full", (Atom(shape), self.text(value), Atom(self.dtype)), axes)

    def length(self, index: Index) -> str:
        """The length of an axis: of the block, if a loop runs over it."""
        dimension = self.dimensions.get(index)
        return flat(scalar_node(index.extent, self.scalars)) if dimension is None else f"{self.stem}_{dimension + 1}"

    def access(self, access: Access) -> Array:
        """A tensor, made in the block or before; a slot that is repeated reads its diagonal."""
        if access.tensor in self.tensors:
            node, places = self.tensors[access.tensor]
            slots = tuple(access.indices[places.index(number)] for number in range(len(places)))
        else:
            slots = access.indices
            node = self.graph.add(Node(Operation.LEAF, access.tensor, (), self.axes(slots)))
        distinct = tuple(dict.fromkeys(slots))
        if len(distinct) == len(slots):
            return Array(node, slots)
        use = Use(node, tuple(distinct.index(slot) for slot in slots))
        return self.made(Operation.DIAGONAL, "", (use,), distinct)

    def total(self, terms: Terms) -> Value:
        """A sum of terms without sums in them: small ones first, but a largest entry is taken off what it is of.

        ``x - (x_max + log(Z))`` would round the logarithm to the digits of the maximum, even where ``x`` is near that.
        """
        values: list[tuple[bool, Value]] = []
        for term in terms:
            minus = is_negative(term.coeff)
            values.append((minus, self.term(Term(-term.coeff, term.powers) if minus else term)))
            entry = lone_entry((Term(-term.coeff, term.powers),))
            if entry is not None and entry.tensor in self.largest:
                values = [self.joined(values)]
        if not values:
            return sp.S.Zero
        minus, value = self.joined(values)
        if not minus:
            return value
        return -value if not isinstance(value, Array) else self.called("np.negative", value)

    def joined(self, values: list[tuple[bool, Value]]) -> tuple[bool, Value]:
        """The sum of values, each with whether it is subtracted, and whether it is itself."""
        while len(values) > 1:
            first, second = self.nearest([value for _, value in values])
            (minus, left), (other, right) = values[first], values[second]
            rest = [pair for number, pair in enumerate(values) if number not in (first, second)]
            if minus == other:
                joined = minus, self.combined("np.add", left, right)
            elif minus:
                joined = False, self.combined("np.subtract", right, left)
            else:
                joined = False, self.combined("np.subtract", left, right)
            values = [*rest[:first], joined, *rest[first:]]
        return values[0]

    def term(self, term: Term) -> Value:
        """A product of factors whose coefficient has no minus sign."""
        masks = [base for base in term.bases if isinstance(base, Mask)]
        powers = [power for power in term.powers if not isinstance(power[0], Mask)]
        left = masks
        above, below = [], []
        for base, exponent in powers:
            inside = []
            if masks and isinstance(base, Fn) and base.name == "exp" and exponent == 1:
                argument = self.total(base.arg)
                axes = argument.axes if isinstance(argument, Array) else ()
                inside = [mask for mask in masks if set(occurring_indices(mask)) <= set(axes)]
            if inside:
                left = [mask for mask in left if mask not in inside]
                above.append(self.called("np.exp", self.hidden(inside, argument, "-np.inf")))
            elif exponent.could_extract_minus_sign():
                below.append(self.raised(base, -exponent))
            else:
                above.append(self.raised(base, exponent))
        return self.hidden(left, self.product(term.coeff, above, below), "0.0")

    def product(self, coeff: sp.Expr, above: list[Value], below: list[Value]) -> Value:
        """``coeff * above / below``, small factors first; what divides a larger array is inverted before."""
        scalars = [value for value in above if not isinstance(value, Array)]
        divisors = [value for value in below if not isinstance(value, Array)]
        coeff = sp.Mul(coeff, *scalars) / sp.Mul(*divisors)
        arrays = [value for value in above if isinstance(value, Array)]
        union = {axis for value in (*above, *below) if isinstance(value, Array) for axis in value.axes}
        whole: list[Array] = []
        for divisor in below:
            if isinstance(divisor, Array):
                if len(divisor.axes) < len(union):
                    inverse = self.combined("np.divide", sp.S.One, divisor)
                    assert isinstance(inverse, Array)
                    arrays.append(inverse)
                else:
                    whole.append(divisor)
        if coeff != 1 and arrays:
            smallest = min(range(len(arrays)), key=lambda number: self.size(arrays[number]))
            if len(arrays[smallest].axes) < len(union):
                arrays[smallest] = self.scaled(arrays[smallest], coeff)
                coeff = ONE
        value: Value = coeff if not arrays else self.scaled(self.folded("np.multiply", arrays), coeff)
        for divisor in whole:
            value = self.combined("np.divide", value, divisor)
        return value

    def raised(self, base: Base, exponent: sp.Expr) -> Value:
        """``base**exponent`` for an exponent without a minus sign."""
        value = self.factor(base)
        if not isinstance(value, Array):
            return value**exponent
        if exponent == 1:
            return value
        if exponent.is_Integer and exponent <= MOST_SQUARES:
            return self.whole_power(value, int(exponent))
        if exponent == sp.Rational(1, 2):
            return self.called("np.sqrt", value)
        return self.called("np.power", value, self.text(exponent))

    def whole_power(self, value: Array, exponent: int) -> Array:
        """A power from squares and products, for NumPy has a fast power for the square alone."""
        if exponent == 1:
            return value
        if exponent % 2:
            return self.folded("np.multiply", [self.whole_power(value, exponent - 1), value])
        return self.called("np.square", self.whole_power(value, exponent // 2))

    def factor(self, base: Base) -> Value:
        """One factor."""
        match base:
            case Access():
                return self.access(base)
            case Add(terms):
                return self.total(terms)
            case Fn(name, args):
                return self.function(name, [self.total(arg) for arg in args])
            case Delta() | Iverson():
                return self.hidden([base], ONE, "0.0")
        raise UnsupportedError("an unevaluated derivative cannot be written as code")

    def function(self, name: str, args: Sequence[Value]) -> Value:
        """A pointwise function of the table."""
        template = row_of(name).numpy
        arrays = [value for value in args if isinstance(value, Array)]
        if not arrays:
            # A NumPy scalar is float64 and would promote float32 arrays; a Python float does not.
            texts = {letter: self.text(value) for letter, value in zip("xyz", args, strict=False)}
            return self.made(Operation.MAP, "float", (applied(template, texts),), ())
        function, parts = call_template(template)
        known = dict(zip("xyz", args, strict=False))
        values = [self.part_of_call(part, known) for part in parts]
        axes = broadcast([value for value in values if isinstance(value, Array)], self.order)
        arguments = tuple(self.use(value, axes) if isinstance(value, Array) else value for value in values)
        return self.made(Operation.MAP, function, arguments, axes)

    def part_of_call(self, part: str, known: Mapping[str, Value]) -> Array | Source:
        """An argument of a function of the table: what a letter stands for, a comparison of it, or a number."""
        letter, relation, number = part.partition(" > ")
        if not letter.startswith("{"):
            return Atom(letter)
        value = known[letter.strip("{}")]
        if not isinstance(value, Array):
            return Binary(">", self.text(value), Atom(number)) if relation else self.text(value)
        if relation:
            return self.made(Operation.MAP, "np.greater", (self.use(value, value.axes), Atom(number)), value.axes)
        return value

    def hidden(self, masks: list[Mask], value: Value, otherwise: str) -> Value:
        """The value where all masks hold, a number elsewhere."""
        if not masks:
            return value
        truths = [self.falsehood(mask) for mask in masks]
        hidden = truths[0]
        for truth in truths[1:]:
            joined = self.combined("np.logical_or", hidden, truth)
            assert isinstance(joined, Array)
            hidden = joined
        return self.chosen(hidden, otherwise, value)

    def chosen(self, hidden: Array, otherwise: str, value: Value) -> Array:
        """The value, or a number where it is hidden."""
        if isinstance(value, Array):
            axes = value.axes
            if not set(hidden.axes) <= set(axes):
                axes = arranged(dict.fromkeys((*value.axes, *hidden.axes)), self.order)
            given: Use | Call = self.use(value, axes)
        else:
            # Two numbers to choose from say nothing of the dtype.
            axes, given = hidden.axes, Call(f"{self.dtype}.type", (self.text(value),))
        return self.made(Operation.MAP, "np.where", (self.use(hidden, axes), Atom(otherwise), given), axes)

    def nonzero(self, weights: Sequence[Base], value: Value) -> Value:
        """The value where every weight differs from zero, minus infinity elsewhere."""
        for weight in weights:
            factor = self.factor(weight)
            axes = factor.axes if isinstance(factor, Array) else ()
            compared = self.use(factor, axes) if isinstance(factor, Array) else self.text(factor)
            absent = self.made(Operation.MAP, "np.equal", (compared, Atom("0.0")), axes)
            value = self.chosen(absent, "-np.inf", value)
        return value

    def falsehood(self, mask: Mask) -> Array:
        """A boolean array that is true where a delta or bracket is 0."""
        function = "np.not_equal" if isinstance(mask, Delta) else OPPOSITES[mask.relation]
        left, right = self.position(mask.left), self.position(mask.right)
        if not isinstance(left, Array) and not isinstance(right, Array):
            return self.made(Operation.MAP, function, (self.text(left), self.text(right)), ())
        result = self.combined(function, left, right)
        assert isinstance(result, Array)
        return result

    def position(self, slot: Slot) -> Value:
        """The values of what a slot holds."""
        if isinstance(slot, Index):
            return self.made(Operation.POSITIONS, "", (), (slot,))
        if isinstance(slot, Lookup):
            return self.access(Access(slot.tensor, slot.slots))
        total: Value = slot.const
        for atom, coeff in slot.parts:
            total = self.combined("np.add", self.combined("np.multiply", self.position(atom), coeff), total)
        return total

    def reduced(self, method: str, value: Value, over: Axes) -> Value:
        """The sum, the largest or the smallest value over axes."""
        if not isinstance(value, Array):
            return value if method != "sum" else sp.Mul(value, *(index.extent for index in over))
        gone = tuple(axis for axis in value.axes if axis in over)
        left = tuple(axis for axis in value.axes if axis not in over)
        return self.made(Operation.REDUCE, method, (self.use(value, (*left, *gone)),), left, gone)

    def summed(self, term: Term, out: Axes) -> Value:
        """The sum of one access, or of a product of two."""
        accesses = [base for base, power in term.powers for _ in range(int(power)) if isinstance(base, Access)]
        assert len(accesses) in (1, 2)
        arrays = [self.access(base) for base in accesses]
        if len(arrays) == 2:
            arrays = [self.as_matrix(arrays[n], accesses[n], arrays[1 - n], term.summed) for n in range(2)]
        if len(arrays) == 1:
            total = self.reduced("sum", arrays[0], term.summed)
            assert isinstance(total, Array)
            return self.scaled(total, term.coeff)
        coeff, name = term.coeff, self.name
        result = tuple(axis for axis in dict.fromkeys((*arrays[0].axes, *arrays[1].axes)) if axis not in term.summed)
        sizes = [self.weight(array, base.tensor) for array, base in zip(arrays, accesses, strict=True)]
        small = min(range(2), key=lambda number: sizes[number])
        if coeff != 1 and sizes[small] <= self.weight(Array(-1, result), name):
            arrays[small], coeff = self.scaled(arrays[small], coeff), ONE
        # Windows are many rows, summed along each: BLAS is faster if the factor with more rows is the first.
        long = {axis for array in arrays if self.is_summed_copy(array, term.summed) for axis in array.axes}
        order = sorted((axis for axis in out if axis in result), key=lambda axis: axis not in long)
        left, right, axes = oriented(arrays[0], arrays[1], tuple(order), term.summed)
        joint = (*axes, *term.summed)
        product = self.made(
            Operation.PRODUCT, "", (self.use(left, joint), self.use(right, joint)), axes, tuple(term.summed)
        )
        return self.scaled(product, coeff)

    def is_summed_copy(self, array: Array, summed: Sequence[Index]) -> bool:
        """Whether an array is a copy of windows whose rows are summed."""
        return self.graph.nodes[array.node].name == COPY and array.axes[-1] in summed

    def as_matrix(self, array: Array, access: Access, other: Array, summed: Sequence[Index]) -> Array:
        """A factor of a product of matrices; windows as a copy, so that a matrix is a view of it."""
        kept = [axis for axis in array.axes if axis not in other.axes]
        lie = self.windows.get(access.tensor, ())
        if not (lie and kept and set(other.axes) - set(array.axes)) or len(array.axes) < len(access.slots):
            return array
        order = order_of_copy(array.axes, [access.indices[place] for place in lie], kept, summed)
        return self.made(Operation.MAP, COPY, (self.use(array, order),), order)


def oriented(left: Array, right: Array, out: Axes, summed: Sequence[Index]) -> tuple[Array, Array, Axes]:
    """The operands and the axes of their product: kept ones that both have, then rows, then columns."""
    rows = [axis for axis in out if axis not in right.axes]
    columns = [axis for axis in out if axis not in left.axes]
    batch = [axis for axis in out if axis in left.axes and axis in right.axes]
    if not (rows and columns):
        return left, right, out
    if out.index(rows[-1]) > out.index(columns[-1]):
        left, right, rows, columns = right, left, columns, rows
    return left, right, (*batch, *rows, *columns)


OPPOSITES = {"<": "np.greater_equal", "<=": "np.greater", "!=": "np.equal"}
"""The function that is true where a relation does not hold."""

"""A program unrolled into scalars: one node for each number that is computed, without arrays or contractions.

At sizes of 2 or 3 a program has some thousands of them. An entry of a tensor is a sum over the terms of its
equation at every value of their summed indices; deltas and brackets are 1 or 0 already here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Lookup,
    MatrixFunction,
    Slot,
    Term,
    Terms,
)
from indexcalc.errors import LimitError, ProgramError
from indexcalc.program import Equation, Program, Unknown
from indexcalc.proof.hostile.nodes import Call, Leaf, MatrixDeterminant, Node, Number, Power, Product, Root, Sought, Sum
from indexcalc.proof.hostile.wide import wide_of
from indexcalc.proof.numeric import Array
from indexcalc.recurrence import Recurrence

NO_ARRAYS: Mapping[str, Array] = {}

NODE_LIMIT = 20_000
"""The most scalars of one program; a run through so many takes some hundredths of a second."""


Numbers = Mapping[sp.Symbol, sp.Expr]
Place = Mapping[Index, int]


@dataclass(frozen=True)
class Unrolled:
    """The scalars of a program, each after those that it reads.

    Attributes:
        nodes: what they are.
        entries: for each tensor, the nodes of its entries in row-major order.
        shapes: the size of each slot of each tensor.
        whole: the inputs of whole numbers, which are looked up.
    """

    nodes: tuple[Node, ...]
    entries: Mapping[str, tuple[int, ...]]
    shapes: Mapping[str, tuple[int, ...]]
    whole: Mapping[str, Array] = field(default_factory=dict)

    @cached_property
    def before_edges(self) -> frozenset[int]:
        """The arguments of what has a kink or a domain that ends, and all that these are sums and products of."""
        found: set[int] = set()
        for number in range(len(self.nodes) - 1, -1, -1):
            match self.nodes[number]:
                case Call(part, name) if (row := wide_of(name)).kink or row.positive:
                    found.add(part)
                case Power(part, exponent) if not exponent.is_positive:
                    found.add(part)
                case Sum(parts) | Product(parts) if number in found:
                    found.update(parts)
                case Power(part) if number in found:
                    found.add(part)
        return frozenset(found)

    @cached_property
    def inside(self) -> Mapping[int, str]:
        """What systems compute from their own unknowns, with the unknown; each of it after what it reads."""
        found: dict[int, str] = {}
        for number, node in enumerate(self.nodes):
            match node:
                case Sought(tensor):
                    found[number] = tensor
                case Sum(parts) | Product(parts) | MatrixDeterminant(parts):
                    if name := next((found[part] for part in parts if part in found), ""):
                        found[number] = name
                case Power(part) | Call(part) if part in found:
                    found[number] = found[part]
        return found

    @cached_property
    def outside(self) -> Sequence[int]:
        """All that is not inside a system."""
        return [number for number in range(len(self.nodes)) if number not in self.inside]

    @cached_property
    def members(self) -> Mapping[str, Sequence[int]]:
        """What each system computes from its unknown, by the name of this, in order."""
        found: dict[str, list[int]] = {}
        for number, name in self.inside.items():
            if not isinstance(self.nodes[number], Sought):
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def coefficients(self) -> frozenset[int]:
        """The numbers, for whose adjoints nobody asks."""
        return frozenset(number for number, node in enumerate(self.nodes) if isinstance(node, Number))


def unrolled(program: Program, numbers: Numbers, whole: Mapping[str, Array] = NO_ARRAYS) -> Unrolled:
    """All scalars of a program.

    Args:
        program: what to unroll.
        numbers: the value of every extent and parameter.
        whole: the inputs of whole numbers, which are looked up already here.

    Raises:
        LimitError: if there are more than `NODE_LIMIT`.
    """
    graph = Graph(numbers, whole=whole)
    for tensor in program.inputs:
        shape = graph.shape(tensor.slots)
        graph.shapes[tensor.name] = shape
        count = range(sp.prod(shape))
        graph.entries[tensor.name] = tuple(graph.node(Leaf(tensor.name, entry)) for entry in count)
    for block in program.blocks:
        unknowns = program.determined_by(block)
        if unknowns:
            unroll_system(graph, program, block, unknowns)
        else:
            unroll_group(graph, program, block)
    return Unrolled(tuple(graph.nodes), graph.entries, graph.shapes, graph.whole)


def unroll_group(graph: Graph, program: Program, equations: Sequence[Equation]) -> None:
    """The scalars of equations from what stands above them, those of a recurrence step by step."""
    recurrence = program.recurrence_by_name.get(equations[0].name) if equations else None
    if recurrence is not None:
        unroll_steps(graph, [program.definitions[name] for name in recurrence.axes], recurrence)
        return
    for equation in equations:
        graph.define(equation)


def unroll_system(graph: Graph, program: Program, block: Sequence[Equation], unknowns: Sequence[Unknown]) -> None:
    """The scalars of a system, then its roots, and what it computes from its unknowns once more, of the roots."""
    first, place = unknowns[0].name, 0
    ranges: dict[str, range] = {}
    for unknown in unknowns:
        name = unknown.name
        graph.shapes[name] = graph.shape(unknown.tensor.slots)
        ranges[name] = range(place, place + int(sp.prod(graph.shapes[name])))
        graph.entries[name] = tuple(graph.node(Sought(first, entry)) for entry in ranges[name])
        place = ranges[name].stop
    sought = tuple(number for name in ranges for number in graph.entries[name])
    for group in program.steps_of(block):
        unroll_group(graph, program, group)
    residuals = tuple(number for unknown in unknowns for number in graph.entries[unknown.residual])
    for name, entries in ranges.items():
        graph.entries[name] = tuple(graph.node(Root(first, entry, residuals, sought)) for entry in entries)
    own_residuals = {unknown.residual for unknown in unknowns}
    for group in program.steps_of(block):
        unroll_group(graph, program, [equation for equation in group if equation.name not in own_residuals])


def unroll_steps(graph: Graph, equations: Sequence[Equation], recurrence: Recurrence) -> None:
    """The scalars of a recurrence, one step after another; what is not computed yet is hidden by brackets."""
    for equation in equations:
        graph.shapes[equation.name] = graph.shape(equation.slots)
        count = int(sp.prod(graph.shapes[equation.name]))
        graph.entries[equation.name] = (graph.node(Number(sp.S.Zero)),) * count
    (steps,) = graph.shape((recurrence.step(equations[0]),))
    for step in range(steps) if recurrence.direction > 0 else reversed(range(steps)):
        for equation in equations:
            found = list(graph.entries[equation.name])
            for entry, place in enumerate(graph.places(equation.slots)):
                if place[recurrence.step(equation)] == step:
                    found[entry] = graph.node(Sum(graph.parts(equation.terms, place), equation.name, entry))
            graph.entries[equation.name] = tuple(found)


def unrolled_terms(terms: Terms, free: tuple[Index, ...], known: Unrolled, numbers: Numbers) -> Unrolled:
    """The graph with one more tensor, called by the empty name: the values of some terms."""
    graph = Graph(numbers, list(known.nodes), dict(known.entries), dict(known.shapes), whole=known.whole)
    graph.numbering = {node: number for number, node in enumerate(graph.nodes)}
    graph.shapes[""] = graph.shape(free)
    graph.entries[""] = tuple(graph.node(Sum(graph.parts(terms, place))) for place in graph.places(free))
    return Unrolled(tuple(graph.nodes), graph.entries, graph.shapes, graph.whole)


@dataclass
class Graph:
    """The nodes so far; equal ones are one."""

    numbers: Numbers
    nodes: list[Node] = field(default_factory=list)
    entries: dict[str, tuple[int, ...]] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    numbering: dict[Node, int] = field(default_factory=dict)
    whole: Mapping[str, Array] = field(default_factory=dict)

    def node(self, node: Node) -> int:
        """The number of a node."""
        if node not in self.numbering:
            if len(self.nodes) >= NODE_LIMIT:
                raise LimitError(f"the program has more than {NODE_LIMIT} scalars at these sizes")
            self.numbering[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbering[node]

    def define(self, equation: Equation) -> None:
        """The entries of the tensor that an equation defines."""
        name, slots = equation.name, equation.slots
        self.shapes[name] = self.shape(slots)
        self.entries[name] = tuple(
            self.node(Sum(self.parts(equation.terms, place), name, entry))
            for entry, place in enumerate(self.places(slots))
        )

    def value(self, scalar: sp.Expr) -> sp.Expr:
        """A scalar without symbols."""
        value = scalar.xreplace(dict(self.numbers))
        if value.free_symbols:
            raise ProgramError(f"no value is given for {min(map(str, value.free_symbols))} in the scalar {scalar}")
        return value

    def shape(self, slots: tuple[Index, ...]) -> tuple[int, ...]:
        """The sizes of some slots."""
        return tuple(int(self.value(slot.extent)) for slot in slots)

    def places(self, indices: tuple[Index, ...]) -> Iterator[dict[Index, int]]:
        """All values of some indices, the last one running fastest."""
        for values in itertools.product(*map(range, self.shape(indices))):
            yield dict(zip(indices, values, strict=True))

    def parts(self, terms: Terms, place: Place) -> tuple[int, ...]:
        """What is added up for one entry; what cancels whatever its value, such as ``x[j] - x[j]``, is left out."""
        coefficients: dict[tuple[int, ...], sp.Expr] = {}
        for term in terms:
            for inner in self.places(term.summed):
                found = self.factors(term, {**place, **inner})
                if found is not None:
                    coefficient, factors = found
                    coefficients[factors] = coefficients.get(factors, sp.S.Zero) + coefficient
        return tuple(
            self.product(coefficient, factors) for factors, coefficient in coefficients.items() if coefficient != 0
        )

    def factors(self, term: Term, place: Place) -> tuple[sp.Expr, tuple[int, ...]] | None:
        """The coefficient and the factors of a term at one place; nothing if a delta or bracket is 0 there."""
        factors = []
        # What brackets of expressions hide may have no value.
        if not all(self.holds(b, place) for b in term.bases if isinstance(b, Delta | Iverson) and not b.is_plain):
            return None
        for base, exponent in term.powers:
            power = self.value(exponent)
            if isinstance(base, Delta | Iverson):
                if not self.holds(base, place):
                    if power > 0:
                        return None
                    factors.append(self.node(Power(self.node(Number(sp.S.Zero)), power)))
                continue
            node = self.base(base, place)
            factors.append(node if power == 1 else self.node(Power(node, power)))
        return self.value(term.coeff), tuple(sorted(factors))

    def product(self, coefficient: sp.Expr, factors: tuple[int, ...]) -> int:
        """One node for a coefficient times some factors."""
        if coefficient != 1 or not factors:
            factors = (self.node(Number(coefficient)), *factors)
        return factors[0] if len(factors) == 1 else self.node(Product(factors))

    def base(self, base: Base, place: Place) -> int:
        """One node for a factor at one place."""
        match base:
            case Access(tensor, slots):
                entry = 0
                for slot, size in zip(slots, self.shapes[tensor], strict=True):
                    at = self.at(slot, place)
                    if not 0 <= at < size:
                        return self.node(Number(sp.S.Zero))
                    entry = entry * size + at
                return self.entries[tensor][entry]
            case MatrixFunction(tensor, slots):
                *sizes, rows, columns = self.shapes[tensor]
                number = 0
                for slot, size in zip(base.of_slots, sizes, strict=True):
                    number = number * size + self.at(slot, place)
                first = number * rows * columns
                entries = self.entries[tensor][first : first + rows * columns]
                if base.word == "cholesky":
                    row, column = (self.at(slot, place) for slot in slots[-2:])
                    return self.in_factor(entries, rows, row, column)
                return self.node(MatrixDeterminant(entries, base.word == "logdet"))
            case Fn(name, args):
                return self.called(name, [self.body(arg, place) for arg in args])
            case Add(terms):
                return self.body(terms, place)
        raise ProgramError(f"the factor {base} has no value of its own")

    def in_factor(self, matrix: tuple[int, ...], size: int, row: int, column: int) -> int:
        """One node for an entry of the Cholesky factor of a symmetric matrix, from what elimination takes away.

        It is that of the symmetric part of the matrix, so that its adjoint is symmetric.
        """
        if row < column:
            return self.node(Number(sp.S.Zero))
        pairs = [(self.in_factor(matrix, size, row, k), self.in_factor(matrix, size, column, k)) for k in range(column)]
        known = (self.product(-sp.S.One, tuple(sorted(pair))) for pair in pairs)
        if row == column:
            rest = self.node(Sum((matrix[row * size + row], *known)))
            return self.node(Power(rest, sp.Rational(1, 2)))
        ends = (matrix[row * size + column], matrix[column * size + row])
        halves = (self.product(sp.Rational(1, 2), (end,)) for end in ends)
        rest = self.node(Sum((*halves, *known)))
        divisor = self.node(Power(self.in_factor(matrix, size, column, column), sp.S.NegativeOne))
        return self.product(sp.S.One, tuple(sorted((rest, divisor))))

    def called(self, name: str, args: Sequence[int]) -> int:
        """One node for a function; one of several arguments is made of functions of one."""
        if len(args) == 1:
            return self.node(Call(args[0], name))
        return WRITTEN[name](self, *args)

    def chosen(self, gap: int, above: int, otherwise: int) -> int:
        """One node where a gap is positive, else another."""
        parts = (self.times(Call(gap, "step"), above), self.times(Call(gap, "rest"), otherwise))
        return self.node(Sum(parts))

    def times(self, factor: Node, other: int) -> int:
        """A new node times another."""
        return self.node(Product((self.node(factor), other)))

    def less(self, left: int, right: int) -> int:
        """The difference of two nodes."""
        return self.node(Sum((left, self.times(Number(-sp.S.One), right))))

    def raised(self, base: int, exponent: int) -> int:
        """``exp(y log x)``."""
        return self.node(Call(self.times(Call(base, "log"), exponent), "exp"))

    def angle(self, y: int, x: int) -> int:
        """``atan(y/x)``, and on the left half turned by pi."""
        turned = self.times(Number(-sp.S.One), x), self.times(Number(-sp.S.One), y)
        left, below = (self.node(Call(part, "step")) for part in turned)
        half = self.node(Sum((self.node(Number(sp.pi)), self.times(Number(-2 * sp.pi), below))))
        principal = self.node(Call(self.times(Power(x, -sp.S.One), y), "atan"))
        return self.node(Sum((principal, self.node(Product((left, half))))))

    def body(self, terms: Terms, place: Place) -> int:
        """One node for terms without sums."""
        parts = self.parts(terms, place)
        return parts[0] if len(parts) == 1 else self.node(Sum(parts))

    def holds(self, base: Delta | Iverson, place: Place) -> bool:
        """Whether a delta or bracket is 1."""
        left, right = self.at(base.left, place), self.at(base.right, place)
        if isinstance(base, Delta):
            return left == right
        return {"<": left < right, "<=": left <= right, "!=": left != right}[base.relation]

    def at(self, slot: Slot, place: Place) -> int:
        """The value of what a slot holds."""
        if isinstance(slot, Index):
            return place[slot]
        if isinstance(slot, Lookup):
            # What brackets hide may lie outside.
            ids = self.whole[slot.tensor]
            at = (self.at(inner, place) for inner in slot.slots)
            return int(ids[tuple(min(max(n, 0), size - 1) for n, size in zip(at, ids.shape, strict=True))])
        parts = (int(self.value(coeff)) * self.at(atom, place) for atom, coeff in slot.parts)
        return int(self.value(slot.const)) + sum(parts)


WRITTEN: Mapping[str, Callable[..., int]] = {
    "max": lambda graph, x, y: graph.chosen(graph.less(x, y), x, y),
    "min": lambda graph, x, y: graph.chosen(graph.less(y, x), x, y),
    "where": lambda graph, x, y, z: graph.chosen(x, y, z),
    "pow": Graph.raised,
    "atan2": Graph.angle,
}
"""The functions of several arguments, written with functions of one."""

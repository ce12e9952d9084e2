"""Hypothesis strategies for random programs: several consumers, diagonals, nested functions, statistics."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp
from hypothesis import strategies as st

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Term,
    Terms,
    free_indices,
    tensors_of,
)
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Program, Tensor

N, M = sp.symbols("N M", positive=True, integer=True)
ROWS = tuple(Index(name, N) for name in "ijl")
COLUMNS = tuple(Index(name, M) for name in "mno")
SHAPES = ((), (N,), (M,), (N, N), (N, M), (M, N), (N, M, N))
COEFFICIENTS = (sp.S.One, sp.S.NegativeOne, sp.Integer(2), sp.Rational(1, 2), 1 / N, -1 / sp.sqrt(M), M / 3)
SMOOTH = ("tanh", "sigmoid", "sin", "cos", "softplus", "silu", "erf", "gelu", "atan")
KINKED = {"relu": 1, "abs": 1, "max": 2, "min": 2, "where": 3}
RELATIONS = ("<", "<=", "!=")


@dataclass
class Draft:
    """A program under construction."""

    draw: st.DrawFn
    tensors: dict[str, Tensor] = field(default_factory=dict)
    equations: list[Equation] = field(default_factory=list)

    def pick(self, *options):
        """One of the options; the simplest first."""
        return self.draw(st.sampled_from(options))

    def slots(self, shape):
        """Distinct indices of the given extents."""
        rows, columns = iter(self.draw(st.permutations(ROWS))), iter(self.draw(st.permutations(COLUMNS)))
        return tuple(next(rows if extent == N else columns) for extent in shape)

    def define(self, slots, *terms, hoisted=False):
        """One more equation, and the name of its tensor."""
        name = f"Y{len(self.equations) + 1}"
        equation = Equation(Access(name, tuple(slots)), terms, hoisted=hoisted)
        self.equations.append(equation)
        self.tensors[name] = Tensor(name, equation.lhs.slots)
        return name

    def entry(self, scope: tuple[Index, ...], fresh: bool = False) -> Access | None:
        """An entry of some tensor with indices in scope, the same one twice at times; None if none fits."""
        extents = {index.extent for index in scope}
        fitting = [t for t in self.tensors.values() if {slot.extent for slot in t.slots} <= extents]
        if fresh:
            fitting = fitting[-2:]
        if not fitting:
            return None
        tensor = self.pick(*fitting)
        chosen = [self.pick(*(index for index in scope if index.extent == slot.extent)) for slot in tensor.slots]
        return Access(tensor.name, tuple(chosen))

    def leaf(self, scope) -> Terms:
        """An entry, or a number where no tensor fits."""
        entry = self.entry(scope)
        return (Term(sp.Rational(1, 2)),) if entry is None else (product(1, ((entry, sp.S.One),)),)

    def body(self, scope, depth: int) -> Terms:
        """A sum-free expression."""
        terms = list(self.leaf(scope))
        for _ in range(self.pick(0, 1)):
            terms.append(product(self.pick(*COEFFICIENTS), self.factors(scope, depth, self.pick(1, 2))))
        return tuple(terms)

    def factors(self, scope, depth: int, count: int) -> list[Power]:
        """Factors with exponents."""
        return [self.factor(scope, depth) for _ in range(count)]

    def factor(self, scope, depth: int) -> Power:
        """One factor: an entry, a power, a function, a bracket, a denominator, a delta."""
        one = sp.S.One
        kinds = ["entry", "entry", "square"]
        if depth > 0:
            kinds += ["smooth", "smooth", "kinked", "exp", "bracket", "denominator", "root", "log"]
        pairs = [(a, b) for a in scope for b in scope if a != b and a.extent == b.extent]
        if pairs:
            kinds += ["delta", "iverson"]
        kind = self.pick(*kinds)
        if kind == "delta":
            return Delta(*self.pick(*pairs)), one
        if kind == "iverson":
            left, right = self.pick(*pairs)
            return Iverson(left, self.pick(*RELATIONS), right), one
        if kind in {"entry", "square"}:
            entry = self.entry(scope)
            base: Base = Fn("cos", ((Term(sp.S.One),),)) if entry is None else entry
            return base, one if kind == "entry" else sp.Integer(self.pick(2, 3))
        inner = self.body(scope, depth - 1)
        if kind == "smooth":
            return Fn(self.pick(*SMOOTH), (inner,)), one
        if kind == "kinked":
            name = self.pick(*KINKED)
            others = (self.body(scope, depth - 1) for _ in range(KINKED[name] - 1))
            return Fn(name, (inner, *others)), one
        if kind == "exp":
            return Fn("exp", ((product(1, ((Fn("tanh", (inner,)), one),)),),)), sp.Integer(self.pick(1, 2, -1))
        positive = (Term(sp.S.One), product(1, ((Fn("tanh", (inner,)), sp.Integer(2)),)))
        if kind == "denominator":
            return Fn("softplus", (inner,)) if self.pick(True, False) else Add(positive), -one
        if kind == "root":
            return Add(positive), self.pick(sp.Rational(1, 2), sp.Rational(-1, 2))
        if kind == "log":
            return Fn("log", (positive,)), one
        return Add((*inner, Term(self.pick(*COEFFICIENTS)))), sp.Integer(self.pick(1, 2))

    def term(self, slots) -> Term:
        """A product summed over some indices that the left side does not have."""
        spare = [index for index in (*ROWS, *COLUMNS) if index not in slots]
        summed = tuple(self.draw(st.lists(st.sampled_from(spare), max_size=2, unique=True)))
        scope = (*slots, *summed)
        powers = self.factors(scope, self.pick(1, 0, 2), self.pick(2, 1, 3))
        recent = self.entry(scope, fresh=True)
        if recent is not None:
            powers.append((recent, sp.S.One))
        return product(self.pick(*COEFFICIENTS), powers, summed)

    def plain(self) -> None:
        """An equation of one to three random terms."""
        slots = self.slots(self.pick(*SHAPES[:6]))
        self.define(slots, *(self.term(slots) for _ in range(self.pick(1, 2, 3))))

    def softmax(self) -> None:
        """exp(s x) / sum exp(s x) over the last slot of some tensor, as two equations."""
        source = self.pick(*(t for t in self.tensors.values() if t.slots))
        slots = self.slots([slot.extent for slot in source.slots])
        other = next(i for i in (*ROWS, *COLUMNS) if i not in slots and i.extent == slots[-1].extent)
        squash = self.pick("tanh", "sin")

        def weight(last: Index) -> Power:
            entry = Access(source.name, (*slots[:-1], last))
            inner = (product(1, ((Fn(squash, ((product(1, ((entry, sp.S.One),)),),)), sp.S.One),)),)
            return Fn("exp", (inner,)), sp.S.One

        total = self.define(slots[:-1], product(1, (weight(other),), (other,)), hoisted=True)
        self.define(slots, product(1, (weight(slots[-1]), (Access(total, slots[:-1]), sp.S.NegativeOne))))

    def norm(self) -> None:
        """(x - mean) / sqrt(variance + 1) over the last slot of some tensor, as three equations."""
        source = self.pick(*(t for t in self.tensors.values() if t.slots))
        slots = self.slots([slot.extent for slot in source.slots])
        rest, last = slots[:-1], slots[-1]
        entry = (Access(source.name, slots), sp.S.One)
        mean = (Access(self.define(rest, product(1 / last.extent, (entry,), (last,)), hoisted=True), rest), sp.S.One)
        centred = Add((product(1, (entry,)), product(-1, (mean,))))
        variance = product(1 / last.extent, ((centred, sp.Integer(2)),), (last,))
        spread = self.define(rest, variance, hoisted=True)
        guarded = Add((product(1, ((Access(spread, rest), sp.S.One),)), Term(sp.S.One)))
        self.define(slots, product(1, ((centred, sp.S.One), (guarded, sp.Rational(-1, 2)))))


def ancestors(program: Program, name: str) -> list[str]:
    """The tensors from which `name` is computed, inputs first."""
    found = {name}
    for equation in reversed(program.equations):
        if equation.name in found:
            found.update(tensors_of(equation.terms))
    return [other for other in program.tensors if other in found and other != name]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """A random program with random upstream gradients or a loss, and some gradients to derive."""
    draft = Draft(draw)
    shapes = draw(st.lists(st.sampled_from(SHAPES[1:6]), min_size=1, max_size=3))
    for number, shape in enumerate(shapes, 1):
        name = f"X{number}"
        draft.tensors[name] = Tensor(name, draft.slots(shape))
    inputs = tuple(draft.tensors.values())
    for _ in range(draft.pick(2, 1, 3, 4)):
        getattr(draft, draft.pick("plain", "plain", "softmax", "norm"))()
    last = draft.equations[-1].name
    loss = None
    if draft.pick(False, False, True):
        slots = draft.tensors[last].slots
        entry = (Access(last, slots), sp.Integer(2))
        last = loss = draft.define((), product(sp.Rational(1, 2), (entry,), slots))
    outputs = [last]
    if loss is None and len(draft.equations) > 1 and draft.pick(False, True):
        outputs.insert(0, draft.equations[-2].name)
    upstream = () if loss else tuple(Upstream(f"G{n}", name) for n, name in enumerate(outputs, 1))
    program = Program("random", inputs, tuple(draft.equations), tuple(outputs), (*ROWS, *COLUMNS))
    candidates = ancestors(program, last) or [last]
    targets = draw(st.lists(st.sampled_from(candidates), min_size=1, max_size=3, unique=True))
    return Problem(program, upstream, tuple(targets), loss)


@st.composite
def expressions(draw: st.DrawFn) -> tuple[Terms, tuple[Tensor, ...]]:
    """One to three terms over a few tensors, and these tensors; the free indices are `free_indices`."""
    draft = Draft(draw)
    for number, shape in enumerate(draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)), 1):
        draft.tensors[f"X{number}"] = Tensor(f"X{number}", draft.slots(shape))
    slots = draft.slots(draft.pick(*SHAPES[:6]))
    terms = tuple(draft.term(slots) for _ in range(draft.pick(1, 2, 3)))
    assert set(free_indices(terms)) <= set(slots)
    return terms, tuple(draft.tensors.values())


def sizes() -> st.SearchStrategy[dict[sp.Symbol, int]]:
    """Values from 1 to 4 for both extents."""
    return st.fixed_dictionaries({N: st.sampled_from((3, 2, 4, 1)), M: st.sampled_from((2, 3, 1, 4))})

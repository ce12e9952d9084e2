"""Values of the formulas of a generated note, read and evaluated without any part of the checker.

The syntax tree of a formula meets the arrays of the derivation's own program, as the naive evaluator
and the oracles compute them; a derivative is a complex step through the whole program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from indexcalc.calculus.steps import Derivation
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token, tokenize
from indexcalc.language.latex.tree import Atom, Fraction, Group, Node, Product, Root, Scripted, Sum, Truth
from indexcalc.notes.names import notation_of
from indexcalc.proof.evaluate import run_lanes
from indexcalc.proof.numeric import Array, numeric_of
from indexcalc.proof.oracles import Point, total_gradient
from indexcalc.proof.sampling import size_sets
from indexcalc.proof.steps import Context, context_of
from tests.support.labelled import MismatchError, Value, diagonal, joined, on_diagonal, summed, times

LANE = "lane"
STEP = 1e-30
FUNCTIONS = ("log", "sin", "cos", "tanh", "exp", "sigmoid", "softplus", "silu", "erf", "gelu", "relu", "step", "sign")
COMPARE = {"<": np.less, "<=": np.less_equal, "!=": np.not_equal, ">": np.greater, ">=": np.greater_equal}


class UnreadableError(Exception):
    """A formula that this reader does not know."""


Key = tuple[str, str]


@dataclass
class Note:
    """The names of one derivation, and their values at a random point.

    Attributes:
        tensors: the tensor of each symbol; a symbol is its base and what stands above it.
        scalars: the value of each extent and parameter; a symbol is its base and what stands below it.
        context: the values.
        loss: the symbol of the loss.
        steps: every tensor of the program with one entry of a tensor moved in each lane, by that tensor.
    """

    tensors: Mapping[Key, str]
    scalars: Mapping[Key, float]
    context: Context
    loss: Key
    steps: dict[str, dict[str, Array]] = field(default_factory=dict)

    def value(self, text: str, letters: Mapping[str, int]) -> Value:
        """The value of a formula whose free letters have the given sizes."""
        return Reader(self, dict(letters)).sum(tree_of(text))

    def letters(self, texts: Sequence[str]) -> dict[str, int]:
        """The sizes of all letters in some formulas, by the slots that they stand in."""
        return Reader(self, {}).sizes_in([tree_of(text) for text in texts])

    def moved(self, tensor: str) -> dict[str, Array]:
        """Every tensor of the program, with one lane for each moved entry of `tensor`."""
        if tensor not in self.steps:
            program, point = self.context.problem.program, self.context.point
            at = np.asarray(point.values[tensor], dtype=complex)
            lanes = at[np.newaxis] + 1j * STEP * np.eye(at.size).reshape((at.size, *at.shape))
            given = {name.name: point.values[name.name][np.newaxis] for name in program.inputs}
            self.steps[tensor] = run_lanes(program, {**given, tensor: lanes}, point.numbers)
        return self.steps[tensor]


def note_of(derivation: Derivation, seed: int = 0) -> Note:
    """A derivation's names at a random point with extents that all differ."""
    notation, problem = notation_of(derivation), derivation.problem
    rng = np.random.default_rng(seed)
    context = context_of(derivation, size_sets(problem.program, rng)[0], rng)
    named = dict(context.named)
    for tensor, name in problem.gradient_names.items():
        named.setdefault(name, total_gradient(problem.program, context.point, context.weights, tensor))
    tensors = {key_of(notation.tensor(name)): name for name in named}
    symbols = {str(symbol): float(value) for symbol, value in context.point.numbers}
    scalars = {key_of(latex): symbols[name] for name, latex in notation.scalars.items() if name in symbols}
    return Note(tensors, scalars, replace(context, named=named), key_of(notation.loss))


def tree_of(text: str) -> Sum:
    """The syntax tree of a member of a chain, its alignment marks dropped."""
    text = re.sub(r"(&&|&\\qquad \\text\{)[^\n]*", " ", text)
    text = re.sub(r"\\\\\n|&|\\qquad|\\right\|_\{.*\}$", " ", text)
    return parse(tokenize(text))


def key_of(latex: str) -> Key:
    """The symbol in a piece of LaTeX."""
    node = parse(tokenize(latex)).terms[0][1].items[0]
    if isinstance(node, Scripted):
        return text_of((node.base.token,)), text_of(node.above[0] if node.above else node.below)
    return text_of((node.token,)), ""


def text_of(tokens: Sequence[Token]) -> str:
    """The text of tokens without braces."""
    return "".join(token.text for token in tokens if token.kind not in ("{", "}"))


@dataclass
class Reader:
    """Evaluates syntax trees; `sizes` are those of the letters in scope, `lanes` the moved values, if any."""

    note: Note
    sizes: dict[str, int]
    lanes: Mapping[str, Array] = field(default_factory=dict)
    fresh: count[int] = field(default_factory=count)

    def sum(self, tree: Sum) -> Value:
        """A sum of products."""
        total: Value | None = None
        for sign, term in tree.terms:
            value = self.product(term.items)
            value = replace(value, array=sign * value.array)
            total = value if total is None else joined(np.add, total, value)
        assert total is not None
        return total

    def product(self, items: Sequence[Node]) -> Value:
        """Factors side by side."""
        for place, item in enumerate(items):
            if big(item):
                break
            if isinstance(item, Atom) and item.kind == "ODOT":
                return joined(np.multiply, self.product(items[:place]), self.product(items[place + 1 :]))
        value = Value(np.ones(()))
        place, divide = 0, False
        while place < len(items):
            item = items[place]
            if isinstance(item, Atom) and item.kind in ("SLASH", "TIMES", "DOT"):
                divide = item.kind == "SLASH"
                place += 1
                continue
            factor, place = self.unit(items, place)
            if divide:
                factor, divide = replace(factor, array=1 / factor.array), False
            value = times(value, factor, next(self.fresh))
        return value

    def unit(self, items: Sequence[Node], place: int) -> tuple[Value, int]:
        """One factor with what it takes to its right."""
        item = items[place]
        base = item.base if isinstance(item, Scripted) else item
        if isinstance(base, Atom) and base.kind == "SUM":
            return self.total(item, items[place + 1 :]), len(items)
        if isinstance(base, Atom) and base.kind == "PARTIAL":
            slash = next(n for n, other in enumerate(items) if n > place and getattr(other, "kind", "") == "SLASH")
            return self.slope(items[place + 1 : slash], items[slash + 2]), slash + 3
        if isinstance(item, Fraction) and partial(item.numerator) and partial(item.denominator):
            above = item.numerator.terms[0][1].items[1:]
            wrt = item.denominator.terms[0][1].items[1]
            return (self.slope(above, wrt), place + 1) if above else (self.slope(items[place + 1 :], wrt), len(items))
        name = base.text if isinstance(base, Atom) and base.kind == "NAME" else ""
        if name in (*FUNCTIONS, "max", "min", "diag") and (name, "") not in self.note.tensors:
            return self.call(name, items[place + 1]), place + 2
        return self.factor(item), place + 1

    def call(self, name: str, argument: Node) -> Value:
        """A function of the bracket that follows it, and its power."""
        powers = argument.above if isinstance(argument, Scripted) else ()
        group = argument.base if isinstance(argument, Scripted) else argument
        if not isinstance(group, Group):
            raise UnreadableError(name)
        values = [self.sum(member) for member in group.members]
        if name == "diag":
            value = diagonal(values[0])
        elif name in ("max", "min"):
            value = joined(np.maximum if name == "max" else np.minimum, *values)
        else:
            value = replace(values[0], array=numeric_of(name).compute(values[0].array))
        return self.powered(value, powers)

    def factor(self, item: Node) -> Value:
        """One factor on its own."""
        match item:
            case Group(bracket, (only,)):
                value = self.sum(only)
                return replace(value, array=numeric_of("abs").compute(value.array)) if bracket == "|" else value
            case Fraction(above, below):
                under = self.sum(below)
                return times(self.sum(above), replace(under, array=1 / under.array), next(self.fresh))
            case Root(body):
                value = self.sum(body)
                return replace(value, array=np.sqrt(value.array))
            case Truth(left, relation, right):
                a, b = (side.terms[0][1].items[0].text for side in (left, right))
                return self.relation(a, b, COMPARE.get(relation, np.equal))
            case Atom() if item.kind == "NUM":
                return Value(np.asarray(float(item.text)))
            case Atom() if item.kind == "ONE":
                label = f"#{next(self.fresh)}"
                return Value(np.ones(1), (label,), (label,))
            case Scripted(base, below, above) if not (isinstance(base, Atom) and base.kind == "NAME"):
                if below:
                    raise UnreadableError("a subscript on an expression")
                return self.powered(self.factor(base), above)
        return self.named(item)

    def named(self, item: Node) -> Value:
        """A tensor, a scalar, a delta or a power of e."""
        base, below, above = parts(item)
        if base == "delta" and below and ("delta", "") not in self.note.tensors:
            a, b = letters_of(below)
            return self.relation(a, b, np.equal)
        if base == "pi" and ("pi", "") not in self.note.tensors:
            return self.powered(Value(np.asarray(np.pi)), above)
        if base == "e" and above and not below:
            inner = self.sum(parse(above[0]))
            return replace(inner, array=np.exp(inner.array))
        scalar = self.note.scalars.get((base, text_of(below)))
        if scalar is not None and (base, "") not in self.note.tensors:
            return self.powered(Value(np.asarray(scalar)), above)
        name, powers = self.symbol(base, above)
        array = self.lanes[name] if name in self.lanes else self.note.context.named[name][np.newaxis]
        return self.powered(self.entry(array, letters_of(below)), powers)

    def symbol(self, base: str, above: tuple[tuple[Token, ...], ...]) -> tuple[str, tuple[tuple[Token, ...], ...]]:
        """The tensor of a symbol, and the powers above it."""
        if above and (base, text_of(above[0])) in self.note.tensors:
            return self.note.tensors[base, text_of(above[0])], above[1:]
        if (base, "") in self.note.tensors:
            return self.note.tensors[base, ""], above
        raise UnreadableError(base)

    def entry(self, array: Array, letters: Sequence[str]) -> Value:
        """A tensor, its lane first, at letters."""
        labels, axes = self.slots(letters, array.shape[1:])
        return on_diagonal(array, (LANE, *labels), axes)

    def slots(self, letters: Sequence[str], shape: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A label for each slot, and those that are axes: under a dot, or where no letter stands."""
        if len(letters) > len(shape):
            raise MismatchError("too many indices")
        labels = [*letters, *("." * (len(shape) - len(letters)))]
        for place, letter in enumerate(labels):
            if letter == ".":
                labels[place] = f"#{next(self.fresh)}"
            elif self.sizes.get(letter, shape[place]) != shape[place]:
                raise MismatchError(f"{letter} has two sizes")
        return tuple(labels), tuple(label for label in labels if label.startswith("#"))

    def relation(self, a: str, b: str, compare: np.ufunc) -> Value:
        """1 where two indices are so related."""
        if a not in self.sizes or b not in self.sizes:
            raise UnreadableError(f"the size of {a} or {b}")
        if self.sizes[a] != self.sizes[b]:
            raise MismatchError(f"{a} and {b} have two sizes")
        grid = compare(np.arange(self.sizes[a])[:, np.newaxis], np.arange(self.sizes[b])) * 1.0
        return on_diagonal(grid, (a, b), ())

    def powered(self, value: Value, powers: Sequence[Sequence[Token]]) -> Value:
        """Powers and transposes, in order."""
        for tokens in powers:
            if tokens[0].kind == "TOP":
                value = replace(value, axes=value.axes[::-1], row=not value.row)
                continue
            entrywise = tokens[0].kind == "ODOT"
            exponent = self.sum(parse(tokens[1:] if entrywise else tokens))
            if value.axes and not entrywise:
                raise MismatchError("a power of a matrix")
            value = replace(value, array=np.power(value.array, exponent.array.reshape(())))
        return value

    def total(self, item: Node, rest: Sequence[Node]) -> Value:
        """A sum over letters that reaches to the end."""
        bound = letters_of(parts(item)[1])
        inner = replace(self, sizes={letter: size for letter, size in self.sizes.items() if letter not in bound})
        found = inner.sizes_in(rest)
        inner.sizes.update({letter: found[letter] for letter in bound if letter in found})
        value = inner.product(rest)
        for letter in bound:
            if letter not in inner.sizes:
                raise UnreadableError(f"the size of {letter}")
            if letter in value.labels:
                value = summed(value, letter)
            else:
                value = replace(value, array=value.array * inner.sizes[letter])
        return value

    def slope(self, above: Sequence[Node], wrt: Node) -> Value:
        """A derivative by the entries of a tensor, through the whole program."""
        while isinstance(wrt, Group) and len(wrt.members) == 1:
            wrt = wrt.members[0].terms[0][1].items[0]
        base, below, sup = parts(wrt)
        name, _ = self.symbol(base, sup)
        if name not in self.note.context.problem.program.tensors:
            raise UnreadableError(f"a derivative by {name}")
        point: Point = self.note.context.point
        if len(above) == 1 and isinstance(above[0], Atom | Scripted) and self.is_loss(above[0]):
            gradient = self.note.context.named[self.note.context.problem.gradient_names[name]]
            return self.entry(gradient[np.newaxis], letters_of(below))
        inner = replace(self, lanes=self.note.moved(name)).product(above)
        shape = np.shape(point.values[name])
        value = replace(inner, array=inner.array.imag / STEP)
        if LANE in value.labels:
            value = replace(value, array=np.moveaxis(value.array, value.labels.index(LANE), 0))
            others = tuple(label for label in value.labels if label != LANE)
            if value.array.shape[0] == 1:
                value = replace(value, array=np.repeat(value.array, int(np.prod(shape, dtype=int)), axis=0))
            array = value.array.reshape((*shape, *value.array.shape[1:]))
        else:
            others, array = value.labels, np.zeros((*shape, *value.array.shape))
        labels, axes = self.slots(letters_of(below), shape)
        return on_diagonal(array, (*labels, *others), (*inner.axes, *axes))

    def is_loss(self, node: Node) -> bool:
        """Whether a node is the loss."""
        base, below, _ = parts(node)
        return not below and (base, "") == self.note.loss

    def sizes_in(self, trees: Sequence[Node | Product | Sum]) -> dict[str, int]:
        """The sizes of the letters in trees, by the slots that they stand in, then by deltas and brackets."""
        found: dict[str, int] = {}
        pairs = []
        for one, other in (fact for tree in trees for fact in self.facts(tree)):
            if isinstance(other, int):
                found[one] = other
            else:
                pairs.append((one, other))
        for one, other in (*pairs, *pairs):
            for a, b in ((one, other), (other, one)):
                if b not in found and a in {**self.sizes, **found}:
                    found[b] = {**self.sizes, **found}[a]
        return found

    def facts(self, tree: Node | Product | Sum) -> Iterator[tuple[str, int | str]]:
        """A letter with the size of a slot in which it stands, or two letters of one size."""
        if isinstance(tree, Sum | Product):
            for child in tree.items if isinstance(tree, Product) else (term for _, term in tree.terms):
                yield from self.facts(child)
        elif isinstance(tree, Truth):
            left, right = (side.terms[0][1].items[0].text for side in (tree.left, tree.right))
            yield left, right
        elif isinstance(getattr(tree, "base", tree), Atom):
            base, below, above = parts(tree)
            if base == "delta" and below:
                left, right = letters_of(below)
                yield left, right
            for tokens in above if base == "e" and not below else ():
                yield from self.facts(parse(tokens))
            if (base, "") in self.note.tensors or (above and (base, text_of(above[0])) in self.note.tensors):
                name, _ = self.symbol(base, above)
                yield from zip(letters_of(below), self.note.context.named[name].shape, strict=False)
        else:
            for attribute in ("base", "members", "numerator", "denominator", "body"):
                inner = getattr(tree, attribute, ())
                for part in inner if isinstance(inner, tuple) else (inner,):
                    yield from self.facts(part)


def parts(item: Node) -> tuple[str, tuple[Token, ...], tuple[tuple[Token, ...], ...]]:
    """The text of a name, what stands below it, and what above."""
    if isinstance(item, Scripted) and isinstance(item.base, Atom):
        return item.base.text, item.below, item.above
    if isinstance(item, Atom):
        return item.text, (), ()
    raise UnreadableError(type(item).__name__)


def letters_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The letters of a subscript; a dot stands for a whole axis."""
    kept = [token for token in tokens if token.kind in ("NAME", "NUM", "TIMES")]
    return tuple("." if token.kind == "TIMES" else token.text for token in kept)


def big(item: Node) -> bool:
    """Whether a factor reaches to the end of its product."""
    base = item.base if isinstance(item, Scripted) else item
    return isinstance(base, Atom) and base.kind == "SUM"


def partial(tree: Sum) -> bool:
    """Whether a numerator or denominator begins with the sign of a derivative."""
    first = tree.terms[0][1].items[0]
    return isinstance(first, Atom) and first.kind == "PARTIAL"

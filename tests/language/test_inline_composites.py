"""A formula with inline composites is the same program as one with an equation for each of them.

Both texts come from one random tree. The respelled one names what the language says is named: every composite
in a non-linear place, every softmax and logsumexp, and every mean that is read broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

import pytest

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Access, Add, Base, Fn, Terms
from indexcalc.calculus.steps import Derivation
from indexcalc.language import read_problem
from indexcalc.program import Program
from indexcalc.rewrite.cost import equation_cost, nominal_sizes
from indexcalc.rewrite.derive import derive

HEAD = "index i : N\nindex h : H\nindex k : K\ninput X[i,h], W[i,h], b[i], g[h], V[h,k], c\n"
ENTRIES = {"X[i,h]": "ih", "W[i,h]": "ih", "b[i]": "i", "g[h]": "h", "V[h,k]": "hk", "c": ""}
LINEAR = ("mean", "var", "norm2")
SEEDS = 150
DERIVED = 25
KEEPING = ("softmax", "logsoftmax")
COMPOSITES = (*LINEAR, *KEEPING, "logsumexp")


@dataclass(frozen=True)
class Tree:
    """An operation: an entry, a sign of arithmetic, a function, or a composite over an index."""

    kind: str
    parts: tuple[Tree, ...] = ()
    over: str = ""

    @property
    def free(self) -> frozenset[str]:
        """The free indices."""
        inner = frozenset(ENTRIES.get(self.kind, "")).union(*(part.free for part in self.parts))
        return inner if self.kind in KEEPING else inner - {self.over}


def tree(rng: Random, depth: int, axes: str) -> Tree:
    """A random operation whose free indices are among `axes`."""
    if depth == 0:
        return Tree(rng.choice([name for name, slots in ENTRIES.items() if set(slots) <= set(axes)]))
    kind = rng.choice(("+", "-", "*", "/", "tanh", "exp", "square", *COMPOSITES, *COMPOSITES))
    if kind in "+-*/":
        return Tree(kind, (tree(rng, depth - 1, axes), tree(rng, rng.randrange(depth), axes)))
    if kind not in COMPOSITES:
        return Tree(kind, (tree(rng, depth - 1, axes),))
    over = rng.choice(axes) if kind in KEEPING and axes else rng.choice("ihk")
    body = tree(rng, depth - 1, "".join(sorted({*axes, over})))
    if over not in body.free or (kind in KEEPING and over not in axes):
        return Tree("tanh", (tree(rng, depth - 1, axes),))
    return Tree(kind, (body,), over)


@dataclass
class Speller:
    """The text of a tree; where `named`, composites become equations above it."""

    named: bool
    entries: dict[str, str] = field(default_factory=dict)

    def text(self, node: Tree, around: frozenset[str] | None = None) -> str:
        """The formula; `around` are the indices of the sum that it is a term of, None in a non-linear place."""
        match node.kind:
            case "+" | "-":
                around = None if around is None else around | node.free
                left, right = (self.text(part, around) for part in node.parts)
                return f"({left} {node.kind} {right})"
            case "*":
                return " * ".join(self.text(part) for part in node.parts)
            case "/":
                return f"{self.text(node.parts[0])} / (3 + {self.text(Tree('square', node.parts[1:]))})"
            case "square":
                return f"({self.text(node.parts[0])})^2"
            case "tanh" | "exp":
                return f"{node.kind}({self.text(node.parts[0])})"
            case kind if kind in COMPOSITES:
                return self.composite(node, around)
        return node.kind

    def composite(self, node: Tree, around: frozenset[str] | None) -> str:
        """A composite, or the entry of the tensor that holds it."""
        inner = node.parts[0].free if node.kind == "mean" else None
        text = f"{node.kind}[{node.over}]({self.text(node.parts[0], inner)})"
        stays = node.kind in LINEAR and around == node.free and text not in self.entries
        if stays or not self.named:
            return text
        slots = f"[{','.join(i for i in 'ihk' if i in node.free)}]" if node.free else ""
        return self.entries.setdefault(text, f"q{len(self.entries)}{slots}")


def programs(seed: int) -> tuple[str, str]:
    """The inline text and the respelled one."""
    rng = Random(seed)
    root = Tree("+", (tree(rng, 3, "ih"), Tree("*", (tree(rng, 2, "ih"), Tree("X[i,h]")))))
    inline, respelled = Speller(named=False), Speller(named=True)
    one, other = (speller.text(root, frozenset("ih")) for speller in (inline, respelled))
    lines = [f"{entry} = {text}" for text, entry in respelled.entries.items()]
    return f"{HEAD}Y[i,h] = {one}\nderive X, b\n", "\n".join([HEAD, *lines, f"Y[i,h] = {other}", "derive X, b\n"])


def renamed(terms: Terms, names: dict[str, str]) -> Terms:
    """The terms with tensors under other names."""
    return tuple(
        product(term.coeff, ((base_renamed(base, names), exponent) for base, exponent in term.powers), term.summed)
        for term in terms
    )


def base_renamed(base: Base, names: dict[str, str]) -> Base:
    """One factor with tensors under other names."""
    match base:
        case Access(tensor, slots):
            return Access(names.get(tensor, tensor), slots)
        case Fn(args=args):
            return replace(base, args=tuple(renamed(arg, names) for arg in args))
        case Add(terms):
            return Add(renamed(terms, names))
    return base


def matched(one: Program, other: Program, names: dict[str, str]) -> dict[str, str]:
    """The name in `one` of every tensor of `other`: the same equations, in an order of their own.

    An equation of `other` may stand there twice: a mean that a variance named before the author did.
    """
    names = dict(names)
    for theirs in other.equations:
        terms = renamed(theirs.terms, names)
        mine = [e.name for e in one.equations if e.lhs.slots == theirs.lhs.slots and same(e.terms, terms)]
        assert mine, f"{theirs} is no equation of the other program"
        names[theirs.name] = next((name for name in mine if name not in names.values()), mine[0])
    assert {equation.name for equation in one.equations} <= {*names.values()}
    return names


def test_the_trees_hold_every_composite() -> None:
    texts = "".join(programs(seed)[0] for seed in range(SEEDS))
    assert all(texts.count(f"{name}[") > SEEDS // 8 for name in COMPOSITES)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_inline_composites_are_the_equations_of_a_respelled_program(seed: int) -> None:
    inline, respelled = (read_problem(text).program for text in programs(seed))
    matched(inline, respelled, {})


@pytest.mark.parametrize("seed", range(DERIVED))
def test_they_derive_to_equal_gradients_at_equal_cost(seed: int) -> None:
    assert_equal_gradients(*programs(seed))


NORMALIZED = "index i : N\nindex h : H\ninput X[i,h]\n{}Y[i,h] = (X[i,h] - {}) / sqrt({} + 1e-5)\nderive X\n"


def test_a_normalization_written_inline_has_the_gradient_that_names_give_it() -> None:
    inline = NORMALIZED.format("", "mean[h](X[i,h])", "var[h](X[i,h])")
    named = NORMALIZED.format("m[i] = mean[h](X[i,h])\nv[i] = var[h](X[i,h])\n", "m[i]", "v[i]")
    found = assert_equal_gradients(inline, named)
    (gradient,) = (equation for equation in found.backward.equations if equation.name == "dX")
    powers = [(base, exponent) for term in gradient.terms for base, exponent in term.powers]
    assert not [base for base, exponent in powers if isinstance(base, Access) and base.tensor == "X" and exponent == 2]


def assert_equal_gradients(text: str, with_names: str) -> Derivation:
    """The derivation of the first text, whose gradients are those of the second, at no higher cost."""
    problem, other = (read_problem(text), read_problem(with_names))
    names = matched(problem.program, other.program, {})
    # The gradient of a reduction that only the reader named is put into its one reader, that of an author's is not.
    hoisted = {equation.name for equation in problem.program.equations if equation.hoisted}
    unnamed = tuple(replace(e, hoisted=names[e.name] in hoisted) for e in other.program.equations)
    unnamed_problem = replace(other, program=replace(other.program, equations=unnamed))
    inline, respelled = derive(problem), derive(other)
    gradients, owners = inline.problem.gradient_names, respelled.problem.gradient_names
    names |= {owners[theirs]: gradients[mine] for theirs, mine in names.items()}
    if len(unnamed) == len(problem.program.equations):
        matched(inline.backward, derive(unnamed_problem).backward, names)
    sizes = nominal_sizes(inline.problem.program)
    mine, theirs = (sum(equation_cost(e, sizes) for e in d.backward.equations) for d in (inline, respelled))
    assert mine <= theirs
    return inline

"""Identities that numbers refute: neither a claim of a spec nor a relation of a document may be called proved.

True ones come from the derivations of this repository, the claims and every equation of the backward pass, and from
random expressions rewritten by the laws of arithmetic. Each is broken in one place. That it is false then is found by
evaluating both sides: by the gradient oracles, or by arrays with one axis for every index, here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Add, Base, Fn, Index, Power, Term, Terms, inner_terms
from indexcalc.document import check
from indexcalc.document.report import TRUE
from indexcalc.language.read import read_problem
from indexcalc.problem import Problem
from indexcalc.program import Identity
from indexcalc.proof.claims import check_claims
from indexcalc.rewrite.derive import derive
from tests.campaign.mutated_specs import corpus

CERTAIN = 1e-3
"""The relative difference of both sides from which on an identity counts as false."""

SIZES = {"i": 3, "j": 3, "k": 3, "m": 4}
"""The extents of the indices of random identities."""

TENSORS = {"a": "i", "b": "i", "c": "m", "A": "ij", "B": "im", "s": ""}
"""The tensors of random identities, with the extents of their slots."""


@dataclass(frozen=True)
class Case:
    """A false identity: where it comes from, how it was broken, and as a claim or as the line of a document.

    Attributes:
        name: the origin and the way of breaking.
        problem: the problem whose only claim is false.
        text: the same identity in LaTeX, if it stands for itself.
    """

    name: str
    problem: Problem
    text: str = ""


def cases(seed: int, count: int) -> Iterator[Case]:
    """False identities, of derivations and random ones in turn."""
    rng = random.Random(seed)
    for number in range(count):
        yield from_derivation(rng) if number % 2 else from_arithmetic(rng)


def verdict(case: Case) -> str:
    """What is wrong with the answers to a false identity; empty if nothing is."""
    derivation = derive(case.problem)
    if any(proof.identity is claim for proof in derivation.proofs for claim in case.problem.claims):
        return f"proved: {case.problem.claims[0]}"
    if case.text:
        found = [claim for claim in check(case.text).claims if claim.verdict in TRUE]
        if found:
            return f"a document says {found[0].verdict.value}: {case.text}"
    return ""


# From derivations ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def small_specs() -> tuple[str, ...]:
    """The specs whose derivations take a moment."""
    return tuple(text for name, text in corpus() if text.count("\n") < 30 and name != "residual_stack")


@cache
def true_identities(text: str) -> tuple[Problem, tuple[Identity, ...]]:
    """A problem, with its claims and the equations of its gradients as identities."""
    problem = read_problem(text)
    derivation = derive(problem)
    named = set(problem.gradient_names.values())
    known = {*named, *problem.program.tensors, *(upstream.name for upstream in problem.upstream)}
    gradients = tuple(
        Identity((Term(sp.S.One, ((equation.lhs, sp.S.One),)),), equation.terms)
        for equation in derivation.backward.equations
        if equation.name in named and known.issuperset(tensors(equation.terms))
    )
    return problem, (*problem.claims, *gradients)


def tensors(terms: Terms) -> Iterator[str]:
    """The names in an expression."""
    for term in terms:
        for base, _ in term.powers:
            if isinstance(base, Access):
                yield base.tensor
            else:
                yield from tensors(inner_terms(base))


def from_derivation(rng: random.Random) -> Case:
    """A broken identity of a derivation."""
    while True:
        problem, known = true_identities(rng.choice(small_specs()))
        if not known:
            continue
        identity = rng.choice(known)
        way = rng.choice(("coefficient", "sign", "exponent", "index", "sum", "term"))
        right = broken(identity.right, way, rng)
        if right is None:
            continue
        changed = replace(problem, claims=(Identity(identity.left, right),))
        if all(one.error > CERTAIN for one in check_claims(changed)):
            return Case(f"{problem.program.title}: {way}", changed)


def broken(terms: Terms, way: str, rng: random.Random) -> Terms | None:
    """A sum with one mistake at any depth; None if it cannot have this one."""
    if not terms:
        return None
    at = rng.randrange(len(terms))
    if way == "term":
        return (*terms[:at], *terms[at + 1 :])
    changed = broken_term(terms[at], way, rng)
    return None if changed is None else (*terms[:at], changed, *terms[at + 1 :])


def broken_term(term: Term, way: str, rng: random.Random) -> Term | None:
    """A term with one mistake, or with a factor that has one."""
    inner = [number for number, (base, _) in enumerate(term.powers) if isinstance(base, Add | Fn)]
    if inner and rng.random() < 0.5:
        at = rng.choice(inner)
        base, exponent = term.powers[at]
        place = rng.randrange(len(base.args)) if isinstance(base, Fn) and len(base.args) > 1 else 0
        below = broken(base.terms if isinstance(base, Add) else base.args[place], way, rng)
        if not below:
            return None
        changed: Base
        if isinstance(base, Add):
            changed = Add(below)
        else:
            changed = replace(base, args=(*base.args[:place], below, *base.args[place + 1 :]))
        return product(term.coeff, (*term.powers[:at], (changed, exponent), *term.powers[at + 1 :]), term.summed)
    if way == "coefficient":
        return replace(term, coeff=term.coeff * rng.choice((2, 3)))
    if way == "sign":
        return replace(term, coeff=-term.coeff)
    if way == "sum" and term.summed:
        return without_sum(term, rng.choice(term.summed))
    if not term.powers:
        return None
    at = rng.randrange(len(term.powers))
    base, exponent = term.powers[at]
    if way == "exponent":
        return with_power(term, at, (base, exponent + 1))
    if way == "index" and isinstance(base, Access) and base.slots:
        return with_other_index(term, at, base, rng)
    return None


def without_sum(term: Term, index: Index) -> Term:
    """The term as if the sum had one value only: its mean."""
    return replace(term, coeff=term.coeff / index.extent)


def with_power(term: Term, at: int, power: Power) -> Term:
    """The term with another factor at a place."""
    return product(term.coeff, (*term.powers[:at], power, *term.powers[at + 1 :]), term.summed)


def with_other_index(term: Term, at: int, base: Access, rng: random.Random) -> Term | None:
    """The term with another index of the same extent in one slot of a factor."""
    slot = rng.randrange(len(base.slots))
    held = base.slots[slot]
    if not isinstance(held, Index):
        return None
    used = {i for one, _ in term.powers if isinstance(one, Access) for i in indices_in(one)} | set(term.summed)
    others = sorted((i for i in used if i.extent == held.extent and i != held), key=str)
    if not others:
        return None
    slots = (*base.slots[:slot], rng.choice(others), *base.slots[slot + 1 :])
    return with_power(term, at, (replace(base, slots=slots), term.powers[at][1]))


def indices_in(entry: Access) -> list[Index]:
    """The indices that stand in slots by themselves."""
    return [slot for slot in entry.slots if isinstance(slot, Index)]


# From arithmetic ----------------------------------------------------------------------------------------------------

Tree = tuple
"""``("+", parts)``, ``("*", parts)``, ``("^", base, n)``, ``("sum", index, body)``, ``("f", name, body)``,
``("entry", name, indices)`` or ``("number", n)``."""


def from_arithmetic(rng: random.Random) -> Case:
    """A random identity, true by the laws of arithmetic until its right side is broken."""
    while True:
        left = expression(rng, ("i",), 3)
        right = disturbed(rewritten(left, rng), rng)
        if right is None or free_in(left) != free_in(right):
            continue
        if certainly_unequal(left, right):
            return Case("arithmetic", problem_of(left, right), f"$$ {latex(left)} = {latex(right)} $$")


def problem_of(left: Tree, right: Tree) -> Problem:
    """A problem with this claim, and little else."""
    text = f"index i, j, k : N\nindex m : M\ninput {', '.join(declared())}\nforward = s\n"
    return read_problem(f"{text}prove {written(left)} = {written(right)}\n")


def declared() -> list[str]:
    """The tensors as a spec declares them."""
    slots = {"i": "i", "ij": "i,j", "im": "i,m", "m": "m"}
    return [f"{name}[{slots[indices]}]" if indices else name for name, indices in TENSORS.items()]


def expression(rng: random.Random, free: tuple[str, ...], depth: int) -> Tree:
    """A random expression whose free indices are among these."""
    kind = rng.choice(("entry", "entry", "+", "*", "*", "sum", "^", "f")) if depth else "entry"
    if kind in ("+", "*"):
        return (kind, tuple(expression(rng, free, depth - 1) for _ in range(rng.choice((2, 2, 3)))))
    if kind == "^":
        base = expression(rng, free, depth - 1)
        return ("^", base, rng.choice((2, 3))) if not has_sum(base) else base
    if kind == "f":
        body = expression(rng, free, 0)
        return ("f", rng.choice(("tanh", "exp", "sin")), body)
    new = next((index for index in rng.sample("jkm", 3) if index not in free), None)
    if kind == "sum" and new is not None:
        body = expression(rng, (*free, new), depth - 1)
        return ("sum", new, body if new in free_in(body) else ("*", (body, entry_with(new, free, rng))))
    fitting = [name for name, slots in TENSORS.items() if all(fits(one, free) for one in slots)]
    name = rng.choice(fitting)
    return ("entry", name, tuple(rng.choice([i for i in free if alike(i, one)]) for one in TENSORS[name]))


def has_sum(tree: Tree) -> bool:
    """Whether a sum is in it: a claim cannot raise one to a power."""
    if tree[0] in ("+", "*"):
        return any(map(has_sum, tree[1]))
    return tree[0] == "sum" or (tree[0] == "^" and has_sum(tree[1]))


def alike(one: str, other: str) -> bool:
    """Whether two indices have one extent."""
    return (one == "m") == (other == "m")


def fits(slot: str, free: Sequence[str]) -> bool:
    """Whether an index can stand in a slot."""
    return any(alike(index, slot) for index in free)


def entry_with(index: str, free: tuple[str, ...], rng: random.Random) -> Tree:
    """An entry that has an index."""
    return ("entry", "c", (index,)) if index == "m" else ("entry", rng.choice(("a", "b")), (index,))


def free_in(tree: Tree) -> frozenset[str]:
    """The free indices of an expression."""
    match tree:
        case ("entry", _, indices):
            return frozenset(indices)
        case ("number", _):
            return frozenset()
        case ("sum", index, body):
            return free_in(body) - {index}
        case ("^", base, _):
            return free_in(base)
        case ("f", _, body):
            return free_in(body)
    return frozenset().union(*map(free_in, tree[1]))


def rewritten(tree: Tree, rng: random.Random) -> Tree:
    """An expression of the same value: other orders, products over sums multiplied out, squares written out."""
    match tree:
        case ("+" | "*" as kind, parts):
            parts = tuple(rewritten(part, rng) for part in parts)
            at = next((n for n, part in enumerate(parts) if part[0] == "+"), None)
            if kind == "*" and at is not None and rng.random() < 0.7:
                rest = (*parts[:at], *parts[at + 1 :])
                return ("+", tuple(("*", (part, *rest)) for part in parts[at][1]))
            return (kind, tuple(rng.sample(parts, len(parts))))
        case ("^", base, n):
            base = rewritten(base, rng)
            return ("*", (base,) * n) if rng.random() < 0.5 else ("^", base, n)
        case ("sum", index, body):
            body = rewritten(body, rng)
            if body[0] == "+" and all(index in free_in(part) for part in body[1]) and rng.random() < 0.5:
                return ("+", tuple(("sum", index, part) for part in body[1]))
            return ("sum", index, body)
    return tree


def disturbed(tree: Tree, rng: random.Random) -> Tree | None:
    """The expression with one mistake somewhere; None if it cannot have the chosen one."""
    if rng.random() < 0.5 and tree[0] in ("+", "*", "^", "sum", "f"):
        match tree:
            case ("+" | "*" as kind, parts):
                at = rng.randrange(len(parts))
                below = disturbed(parts[at], rng)
                return None if below is None else (kind, (*parts[:at], below, *parts[at + 1 :]))
            case ("^", base, n):
                below = disturbed(base, rng)
                return None if below is None else ("^", below, n)
            case (kind, name, body):
                below = disturbed(body, rng)
                return None if below is None or (kind == "sum" and name not in free_in(below)) else (kind, name, below)
    way = rng.choice(("coefficient", "sign", "exponent", "index", "sum", "part"))
    match way, tree:
        case "coefficient", _:
            return ("*", (("number", 2), tree))
        case "sign", _:
            return ("*", (("number", -1), tree))
        case "exponent", ("^", base, n):
            return ("^", base, n + 1)
        case "index", ("entry", name, indices) if indices:
            others = [index for index in "ijk" if index not in indices and indices[0] != "m"]
            return ("entry", name, (rng.choice(others), *indices[1:])) if others else None
        case "sum", ("sum", "j" | "k" as index, body):
            return renamed(body, index, "i")
        case "part", ("+" | "*" as kind, parts) if len(parts) > 1:
            return (kind, parts[1:]) if len(parts) > 2 else parts[1]
    return None


def renamed(tree: Tree, old: str, new: str) -> Tree:
    """The expression with one free index under the name of another."""
    match tree:
        case ("entry", name, indices):
            return ("entry", name, tuple(new if index == old else index for index in indices))
        case ("sum", index, body):
            return tree if index == old else ("sum", index, renamed(body, old, new))
        case ("^", base, n):
            return ("^", renamed(base, old, new), n)
        case ("f", name, body):
            return ("f", name, renamed(body, old, new))
        case ("number", _):
            return tree
    return (tree[0], tuple(renamed(part, old, new) for part in tree[1]))


def certainly_unequal(left: Tree, right: Tree) -> bool:
    """Whether the values differ at random numbers by more than any rounding."""
    rng = np.random.default_rng(0)
    values = {name: rng.uniform(0.5, 1.5, [SIZES[i] for i in slots]) for name, slots in TENSORS.items()}
    one, other = value(left, values), value(right, values)
    scale = max(float(np.max(np.abs(one))), float(np.max(np.abs(other))))
    return bool(np.isfinite(scale) and np.max(np.abs(one - other)) > CERTAIN * scale)


def value(tree: Tree, values: dict[str, np.ndarray]) -> np.ndarray:
    """The expression as an array with an axis for every index, of length 1 where it does not vary."""
    match tree:
        case ("number", n):
            return np.full((1,) * len(SIZES), float(n))
        case ("entry", name, indices):
            grids = np.ix_(*(np.arange(size) for size in SIZES.values()))
            places = tuple(grids[list(SIZES).index(index)] for index in indices)
            return values[name][places] if indices else values[name].reshape((1,) * len(SIZES))
        case ("sum", index, body):
            axis, inner = list(SIZES).index(index), value(body, values)
            total = inner.sum(axis=axis, keepdims=True)
            return total * (SIZES[index] if inner.shape[axis] == 1 else 1)
        case ("^", base, n):
            return value(base, values) ** n
        case ("f", name, body):
            return getattr(np, name)(value(body, values))
        case ("+", parts):
            return sum(value(part, values) for part in parts)
    result = np.ones((1,) * len(SIZES))
    for part in tree[1]:
        result = result * value(part, values)
    return result


def written(tree: Tree) -> str:
    """The expression in the language of specs."""
    match tree:
        case ("number", n):
            return f"({n})"
        case ("entry", name, indices):
            return f"{name}[{','.join(indices)}]" if indices else name
        case ("sum", index, body):
            return f"sum[{index}]({written(body)})"
        case ("^", base, n):
            return f"({written(base)})^{n}"
        case ("f", name, body):
            return f"{name}({written(body)})"
    return "(" + f" {tree[0]} ".join(map(written, tree[1])) + ")"


def latex(tree: Tree) -> str:
    """The expression in LaTeX."""
    match tree:
        case ("number", n):
            return f"({n})"
        case ("entry", name, indices):
            return f"{name}_{{{' '.join(indices)}}}" if indices else name
        case ("sum", index, body):
            return rf"\Bigl(\sum_{{{index}}} {latex(body)}\Bigr)"
        case ("^", base, n):
            return f"({latex(base)})^{{{n}}}"
        case ("f", name, body):
            return rf"\{name}({latex(body)})"
    return "(" + (" + " if tree[0] == "+" else r" \, ").join(map(latex, tree[1])) + ")"

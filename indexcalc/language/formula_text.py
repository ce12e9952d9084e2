"""Syntax trees as the text of a spec: what is printed is read again as the same tree, or as one of equal meaning.

Round brackets stand only where the tree needs them. Scalars that SymPy computed are spelled as formulas.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.language.syntax import (
    Bracket,
    Call,
    Entry,
    Expression,
    ExtentOf,
    Gradient,
    Negate,
    Over,
    Plus,
    Raise,
    Reduce,
    Scalar,
    Slot,
    Times,
    beyond_limits,
    children,
    written,
)

SIZE_LIMIT = 50_000
"""The most nodes of a tree that is printed; one that Python shares between places may be far larger than it looks."""


def formula_text(node: Expression) -> str:
    """The formula as a spec has it.

    Raises:
        LimitError: for a formula that is nested too deep, too wide or too large.
        UnsupportedError: for a SymPy scalar that a spec can't spell.
    """
    found = beyond_limits(node)
    if found is not None:
        raise LimitError(found[1])
    if tree_size(node, {}) > SIZE_LIMIT:
        raise LimitError(f"a formula of more than {SIZE_LIMIT} parts")
    return sum_text(node)


def tree_size(node: Expression, known: dict[int, int]) -> int:
    """How many nodes are printed, those that stand in several places each time."""
    if id(node) not in known:
        known[id(node)] = 1 + sum(tree_size(child, known) for child in children(node))
    return known[id(node)]


def sum_text(node: Expression) -> str:
    """The formula where a sum may stand."""
    node = spelled(node)
    if not isinstance(node, Plus):
        return product_text(node)
    text = ""
    for minus, part in signed(node.parts):
        if not text:
            text = f"-{factor_text(part)}" if minus else product_text(part)
        else:
            text += f" {'-' if minus else '+'} {product_text(part)}"
    return text


def signed(parts: tuple[Expression, ...]) -> Iterator[tuple[bool, Expression]]:
    """What a sum adds up, and whether it is taken away."""
    for part in map(spelled, parts):
        yield (True, part.operand) if isinstance(part, Negate) else (False, part)


def product_text(node: Expression) -> str:
    """The formula where a product may stand."""
    node = spelled(node)
    if isinstance(node, Over):
        return f"1 / {factor_text(node.operand)}"
    if not isinstance(node, Times) or chained(node):
        return factor_text(node)
    text = ""
    for factor in map(spelled, node.factors):
        if isinstance(factor, Over):
            text = f"{text or '1'} / {factor_text(factor.operand)}"
        else:
            text = f"{text} * {factor_text(factor)}" if text else factor_text(factor)
    return text


def factor_text(node: Expression) -> str:
    """The formula as a factor."""
    node = spelled(node)
    match node:
        case Negate(operand=operand):
            return f"-{factor_text(operand)}"
        case Raise(base=base, exponent=exponent):
            return f"{atom_text(base)}^{factor_text(exponent)}"
    return atom_text(node)


def atom_text(node: Expression) -> str:
    """The formula where nothing else may join it."""
    node = spelled(node)
    match node:
        case Scalar(value=value):
            return number_text(value)
        case Entry(name=name, slots=slots, layout=layout):
            return written(name, map(slot_text, slots or ()), layout)
        case Gradient(of=of, slots=slots, layout=layout):
            return written(f"dL/d{of}", map(slot_text, slots or ()), layout)
        case Bracket(left=left, relation=relation, right=right):
            return f"[{slot_text(left)} {relation} {slot_text(right)}]"
        case Call(function=function, args=args):
            return f"{function}({', '.join(map(sum_text, args))})"
        case Reduce(operator=operator, indices=indices, body=body):
            return f"{operator}[{','.join(map(slot_text, indices))}]({sum_text(body)})"
        case Times() if (pair := chained(node)) is not None:
            first, second = pair
            start = f"{slot_text(first.left)} {first.relation} {slot_text(first.right)}"
            return f"[{start} {second.relation} {slot_text(second.right)}]"
        case ExtentOf():
            raise UnsupportedError("the extent of an index has no spelling of its own; write the extent")
    return f"({sum_text(node)})"


def chained(node: Times) -> tuple[Bracket, Bracket] | None:
    """The two relations of ``[0 <= i + k < N]``, which is a product of them."""
    match node.factors:
        case (Bracket() as first, Bracket() as second) if slot_text(first.right) == slot_text(second.left):
            return first, second
    return None


def slot_text(slot: Slot) -> str:
    """What stands in a slot: the name of an index, or an expression without round brackets."""
    return slot.name if slot.expression is None else place_text(slot.expression)


def place_text(node: Expression) -> str:
    """An expression in a slot, without blanks."""
    text = ""
    for minus, part in summands(node, False):
        sign = "-" if minus else "+" if text else ""
        text += sign + "*".join(map(place_factor, part.factors if isinstance(part, Times) else (part,)))
    return text or "0"


def place_factor(node: Expression) -> str:
    """A factor in a slot."""
    node = spelled(node)
    return f"-{place_factor(node.operand)}" if isinstance(node, Negate) else atom_text(node)


def summands(node: Expression, minus: bool) -> Iterator[tuple[bool, Expression]]:
    """What an expression in a slot adds up, sums inside it taken apart; a factor of one is left out."""
    node = spelled(node)
    match node:
        case Plus(parts=parts):
            for part in parts:
                yield from summands(part, minus)
        case Negate(operand=operand):
            yield from summands(operand, not minus)
        case Times(factors=(Scalar(value=sp.S.One), rest)):
            yield from summands(rest, minus)
        case Times(factors=(Scalar(value=sp.S.NegativeOne), rest)):
            yield from summands(rest, not minus)
        case Scalar(value=sp.S.Zero):
            return
        case _:
            yield minus, node


def spelled(node: Expression) -> Expression:
    """The expression itself; a scalar that is more than a number becomes a formula of numbers and names."""
    return scalar_tree(node.value) if isinstance(node, Scalar) else node


def scalar_tree(value: sp.Expr) -> Expression:
    """A SymPy scalar as a formula.

    Raises:
        UnsupportedError: for what a spec can't spell.
    """
    if value.is_Rational:
        size = abs(value)
        whole = Scalar(sp.Integer(size.p))
        tree = Scalar(size) if size.is_Integer or is_decimal(size) else Times((whole, Over(Scalar(sp.Integer(size.q)))))
        return Negate(tree) if value < 0 else tree
    if value.is_Symbol:
        return Entry(value.name)
    if value == sp.pi:
        return Entry("pi")
    if value == sp.E:
        return Call("exp", (Scalar(sp.S.One),))
    if value.is_Add:
        return Plus(tuple(signed_tree(part) for part in value.as_ordered_terms()))
    if value.is_Mul:
        return product_tree(value)
    if value.is_Pow and value.exp == sp.S.Half:
        return Call("sqrt", (scalar_tree(value.base),))
    if value.is_Pow and value.exp.could_extract_minus_sign():
        return Times((Scalar(sp.S.One), Over(scalar_tree(1 / value))))
    if value.is_Pow:
        return Raise(scalar_tree(value.base), scalar_tree(value.exp))
    if isinstance(value, sp.exp | sp.log | sp.sin | sp.cos | sp.tanh | sp.Abs):
        return Call(type(value).__name__.lower(), (scalar_tree(value.args[0]),))
    raise UnsupportedError(f"the scalar {value} has no spelling in a spec")


def signed_tree(value: sp.Expr) -> Expression:
    """A part of a sum; what is negative is taken away."""
    return Negate(scalar_tree(-value)) if value.could_extract_minus_sign() else scalar_tree(value)


def product_tree(value: sp.Expr) -> Expression:
    """A product: what is above the line, then each divisor."""
    if value.could_extract_minus_sign():
        return Negate(scalar_tree(-value))
    above: list[Expression] = []
    below: list[Expression] = []
    for factor in value.as_ordered_factors():
        if factor.is_Rational and not factor.is_Integer:
            above += [Scalar(sp.Integer(factor.p))] if factor.p != 1 else []
            below.append(Over(Scalar(sp.Integer(factor.q))))
        elif factor.is_Pow and factor.exp.could_extract_minus_sign():
            below.append(Over(scalar_tree(1 / factor)))
        else:
            above.append(scalar_tree(factor))
    factors = (*(above or [Scalar(sp.S.One)]), *below)
    return factors[0] if len(factors) == 1 else Times(factors)


def is_decimal(value: sp.Rational) -> bool:
    """Whether the shortest decimal of the nearest float is the number itself."""
    return bool(sp.Rational(repr(float(value))) == value)


def number_text(value: sp.Expr) -> str:
    """A number that isn't negative, as one word."""
    if value.is_Integer:
        return str(value)
    mantissa, _, exponent = repr(float(value)).partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa

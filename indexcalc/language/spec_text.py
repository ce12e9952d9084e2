"""Statements as the text of a spec; `read_problem` reads the same problem from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import sympy as sp

from indexcalc.algebra.scalars import rounded_fraction
from indexcalc.errors import LimitError
from indexcalc.language import lines
from indexcalc.language.domains import DEFINITE, INFINITY, SYMMETRIC, WORDS, sums_to_one, symmetric_in
from indexcalc.language.extents import Extent, extent_value
from indexcalc.language.formula_text import atom_text, formula_text, slot_text
from indexcalc.language.paths import SIZE_LIMIT
from indexcalc.language.syntax import Entry, Expression, Reduce, Slot

Written = tuple[lines.Statement, str]
"""A statement; with an input, the words for what is assumed of it."""

DECLARING = (lines.TitleLine, lines.IndexLine, lines.ParameterLine)
COMPUTING = (lines.EquationLine, lines.SolveLine, lines.UseLine)


def spec_text(statements: Iterable[lines.Statement]) -> str:
    """The statements one a line, as an author would write them.

    Line ends in the author's words become blanks.

    Raises:
        LimitError: for a text that no reader would take.
        UnsupportedError: for a SymPy scalar that a spec can't spell.
    """
    found: list[str] = []
    group = None
    for line, assumed in with_assumptions(tuple(statements)):
        found += [""] if group not in (None, group_of(line)) else []
        found.append(line_text(line, assumed))
        group = group_of(line)
    text = "".join(f"{line}\n" for line in found)
    if len(text) > SIZE_LIMIT:
        raise LimitError(f"a spec of more than {SIZE_LIMIT} characters")
    return text


def group_of(line: lines.Statement) -> int:
    """The paragraph that a statement belongs to: declarations, inputs, equations, what is asked."""
    kinds = (DECLARING, (lines.InputLine,), COMPUTING)
    return next((number for number, kind in enumerate(kinds) if isinstance(line, kind)), len(kinds))


def with_assumptions(statements: tuple[lines.Statement, ...]) -> Iterator[Written]:
    """The statements; an assumption that ``probability over c`` or ``symmetric`` stands for is written so."""
    number = 0
    while number < len(statements):
        line, *rest = statements[number : number + 2]
        then = rest[0] if rest else None
        assumed = ""
        if isinstance(line, lines.InputLine) and isinstance(then, lines.ClaimLine):
            assumed = assumed_text(line, then)
        yield line, assumed
        number += 2 if assumed else 1


def assumed_text(line: lines.InputLine, then: lines.ClaimLine) -> str:
    """The words behind an input for what the next statement assumes of it; nothing if there are none."""
    if isinstance(then.left, Reduce) and domain_text(line) == " probability":
        slots = then.left.indices
        return f" over {several(slots)}" if is_claim(then, sums_to_one(line.entry, slots, None)) else ""
    if isinstance(then.left, Entry) and isinstance(then.right, Entry) and not domain_text(line):
        slots = then.left.slots or ()
        others = then.right.slots or ()
        moved = tuple(slot for slot, other in zip(slots, others, strict=False) if slot.name != other.name)
        word = DEFINITE if then.definite else SYMMETRIC
        along = "" if moved == slots else f" over {several(moved)}"
        return f" {word}{along}" if is_claim(then, symmetric_in(line.entry, moved, word, None)) else ""
    return ""


def is_claim(line: lines.ClaimLine, other: lines.ClaimLine | str) -> bool:
    """Whether two statements say the same."""
    return isinstance(other, lines.ClaimLine) and line_text(line) == line_text(other)


def line_text(line: lines.Statement, assumed: str = "") -> str:
    """One statement."""
    match line:
        case lines.TitleLine(text=text):
            return f"title {quoted(text)}"
        case lines.IndexLine(names=names, extent=extent, doc=doc):
            return f"index {listed(names)} : {extent_text(extent)}{comment(doc)}"
        case lines.ParameterLine(name=name, default=default, doc=doc):
            return f"param {name}{'' if default is None else f' = {formula_text(default)}'}{comment(doc)}"
        case lines.InputLine(entry=entry, doc=doc):
            return f"input {atom_text(entry)}{domain_text(line)}{assumed}{comment(doc)}"
        case lines.EquationLine(left=left, right=right, doc=doc, steps=steps):
            return f"{atom_text(left)} = {formula_text(right)}{steps_text(steps)}{comment(doc)}"
        case lines.SolveLine(others=(), unknown=unknown, left=left, right=right, doc=doc):
            return f"solve {atom_text(unknown)} : {equal(left, right)}{comment(doc)}"
        case lines.SolveLine(parts=parts):
            sought = ", ".join(f"{atom_text(part.unknown)}{comment(part.doc)}" for part in parts)
            return f"solve {sought} : {' ; '.join(equal(part.left, part.right) for part in parts)}"
    return asked_text(line)


def asked_text(line: lines.Statement) -> str:
    """A statement that says what is given and what is asked for; or one that takes equations from elsewhere."""
    match line:
        case lines.UpstreamLine(given=given, gradient=gradient, doc=doc):
            return f"upstream {equal(given, gradient)}{comment(doc)}"
        case lines.LossLine(name=name):
            return f"loss {name}"
        case lines.DeriveLine(names=names):
            return f"derive {listed(names)}"
        case lines.RecomputeLine(names=names):
            return f"recompute {listed(names)}"
        case lines.SplitLine(names=names, axis=axis):
            return f"split {listed(names)} over {axis}"
        case lines.DerivativeLine():
            return derivative_text(line)
        case lines.NameLine(name=name, gradient=gradient):
            return f"name {name} = {formula_text(gradient)}"
        case lines.ClaimLine(left=left, right=right, doc=doc, assumed=assumed):
            return f"{'assume' if assumed else 'prove'} {equal(left, right)}{comment(doc)}"
        case lines.UseLine():
            return use_text(line)
    raise TypeError(f"not a statement: {line!r}")


def equal(left: Expression, right: Expression) -> str:
    """``left = right``."""
    return f"{formula_text(left)} = {formula_text(right)}"


def quoted(text: str) -> str:
    """The author's words in quotation marks."""
    words = " ".join(text.split("\n")).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{words}"'


def comment(doc: str) -> str:
    """The words behind a statement, if there are any."""
    return f"  {quoted(doc)}" if doc else ""


def listed(names: Iterable[Slot]) -> str:
    """Names with commas."""
    return ", ".join(slot.name for slot in names)


def several(names: tuple[Slot, ...]) -> str:
    """One name, or several in round brackets."""
    return names[0].name if len(names) == 1 else f"({listed(names)})"


def extent_text(extent: Extent) -> str:
    """``N_H*D_h``, ``N - K + 1``, ``(N - K)//2 + 1``."""
    if all(isinstance(factor, str | int) for factor in extent):
        return "*".join(map(str, extent))
    return length_text(sp.expand(extent_value(extent)))


def length_text(value: sp.Expr) -> str:
    """A sum of extents, what is taken away after what is added."""
    parts = sorted(sp.Add.make_args(value), key=lambda part: (bool(part.could_extract_minus_sign()), part.is_number))
    text = ""
    for part in parts:
        minus = part.could_extract_minus_sign()
        sign = ("-" if minus else "") if not text else (" - " if minus else " + ")
        text += sign + "*".join(map(length_factor, sp.Mul.make_args(-part if minus else part)))
    return text


def length_factor(value: sp.Expr) -> str:
    """A factor of an extent; what is rounded down is divided by a whole number."""
    if value.is_Pow:
        return "*".join([length_factor(value.base)] * int(value.exp))
    if isinstance(value, sp.floor):
        above, below = rounded_fraction(value)
        text = length_text(above)
        return f"({f'({text})' if above.is_Add else text}//{below})"
    return f"({length_text(value)})" if value.is_Add else str(value)


def domain_text(line: lines.InputLine) -> str:
    """Where the entries of an input lie."""
    if line.values is not None:
        return f" in {line.values.name}"
    domain = line.domain
    if domain is None:
        return ""
    low = f"-{INFINITY}" if domain.low is None else formula_text(domain.low)
    high = INFINITY if domain.high is None else formula_text(domain.high)
    text = f"{'(' if domain.open_low else '['}{low}, {high}{')' if domain.open_high else ']'}"
    for word, named in WORDS.items():
        ends = (named.open_low, named.open_high, named.low, named.high)
        if ends == (domain.open_low, domain.open_high, domain.low, domain.high):
            return f" {word}"
    return f" in {text}"


def steps_text(steps: lines.Steps | None) -> str:
    """`` for t in 1 .. T-1``."""
    if steps is None:
        return ""
    return f" for {steps.index.name} in {slot_text(steps.first)} .. {slot_text(steps.last)}"


def derivative_text(line: lines.DerivativeLine) -> str:
    """``hessian L by (u, v)``, ``product hessian L by w with s``, ``gauss_newton L by w through z``."""
    asked = f"{line.word} {line.of.name} by {several(line.by)}"
    if line.transposed:
        asked = f"product {several(line.along)} with {asked}"
    elif line.along:
        asked = f"product {asked} with {several(line.along)}"
    through = f" through {line.through.name}" if line.through is not None else ""
    return f"{asked}{through}{comment(line.doc)}"


def use_text(line: lines.UseLine) -> str:
    """``use layer_norm(X = H[(b,s),m], g = g) as ln giving Y as X_norm``."""
    spec = quoted(line.spec) if line.is_path else line.spec
    bound = ", ".join(f"{one.name} = {formula_text(one.value)}" for one in line.bindings)
    renamed = (
        f"{one.name}{'' if one.given == one.name else f' as {one.given}'}{comment(one.doc)}" for one in line.giving
    )
    return f"use {spec}({bound}) as {line.prefix}{' giving ' if line.giving else ''}{', '.join(renamed)}"

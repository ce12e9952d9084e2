r"""Equations that no line writes: ``a = \sigma(w x + b) = \sigma(z)`` gives z, and ``x^T = y^T A`` gives x.

``O = \sigma(A) V = D V`` gives D, if D stands nowhere before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.calls import LIMITS, closing, is_normal, spelt
from indexcalc.document.statements.named_parts import is_name, named_part, stands_among
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.document.statements.outline import Side, Statement
from indexcalc.document.statements.scripts import is_transpose
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token


def with_implied(statements: Sequence[Statement], told: Sequence[Statement] = ()) -> list[Statement]:
    """The statements, and behind each those that it implies of names that no equation gives, nor what a context told.

    What a transpose gives an equation behind it may state. What a chain defines is a function of the name in it, by
    which it may be differentiated.
    """
    heads = [spelt(one.sides[0].tokens) for one in statements]
    given = {spelt(one.sides[0].tokens) for one in told}
    found: list[Statement] = []
    for place, statement in enumerate(statements):
        found.append(statement)
        for one in implied_by(statement, statements, place):
            name = spelt(one.sides[0].tokens)
            if name not in given.union(heads[:place] if one.implied == 1 else heads):
                given.add(name)
                found.append(one)
                put_name_first(statement, one)
    return found


def put_name_first(statement: Statement, implied: Statement) -> None:
    """Let a chain that gives a name give it by the member with the other name in it."""
    if implied.implied != 2:
        return
    first, one, other = statement.sides[:3]
    if implied.sides[0].start >= other.start and is_name(first.tokens) and one.relation == other.relation:
        statement.sides[1:3] = [other, one]


def implied_by(statement: Statement, statements: Sequence[Statement], place: int) -> Iterator[Statement]:
    """The equations of names that a statement implies at its place among all."""
    yield from of_transposes(statement)
    yield from of_logarithms(statement)
    yield from of_arguments(statement)
    yield from of_parts(statement, statements, place)
    yield from of_calls(statement)


def of_transposes(statement: Statement) -> Iterator[Statement]:
    """What an equation implies that gives the transpose of a name."""
    tokens, (_, side, *_) = statement.sides[0].tokens, (*statement.sides, None)
    name, mark = tokens[:-2], tokens[-2:]
    if side is None or side.relation != "=" or side.tree is None or not is_name(name) or mark[0].kind != "SUP":
        return
    if is_transpose(mark[1:]) and not stands_in(name, side.tokens):
        left, right = (replace(mark[0], kind=text, text=text) for text in "()")
        yield from implied(statement, 1, name, [left, *side.tokens, right, *mark])


def of_logarithms(statement: Statement) -> Iterator[Statement]:
    """What an equation implies that gives the logarithm of a value by a formula in which no other one stands."""
    tokens, (_, side, *_) = statement.sides[0].tokens, (*statement.sides, None)
    if side is None or side.relation not in ("=", ":=") or side.tree is None or len(tokens) < len(("log", "p")):
        return
    log, name = tokens[0], tokens[1:]
    value = log.text in ("log", "ln") and name[0].inside is not None and is_name(name) and not is_normal(name[0].text)
    if value and all(token.inside is None for token in side.tokens):
        left, right = (replace(log, kind=text, text=text) for text in "()")
        yield from implied(statement, 1, name, [replace(log, text="exp"), left, *side.tokens, right])


def implied(statement: Statement, member: int, name: Sequence[Token], formula: Sequence[Token]) -> Iterator[Statement]:
    """The equation of a name; none if its formula cannot be parsed."""
    try:
        sides = [side_of("", name), side_of("=", formula)]
    except (IndexCalcError, RecursionError):
        return
    yield Statement(sides, statement.span, statement.number, families=statement.families, implied=member)


def of_arguments(statement: Statement) -> Iterator[Statement]:
    """What a chain implies whose members behind the first differ in one argument, which is a name in the other."""
    for member, one, other in equal_members(statement):
        arguments = unequal_argument(one.tokens, other.tokens)
        if arguments is None:
            continue
        formula, name = sorted(arguments, key=is_name)
        if is_name(name) and not is_name(formula) and not stands_in(name, formula):
            yield from implied(statement, member, name, formula)


def equal_members(statement: Statement) -> Iterator[tuple[int, Side, Side]]:
    """The members of a chain behind its first that can be read, each behind the one before it, with its place."""
    for member in range(2, len(statement.sides)):
        one, other = statement.sides[member - 1 : member + 1]
        if other.relation == "=" and one.tree is not None and other.tree is not None:
            yield member, one, other


def of_parts(statement: Statement, statements: Sequence[Statement], place: int) -> Iterator[Statement]:
    r"""What a chain implies that names a part of a formula, where the name stands nowhere before.

    The chain says what a name or a derivative is: ``S v = A^T A v = \lambda v`` is an equation for v. And no equation
    gives the name with other indices: it may be one at any step, or layer.
    """
    first = statement.sides[0].tokens
    if not is_name(first) and (not first or first[0].kind not in ("FRAC", "PARTIAL", "NABLA")):
        return
    for member, one, other in equal_members(statement):
        found = named_part(one.tokens, other.tokens)
        if found is None:
            continue
        formula, name = found
        earlier = [side.tokens for each in statements[:place] for side in each.sides]
        own = [side.tokens for side in statement.sides[: member - 1]]
        heads = [each.sides[0].tokens[:1] for each in statements[place:]]
        if not stands_among(name, [*earlier, *own, formula, *heads]):
            yield from implied(statement, member, name, formula)


def of_calls(statement: Statement) -> Iterator[Statement]:
    """What a chain implies that says by a formula what a function is: ``J = CE(y, p) = ...``."""
    if len(statement.sides) < 3:
        return
    first, call, formula = statement.sides[:3]
    written = first.tree is not None and call.relation == formula.relation == "=" and formula.tree is not None
    if written and is_word_applied(call.tokens) and not is_name(formula.tokens):
        yield from implied(statement, 2, call.tokens, formula.tokens)


def is_word_applied(tokens: Sequence[Token]) -> bool:
    """Whether tokens are the value of a function named by a word, of which nothing is known, without a condition."""
    if len(tokens) != 1 or tokens[0].inside is None:
        return False
    head, bracket, *_ = inner = tokens[0].inside.tokens
    word = head.kind == "NAME" and len(head.text) > 1 and head.text.isalpha() and bracket.kind == "("
    return word and not any(token.kind in ("BAR", "SEMICOLON", "NORM") for token in inner)


def side_of(relation: str, tokens: Sequence[Token]) -> Side:
    """Tokens as a member."""
    return Side(relation, tuple(tokens), parse(tokens), "", tokens[0].start, tokens[-1].start + 1)


def unequal_argument(one: Sequence[Token], other: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """The arguments of the one function in which two members differ; None if they differ otherwise."""
    alike = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a.text != b.text), 0)
    for opening in range(alike - 1, 0, -1):
        if one[opening].kind == "(" and one[opening - 1].kind == "NAME":
            ends = [closing(tokens, opening) for tokens in (one, other)]
            behind = [spelt(tokens[end:]) for tokens, end in zip((one, other), ends, strict=True)]
            if all(ends) and behind[0] == behind[1]:
                return one[opening + 1 : ends[0] - 1], other[opening + 1 : ends[1] - 1]
    return None


def stands_in(name: Sequence[Token], formula: Sequence[Token]) -> bool:
    """Whether a name stands in a formula, whatever is above it."""
    own = without_above(name, 0)
    return any(token.kind == "NAME" and without_above(formula, place) == own for place, token in enumerate(formula))


def without_above(tokens: Sequence[Token], place: int) -> tuple[str, ...]:
    """The name that begins at a place, with what stands below it."""
    below = place + 1 < len(tokens) and tokens[place + 1].kind == "SUB"
    end = after_scripts(tokens[: place + LIMITS], place + 1) if below else place + 1
    scripts = tokens[place:end]
    above = next((n for n, token in enumerate(scripts) if token.kind == "SUP"), len(scripts))
    return spelt(scripts[:above])

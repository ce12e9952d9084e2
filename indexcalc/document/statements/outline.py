"""The relations of a document in order: chains with parsed members, continued across displays."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from indexcalc.document.statements.applications import with_applications
from indexcalc.document.statements.arguments import without_arguments
from indexcalc.document.statements.brackets import with_brackets
from indexcalc.document.statements.calls import with_calls
from indexcalc.document.statements.concatenations import with_blocks
from indexcalc.document.statements.conditionals import with_conditionals
from indexcalc.document.statements.conditions_below import with_conditions_below
from indexcalc.document.statements.dependence import with_dependences
from indexcalc.document.statements.differentials import with_gradients
from indexcalc.document.statements.expectation_signs import with_expectations
from indexcalc.document.statements.families import Families, families_of
from indexcalc.document.statements.index_names import with_index_names
from indexcalc.document.statements.integrals import with_integrals
from indexcalc.document.statements.kronecker import with_deltas
from indexcalc.document.statements.layers import with_layers
from indexcalc.document.statements.lookups import with_lookups
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.document.statements.tables import with_tables
from indexcalc.document.statements.written import as_written_out
from indexcalc.errors import IndexCalcError
from indexcalc.language.document import Document, Span
from indexcalc.language.latex.chains import Chain, chains_of
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.phrases import Phrase, with_names
from indexcalc.language.latex.runs import with_runs
from indexcalc.language.latex.signs import unified
from indexcalc.language.latex.systems import with_arrays, with_line_breaks
from indexcalc.language.latex.tokens import Token, tokenize
from indexcalc.language.latex.tree import Sum
from indexcalc.language.latex.vocabulary import ACCENTS, FONTS, TRANSPARENT

CONTINUATION_GAP = 120
"""How many characters of prose may stand between a display and one that continues it with ``=``."""


EQUALITIES = frozenset({"=", ":=", "=="})
"""The relations that say that two members are equal."""

ORDERS = frozenset({"<", "<=", ">", ">="})
"""The relations of numbers: what they stand between are values, and not those of anything else."""

ANEW = ORDERS | {"≈", "∝"}
"""The relations behind which a chain of equalities may begin anew: what stands there is a value of its own."""

Condition = tuple[str, str, str]
"""A relation between two index letters: ``(left, relation, right)``."""


@dataclass(frozen=True)
class Side:
    """One member of a chain.

    Attributes:
        relation: what leads to it; empty for the first.
        tokens: the tokens.
        tree: its syntax tree; None if it cannot be parsed.
        error: why not.
        start: where it stands in the source.
        end: where it ends.
    """

    relation: str
    tokens: tuple[Token, ...]
    tree: Sum | None
    error: str
    start: int
    end: int


@dataclass
class Statement:
    """A chain of relations in the document.

    Attributes:
        sides: the members.
        span: the mathematics it stands in.
        number: the place of that mathematics in the document.
        remarks: words in the formula.
        conditions: relations between index letters that hold here: ``(left, relation, right)``.
        guessed: whether commas were read as spaces, so that it can't be refuted.
        spoken: conditions that the words around it state, which may hold here.
        families: what letters above and below names count in its document.
        supposed: whether it follows from an equation that holds only in one case, ``J' = 0``.
        implied: if no line writes it, the member that implies it of the last statement before that a line writes.
        trails: whether it is a condition on the equation before it.
    """

    sides: list[Side]
    span: Span
    number: int
    remarks: tuple[str, ...] = ()
    conditions: list[Condition] = field(default_factory=list)
    guessed: bool = False
    spoken: tuple[Condition, ...] = ()
    families: Families = field(default_factory=Families)
    supposed: bool = False
    implied: int = 0
    trails: bool = False

    def origin(self, member: int) -> int:
        """The first of the members that are said to be equal to one: a chain begins anew behind another relation."""
        while self.sides[member].relation in EQUALITIES:
            member -= 1
        return member

    @property
    def trees(self) -> tuple[Sum, ...]:
        """The members that could be parsed."""
        return tuple(side.tree for side in self.sides if side.tree is not None)


@dataclass(frozen=True)
class Trouble:
    """A piece of mathematics that could not even be split into relations."""

    span: Span
    reason: str


LABELS = re.compile(r"\\(?:label|tag\*?|notag|nonumber)\b(?:\s*\{[^{}]*\})?")
"""What numbers an equation, and says nothing."""

CONDITION_WORDS = frozenset({"if", "when", "where", "for", "only if", "whenever"})
"""Words between an equation and a condition on it."""


def outline(
    document: Document, phrases: Sequence[Phrase] = (), families: Families | None = None
) -> tuple[list[Statement], list[Trouble]]:
    """All statements of a document in order, with names in the place of phrases, and what could not be read.

    What letters count is seen in the document, unless `families` says it.
    """
    statements: list[Statement] = []
    troubles: list[Trouble] = []
    pieces = tokenized(document, troubles, phrases)
    families = families_of([tokens for _, tokens in pieces]) if families is None else families
    for number, (span, tokens) in enumerate(pieces):
        try:
            chains = list(chains_of(with_layers(tokens, families)))
        except (IndexCalcError, RecursionError) as error:
            troubles.append(Trouble(span, str(error) or "nested too deeply"))
            continue
        here: list[Statement] = []
        for chain in chains:
            sides = sides_of(chain, span)
            if not sides:
                continue
            before = led_on(here or statements, span)
            if chain.continued and before is not None and continues(document, before, span):
                if len(before.sides) > 1 and not before.sides[-1].tokens:
                    before.sides.pop()  # a display that ends with the sign of equality with which the next one begins
                before.sides.extend(side for side in sides if side.relation)
                continue
            statement = Statement(sides, span, number, chain.remarks, guessed=chain.guessed, families=families)
            statement.supposed = chain.implied and supposes(before)
            here.append(statement)
        attach_conditions(document, here)
        statements.extend(here)
    attach_prose_conditions(document, statements)
    return statements, troubles


def tokenized(document: Document, troubles: list[Trouble], phrases: Sequence[Phrase]) -> list[tuple[Span, list[Token]]]:
    """The tokens of each piece of mathematics; what has none is added to the troubles."""
    found = []
    for span in document.spans:
        try:
            tokens = with_names(tokenize(span.text, document.macros, span.start), phrases)
            lines = with_line_breaks(tokens, span.text, span.start) if span.display else tokens
            found.append((span, as_written_out(with_integrals(unified(with_conditionals(with_arrays(lines)))))))
        except (IndexCalcError, RecursionError) as error:
            troubles.append(Trouble(span, str(error) or "nested too deeply"))
    pieces = with_expectations(with_conditions_below([tokens for _, tokens in found]), document.source)
    pieces = with_gradients(with_deltas(with_lookups(with_index_names(with_runs(with_brackets(pieces))))))
    sections = [bisect_right(document.headings, (span.start,)) for span, _ in found]
    pieces = with_dependences(with_calls(without_arguments(with_applications(with_tables(pieces, sections)))))
    return [(span, with_blocks(tokens)) for (span, _), tokens in zip(found, pieces, strict=True)]


def supposes(premise: Statement | None) -> bool:
    """Whether what follows from a statement holds only in one case: where numbers are equal, or there is a relation.

    So it does where the statement is a law for one name, ``A = A^T``.
    """
    if premise is None or premise.supposed or is_law(premise):
        return True
    last = premise.sides[-1]
    number = all(token.kind in ("NUM", "MINUS", "PLUS") for token in last.tokens)
    return number or any(side.relation not in ("=", ":=") for side in premise.sides[1:]) or len(premise.sides) == 1


def is_law(statement: Statement) -> bool:
    """Whether all members of a statement are made of one name alone, but for what stands above and below it."""
    names = [outer_names(side.tokens) for side in statement.sides]
    return len(names) > 1 and all(len(one) == 1 and one == names[0] for one in names)


def outer_names(tokens: Sequence[Token]) -> frozenset[str]:
    """The names among tokens, those in scripts apart."""
    found, position = set[str](), 0
    while position < len(tokens):
        if tokens[position].kind in ("SUB", "SUP"):
            position = after_scripts(tokens, position)
            continue
        if tokens[position].kind == "NAME":
            found.add(tokens[position].text)
        position += 1
    return frozenset(found)


def led_on(statements: Sequence[Statement], span: Span) -> Statement | None:
    """The statement that a formula may continue: for a display, no formula that prose only mentions."""
    for statement in reversed(statements):
        if span.display and not statement.span.display and condition(statement):
            continue
        if statement.span.display or not span.display or len(statement.sides) > 1:
            return statement
    return None


def continues(document: Document, before: Statement, span: Span) -> bool:
    """Whether a display continues the statement before it."""
    gap = document.between(before.sides[-1].end, span.start)
    prose = re.sub(r"<!--.*?-->|[$\\\[\](){}`=&\s]|math", "", gap, flags=re.DOTALL)
    return len(prose) <= CONTINUATION_GAP


def sides_of(chain: Chain, span: Span) -> list[Side]:
    """The members of a chain, parsed one by one."""
    sides = []
    for number, member in enumerate(chain.members):
        if not member.tokens and number == 0:
            sides.append(Side("", (), None, "there is no formula on one side", span.start, span.start))
            continue
        end = end_of_tokens(span, member.tokens)
        start = member.start if member.tokens else span.end
        try:
            sides.append(Side(member.relation, member.tokens, parse(member.tokens), "", start, end))
        except (IndexCalcError, RecursionError) as error:
            sides.append(Side(member.relation, member.tokens, None, str(error) or "nested too deeply", start, end))
    return sides


PIECE = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|.", re.DOTALL)
"""A control sequence, a number or a sign."""


def end_of_tokens(span: Span, tokens: Sequence[Token]) -> int:
    """Where the last of some tokens ends; one of several letters stands there as it is."""
    last = max(tokens, key=lambda token: max(token.start, token.last), default=None)
    if last is None:
        return end_of(span, span.start)
    if last.last > last.start:
        return end_of(span, last.last)
    as_it_is = span.text.startswith(last.text, last.start - span.start)
    return max(end_of(span, last.start), last.start + len(last.text) if as_it_is else 0)


def end_of(span: Span, start: int) -> int:
    """Where the token that starts here ends, with the arguments that a control sequence takes in braces, or without."""
    match = PIECE.match(span.text, start - span.start)
    while match is not None and match.group()[1:] in MARKS and (gap := BEFORE_BARE.match(span.text, match.end())):
        match = PIECE.match(span.text, gap.end()) or match
    if match is None:
        return start + 1
    end = match.end()
    if match.group().startswith("\\"):
        while (brace := re.compile(r"\s*\{").match(span.text, end)) is not None:
            depth, end = 1, brace.end()
            while depth and end < len(span.text):
                depth += {"{": 1, "}": -1}.get(span.text[end], 0)
                end += 1
    return span.start + end


BEFORE_BARE = re.compile(r"\s*(?=[^\s{])")
"""Blanks before an argument without braces."""

MARKS = FONTS | ACCENTS.keys() | TRANSPARENT.keys()
"""Control sequences that mark what follows them."""


def condition(statement: Statement) -> tuple[tuple[str, str, str], ...]:
    """The relations between index letters that a statement consists of; none if it says more."""
    found = []
    for left, right in zip(statement.sides, statement.sides[1:], strict=False):
        names = [letter(left.tokens), letter(right.tokens)]
        if None in names or right.relation not in ("=", "!=", "<", "<=", ">", ">=", "->"):
            return ()
        found.append((str(names[0]), right.relation, str(names[1])))
    return tuple(found)


def letter(tokens: tuple[Token, ...]) -> str | None:
    """The index letter that tokens consist of."""
    if len(tokens) == 1 and tokens[0].kind == "NAME" and len(tokens[0].text) == 1 and tokens[0].text.islower():
        return tokens[0].text
    return None


def attach_conditions(document: Document, statements: list[Statement]) -> None:
    """A condition in a display holds for the equation before it; one in a heading for its section."""
    before: Statement | None = None
    for statement in statements:
        found = condition(statement)
        if not found:
            before = statement
        elif before is not None and statement.span.display:
            before.conditions.extend(found)
    for statement in statements:
        statement.conditions.extend(heading_conditions(document.heading(statement.span.start)))


def attach_prose_conditions(document: Document, statements: list[Statement]) -> None:
    """``∂x_k/∂x_j = 1 if k = j``, where the words stand outside the formulas.

    What begins a sentence says when something behind it holds: ``For i = j:``.
    """
    for position, statement in enumerate(statements):
        before = statement
        for following in statements[position + 1 : position + 3]:
            between = LABELS.sub("", document.between(before.span.end, following.span.start))
            words = between.strip("$\\()[]` \n,")
            found = condition(following)
            if not found or condition(statement) or words not in (CONDITION_WORDS if before is statement else {"and"}):
                break
            statement.conditions.extend(found)
            following.trails = True
            before = following


def heading_conditions(heading: str) -> list[tuple[str, str, str]]:
    r"""The conditions that a heading states, such as ``### $i = k$, $l \neq j$``."""
    if not re.fullmatch(r"[#\s]*(?:\$[^$]*\$[\s,;and]*)+", heading):
        return []
    found: list[tuple[str, str, str]] = []
    for text in re.findall(r"\$([^$]*)\$", heading):
        try:
            chains = list(chains_of(tokenize(text)))
        except IndexCalcError:
            return []
        for chain in chains:
            sides = sides_of(chain, Span(text, 0, False))
            found.extend(condition(Statement(sides, Span(text, 0, False), 0)))
    return found

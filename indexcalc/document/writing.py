"""What a document writes: its statements, and how names are used in them, before anything is interpreted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from indexcalc.document.meaning.sizes import EXACT_LIMIT
from indexcalc.document.ranks import ENTRY
from indexcalc.document.statements.brackets import Table, tables_read
from indexcalc.document.statements.calls import covariance_of
from indexcalc.document.statements.capitals import capitals_in
from indexcalc.document.statements.commuting import noncommuting_in
from indexcalc.document.statements.constancy import held_beside
from indexcalc.document.statements.context import Context
from indexcalc.document.statements.expectations import places as expected_places
from indexcalc.document.statements.extents import extents_in
from indexcalc.document.statements.fields import Fields, signs_in, slopes_in
from indexcalc.document.statements.heads import head_of
from indexcalc.document.statements.index_expressions import Expression, letters_among
from indexcalc.document.statements.kinds import is_about_one_name, symmetric_by
from indexcalc.document.statements.letters import free_letters, index_letters, index_parts, order_of_entry
from indexcalc.document.statements.nouns import called_in
from indexcalc.document.statements.outline import Statement, Trouble
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.settings import Setting, settings_in, words_of_prose
from indexcalc.document.statements.shapes import labels_of_sizes, slots_beside
from indexcalc.document.statements.survey import Survey, survey_of
from indexcalc.document.statements.trees import nabla_targets, products_of
from indexcalc.language.document import Document
from indexcalc.language.latex.tree import Node, Product

SENTENCE_ENDS = (". ", ".\n", "? ", "! ", "\n\n")
"""What ends a sentence."""

OF_VECTORS = {
    "one": re.compile(r"one[- ]hot|probabilit|distribution|sums? (?:up )?to (?:one|\$?1)"),
    "one-hot": re.compile(r"one[- ]hot"),
    "unit": re.compile(r"\bunit[- ](?:vector|length|norm)|\b(?:length|norm) (?:of )?(?:one\b|\$?1\b)"),
    "matrix exponential": re.compile(
        r"matrix exponential|exponential (?:map\b|mapping|of (?:a|an|the) (?:\w+ )?matri)"
        r"|\blie (?:group|algebra)|skew[- ]symmetric"
    ),
    "kronecker": re.compile(r"\bkronecker(?:'s)? (?:product|sum)|\bvec\b|kronecker积|克罗内克"),
    "matrix of ones": re.compile(
        r"\bmatrix (?:made |full )?of (?:all )?(?:ones|1s)\b|\ball[- ]ones? matrix|\bones matrix"
    ),
    "apart": re.compile(r"\bindependen|uncorrelated|white noise"),
}
"""The words that speak of a property of vectors; they say that it is likely, and never that it holds."""

OUTSIDE = re.compile(
    r"\boutside\b[^.]{0,80}\b(?:zeros?|0)\b|\bzero[- ]padd(?:ed|ing)\b|\bpadd(?:ed|ing)\s+with\s+zeros?\b",
    re.IGNORECASE,
)
"""Words for arrays that are zero where they have no entries."""


@dataclass(frozen=True)
class Writing:
    """A document's statements in order, and how their names are used.

    Attributes:
        document: the text.
        statements: those of its context first.
        troubles: what could not be split.
        context: what the author leaves unsaid.
        told: how many statements the context has.
        factor_letters, orders, free_of: what was found before.
    """

    document: Document
    statements: tuple[Statement, ...]
    troubles: tuple[Trouble, ...]
    context: Context = field(default_factory=Context)
    told: int = 0
    factor_letters: dict[int, tuple[Node, frozenset[str]]] = field(default_factory=dict, compare=False, repr=False)
    orders: dict[int, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    free_of: dict[int, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def tables(self) -> frozenset[Table]:
        """The arrays that it writes as functions of their indices."""
        sides = (side.tokens for statement in self.statements for side in statement.sides)
        return frozenset(table for tokens in sides for table in tables_read(tokens))

    @cached_property
    def survey(self) -> Survey:
        """How its names are used."""
        sets = (side.tokens for statement in self.statements for side in statement.sides)
        labels = frozenset(label for tokens in sets for label in labels_of_sizes(tokens))
        return survey_of((statement.trees for statement in self.statements), labels, self.context.aliases)

    @cached_property
    def fields(self) -> Fields:
        """What it shows about fields."""
        return Fields(self.document, self.survey, self.statements, self.told, self.index_letters)

    @cached_property
    def slopes(self) -> tuple[tuple[tuple[Named, Named], ...], ...]:
        """The names that each statement differentiates, and by what, where both stand alone."""
        return tuple(tuple(slopes_in(self.survey, statement)) for statement in self.statements)

    @cached_property
    def slopes_by_nablas(self) -> tuple[frozenset[str], ...]:
        """The names that each statement differentiates by with nablas."""
        below = ([n for tree in statement.trees for n in nabla_targets(tree)] for statement in self.statements)
        named = ([self.survey.name(node) for node in nodes] for nodes in below)
        return tuple(frozenset(one.name for one in names if one is not None) for names in named)

    @cached_property
    def signs_of_slopes(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """The kinds of signs, straight or curly, that name what is differentiated and by what, over the whole page."""
        found: dict[tuple[str, str], set[str]] = {}
        for statement in self.statements:
            for above, below, sign in signs_in(self.survey, statement):
                found.setdefault((above.name, below.name), set()).add(sign)
        return {pair: frozenset(signs) for pair, signs in found.items()}

    @cached_property
    def capitals(self) -> Mapping[str, str]:
        """The arrays in capitals that may hold what their small letters number, and the other way round."""
        return capitals_in(self.survey.usages)

    @cached_property
    def writes_expectations(self) -> bool:
        """Whether it writes expectations of what stands in square brackets."""
        trees = (tree for statement in self.statements for tree in statement.trees)
        return any(True for tree in trees for product in products_of(tree) for _ in expected_places(product.items))

    @cached_property
    def has_two_logarithms(self) -> bool:
        """Whether it writes both log and ln."""
        return {"log", "ln"} <= {t.text for s in self.statements for side in s.sides for t in side.tokens}

    @cached_property
    def noncommuting(self) -> frozenset[str]:
        """The names whose products it says to be other ones in another order."""
        return noncommuting_in(self.survey, self.statements)

    @cached_property
    def in_two_fonts(self) -> frozenset[str]:
        """The names that stand in bold and in plain letters, without indices, more than once each."""
        trees = (tree for statement in self.statements for tree in statement.trees)
        found = (one for tree in trees for one in self.survey.names(tree) if one.parts is None)
        counted = Counter((one.name, one.bold) for one in found)
        return frozenset(
            name for (name, bold), count in counted.items() if bold and min(count, counted[name, False]) > 1
        )

    @cached_property
    def held(self) -> tuple[frozenset[str], ...]:
        """The names that words beside each statement hold."""
        numbers = range(self.told, len(self.statements))
        own = (held_beside(self.document, self.survey, self.statements, number, self.told) for number in numbers)
        return (*(frozenset[str]() for _ in range(self.told)), *own)

    @cached_property
    def index_letters(self) -> frozenset[str]:
        """The letters that index something; those below ones alone are sizes."""
        return index_letters(self.survey)

    @cached_property
    def extents(self) -> Mapping[str, tuple[tuple[int, sp.Expr], ...]]:
        """The numbers of values that tables give index letters, as expressions of sizes, each with its place."""
        return extents_in(self.document, self.statements[self.told :])

    @cached_property
    def counts_from_zero(self) -> bool:
        """Whether an index of several is 0 somewhere."""
        names = (found for one in self.statements for tree in one.trees for found in self.survey.names(tree))
        return any(len(found.parts or ()) > 1 and "0" in (found.parts or ()) for found in names)

    @cached_property
    def speaks_of_deviations(self) -> bool:
        """Whether words speak of standard deviations, or of precisions: a name in a normal density may be one."""
        return re.search(r"\bdeviations?\b|\bprecisions?\b", self.document.source, re.IGNORECASE) is not None

    @cached_property
    def zero_outside(self) -> bool:
        """Whether words say that an entry outside of its array counts as zero."""
        return OUTSIDE.search(self.document.source) is not None

    @cached_property
    def recurrent(self) -> frozenset[str]:
        """The names of which an equation gives an entry by others of the same array, or at a computed index."""
        found = set()
        for statement in self.statements:
            first = statement.sides[0].tree
            head = self.survey.lone(first) if first is not None and len(statement.sides) > 1 else None
            if head is None or head.parts is None:
                continue
            others = (one for tree in statement.trees[1:] for one in self.survey.names(tree) if one.name == head.name)
            if any(isinstance(part, Expression) for one in (head, *others) for part in one.parts or ()):
                found.add(head.name)
        return frozenset(found)

    def letters(self, node: Node) -> frozenset[str]:
        """The letters that index something in a factor."""
        if id(node) not in self.factor_letters:
            self.factor_letters[id(node)] = node, frozenset(index_parts(self.survey, Product((node,))))
        return self.factor_letters[id(node)][1]

    def free_letters(self, number: int) -> frozenset[str]:
        """The letters that are free in a statement."""
        if number not in self.free_of:
            self.free_of[number] = free_letters(self.survey, self.statements[number])
        return self.free_of[number]

    def letters_of_first(self, number: int) -> frozenset[str]:
        """The letters that stand in the first member of a statement."""
        first = self.statements[number].sides[0].tree
        names = self.survey.names(first) if first is not None else ()
        return frozenset(part for one in names for part in letters_among(one.parts or ()))

    def order(self, number: int) -> tuple[str, ...]:
        """The letters of the entry of an array that a statement speaks of, in the order of the array's axes."""
        if number not in self.orders:
            self.orders[number] = order_of_entry(self.survey, self.statements[number])
        return self.orders[number]

    @cached_property
    def called(self) -> Mapping[tuple[str, int], int]:
        """How many slots its words give names with so many indices."""
        return called_in(self.document, self.survey, self.statements[self.told :])

    @cached_property
    def settings(self) -> Mapping[str, tuple[Setting, ...]]:
        """The numbers that words give names for what follows."""
        return settings_in(self.document, self.survey, self.statements[self.told :], EXACT_LIMIT)

    @cached_property
    def words(self) -> tuple[int, ...]:
        """Where the words between its formulas start."""
        return words_of_prose(self.document, self.statements[self.told :])

    @cached_property
    def numbered_entries(self) -> frozenset[str]:
        """Capitals with two numbers below them, of each letter several."""
        names = [name for name in self.survey.usages if ENTRY.fullmatch(name)]
        several = {letter for letter, count in Counter(name[0] for name in names).items() if count > 1}
        return frozenset(name for name in names if name[0] in several)

    @cached_property
    def slots_beside(self) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
        """For each name that is a letter, the slots of arrays in statements with it, and the letters that they bear."""
        return slots_beside(self.survey, self.statements)

    @cached_property
    def laws(self) -> Mapping[int, str]:
        """The statements that say of a matrix that it is equal to its transpose, with its name."""
        found = ((number, symmetric_by(self.survey, one)) for number, one in enumerate(self.statements))
        return {number: name for number, name in found if name}

    def sentence(self, place: int) -> str:
        """The sentence around a place, in small letters."""
        text = self.document.source.lower()
        start = max(text.rfind(mark, 0, place) for mark in SENTENCE_ENDS)
        ends = [end for end in (text.find(mark, place) for mark in SENTENCE_ENDS) if end >= 0]
        return text[max(start, 0) : min(ends, default=len(text))]

    @cached_property
    def covariances(self) -> frozenset[str]:
        """The names that stand where a normal distribution has its covariance: as matrices they are symmetric."""
        return frozenset(name for call in self.survey.usages for name in covariance_of(call))

    @cached_property
    def gradients(self) -> Mapping[str, Node]:
        """The names that stand below nablas or are the argument of what stands behind them, the most frequent first."""
        found = Counter[str]()
        nodes: dict[str, Node] = {}
        for statement in self.statements:
            for tree in statement.trees:
                for node in nabla_targets(tree):
                    name = self.survey.name(node)
                    if name is not None and name.is_plain:
                        found[name.name] += 1
                        nodes.setdefault(name.name, node)
        return {name: nodes[name] for name, _ in found.most_common()}

    @cached_property
    def about_one_name(self) -> frozenset[int]:
        """The statements that speak of one array alone, as a law for it does."""
        return frozenset(n for n, statement in enumerate(self.statements) if is_about_one_name(self.survey, statement))

    @cached_property
    def said_anywhere(self) -> frozenset[str]:
        """The properties of vectors of which its words speak."""
        return frozenset(name for name, pattern in OF_VECTORS.items() if pattern.search(self.document.source.lower()))

    @cached_property
    def heads(self) -> tuple[Named | None, ...]:
        """The name that is the whole first member of each statement, bare or at distinct letters."""
        return tuple(head_of(self.survey, statement) for statement in self.statements)

    def different(self, numbers: Iterable[int]) -> list[int]:
        """The first statement of those with the same first two members, for each such pair."""
        found: dict[tuple[str, ...], int] = {}
        for number in numbers:
            found.setdefault(self.spellings[number], number)
        return list(found.values())

    @cached_property
    def spellings(self) -> tuple[tuple[str, ...], ...]:
        """The first two members of each statement, as they are written."""
        return tuple(
            tuple(" ".join(token.text for token in side.tokens) for side in statement.sides[:2])
            for statement in self.statements
        )

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each statement starts; -1 for those of the context, which stand before all others, in every section."""
        return tuple(-1 if n < self.told else one.span.start for n, one in enumerate(self.statements))

    def start(self, number: int) -> int:
        """Where a statement starts; -1 for those of the context."""
        return self.starts[number]

    def statement_text(self, number: int) -> str:
        """What is written where a statement stands; nothing for those of the context."""
        span = self.statements[number].span
        return "" if number < self.told else self.document.source[span.start : span.end]

    def line(self, number: int) -> int:
        """The line of a statement; 0 for those of the context."""
        return 0 if number < self.told else self.document.place(self.start(number))[0]

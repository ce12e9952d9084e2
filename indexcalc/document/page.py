"""What a page shows before anything is interpreted: its statements, its names, and what it declares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from indexcalc.document.choices import LAYOUT, SUMS, Asking, Interpretation, Key
from indexcalc.document.meaning.sizes import EXACT_LIMIT
from indexcalc.document.memory import Memory
from indexcalc.document.ranks import ENTRY
from indexcalc.document.sections import Range, Sections, Surroundings
from indexcalc.document.statements.brackets import Table, tables_read
from indexcalc.document.statements.calls import covariance_of
from indexcalc.document.statements.capitals import capitals_in
from indexcalc.document.statements.commuting import noncommuting_in
from indexcalc.document.statements.constancy import held_beside
from indexcalc.document.statements.context import JACOBIAN, Context
from indexcalc.document.statements.definitions import Definitions
from indexcalc.document.statements.densities import writes_densities
from indexcalc.document.statements.expectations import Means, means_in
from indexcalc.document.statements.expectations import places as expected_places
from indexcalc.document.statements.extents import extents_in
from indexcalc.document.statements.fields import Fields, signs_in, slopes_in
from indexcalc.document.statements.heads import FunctionHead, defines, function_head, head_of
from indexcalc.document.statements.implied import with_implied
from indexcalc.document.statements.index_expressions import Expression, letters_among
from indexcalc.document.statements.kinds import (
    cases_in,
    compares_letters,
    examples_in,
    is_about_one_name,
    lists_own_entries,
    summed_to_one,
    symmetric_by,
    writes_out,
)
from indexcalc.document.statements.letters import (
    free_letters,
    given_letters,
    index_letters,
    index_parts,
    letters_said,
    loose_letters,
    order_of_entry,
)
from indexcalc.document.statements.limits import limits_in, sets_in
from indexcalc.document.statements.nouns import called_in
from indexcalc.document.statements.orientation import orientations
from indexcalc.document.statements.outline import EQUALITIES, Side, Statement, Trouble, outline
from indexcalc.document.statements.parts import set_aside
from indexcalc.document.statements.remainders import remainders_in
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.settings import Setting, settings_in, words_of_prose
from indexcalc.document.statements.shapes import (
    Declared,
    added_to_arrays,
    declared_in,
    labels_of_sizes,
    members_in,
    numbered_in,
    sizes_alone,
    slots_beside,
    written_in,
)
from indexcalc.document.statements.spoken import attach_spoken
from indexcalc.document.statements.survey import Survey, Usage, survey_of, usages_in
from indexcalc.document.statements.systems import systems_in
from indexcalc.document.statements.trees import nabla_targets, products_of, rates, targets
from indexcalc.document.statements.values import Values, spread_laws
from indexcalc.document.statements.variations import Variations
from indexcalc.document.steps import Steps
from indexcalc.errors import SpecError
from indexcalc.language.document import Document, Span
from indexcalc.language.latex.tree import Node, Product, Sum

SENTENCE_ENDS = (". ", ".\n", "? ", "! ", "\n\n")
"""What ends a sentence."""

UNSURE = re.compile(
    r"\b(?:if|when|whenever|unless|only|not|never|cannot|wrong|false|would|might|may|think|claim\w*|suppose\w*"
    r"|subject to|s\.\s?t\.|constrain\w*|maximi[sz]\w*|minimi[sz]\w*)(?!\w)|n't\b"
)
"""Words in a sentence that may state a condition, a constraint, or the contrary."""

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


CHANCE = re.compile(
    r"\\mathbb *\{? *E *\}? *_|\\E *_|\bprobab|likelihood|\bbayes|posterior|\bprior (?:distrib|over|of)|random variable"
    r"|\bmarkov (?:chain|decision|process)|\bpolic(?:y|ies)\b|概率|后验|wahrscheinlichkeit|vraisemblance|probabilidad",
    re.IGNORECASE,
)
"""Words that speak of what is random."""


OUTSIDE = re.compile(
    r"\boutside\b[^.]{0,80}\b(?:zeros?|0)\b|\bzero[- ]padd(?:ed|ing)\b|\bpadd(?:ed|ing)\s+with\s+zeros?\b",
    re.IGNORECASE,
)
"""Words for arrays that are zero where they have no entries."""


@dataclass(frozen=True)
class Page:
    """A document's statements in order, and what could not be split into statements.

    Attributes:
        document: the text.
        statements: those of its context first.
        troubles: what could not be split.
        context: what the author leaves unsaid.
        told: how many statements the context has.
        schematic: the members that are not to be judged, as the context says.
        factor_letters, orders, remembered, free_of: what was found before.
        solvable: which statements were found to determine a name, in a section that stands alone or not.
        weighed: which expectations and integrals were found to be sums over outcomes.
        memory: the values that all readings share.
        heard: what the context assumes of choices, as far as one was asked for.
        fitted: the options for ranks with which most of its statements fit, where these are not the usual ones.
    """

    document: Document
    statements: tuple[Statement, ...]
    troubles: tuple[Trouble, ...]
    context: Context = field(default_factory=Context)
    told: int = 0
    schematic: tuple[tuple[Statement, Side], ...] = ()
    factor_letters: dict[int, tuple[Node, frozenset[str]]] = field(default_factory=dict, compare=False, repr=False)
    orders: dict[int, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    remembered: dict[int, tuple[tuple[Key, str], ...]] = field(default_factory=dict, compare=False, repr=False)
    free_of: dict[int, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    solvable: dict[tuple[int, str, bool], bool] = field(default_factory=dict, compare=False, repr=False)
    weighed: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)
    heard: set[str] = field(default_factory=set, compare=False, repr=False)
    fitted: dict[Key, str] = field(default_factory=dict, compare=False, repr=False)

    # What its context says

    @cached_property
    def settled(self) -> frozenset[str]:
        """The phrases of the options that the context takes."""
        found = set(self.context.assumed)
        if self.context.einstein is not None:
            found.add(SUMS.option("repeated" if self.context.einstein else "written").phrase)
        if self.context.layout:
            found.add(LAYOUT.option("Jacobian" if self.context.layout == JACOBIAN else "gradient").phrase)
        return frozenset(found)

    def asking(self, interpretation: Interpretation) -> Asking:
        """An interpretation of it, which notes what is asked and not said by the context."""
        return Asking(interpretation, self.settled, self.fitted, heard=self.heard)

    @cached_property
    def symmetric(self) -> frozenset[str]:
        """The matrices that the context says to be symmetric."""
        return frozenset(name for number, name in self.laws.items() if number < self.told)

    @cached_property
    def implying(self) -> frozenset[tuple[int, int]]:
        """The members that imply an equation, each with the number of its statement."""
        written = 0
        found = set[tuple[int, int]]()
        for number, statement in enumerate(self.statements):
            written = written if statement.implied else number
            found.update({(written, statement.implied)} if statement.implied else ())
        return frozenset(found)

    # How names are used

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
    def usages(self) -> Mapping[int, Mapping[str, Usage]]:
        """How names are used in each section, by its start; what is a label is seen in the whole document."""
        chains: dict[int, list[tuple[Sum, ...]]] = {}
        for number, statement in enumerate(self.statements):
            chains.setdefault(self.section(number)[0], []).append(statement.trees)
        return {start: usages_in(found, self.survey) for start, found in chains.items()}

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
    def variations(self) -> tuple[Variations, ...]:
        """The differentials in each statement."""
        return tuple(Variations(self.survey, self.gradient_target, one.trees) for one in self.statements)

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

    def usage(self, name: str, number: int) -> Usage | None:
        """How a name is used in the section of a statement; None if it is not used there."""
        return self.usages[self.section(number)[0]].get(name)

    @cached_property
    def index_letters(self) -> frozenset[str]:
        """The letters that index something; those below ones alone are sizes."""
        return index_letters(self.survey)

    @cached_property
    def extents(self) -> Mapping[str, tuple[tuple[int, sp.Expr], ...]]:
        """The numbers of values that tables give index letters, as expressions of sizes, each with its place."""
        return extents_in(self.document, self.statements[self.told :])

    def extent(self, letter: str, number: int) -> sp.Expr | None:
        """The number of values of a letter in a statement, by the last table before it that speaks for its section."""
        place = self.start(number)
        for row, extent in reversed(self.extents.get(letter, ())):
            if place < 0 or row < place < self.sections.reach_of_table(row):
                return extent
        return None

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

    # What it declares

    @cached_property
    def declared(self) -> Mapping[str, tuple[Declared, ...]]:
        """The shapes that it declares, by name."""
        told, own = self.statements[: self.told], self.statements[self.told :]
        return declared_in(self.document, self.survey, told, own)

    @cached_property
    def written(self) -> Mapping[str, tuple[Declared, ...]]:
        """The shapes of arrays that it writes out by their own entries."""
        return written_in(self.survey, self.statements[self.told :])

    def writes_rows(self, number: int) -> bool:
        """Whether a vector stands before a matrix without a transpose, ``x W``: vectors may be rows at a statement.

        The smallest section around it that shows which they are says so, items of a list among these; else the page.
        """
        place = self.start(number)
        around = [(end - start, start, end) for _, start, end in self.sections.parts if start <= place < end]
        for _, start, end in sorted(around):
            found = {is_row for position, is_row in self.oriented if start <= position < end}
            if found:
                return True in found
        return any(is_row for _, is_row in self.oriented)

    @cached_property
    def oriented(self) -> tuple[tuple[int, bool], ...]:
        """Where a vector stands beside a matrix, and whether it is a row there."""
        shapes = {name: len(found[-1].sizes) for name, found in self.declared.items()}
        return tuple(
            (self.start(number), is_row)
            for number, one in enumerate(self.statements)
            for is_row in orientations(self.survey, one.trees, shapes.get)
        )

    @cached_property
    def members(self) -> Mapping[str, tuple[Declared, ...]]:
        """The shapes that it declares for the arrays of families, by name."""
        return members_in(self.document, self.survey, self.statements[self.told :])

    @cached_property
    def numbered(self) -> frozenset[tuple[str, str]]:
        """The names with a number below them that may be arrays of their own."""
        return frozenset(numbered_in(self.statements[self.told :], self.survey))

    @cached_property
    def blocks(self) -> frozenset[str]:
        """The names that have as many sizes with an index as without: with an index they may be blocks."""
        return frozenset(
            name
            for name, shapes in self.members.items()
            if any(len(one.sizes) == len(shapes[0].sizes) for one in self.declared.get(name, ()))
        )

    @cached_property
    def called(self) -> Mapping[tuple[str, int], int]:
        """How many slots its words give names with so many indices."""
        return called_in(self.document, self.survey, self.statements[self.told :])

    @cached_property
    def remainders(self) -> frozenset[int]:
        """The definitions that may say instead what is left over."""
        return remainders_in(self.survey, self.statements, self.defining, self.definitions.rests_on)

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
    def sizes_of_names(self) -> frozenset[str]:
        """The sizes that it declares for names, and for the arrays of families."""
        every = (*self.declared.values(), *self.members.values())
        return frozenset(size for shapes in every for one in shapes for size in one.sizes)

    @cached_property
    def sizes_in_words(self) -> frozenset[str]:
        """The sizes that it declares, and those of shapes that it says of anything."""
        return self.sizes_of_names.union(sizes_alone(self.document, self.statements))

    @cached_property
    def sizes(self) -> frozenset[str]:
        """The names of sizes in declarations and limits of sums."""
        limits = {name for s in self.statements for tree in s.trees for name in limits_in(tree)}
        told = (extent for rows in self.extents.values() for _, extent in rows)
        extents = {symbol.name for extent in told for symbol in extent.free_symbols}
        return self.sizes_of_names | limits | extents | {size.name for size in self.context.sizes}

    @cached_property
    def index_sets(self) -> frozenset[str]:
        """The names of sets over which sums run, and of nothing else: the G of a sum over i in G, with |G| elements."""
        found = {name for s in self.statements for tree in s.trees for name in sets_in(tree)}
        arrays = {name for name in found if self.survey.rank(name) is not None}
        return frozenset(found - arrays - self.defining.keys() - self.declared.keys())

    @cached_property
    def added_to_arrays(self) -> frozenset[str]:
        """The names that are terms beside names that are declared as arrays."""
        arrays = {name for name, shapes in self.declared.items() if any(one.sizes for one in shapes)}
        return added_to_arrays(self.survey, self.statements, arrays)

    @cached_property
    def slots_beside(self) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
        """For each name that is a letter, the slots of arrays in statements with it, and the letters that they bear."""
        return slots_beside(self.survey, self.statements)

    @cached_property
    def laws(self) -> Mapping[int, str]:
        """The statements that say of a matrix that it is equal to its transpose, with its name."""
        found = ((number, symmetric_by(self.survey, one)) for number, one in enumerate(self.statements))
        return {number: name for number, name in found if name}

    @cached_property
    def distributions(self) -> Mapping[int, tuple[str, int]]:
        """The statements that say in a sentence of a given array that its entries along a slot sum to one, with both.

        In a display that may be a claim, and in a sentence with an "if" or a "not" it may be anything.
        """
        found: dict[int, tuple[str, int]] = {}
        for number, statement in enumerate(self.statements):
            one = None if statement.span.display else summed_to_one(self.survey, statement)
            if one is None or one[0] in self.defining or one[0] in self.functions:
                continue
            name, slot, limit = one
            shapes = (*self.declared.get(name, ()), *self.members.get(name, ()))
            as_long = not limit or all(shape.sizes[slot : slot + 1] == (limit,) for shape in shapes)
            if as_long and not UNSURE.search(self.sentence(statement.span.start)):
                found[number] = name, slot
        return found

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
    def means(self) -> Means:
        """What its expectations show of what is random."""
        return means_in(self.survey, self.statements, self.defining.keys())

    @cached_property
    def values(self) -> Values:
        """What the values are made of that are read as one name."""
        spoken_of = CHANCE.search(self.document.source) is not None
        below = frozenset(name for name, usage in self.survey.usages.items() if usage.below)
        varied = below.union(*self.slopes_by_nablas)
        return Values(self.survey, self.statements, spoken_of or writes_densities(self.statements), varied)

    @cached_property
    def spreads(self) -> Mapping[tuple[str, str, str], tuple[int, ...]]:
        """The statements that give variances and covariances of names, by the sign of the means and both names."""
        return spread_laws(self.survey, self.statements, self.values, self.defining)

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
    def cases(self) -> frozenset[int]:
        """The statements in sentences that say for which values of a name something holds."""
        return cases_in(self.document, self.survey, self.statements, self.sizes_of_names)

    @cached_property
    def examples(self) -> frozenset[int]:
        """The statements that write out an array of an example."""
        own = examples_in(self.document, self.statements[self.told :])
        return frozenset(number + self.told for number in own)

    @cached_property
    def about_one_name(self) -> frozenset[int]:
        """The statements that speak of one array alone, as a law for it does."""
        return frozenset(n for n, statement in enumerate(self.statements) if is_about_one_name(self.survey, statement))

    @cached_property
    def said_anywhere(self) -> frozenset[str]:
        """The properties of vectors of which its words speak."""
        return frozenset(name for name, pattern in OF_VECTORS.items() if pattern.search(self.document.source.lower()))

    # What it defines

    @cached_property
    def heads(self) -> tuple[Named | None, ...]:
        """The name that is the whole first member of each statement, bare or at distinct letters."""
        return tuple(head_of(self.survey, statement) for statement in self.statements)

    @cached_property
    def defining(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the statements whose first member is a name that stands nowhere else in its second."""
        found: dict[str, list[int]] = {}
        for number, statement in enumerate(self.statements):
            head = self.heads[number]
            if head is None or number in self.cases or self.gradient_target(head.name) is not None:
                continue  # what a short name of a gradient means is known
            if writes_out(self.survey, statement, 1) and lists_own_entries(statement.sides[1].tokens, head.name):
                continue
            if defines(self.survey, statement, head) and not compares_letters(statement, self.index_letters):
                found.setdefault(head.name, []).append(number)
        return {name: tuple(numbers) for name, numbers in found.items()}

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
    def definitions(self) -> Definitions:
        """Its definitions, and which names they read."""
        return Definitions(self.survey, self.statements, self.defining)

    @cached_property
    def claiming(self) -> Mapping[str, frozenset[int]]:
        """The statements that hold each name, and give or declare none."""
        defining = {number for numbers in self.defining.values() for number in numbers} | self.function_heads.keys()
        found: dict[str, set[int]] = {}
        for number, statement in enumerate(self.statements[self.told :], self.told):
            gives = number in defining or self.heads[number] is not None
            if not gives and any(side.relation in EQUALITIES for side in statement.sides):
                for name in (one.name for tree in statement.trees for one in self.survey.names(tree)):
                    found.setdefault(name, set()).add(number)
        return {name: frozenset(numbers) for name, numbers in found.items()}

    @cached_property
    def steps(self) -> Steps:
        """Its names and equations at other steps."""
        return Steps(self.survey, self.statements, self.defining, self.declared.keys())

    def indexed(self, number: int) -> int | None:
        """How many indices the name bears that a statement defines; None if it is bare."""
        head = self.heads[number]
        return len(head.parts) if head is not None and head.parts is not None else None

    def gives_square(self, number: int, name: str) -> bool:
        """Whether a statement defines the square of a name, and has no name for what it is the square of."""
        head = self.heads[number]
        return head is not None and head.name.endswith("^2") and not name.endswith("^2")

    def dotted(self, number: int) -> bool:
        """Whether a statement defines a name at indices with dots among them: an array with any number of slots."""
        head = self.heads[number]
        return head is not None and head.dotted

    def defined_at(self, number: int) -> tuple[str, ...] | None:
        """The letters of the entry that a statement defines; None if it defines a name as a whole."""
        head = self.heads[number]
        return head.parts if head is not None else self.function_heads[number].parts or None

    @cached_property
    def systems(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the equations that determine each name without giving it."""
        return self.systems_among(varied=False)

    def systems_among(self, *, varied: bool) -> Mapping[str, tuple[int, ...]]:
        """The same, of names by which something is differentiated too."""
        symmetric = frozenset(self.laws.values())
        return systems_in(
            self.survey,
            self.statements,
            self.meant_at,
            self.varying_at,
            self.free_letters,
            symmetric=symmetric,
            varied=varied,
        )

    def meant_at(self, number: int) -> frozenset[str]:
        """The names that a definition or a declaration gives at a statement, and the letters of indices.

        Where its section may stand alone, what others say is no concern of it.
        """
        return self.meant[self.standing(number)]

    @cached_property
    def meant(self) -> Mapping[Range | None, frozenset[str]]:
        """What is meant in each section that may stand alone, and under None what is meant outside of these."""
        return {section: self.meant_in(section) for section in {self.standing(n) for n in range(len(self.statements))}}

    def meant_in(self, section: Range | None) -> frozenset[str]:
        """What definitions, declarations and indices of a section mean; those of the whole page where there is none."""
        if section is None:
            return self.index_letters.union(self.defining, self.declared, self.functions, self.sizes)

        def is_within(place: int) -> bool:
            return place < 0 or section[0] <= place < section[1]

        own = [one for number, one in enumerate(self.statements) if is_within(self.start(number))]
        names = [found for one in own for tree in one.trees for found in self.survey.names(tree)]
        letters = {part for found in names for part in found.parts or ()} & self.index_letters
        by_equations = (*self.defining.items(), *self.functions.items())
        given = {name for name, numbers in by_equations if any(is_within(self.start(n)) for n in numbers)}
        declared = {name for name, shapes in self.declared.items() if any(is_within(one.start) for one in shapes)}
        return self.sizes.union(letters, given, declared)

    def varying_at(self, number: int) -> frozenset[str]:
        """The names by which something is differentiated in the section of a statement that may stand alone."""
        return self.varying[self.standing(number)]

    @cached_property
    def varying(self) -> Mapping[Range | None, frozenset[str]]:
        """What is differentiated by in each section that may stand alone; under None, anywhere on the page."""
        everywhere = frozenset(name for name, usage in self.survey.usages.items() if usage.below)
        found: dict[Range | None, set[str]] = {}
        for number, statement in enumerate(self.statements):
            below = (self.survey.name(node) for tree in statement.trees for node in targets(tree))
            names = (one.name for one in below if one is not None)
            found.setdefault(self.standing(number), set()).update(names)
        return {None: everywhere} | {section: everywhere & names for section, names in found.items() if section}

    @cached_property
    def may_follow(self) -> Mapping[str, int]:
        """The names by which something is differentiated that an equation may determine, and the first such one."""
        found = self.systems_among(varied=True)
        return {name: numbers[0] for name, numbers in found.items() if name not in self.systems}

    @cached_property
    def given(self) -> frozenset[str]:
        """The names that definitions read, or that are declared; those that a divergence compares, too."""
        compared = (tree for call in self.values.compared.values() for tree in call.arguments)
        names = (found.name for tree in compared for found in self.survey.names(tree))
        return frozenset((*self.declared, *names)).union(*self.definitions.reads.values())

    @cached_property
    def given_letters(self) -> frozenset[str]:
        """The letters of a class: they stand for one given entry."""
        said = letters_said(self.document.source)
        return given_letters(self.survey, self.statements, said, one_hot="one-hot" in self.said_anywhere)

    @cached_property
    def loose_letters(self) -> frozenset[str]:
        """The letters of one sample, whose number its definitions do not say."""
        numbers = {*(number for found in self.defining.values() for number in found), *self.function_heads}
        return loose_letters(self.survey, [self.statements[number] for number in sorted(numbers)])

    @cached_property
    def function_heads(self) -> Mapping[int, FunctionHead]:
        """The statements that define a function by what stands in its bracket, each with its first member."""
        found = ((number, function_head(self.survey, one)) for number, one in enumerate(self.statements))
        return {number: head for number, head in found if head is not None}

    @cached_property
    def functions(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the statements that define each function."""
        found: dict[str, list[int]] = {}
        for number, head in self.function_heads.items():
            found.setdefault(head.name, []).append(number)
        return {name: tuple(numbers) for name, numbers in found.items()}

    # What it differentiates

    def stated_gradient(self, name: str) -> tuple[str, str] | None:
        """The tensor and the loss whose gradient by it a name is, as the context says."""
        if name in self.context.gradients:
            return self.context.gradients[name]
        for prefix, suffix, loss in self.context.adjoints:
            target = name.removeprefix(prefix).removesuffix(suffix)
            if name == f"{prefix}{target}{suffix}" and target != name and target in self.survey.usages:
                return target, loss
        return None

    def gradient_target(self, name: str) -> str | None:
        """The tensor by which a short name, ``dX``, is the gradient of the loss; None for other names."""
        stated = self.stated_gradient(name)
        if stated is not None:
            return stated[0]
        for sign in ("d", "delta "):
            target = name.removeprefix(sign)
            if target != name and target in self.survey.usages:
                return target
        return None

    @cached_property
    def loss_targets(self) -> Mapping[str, tuple[Named, ...]]:
        """By which names each number without an equation is differentiated: what it is computed from."""
        found: dict[str, dict[str, Named]] = {}
        for statement in self.statements:
            for above, below in (pair for tree in statement.trees for pair in rates(tree)):
                body, wrt = self.survey.name(above), self.survey.name(below)
                if body is not None and wrt is not None and body.parts is None and body.name not in self.defining:
                    found.setdefault(body.name, {}).setdefault(wrt.name, wrt)
        return {name: tuple(wrt.values()) for name, wrt in found.items()}

    # Where it says so

    @cached_property
    def sections(self) -> Sections:
        """Its sections, with the names that it defines or declares in them."""
        defined = [(self.start(number), name) for name, numbers in self.defining.items() for number in numbers]
        declared = [(one.start, name) for name, shapes in self.declared.items() for one in shapes]
        return Sections(self.document, tuple((place, name) for place, name in (*defined, *declared) if place >= 0))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each statement starts; -1 for those of the context, which stand before all others, in every section."""
        return tuple(-1 if n < self.told else one.span.start for n, one in enumerate(self.statements))

    @cached_property
    def surroundings(self) -> tuple[Surroundings, ...]:
        """What is around each statement."""
        return tuple(map(self.sections.surroundings, self.starts))

    def start(self, number: int) -> int:
        """Where a statement starts; -1 for those of the context."""
        return self.starts[number]

    def section(self, number: int) -> Range:
        """Where the section around a statement starts and ends."""
        return self.surroundings[number].section

    def standing(self, number: int) -> Range | None:
        """The widest section around a statement that may stand alone; None if none does."""
        return self.surroundings[number].standing

    def unit(self, number: int) -> str:
        """The item of a list or the row of a table in which a statement stands; else empty."""
        return self.surroundings[number].unit

    def statement_text(self, number: int) -> str:
        """What is written where a statement stands; nothing for those of the context."""
        span = self.statements[number].span
        return "" if number < self.told else self.document.source[span.start : span.end]

    def line(self, number: int) -> int:
        """The line of a statement; 0 for those of the context."""
        return 0 if number < self.told else self.document.place(self.start(number))[0]


def page_of(document: Document, context: Context) -> Page:
    """The page of a document with what its context says.

    Raises:
        SpecError: for an equation of the context that cannot be read, and for lines without a relation.
    """
    statements, troubles = outline(document, context.phrases)
    attach_spoken(document, statements)
    statements, schematic = set_aside(document, statements, context.schematic)
    told = given_statements(context)
    return Page(
        document, (*told, *with_implied(statements, told)), tuple(troubles), context, len(told), tuple(schematic)
    )


def text_of(context: Context) -> str:
    """The equations of a context, one a line, as the places of its statements count."""
    return " \\\\\n".join(context.equations)


def given_statements(context: Context) -> list[Statement]:
    """The equations of a context as statements."""
    text = text_of(context)
    statements, troubles = outline(Document("context", text, (Span(text, 0, True),)))
    unread = [side.error for one in statements if one.sides[-1].relation != "in" for side in one.sides if not side.tree]
    for reason in (*(trouble.reason for trouble in troubles), *unread):
        raise SpecError(f"an equation of the context cannot be read: {reason}")
    return statements

"""What a page shows before anything is interpreted: what it declares, defines and differentiates, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from indexcalc.document.choices import LAYOUT, SUMS, Asking, Interpretation, Key
from indexcalc.document.memory import Memory
from indexcalc.document.sections import Range, Sections, Surroundings
from indexcalc.document.statements.conditions_below import MEMBER
from indexcalc.document.statements.context import JACOBIAN, Context
from indexcalc.document.statements.definitions import Definitions
from indexcalc.document.statements.densities import writes_densities
from indexcalc.document.statements.expectations import Means, means_in
from indexcalc.document.statements.heads import FunctionHead, defines, function_head
from indexcalc.document.statements.implied import with_implied
from indexcalc.document.statements.kinds import (
    cases_in,
    compares_letters,
    examples_in,
    lists_own_entries,
    summed_to_one,
    writes_out,
)
from indexcalc.document.statements.letters import given_letters, letters_said, loose_letters
from indexcalc.document.statements.limits import limits_in, sets_in
from indexcalc.document.statements.mirrored import mirrored_parts
from indexcalc.document.statements.orientation import orientations
from indexcalc.document.statements.outline import EQUALITIES, Side, Statement, outline
from indexcalc.document.statements.parts import set_aside
from indexcalc.document.statements.remainders import remainders_in
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.shapes import (
    Declared,
    added_to_arrays,
    declared_in,
    members_in,
    numbered_in,
    sizes_alone,
    written_in,
)
from indexcalc.document.statements.spoken import attach_spoken
from indexcalc.document.statements.survey import Usage, usages_in
from indexcalc.document.statements.systems import systems_in
from indexcalc.document.statements.trees import rates, targets
from indexcalc.document.statements.values import Values, spread_laws
from indexcalc.document.statements.variations import Variations
from indexcalc.document.steps import Steps
from indexcalc.document.writing import Writing
from indexcalc.errors import SpecError
from indexcalc.language.document import Document, Span
from indexcalc.language.latex.tree import Sum

UNSURE = re.compile(
    r"\b(?:if|when|whenever|unless|only|not|never|cannot|wrong|false|would|might|may|think|claim\w*|suppose\w*"
    r"|subject to|s\.\s?t\.|constrain\w*|maximi[sz]\w*|minimi[sz]\w*)(?!\w)|n't\b"
)
"""Words in a sentence that may state a condition, a constraint, or the contrary."""


CHANCE = re.compile(
    r"\\mathbb *\{? *E *\}? *_|\\E *_|\bprobab|likelihood|\bbayes|posterior|\bprior (?:distrib|over|of)|random variable"
    r"|\bmarkov (?:chain|decision|process)|\bpolic(?:y|ies)\b|概率|后验|wahrscheinlichkeit|vraisemblance|probabilidad",
    re.IGNORECASE,
)
"""Words that speak of what is random."""


@dataclass(frozen=True)
class Page(Writing):
    """A document's statements, and what they show of what its names mean.

    Attributes:
        schematic: the members that are not to be judged, as the context says.
        remembered: what was found before.
        solvable: which statements were found to determine a name, in a section that stands alone or not.
        weighed: which expectations and integrals were found to be sums over outcomes.
        memory: the values that all readings share.
        heard: what the context assumes of choices, as far as one was asked for.
        fitted: the options for ranks with which most of its statements fit, where these are not the usual ones.
    """

    schematic: tuple[tuple[Statement, Side], ...] = ()
    remembered: dict[int, tuple[tuple[Key, str], ...]] = field(default_factory=dict, compare=False, repr=False)
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
    def usages(self) -> Mapping[int, Mapping[str, Usage]]:
        """How names are used in each section, by its start; what is a label is seen in the whole document."""
        chains: dict[int, list[tuple[Sum, ...]]] = {}
        for number, statement in enumerate(self.statements):
            chains.setdefault(self.section(number)[0], []).append(statement.trees)
        return {start: usages_in(found, self.survey) for start, found in chains.items()}

    @cached_property
    def variations(self) -> tuple[Variations, ...]:
        """The differentials in each statement."""
        return tuple(Variations(self.survey, self.gradient_target, one.trees) for one in self.statements)

    def usage(self, name: str, number: int) -> Usage | None:
        """How a name is used in the section of a statement; None if it is not used there."""
        return self.usages[self.section(number)[0]].get(name)

    def extent(self, letter: str, number: int) -> sp.Expr | None:
        """The number of values of a letter in a statement, by the last table before it that speaks for its section."""
        place = self.start(number)
        for row, extent in reversed(self.extents.get(letter, ())):
            if place < 0 or row < place < self.sections.reach_of_table(row):
                return extent
        return None

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
    def remainders(self) -> frozenset[int]:
        """The definitions that may say instead what is left over."""
        return remainders_in(self.survey, self.statements, self.defining, self.definitions.rests_on)

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
    def cases(self) -> frozenset[int]:
        """The statements in sentences that say for which values of a name something holds."""
        return cases_in(self.document, self.survey, self.statements, self.sizes_of_names)

    @cached_property
    def examples(self) -> frozenset[int]:
        """The statements that write out an array of an example."""
        own = examples_in(self.document, self.statements[self.told :])
        return frozenset(number + self.told for number in own)

    # What it defines

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

    @cached_property
    def mirrored(self) -> Mapping[str, tuple[str, str]]:
        """The names of the parts of square arrays that are written out, each with the whole and its mirror image."""
        return mirrored_parts(self.survey, self.statements, self.heads)

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
        """The letters of one sample, whose number its definitions do not say, and of sets, of which it may be one."""
        numbers = {*(number for found in self.defining.values() for number in found), *self.function_heads}
        sets = (usage.letters for name, usage in self.survey.usages.items() if name.startswith(MEMBER))
        of_sets = frozenset(letter for uses in sets for letters in uses for letter in letters[:-1])
        return of_sets | loose_letters(self.survey, [self.statements[number] for number in sorted(numbers)])

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
    def surroundings(self) -> tuple[Surroundings, ...]:
        """What is around each statement."""
        return tuple(map(self.sections.surroundings, self.starts))

    def section(self, number: int) -> Range:
        """Where the section around a statement starts and ends."""
        return self.surroundings[number].section

    def standing(self, number: int) -> Range | None:
        """The widest section around a statement that may stand alone; None if none does."""
        return self.surroundings[number].standing

    def unit(self, number: int) -> str:
        """The item of a list or the row of a table in which a statement stands; else empty."""
        return self.surroundings[number].unit


def page_of(document: Document, context: Context) -> Page:
    """The page of a document with what its context says.

    Raises:
        SpecError: for an equation of the context that cannot be read, and for lines without a relation.
    """
    statements, troubles = outline(document, context.phrases)
    attach_spoken(document, statements)
    statements, schematic = set_aside(document, statements, context.schematic)
    told = given_statements(context)
    own = (*told, *with_implied(statements, told))
    return Page(document, own, tuple(troubles), context, len(told), schematic=tuple(schematic))


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

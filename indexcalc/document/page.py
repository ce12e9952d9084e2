"""What a page shows before anything is interpreted: its statements, its names, and what it declares."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from indexcalc.document.choices import LAYOUT, SUMS, Asking, Interpretation, Key
from indexcalc.document.memory import Memory
from indexcalc.document.statements.context import JACOBIAN, Context
from indexcalc.document.statements.outline import Side, Statement, Trouble, condition, outline
from indexcalc.document.statements.parts import set_aside
from indexcalc.document.statements.scripts import COLON, Named, is_letter, subscript, with_primes
from indexcalc.document.statements.spoken import attach_spoken
from indexcalc.document.statements.survey import Survey, Usage, survey_of
from indexcalc.document.statements.trees import name_nodes, rates, targets
from indexcalc.errors import IndexCalcError, SpecError
from indexcalc.language.document import Document, Span
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Group, Node, Product, Scripted, Sum, nodes_of
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

EQUALITIES = frozenset({"=", ":=", "=="})

INEQUALITIES = frozenset({"<", "<=", ">", ">=", "!="})

BETWEEN = frozenset({"->", "for"})
"""Relations that only say from where to where something goes, or for what a formula holds."""
"""The relations that say that two members are equal."""


PROPERTIES = {
    "symmetric": re.compile(
        r"(?<!not )(?<!non-)(?<!a)symmetric|positive[- ](?:semi-?)?definite|covariance|hessian|\bspd\b|\bpsd\b"
    ),
    "orthogonal": re.compile(r"\borthogonal\b|\borthonormal\b|\brotation matri"),
}
"""The words that speak of a property; they say that it is likely, and never that it holds."""

OF_VECTORS = {
    "sums to one": re.compile(r"one[- ]hot|probabilit|distribution|sums? (?:up )?to (?:one|\$?1)"),
}
"""The same for vectors."""

CONSTANTS = frozenset({"1", "I"})
"""Names of arrays that are the same in every document."""

UNIT = re.compile(r"\||\\item\b|[-*+] |\d+[.)] |<(?:tr|li|td)\b")
"""How the line of an item or a row begins."""

TIES = 6
"""The most slots whose size a number may be."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The shape that a statement declares for a name: the names of its sizes, and where it stands."""

    name: str
    sizes: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True)
class FunctionHead:
    """The first member of an equation that defines a function, ``f(x, y)`` or its entry ``f(x)_i``.

    Attributes:
        name: the function.
        parameters: the names in its bracket.
        parts: the letters of the entry; none for the whole value.
    """

    name: str
    parameters: tuple[str, ...]
    parts: tuple[str, ...] = ()


CLASS_LETTERS = frozenset({"c", "t", "y"})
"""The letters that authors use for the right class."""

RENEWED = 2
"""How many names that others give a section at least gives that may stand alone."""


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
        factor_letters, orders, properties, remembered, free_of: what was found before.
        memory: the values that all readings share.
    """

    document: Document
    statements: tuple[Statement, ...]
    troubles: tuple[Trouble, ...]
    context: Context = field(default_factory=Context)
    told: int = 0
    schematic: tuple[tuple[Statement, Side], ...] = ()
    factor_letters: dict[int, tuple[Node, frozenset[str]]] = field(default_factory=dict, compare=False, repr=False)
    orders: dict[int, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    properties: dict[int, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    remembered: dict[int, tuple[tuple[Key, str], ...]] = field(default_factory=dict, compare=False, repr=False)
    free_of: dict[int, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    @cached_property
    def survey(self) -> Survey:
        """How its names are used."""
        sets = (side.tokens for statement in self.statements for side in statement.sides)
        labels = frozenset(label for tokens in sets for label in labels_of_sizes(tokens))
        found = survey_of((statement.trees for statement in self.statements), labels)
        return replace(found, aliases=self.context.aliases)

    @cached_property
    def settled(self) -> Mapping[Key, str]:
        """The choices that the context takes."""
        found: dict[Key, str] = {}
        if self.context.einstein is not None:
            found[SUMS.key] = "repeated" if self.context.einstein else "written"
        if self.context.layout:
            found[LAYOUT.key] = "Jacobian" if self.context.layout == JACOBIAN else "gradient"
        return found

    def asking(self, interpretation: Interpretation) -> Asking:
        """An interpretation of it, which notes what is asked and not said by the context."""
        return Asking(interpretation, self.settled)

    @cached_property
    def symmetric(self) -> frozenset[str]:
        """The matrices that the context says to be symmetric."""
        return frozenset(name for number, name in self.laws.items() if number < self.told)

    def indexed(self, number: int) -> int | None:
        """How many indices the name bears that a statement defines; None if it is bare."""
        head = head_of(self.survey, self.statements[number])
        return len(head.parts) if head is not None and head.parts is not None else None

    def free_letters(self, number: int) -> frozenset[str]:
        """The letters that are free in a statement: those of a first member of one factor, and those once in a term."""
        if number not in self.free_of:
            self.free_of[number] = self.find_free_letters(number)
        return self.free_of[number]

    def find_free_letters(self, number: int) -> frozenset[str]:
        """The same, not yet known."""
        statement = self.statements[number]
        first = statement.sides[0].tree
        lone = first is not None and first.only is not None and len(first.only.items) == 1
        found = {part for one in (names_in(self.survey, first) if first and lone else ()) for part in one.parts or ()}
        for tree in statement.trees:
            for _, term in tree.terms:
                counts = Counter(index_parts(self.survey, term))
                bound = {token.text for node in nodes_of(term) for token in bound_tokens(node)}
                found.update(part for part, count in counts.items() if count == 1 and part not in bound)
        return frozenset(found)

    def letters(self, node: Node) -> frozenset[str]:
        """The letters that index something in a factor."""
        if id(node) not in self.factor_letters:
            self.factor_letters[id(node)] = node, frozenset(index_parts(self.survey, Product((node,))))
        return self.factor_letters[id(node)][1]

    def order(self, number: int) -> tuple[str, ...]:
        """The letters of the entry of an array that a statement speaks of, in the order of the array's axes."""
        if number not in self.orders:
            self.orders[number] = self.order_in(number)
        return self.orders[number]

    def order_in(self, number: int) -> tuple[str, ...]:
        """The same, looked for."""
        trees = self.statements[number].trees
        for tree in trees:
            for node in targets(tree):
                found = self.survey.name(node)
                if found is not None and found.parts:
                    return found.parts
        for tree in trees:
            items = tree.only.items if tree.only is not None else ()
            found = self.survey.name(items[0]) if len(items) == 1 else None
            if found is not None and found.parts and not found.transposed:
                return found.parts
        return ()

    def slice_parts(self, found: Named, rank: int, number: int) -> tuple[str, ...]:
        """The indices of a name that bears fewer than it has slots: each letter where it stands elsewhere."""
        parts = found.parts or ()
        usage = self.usage(found.name, number) or self.survey.usages.get(found.name)
        if COLON not in parts and 0 < len(parts) < rank and usage is not None:
            whole = [full for full in usage.letters if len(full) == rank and set(parts) <= set(full)]
            places = {tuple(full.index(part) for part in parts) for full in whole}
            if len(places) == 1:
                letters = dict(zip(places.pop(), parts, strict=True))
                return tuple(letters.get(slot, COLON) for slot in range(rank))
        return (*parts, *(COLON,) * (rank - len(parts)))

    def usage(self, name: str, number: int) -> Usage | None:
        """How a name is used in the section of a statement; None if it is not used there."""
        return self.surveys[self.section(self.start(number))[0]].usages.get(name)

    @cached_property
    def surveys(self) -> Mapping[int, Survey]:
        """How names are used in each section, by its start; what is a label is seen in the whole document."""
        chains: dict[int, list[tuple[Sum, ...]]] = {}
        for number, statement in enumerate(self.statements):
            chains.setdefault(self.section(self.start(number))[0], []).append(statement.trees)
        return {start: survey_with(found, self.survey) for start, found in chains.items()}

    @cached_property
    def declared(self) -> Mapping[str, tuple[Declared, ...]]:
        """The shapes that it declares, by name."""
        found: dict[str, list[Declared]] = {}
        for number, statement in enumerate(self.statements):
            told = number < self.told
            for one in declarations(statement, self.survey, -1 if told else statement.span.start):
                found.setdefault(one.name, []).append(one)
        for left, right in pairwise(self.statements[self.told :]):
            for one in self.declarations_of_row(left, right):
                found.setdefault(one.name, []).append(one)
        return {name: tuple(shapes) for name, shapes in found.items()}

    def declarations_of_row(self, name: Statement, shape: Statement) -> Iterator[Declared]:
        """What a row of a table declares: a name in one cell, and a set of arrays in the next."""
        factors = factors_of_sizes(shape.sides[0].tokens) if len(shape.sides) == 1 else None
        tree = name.sides[0].tree if len(name.sides) == 1 else None
        if not factors or tree is None:
            return
        line = self.document.source[self.document.source.rfind("\n", 0, name.span.start) + 1 : shape.span.start]
        names = [self.survey.name(node) for node in tree.only.items] if tree.only is not None else []
        if line.lstrip().startswith("|") and "\n" not in line and len(names) == 1 and names[0] is not None:
            yield from shape_of(names[0], factors, name.span.start)

    @cached_property
    def sizes_of_names(self) -> frozenset[str]:
        """The sizes of which names that stand alone are declared."""
        return frozenset(size for shapes in self.declared.values() for one in shapes for size in one.sizes)

    @cached_property
    def sizes(self) -> frozenset[str]:
        """The names of sizes in declarations and limits of sums."""
        declared = {size for shapes in self.declared.values() for one in shapes for size in one.sizes}
        return frozenset(declared | set(self.limits) | {size.name for size in self.context.sizes})

    @cached_property
    def limits(self) -> tuple[str, ...]:
        """The names up to which sums run."""
        return tuple(dict.fromkeys(name for s in self.statements for tree in s.trees for name in limits_in(tree)))

    @cached_property
    def defining(self) -> Mapping[str, tuple[int, ...]]:
        """The numbers of the statements whose first member is a name that stands nowhere else in its second."""
        found: dict[str, list[int]] = {}
        for number, statement in enumerate(self.statements):
            head = head_of(self.survey, statement)
            if head is None or self.gradient_target(head.name) is not None:
                continue  # what a short name of a gradient means is known
            if defines(self.survey, statement, head) and not self.compares_letters(number):
                found.setdefault(head.name, []).append(number)
        return {name: tuple(numbers) for name, numbers in found.items()}

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

    @cached_property
    def reads(self) -> Mapping[str, frozenset[str]]:
        """The names in the equations that define each name."""
        return {
            name: frozenset(
                found.name
                for number in numbers
                for tree in self.statements[number].trees[1:]
                for found in names_in(self.survey, tree)
            )
            for name, numbers in self.defining.items()
        }

    def rests_on(self, name: str, other: str) -> bool:
        """Whether the equations of a name lead to another one."""
        seen, pending = set[str](), [name]
        while pending:
            for read in self.reads.get(pending.pop(), frozenset()) - seen:
                if read == other:
                    return True
                seen.add(read)
                pending.append(read)
        return False

    @cached_property
    def given(self) -> frozenset[str]:
        """The names that definitions read, or that are declared."""
        read = {
            found.name
            for numbers in self.defining.values()
            for number in numbers
            for tree in self.statements[number].trees[1:]
            for found in names_in(self.survey, tree)
        }
        return frozenset(read | self.declared.keys())

    @cached_property
    def index_letters(self) -> frozenset[str]:
        """The letters that index something; those below ones alone are sizes."""
        return frozenset(
            part
            for name, usage in self.survey.usages.items()
            if name != "1"
            for parts in usage.letters
            for part in parts
            if is_letter(part)
        )

    @cached_property
    def given_letters(self) -> frozenset[str]:
        r"""The letters of a class, ``L = -\log p_y``: they stand for one given entry.

        Such a letter stands on the right of a definition without being bound or standing on its left, and no sum of the
        document binds it.
        """
        bound = {
            token.text for s in self.statements for tree in s.trees for n in nodes_of(tree) for token in bound_tokens(n)
        }
        found: set[str] = set()
        for number in (n for numbers in self.defining.values() for n in numbers):
            left, right, *_ = (
                {part for name in names_in(self.survey, tree) for part in name.parts or ()}
                for tree in self.statements[number].trees
            )
            found |= (right - left) & CLASS_LETTERS - bound
        return frozenset(found)

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

    def defined_at(self, number: int) -> tuple[str, ...] | None:
        """The letters of the entry that a statement defines; None if it defines a name as a whole."""
        head = head_of(self.survey, self.statements[number])
        return head.parts if head is not None else self.function_heads[number].parts or None

    @cached_property
    def laws(self) -> Mapping[int, str]:
        """The statements that say of a matrix that it is equal to its transpose, ``J_ij = J_ji``, with its name."""
        found = {}
        for number, statement in enumerate(self.statements):
            sides = [tree.only.items for tree in statement.trees if tree.only is not None and len(tree.only.items) == 1]
            if len(sides) == len(statement.sides) == 2 and statement.sides[1].relation in EQUALITIES:
                one, other = (self.survey.name(items[0]) for items in sides)
                if (
                    one is not None
                    and other is not None
                    and one.name == other.name
                    and not (one.powers or other.powers)
                ):
                    turned = one.parts is not None and len(one.parts) == 2 and one.parts == (other.parts or ())[::-1]
                    if turned or (one.parts == other.parts and one.transposed != other.transposed):
                        found[number] = one.name
        return found

    def is_about_one_name(self, number: int) -> bool:
        """Whether a statement speaks of one array alone, as a law for it does: ``U^T U = I``, ``sum_k q_k = 1``."""
        return number in self.about_one_name

    @cached_property
    def about_one_name(self) -> frozenset[int]:
        """The statements that speak of one array alone."""
        names = ({found.name for tree in s.trees for found in names_in(self.survey, tree)} for s in self.statements)
        return frozenset(number for number, found in enumerate(names) if len(found - CONSTANTS) == 1)

    def compares_letters(self, number: int) -> bool:
        """Whether a statement says of index letters how they are related, ``i = j``."""
        found = condition(self.statements[number])
        return bool(found) and all(letter in self.index_letters for one in found for letter in (one[0], one[2]))

    def bounds(self, number: int, member: int) -> bool:
        """Whether a member says between which numbers a name lies, or that it is not another: nothing is claimed."""
        sides = self.statements[number].sides
        relation = sides[member].relation
        if relation in BETWEEN:
            return True
        trees = [side.tree for side in sides[member - 1 : member + 1]]
        lone = [tree.only.items[0] for tree in trees if tree is not None and tree.only and len(tree.only.items) == 1]
        plain = [
            n for n in lone if self.survey.name(n) is not None or (isinstance(n, Atom) and n.kind in ("NUM", "ONE"))
        ]
        return relation in INEQUALITIES and len(plain) == 2

    def sets(self, number: int) -> bool:
        """Whether a statement gives names a value: all its members are single names or numbers, and one is a number."""
        trees = self.statements[number].trees
        if len(trees) < len(self.statements[number].sides):
            return False
        lone = [tree.only.items[0] for tree in trees if tree.only is not None and len(tree.only.items) == 1]
        numbers = [node for node in lone if isinstance(node, Atom) and node.kind in ("NUM", "ONE")]
        names = [node for node in lone if self.survey.name(node) is not None]
        return bool(numbers) and len({id(node) for node in (*numbers, *names)}) == len(trees)

    def slots_beside(self, name: str) -> tuple[tuple[str, int, str], ...]:
        """The slots of arrays in the statements that have a name, each with a letter that it bears; the first few."""
        return self.beside.get(name, ())

    @cached_property
    def beside(self) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
        """For each name that is a letter, the slots of arrays in statements with it."""
        found: dict[str, dict[tuple[str, int], str]] = {}
        for statement in self.statements:
            names = [one for tree in statement.trees for one in names_in(self.survey, tree)]
            slots = {
                (one.name, place): part
                for one in names
                for place, part in enumerate(one.parts or ())
                if is_letter(part) and one.name != "delta"
            }
            for one in names:
                if one.parts is None and len(one.name) == 1:
                    found.setdefault(one.name, {}).update(slots)
        return {
            name: tuple((tensor, place, letter) for (tensor, place), letter in slots.items())[:TIES]
            for name, slots in found.items()
        }

    @cached_property
    def differentiated(self) -> frozenset[str]:
        """The names that are differentiated somewhere."""
        return frozenset(name for name, usage in self.survey.usages.items() if usage.numerator)

    @cached_property
    def section_starts(self) -> tuple[int, ...]:
        """Where sections start."""
        return (0, *(start for start, _ in self.document.headings if start > 0))

    @cached_property
    def said_anywhere(self) -> frozenset[str]:
        """The properties of vectors of which its words speak."""
        return frozenset(name for name, pattern in OF_VECTORS.items() if pattern.search(self.document.source.lower()))

    def unit(self, position: int) -> str:
        """The line of a position where it is an item of a list or a row of a table; else empty."""
        line, _ = self.document.place(position)
        text = self.document.line_text(line).lstrip()
        return f"{line}" if UNIT.match(text) else ""

    def section(self, position: int) -> tuple[int, int]:
        """Where the section around a position starts and ends."""
        starts = self.section_starts
        number = max(1, bisect_right(starts, position))
        return starts[number - 1], starts[number] if number < len(starts) else len(self.document.source)

    def start(self, number: int) -> int:
        """Where a statement starts; -1 for those of the context, which stand before all others and in every section."""
        return -1 if number < self.told else self.statements[number].span.start

    def standing(self, number: int) -> tuple[int, int] | None:
        """Where the widest section around a statement starts and ends that may stand alone; None if none does."""
        if number < self.told:
            return None
        start = self.statements[number].span.start
        return next((section for section in self.renewing if section[0] <= start < section[1]), None)

    @cached_property
    def renewing(self) -> tuple[tuple[int, int], ...]:
        """The sections that may stand alone, the widest first: they give names which others give too.

        What a section gives is what it defines or declares. Where two of a level do so, all of that level may.
        """
        places = sorted(
            [(self.statements[n].span.start, name) for name, of in self.defining.items() for n in of if n >= self.told]
            + [(one.start, name) for name, shapes in self.declared.items() for one in shapes if one.start >= 0]
        )
        found: list[tuple[int, int, int]] = []
        anew = Counter[int]()
        for level, start, end in self.parts:
            own = {name for place, name in places if start <= place < end}
            if len(own & {name for place, name in places if not start <= place < end}) >= RENEWED:
                found.append((level, start, end))
                anew[level] += 1
        found += [part for part in self.parts if anew[part[0]] > 1 and part not in found]
        return tuple((start, end) for _, start, end in sorted(found, key=lambda part: part[1] - part[2]))

    @cached_property
    def parts(self) -> tuple[tuple[int, int, int], ...]:
        """The level of each section, and where it starts and ends."""
        sections = self.document.sections
        after = (
            (one.start for one in sections[number + 1 :] if one.level <= section.level)
            for number, section in enumerate(sections)
        )
        end = len(self.document.source)
        return tuple((one.level, one.start, next(rest, end)) for one, rest in zip(sections, after, strict=True))

    def alike(self, section: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        """The other sections that may stand alone of the level of one."""
        levels = {(start, end): level for level, start, end in self.parts}
        return tuple(one for one in self.renewing if one != section and levels[one] == levels[section])

    def said(self, position: int) -> frozenset[str]:
        """The properties of matrices of which the words of the section around a position speak."""
        start, end = self.section(position)
        if start not in self.properties:
            words = self.document.source[start:end].lower()
            self.properties[start] = frozenset(name for name, pattern in PROPERTIES.items() if pattern.search(words))
        return self.properties[start]


def page_of(document: Document, context: Context) -> Page:
    """The page of a document with what its context says.

    Raises:
        SpecError: for an equation of the context that cannot be read, and for lines without a relation.
    """
    statements, troubles = outline(document, context.phrases)
    attach_spoken(document, statements)
    statements, schematic = set_aside(document, statements, context.schematic)
    told = given_statements(context)
    return Page(document, (*told, *statements), tuple(troubles), context, len(told), tuple(schematic))


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


def survey_with(chains: Sequence[tuple[Sum, ...]], whole: Survey) -> Survey:
    """How names are used in some chains, with the labels of the whole document."""
    return replace(survey_of(chains, whole.labels), aliases=whole.aliases)


def head_of(survey: Survey, statement: Statement) -> Named | None:
    """The name that is the whole first member, bare or at distinct letters."""
    if len(statement.sides) < 2 or statement.sides[1].relation not in EQUALITIES:
        return None
    tree = statement.sides[0].tree
    product = tree.only if tree is not None else None
    if product is None or len(product.items) != 1:
        return None
    found = survey.name(product.items[0])
    if found is None or found.powers or found.transposed or found.primes or found.unreadable or found.name == "1":
        return None
    if found.parts is not None and (
        len(set(found.parts)) < len(found.parts) or any(p == COLON or p.isdigit() for p in found.parts)
    ):
        return None
    return found


def called_head(survey: Survey, statement: Statement) -> str:
    """The function of which a statement gives a value, ``f(W x) = ...``; empty if it speaks of none."""
    if len(statement.sides) < 2 or statement.sides[1].relation not in EQUALITIES:
        return ""
    tree = statement.sides[0].tree
    items = tree.only.items if tree is not None and tree.only is not None else ()
    if len(items) != 2:
        return ""
    bracket = items[1].base if isinstance(items[1], Scripted) else items[1]
    found = survey.name(items[0])
    if found is None or found.primes or not isinstance(bracket, Group) or bracket.bracket not in ("(", "["):
        return ""
    usage = survey.usages.get(found.name)
    known = found.name in FUNCTIONS or found.name in STRUCTURAL
    return found.name if usage is not None and usage.only_called and not known and found.name != "d" else ""


def function_head(survey: Survey, statement: Statement) -> FunctionHead | None:
    """The function that a statement defines by the names in its bracket; None if it defines none."""
    if len(statement.sides) < 2 or statement.sides[1].relation not in EQUALITIES:
        return None
    head, body = statement.sides[0].tree, statement.sides[1].tree
    items = head.only.items if head is not None and head.only is not None else ()
    if len(items) != 2 or body is None:
        return None
    found = survey.name(items[0])
    bracket = items[1].base if isinstance(items[1], Scripted) else items[1]
    if found is None or not isinstance(bracket, Group) or bracket.bracket != "(" or not is_plain(found):
        return None
    parameters = [parameter(survey, member) for member in bracket.members]
    names = list(names_in(survey, body))
    known = found.name in (*FUNCTIONS, *STRUCTURAL, "d", "e", "E")
    if known or not names or any(one is None for one in parameters) or any(one.name == found.name for one in names):
        return None
    parts = found.parts or ()
    if isinstance(items[1], Scripted):
        behind = subscript(items[1].below)
        if parts or items[1].above or items[1].primes or behind.label or behind.unreadable:
            return None
        parts = behind.parts
    used = {part for one in names for part in one.parts or ()}
    if len(set(parts)) < len(parts) or not used.issuperset(parts):
        return None
    return FunctionHead(found.name, tuple(one.name for one in parameters if one is not None), parts)


def parameter(survey: Survey, member: Sum) -> Named | None:
    """The lone name that a member of a bracket is; None if it is more."""
    only = member.only
    found = survey.name(only.items[0]) if only is not None and len(only.items) == 1 else None
    return found if found is not None and found.parts is None and is_plain(found) and found.name != "1" else None


def is_plain(found: Named) -> bool:
    """Whether a name bears nothing but labels and indices."""
    return not (found.powers or found.transposed or found.primes or found.unreadable)


def defines(survey: Survey, statement: Statement, head: Named) -> bool:
    """Whether a statement may give its first member a meaning: the second one does not have its name."""
    tree = statement.sides[1].tree
    if tree is None:
        return False
    names = list(names_in(survey, tree))
    # An entry that is a number, or does not follow its indices, is a case: delta_ij = 1, x_i = 0.
    letters = {part for found in names for part in found.parts or ()} | set(letters_of_limits(tree))
    follows = not head.parts or not letters.isdisjoint(head.parts)
    return follows and all(found.name != head.name for found in names)


def names_in(survey: Survey, tree: Sum | Product) -> Iterator[Named]:
    """The names in a syntax tree."""
    for node in name_nodes(tree):
        found = survey.name(node)
        if found is not None:
            yield found


def declarations(statement: Statement, survey: Survey, start: int) -> Iterator[Declared]:
    r"""What ``A, B \in \mathbb{R}^{n \times d}`` declares.

    With one index, ``x_i \in \mathbb{R}^d``, a document may mean one vector of many; a context means all entries.
    """
    sides = statement.sides
    if len(sides) < 2 or sides[-1].relation != "in":
        return
    factors = factors_of_sizes(sides[-1].tokens)
    if factors is None:
        return
    for tokens in split(sides[-2].tokens, "COMMA"):
        try:
            tree = parse(tokens)
        except (IndexCalcError, RecursionError):
            continue
        names = list(names_in(survey, tree))
        if len(names) == 1 and (names[0].parts is None or start < 0 or len(names[0].parts) > 1):
            yield from shape_of(names[0], factors, start)


def shape_of(found: Named, factors: tuple[tuple[str, ...], ...], start: int) -> Iterator[Declared]:
    """The sizes of the slots of a name: an axis may hold several of them, where it bears its indices."""
    if found.parts is None:
        yield Declared(found.name, tuple("".join(names) for names in factors), start)
        return
    sizes = tuple(size for names in factors for size in names)
    if len(found.parts) == len(sizes):
        yield Declared(found.name, sizes, start)


def sizes_of(tokens: Sequence[Token]) -> tuple[str, ...] | None:
    """The sizes behind the sign of the real numbers; none for the real numbers themselves, None for another set."""
    factors = factors_of_sizes(tokens)
    return tuple("".join(names) for names in factors) if factors is not None else None


def factors_of_sizes(tokens: Sequence[Token]) -> tuple[tuple[str, ...], ...] | None:
    r"""The same, each size by its factors: ``\mathbb{R}^{n \times h d}`` has the sizes n and h times d."""
    if not tokens or tokens[0].kind != "REALS":
        return None
    rest = [token for token in tokens[1:] if token.kind not in ("SUP", "{", "}", "(", ")", "DOT")]
    if not rest:
        return ()
    sizes: list[tuple[str, ...]] = []
    for part in split(rest, "TIMES"):
        names: list[str] = []
        labelled = False
        for token in part:
            if names and (labelled or token.kind == "SUB"):
                names[-1] += token.text
            else:
                names.append(token.text)
            labelled = token.kind == "SUB"
        if not names or not all(re.fullmatch(r"\w+", name) for name in names):
            return None
        sizes.append(tuple(names))
    return tuple(sizes)


def labels_of_sizes(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    r"""The sizes in a set of arrays with their labels: none in ``\mathbb{R}^{n \times d_h}`` has an index."""
    if not tokens or tokens[0].kind != "REALS":
        return
    plain = [token for token in tokens if token.kind not in ("{", "}")]
    for base, mark, label in zip(plain, plain[1:], plain[2:], strict=False):
        if base.kind == "NAME" and mark.kind == "SUB" and label.kind == "NAME":
            yield base.text, label.text


def split(tokens: Sequence[Token], kind: str) -> Iterator[list[Token]]:
    """The tokens between those of a kind."""
    part: list[Token] = []
    for token in tokens:
        if token.kind == kind:
            yield part
            part = []
        else:
            part.append(token)
    yield part


def index_parts(survey: Survey, term: Product) -> Iterator[str]:
    """The letters that index something in a term, with repetition: names, and expressions in brackets."""
    for node in nodes_of(term):
        if not isinstance(node, Scripted):
            continue
        found = survey.name(node)
        if found is not None:
            yield from found.parts or ()
        elif not (isinstance(node.base, Atom) and node.base.kind == "SUM"):
            yield from subscript(node.below).parts


def bound_tokens(node: Node) -> Iterator[Token]:
    """The letters that a sum binds."""
    if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM":
        yield from (token for token in with_primes(node.below) if token.kind == "NAME")


def letters_of_limits(tree: Sum) -> Iterator[str]:
    """The names in what stands below and above the sums in a tree."""
    for node in nodes_of(tree):
        if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM":
            yield from (t.text for ts in (node.below, *node.above) for t in with_primes(ts) if t.kind == "NAME")


def limits_in(tree: Sum) -> Iterator[str]:
    """The names up to which the sums in a tree run."""
    for node in nodes_of(tree):
        if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM" and node.above:
            tokens = [token for token in node.above[-1] if token.kind not in ("{", "}")]
            if [token.text for token in tokens[-2:]] == ["-", "1"]:
                tokens = tokens[:-2]
            if name := limit_name(tokens):
                yield name


def limit_name(tokens: Sequence[Token]) -> str:
    """The name that tokens are, with its label; empty if they are none."""
    texts = [token.text for token in tokens if token.kind not in ("{", "}")]
    if not tokens or tokens[0].kind != "NAME" or (len(texts) > 1 and tokens[1].kind != "SUB"):
        return ""
    return texts[0] if len(texts) == 1 else f"{texts[0]}_{''.join(texts[2:])}"

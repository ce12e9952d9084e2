"""The search for a cheaper form of an expression: unfold a definition, fold another, keep what costs less.

``r_i = sum_c A_ic D_ic`` unfolds `D` and folds `O` to become ``sum_p G_ip O_ip``. The search is a
beam over short sequences of moves; a form is accepted only if its cost is lower.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from indexcalc.algebra.canonical import collect, sum_key
from indexcalc.algebra.terms import Access, Terms, tensors_of
from indexcalc.calculus.steps import Cited, Detail, Rule, Step, Used
from indexcalc.errors import LimitError
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, length, reading_cost, terms_cost
from indexcalc.rewrite.rules import RuleBook, SumRule, apply_rules, unfold_term

DEPTH = 3
"""The most moves in a row."""
BEAM = 10
"""The most forms kept after each move."""
TERM_LIMIT = 8
"""The most terms that a form may have."""

FORM_LIMIT = 60
"""The most forms that one search looks at."""
SEARCH_CACHE = 2_000
"""The number of searches that are remembered: gradients share parts, and each is improved for several decisions."""

EFFORT = 30_000
"""The most factors, in all forms, that the searches of a short derivation look at."""

EACH = 1_000
"""The same for each equation of a longer one; a search of `FORM_LIMIT` short forms takes no more."""

MOST = 60_000
"""The most factors that the searches of any derivation look at: beyond some 50 equations, seconds pass with them."""

Score = tuple[int, int]


@dataclass(frozen=True)
class Moves:
    """What the search may use.

    Attributes:
        definitions: the equations that may be unfolded, by name.
        rules: definitions by sums and lemmas, from right to left.
        sizes: nominal sizes, for the cost.
        intermediates: the tensors whose reading is charged for where costs tie.
    """

    definitions: Mapping[str, Equation]
    rules: tuple[SumRule, ...]
    sizes: Sizes
    intermediates: frozenset[str]

    @cached_property
    def book(self) -> RuleBook:
        """The rules, found by what they read."""
        return RuleBook(self.rules)

    def score(self, entry: Access, terms: Terms) -> Score:
        """Operations, then entries of intermediates that are read: lower is better."""
        return terms_cost(terms, entry.indices, self.sizes), reading_cost(terms, self.intermediates, self.sizes)

    def within_reach(self, terms: Terms) -> Moves:
        """What a search from these terms can meet, and nothing else."""
        names = reached = frozenset(tensors_of(terms))
        for _ in range(DEPTH):
            names = reached
            unfolded = (self.definitions[name].terms for name in names if name in self.definitions)
            replaced = (rule.value for rule in self.rules if rule.reads <= names)
            reached = names.union(*map(tensors_of, unfolded), *map(tensors_of, replaced))
        return Moves(
            {name: self.definitions[name] for name in sorted(names) if name in self.definitions},
            tuple(rule for rule in self.rules if rule.reads <= names),
            self.sizes,
            self.intermediates & reached,
        )


@dataclass
class Effort:
    """How many factors the searches of a derivation may still look at; what is remembered counts as if it were not.

    A long form takes as much as many short ones, and is seldom what a reader wants.
    """

    left: int = EFFORT

    @classmethod
    def of(cls, equations: int) -> Effort:
        """The effort for a forward pass of so many equations: so much for each, up to `MOST`.

        So equal blocks get equal forms, in all but the longest programs.
        """
        return cls(min(max(EFFORT, EACH * equations), MOST))


def cheaper_form(entry: Access, terms: Terms, moves: Moves, effort: Effort) -> tuple[Step, ...]:
    """The steps to the cheapest form of ``entry = terms`` within reach; none if nothing is cheaper."""
    if effort.left <= 0:
        return ()
    near = moves.within_reach(terms)
    steps, spent = found_form(
        entry,
        terms,
        definitions=tuple(near.definitions.values()),
        rules=near.rules,
        sizes=near.sizes,
        intermediates=near.intermediates,
    )
    effort.left -= spent
    return steps


@lru_cache(maxsize=SEARCH_CACHE)
def found_form(
    entry: Access,
    terms: Terms,
    *,
    definitions: tuple[Equation, ...],
    rules: tuple[SumRule, ...],
    sizes: Sizes,
    intermediates: frozenset[str],
) -> tuple[tuple[Step, ...], int]:
    """What `cheaper_form` finds with these moves, and how many factors it looks at."""
    moves = Moves({equation.name: equation for equation in definitions}, rules, sizes, intermediates)
    best: tuple[Score, tuple[Step, ...]] = (moves.score(entry, terms), ())
    try:
        seen = {sum_key(terms)}
    except LimitError:
        return (), length(terms)
    beam: list[tuple[Terms, tuple[Step, ...]]] = [(terms, ())]
    looked, spent = 0, length(terms)
    for _ in range(DEPTH):
        reached: list[tuple[Score, Terms, tuple[Step, ...]]] = []
        for form, steps in beam:
            for step in successors(entry, form, moves):
                looked, spent = looked + 1, spent + length(step.after)
                if looked > FORM_LIMIT:
                    return best[1], spent
                try:
                    key = sum_key(step.after)
                except LimitError:
                    continue
                if key not in seen:
                    seen.add(key)
                    reached.append((moves.score(entry, step.after), step.after, (*steps, step)))
        reached.sort(key=lambda found: found[0])
        if reached and reached[0][0] < best[0]:
            best = (reached[0][0], reached[0][2])
        beam = [(form, steps) for _, form, steps in reached[:BEAM]]
    return best[1], spent


def successors(entry: Access, terms: Terms, moves: Moves) -> Iterator[Step]:
    """Every form that one move gives."""
    for rule in moves.book.relevant(terms):
        after, used = apply_rules(terms, (rule,))
        if used and len(after) <= TERM_LIMIT:
            detail: Detail = Used((rule.name,)) if rule.name else Cited(rule.identity)
            yield Step(rule.rule, entry, terms, collect(after), detail)
    for name in tensors_of(terms):
        if name in moves.definitions:
            after = unfold_name(terms, moves.definitions[name])
            if after != terms and len(after) <= TERM_LIMIT:
                yield Step(Rule.UNFOLD, entry, terms, collect(after), Used((name,)))


def unfold_name(terms: Terms, equation: Equation) -> Terms:
    """Every factor that is an entry of the equation's tensor, to a positive integer power, unfolded once."""
    result: Terms = ()
    for term in terms:
        position = next(
            (
                number
                for number, (base, exponent) in enumerate(term.powers)
                if isinstance(base, Access)
                and base.tensor == equation.name
                and equation.holds_at(base)
                and exponent.is_Integer
                and exponent > 0
            ),
            None,
        )
        result += (term,) if position is None else unfold_term(term, position, equation)
    return result

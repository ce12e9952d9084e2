"""Gradients that nobody asked for are put into the equations that read them, where that saves work.

The cost is that of the whole live program: to put ``dp = -y / p`` into its reader looks worse for
the reader alone, but `dp` dies, and then ``p`` cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from indexcalc.algebra.build import expand
from indexcalc.algebra.terms import Terms, tensors_of
from indexcalc.calculus.steps import Rule, Section, Step, Subject, Used
from indexcalc.errors import LimitError
from indexcalc.program import Equation
from indexcalc.rewrite.cost import Sizes, live_cost
from indexcalc.rewrite.normal import stands_elsewhere, unfold_everywhere, unfold_factors

Simplify = Callable[[Subject, Terms], tuple[Step, ...]]


def inline_gradients(
    sections: Sequence[Section], outputs: Sequence[str], simplify: Simplify, sizes: Sizes
) -> tuple[Section, ...]:
    """Sections in which each unrequested gradient is inlined if the live program gets cheaper by it."""
    current = list(sections)
    cost = live_cost([s.equation for s in current], outputs, sizes)
    for name in [s.equation.name for s in sections if s.equation.name not in outputs]:
        changed = inline_everywhere(current, name, simplify)
        if changed is None:
            continue
        changed_cost = live_cost([s.equation for s in changed], outputs, sizes)
        if changed_cost < cost:
            current, cost = changed, changed_cost
    return tuple(current)


def inline_everywhere(sections: Sequence[Section], name: str, simplify: Simplify) -> list[Section] | None:
    """All readers of a gradient rewritten without it; None if one cannot be."""
    equation = next(s.equation for s in sections if s.equation.name == name)
    changed: list[Section] = []
    for section in sections:
        if name in tensors_of(section.equation.terms):
            rewritten = inline_one(section, equation, simplify)
            if rewritten is None:
                return None
            changed.append(rewritten)
        else:
            changed.append(section)
    return changed


def inline_one(section: Section, equation: Equation, simplify: Simplify) -> Section | None:
    """One reader with the definition put in and simplified."""
    subject, terms = section.equation.lhs, section.equation.terms
    try:
        if all(not term.summed for term in equation.terms):
            after = expand(tuple(unfold_everywhere(term, equation) for term in terms))
        elif any(stands_elsewhere(equation.name, term) for term in terms):
            return None
        else:
            after = unfold_factors(terms, equation)
    except LimitError:
        return None
    steps = [Step(Rule.UNFOLD, subject, terms, after, Used((equation.name,)))]
    steps.extend(simplify(subject, after))
    final = Equation(subject, steps[-1].after, section.equation.doc)
    return Section(final, section.target, section.paths, (*section.steps, *steps))

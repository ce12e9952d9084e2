"""docs/rules.md, from the tables: the rules of steps, the pointwise functions, the composites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from indexcalc.calculus import pointwise
from indexcalc.calculus.steps import Derivation, Rule, Step
from indexcalc.language import load_problem, read_problem, sugar
from indexcalc.library import shipped_paths
from indexcalc.notes.text import Spelling, terms_text
from indexcalc.rewrite.derive import derive

HEAD = """\
# Rules

This page is generated from the tables in the source (`pytest tests/test_docs.py --regenerate`), so it
cannot drift from them.

## Rules of steps

Every step of a derivation cites one rule, and keeps the value of the expression: the tests evaluate
both sides of every step of every shipped derivation. The example is the first step that cites the rule
in a shipped derivation, or in `residual`: `y[n,f] = x[n,f] + tanh(sum[h](W[f,h] * x[n,h]))`.

"""

RESIDUAL = """
index n : N
index f, h : F
input x[n,f], W[f,h]
y[n,f] = x[n,f] + tanh(sum[h](W[f,h] * x[n,h]))
"""
"""A layer with a residual connection: its input has two consumers, as none in the shipped derivations has."""

POINTWISE = """
## Pointwise functions

The only derivatives that are written down; all others follow from the rules above. `x`, `y` and `z` are the
arguments, and `f` is the value of the function, which the forward pass has computed already. A function of several
arguments has a derivative by each. `sqrt` and constant powers need no row: they are exponents.

"""

COMPOSITES = """
## Composites

Written out in sums and pointwise functions when a spec is read; none has a derivative of its own. Inside a larger
formula, each is an equation of its own, under a [name that says what it is](notation.md#formulas).

"""


def rules_page() -> str:
    """The whole page."""
    # Attention first, whose steps are short and known to most readers.
    paths = sorted(shipped_paths().items(), key=lambda entry: (entry[0] != "attention", entry[0]))
    derivations = [derive(load_problem(path)) for _, path in paths]
    derivations.append(derive(read_problem(RESIDUAL, slug="residual")))
    rules = [(f"`{rule.name}`", rule.value, example(rule, derivations)) for rule in Rule]
    functions = [
        (
            code(signature(row)),
            row.meaning.replace("|", "\\|"),
            code(derivative(row)),
            row.kink or "smooth" + (", x > 0" * row.positive),
        )
        for row in pointwise.ROWS
    ]
    composites = [(code(f"{row.name}[j](x)"), code(row.meaning), "yes" if row.keeps else "no") for row in sugar.ROWS]
    composites += [
        (
            code(f"{name}[j](x)"),
            f"the {word} entry along j, as `sum[j](w*x) / sum[j](w)` with w = 1 where it stands",
            "no",
        )
        for name, word in (("max", "largest"), ("min", "smallest"))
    ]
    return (
        HEAD
        + table(("Rule", "Identity", "Example"), rules)
        + POINTWISE
        + table(("Function", "Meaning", "Derivative", "At kinks"), functions)
        + COMPOSITES
        + table(("Composite", "Stands for", "Keeps the index j"), composites)
    )


def example(rule: Rule, derivations: Iterable[Derivation]) -> str:
    """The first step that cites a rule."""
    for derivation in derivations:
        step = first(rule, derivation)
        if step is not None:
            spelling = {name: f"dL/d{tensor}" for tensor, name in derivation.problem.gradient_names.items()}
            spelling |= {name: name for name in derivation.problem.given.values()}
            sides = [terms_text(terms, Spelling(spelling)) for terms in (step.before, step.after)]
            return f"{code(' = '.join(sides))} ({derivation.problem.slug})"
    return "—"


def first(rule: Rule, derivation: Derivation) -> Step | None:
    """The first step of a derivation that cites a rule."""
    return next((step for step in derivation.all_steps() if step.rule is rule), None)


def signature(row: pointwise.Pointwise) -> str:
    """``max(x, y)``."""
    return pointwise.call_text(row.name, "xyz"[: len(row.derivatives)])


def derivative(row: pointwise.Pointwise) -> str:
    """The derivative by each argument, in these and `f`."""
    names = {symbol: sp.Symbol(symbol.name.lower()) for symbol in (*pointwise.ARGUMENTS, pointwise.F)}
    found = (sp.sstr(one.xreplace(names), order="old").replace("**", "^") for one in row.derivatives)
    return "; ".join(found)


def code(text: str) -> str:
    """Text in code font, safe in a table."""
    return f"`{text}`".replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)

"""A textbook's backward pass, read by the language in the context of a derivation's forward pass."""

from __future__ import annotations

import sympy as sp

from indexcalc.algebra.build import expand, product
from indexcalc.algebra.terms import Add, Term, Terms, tensors_of
from indexcalc.cost.work import equation_flops
from indexcalc.language import lines
from indexcalc.language.files import source_of
from indexcalc.language.lower import lower
from indexcalc.language.reader import parse
from indexcalc.language.syntax import Entry
from indexcalc.problem import Problem
from indexcalc.program import Identity, Program
from indexcalc.rewrite.cost import live_equations, nominal_sizes
from indexcalc.rewrite.normal import Knowledge, normal_form

CONTEXT = (lines.IndexLine, lines.ParameterLine, lines.InputLine, lines.EquationLine, lines.UseLine)
"""What of a spec declares names; the rest asks for something."""


def textbook_program(problem: Problem, spec: str, forms: str) -> Program:
    """The backward program that the forms write down, in the place of the one that the engine derives.

    A form may read every forward tensor, every upstream gradient, and the forms above it. One that is
    called as a gradient that the problem asks for is that gradient; others are parts.
    """
    statements = tuple(line for line in parse(source_of(spec, "spec")) if declares(line))
    given = tuple(
        lines.InputLine(Entry(line.given.name, line.given.slots, line.given.layout))
        for line in parse(source_of(spec, "spec"))
        if isinstance(line, lines.UpstreamLine)
    )
    source = source_of(forms, "the textbook")
    whole = lower((*statements, *given, *parse(source)), source, problem.slug).program
    equations = whole.equations[len(problem.program.equations) :]
    assert whole.equations[: len(problem.program.equations)] == problem.program.equations
    outputs = tuple(problem.gradient_names[target] for target in problem.targets)
    equations = live_equations(equations, outputs)
    read = {name for equation in equations for name in tensors_of(equation.terms)}
    made = {equation.name for equation in equations}
    inputs = tuple(tensor for name, tensor in whole.tensors.items() if name in read - made)
    return Program(
        title=whole.title,
        inputs=inputs,
        equations=equations,
        outputs=outputs,
        indices=whole.indices,
        parameters=whole.parameters,
        assumptions=whole.assumptions,
        layouts=problem.program.layouts,
    )


def declares(line: lines.Statement) -> bool:
    """Whether a statement of a spec says what tensors there are."""
    return isinstance(line, CONTEXT) or (isinstance(line, lines.ClaimLine) and line.assumed)


def written_out(backward: Program, name: str) -> Terms:
    """A gradient in tensors of the forward pass and upstream gradients alone, multiplied out.

    No formula of the forward pass is put in, so a gradient that computes again what is there differs from
    one that reads it.
    """
    definitions = backward.definitions
    terms = definitions[name].terms
    steps = normal_form(Identity(terms, ()), terms, Knowledge(definitions), frozenset(definitions))
    return tuple(part for term in (steps[-1].after if steps else terms) for part in with_whole_powers_out(term))


def with_whole_powers_out(term: Term) -> Terms:
    """``(1 - p)^(g + 1)`` as ``(1 - p)^g - p (1 - p)^g``: what is multiplied out must not depend on the order."""
    for number, (base, exponent) in enumerate(term.powers):
        whole, rest = exponent.as_coeff_Add()
        if isinstance(base, Add) and rest != 0 and whole.is_Integer and whole > 0:
            others = (*term.powers[:number], (base, rest), *term.powers[number + 1 :])
            return tuple(
                product(term.coeff * part.coeff, (*others, *part.powers), term.summed)
                for part in expand((Term(sp.S.One, ((base, whole),)),))
            )
    return (term,)


def operations(problem: Problem, backward: Program) -> int:
    """The operations of a backward program at nominal sizes, those inside functions and parentheses too."""
    sizes = nominal_sizes(problem.program)
    equations = live_equations(backward.equations, backward.outputs)
    return sum(equation_flops(equation, sizes).at(sizes) for equation in equations)

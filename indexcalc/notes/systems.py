"""What a note says of tensors that systems determine, and of the adjoint variables that carry gradients past them."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.terms import Access, MatrixFunction, walk
from indexcalc.calculus.steps import Derivation, Section
from indexcalc.notes.blocks import Block, Display, Gradient, Loss, Paragraph, Span, Symbol
from indexcalc.notes.prose import listed, say, sentence_case
from indexcalc.program import Equation, Program, Unknown
from indexcalc.rewrite.joint import is_affine
from indexcalc.rewrite.stepping import needs_newton
from indexcalc.rewrite.systems import sides_of


def system_display(residual: Equation, *, boxed: bool = False) -> Display:
    """``left = right``, from the residual ``right - left``."""
    left, right = sides_of(residual.terms)
    return Display(left, (right,), boxed=boxed)


def determined_blocks(program: Program, unknowns: tuple[Unknown, ...]) -> Iterator[Block]:
    """The system of the forward pass that determines some tensors together, and what its residuals are."""
    residuals = [program.definitions[unknown.residual] for unknown in unknowns]
    first = unknowns[0]
    docs = [unknown.tensor.doc for unknown in unknowns if unknown.tensor.doc]
    doc = (*sentence_case((", ".join(docs),)), ": ") if docs else ()
    bases = (base for one in program.equations for base in walk(one.terms))
    made = next((base for base in bases if isinstance(base, MatrixFunction) and base.inverse == first.name), None)
    if made is not None:
        doc = say("system.factor" if made.word == "cholesky" else "system.inverse")
    names: dict[str, Span | list[Span]] = {
        "unknown": listed(unknown.tensor.entry for unknown in unknowns),
        "residual": listed(residual.lhs for residual in residuals),
        "rows": listed(residuals[0].slots),
    }
    each = ".each" if len(residuals[0].slots) else ""
    yield Paragraph((*doc, *say("system.joint" if len(unknowns) > 1 else f"system{each}", **names)))
    for residual in residuals:
        yield system_display(residual)
    kind = "linear" if is_affine(first, program) else "root" if needs_newton(first, program) else "steps"
    yield Paragraph(say(f"system.{kind}{'.joint' if len(unknowns) > 1 else ''}", **names))
    for residual in residuals:
        yield Display(residual.lhs, (residual.terms,), defines=True)


def adjoints_of(derivation: Derivation, unknown: Unknown) -> dict[str, Span | list[Span]]:
    """The residuals of the system of an unknown, their adjoint variables, and what these make zero."""
    problem = derivation.problem
    together = problem.program.together_with(unknown)
    residuals = [problem.program.definitions[one.residual] for one in together]
    adjoints = [Access(problem.gradient_names[residual.name], residual.slots) for residual in residuals]
    products: list[Span] = []
    for number, (adjoint, residual) in enumerate(zip(adjoints, residuals, strict=True)):
        products += [*([" and of "] if number else []), adjoint, " ", residual.lhs]
    return {
        "residuals": listed(residual.lhs for residual in residuals),
        "adjoints": listed(adjoints),
        "unknowns": listed(one.tensor.entry for one in together),
        "products": products,
        "totals": listed(Access(problem.stationary[one.name], one.tensor.slots) for one in together),
    }


def adjoint_intro(derivation: Derivation, unknown: Unknown) -> Iterator[Block]:
    """Why the gradient passes a system by its adjoint variable."""
    problem = derivation.problem
    residual = problem.program.definitions[unknown.residual]
    adjoint = Access(problem.gradient_names[residual.name], residual.slots)
    total = Access(problem.stationary[unknown.name], unknown.tensor.slots)
    names: dict[str, Span | list[Span]] = {
        "loss": Loss(),
        "unknown": Symbol(unknown.name),
        "gradient": Gradient(unknown.tensor.entry),
        "residual": residual.lhs,
        "adjoint": adjoint,
        "total": total,
    }
    joint = ".joint" if len(problem.program.together_with(unknown)) > 1 else ""
    names |= adjoints_of(derivation, unknown)
    yield Paragraph(say(f"adjoint{joint}", **names))
    yield Paragraph(say("adjoint.total", **names))


def adjoint_reminder(derivation: Derivation, consumer: str) -> Iterator[Block]:
    """What the gradient with respect to a residual is, where a path passes through one."""
    problem = derivation.problem
    unknown = next((one for one in problem.program.unknowns if one.residual == consumer), None)
    if unknown is not None:
        residual = problem.program.definitions[consumer]
        adjoint = Access(problem.gradient_names[consumer], residual.slots)
        names: dict[str, Span | list[Span]] = {"adjoint": adjoint, "residual": residual.lhs, "loss": Loss()}
        yield Paragraph(say("adjoint.reminder", unknown=Symbol(unknown.name), **names))


def adjoint_result(derivation: Derivation, section: Section, unknown: Unknown) -> Iterator[Block]:
    """The system that determines the adjoint variable."""
    problem = derivation.problem
    residual = problem.program.definitions[unknown.residual]
    adjoint = Access(problem.gradient_names[residual.name], residual.slots)
    total = Access(problem.stationary[unknown.name], unknown.tensor.slots)
    joint = ".joint" if len(problem.program.together_with(unknown)) > 1 else ""
    names = adjoints_of(derivation, unknown)
    yield Paragraph(say(f"adjoint.result{joint}", adjoint=adjoint, total=total, **names))
    found = [step.after for step in section.steps if step.subject == total]
    yield system_display(Equation(total, found[-1]), boxed=section.equation.lhs == total)


def tangent_intro(derivation: Derivation, unknown: Unknown) -> Iterator[Block]:
    """Why a system determines the derivative of its unknown along directions."""
    (_, residual), *_ = moved = tangents_of(derivation, unknown)
    names: dict[str, Span | list[Span]] = {
        "unknowns": listed(Symbol(of) for of, _ in moved),
        "residual": Symbol(residual),
        "own": Access(unknown.residual, derivation.backward.tensors[unknown.residual].slots),
        "tangents": listed(one.tensor.entry for one in derivation.backward.together_with(unknown)),
    }
    yield Paragraph(say("along.system.joint" if len(moved) > 1 else "along.system", **names))


def tangents_of(derivation: Derivation, unknown: Unknown) -> list[tuple[str, str]]:
    """What an unknown is the derivative of along directions, with its residual; those determined together after it."""
    of = {name: other for order in derivation.orders for name, other in order.tangents.items()}
    together = derivation.backward.together_with(unknown)
    return [(of[one.name], of[one.residual]) for one in (unknown, *(other for other in together if other != unknown))]


def tangent_result(equation: Equation) -> Iterator[Block]:
    """The system that determines a derivative along directions."""
    yield Paragraph(say("along.system.result", residual=equation.lhs))
    yield system_display(equation, boxed=True)


def unknown_of(derivation: Derivation, section: Section) -> Unknown | None:
    """The unknown whose adjoint variable a section is about."""
    problem = derivation.problem
    names = {total: name for name, total in problem.stationary.items()}
    names |= {problem.gradient_names[unknown.residual]: unknown.name for unknown in problem.program.unknowns}
    name = names.get(section.equation.name)
    return next((one for one in problem.program.unknowns if one.name == name), None)


def has_equations_between(program: Program) -> bool:
    """Whether some system reads what is computed from its own unknown."""
    return any(len(block) > len(program.determined_by(block)) for block in program.systems.values())

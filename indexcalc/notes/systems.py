"""What a note says of tensors that systems determine, and of the adjoint variables that carry gradients past them."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.terms import Access
from indexcalc.calculus.steps import Derivation, Section
from indexcalc.notes.blocks import Block, Display, Gradient, Loss, Paragraph, Span, Symbol
from indexcalc.notes.prose import listed, say, sentence_case
from indexcalc.program import Equation, Program, Unknown
from indexcalc.rewrite.systems import affine_system, sides_of


def system_display(residual: Equation, *, boxed: bool = False) -> Display:
    """``left = right``, from the residual ``right - left``."""
    left, right = sides_of(residual.terms)
    return Display(left, (right,), boxed=boxed)


def determined_blocks(program: Program, unknown: Unknown, block: tuple[Equation, ...]) -> Iterator[Block]:
    """The system of the forward pass that determines a tensor, and what its residual is."""
    residual = block[-1]
    doc = (*sentence_case((unknown.tensor.doc,)), ": ") if unknown.tensor.doc else ()
    if unknown.hoisted:
        doc = say("system.inverse")
    names: dict[str, Span | list[Span]] = {
        "unknown": unknown.tensor.entry,
        "residual": residual.lhs,
        "rows": listed(residual.slots),
    }
    linear = affine_system(unknown, block, program) is not None
    each = ".each" if len(residual.slots) else ""
    yield Paragraph((*doc, *say(f"system{each}", **names)))
    yield system_display(residual)
    yield Paragraph(say("system.linear" if linear else "system.root", **names))
    yield Display(residual.lhs, (residual.terms,), defines=True)


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
    yield Paragraph(say("adjoint", **names))
    yield Paragraph(say("adjoint.total", **names))


def adjoint_result(derivation: Derivation, section: Section, unknown: Unknown) -> Iterator[Block]:
    """The system that determines the adjoint variable."""
    problem = derivation.problem
    residual = problem.program.definitions[unknown.residual]
    adjoint = Access(problem.gradient_names[residual.name], residual.slots)
    total = Access(problem.stationary[unknown.name], unknown.tensor.slots)
    yield Paragraph(say("adjoint.result", adjoint=adjoint, total=total))
    found = [step.after for step in section.steps if step.subject == total]
    yield system_display(Equation(total, found[-1]), boxed=section.equation.lhs == total)


def unknown_of(derivation: Derivation, section: Section) -> Unknown | None:
    """The unknown whose adjoint variable a section is about."""
    problem = derivation.problem
    names = {total: name for name, total in problem.stationary.items()}
    names |= {problem.gradient_names[unknown.residual]: unknown.name for unknown in problem.program.unknowns}
    name = names.get(section.equation.name)
    return next((one for one in problem.program.unknowns if one.name == name), None)


def has_equations_between(program: Program) -> bool:
    """Whether some system reads what is computed from its own unknown."""
    return any(len(block) > 1 for block in program.systems.values())

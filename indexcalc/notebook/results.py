"""Results of a derivation by name, in LaTeX, and the note."""

from __future__ import annotations

from collections.abc import Mapping

from indexcalc.calculus.steps import Derivation
from indexcalc.errors import ProgramError
from indexcalc.notebook.texts import Latex, Markdown
from indexcalc.notes.blocks import Display
from indexcalc.notes.familiar import Detail
from indexcalc.notes.markdown import block_text, markdown_note
from indexcalc.notes.names import notation_of
from indexcalc.notes.render import display_latex
from indexcalc.notes.sections import section_blocks
from indexcalc.notes.setup import forward_display, given_gradient
from indexcalc.notes.systems import system_display


def note_of(derivation: Derivation, name: str = "", detail: str = Detail.FULL) -> Markdown:
    """The note in Markdown, as it is written to a file; with a name every step of one gradient or part.

    Raises:
        ProgramError: if nothing of this name was derived step by step, or there is no such detail.
    """
    if detail not in tuple(Detail):
        raise ProgramError(f"there is no detail {detail!r}; there are {', '.join(Detail)}")
    if not name:
        return Markdown(markdown_note(derivation, detail=Detail(detail)))
    own = derivation.problem.gradient_names.get(name, name)
    sections = {section.equation.name: section for stage in derivation.stages[:1] for section in stage.sections}
    if own not in sections:
        owners = derivation.problem.owners
        there = ", ".join(owners.get(one, one) for one in sections)
        raise ProgramError(f"the note has no section on {name}; it has some on {there}")
    blocks, notation = section_blocks(derivation, sections[own], {}), notation_of(derivation)
    return Markdown("\n\n".join(block_text(block, notation) for block in blocks) + "\n")


def latex_of(derivation: Derivation, name: str) -> Latex:
    """The LaTeX of one result: ``dL/dX = ...``.

    Args:
        derivation: what was derived.
        name: a tensor for its gradient; or a gradient, a named part, a Hessian by the name that the note gives it.

    Raises:
        ProgramError: if nothing of this name was derived.
    """
    known = displays_by_name(derivation)
    own = derivation.problem.gradient_names.get(name, name)
    display = known.get(own) or known.get(name)
    if display is None:
        raise ProgramError(f"no gradient or part {name} was derived; there are {', '.join(known_names(derivation))}")
    return Latex(display_latex(display, notation_of(derivation)))


def displays_by_name(derivation: Derivation) -> Mapping[str, Display]:
    """The equation of every result, by the name of the backward pass."""
    problem, backward = derivation.problem, derivation.backward
    found = {up.name: given_gradient(problem, up) for up in problem.upstream if up.of in problem.given}
    found |= {equation.name: forward_display(equation) for equation in derivation.recomputed}
    residuals = set(backward.residuals.values())
    for equation in derivation.derived:
        if equation.name not in residuals:
            found[equation.name] = Display(equation.lhs, (equation.terms,), spelled=True)
    for order in derivation.orders:
        found[order.result.name] = Display(order.equation.lhs, (order.equation.terms,))
    for unknown in backward.unknowns:
        found[unknown.name] = system_display(backward.definitions[unknown.residual])
    return found


def known_names(derivation: Derivation) -> list[str]:
    """What may be asked for: tensors whose gradient was derived or is given, then parts."""
    owners = derivation.problem.owners
    return list(dict.fromkeys(owners.get(name, name) for name in displays_by_name(derivation)))

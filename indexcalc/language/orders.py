"""The lines that ask for derivatives besides gradients: Jacobians, second derivatives, and their products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from indexcalc.algebra.terms import tensors_of
from indexcalc.language.lines import DerivativeLine, DeriveLine, LossLine, Statement, UpstreamLine
from indexcalc.language.scope import Scope
from indexcalc.language.source import Source, suggestion
from indexcalc.language.syntax import Entry, Gradient, Slot
from indexcalc.problem import Derivative, Direction, Kind, check_differentiable
from indexcalc.program import Program

KINDS: Mapping[str, Kind] = {
    "jacobian": Kind.JACOBIAN,
    "hessian": Kind.HESSIAN,
    "gauss_newton": Kind.GAUSS_NEWTON,
}
"""The kinds of derivatives by their words."""


def with_backward_products(statements: Iterable[Statement], source: Source) -> Iterator[Statement]:
    """The statements; a vector before a Jacobian is the upstream gradient of an ordinary backward pass."""
    for line in statements:
        if not isinstance(line, DerivativeLine) or not line.transposed:
            yield line
            continue
        (given,) = line.along
        if line.word != "jacobian":
            by = ", ".join(slot.name for slot in line.by)
            raise source.error(
                f"a second derivative is symmetric; write product {line.word} {line.of.name} by {by} with {given.name}",
                line.at,
            )
        gradient = Gradient(line.of.name, None, line.of.at)
        yield UpstreamLine(Entry(given.name, None, given.at), gradient, line.doc, line.at)
        yield DeriveLine(line.by, line.at)


def losses_of(lines: Iterable[DerivativeLine]) -> Iterator[LossLine]:
    """What second derivatives are of is the loss."""
    return (LossLine(line.of.name, line.of.at, implied=True) for line in lines if line.word != "jacobian")


def read_derivatives(
    lines: Sequence[DerivativeLine], program: Program, scope: Scope, called: Iterable[str]
) -> tuple[Derivative, ...]:
    """Each line as a derivative of what an equation computes, by known tensors, with directions under new names.

    Args:
        lines: as they were written.
        program: the forward pass.
        scope: what is declared.
        called: the names of upstream and other gradients.
    """
    taken, found = {*called, *program.tensors, *map(str, scope.parameters)}, list[Derivative]()
    for line in lines:
        for slot in (line.of, *line.by):
            known(slot, program, scope)
        if line.of.name in program.residuals:
            raise scope.source.error(
                f"a system determines {line.of.name}; give it an equation, y = {line.of.name}, and differentiate y",
                line.of.at,
            )
        if line.of.name not in program.definitions:
            raise scope.source.error(f"{line.of.name} is an input; differentiate what an equation computes", line.of.at)
        for number, slot in enumerate(line.by):
            if slot.name in [other.name for other in line.by[:number]]:
                raise scope.source.error(f"the derivative by {slot.name} is asked for twice", slot.at)
            if slot.name == line.of.name:
                raise scope.source.error(
                    f"the derivative of {slot.name} by itself is 1 on the diagonal; there is nothing to derive", slot.at
                )
        kind, along, through = KINDS[line.word], directions(line, scope, taken), middle_of(line, program, scope)
        found.append(Derivative(kind, line.of.name, names_of(line.by), along, through))
        check_held(found[-1], line, program, scope)
        with scope.source.located(line.at):
            check_differentiable(program, found[-1])
        if found[-1] in found[:-1]:
            raise scope.source.error("this derivative is asked for twice", line.at)
    return tuple(found)


def names_of(slots: Iterable[Slot]) -> tuple[str, ...]:
    """The names without their places."""
    return tuple(slot.name for slot in slots)


def known(slot: Slot, program: Program, scope: Scope) -> None:
    """Reject a name that no input or equation has."""
    if slot.name not in program.tensors:
        hint = suggestion(slot.name, list(program.tensors))
        raise scope.source.error(f"the tensor {slot.name} is not known{hint}", slot.at)


def check_held(derivative: Derivative, line: DerivativeLine, program: Program, scope: Scope) -> None:
    """Reject tensors of which one is computed from another: what is held while one moves would not be clear."""
    if derivative.kind is Kind.JACOBIAN and not derivative.along:
        return
    for slot in line.by:
        for other in line.by:
            if other.name != slot.name and program.ancestors[other.name] >> program.places[slot.name] & 1:
                raise scope.source.error(
                    f"{other.name} is computed from {slot.name}, so one can't be held while the other moves; "
                    f"ask for the derivatives by {slot.name} and by {other.name} in specs of their own",
                    other.at,
                )


def middle_of(line: DerivativeLine, program: Program, scope: Scope) -> str:
    """What the loss is a function of: as it is said, or the one tensor that its equation reads and that moves."""
    if line.word != "gauss_newton":
        if line.through is not None:
            raise scope.source.error(
                f"a {line.word} goes through all that there is; leave `through` out", line.through.at
            )
        return ""
    if line.along:
        of, by = line.of.name, ", ".join(names_of(line.by))
        raise scope.source.error(f"write gauss_newton {of} by {by}; the code multiplies by it with @", line.at)
    if line.through is not None:
        known(line.through, program, scope)
        return line.through.name
    read = tensors_of(program.definitions[line.of.name].terms) if line.of.name in program.definitions else ()
    moving = [
        name
        for name in read
        if any(name != by.name and program.ancestors[name] >> program.places[by.name] & 1 for by in line.by)
    ]
    if len(moving) != 1 or program.definitions[moving[0]].hoisted:
        several = ", ".join(moving) or "nothing that moves"
        raise scope.source.error(
            f"the equation of {line.of.name} reads {several}; say what the loss is a function of: "
            f"gauss_newton {line.of.name} by {line.by[0].name} through z",
            line.at,
        )
    return moving[0]


def directions(line: DerivativeLine, scope: Scope, taken: set[str]) -> tuple[Direction, ...]:
    """One new name for each tensor that is differentiated by."""
    if not line.along:
        return ()
    if len(line.along) != len(line.by):
        wanted, given = ", ".join(names_of(line.by)), ", ".join(names_of(line.along))
        raise scope.source.error(
            f"a product needs one direction for each tensor: by ({wanted}), but with ({given})", line.along[0].at
        )
    found = []
    for slot, of in zip(line.along, line.by, strict=True):
        if slot.name in taken:
            raise scope.source.error(
                f"{slot.name} has a meaning already; the direction is a new array of the shape of {of.name}, "
                "under a name of its own",
                slot.at,
            )
        taken.add(slot.name)
        found.append(Direction(slot.name, of.name, line.doc or f"direction in the space of {of.name}"))
    return tuple(found)

"""The asking lines of a spec: upstream gradients or the loss, targets, names of gradients, what is not kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.language.hoist import fresh_name
from indexcalc.language.lines import (
    DerivativeLine,
    DeriveLine,
    EquationLine,
    LossLine,
    NameLine,
    RecomputeLine,
    Statement,
    UpstreamLine,
)
from indexcalc.language.orders import losses_of, read_derivatives, with_backward_products
from indexcalc.language.scope import Scope
from indexcalc.language.source import Source, suggestion
from indexcalc.language.syntax import At, Entry, Gradient, nodes_in, written
from indexcalc.problem import Derivative, Upstream
from indexcalc.program import Program


@dataclass(frozen=True, slots=True)
class Requests:
    """What is asked: the fields of a `Problem` of the same names."""

    upstream: tuple[Upstream, ...]
    targets: tuple[str, ...]
    loss: str | None
    names: Mapping[str, str]
    recompute: tuple[str, ...]
    derivatives: tuple[Derivative, ...]


def read_requests(statements: Iterable[Statement], program: Program, scope: Scope, taken: set[str]) -> Requests:
    """What the asking lines say, or their defaults.

    Without ``upstream`` and ``loss``, every result that no equation reads has an upstream gradient
    ``G_<name>``; without ``derive`` and derivatives of other kinds, the targets are all inputs.
    """
    lines = tuple(with_backward_products(statements, scope.source))
    others = [line for line in lines if isinstance(line, DerivativeLine)]
    loss = read_loss([*(line for line in lines if isinstance(line, LossLine)), *losses_of(others)], program, scope)
    given = read_upstream([line for line in lines if isinstance(line, UpstreamLine)], program, scope, loss)
    targets = read_targets([line for line in lines if isinstance(line, DeriveLine)], program, scope)
    if not given and loss is None and (targets or not others):
        given = default_upstream(program, names_read(lines, program), taken)
    names = read_names([line for line in lines if isinstance(line, NameLine)], program, scope, given)
    check_targets(lines, given, loss, program, scope)
    results = [loss, *(up.of for up in given)]
    again = read_recomputed([line for line in lines if isinstance(line, RecomputeLine)], program, scope, results)
    called = (*(up.name for up in given), *names.values())
    derivatives = read_derivatives(others, program, scope, called)
    if not targets and not derivatives:
        targets = tuple(tensor.name for tensor in program.inputs if tensor.values is None)
    return Requests(given, targets, loss, names, again, derivatives)


def known_tensor(name: str, at: At | None, program: Program, scope: Scope) -> None:
    """Reject a name that no input or equation has."""
    if name not in program.tensors:
        authored = [t for t in program.tensors if t in program.definitions and not program.definitions[t].hoisted]
        hint = suggestion(name, [*authored, *(tensor.name for tensor in program.inputs)])
        raise scope.source.error(f"the tensor {name} is not known{hint}", at)


def read_loss(lines: list[LossLine], program: Program, scope: Scope) -> str | None:
    """``loss L``: one tensor without slots, computed by an equation."""
    if not lines:
        return None
    name, at = lines[0].name, lines[0].at
    for other in lines[1:]:
        if other.name != name or not other.implied:
            raise scope.source.error("a spec has one loss", other.at)
    known_tensor(name, at, program, scope)
    if name in program.residuals:
        raise scope.source.error(f"the loss {name} is determined by a system; give it an equation, L = {name}", at)
    if name not in program.definitions:
        raise scope.source.error(f"the loss {name} is an input; it must be computed by an equation", at)
    slots = program.tensors[name].slots
    if slots:
        general = scope.general(program.tensors[name])
        raise scope.source.error(f"a loss is one number, but {general} has slots; sum over them", at)
    return name


def read_upstream(lines: list[UpstreamLine], program: Program, scope: Scope, loss: str | None) -> tuple[Upstream, ...]:
    """``upstream G[i,p] = dL/dO[i,p]``: the slots of both are those of O."""
    found: dict[str, Upstream] = {}
    for line in lines:
        name, of = line.given.name, line.gradient.of
        if loss is not None:
            raise scope.source.error(f"with `loss {loss}` there is no upstream gradient; remove one line", line.at)
        known_tensor(of, line.gradient.at, program, scope)
        if of not in program.definitions and of not in program.residuals:
            raise scope.source.error(f"{of} is an input; an upstream gradient belongs to a result", line.gradient.at)
        if of in found:
            raise scope.source.error(f"dL/d{of} is given twice", line.at)
        check_new_name(name, line.at, program, scope, [up.name for up in found.values()])
        check_same_slots(line, scope)
        found[of] = Upstream(name, of, line.doc)
    return tuple(found.values())


def check_same_slots(line: UpstreamLine, scope: Scope) -> None:
    """Both sides have the slots of the tensor in the same order; both may leave them out."""
    given, gradient = line.given, line.gradient
    tensor = scope.tensors[gradient.of]
    if given.slots is None and gradient.slots is None:
        return
    scope.entry(tensor, gradient, f"dL/d{gradient.of}")
    names = [slot.name for slot in gradient.slots or ()]
    if [slot.name for slot in given.slots or ()] != names or given.layout != gradient.layout:
        right = written(given.name, names, gradient.layout)
        raise scope.source.error(f"both sides need the same slots in the same order: write {right}", given.at)


def names_read(lines: Iterable[Statement], program: Program) -> frozenset[str]:
    """The names on the right of the author's equations, whatever of them cancels or is read under another name.

    A system does not read its own unknowns, but determines them; a recurrence reads its own tensor at other steps.
    """
    found = set[str]()
    unknowns = {unknown.name: unknown for unknown in program.unknowns}
    for line in lines:
        if isinstance(line, EquationLine):
            together = program.together_with(unknowns[line.solves]) if line.solves else ()
            own = {line.left.name, *(unknown.name for unknown in together)}
            found.update(n.name for n in nodes_in(line.right) if isinstance(n, Entry) and n.name not in own)
    return frozenset(found)


def default_upstream(program: Program, read: frozenset[str], taken: set[str]) -> tuple[Upstream, ...]:
    """An upstream gradient for every result that no equation of the author reads."""
    computed = [eq.name for eq in program.equations if not eq.hoisted and eq.name not in program.residuals.values()]
    solved = [unknown.name for unknown in program.unknowns if not unknown.hoisted]
    results = [name for name in program.tensors if name in {*computed, *solved} and name not in read]
    found = []
    for result in results:
        name = fresh_name(f"G_{result}", taken)
        taken.add(name)
        found.append(Upstream(name, result))
    return tuple(found)


def check_results(lines: Iterable[Statement], asked: Requests, source: Source) -> None:
    """Reject equations of which every result is read by another one, for nothing says what the loss depends on."""
    last = next((line for line in reversed([*lines]) if isinstance(line, EquationLine) and not line.hoisted), None)
    if last is not None and not asked.upstream and asked.loss is None and not asked.derivatives:
        raise source.error(
            "every result is read by another equation; say on which the loss depends, with `loss L` or an upstream "
            f"gradient of {last.solves or last.left.name}",
            last.left.at,
        )


def read_targets(lines: list[DeriveLine], program: Program, scope: Scope) -> tuple[str, ...]:
    """``derive V, A``: known tensors, each once; several lines go on where the last one stopped."""
    found: dict[str, At | None] = {}
    for line in lines:
        for slot in line.names:
            known_tensor(slot.name, slot.at, program, scope)
            if slot.name in found:
                raise scope.source.error(f"the gradient of {slot.name} is asked for twice", slot.at)
            if program.tensors[slot.name].values is not None:
                raise scope.source.error(f"{slot.name} holds whole numbers, by which nothing has a gradient", slot.at)
            found[slot.name] = slot.at
    return tuple(found)


def read_recomputed(
    lines: list[RecomputeLine], program: Program, scope: Scope, results: Sequence[str | None]
) -> tuple[str, ...]:
    """``recompute S, A``: intermediates, each once; several lines go on where the last one stopped."""
    found: list[str] = []
    for slot in (slot for line in lines for slot in line.names):
        name = slot.name
        known_tensor(name, slot.at, program, scope)
        if name in program.residuals:
            raise scope.source.error(f"{name} is determined by a system, and is not solved for again", slot.at)
        if name not in program.definitions:
            raise scope.source.error(f"{name} is an input, there anyway; recompute what an equation computes", slot.at)
        if name in results:
            raise scope.source.error(f"{name} is a result, there anyway; recompute what comes before it", slot.at)
        if name in found:
            raise scope.source.error(f"{name} is to be recomputed already; once is enough", slot.at)
        found.append(name)
    return tuple(found)


def read_names(lines: list[NameLine], program: Program, scope: Scope, given: tuple[Upstream, ...]) -> Mapping[str, str]:
    """``name D = dL/dA``."""
    found: dict[str, str] = {}
    for line in lines:
        of = line.gradient.of
        known_tensor(of, line.gradient.at, program, scope)
        if of in found:
            raise scope.source.error(f"dL/d{of} has the name {found[of]} already", line.at)
        check_new_name(line.name, line.at, program, scope, [*found.values(), *(up.name for up in given)])
        check_gradient_slots(line.gradient, scope)
        found[of] = line.name
    return found


def check_gradient_slots(gradient: Gradient, scope: Scope) -> None:
    """Where slots are written, they are those of the tensor."""
    if gradient.slots is not None:
        scope.entry(scope.tensors[gradient.of], gradient, f"dL/d{gradient.of}")


def check_new_name(name: str, at: At | None, program: Program, scope: Scope, gradients: list[str]) -> None:
    """The name of a gradient is the name of nothing else."""
    if name in program.tensors:
        raise scope.source.error(f"{name} is a tensor of the program already; give the gradient another name", at)
    if name in scope.parameters:
        raise scope.source.error(f"{name} is a parameter already; give the gradient another name", at)
    if name in gradients:
        raise scope.source.error(f"{name} is the name of another gradient already", at)


def check_targets(
    lines: tuple[Statement, ...],
    given: tuple[Upstream, ...],
    loss: str | None,
    program: Program,
    scope: Scope,
) -> None:
    """What is wholly given can't be asked for, nor named a second time; what others read gets more than is given."""
    upstream = {up.of: up.name for up in given if not program.readers[up.of]}
    for slot in (slot for line in lines if isinstance(line, DeriveLine) for slot in line.names):
        if slot.name in upstream:
            name = upstream[slot.name]
            raise scope.source.error(
                f"dL/d{slot.name} is the upstream gradient {name}; there is nothing to derive", slot.at
            )
        if slot.name == loss:
            raise scope.source.error(f"{loss} is the loss itself; its gradient is 1", slot.at)
    for line in lines:
        if isinstance(line, NameLine) and line.gradient.of in upstream:
            of = line.gradient.of
            raise scope.source.error(f"dL/d{of} has the name {upstream[of]} already: it is given upstream", line.at)

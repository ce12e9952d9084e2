"""What is asked of a program: which gradients, from which upstream gradients, under which names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from indexcalc.errors import ProgramError
from indexcalc.program import Identity, Program


@dataclass(frozen=True, slots=True)
class Upstream:
    """A given gradient: the tensor `name` holds dL/d(`of`)."""

    name: str
    of: str
    doc: str = ""


@dataclass(frozen=True)
class Problem:
    """A forward program and what to derive from it.

    Attributes:
        program: the forward pass.
        upstream: the given gradients: what L gets from an output directly, besides what it gets through
            other tensors that read this output. The gradient of `loss` is 1 and has no name.
        targets: the tensors whose gradients are asked for, in the order asked for.
        loss: the scalar tensor that is the loss itself, if the program computes it.
        names: names the author gave to gradients, by tensor (``name D = dL/dA``).
        claims: the identities to prove; gradients occur in them under `gradient_name`.
        recompute: the intermediates that are not kept between the passes; the backward pass computes
            those that it reads again.
        slug: the short name of the derivation: the folder, module and file name.
    """

    program: Program
    upstream: tuple[Upstream, ...]
    targets: tuple[str, ...]
    loss: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[Identity, ...] = ()
    recompute: tuple[str, ...] = ()
    slug: str = "derivation"

    @cached_property
    def given(self) -> Mapping[str, str]:
        """The outputs whose whole gradient is given, with its name: nothing else reads them, nobody asks for them."""
        return {
            up.of: up.name for up in self.upstream if not self.program.consumers[up.of] and up.of not in self.targets
        }

    @cached_property
    def gradient_names(self) -> Mapping[str, str]:
        """The name of dL/dX for every tensor X of the program; names in use are avoided."""
        given = dict(self.given) | dict(self.names)
        taken = set(self.program.tensors) | set(given.values()) | {up.name for up in self.upstream}
        named: dict[str, str] = {}
        for tensor in self.program.tensors:
            name = given.get(tensor)
            if name is None:
                name = "d" + tensor
                while name in taken:
                    name = "d" + name
            taken.add(name)
            named[tensor] = name
        return named


def check_problem(problem: Problem) -> None:
    """Return if what is asked fits the program, and every gradient has a name of its own.

    Raises:
        ProgramError: for a tensor that is not there, one that is asked for or given twice, a loss with
            slots or with upstream gradients beside it, a name that is taken, an input or output that is to be
            recomputed, a target of whole numbers, or a target of a backward pass that reads values computed
            from it.
    """
    tensors = problem.program.tensors
    given = [up.of for up in problem.upstream]
    asked = {
        "upstream gradient": given,
        "target": problem.targets,
        "named gradient": problem.names,
        "recomputing": problem.recompute,
    }
    for kind, names in asked.items():
        listed = list(names)
        for name in listed:
            if name not in tensors:
                raise ProgramError(f"the {kind} of {name}: the program has no tensor {name}")
            if listed.count(name) > 1:
                raise ProgramError(f"the {kind} of {name} stands there twice; once is enough")
            if kind == "target" and tensors[name].values is not None:
                raise ProgramError(f"{name} holds whole numbers, by which nothing has a gradient")
    for name in problem.targets:
        check_reached(problem.program, name)
    if problem.loss is not None:
        check_loss(problem, problem.loss)
    for name in problem.recompute:
        check_recomputed(problem.program, name)
    taken = set(tensors)
    for name in (*(up.name for up in problem.upstream), *problem.names.values()):
        if name in taken:
            raise ProgramError(f"the name {name} of a gradient is taken already; give the gradient another name")
        taken.add(name)


def check_reached(program: Program, name: str) -> None:
    """Reject a target from which another program computes inputs of this one: their part would be missing."""
    missed = [other for other, sources in program.held.items() if name in sources]
    if missed:
        raise ProgramError(
            f"the gradient by {name} would miss what goes through {', '.join(missed)}: inputs of this program, but "
            f"the forward pass computes them from {name}. second_order(derivation) gives both passes as one program"
        )


def check_recomputed(program: Program, name: str) -> None:
    """Reject a tensor that is there anyway, so that there is nothing to gain."""
    if name not in program.definitions:
        raise ProgramError(f"{name} is an input; only what an equation computes can be recomputed")
    if name in program.outputs:
        raise ProgramError(f"{name} is an output of the program, there anyway; it cannot be recomputed")


def check_loss(problem: Problem, loss: str) -> None:
    """Reject a loss that is no computed scalar, or that upstream gradients stand beside."""
    if loss not in problem.program.definitions:
        raise ProgramError(f"the loss {loss} must be computed by an equation of the program")
    slots = problem.program.tensors[loss].slots
    if slots:
        written = ",".join(slot.name for slot in slots)
        raise ProgramError(f"a loss is one number, but {loss}[{written}] has slots; sum over them")
    if problem.upstream:
        raise ProgramError(f"with the loss {loss} there is no upstream gradient {problem.upstream[0].name}")

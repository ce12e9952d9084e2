"""What is asked of a program: which gradients, from which upstream gradients, under which names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from indexcalc.algebra.terms import MatrixFunction, walk
from indexcalc.errors import ProgramError
from indexcalc.presentation import presenter
from indexcalc.program import Identity, Program


@dataclass(frozen=True, slots=True)
class Upstream:
    """A given gradient: the tensor `name` holds dL/d(`of`)."""

    name: str
    of: str
    doc: str = ""


class Kind(Enum):
    """What kind of derivative is asked for; the value is the letter that its results are called by."""

    JACOBIAN = "J"
    HESSIAN = "H"
    GAUSS_NEWTON = "GN"


@dataclass(frozen=True, slots=True)
class Direction:
    """A given array of the shape of a tensor, that a derivative by this tensor is multiplied by."""

    name: str
    of: str
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Derivative:
    """A derivative that is asked for besides gradients.

    Attributes:
        kind: the first derivative of a tensor, the second of a loss, or the Gauss-Newton part of the second.
        of: the tensor that is differentiated; a loss for a second derivative.
        by: the tensors to differentiate by.
        along: one direction for each of these, where only the product with them is asked for.
        through: for the Gauss-Newton part, the tensor that the loss is a function of.
    """

    kind: Kind
    of: str
    by: tuple[str, ...]
    along: tuple[Direction, ...] = ()
    through: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One array of a derivative: its block by two tensors, or the product with directions.

    Attributes:
        name: what it is called, such as ``H``.
        kind: that of the derivative.
        of: what is differentiated: a tensor; of a second derivative, the tensor whose gradient it is.
        by: the tensors to differentiate by; one, unless it is a product.
        along: the directions of a product.
        through: for the Gauss-Newton part, the tensor that the loss is a function of.
    """

    name: str
    kind: Kind
    of: str
    by: tuple[str, ...]
    along: tuple[Direction, ...] = ()
    through: str = ""


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
        splits: for each axis of a mesh of devices, the indices that the author splits over it.
        derivatives: Jacobians, second derivatives and their products, besides the gradients.
        spec: the text that poses this problem, as long as it is known: a changed copy has none.
    """

    program: Program
    upstream: tuple[Upstream, ...]
    targets: tuple[str, ...]
    loss: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[Identity, ...] = ()
    recompute: tuple[str, ...] = ()
    slug: str = "derivation"
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    derivatives: tuple[Derivative, ...] = ()
    spec: str = field(default="", init=False, compare=False, repr=False)

    def __str__(self) -> str:
        """The spec; the equations of a changed copy, which has none."""
        return self.spec or presenter().problem_text(self)

    def __repr__(self) -> str:
        found = ", ".join((*(f"dL/d{target}" for target in self.targets), *(result.name for result in self.results)))
        return (
            f"<Problem {self.slug}: {', '.join(self.program.definitions)}; asked for are {found or 'no derivatives'}>"
        )

    def _repr_markdown_(self) -> str:
        return presenter().markdown(self)

    def _repr_html_(self) -> str:
        return presenter().html(self)

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """The directions of all products."""
        return tuple(direction for derivative in self.derivatives for direction in derivative.along)

    @property
    def handed(self) -> tuple[Upstream | Direction, ...]:
        """What the backward pass is given besides values of the forward pass."""
        return (*self.upstream, *self.directions)

    @cached_property
    def second(self) -> tuple[str, ...]:
        """The tensors that the loss is differentiated by twice."""
        every = (
            name
            for d in self.derivatives
            if d.kind is not Kind.JACOBIAN
            for name in ((d.through,) if d.kind is Kind.GAUSS_NEWTON else d.by)
        )
        return tuple(dict.fromkeys(every))

    @cached_property
    def alone(self) -> tuple[Problem, ...]:
        """The gradients that second derivatives start from, in programs in which these tensors are inputs.

        How such a tensor was computed, and what is assumed of it, must not enter the gradient by it: that is
        differentiated again. What is computed from it is no input there, so there may be several such programs.
        """
        program, places = self.program, self.program.places
        groups: dict[tuple[str, ...], list[str]] = {}
        for name in self.second:
            others = (one for one in self.second if one == name or not program.ancestors[one] >> places[name] & 1)
            groups.setdefault(tuple(one for one in others if one in program.definitions), []).append(name)
        return tuple(self.with_inputs(cut, tuple(names)) for cut, names in groups.items())

    def with_inputs(self, cut: Collection[str], targets: tuple[str, ...]) -> Problem:
        """The gradients by some tensors in the program in which others are inputs."""
        program = self.program.without_assumptions_on(self.second)
        if cut:
            inputs = (*program.inputs, *(program.tensors[name] for name in cut))
            kept = tuple(equation for equation in program.equations if equation.name not in cut)
            program = replace(program, inputs=inputs, equations=kept)
        return replace(self, program=program, derivatives=(), targets=targets, recompute=())

    @cached_property
    def first(self) -> Problem:
        """The problem of the gradients alone: those asked for, and those that second derivatives start from."""
        if len(self.alone) == 1 and all(name in self.second for name in self.targets):
            targets = tuple(dict.fromkeys((*self.targets, *self.second)))
            return replace(self.alone[0], targets=targets)
        program, targets = self.program.without_assumptions_on(self.second), (*self.targets, *self.second)
        return replace(self, program=program, derivatives=(), targets=tuple(dict.fromkeys(targets)), recompute=())

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """The arrays of all derivatives, under names that nothing else has."""
        taken = {*self.program.names, *self.gradient_names.values(), *(given.name for given in self.handed)}
        found = []
        for derivative in self.derivatives:
            for short, of, by in blocks_of(derivative):
                # All second derivatives are of the loss: only what it is differentiated by tells them apart.
                single = derivative.kind is not Kind.JACOBIAN and short == derivative.kind.value
                told = by[0] if single else derivative.of
                name = short if short not in taken else f"{short}_{told}"
                while name in taken:
                    name += "_"
                taken.add(name)
                found.append(Result(name, derivative.kind, of, by, derivative.along, derivative.through))
        return tuple(found)

    @cached_property
    def given(self) -> Mapping[str, str]:
        """The outputs whose whole gradient is given, with its name: nothing else reads them, nobody asks for them."""
        return {up.of: up.name for up in self.upstream if not self.program.readers[up.of] and up.of not in self.targets}

    @cached_property
    def gradient_names(self) -> Mapping[str, str]:
        """The name of dL/dX for every tensor X of the program; names in use are avoided.

        The gradient by the residual of a system is the adjoint variable of its unknown: ``lam``.
        """
        unknowns = self.program.unknowns
        adjoint = {one.residual: "lam" if len(unknowns) == 1 else f"lam_{one.name}" for one in unknowns}
        given = dict(self.given) | dict(self.names)
        taken = set(self.program.tensors) | set(given.values()) | {up.name for up in self.upstream}
        named: dict[str, str] = {}
        for tensor in self.program.tensors:
            name = given.get(tensor)
            if name is None and tensor in adjoint:
                name = adjoint[tensor]
                if name in taken | self.program.names:
                    name = f"lam_{tensor.removeprefix('r_')}"
                while name in taken | self.program.names:
                    name += "_"
            elif name is None:
                name = "d" + tensor
                while name in taken:
                    name = "d" + name
            taken.add(name)
            named[tensor] = name
        return named

    @cached_property
    def owners(self) -> Mapping[str, str]:
        """For every gradient the tensor by which it is one; an adjoint variable has a name of its own, and no owner."""
        residuals = frozenset(self.program.residuals.values())
        return {name: tensor for tensor, name in self.gradient_names.items() if tensor not in residuals}

    @cached_property
    def stationary(self) -> Mapping[str, str]:
        """For every unknown, the name of the sum that its adjoint variable makes zero.

        It is the derivative, by the unknown, of the loss and of what the adjoint variable adds up of the residual.
        """
        taken = {*self.program.names, *self.gradient_names.values(), *(given.name for given in self.handed)}
        named: dict[str, str] = {}
        for unknown in self.program.unknowns:
            name = f"s_{unknown.name}"
            while name in taken:
                name += "_"
            taken.add(name)
            named[unknown.name] = name
        return named

    @cached_property
    def adjoint_systems(self) -> Mapping[str, str]:
        """For every adjoint variable, the sum that it makes zero."""
        adjoints, sums = self.gradient_names, self.stationary
        return {adjoints[unknown.residual]: sums[unknown.name] for unknown in self.program.unknowns}


def blocks_of(derivative: Derivative) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The arrays of a derivative: a name, what is differentiated, and by what.

    A second derivative is symmetric, so that of two blocks which are each other's transpose one is enough.
    """
    letter, by, alone = derivative.kind.value, derivative.by, len(derivative.by) == 1
    if derivative.kind is Kind.JACOBIAN:
        if derivative.along:
            yield letter + "".join(direction.name for direction in derivative.along), derivative.of, by
        else:
            yield from ((letter if alone else f"{letter}_{name}", derivative.of, (name,)) for name in by)
    elif derivative.along:
        yield from ((letter + one.name, one.of, by) for one in derivative.along)
    else:
        for number, row in enumerate(by):
            yield from ((letter if alone else f"{letter}_{row}_{other}", row, (other,)) for other in by[number:])


def check_problem(problem: Problem) -> None:
    """Return if what is asked fits the program, and every gradient has a name of its own.

    Raises:
        ProgramError: for a tensor that is not there, one that is asked for or given twice, a loss with
            slots or with upstream gradients beside it, a name that is taken, an input or output that
            is to be recomputed, a target of whole numbers, or a target of a backward pass that reads values
            computed from it.
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
    for derivative in problem.derivatives:
        check_derivative(problem, derivative)
    taken = set(tensors)
    for name in (*(given.name for given in problem.handed), *problem.names.values()):
        if name in taken:
            raise ProgramError(f"the name {name} of a gradient is taken already; give the gradient another name")
        taken.add(name)


def check_differentiable(program: Program, derivative: Derivative) -> None:
    """Reject what has no derivative in this version: by what steps or a system compute, and whole ones through these.

    Products with directions go through both; a whole derivative would be a recurrence, or a system, for each entry.
    """
    inside = {equation.name for block in program.systems.values() for equation in block}
    for name in derivative.by:
        if name in program.recurrence_by_name or name in inside:
            how = "step by step" if name in program.recurrence_by_name else "within a system"
            raise ProgramError(
                f"{name} is computed {how}, so its entries do not vary by themselves; add an input to its equation, "
                "of which all entries are zero, and ask for the derivative by that"
            )
        if name in program.residuals:
            raise ProgramError(
                f"a system determines {name}, so its entries do not vary by themselves; give it an equation, "
                f"y = {name}, let what follows read y, and ask for the derivative by y"
            )
    passed = (crossing(program, name, derivative) for name in derivative.by if not derivative.along)
    if crossed := next(filter(None, passed), ""):
        word = "jacobian" if derivative.kind is Kind.JACOBIAN else "hessian"
        several = len(derivative.by) > 1
        by = f"({', '.join(derivative.by)})" if several else derivative.by[0]
        along = f"({', '.join(f'v_{name}' for name in derivative.by)})" if several else "v"
        raise ProgramError(
            f"the derivative of {derivative.of} by {', '.join(derivative.by)} goes through {crossed}, and through that "
            f"go products alone; ask for one: product {word} {derivative.of} by {by} with {along}"
        )


def crossing(program: Program, by: str, derivative: Derivative) -> str:
    """What goes between two tensors that steps compute or a system determines, in words; nothing if nothing does."""
    places, ancestors = program.places, program.ancestors
    passed = [
        name
        for name in program.tensors
        if ancestors[name] >> places[by] & 1 and ancestors[derivative.of] >> places[name] & 1
    ]
    hoisted = {equation.name for equation in program.equations if equation.hoisted}
    for name in sorted(passed, key=lambda one: one in hoisted):
        if name in program.recurrence_by_name:
            return f"{name}, which is computed step by step"
    for unknown in program.unknowns:
        if unknown.name in passed:
            return "the inverse of a matrix" if unknown.hoisted else f"{unknown.name}, which a system determines"
    every = (base for name in passed if name in program.definitions for base in walk(program.definitions[name].terms))
    for base in every:
        # Its first derivative is a formula, with the inverse; that of the inverse is a system.
        if derivative.kind is not Kind.JACOBIAN and isinstance(base, MatrixFunction) and base.tensor in passed:
            return f"the inverse of {base.tensor}, for {base.word} of it"
    return ""


def check_derivative(problem: Problem, derivative: Derivative) -> None:
    """Reject a derivative of or by what is not there, by a tensor twice, or a second derivative of no loss."""
    program = problem.program
    for name in (derivative.of, *derivative.by):
        if name not in program.tensors:
            raise ProgramError(f"the derivative of {derivative.of}: the program has no tensor {name}")
    if derivative.of not in program.definitions:
        raise ProgramError(f"{derivative.of} is an input; only what an equation computes has derivatives")
    if len(set(derivative.by)) < len(derivative.by):
        raise ProgramError(f"the derivative of {derivative.of} is asked for by one tensor twice; once is enough")
    if derivative.along and [direction.of for direction in derivative.along] != list(derivative.by):
        raise ProgramError(f"the product with the derivative of {derivative.of} needs one direction for each tensor")
    for name in derivative.by:
        check_reached(program, name)
    check_differentiable(program, derivative)
    if derivative.kind is not Kind.JACOBIAN:
        if derivative.of != problem.loss:
            raise ProgramError(f"a second derivative is one of the loss, and {derivative.of} is not the loss")
        for name in derivative.by:
            check_independent(program, name, derivative.by)
        if derivative.kind is Kind.GAUSS_NEWTON:
            check_through(problem, derivative)
    elif derivative.along:
        for name in derivative.by:
            check_independent(program, name, derivative.by)


def check_through(problem: Problem, derivative: Derivative) -> None:
    """Reject a Gauss-Newton part through a tensor that the loss is not a function of alone."""
    through = derivative.through
    if derivative.along:
        raise ProgramError("a product with the Gauss-Newton part is taken by `@` from its parts; ask for these")
    if through not in problem.program.definitions:
        raise ProgramError(f"the loss is to be a function of {through}, but no equation computes that")
    rest = problem.with_inputs((through,), ()).program
    for name in derivative.by:
        if name in rest.tensors and rest.ancestors[derivative.of] >> rest.places[name] & 1:
            raise ProgramError(f"{derivative.of} depends on {name} by other ways than through {through}")


def check_independent(program: Program, name: str, others: Collection[str]) -> None:
    """Reject a tensor from which another that is differentiated by is computed: what is held would not be clear."""
    for other in others:
        if other != name and program.ancestors[other] >> program.places[name] & 1:
            raise ProgramError(
                f"{other} is computed from {name}, so one can't be held while the other moves; "
                f"ask for derivatives by {name} and by {other} in specs of their own"
            )


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
    if name in program.residuals:
        raise ProgramError(f"{name} is what a system determines, and is not solved for again; it cannot be recomputed")
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

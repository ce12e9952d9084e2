"""The trace of a derivation: a step rewrites one expression into another of equal value, and says why.

The steps are what a derivation returns; a note is a rendering of them, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import groupby
from typing import Any

from indexcalc.algebra.terms import Access, Base, Delta, Index, Partial, Slot, Terms, tensors_of
from indexcalc.presentation import presenter
from indexcalc.problem import Problem, Result
from indexcalc.program import Equation, Identity, Program, Unknown


class Rule(Enum):
    """Every rule a step may cite; the value is the identity in words."""

    CHAIN = "chain rule: the loss depends on the target only through its consumers"
    FORWARD = "the equation of the tensor, with dummies of its own"
    PRODUCT = "product rule: the derivative goes inside the sum, what does not depend on the target is constant"
    QUOTIENT = "quotient rule: numerator and denominator both depend on the target"
    CONSTANT = "what does not depend on the target has derivative zero"
    POINTWISE = "chain rule through a pointwise function or a power"
    JACOBI = "Jacobi's formula: the derivative of log det A is the sum of the entries of its inverse times those of dA"
    DETERMINANT = "Jacobi's formula of a determinant itself: the derivative of det A is det A times that of log det A"
    CHOLESKY = (
        "the derivative of the Cholesky factor L of A is L times half of the lower triangle of M = L^-1 dA L^-T and "
        "half of what its transpose has below the diagonal"
    )
    ENTRY = "entries of one tensor are independent: one delta per index slot"
    INSERT = "a derivative found above is put in"
    COLLAPSE = "sum_i delta_ij f_i = f_j"
    REUSE = "an expression of the forward pass is replaced by the tensor that holds it"
    COLLECT = "like terms are combined"
    CASES = "delta_t0 f_0 + [1 <= t] f_t = f_t: cases that cover all values of an index are joined"
    TURN = "a - b = -(b - a)"
    EXPAND = "products of sums are multiplied out"
    FACTOR = "common factors are taken out"
    RELABEL = "a summed index may have any name that is free"
    ALONG = "a derivative along a direction adds up what each tensor that is read contributes"
    GAUSS_NEWTON = "the second derivative of the loss between the derivatives of what it is a function of"
    SUBSTITUTE = "the local derivative is put into the chain rule"
    PATHS = "the contributions of all paths are added"
    NAME = "a part gets a name"
    UNFOLD = "a name is replaced by its definition"
    FOLD = "a definition's right-hand side is replaced by its name"
    LEMMA = "a known identity is applied"
    SAME_SYSTEM = "systems with one matrix and proportional right sides have proportional solutions"
    SYMMETRIC_INVERSE = "the inverse of a symmetric matrix is symmetric"
    DIAGONAL = "what is zero off a diagonal may have the delta of that diagonal beside it"
    SUPPORT = "a bracket goes beside a tensor that is zero where the bracket is"


@dataclass(frozen=True, slots=True)
class Collapse:
    """The delta kills the sum over `killed`: only ``killed = survivor`` is left.

    Where the survivor is an expression that may leave the range of `killed`, brackets say where it is inside.
    """

    delta: Delta
    killed: Index
    survivor: Slot


@dataclass(frozen=True, slots=True)
class Constant:
    """The tensors that do not depend on the target of the derivative."""

    tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """``d entry / d wrt`` is the product of `deltas`, one for each slot (none for a scalar)."""

    entry: Access
    wrt: Access
    deltas: tuple[Delta, ...]


@dataclass(frozen=True, slots=True)
class Renamed:
    """Summed indices renamed: ``(old, new)``, each once; a name may stand in several, where each sum has its own."""

    pairs: tuple[tuple[Index, Index], ...]

    @property
    def is_one(self) -> bool:
        """Whether one renaming says it for all sums: no name becomes two, and no two become one."""
        names = [(old.name, new.name) for old, new in self.pairs]
        return all(len(set(side)) == len(set(names)) for side in zip(*names, strict=True))


@dataclass(frozen=True, slots=True)
class Used:
    """The tensors whose definitions or names were used, such as an unfolded or reused tensor."""

    tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Differentiated:
    """The non-linear factors that were differentiated, as they stand in the expression before."""

    bases: tuple[Base, ...]


@dataclass(frozen=True, slots=True)
class Cited:
    """The identity that was applied."""

    identity: Identity


Detail = Collapse | Constant | Entry | Renamed | Used | Differentiated | Cited | None


@dataclass(frozen=True, slots=True)
class ThroughConsumer:
    """The contribution to dL/d(`wrt`) of the paths that leave through the equation of `consumer`."""

    gradient: Access
    wrt: Access
    consumer: str


Subject = Access | Partial | ThroughConsumer | Identity


@dataclass(frozen=True, slots=True)
class Step:
    """``subject = before = after``: one rule, applied once, keeping the value."""

    rule: Rule
    subject: Subject
    before: Terms
    after: Terms
    detail: Detail = None


@dataclass(frozen=True, slots=True)
class LocalDerivative:
    """One tensor's entry by another's, with the steps that found it; `result` equals the last `after`."""

    partial: Partial
    steps: tuple[Step, ...]
    result: Terms


@dataclass(frozen=True, slots=True)
class Path:
    """What one consumer contributes: statistics' derivatives first, the consumer's own last.

    `steps` start with the chain rule through this consumer and end in its contribution `result`.
    """

    consumer: Access
    locals: tuple[LocalDerivative, ...]
    steps: tuple[Step, ...]
    result: Terms

    def __repr__(self) -> str:
        number = len(self.steps) + sum(len(local.steps) for local in self.locals)
        return f"<Path through {self.consumer.tensor}: {number} steps>"


@dataclass(frozen=True, slots=True)
class Section:
    """The derivation of one backward tensor: a gradient, or a part that got a name.

    Attributes:
        equation: the final equation of the backward program.
        target: the forward tensor whose gradient it is; None for a named part such as ``r[i]``.
        paths: one for each consumer; empty for a named part.
        steps: from the sum of the paths (or the part's definition) to the final form.
    """

    equation: Equation
    target: str | None
    paths: tuple[Path, ...]
    steps: tuple[Step, ...]

    def __repr__(self) -> str:
        number = sum(1 for _ in self.all_steps())
        return f"<Section {presenter().equation_text(self.equation)}: {number} step{'' if number == 1 else 's'}>"

    def all_steps(self) -> Iterator[Step]:
        """Every step of the section, in reading order; a derivative that several paths share comes once."""
        seen: set[int] = set()
        for path in self.paths:
            for local in path.locals:
                if id(local) not in seen:
                    yield from local.steps
            seen.update(map(id, path.locals))
            yield from path.steps
        yield from self.steps


@dataclass(frozen=True, slots=True)
class Proof:
    """An identity with the steps that turn its left side into its right side."""

    identity: Identity
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Order:
    """A derivative besides the gradients, with how it was found.

    Attributes:
        result: what it is.
        program: what was differentiated: the forward pass and the gradients as one program.
        sections: those of its arrays, and at the end its own.
        equation: its entries. Where it is not `whole`, this is a sum of products of deltas and entries of arrays.
        whole: whether its entries are computed as they are; else only the arrays that they are made of are.
        rows: how many slots are those of what is differentiated.
        statistics: the tensors that were differentiated through.
        symmetries: the identities between its entries, with their proofs.
        spelled: its entries before its arrays got names.
        unknowns: the derivatives along directions that systems determine, each with its residual among the sections.
    """

    result: Result
    program: Program
    sections: tuple[Section, ...]
    equation: Equation
    whole: bool
    rows: int
    statistics: frozenset[str]
    symmetries: tuple[Proof, ...] = ()
    spelled: Terms = ()
    unknowns: tuple[Unknown, ...] = ()

    @property
    def differentiated(self) -> tuple[tuple[str, str], ...]:
        """The tensors that are differentiated through all between, each with the one that it is differentiated by."""
        if self.result.along:
            return ()
        ends = (path.locals[-1].partial for path in self.sections[-1].paths)
        return tuple((end.base.tensor, end.wrt.tensor) for end in ends if isinstance(end.base, Access))

    @cached_property
    def tangents(self) -> Mapping[str, str]:
        """The derivatives along directions on the way, each with the tensor that it is the derivative of."""
        if not self.result.along:
            return {}
        found = {}
        for section in self.sections[:-1]:
            for path in section.paths[:1]:
                base = path.locals[-1].partial.base
                assert isinstance(base, Access)
                found[section.equation.name] = base.tensor
        determined = {residual: name for name, residual in self.program.residuals.items()}
        return found | {unknown.name: determined[found[unknown.residual]] for unknown in self.unknowns}

    @property
    def arrays(self) -> tuple[str, ...]:
        """The tensors that hold it: itself, or those that its entries are made of."""
        return (self.equation.name,) if self.whole else tensors_of(self.equation.terms)


@dataclass(frozen=True, eq=False)
class Derivation:
    """A problem, the sections that solve it in order, and the backward pass as a program.

    It is equal to itself alone: readings of it, which are long, are remembered by it.

    Attributes:
        problem: what was asked.
        sections: every equation of the backward program that is not recomputed, in order, with its derivation.
        backward: the backward pass; its inputs are forward tensors and upstream gradients, its
            outputs the gradients in the order asked for. What it computes again comes first.
        gradients: for each backward tensor that is a gradient, the forward tensor it belongs to.
        statistics: the forward tensors that were differentiated through.
        lemmas: the identities found in the forward program, with their proofs.
        proofs: the identities that were asked for, with their proofs, and those found in the gradients.
        unproved: the claims for which no proof was found.
        orders: the other derivatives that were asked for; their sections come after those of the gradients.
    """

    problem: Problem
    sections: tuple[Section, ...]
    backward: Program
    gradients: Mapping[str, str]
    statistics: frozenset[str] = frozenset()
    lemmas: tuple[Proof, ...] = ()
    proofs: tuple[Proof, ...] = ()
    unproved: tuple[Identity, ...] = ()
    orders: tuple[Order, ...] = ()

    def __repr__(self) -> str:
        found = (*(f"dL/d{target}" for target in self.problem.targets), *(order.result.name for order in self.orders))
        return f"<Derivation {self.problem.slug}: {', '.join(found)}>"

    def _repr_markdown_(self) -> str:
        return presenter().markdown(self)

    def _repr_html_(self) -> str:
        return presenter().html(self)

    def markdown(self, name: str = "", *, detail: str = "full") -> str:
        """The note in Markdown, as GitHub reads it; a notebook shows it set.

        With the name of a tensor, or of a gradient or a part, it is the steps to that alone. In `brief` detail what is
        alike is said once, and each result.
        """
        return presenter().note(self, name, detail)

    def latex(self, name: str) -> str:
        """``dL/dX = ...`` in LaTeX, without dollar signs; a notebook shows it set.

        The name is that of a tensor, for its gradient; or the note's for a gradient, a named part, a Hessian.
        """
        return presenter().latex(self, name)

    def function(self, target: str = "numpy") -> Callable[..., Any]:
        """The generated code as a function.

        Args:
            target: `numpy`, `fast` or `checkpoints`: inputs and upstream gradients to a pair, outputs and gradients.
                `torch` or `jax`: inputs to outputs; the library differentiates the function by the derived gradients.

        Raises:
            UnsupportedError: if there is no such code, or its library is not installed.
        """
        return presenter().function(self, target)

    @property
    def stages(self) -> tuple[Derivation, ...]:
        """The gradients as a derivation by itself, and each other derivative as one of the program it is found in."""
        if not self.orders:
            return (self,)
        others = {id(section) for order in self.orders for section in order.sections}
        own = tuple(section for section in self.sections if id(section) not in others)
        stages = [replace(self, sections=own, orders=())]
        for _, group in groupby(self.orders, lambda order: order.result.along or order.result.name):
            # Products with the same directions share the derivatives on the way.
            orders = tuple(group)
            sections = tuple(section for order in orders for section in order.sections)
            proofs = tuple(proof for order in orders for proof in order.symmetries)
            problem = Problem(orders[0].program, (), ())
            stages.append(Derivation(problem, sections, self.backward, {}, orders[0].statistics, proofs=proofs))
        return tuple(stages)

    @property
    def put_together(self) -> Program:
        """The backward pass with the equations of the derivatives that it holds the parts of."""
        made = tuple(order.equation for order in self.orders if not order.whole)
        if not made:
            return self.backward
        outputs = (*self.backward.outputs, *(equation.name for equation in made))
        return replace(self.backward, equations=(*self.backward.equations, *made), outputs=outputs)

    @property
    def recomputed(self) -> tuple[Equation, ...]:
        """The forward equations that the backward pass runs again; they come first, and have no section."""
        return tuple(eq for eq in self.backward.equations if eq.name in self.problem.program.definitions)

    @property
    def derived(self) -> tuple[Equation, ...]:
        """The equations of the backward pass that sections derive: gradients and named parts."""
        return tuple(eq for eq in self.backward.equations if eq.name not in self.problem.program.definitions)

    def all_steps(self) -> Iterator[Step]:
        """Every step of every section and proof, in reading order."""
        for proof in self.lemmas:
            yield from proof.steps
        for section in self.sections:
            yield from section.all_steps()
        for proof in (*self.proofs, *(proof for order in self.orders for proof in order.symmetries)):
            yield from proof.steps

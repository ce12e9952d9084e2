"""Systems in code: the matrix and the right side as tensors of their own, and a statement that solves.

The rest of code generation sees programs without systems, in which the unknown is given and two more equations stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.slots import Index
from indexcalc.algebra.terms import Access, Delta, Term, accesses_of
from indexcalc.codegen.formula import Layouts, equation_text, terms_text
from indexcalc.codegen.joint import joint_equations, joint_node, joint_statements, part_node
from indexcalc.codegen.names import unused
from indexcalc.codegen.operands import Axes, Operand, Scope, of_matrices, transposed
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Call, Method, Node, Trailer, flat
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.errors import Place, UnsupportedError
from indexcalc.program import Equation, Program, Unknown
from indexcalc.recurrence import groups_of, is_recurrent
from indexcalc.rewrite.joint import joint_system
from indexcalc.rewrite.stepping import solved_systems
from indexcalc.rewrite.systems import Affine, divided, sides_of

ONE = sp.S.One


@dataclass(frozen=True)
class Lowered:
    """A program without systems.

    Attributes:
        program: unknowns are given in it; the equations of their matrices and right sides stand before what reads them.
        solves: the statement that computes each unknown of a linear system, in order.
        roots: the other unknowns.
    """

    program: Program
    solves: tuple[Statement, ...] = ()
    roots: tuple[Unknown, ...] = ()


@dataclass
class Lowering:
    """One program on its way.

    Attributes:
        program: it as it is.
        taken: the names in use; new ones join.
    """

    program: Program
    taken: set[str]
    equations: list[Equation] = field(default_factory=list)
    unknowns: list[Unknown] = field(default_factory=list)
    solves: list[Statement] = field(default_factory=list)
    roots: list[Unknown] = field(default_factory=list)

    def run(self) -> Lowered:
        """The program with every linear system taken apart; the residual of any other is not kept."""
        for block in self.program.blocks:
            unknowns = self.program.determined_by(block)
            if not unknowns:
                self.equations += block
                continue
            residuals = self.program.residuals_in(block)
            between = tuple(equation for equation in block if equation not in residuals)
            systems = solved_systems(unknowns, block, self.program)
            for system in systems:
                residual = self.program.definitions[system.unknown.residual]
                self.take_apart(system, system_text(system.unknown, residual, self.program.layouts), residual.place)
            if not systems and len(unknowns) > 1:
                self.take_all_apart(unknowns, block)
            elif not systems:
                check_between(unknowns[0], between, residuals[0].place)
                self.roots += unknowns
                self.unknowns += unknowns
                self.equations += (*between, *(replace(residual, hoisted=True) for residual in residuals))
            else:
                self.equations += between
        return self.lowered

    def take_all_apart(self, unknowns: tuple[Unknown, ...], block: Sequence[Equation]) -> None:
        """The equations of the matrices and right sides of several unknowns, and the statements that solve."""
        residuals = self.program.residuals_in(block)
        system = joint_system(unknowns, block, self.program)
        if system is None:
            names = " and ".join(unknown.name for unknown in unknowns)
            if reads_other_steps(block, unknowns):
                raise UnsupportedError(
                    f"{names} are determined in one recurrence, and code solves the systems of a step one after the "
                    "other so far; write those that read one another as one, solve .. : .. ; .., or put one into the "
                    "other by hand",
                    residuals[0].place,
                )
            raise UnsupportedError(
                f"{names} are determined by one another, by equations that are not linear in them, and code solves "
                "such systems for one tensor alone so far; write them as parts of one tensor, or one as an equation of "
                "the other",
                residuals[0].place,
            )
        equations = joint_equations(system, self.taken, residuals[0].place)
        texts = (system_text(one, self.program.definitions[one.residual], self.program.layouts) for one in unknowns)
        sought, sides = zip(*(text.removeprefix("solve ").split(": ", 1) for text in texts), strict=True)
        note = f"solve {', '.join(sought)}: {'; '.join(sides)}"
        self.equations += equations
        last = equations[-1].name
        self.unknowns += [Unknown(unknown.tensor, last, unknown.hoisted) for unknown in unknowns]
        self.solves += joint_statements(system, equations, self.taken, note)
        self.equations += (equation for equation in block if equation not in residuals)

    @property
    def lowered(self) -> Lowered:
        """What has been found."""
        program = replace(self.program, equations=tuple(self.equations), unknowns=tuple(self.unknowns))
        return Lowered(program, tuple(self.solves), tuple(self.roots))

    def take_apart(self, system: Affine, note: str, place: Place | None) -> None:
        """The equations of the matrix and the right side, and the statement that solves, with a note."""
        unknown = system.unknown
        matrix, right = (unused(f"{unknown.name}_{word}", self.taken) for word in ("matrix", "right"))
        left = Access(matrix, (*system.batch, *system.rows, *system.columns))
        side = Access(right, system.side)
        self.equations.append(Equation(left, system.matrix, hoisted=True, place=place))
        slots = unknown.tensor.slots
        if is_identity(system):
            self.unknowns.append(Unknown(unknown.tensor, matrix, unknown.hoisted))
            whole = (Term(ONE, ((left, ONE),)),)
            ends = (*system.rows, *system.columns)
            self.solves.append(Statement(unknown.name, slots, whole, Kind.SOLVE, ends, note=note))
            return
        self.equations.append(Equation(side, system.right, hoisted=True, place=place))
        quotient = divided(system, matrix, right)
        if quotient is not None:
            self.equations.append(replace(quotient, doc=unknown.tensor.doc, place=place))
            return
        self.unknowns.append(Unknown(unknown.tensor, right, unknown.hoisted))
        terms = tuple(Term(ONE, ((entry, ONE),)) for entry in (left, side))
        self.solves.append(Statement(unknown.name, slots, terms, Kind.SOLVE, system.rows, note=note))


def check_between(unknown: Unknown, between: Sequence[Equation], place: Place | None) -> None:
    """Return if nothing between an unknown and its system is computed step by step.

    Raises:
        UnsupportedError: if something is: Newton's method would have to go through all steps.
    """
    group = next((group for group in groups_of(between) if is_recurrent(group)), None)
    if group is not None:
        name, other = unknown.name, group[0].name
        raise UnsupportedError(
            f"{other} is computed step by step inside the system for {name}, which is not solved step by step itself, "
            f"and there is no code for such systems so far: let the system determine {other} as well, "
            f"solve {name}[..], {other}[..] : .. ; .., or write out a few steps",
            place,
        )


def reads_other_steps(block: Sequence[Equation], unknowns: Sequence[Unknown]) -> bool:
    """Whether the equations of a system read one another, or an unknown, under more than indices, as ``t-1``."""
    names = [*(equation.name for equation in block), *(unknown.name for unknown in unknowns)]
    return any(not entry.is_plain for one in block for name in names for entry in accesses_of(one.terms, name))


def is_identity(system: Affine) -> bool:
    """Whether the right side is the identity matrix, so that the unknown is the inverse."""
    if len(system.rows) != 1 or len(system.shared) != 1 or len(system.columns) != 1:
        return False
    return system.right == (Term(ONE, ((Delta(system.rows[0], system.shared[0]), ONE),)),)


def without_systems(program: Program, taken: set[str]) -> Lowered:
    """The program with unknowns as given tensors, and what computes them.

    Args:
        program: of one pass.
        taken: the names in use; new ones join.
    """
    return Lowering(program, taken).run() if program.unknowns else Lowered(program)


def system_text(unknown: Unknown, residual: Equation, layouts: Layouts) -> str:
    """``solve x[j]: sum[j](A[i,j]*x[j]) = b[i]``."""
    left, right = (terms_text(side, layouts) for side in sides_of(residual.terms))
    entry = equation_text(Access(unknown.name, unknown.tensor.slots), (), layouts).partition(" = ")[0]
    return f"solve {entry}: {left} = {right}"


def with_solves(statements: Iterable[Statement], solves: Sequence[Statement]) -> Iterator[Statement]:
    """The statements, with those that solve as soon as their matrix and right side are there."""
    statements, waiting = list(statements), list(solves)
    missing = {statement.name for statement in (*statements, *waiting)}

    def ready() -> Iterator[Statement]:
        while (found := next((one for one in waiting if missing.isdisjoint(one.reads)), None)) is not None:
            waiting.remove(found)
            missing.discard(found.name)
            yield found

    yield from ready()
    for statement in statements:
        yield statement
        missing.discard(statement.name)
        yield from ready()


def with_plain_operands(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements; a matrix that is a tensor as it stands, or transposed, is read where the system is solved."""
    copies = {s.name: s for s in statements if copied(s) is not None}
    read = {name for s in statements if s.kind is not Kind.SOLVE for name in s.reads}
    gone = {name for s in statements if s.kind is Kind.SOLVE for name in s.reads if name in copies and name not in read}
    return tuple(
        replace(s, terms=tuple(original(term, copies, gone) for term in s.terms)) if s.kind is Kind.SOLVE else s
        for s in statements
        if s.name not in gone
    )


def copied(statement: Statement) -> Access | None:
    """The entry that a statement only copies, all of its axes in some order."""
    if statement.kind is not Kind.ASSIGN or len(statement.terms) != 1:
        return None
    (term,) = statement.terms
    if term.coeff != 1 or term.summed or len(term.powers) != 1 or term.powers[0][1] != 1:
        return None
    base = term.powers[0][0]
    whole = (
        isinstance(base, Access) and base.is_plain and sorted(base.slots, key=str) == sorted(statement.axes, key=str)
    )
    return base if whole and isinstance(base, Access) else None


def original(term: Term, copies: Mapping[str, Statement], gone: set[str]) -> Term:
    """The operand of a system: what a copy was made of, under the indices that the system has."""
    (entry,) = term.bases
    assert isinstance(entry, Access)
    if entry.tensor not in gone:
        return term
    source = copied(copies[entry.tensor])
    assert source is not None
    return Term(ONE, ((source, ONE),))


def matrix_node(statement: Statement, scope: Scope) -> Node:
    """What a word makes from each of several matrices."""
    (matrix,) = statement.terms[0].bases
    assert isinstance(matrix, Access)
    whole = Operand(Atom(scope.tensors[matrix.tensor]), matrix.indices)
    outer = statement.axes[: len(matrix.slots) - 2]
    return of_matrices(statement.word, transposed(whole, (*outer, *statement.over)).node)


def solved_node(statement: Statement, scope: Scope) -> Node:
    """The unknown of a linear system: ``np.linalg.solve``, with several indices as one where rows have several."""
    rows = statement.over
    if len(statement.terms) == 1:
        return inverse_node(statement, scope)
    left, right = (term.bases[0] for term in statement.terms)
    assert isinstance(left, Access)
    assert isinstance(right, Access)
    batch = tuple(axis for axis in statement.axes if axis in left.slots and axis in right.slots)
    columns = tuple(axis for axis in statement.axes if axis in left.slots and axis not in right.slots)
    shared = tuple(axis for axis in statement.axes if axis not in left.slots)
    matrix = transposed(Operand(Atom(scope.tensors[left.tensor]), left.indices), (*batch, *rows, *columns)).node
    side = transposed(Operand(Atom(scope.tensors[right.tensor]), right.indices), (*batch, *rows, *shared)).node
    square = len(rows) == 1 and len(columns) == 1
    lengths = [length(axis, scope) for axis in batch]
    size = product_text(rows, scope)
    if not square:
        matrix = reshaped(matrix, [*lengths, size, size])
    if not square or len(shared) > 1:
        side = reshaped(side, [*lengths, size, *([product_text(shared, scope)] if shared else [])])
    if batch and not shared:
        side = Trailer(side, "[..., None]")
    found: Node = Call("np.linalg.solve", (matrix, side))
    if batch and not shared:
        found = Trailer(found, "[..., 0]")
    order = (*batch, *columns, *shared)
    if not square or len(shared) > 1:
        found = reshaped(found, [length(axis, scope) for axis in order])
    return transposed(Operand(found, order), statement.axes).node


def inverse_node(statement: Statement, scope: Scope) -> Node:
    """The inverse of a matrix, or of each of several."""
    (matrix,) = statement.terms[0].bases
    assert isinstance(matrix, Access)
    row, column = statement.over
    batch = tuple(axis for axis in statement.axes if axis in matrix.slots and axis != column)
    (shared,) = (axis for axis in statement.axes if axis not in matrix.slots)
    ordered = transposed(Operand(Atom(scope.tensors[matrix.tensor]), matrix.indices), (*batch, row, column))
    found = Operand(Call("np.linalg.inv", (ordered.node,)), (*batch, column, shared))
    return transposed(found, statement.axes).node


def reshaped(node: Node, lengths: Sequence[str]) -> Node:
    """The array with axes of these lengths."""
    return Method(node, "reshape", tuple(lengths))


def length(axis: Index, scope: Scope) -> str:
    """The length of an axis."""
    return flat(scalar_node(axis.extent, scope.scalars))


SOLVED: Mapping[Kind, Callable[[Statement, Scope], Node]] = {
    Kind.SOLVE: solved_node,
    Kind.JOINT: joint_node,
    Kind.PART: part_node,
    Kind.MATRIX: matrix_node,
}
"""What is computed of whole matrices, by the kind of the statement."""


def product_text(axes: Axes, scope: Scope) -> str:
    """The number of entries over some axes."""
    return flat(scalar_node(sp.prod(axis.extent for axis in axes), scope.scalars))

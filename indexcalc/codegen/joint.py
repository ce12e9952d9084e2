"""Several unknowns of one linear system in code: matrices side by side, one solution, and its parts.

The statement that solves reads the matrices of all residuals and unknowns, those of one residual after another, and
then the right sides; each has the indices of the batch first. Each unknown is then a part of the solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from indexcalc.algebra.slots import Index
from indexcalc.algebra.terms import Access, Term
from indexcalc.codegen.names import unused
from indexcalc.codegen.operands import Operand, Scope, transposed
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Call, Method, Node, Trailer, flat
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.errors import Place
from indexcalc.program import Equation
from indexcalc.rewrite.joint import Joint

ONE = sp.S.One


def joint_equations(system: Joint, taken: set[str], place: Place | None) -> tuple[Equation, ...]:
    """The equations of the matrices, those of one residual after another, and of the right sides.

    Args:
        system: what is solved.
        taken: the names in use; new ones join.
        place: where an author wrote it.
    """
    names = [unknown.name for unknown in system.unknowns]
    found = []
    for (a, b), terms in system.matrices.items():
        name = unused(f"{names[a]}_matrix" if a == b else f"{names[a]}_matrix_{names[b]}", taken)
        slots = (*system.batch[b], *system.rows[a], *system.columns[b])
        found.append(Equation(Access(name, slots), terms, hoisted=True, place=place))
    for a, terms in enumerate(system.rights):
        slots = (*system.batch[0], *system.rows[a])
        found.append(Equation(Access(unused(f"{names[a]}_right", taken), slots), terms, hoisted=True, place=place))
    return tuple(found)


def joint_statements(system: Joint, equations: Sequence[Equation], taken: set[str], note: str) -> tuple[Statement, ...]:
    """The statement that solves, and one for each unknown that takes its part.

    Args:
        system: what is solved.
        equations: of its matrices and right sides.
        taken: the names in use; new ones join.
        note: the system as an author writes it.
    """
    whole = unused("_".join(unknown.name for unknown in system.unknowns), taken)
    sizes = [sp.Mul(*(index.extent for index in columns)) for columns in system.columns]
    entry = Index(unused(f"{whole}_entry", taken), sp.Add(*sizes))
    terms = tuple(Term(ONE, ((equation.lhs, ONE),)) for equation in equations)
    found = [Statement(whole, (*system.batch[0], entry), terms, Kind.JOINT, note=note)]
    start: sp.Expr = sp.S.Zero
    for unknown, batch, columns, size in zip(system.unknowns, system.batch, system.columns, sizes, strict=True):
        part = (Term(ONE, ((Access(whole, (*batch, entry)), ONE),)),)
        slots = unknown.tensor.slots
        said = f"{unknown.name}: a part of {whole}"
        found.append(Statement(unknown.name, slots, part, Kind.PART, columns, note=said, start=start))
        start += size
    return tuple(found)


def joint_node(statement: Statement, scope: Scope) -> Node:
    """The solution: matrices side by side and below one another, right sides one after the other."""
    entries = list(entries_of(statement))
    count = next(n for n in range(1, len(entries) + 1) if n * (n + 1) == len(entries))
    batch = len(statement.axes) - 1
    matrices = [entries[count * a : count * (a + 1)] for a in range(count)]
    rights = entries[count * count :]
    rows = [len(right.slots) - batch for right in rights]
    strips = []
    for line, own in zip(matrices, rows, strict=True):
        strips.append(beside([block(entry, batch, own, scope) for entry in line], -1))
    matrix = beside(strips, -2)
    sides = zip(rights, rows, strict=True)
    right = beside([block(entry, batch, own, scope, matrix=False) for entry, own in sides], -1)
    if batch:
        return Trailer(Call("np.linalg.solve", (matrix, Trailer(right, "[..., None]"))), "[..., 0]")
    return Call("np.linalg.solve", (matrix, right))


def part_node(statement: Statement, scope: Scope) -> Node:
    """The entries of one unknown, with its axes."""
    (entry,) = entries_of(statement)
    columns = statement.over
    batch = entry.indices[:-1]
    end = statement.start + sp.Mul(*(index.extent for index in columns))
    start = text(statement.start, scope) if statement.start != 0 else ""
    stop = text(end, scope) if sp.expand(end - entry.indices[-1].extent) != 0 else ""
    before = "..., " if batch else ""
    if not columns:
        found: Node = Trailer(Atom(scope.tensors[entry.tensor]), f"[{before}{text(statement.start, scope)}]")
    else:
        found = Trailer(Atom(scope.tensors[entry.tensor]), f"[{before}{start}:{stop}]")
    if len(columns) > 1:
        found = Method(found, "reshape", tuple(text(index.extent, scope) for index in (*batch, *columns)))
    return transposed(Operand(found, (*batch, *columns)), statement.axes).node


def entries_of(statement: Statement) -> Iterator[Access]:
    """The entries that a statement reads, one a term."""
    for term in statement.terms:
        (entry,) = term.bases
        assert isinstance(entry, Access)
        yield entry


def beside(parts: Sequence[Node], axis: int) -> Node:
    """Arrays one after the other along an axis."""
    if len(parts) == 1:
        return parts[0]
    return Call("np.concatenate", (Call("", tuple(parts)),), (f"axis={axis}",))


def block(entry: Access, batch: int, rows: int, scope: Scope, *, matrix: bool = True) -> Node:
    """A tensor with all its rows in one axis, and all its columns in another."""
    array: Node = Atom(scope.tensors[entry.tensor])
    if not entry.slots:
        # It may be a number, which has no shape and no dtype.
        return Call("np.full", (Atom("(1, 1)" if matrix else "(1,)"), array), (f"dtype={scope.dtype}",))
    groups = [entry.indices[batch : batch + rows], *([entry.indices[batch + rows :]] if matrix else [])]
    if all(len(group) == 1 for group in groups):
        return array
    lengths = [text(index.extent, scope) for index in entry.indices[:batch]]
    sizes = [text(sp.Mul(*(index.extent for index in group)), scope) for group in groups]
    return Method(array, "reshape", (*lengths, *sizes))


def text(value: sp.Expr, scope: Scope) -> str:
    """A whole number in code."""
    return flat(scalar_node(value, scope.scalars))

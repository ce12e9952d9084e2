"""Programs built in Python: the same statements as a spec text, lowered by the same code.

The attention spec of the documentation, in Python::

    import sympy as sp
    import indexcalc as ic

    program = ic.Program("Scaled dot-product attention")
    T, d, d_v = ic.extents("T d d_v")
    i, j, l = program.indices("i j l", T, "token positions")
    k = program.index("k", d, "head dimension")
    p = program.index("p", d_v, "value dimension")
    Q, K, V = program.input("Q", i, k), program.input("K", j, k), program.input("V", j, p)
    S = program.define("S", (i, j), 1 / sp.sqrt(d) * ic.sum(Q[i, k] * K[j, k], k), "scaled scores")
    A = program.define("A", (i, j), ic.exp(S[i, j]) / ic.sum(ic.exp(S[i, l]), l))
    O = program.define("O", (i, p), ic.sum(A[i, j] * V[j, p], j))
    program.upstream("G", O)
    program.derive(V, A, S, Q, K)
    program.name("D", A)
    program.prove(ic.sum(ic.gradient(S)[i, j], j), 0)
    problem = program.problem("attention")
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.errors import SpecError
from indexcalc.language import lines
from indexcalc.language import syntax as ast
from indexcalc.language.domains import DEFINITE, SYMMETRIC, domain_from_python, sums_to_one, symmetric_in
from indexcalc.language.extents import as_extent, extent_factors, extent_symbol, extent_value
from indexcalc.language.formulas import Axes, Operand, TensorName, layout_of, slots_of, tree_of
from indexcalc.language.lower import lower
from indexcalc.language.source import Source
from indexcalc.language.spec_text import spec_text
from indexcalc.problem import Problem


def extents(names: str) -> tuple[sp.Symbol, ...]:
    """The extents named in a text such as ``"T d d_v"``: positive whole numbers, as SymPy symbols."""
    return tuple(extent_symbol(checked_name(name)) for name in names.split())


def checked_name(name: str) -> str:
    """The name in the normal form of Python's identifiers.

    Raises:
        SpecError: if it isn't a name.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise SpecError(f"{name!r} is not a name: use letters, digits and _")
    return unicodedata.normalize("NFKC", name)


@dataclass(frozen=True, slots=True)
class Used:
    """The tensors of a used derivation by the names they have there: ``ln["Y"]``."""

    prefix: str
    giving: Mapping[str, str]

    def __getitem__(self, name: str) -> TensorName:
        return TensorName(self.giving.get(name, f"{self.prefix}_{checked_name(name)}"))


class Program:
    """A forward pass and what is asked of it, line by line as in a spec; `problem` reads the whole.

    Mistakes in one line, such as a name that is none, are reported at once; those in the meaning
    (an unknown index, an extent clash) by `problem`. Both are `SpecError`s.
    """

    def __init__(self, title: str | None = None) -> None:
        self._statements: list[lines.Statement] = [] if title is None else [lines.TitleLine(title)]

    def __str__(self) -> str:
        """The spec text that says the same."""
        return spec_text(self._statements)

    def __repr__(self) -> str:
        title = next((repr(line.text) for line in self._statements if isinstance(line, lines.TitleLine)), "untitled")
        count = sum(isinstance(line, lines.EquationLine | lines.SolveLine | lines.UseLine) for line in self._statements)
        return f"<Program {title}: {count} equation{'' if count == 1 else 's'}>"

    def _repr_markdown_(self) -> str:
        return f"```text\n{self}```\n"

    @property
    def statements(self) -> tuple[lines.Statement, ...]:
        """What was said so far."""
        return tuple(self._statements)

    def index(self, name: str, extent: sp.Expr | str | int, doc: str = "") -> Index:
        """Declare one index.

        Args:
            name: its name.
            extent: a symbol or its name, a positive whole number, or a product of such, ``N_H * D_h``.
            doc: what the index numbers.
        """
        (found,) = self.indices(checked_name(name), extent, doc)
        return found

    def indices(self, names: str, extent: sp.Expr | str | int, doc: str = "") -> tuple[Index, ...]:
        """Declare indices of one extent, named in a text such as ``"i j l"``."""
        size = read_extent(extent)
        found = tuple(Index(checked_name(name), size) for name in names.split())
        if not found:
            raise SpecError("an index needs a name")
        names_of = tuple(ast.Slot(index.name) for index in found)
        self._statements.append(lines.IndexLine(names_of, as_extent(size), doc))
        return found

    def parameter(self, name: str, default: Operand | None = None, doc: str = "") -> sp.Symbol:
        """Declare a scalar parameter such as ``eps``, and return its symbol for use in formulas."""
        value = None if default is None else tree_of(default)
        self._statements.append(lines.ParameterLine(checked_name(name), value, doc))
        return sp.Symbol(checked_name(name), real=True)

    def input(
        self,
        name: str,
        *indices: Index | tuple[Index, ...],
        doc: str = "",
        domain: sp.Set | str | None = None,
        over: Index | tuple[Index, ...] = (),
        values: sp.Symbol | str | int | None = None,
    ) -> TensorName:
        """Declare an input with one slot for each index; a tuple of indices is fused into one axis.

        Args:
            name: of the new tensor.
            indices: one for each slot.
            doc: what it means.
            domain: where its entries lie: a SymPy interval such as ``sp.Interval.open(-1, 1)``, "positive" or
                "probability"; or what its matrices are, "symmetric" or "spd", symmetric and positive definite.
            over: the index, or the indices, over which a probability sums to one; those of the rows and columns.
            values: for whole numbers, which are looked up, the extent below which they lie.
        """
        entry, interval = declared(name, indices), domain_from_python(domain)
        slots = slots_of((over,) if isinstance(over, Index) else over)
        assumed: lines.ClaimLine | str | None = None
        if domain in (SYMMETRIC, DEFINITE):
            assumed = symmetric_in(entry, slots, str(domain), None)
        elif slots:
            only = 'only a probability sums to one over an index: domain="probability"'
            assumed = sums_to_one(entry, slots, None) if domain == "probability" else only
        if isinstance(assumed, str):
            raise SpecError(assumed)
        below = None if values is None else ast.Slot(str(read_extent(values)))
        self._statements.append(lines.InputLine(entry, doc, domain=interval, values=below))
        if assumed is not None:
            self._statements.append(assumed)
        return TensorName(checked_name(name))

    def define(
        self,
        name: str,
        indices: Axes,
        formula: Operand,
        doc: str = "",
        *,
        steps: tuple[Index, Operand, Operand] | None = None,
    ) -> TensorName:
        """``name[indices] = formula``; a tensor without slots has ``()`` for its indices.

        Args:
            name: of the tensor.
            indices: one for each slot; a fixed place such as 0 where the line defines a part of the tensor.
            formula: its value.
            doc: what it means.
            steps: an index with the first and the last step at which the line holds, ``(t, 1, T - 1)``.
        """
        during = None if steps is None else lines.Steps(*slots_of(steps))
        self._statements.append(lines.EquationLine(declared(name, indices), tree_of(formula), doc, steps=during))
        return TensorName(checked_name(name))

    def tensor(self, name: str) -> TensorName:
        """A tensor by its name, to be read before the line that defines it, as recurrences do."""
        return TensorName(checked_name(name))

    def solve(self, name: str, indices: Axes, left: Operand, right: Operand, doc: str = "") -> TensorName:
        """``solve name[indices] : left = right``: the tensor that a system determines; it may stand in both sides.

        Its entries in the system are those of ``program.tensor(name)``.
        """
        self._statements.append(lines.SolveLine(declared(name, indices), tree_of(left), tree_of(right), doc))
        return TensorName(checked_name(name))

    def use(
        self,
        spec: str,
        prefix: str,
        bindings: Mapping[str, Operand],
        giving: Mapping[str, str] | None = None,
    ) -> Used:
        """Take over the equations of a shipped derivation, with tensors in the place of its inputs.

        Args:
            spec: the name of the derivation.
            prefix: before the names of its tensors: `ln` gives `ln_mu`.
            bindings: for each input the entry of a tensor, such as ``H[(b, s), m]``, or the tensor itself;
                for a parameter a scalar, for an extent one of this program or a whole number. An input that is
                not bound becomes an input of this program.
            giving: names for some of its tensors instead of those with the prefix.
        """
        given = {name: checked_name(other) for name, other in (giving or {}).items()}
        bound = tuple(lines.Binding(checked_name(name), tree_of(value)) for name, value in bindings.items())
        renamed = tuple(lines.Giving(checked_name(name), other) for name, other in given.items())
        self._statements.append(lines.UseLine(checked_name(spec), bound, checked_name(prefix), renamed))
        return Used(prefix, given)

    def upstream(self, name: str, of: TensorName | str, doc: str = "") -> None:
        """The gradient dL/d(`of`) is given under this name."""
        self._statements.append(lines.UpstreamLine(ast.Entry(checked_name(name)), ast.Gradient(name_of(of)), doc))

    def loss(self, tensor: TensorName | str) -> None:
        """The tensor is the loss itself; then no upstream gradient is given."""
        self._statements.append(lines.LossLine(name_of(tensor)))

    def derive(self, *targets: TensorName | str) -> None:
        """Ask for the gradients of these tensors, in this order; of all inputs if nothing is asked for."""
        self._statements.append(lines.DeriveLine(tuple(ast.Slot(name_of(target)) for target in targets)))

    def jacobian(self, of: TensorName | str, *by: TensorName | str) -> None:
        """Ask for the derivative of each entry of a tensor by each entry of others."""
        self._derivative("jacobian", of, by, ())

    def hessian(self, loss: TensorName | str, *by: TensorName | str) -> None:
        """Ask for the second derivatives of the loss by the entries of tensors."""
        self._derivative("hessian", loss, by, ())

    def gauss_newton(
        self, loss: TensorName | str, *by: TensorName | str, through: TensorName | str | None = None
    ) -> None:
        """Ask for the Gauss-Newton part of the second derivatives of the loss, a function of the tensor `through`."""
        self._derivative("gauss_newton", loss, by, (), through=through)

    def product_jacobian(self, of: TensorName | str, along: Mapping[str, str], doc: str = "") -> None:
        """Ask for the product of a Jacobian with directions: ``{"z": "s"}`` is the Jacobian by z times s."""
        self._derivative("jacobian", of, tuple(along), tuple(along.values()), doc=doc)

    def product_hessian(self, loss: TensorName | str, along: Mapping[str, str], doc: str = "") -> None:
        """Ask for the product of the second derivatives with directions: ``{"w": "s"}`` is the Hessian by w times s."""
        self._derivative("hessian", loss, tuple(along), tuple(along.values()), doc=doc)

    def product_with_jacobian(self, vector: str, of: TensorName | str, *by: TensorName | str, doc: str = "") -> None:
        """Ask for a vector times a Jacobian, ``product s with jacobian p by z``: a backward pass."""
        self._derivative("jacobian", of, by, (vector,), doc=doc, transposed=True)

    def _derivative(
        self,
        word: str,
        of: TensorName | str,
        by: Sequence[TensorName | str],
        along: Sequence[str],
        *,
        doc: str = "",
        through: TensorName | str | None = None,
        transposed: bool = False,
    ) -> None:
        if not by:
            raise SpecError(f"a {word} needs a tensor to differentiate by")
        names = tuple(ast.Slot(name_of(tensor)) for tensor in by)
        given = tuple(ast.Slot(checked_name(name)) for name in along)
        middle = None if through is None else ast.Slot(name_of(through))
        line = lines.DerivativeLine(word, ast.Slot(name_of(of)), names, given, transposed, middle, doc)
        self._statements.append(line)

    def recompute(self, *tensors: TensorName | str) -> None:
        """These intermediates are not kept: the backward pass computes those that it reads again."""
        self._statements.append(lines.RecomputeLine(tuple(ast.Slot(name_of(tensor)) for tensor in tensors)))

    def split(self, *indices: Index | str, over: str) -> None:
        """Split indices over an axis of a mesh of devices, which gets its size with the mesh."""
        names = tuple(ast.Slot(index if isinstance(index, str) else index.name) for index in indices)
        if not names:
            raise SpecError("split needs an index to split, such as split('h', over='model')")
        self._statements.append(lines.SplitLine(names, checked_name(over)))

    def name(self, name: str, of: TensorName | str) -> None:
        """Give the gradient dL/d(`of`) a name of its own."""
        self._statements.append(lines.NameLine(checked_name(name), ast.Gradient(name_of(of))))

    def prove(self, left: Operand, right: Operand, doc: str = "") -> None:
        """Ask for a proof of ``left = right``, in which gradients may occur."""
        self._statements.append(lines.ClaimLine(tree_of(left), tree_of(right), doc))

    def assume(self, left: Operand, right: Operand, doc: str = "") -> None:
        """Vouch for ``left = right``, an identity of the inputs or of the forward pass."""
        self._statements.append(lines.ClaimLine(tree_of(left), tree_of(right), doc, assumed=True))

    def problem(self, slug: str = "derivation") -> Problem:
        """The problem as a spec text would pose it.

        Args:
            slug: the short name, used for folders, modules and files.

        Raises:
            SpecError: for the first mistake in the program's meaning.
        """
        return lower(self._statements, Source("<python>"), slug)


def declared(name: str, indices: Axes) -> ast.Entry:
    """The general entry of a new tensor; without indices, its bare name."""
    slots = slots_of(indices)
    return ast.Entry(checked_name(name), slots or None, layout=layout_of(indices))


def name_of(tensor: TensorName | str) -> str:
    """The name of a tensor that was declared, or is given by name."""
    return tensor.name if isinstance(tensor, TensorName) else checked_name(tensor)


def read_extent(extent: sp.Expr | str | int) -> sp.Expr:
    """An extent by its name or number, or as a product.

    Raises:
        SpecError: for anything but a symbol, a name, a whole number from 1 on, or a product of these.
    """
    if isinstance(extent, int | sp.Integer) and not isinstance(extent, bool) and extent >= 1:
        return sp.Integer(extent)
    if isinstance(extent, str):
        return extent_symbol(checked_name(extent))
    if isinstance(extent, sp.Expr) and not isinstance(extent, sp.Integer):
        factors = extent_factors(extent)
        if factors is not None:
            return extent_value(tuple(checked_name(f) if isinstance(f, str) else f for f in factors))
        if (extent.is_Add and extent.free_symbols) or extent.has(sp.floor):
            return extent.xreplace({s: extent_symbol(checked_name(s.name)) for s in extent.free_symbols})
    raise SpecError(f"an extent is a symbol, a name, a whole number from 1 on, or a product of these, not {extent!r}")

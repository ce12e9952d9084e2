"""How a name looks in LaTeX: Greek letters, superscripts for what follows an underscore, no clashes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import sympy as sp

from indexcalc.algebra.scalars import put_together, signed_summands
from indexcalc.algebra.slots import Lookup, Slot, signed_atoms
from indexcalc.algebra.terms import Base, Index, Term, occurring_indices
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.held import Held, barred_tensors
from indexcalc.notes.layout import marked
from indexcalc.notes.scalars import scalar_in_latex

LOWER = (
    *["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda"],
    *["mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"],
)
UPPER = ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega")
GREEK: Mapping[str, str] = {
    **{name: "\\" + name for name in (*LOWER, *UPPER)},
    "eps": r"\varepsilon",
    "lam": r"\lambda",
    "varepsilon": r"\varepsilon",
    "varphi": r"\varphi",
    "omicron": "o",
}
LETTER_NAMES: Mapping[str, str] = {"lamda": "lambda", "lunate epsilon": "varepsilon"}
"""Unicode's own names where they differ from TeX's."""

DELTA_MARK = "delta"
"""The mark of a Kronecker delta's letter."""

WORD = re.compile(r"(?P<letters>[^\W\d_]+)(?P<digits>\d*)")


def index_mark(index: Index) -> str:
    """The mark of an index; two of one name and different extents are different ones."""
    return f"index:{index.name}:{index.extent}"


def greek_name(character: str) -> str | None:
    """The TeX name of a Greek letter: ``mu`` for ``μ``, ``Sigma`` for ``Σ``; None for any other."""
    full = unicodedata.name(unicodedata.normalize("NFKC", character), "")
    match = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z ]+)", full)
    if match is None:
        return None
    name = match[2].lower().removeprefix("final ")
    name = LETTER_NAMES.get(name, name)
    return name.capitalize() if match[1] == "CAPITAL" else name


def roman(text: str) -> str:
    """Letters that TeX's math fonts lack, spelled out, so that pdflatex never meets an unknown glyph."""
    written = []
    for character in text:
        name = greek_name(character)
        if character.isascii():
            written.append(r"\_" if character == "_" else character)
        elif name is not None:
            written.append(rf"{{{GREEK.get(name, name)}}}")
        else:
            plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
            written.append(plain or f"u{ord(character):04x}")
    return "".join(written)


def word_latex(word: str) -> str:
    """Letters without digits: one letter as it is, a Greek letter by its command, else upright."""
    if word in GREEK:
        return GREEK[word]
    if len(word) == 1:
        name = greek_name(word)
        if name is None:
            return word if word.isascii() else rf"\mathrm{{{roman(word)}}}"
        return GREEK.get(name, rf"\mathrm{{{name[0]}}}")
    return rf"\mathrm{{{roman(word)}}}"


def part_latex(part: str) -> str:
    """A part between underscores: a word, digits, or both side by side."""
    pieces = re.findall(r"\d+|[^\W\d_]+", part)
    return "".join(piece if piece.isdigit() else word_latex(piece) for piece in pieces)


def verbatim(name: str) -> str:
    """The name letter for letter in typewriter: the spelling that no other name shares."""
    return rf"\mathtt{{{roman(name)}}}"


def tensor_latex(name: str, numbers: Collection[str] = ()) -> str:
    r"""``W_Q`` as ``W^{Q}``, ``W1`` as ``W^{(1)}``: subscripts are for indices.

    Args:
        name: of the tensor.
        numbers: what has a number as its value, and so would read as a power above a symbol.
    """
    head, *rest = name.split("_")
    match = WORD.fullmatch(head)
    if match is None or not all(rest):
        return verbatim(name)
    marks = [
        f"({part_latex(part)})" if part.isdigit() or part in numbers else part_latex(part)
        for part in (match["digits"], *rest)
        if part
    ]
    base = word_latex(match["letters"])
    return f"{base}^{{{','.join(marks)}}}" if marks else base


def gradient_latex(name: str, numbers: Collection[str] = ()) -> str:
    r"""The symbol of a gradient called after its tensor, such as ``dmu``: a Greek letter stays one."""
    spelled = tensor_latex(name, numbers)
    greek = re.match(r"\\mathrm{d([^\W\d_]+)}", spelled)
    return rf"\mathrm{{d{GREEK[greek[1]]}}}" + spelled[greek.end() :] if greek and greek[1] in GREEK else spelled


def scalar_latex(name: str) -> str:
    r"""``d_v`` as ``d_{v}``, ``beta2`` as ``\beta_{2}``: a scalar has its subscripts free."""
    head, *rest = name.split("_")
    match = WORD.fullmatch(head)
    if match is None or not all(rest):
        return verbatim(name)
    marks = ([match["digits"]] if match["digits"] else []) + [part_latex(part) for part in rest]
    base = word_latex(match["letters"])
    return f"{base}_{{{','.join(marks)}}}" if marks else base


def spelled_apart(names: Iterable[str], spell: Mapping[str, str]) -> dict[str, str]:
    """Every name with its spelling; where two would look alike, the later one is set verbatim."""
    chosen: dict[str, str] = {}
    for name in dict.fromkeys(names):
        taken = spell[name] in chosen.values()
        chosen[name] = verbatim(name) if taken else spell[name]
    return chosen


def side_by_side(parts: Iterable[str]) -> str:
    """Symbols without commas; a command ends at the next character that is no letter, so it needs a space."""
    return "".join(text + " " if text.startswith("\\") else text for text in parts).rstrip()


def grouped(marks: Sequence[str], sizes: Sequence[int] | None) -> list[tuple[str, ...]]:
    """The marks of the slots in groups, one for each axis; each on its own without a layout that fits."""
    if sizes is None or sum(sizes) != len(marks):
        return [(mark,) for mark in marks]
    ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    return [tuple(marks[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


@dataclass(frozen=True)
class Notation:
    """How the names of one derivation are printed.

    Attributes:
        tensors: the symbol of every tensor.
        indices: the symbol of every index in use.
        scalars: the symbol of every extent and parameter.
        gradients: the tensors printed as a derivative of the loss, with the tensor they belong to.
        named: gradients that the author named, with the tensor they belong to.
        loss: the symbol of the loss.
        slashed: derivatives as ``dL/dX`` on one line, for running text, instead of fractions.
        layouts: how the slots of a tensor are grouped into axes, where some axis fuses several.
        held: the tensors that the derivative of one tensor by another holds, by ``(tensor, other)``.
        computed_loss: the tensor that is the loss, if the program computes it.
        tangents: derivatives along a direction, with the tensor that each is the derivative of.
        second: the gradients and tensors whose derivative is a second derivative of the loss.
        marked: whether indices and deltas carry marks that say what they are, for formats that show them.
    """

    tensors: Mapping[str, str]
    indices: Mapping[str, str]
    scalars: Mapping[str, str]
    gradients: Mapping[str, str]
    named: Mapping[str, str]
    loss: str
    slashed: bool = False
    layouts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    held: Held = field(default_factory=dict)
    computed_loss: str | None = None
    tangents: Mapping[str, str] = field(default_factory=dict)
    second: frozenset[tuple[str, str]] = frozenset()
    marked: bool = False

    @cached_property
    def e_is_taken(self) -> bool:
        r"""Whether something is called e, with or without marks, so that an exponential is printed as ``\exp``."""
        symbols = (*self.tensors.values(), *self.indices.values(), *self.scalars.values())
        return any(re.split(r"[_^]", symbol, maxsplit=1)[0] in ("e", r"\mathrm{e}") for symbol in symbols)

    @cached_property
    def texts(self) -> dict[Base, str]:
        """How functions and brackets are printed, as far as they were: the same ones stand in many lines."""
        return {}

    @cached_property
    def terms(self) -> dict[Term, tuple[str, str]]:
        """How terms are printed, as far as they were: a step leaves most of them as they are."""
        return {}

    @cached_property
    def formulas(self) -> dict[Hashable, str]:
        """Formulas as far as they were printed, by what they show: every format prints the same ones."""
        return {}

    @cached_property
    def inline(self) -> Notation:
        """The same notation for running text."""
        return replace(self, slashed=True)

    @cached_property
    def short(self) -> Notation:
        """The same notation with every gradient printed under its name, such as ``dX``."""
        return replace(self, gradients={}, named={})

    @cached_property
    def spelled(self) -> Notation:
        """The same notation with every gradient printed as a derivative of the loss."""
        return replace(self, gradients={**self.gradients, **self.named}, named={})

    def tensor(self, name: str) -> str:
        """The symbol of a tensor."""
        return self.tensors.get(name) or tensor_latex(name)

    def index(self, index: Index) -> str:
        """The symbol of an index."""
        symbol = self.indices.get(index.name) or scalar_latex(index.name)
        return marked(index_mark(index), symbol) if self.marked else symbol

    @property
    def delta(self) -> str:
        """The letter of a Kronecker delta, which a tensor may have too."""
        return marked(DELTA_MARK, r"\delta") if self.marked else r"\delta"

    def slot(self, slot: Slot) -> str:
        """What a slot holds, as it is written in a subscript: ``2i+k-1``, ``tok_n``."""
        if isinstance(slot, Index):
            return self.index(slot)
        if isinstance(slot, Lookup):
            symbol = self.tensor(slot.tensor)
            return f"{symbol}_{{{self.subscript(slot.slots, slot.tensor)}}}" if slot.slots else symbol
        parts = [
            (minus, f"{factor}{self.slot(atom)}")
            for minus, atom, size in signed_atoms(slot)
            for factor in ["" if size == 1 else f"({self.size(size)})" if isinstance(size, sp.Add) else self.size(size)]
        ]
        numbers = [(minus, self.size(size)) for minus, size in signed_summands(slot.const)]
        return put_together(parts, numbers, " - ", " + ")

    def size(self, value: sp.Expr) -> str:
        """A whole number, or a scalar made of extents."""
        names = {s: self.scalars.get(s.name) or scalar_latex(s.name) for s in value.free_symbols}
        return scalar_in_latex(value, names)

    def subscript(self, indices: Iterable[Slot], tensor: str = "") -> str:
        """Indices side by side if all are single letters, else with commas; those of a fused axis in parentheses."""
        listed = tuple(indices)
        plain = all(isinstance(index, Index) and (len(index.name) == 1 or index.name in GREEK) for index in listed)
        written = [self.slot(index) for index in listed]
        groups = grouped(written, self.layouts.get(tensor))
        if not plain:
            return ",".join(",".join(group) if len(group) == 1 else f"({','.join(group)})" for group in groups)
        parts = [group[0] if len(group) == 1 else f"({side_by_side(group)})" for group in groups]
        return side_by_side(parts)


@lru_cache(maxsize=2)
def notation_of(derivation: Derivation) -> Notation:
    """The notation of a derivation: symbols that are distinct, gradients by name or as derivatives.

    It is one for all formats, so that what one of them has printed is remembered for the others.
    """
    problem, program = derivation.problem, derivation.problem.program
    given = {one.name for one in problem.handed} | set(problem.names.values())
    authored = {*problem.given.values(), *problem.names.values()}
    backward = [equation.name for equation in derivation.backward.equations]
    others = [section.equation.name for order in derivation.orders for section in order.sections]
    names = [
        *program.tensors,
        *sorted(given),
        *problem.gradient_names.values(),
        *problem.stationary.values(),
        *backward,
        *others,
    ]
    parameters = [str(parameter.symbol) for parameter in program.parameters]
    scalars = [str(extent) for extent in program.extents] + parameters
    used = {index.name: None for index in program.indices}
    used.update(dict.fromkeys(sorted(program.index_names)))
    for section in derivation.sections:
        used.update({index.name: None for index in occurring_indices(section.equation.terms)})
    owners = dict(problem.owners) | dict(derivation.gradients)
    short = {name for name, tensor in owners.items() if name == f"d{tensor}"}
    numbers = {*scalars, *(tensor.name for tensor in program.tensors.values() if not tensor.slots)}
    tensors = spelled_apart(
        names, {name: (gradient_latex if name in short else tensor_latex)(name, numbers) for name in names}
    )
    if problem.loss is not None:
        loss = tensors[problem.loss]
    else:
        taken = [*program.tensors, *scalars, *used]
        loss = r"\mathcal{L}" if "L" in taken else "L"
    return Notation(
        tensors=tensors,
        indices=spelled_apart(used, {name: scalar_latex(name) for name in used}),
        scalars=spelled_apart(scalars, {name: scalar_latex(name) for name in scalars}),
        gradients={name: tensor for name, tensor in owners.items() if name not in given},
        named={name: tensor for name, tensor in owners.items() if name in authored},
        loss=loss,
        layouts=derivation.backward.layouts,
        held=barred_tensors(derivation),
        computed_loss=problem.loss,
        tangents={name: of for order in derivation.orders for name, of in order.tangents.items()},
        second=frozenset(pair for order in derivation.orders for pair in order.differentiated),
    )

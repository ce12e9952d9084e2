"""Formulas and programs of the campaign's own, and the spec texts that say them.

Nothing here knows the engine. A tensor is an array with *axes*; an axis is read by one index, or by several side by
side, the first slowest. An index runs over an extent, a product of names and whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

Extent = tuple[str | int, ...]
Axis = tuple[str, ...]
"""The indices that stand side by side on one axis."""


@dataclass(frozen=True)
class Number:
    """A number as it is written."""

    text: str


@dataclass(frozen=True)
class Symbol:
    """An extent, a parameter or ``pi``."""

    name: str


@dataclass(frozen=True)
class Read:
    """An entry of a tensor."""

    tensor: str
    axes: tuple[Axis, ...] = ()


@dataclass(frozen=True)
class Delta:
    """1 where both indices are equal, else 0."""

    left: str
    right: str


@dataclass(frozen=True)
class Relation:
    """1 where the relation of two indices holds, else 0."""

    left: str
    sign: str
    right: str


@dataclass(frozen=True)
class Negative:
    """The value with the other sign."""

    body: Formula


@dataclass(frozen=True)
class Plus:
    """A sum of parts."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Times:
    """A product of parts."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True)
class Ratio:
    """A quotient."""

    top: Formula
    bottom: Formula


@dataclass(frozen=True)
class Power:
    """A power; the exponent has no index."""

    base: Formula
    exponent: Formula
    sign: str = "^"


@dataclass(frozen=True)
class Apply:
    """A pointwise function; ``max`` and ``min`` take a scalar beside the argument."""

    function: str
    body: Formula
    constant: Formula | None = None


@dataclass(frozen=True)
class Over:
    """A sum, a mean, a softmax and the like over indices."""

    operator: str
    indices: tuple[str, ...]
    body: Formula


Formula = Number | Symbol | Read | Delta | Relation | Negative | Plus | Times | Ratio | Power | Apply | Over

KEEPING = ("softmax", "logsoftmax")
"""What keeps the indices that it runs over."""


def children(formula: Formula) -> tuple[Formula, ...]:
    """The formulas right inside a formula."""
    match formula:
        case Negative(body) | Over(_, _, body):
            return (body,)
        case Plus(parts) | Times(parts):
            return parts
        case Ratio(top, bottom):
            return (top, bottom)
        case Power(base, exponent, _):
            return (base, exponent)
        case Apply(_, body, constant):
            return (body,) if constant is None else (body, constant)
    return ()


def rebuilt(formula: Formula, inner: tuple[Formula, ...]) -> Formula:
    """The formula with others right inside."""
    match formula:
        case Negative() | Over():
            return replace(formula, body=inner[0])
        case Plus() | Times():
            return replace(formula, parts=inner)
        case Ratio():
            return Ratio(*inner)
        case Power():
            return replace(formula, base=inner[0], exponent=inner[1])
        case Apply():
            return replace(formula, body=inner[0], constant=inner[1] if len(inner) > 1 else None)
    return formula


def nodes(formula: Formula) -> Iterator[Formula]:
    """The formula and all inside."""
    yield formula
    for child in children(formula):
        yield from nodes(child)


def free(formula: Formula) -> tuple[str, ...]:
    """The free indices in the order of their first places."""
    match formula:
        case Read(_, axes):
            found = [index for axis in axes for index in axis]
        case Delta(left, right) | Relation(left, _, right):
            found = [left, right]
        case Over(operator, indices, body):
            kept = free(body)
            found = list(kept) if operator in KEEPING else [index for index in kept if index not in indices]
        case _:
            found = [index for child in children(formula) for index in free(child)]
    return tuple(dict.fromkeys(found))


def renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with other free indices, none of which stands for a bound one."""
    match formula:
        case Read(tensor, axes):
            return Read(tensor, tuple(tuple(names.get(index, index) for index in axis) for axis in axes))
        case Delta(left, right):
            return Delta(names.get(left, left), names.get(right, right))
        case Relation(left, sign, right):
            return Relation(names.get(left, left), sign, names.get(right, right))
        case Over(operator, indices, body):
            return Over(operator, tuple(names.get(index, index) for index in indices), renamed(body, names))
    return rebuilt(formula, tuple(renamed(child, names) for child in children(formula)))


@dataclass(frozen=True)
class Tensor:
    """An input: its axes, and what its entries are drawn from.

    Attributes:
        name: as it is written.
        axes: the indices that it is declared with.
        kind: ``any``, ``positive``, ``mask`` for zeros and ones, or ``shares`` for positive ones with sum 1.
    """

    name: str
    axes: tuple[Axis, ...]
    kind: str = "any"


@dataclass(frozen=True)
class Statement:
    """An equation; `hidden` ones come from a `Use` and are not written."""

    name: str
    axes: tuple[Axis, ...]
    right: Formula
    doc: str = ""
    hidden: bool = False


@dataclass(frozen=True)
class Use:
    """A shipped spec that is used: the line that says so, and what it stands for."""

    line: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Identity:
    """A claim or an assumption as it is written, with the tensors that it speaks of."""

    text: str
    tensors: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """What a spec text says.

    Attributes:
        indices: each with its extent.
        parameters: each with its value.
        inputs: the given tensors.
        lines: equations and uses in order.
        upstream: the name of the gradient that is given, by output; without any, every tensor that nothing reads
            has one of its own, and `written` says whether to write them.
        loss: the scalar that is the loss, if there is one.
        targets: the tensors whose gradients are asked for.
        written: whether upstream gradients and targets are written, or left to the defaults.
        names: names of gradients by tensor.
        recompute: what is not kept.
        claims: what is true and to be proved.
        assumed: what the inputs fulfil.
    """

    indices: tuple[tuple[str, Extent], ...]
    parameters: tuple[tuple[str, str], ...]
    inputs: tuple[Tensor, ...]
    lines: tuple[Statement | Use, ...]
    upstream: tuple[tuple[str, str], ...] = ()
    loss: str | None = None
    targets: tuple[str, ...] = ()
    written: bool = True
    names: tuple[tuple[str, str], ...] = ()
    recompute: tuple[str, ...] = ()
    claims: tuple[Identity, ...] = ()
    assumed: tuple[Identity, ...] = ()
    title: str = ""
    comments: tuple[str, ...] = field(default=())

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All equations, those of used specs among them."""
        found: list[Statement] = []
        for line in self.lines:
            found.extend(line.statements if isinstance(line, Use) else (line,))
        return tuple(found)

    @property
    def extents(self) -> dict[str, Extent]:
        """The extent of each index."""
        return dict(self.indices)

    @property
    def axes(self) -> dict[str, tuple[Axis, ...]]:
        """The axes of each tensor."""
        return {made.name: made.axes for made in (*self.inputs, *self.statements)}

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the extents."""
        return tuple(dict.fromkeys(part for _, extent in self.indices for part in extent if isinstance(part, str)))

    @property
    def results(self) -> tuple[str, ...]:
        """What nothing reads."""
        read = {node.tensor for made in self.statements for node in nodes(made.right) if isinstance(node, Read)}
        return tuple(made.name for made in self.statements if made.name not in read)


def entry(name: str, axes: tuple[Axis, ...]) -> str:
    """A tensor with its slots, as it is written."""
    if not axes:
        return name
    slots = (axis[0] if len(axis) == 1 else f"({','.join(axis)})" for axis in axes)
    return f"{name}[{','.join(slots)}]"


SUM, PRODUCT, SIGNED, ATOM = range(4)
"""How strongly a formula holds together."""


def strength(formula: Formula) -> int:
    """How strongly a formula holds together, from sums up to what needs no brackets."""
    match formula:
        case Plus():
            return SUM
        case Times() | Ratio():
            return PRODUCT
        case Negative() | Power():
            return SIGNED
    return ATOM


def said(formula: Formula, least: int = SUM) -> str:
    """The formula as it is written, in brackets where it holds together less than it must."""
    text = written(formula)
    return text if strength(formula) >= least else f"({text})"


def written(formula: Formula) -> str:
    """The formula as it is written."""
    match formula:
        case Number(text) | Symbol(text):
            return text
        case Read(tensor, axes):
            return entry(tensor, axes)
        case Delta(left, right):
            return f"delta[{left},{right}]"
        case Relation(left, sign, right):
            return f"[{left} {sign} {right}]"
        case Negative(body):
            return f"-{said(body, ATOM)}"
        case Plus(parts):
            text = said(parts[0], PRODUCT)
            for part in parts[1:]:
                text += f" - {said(part.body, ATOM)}" if isinstance(part, Negative) else f" + {said(part, PRODUCT)}"
            return text
        case Times(parts):
            return " * ".join([said(parts[0], PRODUCT), *(said(part, SIGNED) for part in parts[1:])])
        case Ratio(top, bottom):
            return f"{said(top, PRODUCT)} / {said(bottom, SIGNED)}"
        case Power(base, exponent, sign):
            return f"{said(base, ATOM)}{sign}{said(exponent, ATOM)}"
        case Apply(function, body, constant):
            more = "" if constant is None else f", {said(constant)}"
            return f"{function}({said(body)}{more})"
        case Over(operator, indices, body):
            return f"{operator}[{','.join(indices)}]({said(body)})"
    raise AssertionError(formula)


def spec_text(program: Program) -> str:
    """The program as a spec."""
    lines = [f'title "{program.title}"'] if program.title else []
    lines += [f"# {comment}" for comment in program.comments]
    lines += [f"index {name} : {'*'.join(map(str, extent))}" for name, extent in program.indices]
    lines += [f"param {name} = {value}" for name, value in program.parameters]
    lines += [f"input {entry(tensor.name, tensor.axes)}" for tensor in program.inputs]
    lines += [f"assume {identity.text}" for identity in program.assumed]
    for line in program.lines:
        if isinstance(line, Use):
            lines.append(line.line)
        else:
            doc = f'   "{line.doc}"' if line.doc else ""
            lines.append(f"{entry(line.name, line.axes)} = {written(line.right)}{doc}")
    axes = program.axes
    if program.loss is not None:
        lines.append(f"loss {program.loss}")
    elif program.written:
        lines += [f"upstream {entry(name, axes[of])} = dL/d{entry(of, axes[of])}" for name, of in program.upstream]
    if program.written and program.targets:
        lines.append(f"derive {', '.join(program.targets)}")
    if program.recompute:
        lines.append(f"recompute {', '.join(program.recompute)}")
    lines += [f"name {name} = dL/d{of}" for of, name in program.names]
    lines += [f"prove {identity.text}" for identity in program.claims]
    return "\n".join(lines) + "\n"

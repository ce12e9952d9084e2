"""What is said of the name under the pointer, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from indexcalc.calculus.pointwise import TABLE as POINTWISE
from indexcalc.calculus.pointwise import call_text
from indexcalc.editors.names import SpecNames
from indexcalc.editors.occurrences import Kind, Occurrence
from indexcalc.language.complaints import USAGE
from indexcalc.language.sugar import EXTREMES, MATRICES
from indexcalc.language.sugar import TABLE as SUGAR


@dataclass
class Known:
    """What the engine says of the tensors of a text, by name, as far as it has come.

    Attributes:
        tensors: shape, meaning and equation of each.
        gradients: the formula of each.
        derived: whether gradients are there, or will not come.
    """

    tensors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    gradients: Mapping[str, str] = field(default_factory=dict)
    derived: bool = False


def hover_text(names: SpecNames, offset: int, known: Known) -> tuple[str, int, int] | None:
    """What is said of what stands at an offset, and where that starts and ends; None if it is nothing."""
    found = names.at(offset)
    if found is None:
        return word_text(names, offset)
    lines = list(said(names, found, known))
    return ("\n\n".join(lines), found.start, found.end) if lines else None


def said(names: SpecNames, one: Occurrence, known: Known) -> Iterator[str]:
    """The paragraphs on a name."""
    if one.kind is Kind.FUNCTION:
        yield from function_text(one.name)
        return
    if one.kind is Kind.TENSOR:
        yield from tensor_text(names, one, known)
        return
    declared = names.declared.get((one.kind, one.name))
    if declared is not None and one.kind in (Kind.INDEX, Kind.EXTENT, Kind.PARAMETER):
        doc = names.doc(declared)
        yield f"{one.kind} `{one.name}`" + (f": {doc}" if doc else "")
        piece = names.piece_at(declared.start)
        if piece is not None:
            yield code(piece.text)


def tensor_text(names: SpecNames, one: Occurrence, known: Known) -> Iterator[str]:
    """Shape, meaning, equation and gradient of a tensor."""
    declared = names.declared.get((one.kind, one.name))
    tensor = known.tensors.get(one.name)
    doc = names.doc(declared) if declared is not None else str(tensor["doc"]) if tensor is not None else ""
    if declared is None and tensor is None:
        return
    shape = f" of shape {tensor['shape']}" if tensor is not None and tensor["shape"] else ""
    yield f"tensor `{one.name}`{shape}" + (f": {doc}" if doc else "")
    piece = None if declared is None else names.piece_at(declared.start)
    if piece is not None:
        yield code(piece.text)
    elif tensor is not None and tensor["equation"]:
        yield code(str(tensor["equation"]))
    if one.name in known.gradients:
        yield "its gradient:"
        yield code(known.gradients[one.name])
    elif tensor is not None and not known.derived:
        yield "its gradient is still being derived"


def function_text(name: str) -> Iterator[str]:
    """What a function is."""
    if name in SUGAR:
        yield f"`{name}[j](x)` is `{SUGAR[name].meaning}`"
    elif name in EXTREMES:
        yield f"`{name}[j](x)` is the {'largest' if EXTREMES[name] > 0 else 'smallest'} entry"
        yield f"`{name}(x, y)`: {POINTWISE[name].meaning}"
    elif name == "clip":
        yield "`clip(x, low, high)` is `min(max(x, low), high)`"
    elif name in MATRICES:
        yield f"`{name}[i,j](x)` is {MATRICES[name]}, with the rows i and the columns j"
    elif name == "sum":
        yield "`sum[j](x)` is the sum over all values of the index"
    elif name == "delta":
        yield "`delta[i,j]` is 1 where the indices are equal, else 0"
    elif name in POINTWISE:
        row = POINTWISE[name]
        yield f"`{call_text(name, 'xyz'[: len(row.derivatives)])}`: {row.meaning}"


def word_text(names: SpecNames, offset: int) -> tuple[str, int, int] | None:
    """What a statement looks like, for the word that it starts with."""
    piece = names.piece_at(offset)
    if piece is None:
        return None
    text = piece.text.lstrip()
    word = text.partition(" ")[0]
    start = piece.start + len(piece.text) - len(text)
    if word not in USAGE or not start <= offset <= start + len(word):
        return None
    return code(USAGE[word]), start, start + len(word)


def code(text: str) -> str:
    """A piece of a spec."""
    return f"```ixc\n{text.strip()}\n```"

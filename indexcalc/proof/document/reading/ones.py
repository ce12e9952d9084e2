r"""Arrays of ones and zeros and identities whose size is written below: ``\mathbf 1_n``, ``I_d``, ``0_{n \times m}``.

A letter below is a size if it is one elsewhere, a capital, or no index of the document. ``e_i`` is a unit
vector where the words say so; where it only looks like one, that is a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import Atom, Node, Scripted, Sum, nodes_of
from indexcalc.proof.document.meaning.nodes import ONE, ZERO, Ones, Relation, times
from indexcalc.proof.document.meaning.sizes import Ix
from indexcalc.proof.document.meaning.typed import Typed
from indexcalc.proof.document.reading.scope import Scope
from indexcalc.proof.document.written.scripts import unwrapped
from indexcalc.proof.document.written.survey import Survey

ONES, ZEROS, IDENTITY, UNIT = "1", "0", "I", "e"

MOST = 2
"""The most sizes below."""


def constant_array(reader: Scope, item: Node) -> tuple[Typed, Scripted] | None:
    """An array of ones or zeros, or an identity, and the scripts that are left of it; None if it is none."""
    base = unwrapped(item.base) if isinstance(item, Scripted) else None
    kind = kind_of(reader, base) if isinstance(base, Atom) else ""
    if not kind or not isinstance(item, Scripted) or not item.below:
        return None
    parts, crossed = parts_below(item.below)
    if not 0 < len(parts) <= MOST:
        return None
    rest = replace(item, below=())
    if kind == UNIT:
        return (unit_vector(reader, parts[0]), rest) if len(parts) == 1 and parts[0].islower() else None
    if not crossed and not all(is_size(reader, part) for part in parts):
        return (kronecker(reader, parts), rest) if kind != ZEROS and are_letters(parts) else None
    if kind == IDENTITY:
        axes = axis_of(reader, parts[0]), axis_of(reader, parts[-1])
        reader.sizes.unify(*axes)
        return Typed(Relation(axes[0], "==", axes[1]), axes), rest
    axes_of = tuple(axis_of(reader, part) for part in parts if part != "1")
    node = times(*(Ones(axis) for axis in axes_of)) if kind == ONES else ZERO
    return Typed(node, axes_of), rest


def kind_of(reader: Scope, base: Atom) -> str:
    """Which constant a sign stands for."""
    if base.kind == "ONE":
        return ONES
    if base.kind == "NUM" and base.text == "0":
        return ZEROS
    if base.kind != "NAME" or base.text in reader.symbols.slots:
        return ""
    return base.text if base.text == IDENTITY or (base.text == UNIT and reader.symbols.units is not None) else ""


def sizes_below(survey: Survey, trees: Iterable[Sum]) -> Iterator[str]:
    """The letters below such arrays that are no index: names of sizes."""
    for tree in trees:
        for node in nodes_of(tree):
            base = unwrapped(node.base) if isinstance(node, Scripted) else None
            if not isinstance(base, Atom) or not isinstance(node, Scripted) or base.text not in (ONES, ZEROS, IDENTITY):
                continue
            for part in parts_below(node.below)[0]:
                bare = survey.usages.get(part)
                known = base.text != IDENTITY or part[:1].isupper() or (bare is not None and bare.bare)
                if part.isalpha() and known and not indexes(survey, part):
                    yield part


def parts_below(tokens: Sequence[Token]) -> tuple[list[str], bool]:
    """The sizes or letters below, and whether the sign of a product stands between them."""
    parts: list[str] = []
    crossed = False
    joins = False
    for token in tokens:
        if token.kind in ("{", "}", "(", ")", "COMMA"):
            continue
        if token.kind == "TIMES" and token.text == "times":
            crossed = True
        elif token.kind == "SUB" and parts:
            joins = True
        elif token.kind in ("NAME", "NUM", "TEXT"):
            parts = [*parts[:-1], f"{parts[-1]}_{token.text}"] if joins else [*parts, token.text]
            joins = False
        else:
            return [], False
    return parts, crossed


def is_size(reader: Scope, part: str) -> bool:
    """Whether what stands below is a size."""
    if part in reader.letters or any(part in scope for scope in reader.dummies):
        return False
    return part in reader.sizes.owners or part.isdigit()


def indexes(survey: Survey, part: str) -> bool:
    """Whether a letter indexes something but such arrays."""
    usages = ((name, usage) for name, usage in survey.usages.items() if name not in (ONES, IDENTITY))
    return any(part in letters for _, usage in usages for letters in usage.letters)


def are_letters(parts: Sequence[str]) -> bool:
    """Whether two index letters stand below."""
    return len(parts) == 2 and all(len(part) == 1 and part.islower() for part in parts)


def kronecker(reader: Scope, parts: Sequence[str]) -> Typed:
    """``I_{ij}``: an entry of the identity."""
    left, right = (reader.letter(part) for part in parts)
    reader.sizes.unify(left, right)
    reader.guesses.append("a sign with two letters below is an entry of the identity")
    return Typed(Relation(left, "==", right) if left != right else ONE)


def unit_vector(reader: Scope, part: str) -> Typed:
    """The vector with a one at an index."""
    letter, axis = reader.letter(part), reader.sizes.fresh()
    reader.sizes.unify(letter, axis)
    if not reader.symbols.units:
        reader.guesses.append("e with an index is a unit vector")
    return Typed(Relation(axis, "==", letter), (axis,))


def axis_of(reader: Scope, part: str) -> Ix:
    """An axis of a size."""
    if part not in reader.sizes.owners:
        return reader.sizes.measured(int(part)) if part.isdigit() else reader.sizes.fresh()
    axis = reader.sizes.fresh()
    reader.sizes.unify(axis, reader.sizes.owners[part])
    return axis

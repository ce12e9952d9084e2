"""What the names of a worksheet mean: by the model's own spelling, by an alias, or by the words that describe a tensor.

A name is never matched by its value. Where several tensors fit, it stays without a meaning, and the reason says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from indexcalc.figures.model import Key, Model, Quantity
from indexcalc.figures.nodes import Name
from indexcalc.proof.numeric import Array

RATES = frozenset({"eta", "lr", "learningrate", "rate", "stepsize"})
"""What the learning rate is called, without underscores."""

NEW = re.compile(r"(?P<a>.+?)(?:_?new|_?updated|_?after|')|(?:new|updated)_(?P<b>.+)")
GRADIENT = re.compile(r"(?:d|grad_?|grad_of_|gradient_?|nabla_?)(?P<a>.+)|(?P<b>.+?)_?grad")
PLACES = re.compile(r"(?P<base>.*?[^\W\d_])_?(?P<digits>\d+)")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
GENERIC = frozenset({"vector", "matrix", "tensor", "array", "the", "final", "all", "gradient", "gradients"})
"""Words that say nothing about which tensor is meant."""

NAME_LIMIT = 80
"""The longest name, in characters, that is looked at for indices and marks."""

PHRASE_END = re.compile(r"[,:;(]|\s(?:of|at|by|for|from|over|to|before|after)\s")


@dataclass(frozen=True)
class Meaning:
    """Some entries of a quantity.

    Attributes:
        quantity: whose entries they are.
        values: the numbers.
        flats: the flat position of each in the quantity.
    """

    quantity: Quantity
    values: Array
    flats: Array

    def described(self) -> str:
        """How the model writes them."""
        if self.flats.shape == () and self.quantity.values.shape:
            return self.quantity.entry(int(self.flats))
        if self.flats.size < self.quantity.values.size:
            first, last = (self.quantity.entry(int(self.flats.reshape(-1)[place])) for place in (0, -1))
            return f"{first} to {last}"
        return self.quantity.text


class UnknownNameError(Exception):
    """A name without a meaning; the text says why. Caught where a claim is judged."""


@dataclass(frozen=True)
class Local:
    """A name that the sheet itself introduces: a part of a tensor, or a number of its own.

    Attributes:
        meaning: the part of a tensor; None for a number of its own.
        value: the number; None if it is known only from its figures.
    """

    meaning: Meaning | None
    value: Array | None = None


@dataclass
class Names:
    """The names of one sheet.

    Attributes:
        model: what is known.
        aliases: names that a context explains.
        first: the number of the first entry, 0 or 1; None if the sheet does not tell.
        own: tensors that the sheet calls by their own names.
        locals: names that the sheet introduced so far.
    """

    model: Model
    aliases: Mapping[str, Name] = field(default_factory=dict)
    first: int | None = 0
    own: frozenset[str] = frozenset()
    locals: dict[str, Local] = field(default_factory=dict)

    def meaning(self, name: Name, whole: bool = False) -> Meaning:
        """The entries that a name stands for.

        Args:
            name: as it stands in the sheet.
            whole: whether indices are left out of account.

        Raises:
            UnknownNameError: if it has no meaning, or an index is out of range.
        """
        if name.symbolic:
            raise UnknownNameError(f"{name.text} stands for many entries")
        for base, places in spellings(name):
            read = replace(name, base=base, places=places)
            meaning = self.explained(read) or self.known(read)
            if meaning is not None:
                return self.part(meaning, read, whole)
        raise UnknownNameError(self.unknown(name))

    def scalar(self, name: Name) -> Meaning | None:
        """The extent or parameter of this name, which may be a tensor's name too."""
        found = self.model.quantities.get(("scalar", name.base))
        return meaning_of(found) if found is not None and not name.places and not name.gradient else None

    def explained(self, name: Name) -> Meaning | None:
        """All that a name stands for by an alias, or by what the sheet says of it."""
        local = self.locals.get(name.base)
        if local is not None and local.meaning is not None:
            return self.differentiated(local.meaning, name)
        target = self.aliases.get(name.base)
        if target is None:
            return None
        # An alias is the context's, where entries are numbered from 0, however the sheet counts.
        return replace(self, first=0, aliases={}).meaning(replace(target, gradient=target.gradient or name.gradient))

    def known(self, name: Name) -> Meaning | None:
        """All entries of the quantity that a name means in the model."""
        quantity = self.quantity(name.base, name.gradient)
        return meaning_of(quantity) if quantity is not None else None

    def plain(self, name: Name) -> bool:
        """Whether a name is spelled as the model spells it."""
        return any(self.spelled(base, name.gradient) is not None for base, _ in spellings(name))

    def differentiated(self, meaning: Meaning, name: Name) -> Meaning:
        """The gradient of a part of a tensor, if the name asks for it."""
        if not name.gradient:
            return meaning
        found = self.model.gradient(meaning.quantity.key[1])
        if found is None or meaning.quantity.key[0] != "value":
            raise UnknownNameError(f"the gradient of {meaning.described()} is not in the model")
        return Meaning(found, np.asarray(found.values.reshape(-1)[meaning.flats]), meaning.flats)

    def part(self, meaning: Meaning, name: Name, whole: bool) -> Meaning:
        """The entries at the name's indices, after its transposition; axes of length one need no index."""
        values, flats = meaning.values, meaning.flats
        if name.transposed and values.ndim >= 2:
            values, flats = np.swapaxes(values, -1, -2), np.swapaxes(flats, -1, -2)
        if whole or not name.places:
            return Meaning(meaning.quantity, values, flats)
        stored = meaning.quantity.stored
        if len(name.places) > values.ndim:
            raise UnknownNameError(
                f"{name.text} has {len(name.places)} indices, {meaning.described()} has {values.ndim}"
            )
        if not name.transposed and values.shape != stored and len(name.places) == len(stored):
            values, flats = values.reshape(stored), flats.reshape(stored)
        if len(name.places) == sum(length > 1 for length in values.shape) < values.ndim:
            values, flats = values.squeeze(), flats.squeeze()
        index: list[int | slice] = []
        for place, length in zip(name.places, values.shape, strict=False):
            if self.first is None and place is not None and length > 1:
                raise UnknownNameError(f"{name.text}: nothing says whether entries are numbered from 0 or from 1")
            at = None if place is None else place - (self.first or 0) if length > 1 else 0
            if at is not None and not 0 <= at < length:
                raise UnknownNameError(f"{name.text}: the index {place} is out of range, {shape_text(values.shape)}")
            index.append(slice(None) if at is None else at)
        chosen = tuple(index)
        return Meaning(meaning.quantity, np.asarray(values[chosen]), np.asarray(flats[chosen]))

    def quantity(self, base: str, gradient: bool) -> Quantity | None:
        """The quantity of a name without indices; by its spelling first, then by its description."""
        return self.spelled(base, gradient) or self.by_words(words_of([base]), gradient)

    def spelled(self, base: str, gradient: bool) -> Quantity | None:
        """The quantity that is written like this."""
        found = self.model.quantities
        if gradient:
            tensor = self.tensor(base)
            return self.model.gradient(tensor) if tensor is not None else None
        tensor = self.tensor(base)
        if tensor is not None:
            authored = {name: of for of, name in self.model.derivation.problem.gradient_names.items()}
            if ("value", tensor) not in found and tensor in authored:
                return found.get(("gradient", authored[tensor]))
            return found.get(("value", tensor)) or found.get(("scalar", tensor))
        if len(base) > NAME_LIMIT:
            return None
        for pattern, kind in ((NEW, "new"), (GRADIENT, "gradient")):
            match = pattern.fullmatch(base)
            inner = self.tensor(match["a"] or match["b"]) if match else None
            quantity = found.get((kind, inner)) if inner is not None else None
            if inner is not None and kind == "gradient":
                quantity = self.model.gradient(inner)
            if quantity is not None:
                return quantity
        if folded(base).lower() in RATES:
            return found.get(("scalar", "learning rate"))
        return None

    def tensor(self, base: str) -> str | None:
        """The model's tensor or scalar of this name; underscores don't matter if nothing else fits."""
        problem = self.model.derivation.problem
        scalars = [key[1] for key in self.model.quantities if key[0] == "scalar"]
        names = [*self.model.tensors, *problem.program.tensors, *scalars]
        if base in names:
            return base
        near = {name for name in names if folded(name) == folded(base)}
        return next(iter(near)) if len(near) == 1 else None

    def by_words(self, words: Sequence[str], gradient: bool) -> Quantity | None:
        """The quantity whose description says these words; None if none does, or several."""
        matched = self.described(words)
        if len(matched) != 1:
            return None
        return self.model.gradient(matched[0]) if gradient else self.model.quantities.get(("value", matched[0]))

    def described(self, words: Sequence[str]) -> list[str]:
        """The tensors described by these words: those of just this description, else those whose description ends so.

        Of the latter, tensors that the sheet calls by their own names are left out: they have a name already.
        """
        wanted = [word for word in words if word not in GENERIC]
        if not wanted or len("".join(wanted)) < 3:
            return []
        if wanted == ["learning", "rate"]:
            return []
        phrases = {
            name: phrases_of(tensor.doc) for name, tensor in self.model.derivation.problem.program.tensors.items()
        }
        exact = [name for name, options in phrases.items() if wanted in options]
        if exact:
            return exact
        ending = [name for name, options in phrases.items() if any(o[-len(wanted) :] == wanted for o in options)]
        return [name for name in ending if name not in self.own]

    def unknown(self, name: Name) -> str:
        """Why a name has no meaning."""
        several = self.described(words_of([name.base]))
        if len(several) > 1:
            return f"{name.base} may be {' or '.join(several)}; say which, as in: alias {name.base} = {several[0]}"
        return f"the model has no {name.base}; if it has under another name, say so, as in: alias {name.base} = X"


def meaning_of(quantity: Quantity) -> Meaning:
    """All entries."""
    shape = quantity.values.shape
    return Meaning(quantity, quantity.values, np.arange(quantity.values.size).reshape(shape))


def spellings(name: Name) -> Iterable[tuple[str, tuple[int | None, ...]]]:
    """The name as it is; then with digits at its end as indices."""
    yield name.base, name.places
    if len(name.base) > NAME_LIMIT:
        return
    match = PLACES.fullmatch(name.base.translate(SUBSCRIPTS))
    if match and not name.places:
        yield match["base"], tuple(int(digit) for digit in match["digits"])


def folded(name: str) -> str:
    """The name without underscores."""
    return name.replace("_", "")


def words_of(names: Iterable[str]) -> list[str]:
    """The words of names, small and singular: ``scaled_scores`` is ``scaled score``."""
    found = []
    for name in names:
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
        found += [singular(word) for word in spaced.lower().split()]
    return found


def singular(word: str) -> str:
    """A word without its plural."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def phrases_of(doc: str) -> list[list[str]]:
    """What a description names: its first phrase, as words."""
    head = PHRASE_END.split(doc)[0]
    words = [word for word in words_of(re.findall(r"[\w-]+", head)) if word not in GENERIC]
    return [words] if words else []


def shape_text(shape: Sequence[int]) -> str:
    """``2×4``."""
    return "×".join(map(str, shape)) or "a single number"


def key_text(key: Key) -> str:
    """A key in words."""
    return " ".join(key)

"""What a chain is about: an entry, a tensor or a part of one, or a name of the sheet's own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from indexcalc.figures.chains import Chain
from indexcalc.figures.model import Key
from indexcalc.figures.naming import Meaning, Names, UnknownNameError, meaning_of, words_of
from indexcalc.figures.nodes import Figure, Name, Rows, shape_of
from indexcalc.proof.numeric import Array

ROW = re.compile(r"\b(?:position|row|token|query|sample|index|step)\s+(\d+)\b", re.IGNORECASE)
CONNECTING = frozenset(
    {"the", "a", "an", "so", "then", "thus", "hence", "where", "with", "and", "for", "we", "get", "is", "now", "from"}
)
"""Words that stand before a name and are no part of it."""


MODIFIERS = frozenset(
    {
        "of",
        "in",
        "on",
        "by",
        "per",
        "times",
        "over",
        "to",
        "than",
        "log",
        "ln",
        "exp",
        "max",
        "min",
        "sum",
        "mean",
        "norm",
    }
)
"""Words right before a name that make another quantity of it: ``the change of L = 0.0007``."""

VALUES = frozenset({"value", "values", "entry", "entries", "element", "elements", "result"})
"""Words before ``of`` that leave the quantity what it is."""


@dataclass(frozen=True)
class Head:
    """The left side of a chain.

    Attributes:
        text: how the model writes it, or the sheet's name.
        meaning: the entries; None if the model has none of that name.
        name: the name of the sheet's own that it may be, if it has no meaning.
        introduces: a new name for a part of a tensor.
        problem: why it has no meaning.
        assumptions: what was read into the name.
    """

    text: str
    meaning: Meaning | None = None
    name: str = ""
    introduces: str = ""
    problem: str = ""
    assumptions: tuple[str, ...] = ()

    @property
    def number(self) -> float | None:
        """The exact number, if it is one."""
        return float(self.meaning.values) if self.meaning is not None and self.meaning.values.shape == () else None

    @property
    def array(self) -> Array | None:
        """The exact numbers, if they are several."""
        return self.meaning.values if self.meaning is not None and self.meaning.values.shape != () else None

    @property
    def place(self) -> tuple[Key, int] | None:
        """Which entry it is, if it is one."""
        if self.meaning is None or self.meaning.flats.shape != ():
            return None
        return self.meaning.quantity.key, int(self.meaning.flats)

    def after(self, names: Names) -> Head:
        """The same after the update."""
        if self.meaning is None or self.meaning.quantity.key[0] != "value":
            return Head(self.text, problem="the model has no such value after the update")
        quantity = names.model.quantities.get(("new", self.meaning.quantity.key[1]))
        if quantity is None:
            return Head(self.text, problem="the model has no such value after the update")
        flats = self.meaning.flats
        meaning = Meaning(quantity, np.asarray(quantity.values.reshape(-1)[flats]), flats)
        return replace(self, text=quantity.text, meaning=meaning)


def head_of(chain: Chain, names: Names, context: str) -> Head:
    """What a chain is about.

    Args:
        chain: the chain.
        names: what names mean.
        context: the text of the section above the chain.
    """
    head = chain.head
    if head is None:
        return labelled(chain, names, context)
    if not isinstance(head, Name):
        return Head("the head")
    if modified(chain.label):
        return Head(head.text, problem=f"the words before {head.text} say that another quantity is meant")
    try:
        meaning = names.meaning(head)
    except UnknownNameError as error:
        return unnamed(chain, head, names, context, str(error))
    listed = any(isinstance(member.node, Rows) for member in chain.members)
    fitting = shaped(meaning, chain, names, context)
    if fitting is not None and fitting.values.shape != () and not listed:
        fitting = scalar_stated(head, chain, names) or fitting
    if fitting is None:
        shape = "×".join(map(str, meaning.values.shape))
        return Head(
            head.text,
            problem=f"{meaning.described()} of the model is {shape}; if {head.text} is another thing here, "
            f"say so, as in: alias {head.base} = X",
        )
    return Head(spoken(head.text, fitting), fitting, assumptions=read_as(head, fitting, names))


def modified(label: tuple[str, ...]) -> bool:
    """Whether the words before a name make another quantity of it."""
    words = [word.lower() for word in label if word.lower() not in ("the", "a", "an")]
    return bool(words) and words[-1] in MODIFIERS and not (len(words) > 1 and words[-2] in VALUES)


def scalar_stated(head: Name, chain: Chain, names: Names) -> Meaning | None:
    """The extent or parameter that a name means where one number is stated of it, not an array."""
    return names.scalar(head) if any(isinstance(member.node, Figure) for member in chain.members) else None


def unnamed(chain: Chain, head: Name, names: Names, context: str, problem: str) -> Head:
    """A name that the model does not have: described by words beside it, or the sheet's own."""
    notes = " ".join(member.note for member in chain.members)
    for words in (words_of(re.findall(r"\w+", notes)), words_of(chain.label)):
        quantity = names.by_words(words, head.gradient) if words and not head.places else None
        rate = names.model.quantities.get(("scalar", "learning rate")) if words[-2:] == ["learning", "rate"] else None
        found = quantity or rate
        if found is not None:
            meaning = shaped(meaning_of(found), chain, names, context)
            if meaning is not None:
                text = spoken(head.text, meaning)
                reading = (f"{head.text} is {meaning.described()}: {' '.join(words)}",)
                return Head(text, meaning, introduces=head.base, assumptions=reading)
    own = "" if head.places or head.gradient else own_name(chain, head)
    return Head(own or head.text, name=own, problem=problem)


def own_name(chain: Chain, head: Name) -> str:
    """A name of the sheet's own; of words in a row, such as ``Scale factor``, all together."""
    words = [word for word in chain.label if word.lower() not in CONNECTING]
    if not words or len(head.base) == 1 or len(words) > 3:
        return head.base
    return "_".join([*words, head.base]).lower()


def labelled(chain: Chain, names: Names, context: str) -> Head:
    """Words before a colon or a relation."""
    words = [word for word in chain.label if word.lower() not in CONNECTING]
    text = " ".join(chain.label)
    if len(words) == 1:
        quantity = names.spelled(words[0], False) or names.by_words(words_of(words), False)
    else:
        quantity = names.by_words(words_of(words), False)
    if words_of(words)[-2:] == ["learning", "rate"]:
        quantity = names.model.quantities.get(("scalar", "learning rate"))
    if quantity is None:
        return Head(text, name="_".join(words).lower(), problem=f"the model has nothing described as {text}")
    meaning = shaped(meaning_of(quantity), chain, names, context)
    if meaning is None:
        return Head(text, problem=f"{text} may be {quantity.text}, whose shape is another")
    return Head(spoken(text, meaning), meaning, assumptions=(f"{text} is {meaning.described()}",))


def shaped(meaning: Meaning, chain: Chain, names: Names, context: str) -> Meaning | None:
    """The entries that a list can be about: all, or the row that the words beside it name; None if it is about none.

    A list of as many axes but other lengths is about all of them, and wrong.
    """
    shapes = [shape_of(member.node) for member in chain.members if isinstance(member.node, Rows)]
    if not shapes and meaning.values.size == 1:
        return Meaning(meaning.quantity, meaning.values.reshape(()), meaning.flats.reshape(()))
    if not shapes or shapes[0] is None:
        return meaning
    shape = shapes[0]
    if len(shape) == meaning.values.ndim or squeezed(shape) == squeezed(meaning.values.shape):
        return meaning
    if shape == meaning.quantity.stored and meaning.values.size == meaning.quantity.values.size:
        return Meaning(meaning.quantity, meaning.values.reshape(shape), meaning.flats.reshape(shape))
    if shape != meaning.values.shape[1:]:
        return None
    spoken_rows = ROW.findall(" ".join(member.note for member in chain.members)) or ROW.findall(context)[-1:]
    row = int(spoken_rows[0]) - (names.first or 0) if spoken_rows else -1
    if not 0 <= row < meaning.values.shape[0]:
        return None
    return Meaning(meaning.quantity, np.asarray(meaning.values[row]), np.asarray(meaning.flats[row]))


def squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without axes of length one."""
    return tuple(length for length in shape if length != 1)


def spoken(text: str, meaning: Meaning) -> str:
    """The sheet's name, with the model's where it is another."""
    described = meaning.described()
    plain = text.replace("][", ",").replace(" ", "")
    return text if plain == described else f"{text} (the model's {described})"


def read_as(head: Name, meaning: Meaning, names: Names) -> tuple[str, ...]:
    """What a name was read as, if it is not spelled as the model spells it."""
    return () if names.plain(head) else (f"{head.base} is {meaning.quantity.key[1]}",)

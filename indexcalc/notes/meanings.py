"""What the author's words say of indices and tensors, as phrases that fit into a sentence.

Only what looks like a noun phrase is used. Where the words are something else, sentences speak of symbols alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexcalc.algebra.terms import Index
from indexcalc.notes.blocks import Span
from indexcalc.program import Program

LONGEST = 5
"""The most words of a phrase that is put into a sentence."""

ENDS = re.compile(r"[,;:(]")
"""What ends the noun phrase at the beginning of a description."""

BETWEEN = frozenset(
    {"of", "in", "to", "from", "at", "for", "under", "on", "over", "between", "with", "before", "after", "by", "as"}
    | {"per", "across", "through", "and", "or"}
)
"""What may follow the head of a noun phrase, and never begins one."""

OTHER = frozenset(
    {"where", "which", "that", "what", "who", "how", "is", "are", "was", "has", "have", "had", "does", "do", "whether"}
    | {"when", "if", "there", "their", "its", "it", "this", "these", "those", "not", "no", "every", "each", "all"}
    | {"some", "half", "a", "an"}
)
"""What makes the words a clause, or more than a plain noun phrase."""

PLACES = frozenset({"positions", "places", "tokens", "rows", "columns", "points", "steps", "frames", "nodes"})
"""What each tensor has of its own, so that words may say whose they are."""

NOT_PLURAL = ("ss", "us", "is", "as")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase without an article, such as "rows of the batch", and whether its head is a plural."""

    words: str
    plural: bool


def phrase_of(doc: str) -> Phrase | None:
    """The noun phrase at the beginning of a description; None if it does not look like one."""
    text, *rest = ENDS.split(doc.strip(), maxsplit=1)
    words, behind = text.split(), " ".join(rest).split()
    # "update gate, of inputs" and "update gate: bias" are no update gates.
    if text != doc.strip() and (doc.strip()[len(text)] == ":" or (behind and behind[0] in BETWEEN)):
        return None
    # "deviations, multiplied by the inverse" are no deviations.
    if behind and behind[0].endswith(("ed", "ing")):
        return None
    if words and words[0].lower() == "the":
        words = words[1:]
    lower = [word.lower() for word in words]
    if not words or len(words) > LONGEST or not all(re.fullmatch(r"[a-z]+(-[a-z]+)*", word) for word in lower):
        return None
    inner = [word for word in lower[1:] if word not in ("a", "an")]
    if lower[0] in BETWEEN | OTHER or lower[-1] in BETWEEN or any(word in OTHER for word in inner):
        return None
    if any(word in ("and", "or") for word in lower):
        return None
    head = lower[next((place for place, word in enumerate(lower) if word in BETWEEN), len(lower)) - 1]
    return Phrase(" ".join(words), head.endswith("s") and not head.endswith(NOT_PLURAL))


def tensor_phrase(program: Program, name: str) -> Phrase | None:
    """What the author calls a tensor."""
    docs = {tensor.name: tensor.doc for tensor in program.tensors.values()}
    docs |= {equation.name: equation.doc for equation in program.equations}
    found = phrase_of(docs.get(name, ""))
    if found is None or docs[name].strip().lower().removeprefix("the ") == found.words.lower():
        return found
    # The beginning of a description names nothing if others begin alike.
    others = (phrase_of(doc) for other, doc in docs.items() if other != name)
    return None if found in others else found


def index_phrase(program: Program, index: Index) -> Phrase | None:
    """What the author calls the values of an index.

    Several letters may have one description, such as "token positions". Where each stands for the places of inputs of
    its own, these tell them apart: "token positions of the queries".
    """
    found = phrase_of(program.index_docs.get(index.name, ""))
    if found is None:
        return None
    of = owners(program, index)
    if not of or " of " in found.words or found.words.rsplit(" ", 1)[-1] not in PLACES:
        return found
    return Phrase(f"{found.words} of the {' and '.join(of)}", found.plural)


def owners(program: Program, index: Index) -> list[str]:
    """The inputs whose entries a letter tells apart, where other letters of the same description belong to others."""
    doc = program.index_docs.get(index.name, "")
    letters = {name for name, other in program.index_docs.items() if other == doc}
    used = {tensor.name: {slot.name for slot in tensor.slots} & letters for tensor in program.inputs}
    if (
        any(len(found) > 1 for found in used.values())
        or len({frozenset(found) for found in used.values() if found}) < 2
    ):
        return []
    phrases = [tensor_phrase(program, name) for name, found in used.items() if index.name in found]
    if not 1 <= len(phrases) <= 2 or any(
        phrase is None or not phrase.plural or " " in phrase.words for phrase in phrases
    ):
        return []
    return [phrase.words for phrase in phrases if phrase is not None]


def who(program: Program, index: Index, slot: Index | None = None) -> list[Span]:
    """The values of an index after "all": ``rows of the batch (n)``, or the letter alone.

    A dummy has no description of its own, but that of the slot in whose place it is.
    """
    meant = index if slot is None or index.name in program.index_docs else slot
    found = index_phrase(program, meant)
    if found is None or not found.plural:
        return [index, *called(found)]
    return [f"{found.words} (", index, ")"]


def called(found: Phrase | None) -> list[Span]:
    """A description behind a symbol, in parentheses; nothing where there is none."""
    return [f" ({found.words})"] if found is not None else []

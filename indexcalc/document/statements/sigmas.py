r"""What words say that sigma is, as a function: a softmax of each row.

A logistic function and a softmax are both written ``\sigma(z)``. That sigma is a softmax a page has to say in so many
words, or it shows in what holds.
"""

from __future__ import annotations

import re

SIGN = r"(?:\$ *\\sigma *(?:\( *(?:\\cdot|[A-Za-z·]) *\))? *\$|σ(?:\([^()]{0,10}\))?)"
"""Sigma in the text, by itself or with an argument that stands for any."""

SAID = re.compile(
    rf"{SIGN}\s+(?:is|be|denotes|means|stands for|represents|as)\s+(?:(?:the|a|an)\s+)?"
    r"(?:(?:row-?wise|usual|standard)\s+)?soft-?max(?:\s+(?:function|operator|operation|map|mapping))?"
    r"(?:\s+(?:over|along|across|of|on)\s+(?:the\s+|each\s+|every\s+|its\s+|all\s+)?rows?)?\s*(?=[.,;:)$]|\Z)",
    re.IGNORECASE,
)
"""Words that say that it is a softmax."""

OTHERWISE = re.compile(
    r"\b(?:not|never|if|unless|when|whenever|unlike|instead|were|would|suppose|for (?:two|more|many)"
    r"|colum\w*|axis|dim\w*|temperature|entries)\b|n't\b",
    re.IGNORECASE,
)
"""Words in the sentence with which they say something else, or not always, or of other entries than a row's."""

LOGISTIC = re.compile(r"sigmoid|logistic", re.IGNORECASE)
"""Words for what sigma is else, it may be elsewhere on the page."""

REACH = 200
"""How many characters of a sentence are read, before these words and behind them."""


def is_said_to_be_softmax(source: str) -> bool:
    """Whether words say that sigma is a softmax of each row, and speak of no logistic function beside it."""
    if LOGISTIC.search(source):
        return False
    found = list(SAID.finditer(source))
    return bool(found) and not any(OTHERWISE.search(around(source, one)) for one in found)


def around(source: str, words: re.Match[str]) -> str:
    """What stands before words in their sentence, and behind them."""
    before = source[max(words.start() - REACH, 0) : words.start()].rpartition(".")[2]
    return f"{before} {source[words.end() : words.end() + REACH].partition('.')[0]}"

r"""What words say that sigma is, as a function: the logistic one, or a softmax.

Both are written ``\sigma(z)``. Of a number it is the logistic function; of an array a page has to say it, or it shows
in what holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexcalc.document.statements.outline import Statement

SOFTMAX = r"soft-?max"
LOGISTIC = r"sigmoid|logistic"

SIGN = r"(?:\$ *\\sigma *(?:\( *(?:\\cdot|[A-Za-z·]) *\))? *\$|σ(?:\([^()]{0,10}\))?)"
"""Sigma in the text, by itself or with an argument that stands for any."""

BEING = r"\s*(?:is|are|denotes?|means|stands for|refers to|represents|as|being|[=:,(—-])?\s*(?:the|an?)?\s*"

CALLED = r"\s*(?:is|be|denoted|written|called|by|as|of|[,(:—-])?\s*(?:by|as)?\s*"

SAID = re.compile(
    rf"{SIGN}{BEING}(?:(?!not\b|never\b|no\b)[\w-]+ ){{0,2}}?(?:(?P<softmax>{SOFTMAX})|{LOGISTIC})"
    rf"|(?:(?P<softmax_before>{SOFTMAX})|(?:{LOGISTIC}))"
    rf"(?:[- ](?:function|activation|operator|map(?:ping)?|nonlinearity))?{CALLED}{SIGN}",
    re.IGNORECASE,
)
"""Words that name it."""

OTHERS = re.compile(rf"{LOGISTIC}|\btanh\b|\brelu\b|\bgelu\b|\bactivation|nonlinearit|non-linearit", re.IGNORECASE)
"""Words for what else sigma may be."""


def said_of_sigma(source: str) -> str:
    """Which function words say that it is: "softmax" or "logistic"; empty if they say none, or both."""
    softmax = {bool(found["softmax"] or found["softmax_before"]) for found in SAID.finditer(source)}
    if len(softmax) != 1:
        return ""
    return "softmax" if True in softmax else "logistic"


def speaks_of_softmax_alone(source: str, statements: Iterable[Statement]) -> bool:
    """Whether words speak of a softmax and of no other function that sigma may be, and formulas name none."""
    if re.search(SOFTMAX, source, re.IGNORECASE) is None or OTHERS.search(source) is not None:
        return False
    tokens = (token.text for statement in statements for side in statement.sides for token in side.tokens)
    return not any(re.fullmatch(SOFTMAX, text, re.IGNORECASE) for text in tokens)

"""Texts that a notebook shows as what they are: strings, with a way to be set."""

from __future__ import annotations

import re

INLINE = re.compile(r"\$`([^`]*)`\$")
FENCE = re.compile(r"^```math\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


class Markdown(str):
    """Markdown as GitHub reads it; a notebook shows it set."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return for_notebooks(self)


class Latex(str):
    """LaTeX of one formula, without dollar signs; a notebook shows it set."""

    __slots__ = ()

    def _repr_latex_(self) -> str:
        return displayed(self)


def displayed(latex: str) -> str:
    """A formula on lines of its own."""
    return f"$$\n{latex}\n$$"


def for_notebooks(text: str) -> str:
    """Markdown with formulas between dollar signs, as notebooks read them, and not in GitHub's form."""
    return INLINE.sub(lambda found: f"${found[1]}$", FENCE.sub(lambda found: displayed(found[1]), text))

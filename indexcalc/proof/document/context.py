"""What an author leaves unsaid: a context of a few lines, which never says that a claim is true.

Lines are equations of the forward pass in the notation of the document, or one of::

    alias F = A
    function sigma = softmax
    convention einstein
    adjoint G_* = dL/d*
    assume sum[k](y[k]) = 1
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from indexcalc.errors import SpecError
from indexcalc.language.latex.tokens import tokenize
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

DIRECTIVE = re.compile(r"(alias|function|convention|adjoint|assume)\s+(.*)")
SUMS_TO_ONE = re.compile(r"sum\[([^\]]*)\]\s*\(\s*([^\[\s]+)\[([^\]]*)\]\s*\)\s*=\s*1")
ADJOINT = re.compile(r"(\S+?)\*(\S*)\s*=\s*[d∂](\S+)/[d∂]\*")


@dataclass
class Context:
    """What a context says.

    Attributes:
        aliases: a name, and the name it stands for.
        functions: a name, and the known function it stands for.
        einstein: whether repeated indices are summed; None if the context does not say.
        adjoints: ``(prefix, suffix, loss)`` of names of gradients.
        simplex: names whose entries sum to one, with the places of the summed slots.
        equations: equations of the forward pass, as LaTeX.
    """

    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    einstein: bool | None = None
    adjoints: list[tuple[str, str, str]] = field(default_factory=list)
    simplex: dict[str, tuple[int, ...]] = field(default_factory=dict)
    equations: list[str] = field(default_factory=list)


def read_context(texts: list[str]) -> Context:
    """The context that several texts give together.

    Raises:
        SpecError: for a line that is no directive and no equation.
    """
    context = Context()
    for text in texts:
        for raw in text.splitlines():
            for part in raw.split("#")[0].split(";"):
                line = part.strip()
                if line:
                    read_line(line, context)
    return context


def read_line(line: str, context: Context) -> None:
    """Add what one line says."""
    match = DIRECTIVE.fullmatch(line)
    if match is None:
        if "=" not in line and r"\in" not in line:
            raise SpecError(f"a context holds equations and directives, but this is neither: {line}")
        context.equations.append(spelled(line))
        return
    word, rest = match.groups()
    if word in ("alias", "function"):
        left, equals, right = (part.strip() for part in rest.partition("="))
        if not equals or not left or not right:
            raise SpecError(f"{word} needs two names, as in: {word} F = A; found: {line}")
        if word == "function" and right not in {*FUNCTIONS, *STRUCTURAL}:
            raise SpecError(f"the function {right} is not known; known are {', '.join(sorted(FUNCTIONS))} and softmax")
        (context.aliases if word == "alias" else context.functions)[plain(left)] = plain(right)
    elif word == "convention":
        if rest not in ("einstein", "sums"):
            raise SpecError(f"a convention is einstein or sums, not {rest}")
        context.einstein = rest == "einstein"
    elif word == "adjoint":
        found = ADJOINT.fullmatch(rest)
        if found is None:
            raise SpecError(f"an adjoint is said as in: adjoint G_* = dL/d*; found: {line}")
        context.adjoints.append((found[1], found[2], found[3]))
    else:
        found = SUMS_TO_ONE.fullmatch(rest)
        if found is None:
            raise SpecError(f"what can be assumed is that a sum is one, as in: assume sum[k](y[k]) = 1; found: {line}")
        slots = [slot.strip() for slot in found[3].split(",")]
        bound = [slot.strip() for slot in found[1].split(",")]
        if not set(bound) <= set(slots):
            raise SpecError(f"the sum runs over an index that {found[2]} does not have: {line}")
        context.simplex[plain(found[2])] = tuple(slots.index(slot) for slot in bound)


def plain(name: str) -> str:
    """A name as the reader of LaTeX spells it."""
    tokens = tokenize(name)
    text = "".join("_" if token.kind == "SUB" else token.text for token in tokens if token.kind not in ("{", "}"))
    return text or name


def spelled(line: str) -> str:
    """An equation of the spec language as LaTeX: ``sqrt(d)`` and ``exp(x)`` are known words."""
    return re.sub(r"(?<!\\)\bsqrt\s*\(([^()]*)\)", r"\\sqrt{\1}", line)

"""What an author leaves unsaid: a context of a few lines, which never says that a claim is true.

Lines are equations of the forward pass in the notation of the document, or one of::

    alias F = A
    function sigma = softmax
    convention einstein
    layout jacobian
    adjoint G_* = dL/d*
    assume sum[k](y[k]) = 1
    assume J[i,j] = J[j,i]
    assume y is a vector
    size H = x.2
    schematic lines 29-30
    scope "Backward pass"
    scope lines 40-60

What follows a scope holds only below the heading, or on the lines, that it names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace

from indexcalc.errors import SpecError
from indexcalc.language.latex.phrases import Phrase, phrase_of
from indexcalc.language.latex.tokens import tokenize
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

JACOBIAN, GRADIENT = "jacobian", "gradient"

SUMS_TO_ONE = re.compile(r"sum\[([^\]]*)\]\s*\(\s*([^\[\s]+)\[([^\]]*)\]\s*\)\s*=\s*1")
EXCHANGED = re.compile(r"(?P<name>[^\[\s]+)\[([^\]]*)\]\s*=\s*(?P=name)\[([^\]]*)\]")
ADJOINT = re.compile(r"(\S+?)\*(\S*)\s*=\s*[d∂](\S+)/[d∂]\*")
ONE_ADJOINT = re.compile(r"([^\s*]+)\s*=\s*[d∂]([^\s*/]+)/[d∂]([^\s*]+)")
SIZE = re.compile(r"(\S+)\s*=\s*(\S+)\.(\d+)")
LINES = re.compile(r"lines?\s+(\d+)(?:\s*[-–]\s*(\d+))?")
QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”')


@dataclass(frozen=True, slots=True)
class SizeOf:
    """A name for the size of a slot, counted from 1, with the line that gives it."""

    name: str
    tensor: str
    slot: int
    line: str


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of a document: below a heading, or from one line to another, from 1."""

    heading: str = ""
    lines: tuple[int, int] = (0, 0)


@dataclass
class Context:
    """What a context says.

    Attributes:
        aliases: a name, and the name it stands for.
        phrases: what the document writes out each time, and the name that takes its place.
        functions: a name, and the known function it stands for.
        einstein: whether repeated indices are summed; None if the context does not say.
        layout: how the derivative by an array is laid out: `JACOBIAN`, `GRADIENT`, or empty if it is not said.
        adjoints: ``(prefix, suffix, loss)`` of names of gradients.
        gradients: a name, and the ``(tensor, loss)`` whose gradient it is.
        simplex: names whose entries sum to one, with the places of the summed slots.
        assumed: how notation is to be read where it leaves that open, in the words of a report, with the lines.
        sizes: names of sizes.
        schematic: the first and last line of what is not to be judged.
        equations: equations of the forward pass, as LaTeX.
        scoped: what holds only in a part of the document, by the part.
    """

    aliases: dict[str, str] = field(default_factory=dict)
    phrases: list[Phrase] = field(default_factory=list)
    functions: dict[str, str] = field(default_factory=dict)
    einstein: bool | None = None
    layout: str = ""
    adjoints: list[tuple[str, str, str]] = field(default_factory=list)
    gradients: dict[str, tuple[str, str]] = field(default_factory=dict)
    simplex: dict[str, tuple[int, ...]] = field(default_factory=dict)
    assumed: dict[str, str] = field(default_factory=dict)
    sizes: list[SizeOf] = field(default_factory=list)
    schematic: list[tuple[int, int]] = field(default_factory=list)
    equations: list[str] = field(default_factory=list)
    scoped: dict[Scope, Context] = field(default_factory=dict)

    def within(self, scope: Scope) -> Context:
        """What holds in a part of the document: all that is said of the whole, and what is said of this part."""
        here = self.scoped[scope]
        joined = Context(einstein=self.einstein, layout=self.layout)
        for attribute in (f.name for f in fields(Context)):
            general, own = getattr(self, attribute), getattr(here, attribute)
            if isinstance(general, dict):
                setattr(joined, attribute, {**general, **own})
            elif isinstance(general, list):
                setattr(joined, attribute, [*general, *own])
            elif own not in (None, ""):
                setattr(joined, attribute, own)
        joined.scoped = {}
        return joined

    def around(self, row: Context) -> Context:
        """What holds in a row of a table that has a context of its own: that, with the conventions and names of all.

        Raises:
            SpecError: if the row's context speaks of another part of the document.
        """
        if row.scoped:
            raise SpecError("a context in a row of a table holds for this row, and has no scope")
        return replace(
            row,
            einstein=self.einstein if row.einstein is None else row.einstein,
            layout=row.layout or self.layout,
            aliases={**self.aliases, **row.aliases},
            phrases=[*self.phrases, *row.phrases],
            functions={**self.functions, **row.functions},
            assumed={**self.assumed, **row.assumed},
        )


def read_context(texts: list[str]) -> Context:
    """The context that several texts give together.

    Raises:
        SpecError: for a line that is no directive and no equation; the message says which.
    """
    context = Context()
    for text in texts:
        here = context
        for number, raw in enumerate(text.splitlines(), 1):
            for part in raw.split("#")[0].split(";"):
                line = part.strip()
                if not line:
                    continue
                try:
                    here = read_line(line, here, context)
                except SpecError as error:
                    raise SpecError(f"line {number} of the context: {error}") from None
    return context


def read_line(line: str, here: Context, whole: Context) -> Context:
    """Add what one line says, and return the context to which the next one belongs."""
    word, _, rest = line.partition(" ")
    if word == "scope":
        return read_scope(rest.strip(), line, whole)
    if word in DIRECTIVES and not rest.lstrip().startswith("="):
        DIRECTIVES[word](rest.strip(), line, here)
    elif "=" in line or r"\in" in line:
        here.equations.append(spelled(line))
    else:
        known = ", ".join((*sorted(DIRECTIVES), "scope"))
        raise SpecError(f"neither an equation nor a directive ({known}): {line}")
    return here


def read_scope(rest: str, line: str, whole: Context) -> Context:
    """``scope "Backward pass"``: what follows holds below this heading; ``scope lines 40-60``: on these lines."""
    if LINES.fullmatch(rest):
        return whole.scoped.setdefault(Scope(lines=read_lines(rest, line)), Context())
    found = QUOTED.fullmatch(rest)
    if found is None:
        example = 'scope "Backward pass", or: scope lines 40-60'
        raise SpecError(f"a scope names a heading in quotes, or lines, as in: {example}; found: {line}")
    return whole.scoped.setdefault(Scope(" ".join((found[1] or found[2]).split())), Context())


def read_lines(rest: str, line: str) -> tuple[int, int]:
    """``lines 29-30`` or ``line 29``: the first and the last line.

    Raises:
        SpecError: if no line is named, or the last one stands before the first one.
    """
    found = LINES.fullmatch(rest)
    if found is None:
        raise SpecError(f"schematic needs the lines of the document, as in: schematic lines 29-30; found: {line}")
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first or first < 1:
        raise SpecError(f"the lines {first} to {last} are none: {line}")
    return first, last


def read_alias(rest: str, line: str, context: Context) -> None:
    """``alias F = A``: one name for another, or for a phrase such as ``softmax(x)``."""
    left, right = two_names("alias", rest, line)
    if not add_phrase(left, plain(right), context):
        context.aliases[plain(left)] = plain(right)


def add_phrase(left: str, right: str, context: Context) -> bool:
    """Note letters that make one name, or a call that has one; whether it is a call."""
    phrase = phrase_of(left, right)
    if phrase is not None and phrase not in context.phrases:
        context.phrases.append(phrase)
    return phrase is not None and bool(phrase.argument)


def read_function(rest: str, line: str, context: Context) -> None:
    """``function sigma = softmax``: a name for a known function."""
    left, right = two_names("function", rest, line)
    if right not in {*FUNCTIONS, *STRUCTURAL}:
        raise SpecError(f"the function {right} is not known; known are {', '.join(sorted(FUNCTIONS))} and softmax")
    context.functions[plain(left)] = plain(right)


def two_names(word: str, rest: str, line: str) -> tuple[str, str]:
    """The names on both sides of an equals sign."""
    left, equals, right = (part.strip() for part in rest.partition("="))
    if not equals or not left or not right:
        raise SpecError(f"{word} needs two names, as in: {word} F = A; found: {line}")
    return left, right


def read_convention(rest: str, line: str, context: Context) -> None:
    """``convention einstein`` or ``convention sums``."""
    if rest not in ("einstein", "sums"):
        raise SpecError(f"a convention is einstein (a repeated index is summed) or sums (every sum is written): {line}")
    context.einstein = rest == "einstein"


def read_layout(rest: str, line: str, context: Context) -> None:
    """``layout jacobian`` or ``layout gradient``."""
    if rest not in (JACOBIAN, GRADIENT):
        raise SpecError(
            f"a layout is {GRADIENT} (dL/dX has the shape of X) or {JACOBIAN} (that of its transpose), not: {line}"
        )
    if context.layout not in ("", rest):
        raise SpecError(f"the layout was {context.layout} before; a document, or a scope, has one: {line}")
    context.layout = rest


def read_adjoint(rest: str, line: str, context: Context) -> None:
    """``adjoint G_* = dL/d*``: names of gradients; ``adjoint e = dL/dy``: one name."""
    found, one = ADJOINT.fullmatch(rest), ONE_ADJOINT.fullmatch(rest)
    if found is not None:
        context.adjoints.append((found[1], found[2], found[3]))
    elif one is not None:
        context.gradients[plain(one[1])] = plain(one[3]), plain(one[2])
        add_phrase(one[1], "", context)
    else:
        raise SpecError(f"an adjoint is said as in: adjoint G_* = dL/d*; found: {line}")


def read_assumption(rest: str, line: str, context: Context) -> None:
    """``assume sum[k](y[k]) = 1``, ``assume J[i,j] = J[j,i]``, or a report's words: ``assume y is a vector``."""
    if exchange := EXCHANGED.fullmatch(rest):
        name, one, other = exchange.groups()
        context.equations.append(f"{name}_{{{one}}} = {name}_{{{other}}}")
        return
    found = SUMS_TO_ONE.fullmatch(rest)
    if found is None and ("[" in rest or " " not in rest):
        raise SpecError(
            "what can be assumed is that a sum is one or a matrix symmetric, as in: assume sum[k](y[k]) = 1, "
            f"assume J[i,j] = J[j,i], or how to read what is open, as in: assume y is a vector; found: {line}"
        )
    if found is None:
        context.assumed[" ".join(rest.split())] = line
        return
    slots = [slot.strip() for slot in found[3].split(",")]
    bound = [slot.strip() for slot in found[1].split(",")]
    if not set(bound) <= set(slots):
        raise SpecError(f"the sum runs over an index that {found[2]} does not have: {line}")
    context.simplex[plain(found[2])] = tuple(slots.index(slot) for slot in bound)


def read_size(rest: str, line: str, context: Context) -> None:
    """``size H = x.2``: H is the size of the second slot of x."""
    found = SIZE.fullmatch(rest)
    if found is None or found[3] == "0":
        raise SpecError(f"a size is that of a slot, counted from 1, as in: size H = x.2; found: {line}")
    context.sizes.append(SizeOf(plain(found[1]), plain(found[2]), int(found[3]), line))


def read_schematic(rest: str, line: str, context: Context) -> None:
    """``schematic lines 29-30``: what stands there is not to be judged."""
    context.schematic.append(read_lines(rest, line))


DIRECTIVES: Mapping[str, Callable[[str, str, Context], None]] = {
    "alias": read_alias,
    "function": read_function,
    "convention": read_convention,
    "layout": read_layout,
    "adjoint": read_adjoint,
    "assume": read_assumption,
    "size": read_size,
    "schematic": read_schematic,
}
"""What reads each directive: the words after it, the whole line for messages, and the context."""


def plain(name: str) -> str:
    """A name as the reader of LaTeX spells it."""
    tokens = tokenize(name)
    text = "".join("_" if token.kind == "SUB" else token.text for token in tokens if token.kind not in ("{", "}"))
    return text or name


def spelled(line: str) -> str:
    """An equation of the spec language as LaTeX: ``sqrt(d)`` and ``exp(x)`` are known words."""
    return re.sub(r"(?<!\\)\bsqrt\s*\(([^()]*)\)", r"\\sqrt{\1}", line)

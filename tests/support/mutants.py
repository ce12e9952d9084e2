"""Notes with one equation broken, in twelve ways; an edit is made in the text of one member of a chain.

The text is cut into the pieces that LaTeX itself has, names with their scripts, braces, signs, sums,
so that the same edits fit every note. Whether an edit changes the meaning is decided elsewhere, by numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

NAME = r"(?:\\(?:mathrm|mathtt|mathbf)\{[^{}]*\}|\\(?:theta|mu|sigma|gamma|beta|alpha|lambda|varepsilon|rho)|[A-Za-z])"
MARK = r"(?:\^\{(?:[^{}\\]|\\mathrm\{[^{}]*\})*\})?"
ENTRY = re.compile(rf"(?<![\\A-Za-z{{])(?P<name>{NAME}{MARK})_\{{(?P<index>[a-z( )]+)\}}(?P<power>\^\{{[^{{}}]*\}})?")
SUM = re.compile(r"\\sum_\{(?P<index>[^{}]*)\} ?")
FONT = r"\mathrm{"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHERS = {"log": r"\exp", "tanh": r"\sin", "sin": r"\cos", "cos": r"\sin"}


@dataclass(frozen=True)
class Mutant:
    """A broken member: the way in which it is broken, and its text."""

    kind: str
    text: str


def member_text(source: str, start: int) -> str:
    """The text of the member of a chain that starts here: up to a relation, a closing brace or the display's end."""
    start -= len(FONT) if source[:start].endswith(FONT) else 0
    depth, at = 0, start
    while at < len(source):
        rest = source[at:]
        ends = re.match(r" ?&?= |(?: \\\\\n)?&=| :=| \\gets|`|\$|\\end\{|\n\n", rest)
        if depth == 0 and ends:
            break
        if rest.startswith("\\") and not rest.startswith("\\\\"):
            at += 2
            continue
        depth += (source[at] == "{") - (source[at] == "}")
        if depth < 0:
            break
        at += 1
    return source[start:at].rstrip().removesuffix("\\\\").rstrip()


def mutants(text: str, head: str, names: Mapping[int, tuple[str, ...]]) -> Iterator[Mutant]:
    """Every edit of a member, in order.

    Args:
        text: the member.
        head: the first member of the chain.
        names: the names that the note indexes, by the number of their indices.
    """
    for kind, edits in KINDS.items():
        for edited in edits(text, head, names):
            if edited != text:
                yield Mutant(kind, edited)


Names = Mapping[int, tuple[str, ...]]


def replaced(text: str, match: re.Match[str], group: str, new: str) -> str:
    """The text with a group of a match replaced."""
    return text[: match.start(group)] + new + text[match.end(group) :]


def letters_in(index: str) -> list[str]:
    """The letters of a subscript."""
    return [letter for letter in index if letter.isalpha()]


def swapped_letters(index: str) -> Iterator[str]:
    """A subscript with two neighbours exchanged; brackets stay where they are."""
    places = [n for n, letter in enumerate(index) if letter.isalpha()]
    for one, other in pairwise(places):
        changed = list(index)
        changed[one], changed[other] = index[other], index[one]
        yield "".join(changed)


def entries(text: str) -> Iterator[re.Match[str]]:
    """The entries of tensors in a text; deltas and letters of sums are none."""
    for match in ENTRY.finditer(text):
        if text[: match.start()].endswith("\\"):
            continue
        yield match


def differentials(text: str, match: re.Match[str]) -> bool:
    """Whether an entry stands behind the sign of a derivative."""
    return text[: match.start()].rstrip().endswith("\\partial")


def sign(text: str, head: str, names: Names) -> Iterator[str]:
    """A sign turned."""
    for match in re.finditer(r" ([+-]) ", text):
        yield text[: match.start(1)] + {"+": "-", "-": "+"}[match[1]] + text[match.end(1) :]
    yield text.removeprefix("-") if text.startswith("-") else f"-{text}"


def factor(text: str, head: str, names: Names) -> Iterator[str]:
    """A factor too much, or one that is missing."""
    for match in re.finditer(r"\\frac\{[A-Za-z0-9]+\}\{(?:\\sqrt\{)?[^{}\\]*(?:_\{\w+\})?[^{}\\]*\}?\} \\, ", text):
        yield text[: match.start()] + text[match.end() :]
    for match in re.finditer(r"(?<![\w.{])(\d) \\, ", text):
        yield text[: match.start(1)] + str(int(match[1]) + 1) + text[match.end(1) :]
    sign_, rest = ("-", text[1:]) if text.startswith("-") else ("", text)
    yield rf"{sign_}2 \, {rest}" if not rest[:1].isdigit() else rf"{sign_}\frac{{1}}{{2}} \, {rest}"


def exponent(text: str, head: str, names: Names) -> Iterator[str]:
    """An exponent changed, or one too much."""
    for match in re.finditer(r"\^\{(-?\d(?:/\d)?)\}", text):
        yield text[: match.start()] + text[match.end() :]
        yield text[: match.start(1)] + "3" + text[match.end(1) :]
    for match in entries(text):
        if not match["power"] and not differentials(text, match) and not text[match.end() :].startswith("^"):
            yield text[: match.end()] + "^{2}" + text[match.end() :]


def transposed(text: str, head: str, names: Names) -> Iterator[str]:
    """A transpose lost, or one too much: of a matrix, or the two indices of an entry."""
    for match in re.finditer(r"\^\{\\top\}", text):
        yield text[: match.start()] + text[match.end() :]
    for match in entries(text):
        index = letters_in(match["index"])
        if len(index) == 2:
            yield replaced(text, match, "index", index[1] + index[0])


def swapped(text: str, head: str, names: Names) -> Iterator[str]:
    """Two indices of an entry exchanged, or the same index in two entries."""
    for match in entries(text):
        if len(letters_in(match["index"])) > 2:
            for changed in swapped_letters(match["index"]):
                yield replaced(text, match, "index", changed)
    found = [match for match in entries(text) if not match["name"].startswith(r"\partial")]
    for one, other in pairwise(found):
        a, b = letters_in(one["index"])[-1:], letters_in(other["index"])[:1]
        if a and b and a != b:
            first = one["index"].replace(a[0], b[0])
            second = other["index"].replace(b[0], a[0])
            yield (
                text[: one.start("index")]
                + first
                + text[one.end("index") : other.start("index")]
                + second
                + text[other.end("index") :]
            )


def freed(text: str, head: str, names: Names) -> Iterator[str]:
    """An index from nowhere."""
    used = set(letters_in(re.sub(r"\\[A-Za-z]+", "", text + head)))
    new = next(letter for letter in "uvwxyz" + LETTERS if letter not in used)
    for match in entries(text):
        for letter in letters_in(match["index"]):
            yield replaced(text, match, "index", match["index"].replace(letter, new))


def captured(text: str, head: str, names: Names) -> Iterator[str]:
    """A free index that falls under a sum: it bears the letter of the dummy."""
    for total in SUM.finditer(text):
        for dummy in letters_in(total["index"]):
            for match in entries(text):
                if match.start() < total.end():
                    continue
                for letter in letters_in(match["index"]):
                    if letter not in letters_in(total["index"]):
                        yield replaced(text, match, "index", match["index"].replace(letter, dummy))


def unsummed(text: str, head: str, names: Names) -> Iterator[str]:
    """A sum that is missing."""
    for match in SUM.finditer(text):
        yield text[: match.start()] + text[match.end() :]


def oversummed(text: str, head: str, names: Names) -> Iterator[str]:
    """A sum too much, over an index that is free."""
    bound = {letter for match in SUM.finditer(text) for letter in letters_in(match["index"])}
    free = dict.fromkeys(letter for match in entries(text) for letter in letters_in(match["index"]))
    for letter in free:
        if letter not in bound:
            yield rf"-\sum_{{{letter}}} {text[1:]}" if text.startswith("-") else rf"\sum_{{{letter}}} {text}"


def misnamed(text: str, head: str, names: Names) -> Iterator[str]:
    """Another tensor in the place of one."""
    for match in entries(text):
        for other in names.get(len(letters_in(match["index"])), ()):
            if other != match["name"]:
                yield replaced(text, match, "name", other)


def shortened(text: str, head: str, names: Names) -> Iterator[str]:
    """A term that is missing from a sum, at the top or in brackets."""
    for start, end in bracketed(text):
        inner = text[start:end]
        cuts = [match for match in re.finditer(r" [+-] ", inner) if level(inner, match.start()) == 0]
        if not cuts:
            continue
        yield text[:start] + inner[: cuts[-1].start()] + text[end:]
        lead = "-" if cuts[0].group() == " - " else ""
        yield text[:start] + lead + inner[cuts[0].end() :] + text[end:]


def bracketed(text: str) -> Iterator[tuple[int, int]]:
    """The whole, and the inside of every pair of round brackets."""
    yield 0, len(text)
    stack = []
    for at, character in enumerate(text):
        if character == "(":
            stack.append(at + 1)
        elif character == ")" and stack:
            start = stack.pop()
            for command in (r"\Bigr", r"\bigr", r"\right"):
                if text[:at].endswith(command):
                    yield start, at - len(command)
                    break
            else:
                yield start, at


def level(text: str, end: int) -> int:
    """How many brackets are open at a place."""
    before = text[:end]
    return sum(before.count(a) - before.count(b) for a, b in ("()", "{}", "[]"))


def another(text: str, head: str, names: Names) -> Iterator[str]:
    """Another function in the place of one."""
    for match in re.finditer(r"(?<![A-Za-z])e\^\{", text):
        end = match.end()
        depth = 1
        while depth and end < len(text):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        yield rf"{text[: match.start()]}\tanh({text[match.end() : end - 1]}){text[end:]}"
    for match in re.finditer(r"\\(log|tanh|sin|cos)(?![A-Za-z])", text):
        yield text[: match.start()] + OTHERS[match[1]] + text[match.end() :]
    for match in re.finditer(r"\\operatorname\{(sigmoid|softplus|silu|erf|gelu|relu|step)\}", text):
        yield text[: match.start()] + r"\tanh" + text[match.end() :]
    for match in re.finditer(r"\\sqrt\{", text):
        yield text[: match.start()] + "{" + text[match.end() :]


KINDS: Mapping[str, Callable[[str, str, Names], Iterator[str]]] = {
    "sign": sign,
    "factor": factor,
    "exponent": exponent,
    "transposed operand": transposed,
    "swapped index": swapped,
    "free index": freed,
    "captured dummy": captured,
    "missing sum": unsummed,
    "extra sum": oversummed,
    "wrong operand": misnamed,
    "missing term": shortened,
    "wrong function": another,
}


def indexed_names(text: str) -> dict[int, tuple[str, ...]]:
    """The names that a note indexes, by the number of indices, in order; those with one number of indices only."""
    ranks: dict[str, set[int]] = {}
    for match in entries(text):
        if match["name"] != r"\delta":
            ranks.setdefault(match["name"], set()).add(len(letters_in(match["index"])))
    every = sorted({rank for found in ranks.values() for rank in found})
    return {rank: tuple(name for name, found in ranks.items() if found == {rank}) for rank in every}

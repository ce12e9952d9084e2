"""Specs with something wrong in them: whatever a text says, the command says so in words, in bounded time.

The texts are the shipped specs and those of the tests, broken by characters, by tokens and by lines, and put
together from pieces of two. Many are still specs, and then their derivation must pass its own check.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from typer.testing import CliRunner

from indexcalc.cli.app import app
from tests.campaign import judge

ROOT = Path(__file__).resolve().parents[2]

TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|#[^\n]*|\w+|[ \t]+|\n|<=|>=|==|!=|\*\*|.')

STRANGE = "()[]=+-*/^,:\"#<>!|.'@%&;{}\\ \t\n0123456789ijkNxyΣ∂·−²₁é\u200b\x00\x1b\U0001d465"
"""Characters that are put in: those of the language, those that look like them, and those of no text."""

SCRAPS = (
    *("sum[i](", "dL/dX", "[i <= j]", "^(-1)", "1e300", "1e-300", "0", "-1", "1/0", "9" * 30, "T", "pi", "delta[i,j]"),
    *("exp(", "log(", "sqrt(", "max(", "softmax[i](", "var[k](", "step(", "prove ", "assume ", "loss ", "derive "),
    *("recompute ", "name ", "upstream ", "index ", "param ", "input ", 'title "', "use ", "(i,j)", "[]", "()", "\n\n"),
)
"""Pieces of the language that are put in where they may not fit."""


@dataclass(frozen=True)
class Case:
    """A spec: where it comes from and how it was broken, and its text."""

    name: str
    text: str


@lru_cache(maxsize=1)
def corpus() -> tuple[tuple[str, str], ...]:
    """Every spec of this repository, with its name."""
    paths = sorted([*ROOT.glob("derivations/*/*.ixc"), *ROOT.glob("tests/specs/*.ixc")])
    return tuple((path.stem, path.read_text("utf-8")) for path in paths)


def change_character(text: str, rng: random.Random) -> str:
    """One character dropped, doubled, swapped with the next, or replaced."""
    at = rng.randrange(max(1, len(text)))
    here, rest = text[at : at + 1], text[at + 1 :]
    new = rng.choice(("", here * 2, rest[:1] + here, rng.choice(STRANGE), here + rng.choice(STRANGE)))
    return text[:at] + new + (rest[1:] if new == rest[:1] + here else rest)


def change_pieces(pieces: list[str], others: Sequence[str], rng: random.Random) -> list[str]:
    """One piece dropped, doubled, swapped with another, replaced, or put in."""
    if not pieces:
        return list(others[:1])
    at, to = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    way = rng.randrange(5)
    if way == 0:
        return [*pieces[:at], *pieces[at + 1 :]]
    if way == 1:
        return [*pieces[:at], pieces[at], *pieces[at:]]
    if way == 2:
        pieces = list(pieces)
        pieces[at], pieces[to] = pieces[to], pieces[at]
        return pieces
    new = rng.choice(others) if others else ""
    return [*pieces[:at], new, *pieces[at + (way == 3) :]]


def change_token(text: str, rng: random.Random) -> str:
    """One token changed, also by tokens of other specs."""
    others = [*TOKEN.findall(rng.choice(corpus())[1]), *SCRAPS]
    return "".join(change_pieces(TOKEN.findall(text), others, rng))


def change_name(text: str, rng: random.Random) -> str:
    """One word put in the place of another, of the same text."""
    words = list(re.finditer(r"\w+", text))
    if len(words) < 2:
        return text
    one, other = rng.choice(words), rng.choice(words)
    return text[: one.start()] + other.group() + text[one.end() :]


def change_line(text: str, rng: random.Random) -> str:
    """One line changed, also by lines of other specs."""
    return "\n".join(change_pieces(text.split("\n"), rng.choice(corpus())[1].split("\n"), rng))


def splice(text: str, rng: random.Random) -> str:
    """The beginning of one spec and the end of another."""
    other = rng.choice(corpus())[1]
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def nest(text: str, rng: random.Random) -> str:
    """A piece of the text repeated many times over."""
    at, length = rng.randrange(len(text) + 1), rng.choice((1, 2, 5, 20, 100))
    return text[:at] + text[at : at + length] * rng.choice((3, 30, 300)) + text[at + length :]


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    *(change_character, change_token, change_token, change_name, change_name, change_line, splice, nest),
)


def cases(seed: int, count: int) -> Iterator[Case]:
    """Broken specs, with one to three changes each."""
    rng = random.Random(seed)
    for _ in range(count):
        name, text = rng.choice(corpus())
        chosen = rng.choices(CHANGES, k=rng.choice((1, 1, 2, 3)))
        for change in chosen:
            text = change(text, rng)
        yield Case("+".join((name, *(change.__name__ for change in chosen))), text)


def verdict(case: Case) -> str:
    """What is wrong with the answer to a spec; empty if nothing is."""
    with tempfile.TemporaryDirectory(prefix="indexcalc-") as folder:
        path = Path(folder) / "mutated.ixc"
        path.write_bytes(case.text.encode("utf-8"))
        start = time.process_time()
        result = CliRunner().invoke(app, ["derive", str(path), "--out", str(Path(folder) / "out")])
        seconds = time.process_time() - start
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return f"a traceback: {type(result.exception).__name__}: {result.exception}"
    if result.exit_code not in (0, 1, 2):
        return f"exit code {result.exit_code}"
    if result.exit_code == 2 and not result.stderr.startswith("error: "):
        return f"a mistake without a message: {result.stderr[:200]!r}"
    if result.exit_code == 1 and "a claim of the spec is false" not in result.stderr:
        return f"the code of a spec fails its check: {result.stderr[:300]!r}"
    if seconds > judge.PATIENCE:
        return f"it took {seconds:.0f} s"
    return ""

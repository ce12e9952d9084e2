"""What the printer's commands draw: letters, signs, delimiters, and how they are set."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from indexcalc.notes.formula import Kind
from indexcalc.notes.names import LOWER, UPPER

LETTERS: Mapping[str, str] = {
    **{
        "\\" + name: unicodedata.lookup(f"GREEK SMALL LETTER {'LAMDA' if name == 'lambda' else name.upper()}")
        for name in LOWER
    },
    **{
        "\\" + name: unicodedata.lookup(f"GREEK CAPITAL LETTER {'LAMDA' if name == 'Lambda' else name.upper()}")
        for name in UPPER
    },
    **{r"\partial": "∂", r"\top": "⊤", r"\infty": "∞"},
    **{r"\epsilon": "ϵ", r"\varepsilon": "ε", r"\phi": "ϕ", r"\varphi": "φ"},
}
"""TeX's letters, and signs that stand for things as letters do; those with two forms as TeX draws them."""

SIGNS: Mapping[str, str] = {
    **{r"\sum": "∑", r"\int": "∫", r"\le": "≤", r"\ge": "≥", r"\neq": "≠", r"\in": "∈", r"\to": "→"},
    **{r"\gets": "←", r"\times": "×", r"\cdot": "⋅", r"\odot": "⊙", r"\circ": "∘", "-": "−"},
    **{r"\vert": "|", r"\bmod": "mod"},
    **{sign: sign for sign in "+=<>,;:/!|.'*"},
}
FUNCTIONS = frozenset(
    rf"\{name}" for name in ("exp", "log", "sin", "cos", "tan", "arctan", "tanh", "sinh", "cosh", "max", "min", "det")
)
SPACES: Mapping[str, str] = {r"\quad": "1em", r"\qquad": "2em", r"\ ": "0.3em", "~": "0.3em", r"\;": "0.3em"}
OPENING: Mapping[str, str] = {"(": "(", "[": "[", r"\{": "{", r"\lfloor": "⌊", r"\lceil": "⌈"}
CLOSING: Mapping[str, str] = {")": ")", "]": "]", r"\}": "}", r"\rfloor": "⌋", r"\rceil": "⌉"}
DELIMITERS: Mapping[str, str] = {**OPENING, **CLOSING, "|": "|", r"\vert": "|", ".": ""}
SIZES: Mapping[str, int] = {r"\bigl": 1, r"\Bigl": 2, r"\left": 3}
ENDS = frozenset((*CLOSING, "}", "&", r"\\", r"\end", r"\right", r"\bigr", r"\Bigr"))
"""What ends a row without being part of it."""

STYLES: Mapping[str, Kind] = {
    **{r"\mathrm": Kind.UPRIGHT, r"\mathtt": Kind.TYPEWRITER, r"\operatorname": Kind.FUNCTION, r"\text": Kind.WORDS},
}
ALPHABETS: Mapping[str, Mapping[str, str]] = {
    r"\mathbb": {"R": "ℝ", "N": "ℕ"},
    r"\mathcal": {"L": "ℒ", "R": "ℛ"},
    r"\mathbf": {"1": "𝟏", "I": "𝐈"},
}
"""The letters of other alphabets that printers use."""

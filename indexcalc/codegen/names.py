"""Tensor, parameter and extent names as Python identifiers: safe, ASCII for Greek, and distinct."""

from __future__ import annotations

import builtins
import keyword
import unicodedata
from collections.abc import Collection, Iterable, Mapping

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "ϰ": "kappa", "λ": "lambda",
    "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ϖ": "pi", "ρ": "rho", "ϱ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi",
    "ψ": "psi", "ω": "omega",
}  # fmt: skip

MODULE_NAMES = frozenset({"np", "numpy", "NamedTuple", "Values", "Gradients", "forward", "backward", "values"})
TUPLE_NAMES = frozenset({"count", "index"})
UNFIT = MODULE_NAMES | TUPLE_NAMES | frozenset(keyword.kwlist) | frozenset(dir(builtins))


def spelled(name: str) -> str:
    """The name in letters, digits and underscores: Greek letters are spelled out, accents dropped."""
    # NFKC first: Python's own identifiers are compared in that form (µ, the micro sign, is μ).
    pieces = []
    for letter in unicodedata.normalize("NFKC", name):
        lower = letter.lower()
        if lower in GREEK:
            word = GREEK[lower]
            pieces.append(word if letter == lower else word.capitalize())
        elif letter.isascii():
            pieces.append(letter if letter.isalnum() else "_")
        else:
            plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
            pieces.append(plain if plain.isalnum() else f"u{ord(letter):x}")
    text = "".join(pieces).lstrip("_") or "x"
    return f"x{text}" if text[0].isdigit() else text


def python_name(name: str, taken: Collection[str] = ()) -> str:
    """A Python identifier for `name` that is not in `taken`.

    Python keywords, builtins and names that the generated module uses itself (such as ``np``) get
    a trailing underscore; a name that is taken gets a number.
    """
    base = spelled(name)
    if base in UNFIT:
        base += "_"
    chosen, number = base, 2
    while chosen in taken:
        chosen, number = f"{base}_{number}", number + 1
    return chosen


def unused(name: str, taken: set[str]) -> str:
    """The name, or the name with a number; it counts as taken from now on."""
    chosen, number = name, 2
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    taken.add(chosen)
    return chosen


def python_names(names: Iterable[str], taken: Collection[str] = ()) -> Mapping[str, str]:
    """Distinct Python identifiers for distinct names, the same ones every time.

    A name that needs no change keeps it, whatever stands before it in `names`.
    """
    wanted = list(dict.fromkeys(names))
    used = set(taken)
    chosen: dict[str, str] = {}
    unchanged = [name for name in wanted if spelled(name) == name and name not in UNFIT]
    for name in [*unchanged, *(name for name in wanted if name not in unchanged)]:
        chosen[name] = python_name(name, used)
        used.add(chosen[name])
    return {name: chosen[name] for name in wanted}

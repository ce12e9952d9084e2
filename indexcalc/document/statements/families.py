"""What a small letter above or below a name counts: layers or steps, an index, or nothing that is known.

- *Layers*: some name bears the letter with a number added, ``a^{l-1}``, ``h_{t-1}``, or several names bear it in
  brackets, and numbers too, ``z^{(l)}`` and ``z^{(1)}``. Each layer has tensors of its own, and the letter is a part of
  their names.
- *Index*: the letter is bound by a sum, or is an index below another name, ``Q^{h}_{ik}``, ``x^{(i)}_j``, or stands
  above several names together with other letters, ``A^{ij} V^{jb}``; above one name alone, ``W^{qk}``, it is a label.
- A *name's own letter*, above a matrix or beside indices below: a part of the name.

A letter without brackets above a name may be a power. It is none if some name bears it beside indices below, or
is a capital, or is what a derivative is taken by, or if several names bear it, some with a number added; if the
letter is no number that is calculated with elsewhere (``n x^{n-1}``; ``l - 1`` alone is no calculation); and not
above a small name that also stands without it (``x_i^k`` beside ``x_i``), unless the letter numbers layers of others
with a number added.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from indexcalc.document.statements.layer_marks import (
    BELOW,
    PLAIN,
    Written,
    argument,
    is_small_letter,
    written_at,
    written_names,
)
from indexcalc.language.latex.tokens import Token

Letter = tuple[str, str]
"""A letter and the style in which it stands."""


@dataclass(frozen=True)
class Families:
    """The letters of a document that number something.

    Attributes:
        layers: letters that are a part of a name.
        indices: letters above a name that are indices.
        powers: small names whose superscripts without brackets may be powers.
        members: the names that bear a letter of `layers`.
        shifted: the letters of `layers` that stand somewhere with a number added.
        alone: names that stand somewhere without any script.
        stepped: the letters of names that bear the number of a step below them.
        ends: capitals at which sums over steps end whose letter stands below names: ``h_T`` is the last ``h_t``.
        last: what is taken for the end of such a sum that says none.
    """

    layers: frozenset[Letter] = frozenset()
    indices: frozenset[Letter] = frozenset()
    shifted: frozenset[Letter] = frozenset()
    powers: frozenset[str] = frozenset()
    members: frozenset[tuple[str, str]] = frozenset()
    alone: frozenset[str] = frozenset()
    stepped: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    last: str = ""

    def __bool__(self) -> bool:
        return bool(self.layers or self.indices)


@dataclass
class Evidence:
    """How the letters of a document are used.

    Attributes:
        shifted: letters to which a number is added, with how often.
        bearers: the names that bear a letter above them, or alone below.
        strong: letters without brackets that stand above a capital, or beside indices below.
        bound: letters that a sum binds, with in how many formulas.
        below: letters that are indices below a name.
        pairs: for each letter, the names that bear it above them together with others, and nothing below.
        numbered: names that bear a number above them, by the style in which it stands.
        factors: letters that are calculated with.
        bases: letters that something stands below, as below the name of an array.
        bare: names that stand somewhere without a superscript.
        alone: names that stand somewhere without any script.
        recurrent: letters below a name that is made from itself at another step.
        compared: letters below a delta of two, which says that two indices are equal.
        errors: whether an equation gives the entries of delta, so that it is another array.
        limits: the letters in the limits of sums, by the letter that these bind.
        targets: names that stand with a letter above them in a denominator of a derivative; none is by a power.
    """

    shifted: Counter[Letter] = field(default_factory=Counter)
    bearers: dict[Letter, set[str]] = field(default_factory=lambda: defaultdict(set))
    strong: dict[Letter, set[str]] = field(default_factory=lambda: defaultdict(set))
    bound: Counter[str] = field(default_factory=Counter)
    below: set[str] = field(default_factory=set)
    pairs: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    numbered: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    factors: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    bare: set[str] = field(default_factory=set)
    alone: set[str] = field(default_factory=set)
    recurrent: set[str] = field(default_factory=set)
    compared: set[str] = field(default_factory=set)
    errors: bool = False
    targets: set[str] = field(default_factory=set)
    limits: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def families_of(pieces: Sequence[Sequence[Token]]) -> Families:
    """What the letters of a document number."""
    evidence = Evidence()
    for tokens in pieces:
        gather(tokens, evidence)
        for name, limit in limits_of(tokens):
            evidence.limits[name].add(limit)
    powers = frozenset(name for name in evidence.bare if not is_capital(name))
    layers = {letter for letter in evidence.bearers if is_layer(letter, evidence, powers)}
    indices = {letter for letter in evidence.bearers if letter not in layers and is_index(letter, evidence, powers)}
    layers |= {letter for letter in evidence.bearers if runs_with(letter, layers, evidence)}
    # What counts the same steps above a name counts them below one.
    above = {name for name, style in layers if style != BELOW and evidence.limits[name]}
    layers |= {letter for letter in evidence.bearers if letter[0] in above}
    indices -= layers
    # A letter that numbers layers above a name numbers them below one too: n_l and n_{l-1}.
    members = frozenset((name, style) for letter, style in layers for name in evidence.bearers[letter, style])
    shifted = frozenset(letter for letter in layers if evidence.shifted[letter] or evidence.limits[letter[0]])
    steps = {letter for letter in layers if letter[1] == BELOW}
    names = {name for letter in steps for name in evidence.bearers[letter]}
    stepped = frozenset(name.rsplit(" ", maxsplit=1)[-1].lower() for name in names) - set(evidence.bound)
    ends = frozenset(end for letter, _ in steps for end in evidence.limits[letter] if len(end) == 1 and end.isupper())
    used = {token.text for tokens in pieces for token in tokens}
    last = next(iter((*sorted(ends), *(one for one in CAPITALS if one not in used))), "")
    alone = frozenset(evidence.alone)
    return Families(frozenset(layers), frozenset(indices), shifted, powers, members, alone, stepped, ends, last)


CAPITALS = "TNSMKRQ"
"""Names for the end of a sum."""

KRONECKER = ("one index", "another")
"""What stands below the sign that says whether two indices are equal."""

DENOMINATOR = ["}", "{", "PARTIAL"]
"""What stands before a name by which a derivative is taken."""


def gather(tokens: Sequence[Token], evidence: Evidence) -> None:
    """Note what one formula shows."""
    scripts: set[int] = set()
    for found in written_names(tokens):
        scripts.update(range(found.start + 1, found.end))
        if not found.above and not below_nabla(tokens, found.start):
            evidence.bare.add(found.base.text)
            if not found.below:
                evidence.alone.add(found.base.text)
        lowers = found.below or ()
        if found.above and [token.kind for token in tokens[max(0, found.start - 3) : found.start]] == DENOMINATOR:
            evidence.targets.add(found.base.text)
        if found.base.text == "delta" and len(lowers) == len(KRONECKER) and not found.above:
            evidence.compared.update(item.text for item in lowers)
            behind = [token.kind for token in tokens[found.end : found.end + 1]]
            evidence.errors |= behind == ["REL"] and not found.start
        gather_scripts(found, evidence)
    evidence.recurrent.update(recurrent(tokens))
    binders = set(bound_letters(tokens))
    evidence.bound.update(name for name, _ in binders)
    scripts.update(place for _, place in binders)
    scripts.update(places_of_limits(tokens))
    for place, token in enumerate(() if is_count(tokens) else tokens):
        if place not in scripts and is_one_letter(token) and is_factor(tokens, place):
            is_base = [one.kind for one in tokens[place + 1 : place + 2]] == ["SUB"]
            (evidence.bases if is_base else evidence.factors).add(token.text)


def is_one_letter(token: Token) -> bool:
    """Whether a name is one letter."""
    return token.kind == "NAME" and (len(token.text) == 1 or is_small_letter(token.text))


def gather_scripts(found: Written, evidence: Evidence) -> None:
    """Note what the letters and the numbers above and below a name show."""
    base, above, below = found.base.text, found.above or (), found.below or ()
    beside = [item.text for item in above if item.is_letter and item.style == PLAIN and not item.offset]
    for text in beside if len(beside) > 1 and not below else ():
        evidence.pairs[text].add(base)
    for item in (*above, *below):
        if item.text.isdigit():
            evidence.numbered[item.style].add(base)
        last = len(item.text) == 1 and item.text.isupper() and item.style not in (PLAIN, BELOW)
        if not (item.is_letter or last):
            continue
        letter = (item.text, item.style)
        evidence.bearers[letter].add(base)
        if item.offset:
            evidence.shifted[letter] += 1
        elif item.style == BELOW:
            evidence.below.add(item.text)
        if item.style == PLAIN and (is_capital(base) or any(lower.is_letter for lower in below)):
            evidence.strong[letter].add(base)


def recurrent(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters of steps in an equation that makes a name from itself at another step: ``h_t = f(h_{t-1})``."""
    if not tokens or (head := written_at(tokens, 0)) is None or not head.below:
        return
    if head.end >= len(tokens) or tokens[head.end].text not in ("=", ":="):
        return
    bound = {letter for letter, _ in bound_letters(tokens)}
    for found in written_names(tokens[head.end :]):
        if found.base.text != head.base.text:
            continue
        for one, other in zip(head.below, found.below or (), strict=False):
            if one.is_letter and one.text == other.text and one.offset != other.offset and one.text not in bound:
                yield one.text


def below_nabla(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether a name alone says by what a gradient is: ``\nabla_a C`` may mean the ``a`` of a layer."""
    before = [token.kind for token in tokens[max(0, place - 3) : place]]
    return before[-2:] == ["NABLA", "SUB"] or before == ["NABLA", "SUB", "{"]


def is_capital(name: str) -> bool:
    """Whether a name is a capital letter, accents apart: a matrix, of which no power by a letter is taken."""
    return name.rsplit(" ", maxsplit=1)[-1][:1].isupper()


def bound_letters(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """The letters that sums bind, and their places."""
    for position, token in enumerate(tokens[:-1]):
        if token.kind == "SUM" and tokens[position + 1].kind == "SUB":
            inner, end = argument(tokens, position + 2)
            start = end - len(inner) - (tokens[end - 1].kind == "}")
            for place, inside in enumerate(inner, start):
                if inside.kind == "REL" and inside.text == "=":
                    break
                if inside.kind == "NAME":
                    yield inside.text, place


def limits_of(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The letters that sums bind, each with the letters in its limits."""
    for position, token in enumerate(tokens[:-1]):
        if token.kind != "SUM" or tokens[position + 1].kind != "SUB":
            continue
        inner, end = argument(tokens, position + 2)
        if [one.kind for one in inner[:2]] != ["NAME", "REL"] or tokens[end : end + 1] == []:
            continue
        above = argument(tokens, end + 1)[0] if tokens[end].kind == "SUP" else ()
        yield from ((inner[0].text, one.text) for one in (*inner[2:], *above) if one.kind == "NAME")


def places_of_limits(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of the last values of sums: nothing is calculated with these."""
    for position, token in enumerate(tokens[:-1]):
        if token.kind == "SUM" and tokens[position + 1].kind == "SUB":
            _, end = argument(tokens, position + 2)
            if end < len(tokens) and tokens[end].kind == "SUP":
                yield from range(end + 1, argument(tokens, end + 1)[1])


APART = frozenset({"REL", "COMMA", "SEMICOLON", "TEXT", "QUAD", "AMP", "NEWLINE", "DOTS", "DOT"})
"""What stands around a letter in a condition such as ``l = 1, ..., L``."""


COUNTED = APART | {"PLUS", "MINUS", "NUM", "(", ")", "[", "]", "{", "}"}
"""What stands in a formula that only counts, such as ``l - 1`` or ``l = L-1, ..., 2``, besides single letters."""


def is_count(tokens: Sequence[Token]) -> bool:
    """Whether a formula only says which layer or step is meant."""
    return all(token.kind in COUNTED or is_one_letter(token) for token in tokens)


def is_factor(tokens: Sequence[Token], place: int) -> bool:
    """Whether a letter is calculated with as a number: it stands beside something else than a relation or a comma.

    A vector in bold is no number, and what a bracket follows may be a function.
    """
    if tokens[place].bold or [token.kind for token in tokens[place + 1 : place + 2]] == ["("]:
        return False
    before = tokens[place - 1].kind if place else "COMMA"
    after = tokens[place + 1].kind if place + 1 < len(tokens) else "COMMA"
    return before not in APART or after not in APART


def is_layer(letter: Letter, evidence: Evidence, powers: frozenset[str]) -> bool:
    """Whether a letter numbers layers or steps."""
    name, style = letter
    if style == BELOW:
        index = name in evidence.compared and not evidence.errors
        return not index and (name in evidence.recurrent or evidence.shifted[letter] > evidence.bound[name])
    if style == PLAIN:
        sure = is_no_power(letter, evidence, powers)
        # Some write W^t for the transpose.
        return sure and (bool(evidence.shifted[letter]) or not (is_counted(name, evidence) or name == "t"))
    also_numbered = evidence.bearers[letter] & evidence.numbered[style]
    return bool(evidence.shifted[letter]) or (len(also_numbered) > 1 and not is_counted(name, evidence))


def is_index(letter: Letter, evidence: Evidence, powers: frozenset[str]) -> bool:
    """Whether a letter above a name is an index."""
    name, style = letter
    if style == BELOW or not is_counted(name, evidence):
        return False
    return style != PLAIN or is_no_power(letter, evidence, powers)


def is_counted(name: str, evidence: Evidence) -> bool:
    """Whether a letter is that of an index elsewhere."""
    return name in evidence.below or is_paired(name, evidence) or bool(evidence.bound[name])


def is_paired(name: str, evidence: Evidence) -> bool:
    """Whether a letter stands above several names, beside another letter each time."""
    return len(evidence.pairs[name]) > 1


def runs_with(letter: Letter, layers: set[Letter], evidence: Evidence) -> bool:
    r"""Whether a sum binds a letter up to a step, below names that bear the number of one: ``\sum_{i=1}^t x_i``."""
    name, style = letter
    counted = {other for other, own in layers if own == style}
    ends = evidence.limits[name] & counted - {name}
    return any(evidence.bearers[letter] & evidence.bearers[other, style] for other in ends)


SEVERAL = 3
"""How many names bear a letter that is no exponent, even where none of them is a matrix or has indices."""


def is_no_power(letter: Letter, evidence: Evidence, powers: frozenset[str]) -> bool:
    r"""Whether a letter without brackets is surely no exponent.

    It may be the name of an array, ``\mu^x`` beside ``x_i``, unless it is an index too, ``V^{mn}`` beside ``n_q``.
    """
    if letter[0] in evidence.factors or (letter[0] in evidence.bases and not is_counted(letter[0], evidence)):
        return False
    several = evidence.shifted[letter] and len(evidence.bearers[letter]) >= SEVERAL and not evidence.bound[letter[0]]
    return bool(several or evidence.strong[letter] - powers or evidence.bearers[letter] & evidence.targets)

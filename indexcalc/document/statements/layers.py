r"""Letters above a name put where they belong: those of layers into the name, indices before the indices below.

``a^{l-1}_k`` is the name ``a^l-1`` at k; ``x^{(i)}_j`` is the name ``x^(·)`` at i and j.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.document.statements.calls import is_call
from indexcalc.document.statements.families import Families, below_nabla, bound_letters
from indexcalc.document.statements.index_expressions import GREEK
from indexcalc.document.statements.labels import ABOVE, labelled
from indexcalc.document.statements.layer_marks import (
    BELOW,
    PLAIN,
    Item,
    Written,
    argument,
    written_at,
    written_names,
)
from indexcalc.document.statements.nesting import after_scripts
from indexcalc.language.latex.tokens import Token


def with_layers(tokens: Sequence[Token], families: Families) -> list[Token]:
    """The tokens of one formula, with the letters of layers and indices above names in their places."""
    apart = list(limited(list(of_samples(tokens)), families))
    return list(rewritten(apart, families)) if families else apart


def of_samples(tokens: Sequence[Token]) -> Iterator[Token]:
    r"""The tokens, where ``\sum_x`` makes names applied to x unreadable: there is one for each sample x."""
    bound = {letter for letter, _ in bound_letters(tokens)}
    for position, token in enumerate(tokens):
        if bound and token.kind == "NAME" and token.text not in bound:
            after = after_scripts(tokens, position + 1)
            inner = [inside.text for inside in tokens[after : after + 3]]
            if len(inner) == 3 and inner[0] == "(" and inner[1] in bound and inner[2] == ")":
                yield replace(token, kind="ODD", text=f"{token.text}, of which there is one for each {inner[1]}")
        yield token


def limited(tokens: Sequence[Token], families: Families) -> Iterator[Token]:
    r"""The tokens, with limits for sums over steps that bear none, ``\sum_t h_t``: these are marked as an index."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        yield token
        position += 1
        if token.kind != "SUM" or tokens[position : position + 1] == [] or tokens[position].kind != "SUB":
            continue
        below, end = argument(tokens, position + 1)
        if len(below) != 1 or (below[0].text, BELOW) not in families.layers or not families.last:
            continue
        above = tokens[end : end + 1] and tokens[end].kind == "SUP"
        behind = (item.text for one in written_names(tokens[end:]) for item in one.below or ())
        if above or below[0].text not in behind:
            continue
        at = below[0].start
        first = (Token("REL", "=", at), Token("NUM", "1", at), Token("}", "}", at), Token("SUP", "^", at))
        yield from (tokens[position], Token("{", "{", at), below[0], *first)
        yield Token("NAME", families.last, at, index=True)
        position = end


def rewritten(tokens: Sequence[Token], families: Families) -> Iterator[Token]:
    """The tokens in their places."""
    position = 0
    while position < len(tokens):
        found = written_at(tokens, position)
        if found is not None and below_nabla(tokens, position) and not found.above and not found.below:
            found = beside(found, tokens, families)
        changed = placed(found, families) if found is not None else None
        if found is None or changed is None:
            yield tokens[position]
            position += 1
            continue
        yield from changed
        position = found.end


def beside(found: Written, tokens: Sequence[Token], families: Families) -> Written:
    """A name below a nabla, with the layer that the formula speaks of if it has one wherever else it stands."""
    base = found.base.text
    if base in families.alone or not any(name == base for name, _ in families.members):
        return found
    for other in written_names(tokens):
        layers = tuple(item for item in other.above or () if numbers(item, other.base.text, families))
        if layers:
            return replace(found, above=layers)
    return found


def placed(found: Written, families: Families) -> list[Token] | None:
    """A name with its scripts in their places; None if it stays as it is."""
    above, rest = found.above, found.rest
    named = above is not None and is_named_after(found, families)
    if above is None or not (named or all(belongs(item, found.base.text, families) for item in above)):
        # A power: only what stands below can be the number of a step.
        above, rest = (), found.superscripts
    below = found.below
    if below is None:
        return None
    if is_call(found.base.text):
        return of_step(found, families)
    numbered = any(numbers(item, found.base.text, families) for item in (*above, *below))
    if not numbered and not any(is_index(item, families) for item in above):
        return None
    name = found.base.text
    lowered: list[Token] = []
    for item in below:
        if is_label(item, found.base.text, families):
            name = labelled(name, item.text, item.offset, BELOW)
        elif item.offset:
            return None
        else:
            lowered.append(item.token)
    for item in above:
        shown = ABOVE if is_index(item, families) else item.text
        name = labelled(name, shown, item.offset, item.style)
    indices = [item.token for item in above if is_index(item, families)]
    return [replace(found.base, text=name, last=found.last.start), *subscript([*indices, *lowered], found.last), *rest]


def of_step(found: Written, families: Families) -> list[Token] | None:
    """A value like ``p(x_t|x_t-1)`` with the letters of steps in it; None if other letters are its indices."""
    below = found.below or ()
    if found.above or not below or not all(numbers(item, found.base.text, families) for item in below):
        return None
    text = found.base.text
    for place, item in enumerate(below, 1):
        text = re.sub(rf"@{place}(?!\d)", item.text, text)
    return [replace(found.base, text=text), *found.superscripts]


def is_named_after(found: Written, families: Families) -> bool:
    r"""Whether a name of a step says above it what it belongs to: ``\delta^h_t`` beside ``h_t`` is no power."""
    steps = any(item.is_letter and (item.text, BELOW) in families.layers for item in found.below or ())
    last = [item.text.rsplit(" ", maxsplit=1)[-1] for item in found.above or ()]
    letters = all(item.style == PLAIN and not item.offset for item in found.above or ())
    return steps and letters and bool(last) and all(len(text) == 1 and text in families.stepped for text in last)


def subscript(tokens: Sequence[Token], last: Token) -> list[Token]:
    """A subscript of index letters; nothing if there are none."""
    if not tokens:
        return []
    place = tokens[0].start
    return [Token("SUB", "_", place), Token("{", "{", place), *tokens, replace(last, kind="}")]


def belongs(item: Item, base: str, families: Families) -> bool:
    """Whether a piece above a name is no exponent: a layer, an index, or another label beside these."""
    sure = (item.text, PLAIN) in families.shifted or item.text[:1].isupper()
    if item.style == PLAIN and base in families.powers and not sure:
        return False
    if item.is_letter or item.text.isdigit():
        return numbers(item, base, families) or is_index(item, families)
    return True


def is_index(item: Item, families: Families) -> bool:
    """Whether a piece above a name is an index."""
    return (item.text, item.style) in families.indices and not item.offset


def numbers(item: Item, base: str, families: Families) -> bool:
    """Whether a piece of a script is the number of a layer, or a number in the place of its letter."""
    if item.is_letter:
        return (item.text, item.style) in families.layers
    own = (base, item.style) in families.members
    if item.text.isdigit() and item.style in (PLAIN, BELOW):
        return own and (item.text != "2" or item.style == BELOW)
    if item.style == BELOW:
        return own and item.text in families.ends
    return own and (item.text.isdigit() or (len(item.text) == 1 and item.text.isupper()))


def is_label(item: Item, base: str, families: Families) -> bool:
    """Whether a piece below a name becomes a part of the name: the letter of a layer, a capital or a word."""
    word = item.text.isalpha() and len(item.text) > 1 and item.text not in GREEK
    return numbers(item, base, families) or word or item.token.kind == "TEXT" or item.text[:1].isupper()

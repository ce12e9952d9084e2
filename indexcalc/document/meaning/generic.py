r"""Functions of which nothing is known but what they are functions of, as formulas that stand for any of them.

A sum of smooth functions, each of a linear form in all arguments, has derivatives of the first and second order
without any relation between them. So what holds for it, with coefficients at random, holds for any function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indexcalc.document.meaning.nodes import Applied, Entry, Meaning, Plus, Total, times
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.unknown import unknown

TERMS = 4
"""The number of terms: with more of them than a place has components, second derivatives have full rank."""


def generic(name: str, slots: Sequence[Ix], arguments: Mapping[str, Sequence[Ix]], sizes: Sizes) -> Meaning:
    """y_i = sum_m a_mi f(sum_j c_mij x_j + ...): any function of the tensors with these slots.

    Its coefficients are inputs, whose slots `inputs_of` names.
    """
    term = sizes.measured(TERMS)
    forms: list[Meaning] = []
    for argument, own in arguments.items():
        dummies = tuple(sizes.like(slot) for slot in own)
        form = times(Entry(form_of(name, argument), (term, *slots, *dummies)), Entry(argument, dummies))
        forms.append(Total(dummies, form) if dummies else form)
    wave = Applied(unknown(name), forms[0] if len(forms) == 1 else Plus(tuple(forms)))
    return Total((term,), times(Entry(weight_of(name), (term, *slots)), wave))


def inputs_of(body: Meaning, name: str) -> dict[str, tuple[Ix, ...]]:
    """The coefficients of such a formula, with their slots."""
    found: dict[str, tuple[Ix, ...]] = {}
    pending = [body]
    while pending:
        match pending.pop():
            case Total(body=inner):
                pending.append(inner)
            case Applied(argument=inner):
                pending.append(inner)
            case Entry(own, slots) if own.endswith(f" of {name}"):
                found[own] = slots
            case node:
                pending.extend(getattr(node, "factors", getattr(node, "terms", ())))
    return found


def form_of(name: str, argument: str) -> str:
    """The name of the coefficients before an argument."""
    return f"coefficients before {argument} of {name}"


def weight_of(name: str) -> str:
    """The name of the weights of the terms."""
    return f"weights of {name}"

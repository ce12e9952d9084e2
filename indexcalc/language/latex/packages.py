r"""Macros of packages that formulas use without defining them: derivatives, bold letters and brackets of ``physics``.

What the names come to is from the manuals of the packages physics and commath. A document's own macros come first.
"""

from __future__ import annotations

from collections.abc import Mapping

from indexcalc.language.latex.macros import Macro


def derivative(sign: str) -> Macro:
    r"""``\dv{x}``, ``\dv{f}{x}`` and ``\dv[n]{f}{x}``: the sign of a derivative, a derivative, and one of an order."""
    order = "^{#1}"
    return Macro(
        2,
        rf"\frac{{{sign}{order}}}{{{sign} #2{order}}}",
        default="",
        longer=(
            rf"\frac{{{sign}{order} #2}}{{{sign} #3{order}}}",
            rf"\frac{{{sign}^{{2}} #2}}{{{sign} #3\,{sign} #4}}",
        ),
        starred=True,
    )


def starred(body: str) -> Macro:
    """A macro of one argument, with a star or without."""
    return Macro(1, body, starred=True)


PACKAGES: Mapping[str, Macro] = {
    **dict.fromkeys(("dv", "od"), derivative(r"\mathrm{d}")),
    **dict.fromkeys(("pdv", "pd"), derivative(r"\partial")),
    "vb": starred(r"\mathbf{#1}"),
    "va": starred(r"\vec{\mathbf{#1}}"),
    "vu": starred(r"\hat{\mathbf{#1}}"),
    "qty": Macro(0, ""),
    "vdot": Macro(0, r"\cdot"),
    "cross": Macro(0, r"\times"),
    "cp": Macro(0, r"\times"),
    "qq": starred(r"\quad\text{#1}\quad"),
    "pmqty": Macro(1, r"\begin{pmatrix}#1\end{pmatrix}"),
    "bmqty": Macro(1, r"\begin{bmatrix}#1\end{bmatrix}"),
}
"""By name; those with a longer form take as many arguments as there are in braces."""

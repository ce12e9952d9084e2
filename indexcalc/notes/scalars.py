r"""Scalars in LaTeX as a textbook has them: ``\frac{1}{\sqrt{2 \pi}}``, ``\lfloor (N - K)/2 \rfloor + 1``."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp
from sympy.printing.latex import LatexPrinter

from indexcalc.algebra.scalars import WithSums, as_fraction, is_turned, rounded_fraction
from indexcalc.notes.layout import parenthesised


class ScalarLatex(WithSums, LatexPrinter):  # type: ignore[misc]
    """SymPy's printer with the fractions, sums and rounded quotients of `indexcalc.algebra.scalars`."""

    def _print_Mul(self, expr: sp.Mul) -> str:  # noqa: N802 (SymPy looks for this name)
        if not is_turned(expr):
            return str(super()._print_Mul(expr))
        above, below = as_fraction(expr)
        sign = "- " if above.could_extract_minus_sign() else ""
        return rf"{sign}\frac{{{self._print(abs(above))}}}{{{self._print(below)}}}"

    def _print_log(self, expr: sp.log, exp: str | None = None) -> str:
        text = r"\log" + parenthesised(self._print(expr.args[0]))
        return text if exp is None else f"{parenthesised(text)}^{{{exp}}}"

    def _print_floor(self, expr: sp.floor, exp: str | None = None) -> str:
        above, below = rounded_fraction(expr)
        top = self._print(above)
        text = rf"\lfloor {f'({top})' if above.is_Add else top}/{below} \rfloor"
        return text if exp is None else f"{text}^{{{exp}}}"


class WithoutE(ScalarLatex):
    r"""``\exp(x)`` in the place of powers of e, where a tensor has this letter."""

    def _print(self, expr: sp.Expr, **kwargs: object) -> str:
        # Euler's number spells itself, which SymPy asks for before any method for its class.
        return r"\exp(1)" if expr == sp.E else str(super()._print(expr, **kwargs))

    def _print_ExpBase(self, expr: sp.Expr, exp: str | None = None) -> str:  # noqa: N802 (SymPy looks for this name)
        text = r"\exp" + parenthesised(self._print(expr.exp))
        return text if exp is None else f"{parenthesised(text)}^{{{exp}}}"


def scalar_in_latex(value: sp.Expr, symbols: Mapping[sp.Symbol, str], printer: type[ScalarLatex] = ScalarLatex) -> str:
    """A scalar with its symbols as they are given."""
    return str(printer({"symbol_names": dict(symbols)}).doprint(value))

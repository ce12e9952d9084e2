"""Markup around formulas: pages with MathJax, macros with arguments, environments without dollars."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

PAGE = r"""<html><head><script>MathJax = {tex: {inlineMath: [['$', '$']]}};</script></head><body>
<p>Let \(Y_{no} = \sum_f X_{nf} W_{fo}\).</p>
<p>\[ \frac{\partial L}{\partial X_{nf}} = \sum_o \frac{\partial L}{\partial Y_{no}} W_{fo} \]</p>
<p>$$ \frac{\partial L}{\partial W_{fo}} = -\sum_n X_{nf} \frac{\partial L}{\partial Y_{no}} $$</p>
<script type="math/tex; mode=display">
\frac{\partial L}{\partial W_{fo}} = \sum_n X_{nf} \frac{\partial L}{\partial Y_{no}}
</script>
</body></html>
"""

MACROS = r"""
\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}}
\def\loss{\mathcal{L}}
\def\grad#1{\pd{\loss}{#1}}
\newcommand\weight[1][fo]{W_{#1}}
\begin{document}
Let $Y_{no} = \sum_f X_{nf} \weight$.
\begin{align}
\grad{X_{nf}} &= \sum_o \grad{Y_{no}} \weight \\
&= \sum_q \weight[fq] \grad{Y_{nq}}
\end{align}
\begin{equation}
\grad{W_{fo}} = -\sum_n X_{nf} \grad{Y_{no}}
\end{equation}
\end{document}
"""

BARE = r"""
Let $Y_{no} = \sum_f X_{nf} W_{fo}$.

\begin{align}
\frac{\partial L}{\partial X_{nf}} &= \sum_o \frac{\partial L}{\partial Y_{no}} W_{fo}
\end{align}

\begin{equation*}
\frac{\partial L}{\partial W_{fo}} = -\sum_n X_{nf} \frac{\partial L}{\partial Y_{no}}
\end{equation*}
"""


@pytest.mark.parametrize(
    ("source", "name", "verdicts"),
    [
        (PAGE, "page.html", {2: Verdict.DEFINITION, 3: Verdict.PROVED, 4: Verdict.REFUTED, 6: Verdict.PROVED}),
        (MACROS, "note.tex", {7: Verdict.DEFINITION, 9: Verdict.PROVED, 10: Verdict.PROVED, 13: Verdict.REFUTED}),
        (BARE, "note.md", {2: Verdict.DEFINITION, 5: Verdict.PROVED, 9: Verdict.REFUTED}),
    ],
)
def test_formulas_are_found_and_macros_expanded(source, name, verdicts):
    assert {claim.line: claim.verdict for claim in check(source, name).claims} == verdicts

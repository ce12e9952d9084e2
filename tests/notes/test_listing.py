"""Code on the page: below its own equation, every line that is in the module, indices in their colours."""

from __future__ import annotations

import re
from html import unescape

import pytest

from indexcalc.codegen.listing import code_by_equation
from indexcalc.codegen.module import numpy_module
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import html_note
from indexcalc.notes.listing import Listing
from indexcalc.rewrite.derive import derive

NAMES = ("attention", "lstm", "conv2d", "logistic_hessian", "deep_equilibrium")


@pytest.mark.parametrize("name", NAMES)
def test_code_stands_in_the_module_and_below_its_equation(name: str) -> None:
    derivation = derive(load_problem(shipped_paths()[name]))
    code, module = code_by_equation(derivation), numpy_module(derivation)
    lines = {line.strip() for line in module.splitlines()}
    assert code
    for text in code.values():
        assert {line.strip() for line in text.splitlines()} <= lines
    page = html_note(derivation, code=code)
    shown = [unescape(re.sub(r"<[^>]*>", "", one)) for one in re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)]
    assert set(shown) <= set(code.values())
    assert shown
    assert "<pre>" not in html_note(derivation)


def test_every_result_of_attention_has_its_code() -> None:
    derivation = derive(load_problem(shipped_paths()["attention"]))
    code = code_by_equation(derivation)
    assert set(code) == {"S", "Z", "A", "O", "dV", "D", "r", "dS", "dQ", "dK"}
    assert code["dV"] == "# dV[j,p] = sum[i](G[i,p] * A[i,j])\ndV = A.T @ G"
    page = html_note(derivation, code=code)
    pairs = re.findall(
        r'class="display"[^>]*>((?:(?!class="display").)*?)<details class="code" open>(.*?)</details>', page, re.S
    )
    first = [re.search(r"# (?:<[^>]*>)*(\w+)\[", text)[1] for _, text in pairs]
    # Each stands behind the formula that it computes; the brief note has some of these once more.
    assert list(dict.fromkeys(first)) == ["S", "S_max", "A", "O", "dV", "D", "dS", "r", "dQ", "dK"]


def test_a_loop_stands_with_its_last_equation() -> None:
    code = code_by_equation(derive(load_problem(shipped_paths()["lstm"])))
    assert "for t in range(T):" in code["h"]
    assert "i_arg" not in code


def test_indices_have_their_colours_in_comments_alone() -> None:
    listing = Listing({}, {}, {"i": "i0", "j": "i1"})
    assert (
        listing.line("# A[i,j] = x[i] < i")
        == '# A[<i class="i0">i</i>,<i class="i1">j</i>] = x[<i class="i0">i</i>] &lt; i'
    )
    assert listing.line('A = np.einsum("i,j->ij", x[i])') == "A = np.einsum(&quot;i,j-&gt;ij&quot;, x[i])"

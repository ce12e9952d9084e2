"""Expressions as data: text that is taken apart keeps all of its parts."""

from __future__ import annotations

import pytest

from indexcalc.codegen.source import flat, split_call


@pytest.mark.parametrize("text", ["f(a, g(b, c)[0], (1, 2))", "f(a).T", "f(a, (b, c))[:, None].T", "np.f()"])
def test_a_call_that_is_text_keeps_what_follows(text):
    assert flat(split_call(text)) == text

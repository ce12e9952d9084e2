"""The values of expressions of sizes, which are remembered by what their sizes are."""

import sympy as sp

from indexcalc.document.meaning.sizes import Sizes
from indexcalc.document.numerics.extents import value_of, with_extents

N, K = sp.symbols("N K", positive=True, integer=True)


def test_a_value_follows_its_sizes_and_not_the_order_in_which_they_were_met():
    formula = sp.floor((2 * N - K) / 2) + 1
    for names in ("NK", "KN"):
        sizes = Sizes()
        roots = {name: sizes.named(name) for name in names}
        for n, k in ((3, 2), (2, 3), (5, 4)):
            assert value_of(formula, {roots["N"]: n, roots["K"]: k}, sizes) == (2 * n - k) // 2 + 1


def test_a_size_without_a_length_is_one():
    assert value_of(N + 2, {}, Sizes()) == 3


def test_extents_change_places_at_once():
    assert with_extents(N - 2 * K, ((N, K), (K, N))) == K - 2 * N

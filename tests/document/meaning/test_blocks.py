"""Arrays made of arrays: the sizes of what blocks make."""

from __future__ import annotations

import pytest

from indexcalc.document.meaning.blocks import of_blocks
from indexcalc.document.meaning.nodes import ONE, ZERO, Entry
from indexcalc.document.meaning.sizes import ShapeError, Sizes
from indexcalc.document.meaning.typed import COLUMN, ROW, Typed, transpose


def array(sizes: Sizes, name: str, *slots: str) -> Typed:
    """A named array with declared sizes."""
    axes = tuple(sizes.fresh() for _ in slots)
    for axis, slot in zip(axes, slots, strict=True):
        sizes.unify(axis, sizes.named(slot, declared=True))
    return Typed(Entry(name, axes), axes)


def test_sizes_of_blocks_add_up() -> None:
    """What stands below something has another size; what stands beside it has the same, and zeros fit in."""
    sizes = Sizes()
    found = of_blocks(
        [[array(sizes, "A", "p", "q"), Typed(ZERO)], [array(sizes, "C", "r", "q"), array(sizes, "D", "r", "s")]], sizes
    )
    lengths = {sizes.find(sizes.named(name)): length for name, length in {"p": 2, "q": 3, "r": 5, "s": 7}.items()}
    assert [sizes.length(axis, lengths) for axis in found.axes] == [7, 10]


def test_vectors_stay_vectors() -> None:
    """Columns below each other are a column, rows beside each other a row, and numbers among them one entry."""
    sizes = Sizes()
    x, y = array(sizes, "x", "p"), array(sizes, "y", "q")
    below = of_blocks([[x], [Typed(ONE)], [y]], sizes)
    lengths = {sizes.find(sizes.named("p")): 2, sizes.find(sizes.named("q")): 3, **sizes.exact}
    beside = of_blocks([[transpose(x), transpose(y)]], sizes)
    assert (len(below.axes), below.orientation) == (1, COLUMN)
    assert (len(beside.axes), beside.orientation) == (1, ROW)
    assert sizes.length(below.axes[0], lengths) == 6


def test_no_size_becomes_one_for_the_sake_of_a_block() -> None:
    """A matrix beside a number is misread."""
    sizes = Sizes()
    with pytest.raises(ShapeError):
        of_blocks([[array(sizes, "A", "p", "q"), Typed(ONE)]], sizes)


def test_no_array_is_a_block_of_its_own_size() -> None:
    """What is as large as one of its blocks does not fit, and a failed union leaves no circle."""
    sizes = Sizes()
    x, y = array(sizes, "x", "p"), array(sizes, "y", "q")
    (whole,) = of_blocks([[x], [y]], sizes).axes
    with pytest.raises(ShapeError):
        sizes.unify(whole, x.axes[0])
    assert sizes.length(whole, {sizes.find(whole): 4}) == 4

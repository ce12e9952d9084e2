"""Sizes as a user writes them: what is right, and what each mistake is told."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.cost.sizes import MAX_DIGITS, SizesError, checked_sizes, read_sizes

T, d = sp.symbols("T d_v", positive=True, integer=True)


def test_sizes_in_one_text_or_several():
    assert read_sizes(["T=4096,d_v=64"]) == {"T": 4096, "d_v": 64}
    assert read_sizes([" T = 7 ", "d_v=1"]) == {"T": 7, "d_v": 1}
    assert checked_sizes({"d_v": 1, "T": 7}, (T, d)) == {T: 7, d: 1}
    assert checked_sizes({}, ()) == {}


def test_large_sizes_are_numbers_like_others():
    assert read_sizes(["T=" + "9" * MAX_DIGITS])["T"] == 10**MAX_DIGITS - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T", "'T' is not NAME=SIZE"),
        ("T=", "'T=' is not NAME=SIZE"),
        ("=4", "'=4' is not NAME=SIZE"),
        ("", "'' is not NAME=SIZE"),
        ("T=4,", "'' is not NAME=SIZE"),
        ("T=4,T=5", "the size of T is given twice"),
        ("T=1.5", "a size is a positive whole number"),
        ("T=-3", "a size is a positive whole number"),
        ("T=4k", "a size is a positive whole number"),
        ("T=٣", "a size is a positive whole number"),
        ("T=2==3", "a size is a positive whole number"),
        ("T=" + "9" * (MAX_DIGITS + 1), "has 41 digits; the limit is 40"),
    ],
)
def test_what_is_no_size(text, message):
    with pytest.raises(SizesError, match=message):
        read_sizes([text])


def test_what_does_not_fit_the_extents():
    with pytest.raises(SizesError, match=r"no extent 'dv'; did you mean d_v\? The extents are: T, d_v"):
        checked_sizes({"T": 3, "dv": 4}, (T, d))
    with pytest.raises(SizesError, match="no extent 'T'; The extents are: none"):
        checked_sizes({"T": 3}, ())
    with pytest.raises(SizesError, match="no size is given for d_v; add d_v="):
        checked_sizes({"T": 3}, (T, d))
    with pytest.raises(SizesError, match="the size of T is 0"):
        checked_sizes({"T": 0, "d_v": 1}, (T, d))

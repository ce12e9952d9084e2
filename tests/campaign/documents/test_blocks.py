"""Documents cut into blocks and formulas, and texts with edits."""

from __future__ import annotations

import random

import pytest

from tests.campaign.documents.blocks import Kind, Part, blocks_of, formulas_of, regions_of
from tests.campaign.documents.corpus import COLLECTIONS, Document, at_hand, cut, documents, drawn, lines
from tests.campaign.documents.edits import Edit, edited
from tests.campaign.documents.formulas import chains_in, name_of

MIXED = r"""---
title: x
---

# A heading with $a$

Words and $b = c$, `code $d$`, money: 5\$ and a display $$e$$ inside.
$$
f = g

h
$$

- an item
- another, $`i`$

| a | table |
| --- | --- |

<!-- $j$ -->

```math
k = l
```

```python
m = "$n$"
```
"""


def test_formulas_are_found_and_code_is_not():
    found = [MIXED[one.inner : one.inner_end].strip() for one in formulas_of(MIXED, "a.md")]
    assert found == ["a", "b = c", "e", "f = g\n\nh", "i", "k = l"]


def test_blocks_are_told_apart():
    kinds = [block.kind for block in blocks_of(MIXED, "a.md")]
    assert kinds == [
        *(Kind.SILENT, Kind.HEADING, Kind.PROSE, Kind.DISPLAY, Kind.ITEM, Kind.ITEM, Kind.TABLE, Kind.SILENT),
        *(Kind.DISPLAY, Kind.SILENT),
    ]


def test_blocks_of_latex():
    text = (
        "\\documentclass{a}\n\\newcommand{\\b}{$c$}\n\\begin{document}\n\\section{D}\nWords $e$ % $f$\n\n\\[g = h\\]\n"
    )
    assert [text[one.inner : one.inner_end] for one in formulas_of(text, "a.tex")] == ["e", "g = h"]
    assert [block.kind for block in blocks_of(text, "a.tex")] == [Kind.SILENT, Kind.HEADING, Kind.PROSE, Kind.DISPLAY]


@pytest.mark.parametrize("collection", ["own", "small"])
def test_blocks_hold_every_line_that_is_not_empty(collection):
    for document in documents(collection):
        done = 0
        for block in blocks_of(document.text, document.name):
            assert not document.text[done : block.start].strip()
            assert block.start >= done
            done = block.end
        assert not document.text[done:].strip()
        assert any(region.part is Part.DISPLAY for region in regions_of(document.text, document.name))


@pytest.mark.parametrize(
    ("text", "members"),
    [
        (r"a = b = c", [["a", "b", "c"]]),
        (r"\begin{aligned} a &= b \\ &= c + d \\ e &= (f = g)\end{aligned}", [["a", "b", "c + d"], ["e", "(f = g)"]]),
        (r"a = b, \quad c = d_{i=1}.", [["a", "b"], ["c", "d_{i=1}"]]),
        (r"\boxed{a = \frac{b}{c}}", [["a", r"\frac{b}{c}"]]),
        (r"a &= b \\ &\quad + c \\ &= d", [["a", r"b \\ &\quad + c", "d"]]),
    ],
)
def test_chains_are_cut_into_members(text, members):
    chains = chains_in(text, 0, len(text))
    assert [[text[one.start : one.end] for one in chain.members] for chain in chains] == members


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (r"\hat{x}_{ij}", r"\hat{x}"),
        (r"\sigma^2", r"\sigma^2"),
        (r"W_{ij}", "W"),
        (r"W_Q", "W_Q"),
        (r"\frac{a}{b}", ""),
        (r"a b", ""),
        (r"\mathbf{dz}", r"\mathbf{dz}"),
    ],
)
def test_a_head_has_a_name_or_none(head, name):
    assert name_of(head) == name


def test_positions_move_with_edits():
    changed = edited("abcdefgh", [Edit(1, 3, "XYZ"), Edit(4, 6, ""), Edit(7, 7, "!"), Edit(2, 4, "overlaps")])
    assert changed.text == "aXYZdg!h"
    assert [changed.moved(place) for place in range(8)] == [0, 1, 2, 4, None, None, 5, 7]


def test_a_long_document_is_cut_at_its_sections():
    text = "".join(f"# Section {n}\n\n" + "Words.\n\n" * 20 for n in range(9))
    document = Document("own", "long.md", text)
    for seed in range(9):
        short = cut(document, random.Random(seed))
        assert lines(short.text) <= 150
        assert short.text.startswith("# Section 0\n")
        first = text.split("\n")
        for number, line in enumerate(short.text.split("\n")[:-1], 1):
            assert first[short.line_of(number) - 1] == line


def test_documents_are_drawn_from_their_seed_alone():
    assert drawn(random.Random(5), ("own",)) == drawn(random.Random(5), ("own",))
    assert set(at_hand()) <= set(COLLECTIONS)
    assert at_hand(("own", "small")) == ("own", "small")

"""Documents under other letters and in other spellings."""

from __future__ import annotations

import random
import re

import pytest

from indexcalc.document import Verdict
from tests.campaign.case import failures
from tests.campaign.documents.blocks import Part, formulas_of
from tests.campaign.documents.corpus import Document, drawn
from tests.campaign.documents.edits import Edit, edited
from tests.campaign.documents.fakes import LAYER, NOTE, always, case_of, judging
from tests.campaign.documents.letters import loss_of, permuted, uses_of
from tests.campaign.documents.renaming import OPERATIONS, Renaming, cases, index_letters, tensor_letters, verdict


def renamed(letters: dict[str, str]) -> Renaming:
    return Renaming(LAYER, edited(NOTE, permuted(NOTE, LAYER.name, letters)), "indices")


def test_a_checker_that_judges_by_a_letter_is_found():
    def by_letter(text, left, right):
        return Verdict.PROVED if r"\sum_{k}" in text else Verdict.REFUTED

    found = failures(verdict(case_of(renamed({"k": "i", "i": "k"})), judging(by_letter)))
    assert found == []
    found = failures(verdict(case_of(renamed({"k": "i", "i": "j", "j": "k"})), judging(by_letter)))
    assert found == []

    def by_first_letter(text, left, right):
        return Verdict.PROVED if r"Y_{ij} = \sum_{k}" in text else Verdict.REFUTED

    found = failures(verdict(case_of(renamed({"k": "i", "i": "k"})), judging(by_first_letter)))
    assert len(found) == 4
    assert found[0].startswith("indices: between true and refuted: true to refuted at layer.md:5: ")


def test_silence_is_another_kind_of_finding():
    def silent(text, left, right):
        return Verdict.PROVED if "Y_{ij} =" in text else Verdict.UNCLEAR

    found = failures(verdict(case_of(renamed({"k": "i", "i": "k"})), judging(silent)))
    assert {line.split(" at ")[0] for line in found} == {"indices: another verdict: true to not understood"}
    assert failures(verdict(case_of(renamed({"k": "i", "i": "k"})), always(Verdict.PROVED))) == []


def test_letters_of_one_role_are_found():
    assert index_letters(LAYER) == ["i", "j", "k"]
    assert tensor_letters(LAYER) == ["w", "x", "y"]
    assert loss_of(NOTE) == "L"


@pytest.mark.parametrize("seed", range(40))
def test_the_inverse_renaming_gives_the_text_back(seed):
    rng = random.Random(seed)
    document = drawn(rng, ("own", "small"))
    for letters in (index_letters(document), tensor_letters(document)):
        turned = dict(zip(letters, (*letters[1:], *letters[:1]), strict=True))
        edits = permuted(document.text, document.name, turned)
        if not edits:
            continue
        there = edited(document.text, edits).text
        back = edited(there, permuted(there, document.name, {new: old for old, new in turned.items()})).text
        assert there != document.text or len(letters) < 2
        assert back == document.text


@pytest.mark.parametrize("operation", OPERATIONS)
def test_another_spelling_keeps_every_formula_and_its_braces(operation):
    done = 0
    for seed in range(120):
        rng = random.Random(seed)
        document = drawn(rng, ("own", "small"))
        changed = edited(document.text, OPERATIONS[operation](document, rng))
        if not changed.edits:
            continue
        done += 1
        before, after = (list(formulas_of(text, document.name)) for text in (document.text, changed.text))
        assert [one.part for one in before] == [one.part for one in after]
        for one, other in zip(before, after, strict=True):
            new = changed.text[other.inner : other.inner_end]
            assert changed.moved(one.inner) in (other.inner, None)
            grouping = re.sub(r"\\[{}]", "", new)  # a written brace, as one before cases, has no partner
            assert grouping.count("{") == grouping.count("}")
            if one.part is Part.INLINE:
                assert "\n\n" not in new
    assert done


CHAIN = "$$\\frac{\\partial L}{\\partial x} = \\frac{\\partial L}{\\partial y} \\frac{\\partial y}{\\partial x}$$"


@pytest.mark.parametrize(
    ("operation", "before", "after"),
    [
        ("transposes", "$$A^T B^{T} = (B^\\top A)^T$$", None),
        ("differentials", CHAIN, None),
        ("dots", "$$a = 2 b + \\frac{1}{2} c$$", "$$a = 2 \\cdot b + \\frac{1}{2} c$$"),
        ("brackets", "$$a = \\left( b + c \\right)$$", "$$a = ( b + c )$$"),
        ("joined lines", "$$\na\n= b\n$$", "$$ a = b $$"),
        ("synonyms", "Therefore we get $a = b$.", "Hence we obtain $a = b$."),
    ],
)
def test_spellings(operation, before, after):
    document = Document("own", "a.md", f"{before}\n")
    found = {edited(document.text, OPERATIONS[operation](document, random.Random(n))).text.strip() for n in range(30)}
    found -= {before}
    assert found
    if after is not None:
        assert after in found
    if operation == "differentials":
        assert all(text.count(r"\partial") == 2 and "partial y}{" in text for text in found)


def test_words_stay_words():
    text = "$$y_i = \\log(x_i) + tr(A) + softmax(z)_i$$ $$t = r$$ $$A_{ij} = i j$$\n"
    assert edited(text, permuted(text, "a.md", {"l": "o", "o": "l"})).edits == ()
    assert set(uses_of(text, "a.md")) >= {"x", "y", "A", "t"}


def test_the_ways_take_turns():
    found = list(cases(0, len(OPERATIONS), ("own", "small")))
    assert len({case.subject.operation for case in found}) > len(OPERATIONS) - 3
    assert Edit(0, 0, "") not in found[0].subject.changed.edits

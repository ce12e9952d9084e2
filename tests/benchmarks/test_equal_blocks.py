"""Equal blocks of a deep program get equal forms: the search for cheap forms has effort for each of them."""

from __future__ import annotations

from pathlib import Path

import indexcalc as ic
from indexcalc.algebra.terms import tensors_of

SPEC = Path(__file__).parents[2] / "benchmarks" / "suite" / "specs" / "gpt_step.ixc"


def test_the_parts_of_equal_blocks_have_equal_forms():
    derivation = ic.derive(ic.load_problem(SPEC))
    forms = {}
    for block in ("l1", "l2", "l3"):
        marks = (f"d{block}_A", f"d{block}_O", f"d{block}_C", f"d{block}_U")
        parts = (section.equation for section in derivation.sections if section.target is None)
        forms[block] = sorted(
            tuple((len(term.powers), len(term.summed)) for term in part.terms)
            for part in parts
            if not set(marks).isdisjoint(tensors_of(part.terms))
        )
    assert len(forms["l1"]) == 3
    assert forms["l1"] == forms["l2"] == forms["l3"]

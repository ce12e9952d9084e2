"""Closing tables: nothing is left out, and what is said of several tensors is said once."""

from __future__ import annotations

import pytest

from indexcalc.algebra.terms import Access, Delta, Index
from indexcalc.calculus.steps import Collapse, Path, Step
from indexcalc.language import read_problem
from indexcalc.notes import latex_note, markdown_note
from indexcalc.notes.blocks import Gradient, Span, Spans, Symbol, Table
from indexcalc.notes.tables import delta_blocks
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS
from tests.notes.test_familiar import DERIVATION

DERIVED = {name: derive(problem()) for name, problem in PROBLEMS.items()} | {"long": DERIVATION}


@pytest.mark.parametrize("name", sorted(DERIVED))
def test_every_gradient_with_deltas_has_a_row_with_each_beside_the_sum_that_it_collapses(name: str) -> None:
    derivation = DERIVED[name]
    (table,) = [block for block in delta_blocks(derivation) if isinstance(block, Table)]
    rows = {"".join(map(str, result)): row for row in table.rows for result in split_at_commas(row[-1])}
    orders = [section for order in derivation.orders for section in order.sections]
    for section in (*derivation.sections, *orders):
        ways = [(path, steps_of(path)) for path in section.paths] if len(section.paths) > 1 else []
        entry = section.equation.lhs
        own = entry if section.target is None else Gradient(Access(section.target, section.equation.slots))
        named = [((own, " through ", Symbol(path.consumer.tensor)), steps) for path, steps in ways]
        for spans, steps in (*named, ((own,), section.steps if ways else tuple(section.all_steps()))):
            collapses = dict.fromkeys(step.detail for step in steps if isinstance(step.detail, Collapse))
            if collapses:
                deltas, sums, *_ = rows["".join(map(str, spans))]
                assert [span for span in deltas if isinstance(span, Delta)] == [found.delta for found in collapses]
                assert [span for span in sums if isinstance(span, Index)] == [found.killed for found in collapses]


def split_at_commas(spans: Spans) -> list[list[Span]]:
    found: list[list[Span]] = [[]]
    for span in spans:
        if span == ", ":
            found.append([])
        else:
            found[-1].append(span)
    return found


def steps_of(path: Path) -> tuple[Step, ...]:
    return (*(step for local in path.locals for step in local.steps), *path.steps)


def test_deltas_that_stand_in_a_result_are_listed_as_such() -> None:
    spec = "index v : V\nindex n : N\ninput E[v], tok[n] in v\nY[n] = E[tok[n]]\nderive E\n"
    (table,) = [block for block in delta_blocks(derive(read_problem(spec))) if isinstance(block, Table)]
    ((_, _, left, _),) = table.rows
    assert [type(span) for span in left] == [Delta]
    assert all("Deltas in the result" not in markdown_note(one) for one in DERIVED.values())


def test_deltas_of_the_forward_pass_are_listed_where_they_collapse_sums() -> None:
    spec = "index n, m : N\ninput X[n,m], u[n]\nY[n,m] = delta[n,m] * u[n] + X[n,m]\nderive u\n"
    (table,) = [block for block in delta_blocks(derive(read_problem(spec))) if isinstance(block, Table)]
    ((deltas, sums, _),) = table.rows
    assert (
        len([span for span in deltas if isinstance(span, Delta)]) == len([s for s in sums if isinstance(s, Index)]) == 2
    )


def test_a_long_table_may_break() -> None:
    assert r"\begin{longtable}[l]" in latex_note(DERIVATION)


def test_an_identity_without_words_says_which_sum_it_is_about() -> None:
    text = markdown_note(DERIVED["attention"])
    start = text.index("## Identities of the forward pass")
    assert text[start:].split("\n\n")[1] == "The sum of $`A`$ over $`j`$:"


def test_a_proof_begins_with_its_first_step() -> None:
    text = markdown_note(DERIVED["attention"])
    assert text.count(r"\frac{1}{Z_{i}} \sum_{j} e^{S_{ij}} && \text{with } A \text{ put in}") == 1
    assert "Proof.\n" not in text


def test_a_table_stays_with_the_sentence_that_announces_it() -> None:
    assert "they can be computed:\n\n\\nopagebreak\n{\\small" in latex_note(DERIVED["attention"])
    assert latex_note(DERIVED["attention"]).count(r"\nopagebreak") < latex_note(DERIVED["attention"]).count(r"\hline")


def test_jacobians_have_their_name() -> None:
    assert (
        markdown_note(DERIVED["attention"]).count("A Jacobian on the way, every entry differentiated by every entry")
        == 1
    )
    assert "Jacobian" not in markdown_note(DERIVED["linear"])


def test_one_tensor_holds_and_several_hold() -> None:
    spec = 'title "t"\nindex i : I\nindex j : J\ninput u[i], v[j]\nM[i,j] = u[i] * v[j]\n'
    one = markdown_note(derive(read_problem(f"{spec}L = sum[i,j](M[i,j]^3)\nloss L\nderive u\n", "t.ixc")))
    assert "$`M`$ holds $`I J`$ entries, a size that" in one
    assert "entries each" not in one
    several = markdown_note(DERIVED["attention"])
    assert " hold $`T^{2}`$ entries each, a size that" in several


def test_a_sum_that_only_counts_is_said_to_count() -> None:
    spec = 'title "t"\nindex n : N\nindex h : H\ninput X[n,h]\nmu[n] = 1/H * sum[h](X[n,h])\nY[n,h] = X[n,h] - mu[n]\n'
    text = markdown_note(derive(read_problem(f"{spec}derive X\nprove sum[h](Y[n,h]) = 0\n", "t.ixc")))
    assert r"\text{with } \mu \text{ put in, the same for all } H \text{ values of } h" in text
    assert r"&= \sum_{h} X_{nh} - \sum_{h} X_{nh} && \text{with }" in text
    assert "times its value" not in markdown_note(DERIVED["attention"])


def test_what_a_number_contributes_along_a_direction_has_a_row() -> None:
    spec = "index s : M\ninput Z\ninput B[s]\nQ[s] = B[s] * Z^2\nL = Z * sum[s](Q[s]^2)\n"
    note = markdown_note(derive(read_problem(f'title "T"\n{spec}product jacobian L by (Z, B) with (w, v)\n')))
    assert "$`\\mathcal{R}\\{Q_{s}\\}`$ through $`B`$" in note

"""The note of a derivation: its blocks, as algebra objects."""

from __future__ import annotations

from itertools import pairwise

import pytest

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Access
from indexcalc.calculus.steps import Rule, Step
from indexcalc.language.read import load_problem
from indexcalc.library import shipped_paths
from indexcalc.notes import displayed_equations, latex_note, markdown_note
from indexcalc.notes.blocks import Display, Paragraph, displays_of
from indexcalc.notes.outline import outline
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS, attention

DERIVED = {name: derive(problem()) for name, problem in PROBLEMS.items()}


def sentences(name: str) -> str:
    """All running text of a note, formulas left out."""
    texts = [block.spans for block in outline(DERIVED[name]) if isinstance(block, Paragraph)]
    return "\n".join("".join(span if isinstance(span, str) else "@" for span in spans) for spans in texts)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_every_gradient_is_boxed_once_in_its_section(name: str) -> None:
    derivation = DERIVED[name]
    boxed = [display for display in displays_of(outline(derivation)) if display.boxed]
    for target in derivation.problem.targets:
        gradient = derivation.problem.gradient_names[target]
        found = [d for d in boxed if isinstance(d.left, Access) and d.left.tensor == gradient]
        equation = derivation.backward.definitions[gradient]
        assert len(found) == 2  # in its own section, and in the summary
        assert all(display.sides[-1] == equation.terms for display in found)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_every_step_of_a_gradient_is_displayed(name: str) -> None:
    shown = displayed_equations(DERIVED[name])
    for section in DERIVED[name].sections:
        for step in section.all_steps():
            assert (step.subject, step.after) in shown, step.rule


def test_the_chain_rule_comes_before_the_local_derivative() -> None:
    blocks = list(outline(DERIVED["attention"]))
    section = DERIVED["attention"].sections[0]
    chain = section.paths[0].steps[0]
    forward = section.paths[0].locals[0].steps[0]

    def position(step: Step) -> int:
        return next(
            n
            for n, block in enumerate(blocks)
            if isinstance(block, Display) and block.left == step.subject and step.after in block.sides
        )

    assert chain.rule is Rule.CHAIN
    assert forward.rule is Rule.FORWARD
    assert position(chain) < position(forward)


def test_the_quotient_rule_is_shown_over_a_common_denominator() -> None:
    text = markdown_note(DERIVED["attention"])
    assert r"\frac{e^{S_{ab}} \, \delta_{ai} \, \delta_{bj} \, Z_{a} - e^{S_{ab}} \, e^{S_{aj}} \, \delta_{ai}}" in text


def test_the_prose_names_what_happens() -> None:
    text = sentences("attention")
    assert "@ does not depend on @, so @ is constant." in text
    assert "there is one delta for each index slot" in text
    assert "@ collapses the sum over @; only @ is left:" in text
    assert "Terms without this delta keep the sum:" in text
    assert "only passes through: @ collapsed the sum over @" in text
    assert "@ is a factor of every term: @ depends on @ only where @" in text


def test_two_renderings_are_the_same() -> None:
    assert markdown_note(derive(attention())) == markdown_note(DERIVED["attention"])
    assert latex_note(derive(attention())) == latex_note(DERIVED["attention"])


def test_a_common_denominator_keeps_the_value() -> None:
    shown = displayed_equations(DERIVED["attention"])
    pairs = [(one[1], other[1]) for one, other in pairwise(shown) if one[0] == other[0]]
    assert any(left != right and same(expand(left), expand(right)) for left, right in pairs)


def test_an_identity_of_the_forward_pass_that_is_claimed_is_proved_once() -> None:
    derivation = derive(load_problem(shipped_paths()["layer_norm"]))
    lemmas = [(proof.identity.left, proof.identity.right) for proof in derivation.lemmas]
    claims = [(claim.left, claim.right) for claim in derivation.problem.claims]
    both = [one for one in lemmas if any(same(one[0], other[0]) and same(one[1], other[1]) for other in claims)]
    assert both
    boxed = [
        display for display in displays_of(outline(derivation)) if display.boxed and isinstance(display.left, tuple)
    ]
    for left, right in both:
        assert sum(same(display.left, left) and same(display.sides[-1], right) for display in boxed) == 1


@pytest.mark.parametrize("name", ["layer_norm", "softmax_cross_entropy", "tsne"])
def test_no_step_of_a_proof_repeats_the_equation_before_it(name: str) -> None:
    note = markdown_note(derive(load_problem(shipped_paths()[name])))
    proofs = note.split("## Identities of the forward pass")[1].split("\n## ")[0]
    proofs += note.split("## Identities of the gradients")[1].split("\n## ")[0]
    equations = [part.split("```")[0] for part in proofs.split("```math\n")[1:]]
    assert all(before != after for before, after in pairwise(equations))


def test_where_the_loss_reads_its_target_there_is_no_chain_rule_to_go_back_to() -> None:
    note = markdown_note(derive(load_problem(shipped_paths()["softmax_cross_entropy"])))
    section = note.split(r"## The gradient $`\partial L/\partial p`$")[1].split("\n## ")[0]
    assert "chain rule:" not in section
    assert section.count(r"\frac{\partial L}{\partial p_{nc}} = -\frac{q_{nc}}{N \, p_{nc}}") == 1
    assert section.count(r"\boxed") == 1

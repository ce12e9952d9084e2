"""docs/gallery.md: every shipped derivation of gradients, with these in boxes."""

from __future__ import annotations

from pathlib import Path

from indexcalc.calculus.steps import Derivation
from indexcalc.language import load_problem
from indexcalc.notes.blocks import Display, Displays
from indexcalc.notes.latex import access_latex
from indexcalc.notes.markdown import block_text, inline, text_of
from indexcalc.notes.names import Notation, notation_of
from indexcalc.notes.render import display_latex
from indexcalc.notes.setup import forward_blocks, shape_span, upstream_blocks
from indexcalc.notes.tables import summary_blocks
from indexcalc.rewrite.derive import derive
from tests.support.gradients import of_gradients

HEAD = """\
# Gallery

Every derivation of gradients that comes with the package: its forward pass, as its spec says it and as mathematics,
and its backward pass as the engine derives it, with the gradients asked for in boxes. This page is generated
(`pytest tests/test_gallery.py --regenerate`).
"""


def every_derivation() -> dict[str, Derivation]:
    """The shipped derivations by name."""
    return {name: derive(load_problem(path)) for name, path in of_gradients().items()}


def gallery_page(derivations: dict[str, Derivation]) -> str:
    """The whole page."""
    return HEAD + "".join(entry(name, derivation) for name, derivation in derivations.items())


def entry(name: str, derivation: Derivation) -> str:
    """One derivation: its title, the equations of its spec, the same as mathematics, and its backward pass."""
    folder = f"../derivations/{name}/{name}"
    notation = notation_of(derivation)
    backward = [block_text(block, notation) for block in summary_blocks(derivation) if isinstance(block, Displays)]
    return (
        "\n\n".join(
            [
                f"\n## {name}",
                f"{derivation.problem.program.title}: [note]({folder}.md), [code]({folder}.py), [spec]({folder}.ixc).",
                "```text\n" + "\n".join(equations_of(of_gradients()[name])) + "\n```",
                inputs(derivation, notation),
                f"```math\n{forward(derivation, notation)}\n```",
                *(text.strip() for text in backward),
            ]
        )
        + "\n"
    )


def inputs(derivation: Derivation, notation: Notation) -> str:
    """The inputs with their shapes, and what is assumed of them."""
    program = derivation.problem.program
    assumed = [Display(identity.left, (identity.right,)) for identity in program.assumptions]
    formulas = ", ".join(inline(display_latex(display, notation)) for display in assumed)
    return f"Inputs: {', '.join(joined(entry, shape) for entry, shape in shaped_inputs(derivation, notation))}." + (
        f" Assumed: {formulas}." if formulas else ""
    )


def shaped_inputs(derivation: Derivation, notation: Notation) -> list[tuple[str, str]]:
    """The entries of the inputs and their shapes; that of a scalar is a word."""
    program = derivation.problem.program
    every = [(access_latex(tensor.entry, notation), shape_span(program, tensor)) for tensor in program.inputs]
    return [(entry, text_of(shape, notation).strip("$`")) for entry, shape in every]


def joined(entry: str, shape: str) -> str:
    """An input with its shape; a scalar has none."""
    return inline(entry) if shape == "scalar" else inline(f"{entry} \\in {shape}")


def forward(derivation: Derivation, notation: Notation) -> str:
    """The equations of the forward pass and the gradients that are given, below each other."""
    return "\\begin{gathered}\n" + " \\\\\n".join(forward_lines(derivation, notation)) + "\n\\end{gathered}"


def forward_lines(derivation: Derivation, notation: Notation) -> list[str]:
    """The equations of the forward pass and the gradients that are given."""
    problem = derivation.problem
    every = (*forward_blocks(problem.program), *upstream_blocks(problem))
    shown = [item for block in every for item in (block.items if isinstance(block, Displays) else [block])]
    return [display_latex(block, notation) for block in shown if isinstance(block, Display)]


def equations_of(spec: Path) -> list[str]:
    """The lines of a spec that define tensors, without what is said about them."""
    words = ("title", "index", "param", "input", "upstream", "loss", "derive", "name", "prove", "assume", "#")
    lines = spec.read_text(encoding="utf-8").splitlines()
    return [line.split('"')[0].rstrip() for line in lines if line and line.split()[0] not in words]

"""docs/gallery.md and the gallery of the README: every shipped derivation with its boxed gradients."""

from __future__ import annotations

from pathlib import Path

from indexcalc.calculus.steps import Derivation
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.notes.blocks import Display, Displays
from indexcalc.notes.latex import access_latex, terms_latex
from indexcalc.notes.layout import solid
from indexcalc.notes.markdown import block_text, inline, text_of
from indexcalc.notes.names import Notation, notation_of
from indexcalc.notes.render import display_latex, left_latex
from indexcalc.notes.setup import forward_blocks, shape_span, upstream_blocks
from indexcalc.notes.tables import summary_blocks
from indexcalc.rewrite.derive import derive

HEAD = """\
# Gallery

Every derivation that comes with the package: its forward pass, as its spec says it and as mathematics,
and its backward pass as the engine derives it, with the gradients asked for in boxes. This page is generated
(`pytest tests/test_gallery.py --regenerate`).
"""

START, END = "<!-- gallery: generated -->\n", "<!-- end of the gallery -->\n"
"""What encloses the gallery in the README."""


def every_derivation() -> dict[str, Derivation]:
    """The shipped derivations by name."""
    return {name: derive(load_problem(path)) for name, path in shipped_paths().items()}


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
                "```text\n" + "\n".join(equations_of(shipped_paths()[name])) + "\n```",
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
    every = [(access_latex(tensor.entry, notation), shape_span(program, tensor)) for tensor in program.inputs]
    shaped = [(entry, text_of(shape, notation)) for entry, shape in every]
    return f"Inputs: {', '.join(joined(entry, shape) for entry, shape in shaped)}." + (
        f" Assumed: {formulas}." if formulas else ""
    )


def joined(entry: str, shape: str) -> str:
    """An input with its shape; a scalar has none."""
    return inline(entry) if shape == "scalar" else inline(f"{entry} \\in {shape.strip('$`')}")


def forward(derivation: Derivation, notation: Notation) -> str:
    """The equations of the forward pass and the gradients that are given, below each other."""
    problem = derivation.problem
    every = (*forward_blocks(problem.program), *upstream_blocks(problem))
    shown = [item for block in every for item in (block.items if isinstance(block, Displays) else [block])]
    lines = [display_latex(block, notation) for block in shown if isinstance(block, Display)]
    return "\\begin{gathered}\n" + " \\\\\n".join(lines) + "\n\\end{gathered}"


def equations_of(spec: Path) -> list[str]:
    """The lines of a spec that define tensors, without what is said about them."""
    words = ("title", "index", "param", "input", "upstream", "loss", "derive", "name", "prove", "assume", "#")
    lines = spec.read_text(encoding="utf-8").splitlines()
    return [line.split('"')[0].rstrip() for line in lines if line and line.split()[0] not in words]


def gallery_table(derivations: dict[str, Derivation]) -> str:
    """The short form: a table of names, titles and gradients."""
    rows = ["| derivation | what | gradients |", "| --- | --- | --- |"]
    for name, derivation in derivations.items():
        link = f"[`{name}`](derivations/{name}/{name}.md)"
        rows.append(f"| {link} | {derivation.problem.program.title} | {gradients(derivation)} |")
    return "\n".join(rows) + "\n"


def gradients(derivation: Derivation) -> str:
    """The equations of the gradients asked for, in short notation."""
    short = notation_of(derivation).short().inline()
    asked = [derivation.problem.gradient_names[target] for target in derivation.problem.targets]
    equations = {equation.name: equation for equation in derivation.backward.equations}
    chosen = [equations[name] for name in asked]
    return "<br>".join(inline(solid(f"{left_latex(e.lhs, short)} = {terms_latex(e.terms, short)}")) for e in chosen)

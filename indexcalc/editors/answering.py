"""What the engine says of a text in an editor; the workers call it.

Requests are plain messages: ``{"kind": "spec", "text": …, "file": …}`` and ``{"kind": "document", …}``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath

from indexcalc.calculus.steps import Derivation
from indexcalc.document.check import check
from indexcalc.document.report import Claim, Verdict
from indexcalc.language.paths import shipped_text
from indexcalc.language.read import read_problem
from indexcalc.language.syntax import Layout
from indexcalc.notes import formula_text
from indexcalc.program import Tensor
from indexcalc.proof.claims import check_claims
from indexcalc.rewrite.derive import derive
from indexcalc.workers.frames import Message

WARM = "attention"
"""The derivation that is worked out before any request."""

SEVERITIES = {Verdict.REFUTED: "error", Verdict.FOLLOWS: "warning", Verdict.ROUNDED: "information"}
"""How urgent a verdict is; what is not understood is only hinted at."""


def answers(request: Message) -> Iterator[Message]:
    """What is said to a request, each answer as soon as it is there.

    Raises:
        IndexCalcError: for a mistake in the text.
    """
    if request["kind"] == "spec":
        return spec_answers(request["text"], request["file"])
    return document_answers(request["text"], request["file"])


def rehearsals() -> Iterator[Message]:
    """Requests that are worked out once before any other."""
    yield {"kind": "spec", "text": shipped_text(WARM), "file": WARM}
    relation = (
        r"$$y_i = \sum_j W_{ij} x_j, \quad \frac{\partial L}{\partial x_j} = "
        r"\sum_i W_{ij} \frac{\partial L}{\partial y_i}$$"
    )
    yield {"kind": "document", "text": relation, "file": "note.md"}


def spec_answers(text: str, file: str) -> Iterator[Message]:
    """What the spec's names are, its gradients, and which of its claims are false."""
    problem = read_problem(text, file, PurePath(file).stem)
    program = problem.program
    yield {
        "kind": "read",
        "tensors": {
            name: {
                "shape": shape_text(tensor, program.layouts.get(name, ())),
                "doc": tensor.doc,
                "equation": formula_text(program.definitions[name]) if name in program.definitions else "",
            }
            for name, tensor in program.tensors.items()
        },
    }
    derivation = derive(problem)
    yield {"kind": "derived", "gradients": gradients_of(derivation)}
    if problem.claims:
        yield {"kind": "judged", "claims": list(false_claims(derivation))}


def shape_text(tensor: Tensor, layout: Layout) -> str:
    """``T × d``, fused slots as one axis ``(h·k)``; nothing for a number."""
    extents = iter([str(index.extent) for index in tensor.slots])
    axes = [[*islice(extents, size)] for size in layout or (1,) * len(tensor.slots)]
    return " × ".join(axis[0] if len(axis) == 1 else f"({'·'.join(axis)})" for axis in axes)


def gradients_of(derivation: Derivation) -> dict[str, str]:
    """The formula of each gradient, by the forward tensor."""
    owners = derivation.problem.owners
    return {
        owners[equation.name]: formula_text(equation, derivation)
        for equation in derivation.backward.equations
        if equation.name in owners
    }


def false_claims(derivation: Derivation) -> Iterator[Message]:
    """The claims that do not hold, with their places."""
    problem = derivation.problem
    for identity, found in zip(problem.claims, check_claims(problem), strict=True):
        if not found.ok and identity.place is not None:
            message = f"this is false: the sides differ by a relative error of {found.error:.1e}"
            yield {"line": identity.place.line, "column": identity.place.column, "message": message}


def document_answers(text: str, name: str) -> Iterator[Message]:
    """The relations of a document of which something is to be said."""
    report = check(text, name)
    yield {"kind": "claims", "claims": [claim_of(one) for one in report.claims if is_told(one)]}


def is_told(claim: Claim) -> bool:
    """Whether a relation is worth a line: it is wrong, open, or needs what is not stated."""
    return claim.verdict in SEVERITIES or claim.verdict is Verdict.UNCLEAR or bool(claim.unstated)


def claim_of(claim: Claim) -> Message:
    """A relation with its verdict."""
    said = "\n".join((str(claim.verdict), *claim.said))
    return {
        "place": claim.place,
        "line": claim.line,
        "column": claim.column,
        "severity": SEVERITIES.get(claim.verdict, "hint"),
        "message": said + (f"\ncorrect: {claim.correction}" if claim.correction else ""),
        "correction": claim.correction,
    }

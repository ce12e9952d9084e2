"""Checking a worksheet: every number that it states of a model, with a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexcalc.document.report import CheckReport, Claim, report_of
from indexcalc.document.statements.context import Context, read_context
from indexcalc.errors import LimitError, SpecError
from indexcalc.figures.chains import Chain, find_chains
from indexcalc.figures.judging import Judge
from indexcalc.figures.model import Model
from indexcalc.figures.naming import Names, UnknownNameError, spellings
from indexcalc.figures.nodes import Name, Rows, names_in, shape_of
from indexcalc.figures.parser import read_expression
from indexcalc.figures.progress import Finding
from indexcalc.figures.text import Source, read_source
from indexcalc.figures.tokens import tokenize

CLAIM_LIMIT = 20_000
"""The most relations of a sheet."""


def check_figures(source: str, model: Model, name: str = "sheet.md", context: str = "") -> CheckReport:
    """Check every number that a worksheet states.

    Args:
        source: the text of the sheet.
        model: the derivation that it works out, with its numbers.
        name: its file name, which says whether it is Markdown, LaTeX or HTML.
        context: what the sheet leaves unsaid, such as aliases, beside what its own comments say.

    Raises:
        LimitError: if the sheet is too long, or nested too deeply.
        SpecError: for a mistake in the context.
    """
    read = read_source(source, name)
    chains = find_chains(tokenize(read, model.losses), read.text)
    if sum(len(chain.members) for chain in chains) > CLAIM_LIMIT:
        raise LimitError(f"{name} has more than {CLAIM_LIMIT} relations")
    names = Names(model, aliases_of(read_context([*read.document.contexts, context])))
    names.own = own_names(chains, names)
    names.first = first_entry(chains, names)
    judge = Judge(names)
    claims: list[Claim] = []
    for chain in chains:
        lines = [read.document.place(member.start)[0] for member in chain.members]
        findings = judge.chain(chain, lines, section_above(read, chain.start))
        claims += claims_of(read, chain, findings)
    return report_of(name, claims, source)


def claims_of(read: Source, chain: Chain, findings: Sequence[Finding | None]) -> list[Claim]:
    """The claims of one chain."""
    document = read.document
    left = " ".join(read.text[chain.start : chain.members[0].start].split())
    found = []
    for member, finding in zip(chain.members, findings, strict=True):
        if finding is None:
            continue
        line, column = document.place(member.start)
        right = " ".join(read.text[member.start : member.end].split())
        relation = f"{left} {right}" if member is chain.members[0] else f"{member.relation} {right}"
        found.append(
            Claim(
                document.name,
                line,
                column,
                relation,
                finding.verdict,
                finding.reason,
                correction=finding.correction,
                assumptions=finding.assumptions,
            )
        )
    return found


def section_above(read: Source, position: int) -> str:
    """The text above a position, up to the heading before it."""
    text = read.text[max(0, position - 2_000) : position]
    source = read.document.source[max(0, position - 2_000) : position]
    heading = max(source.rfind("\n#"), 0)
    return text[heading:]


def aliases_of(context: Context) -> dict[str, Name]:
    """The aliases of a context, each with what it stands for.

    Raises:
        SpecError: if one does not stand for a name.
    """
    found: dict[str, Name] = {}
    for left, right in context.aliases.items():
        tokens = tokenize(read_source(right, "alias.txt"))
        node = read_expression(tokens, 0, len(tokens))
        if node is None or not isinstance(node[0], Name) or node[1] != len(tokens):
            raise SpecError(f"an alias stands for a tensor or an entry, as in: alias s = A[1]; found: {right}")
        found[left] = node[0]
    return found


def own_names(chains: Sequence[Chain], names: Names) -> frozenset[str]:
    """The tensors that a sheet calls by the model's own names."""
    found: set[str] = set()
    for chain in chains:
        heads = [chain.head] if isinstance(chain.head, Name) else []
        shapes = [shape_of(member.node) for member in chain.members if isinstance(member.node, Rows)]
        for name in heads:
            found |= own(name, names, shapes[0] if shapes else None)
        for member in chain.members:
            if member.node is not None:
                for name in names_in(member.node):
                    found |= own(name, names, None)
    return frozenset(found)


def own(name: Name, names: Names, shape: tuple[int, ...] | None) -> set[str]:
    """The tensor of a name, if it is spelled as the model spells it and is shown with as many axes."""
    tensor = names.tensor(name.base)
    quantity = names.spelled(name.base, name.gradient) if tensor is not None else None
    if quantity is None or tensor is None or (shape is not None and len(shape) != quantity.values.ndim):
        return set()
    return {tensor}


def first_entry(chains: Sequence[Chain], names: Names) -> int | None:
    """The number of the first entry: 0 if that is an index; 1 if one is as large as its extent; else unknown."""
    used = False
    largest = False
    for chain in chains:
        nodes = [chain.head, *(member.node for member in chain.members)]
        for name in (name for node in nodes if node is not None for name in names_in(node)):
            places, shape = indexed(name, names)
            if 0 in places:
                return 0
            used |= bool(places)
            largest |= any(place == length for place, length in zip(places, shape, strict=False))
    if largest:
        return 1
    return None if used else 0


def indexed(name: Name, names: Names) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
    """``(indices, extents)`` of an entry of the model's; axes of length one are left out where they have no index."""
    for base, places in spellings(name):
        read = replace(name, base=base, places=(), transposed=False)
        try:
            meaning = names.explained(read) or names.known(read)
        except UnknownNameError:
            continue
        if meaning is None:
            continue
        shape = meaning.values.shape
        long = tuple(length for length in shape if length > 1)
        if len(places) == len(long):
            return places, long
        return places[: len(shape)], shape[: len(places)]
    return (), ()

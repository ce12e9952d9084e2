"""Something is taken out of a document: no claim that was not refuted becomes refuted.

Taken out is only what leaves the rest true for a careful reader: no heading, nothing that is said on a condition or
states one, no law such as ``q_ij = q_ji``, and no head of a chain that goes on in a later formula.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.campaign.case import Case
from tests.campaign.documents.blocks import Block, Kind, Part, Region, blocks_of, formulas_of
from tests.campaign.documents.comparing import Checker, both, checked, counted, newly_refuted
from tests.campaign.documents.corpus import Document, drawn
from tests.campaign.documents.edits import Edit, Edited, edited
from tests.campaign.documents.formulas import Chain, chains_in, name_of

TRIES = 60
"""How many documents are drawn for one that something can be taken out of."""

CONDITION = re.compile(
    r"\b(?:if|iff|when|whenever|unless|except|only|cases?|otherwise|else|assum\w*|suppos\w*|provided|instead|now|but"
    r"|another|(?<!each )others?|different\w*|alternativ\w*|new|redefin\w*|however|special\w*|particular|examples?"
    r"|e\.g|constants?|symmetr\w*|orthogonal\w*|orthonormal|diagonal|identity|unit|fixed|held|independent\w*|zeros?"
    r"|ones?|one-hot|sums?|positive|negative|definite|non-?\w*|invertible|inverse|normali[sz]\w*|ignor\w*|drop\w*"
    r"|omit\w*|neglect\w*|approx\w*|update\w*|step|both|rest|remaining|distinct|equals?|not|no|true|false|set|sets"
    r"|setting|choos\w*|chosen)\b",
    re.IGNORECASE,
)
"""Words of conditions, of properties and of a new meaning: what says them stays."""

SIGN = r"\s*(?:,|=|<|>|\\(?:neq?|leq?|geq?)(?![A-Za-z]))\s*"
ATOM = r"(?:[a-zA-Z]'?|[0-9]+|\\[lc]?dots|\.\.+)(?:\s*[-+]\s*(?:[0-9]+|[a-z]))?"
INDEX_RELATION = re.compile(
    rf"[\s$`]*[a-z]'?(?:{SIGN}[a-z]'?)*(?:{SIGN}\\?[{{\[(]?\s*{ATOM}(?:{SIGN}{ATOM})*\s*\\?[}}\])]?"
    r"|\s*\\(?:in|notin)(?![A-Za-z])(?!\s*\\mathbb\s*\{?R).{0,40})[\s`]*",
    re.DOTALL,
)
"""A formula about indices, such as ``i \\neq j`` or ``k = 1, \\dots, n``."""

NUMBER = re.compile(r"[-+]?\s*(?:[0-9.]+|\\(?:mathbf|boldsymbol|mathrm|mathbb)\{[I01]\}|I|\\infty)(?:_\{?\w+\}?)?")
MARKUP = re.compile(r"\\(?:begin|end|item|section|subsection|label|footnote)\b")


@dataclass(frozen=True)
class Ablation:
    """A document, and what it is without something."""

    document: Document
    changed: Edited
    operation: str


def cases(seed: int, count: int, among: Sequence[str] = ()) -> Iterator[Case]:
    """So many ablations, the first of this seed, the next of the seed after it."""
    for own in range(seed, seed + count):
        subject = ablation_of(random.Random(f"ablation {own}"), among)
        features = frozenset({subject.operation, f"of {subject.document.collection}"})
        yield Case(own, subject.changed.text, features, subject)


def ablation_of(rng: random.Random, among: Sequence[str]) -> Ablation:
    """A document without something in it."""
    for _ in range(TRIES):
        document = drawn(rng, among)
        for operation in rng.sample(list(OPERATIONS), len(OPERATIONS)):
            edits = OPERATIONS[operation](document, rng)
            if edits:
                return Ablation(document, edited(document.text, edits), operation)
    raise LookupError("no document has anything that could be taken out")


def verdict(case: Case, checker: Checker = checked) -> str:
    """The claims that are refuted only when something is missing, a line each."""
    subject: Ablation = case.subject
    _, _, compared = both(subject.document, subject.changed, checker)
    findings = newly_refuted(subject.operation, subject.document, compared)
    return "\n".join((counted("claims", len(compared)), *findings))


# What can be taken out ----------------------------------------------------------------------------------------------


def displays(document: Document) -> list[Edit]:
    """Displays whose equations are no laws."""
    text = document.text
    return [
        without(block)
        for block in movable(document)
        if block.kind is Kind.DISPLAY and all(is_step(text, region) for region in formulas_in(document, block))
    ]


def paragraphs(document: Document) -> list[Edit]:
    """Paragraphs, items and tables that state no condition."""
    return [without(block) for block in movable(document) if block.kind is not Kind.DISPLAY]


def sentences(document: Document) -> list[Edit]:
    """Formulas with a relation within unconditional sentences."""
    text = document.text
    found = []
    every = list(formulas_of(text, document.name))
    for number, region in enumerate(every):
        block = block_at(document, region.start)
        following = every[number + 1] if number + 1 < len(every) else None
        if region.part is not Part.INLINE or block is None or block.kind not in (Kind.PROSE, Kind.ITEM):
            continue
        if following is not None and continues(text, following):
            continue
        first, last = sentence(text, block, region)
        relations = [len(chain.members) for chain in chains(text, region)]
        if max(relations, default=0) > 1 and is_step(text, region) and not conditional(document, first, last):
            found.append(Edit(region.start, region.end, ""))
    return found


def rows(document: Document) -> list[Edit]:
    """Members of chains that have a row for themselves."""
    text = document.text
    found = []
    for region in formulas_of(text, document.name):
        for chain in chains(text, region) if region.part is Part.DISPLAY else ():
            members = chain.members
            for number, member in enumerate(members[1:], 1):
                following = members[number + 1] if number + 1 < len(members) else None
                if member.relation != "=" or not starts_row(text, member.mark):
                    continue
                if following is None and number > 1:
                    found.append(Edit(members[number - 1].end, member.end, ""))
                elif following is not None and following.relation == "=" and starts_row(text, following.mark):
                    found.append(Edit(member.mark, following.mark, ""))
    return found


def one(of: Callable[[Document], list[Edit]]) -> Callable[[Document, random.Random], list[Edit]]:
    """One of them, by chance."""

    def choice(document: Document, rng: random.Random) -> list[Edit]:
        edits = of(document)
        return [rng.choice(edits)] if edits else []

    return choice


def half(document: Document, rng: random.Random) -> list[Edit]:
    """About every second paragraph and display."""
    edits = [*displays(document), *paragraphs(document)]
    return [edit for edit in edits if rng.random() < 0.5] if len(edits) > 3 else []


OPERATIONS: dict[str, Callable[[Document, random.Random], list[Edit]]] = {
    "without a display": one(displays),
    "without a paragraph": one(paragraphs),
    "without a formula in a sentence": one(sentences),
    "without a member of a chain": one(rows),
    "without half": half,
}


def movable(document: Document) -> Iterator[Block]:
    """The blocks that a document can do without, each taken alone or with others."""
    text = document.text
    blocks = blocks_of(text, document.name)
    bound = False
    for number, block in enumerate(blocks):
        if block.kind in (Kind.HEADING, Kind.SILENT):
            bound = False
            continue
        own = text[block.start : block.end]
        if block.kind is not Kind.DISPLAY:
            bound = conditional(document, block.start, block.end)
        following = blocks[number + 1] if number + 1 < len(blocks) else None
        if bound or not whole(own, block.kind) or goes_on(document, blocks[number + 1 :]):
            continue
        if block.kind is Kind.ITEM and following is not None and text[following.start] in " \t":
            continue
        if block.kind is not Kind.DISPLAY and not all(is_step(text, one) for one in formulas_in(document, block)):
            continue
        yield block


def without(block: Block) -> Edit:
    """The block taken out."""
    return Edit(block.start, block.end, "")


def whole(text: str, kind: Kind) -> bool:
    """Whether nothing that begins in a block ends outside it."""
    if kind is not Kind.DISPLAY and MARKUP.search(text):
        return False
    return text.count("{") == text.count("}") and len(re.findall(r"<\w", text)) - len(re.findall(r"</\w", text)) in (0,)


def formulas_in(document: Document, block: Block) -> list[Region]:
    """The formulas of a block."""
    return [one for one in formulas_of(document.text, document.name) if block.start <= one.start < block.end]


def block_at(document: Document, position: int) -> Block | None:
    """The block of a position."""
    return next((one for one in blocks_of(document.text, document.name) if one.start <= position < one.end), None)


def goes_on(document: Document, following: Sequence[Block]) -> bool:
    """Whether the next formula begins with a relation, and so continues what stands before it."""
    for block in following:
        found = formulas_in(document, block)
        if found:
            return continues(document.text, found[0])
    return False


def continues(text: str, region: Region) -> bool:
    """Whether a formula begins with a relation or an operator."""
    return bool(re.match(r"\s*(?:\\begin\{\w+\*?\}\s*)?&?\s*(?::?=|[+<>]|\\(?:Right|right|implies|approx|equiv|le|ge))",
                         text[region.inner : region.inner_end]))  # fmt: skip


def chains(text: str, region: Region) -> list[Chain]:
    """The chains of a formula."""
    return chains_in(text, region.inner, region.inner_end)


def is_step(text: str, region: Region) -> bool:
    """Whether a formula states no law and no condition, which others may rest on."""
    for chain in chains(text, region):
        head = text[chain.members[0].start : chain.members[0].end]
        for member in chain.members[1:]:
            own = text[member.start : member.end]
            if member.relation != "=" and r"\mathbb" not in own:
                return False
            if NUMBER.fullmatch(own) or (name_of(own) and name_of(own) == name_of(head)):
                return False
    return INDEX_RELATION.fullmatch(text[region.inner : region.inner_end]) is None


def conditional(document: Document, start: int, end: int) -> bool:
    """Whether a stretch of prose speaks of a condition, a property or a new meaning."""
    text, words, done = document.text, [], start
    for region in formulas_of(text, document.name):
        if start <= region.start < end:
            if INDEX_RELATION.fullmatch(text[region.inner : region.inner_end]):
                return True
            words.append(text[done : region.start])
            done = region.end
    return CONDITION.search(" ".join((*words, text[done:end]))) is not None


def sentence(text: str, block: Block, region: Region) -> tuple[int, int]:
    """From where to where the sentence around a formula goes."""
    before = [match.end() for match in re.finditer(r"[.!?:]\s", text[block.start : region.start])]
    behind = re.search(r"[.!?]\s", text[region.end : block.end])
    return block.start + (before[-1] if before else 0), region.end + behind.end() if behind else block.end


def starts_row(text: str, mark: int) -> bool:
    """Whether nothing stands in a row before a place."""
    return re.search(r"\\\\(?:\s*\[[^\]\n]*\])?[\s&]*$", text[max(0, mark - 200) : mark]) is not None

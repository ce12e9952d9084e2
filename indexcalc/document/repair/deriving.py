"""A gradient derived by the engine, printed in the names of the note: for a formula beyond one mistake.

The gradient of the loss by a tensor comes from the tensors that read it; the derivative of a named
tensor, from its definition. What the forward pass computed is reused, common factors are taken out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from indexcalc.algebra.canonical import collect
from indexcalc.algebra.factor import factor, positive_first
from indexcalc.algebra.renaming import rename_bound, substitute_term
from indexcalc.algebra.terms import Access, Index, Term, Terms, free_indices, occurring_indices, tensors_of, walk
from indexcalc.document.gradients import LOSS
from indexcalc.document.meaning.nodes import Derivative, Entry, renamed
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.meaning.slopes import refreshed
from indexcalc.document.numerics.deltas import contracted
from indexcalc.document.numerics.lowering import Lexicon, Lowering
from indexcalc.document.outcomes import Comparison
from indexcalc.document.repair.attempts import Attempts
from indexcalc.document.repair.spelling import Spelling, UnspelledError
from indexcalc.document.repair.vocabulary import Vocabulary
from indexcalc.document.repair.wording import called
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.tokens import Token
from indexcalc.notes.latex import terms_latex
from indexcalc.notes.layout import solid
from indexcalc.notes.matrix_form import matrix_form
from indexcalc.notes.matrix_latex import matrix_latex
from indexcalc.notes.names import Notation
from indexcalc.program import Identity, Program, Tensor
from indexcalc.rewrite.normal import unfold_factors
from indexcalc.rewrite.tidy import Simplifier

UNFOLDINGS = 6
"""How many gradients on the way may be replaced by what they are made of."""

USUAL_LETTERS = "ijklmnpqrstuvabch"
"""Letters for dummies where the note shows none."""

SLASH = "/d"
"""What stands between loss and tensor in the name of a gradient on the way."""


@dataclass
class Deriver:
    """Derives what the head of a statement is equal to.

    Attributes:
        attempts: the statement with its wrong member.
        words: what the note is made of.
        spelling: how the note spells it.
        named: the tensors by which the wrong member differentiates.
    """

    attempts: Attempts
    words: Vocabulary
    spelling: Spelling
    named: Collection[str]

    def formulas(self) -> Iterator[str]:
        """The head's value in LaTeX: in the terms of the wrong member if that works, else one step deep."""
        written = self.attempts.written
        node = written.head.node if written is not None else None
        if written is None or not isinstance(node, Derivative):
            return
        try:
            symbols, sizes = written.table.symbols(), written.table.sizes.copy()
            lowering = Lowering(symbols, sizes, Lexicon(symbols, sizes))
            terms = self.one_step(lowering, node)
            for name in lowering.symbols.definitions:
                if not lowering.symbols.is_backward(name):
                    lowering.define(name)
            simplify = Simplifier(program_of(lowering))
            for form in dict.fromkeys((self.unfolded(terms, lowering), terms)):
                steps = simplify(Identity(form, ()), form)
                final = positive_first(factor(steps[-1].after if steps else form))
                text = self.printed(final, lowering, written, node.wrt)
                if text is not None:
                    yield text
        except (IndexCalcError, UnspelledError, RecursionError):
            return

    def one_step(self, lowering: Lowering, node: Derivative) -> Terms:
        """The derivative by the rules, of the loss through the tensors that read the target."""
        body = node.body
        if isinstance(body, Entry) and lowering.symbols.is_loss(body.name):
            slots, meaning = lowering.gradient(body.name, node.wrt.name)
            if meaning is None:
                raise UnspelledError
            meaning = renamed(meaning, dict(zip(slots, node.wrt.slots, strict=True)))
        else:
            meaning = lowering.derivative(body, node.wrt, node.local)
        return collect(contracted(lowering.terms(refreshed(meaning, lowering.sizes))))

    def unfolded(self, terms: Terms, lowering: Lowering) -> Terms:
        """Gradients on the way that the wrong member does not name, replaced by what they are made of."""
        for _ in range(UNFOLDINGS):
            name = next((n for n in tensors_of(terms) if SLASH in n and n.split(SLASH)[1] not in self.named), None)
            if name is None or name not in lowering.equations:
                break
            terms = collect(contracted(unfold_factors(terms, lowering.equations[name])))
        return terms

    def printed(self, terms: Terms, lowering: Lowering, written: Comparison, wrt: Entry) -> str | None:
        """The terms in the note's names: in entries, or as arrays where the head is one."""
        letters = self.letters(terms, lowering, written.letters)
        axes = written.head.axes
        lhs = Access(wrt.name, tuple(letters.get(slot, slot) for slot in map(lowering.index, axes)))
        named = tuple(lettered(term, letters) for term in terms)
        notation = self.notation(lowering)
        if not axes:
            return solid(terms_latex(named, notation))
        if any(index not in lhs.slots for index in free_indices(named)):
            return None
        found = matrix_form(lhs, named)
        return None if found is None else solid(matrix_latex(found[1], notation))

    def letters(self, terms: Terms, lowering: Lowering, given: Mapping[str, Ix]) -> Mapping[Index, Index]:
        """A letter of the note for each index: its own if it has one, else one that the note uses for its size."""
        own = {lowering.index(index).name: name for name, index in given.items()}
        usual: dict[str, list[str]] = {}
        symbols = lowering.symbols
        for slots in (*symbols.slots.values(), *(definition.slots for definition in symbols.definitions.values())):
            for slot in slots:
                if slot.name.islower() and len(slot.name) == 1:
                    usual.setdefault(str(lowering.index(slot).extent), []).append(slot.name)
        taken = {*own.values(), *self.words.names, *symbols.slots}
        chosen: dict[Index, Index] = {}
        for index in (*occurring_indices(terms), *(bound for term in terms for bound in term.summed)):
            if index in chosen:
                continue
            name = own.get(index.name)
            if name is None:
                pool = (*usual.get(str(index.extent), ()), *USUAL_LETTERS)
                name = next((letter for letter in pool if letter not in taken), "")
                if not name:
                    raise UnspelledError
                taken.add(name)
            chosen[index] = Index(name, index.extent)
        return chosen

    def notation(self, lowering: Lowering) -> Notation:
        """The printer's names: tensors, extents and gradients as the note writes them."""
        symbols = lowering.symbols
        loss = min(symbols.losses, default="L")
        tensors: dict[str, str] = {}
        for name, (node, _) in self.words.names.items():
            target = self.attempts.page.gradient_target(name)
            tensors.setdefault(f"d{loss}{SLASH}{target}" if target else name, self.spelling.node(node))
        gradients = {f"d{loss}{SLASH}{name}": name for name in symbols.slots}
        if loss == LOSS:  # no name that the note has: its gradients have short names
            for gradient, name in gradients.items():
                tensors.setdefault(gradient, self.short_gradient(name))
        owners = symbols.sizes.owners
        scalars = {
            str(lowering.index(owners[name]).extent): self.spelling.node(node)
            for node in self.words.extents
            if (name := called(node, self.words)) in owners
        }
        return Notation(
            tensors=tensors,
            indices={},
            scalars=scalars,
            gradients={name: owner for name, owner in gradients.items() if name not in tensors},
            named={},
            loss=self.spelling.token(Token("NAME", loss, 0)),
        )

    def short_gradient(self, name: str) -> str:
        """The gradient of a loss without a name, as the note writes such gradients."""
        known = self.words.names.get(name)
        spelled = self.spelling.node(known[0]) if known else self.spelling.token(Token("NAME", name, 0))
        nablas = self.attempts.page.survey.nablas
        if nablas.named:
            return rf"\nabla_{{{spelled}}}"
        return rf"\nabla {spelled}" if nablas.short else f"d{spelled}"


def lettered(term: Term, letters: Mapping[Index, Index]) -> Term:
    """The term with letters for its indices; no two of its indices have one letter."""
    free = {index: letter for index, letter in letters.items() if index not in term.summed}
    return rename_bound(substitute_term(term, free), letters)


def program_of(lowering: Lowering) -> Program:
    """The forward definitions met so far, as a program whose results can be reused."""
    equations = tuple(equation for name, equation in lowering.equations.items() if SLASH not in name)
    made = {equation.name for equation in equations}
    inputs = {name: None for equation in equations for name in tensors_of(equation.terms) if name not in made}
    declared = {name: tuple(map(lowering.index, own)) for name, own in lowering.symbols.slots.items()}
    for equation in equations:
        for base in walk(equation.terms):
            # An inverse has no declaration: its slots are those that it is read with.
            if isinstance(base, Access) and base.is_plain and len(set(base.indices)) == len(base.slots):
                declared.setdefault(base.tensor, base.indices)
    slots = {name: declared.get(name, ()) for name in inputs if SLASH not in name}
    return Program("", tuple(Tensor(name, own) for name, own in slots.items()), equations, tuple(made)[-1:])

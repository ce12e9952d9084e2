"""The equations of a pass in stable form, with the shifted sums and the exponents of bounds that they may read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.algebra.terms import Base, Terms, tensors_of
from indexcalc.codegen.stable.carriers import Carriers
from indexcalc.codegen.stable.differences import near_first, with_joined_sums
from indexcalc.codegen.stable.gaps import together
from indexcalc.codegen.stable.pairs import paired
from indexcalc.codegen.stable.rewriting import Rewriting, held_product
from indexcalc.codegen.stable.sums import SumNames
from indexcalc.program import Equation
from indexcalc.rewrite.reuse import Held


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The equations of a pass in stable form.

    Attributes:
        equations: each as it is where nothing is shifted.
        sums: the shifted sums that they may read, by the name of the sum.
        values: the sums themselves, from the shifted ones.
        arguments: the exponents of bounds.
        guards: what guards these, in stable form too.
    """

    equations: tuple[Equation, ...]
    sums: Mapping[str, Equation]
    values: Mapping[str, Terms]
    arguments: Mapping[str, tuple[Terms, ...]]
    guards: Mapping[Base, Base]

    def restored(self, sums: SumNames) -> Rewritten:
        """The same without the names of sums that had names for the rewriting only."""
        if not sums.sums:
            return self
        # What reads a name for all that gets the sum in its stable form.
        sums.sums.update({eq.name: eq for eq in self.equations if eq.name in sums.sums})

        def without(equation: Equation) -> Equation:
            return replace(equation, terms=sums.restored(equation.terms))

        return Rewritten(
            tuple(without(equation) for equation in self.equations),
            {name: without(equation) for name, equation in self.sums.items()},
            {name: sums.restored(value) for name, value in self.values.items()},
            {name: tuple(map(sums.restored, parts)) for name, parts in self.arguments.items()},
            {guard: sums.restored_factor(written) for guard, written in self.guards.items()},
        )

    def joined(self) -> Rewritten:
        """The same with sums that are subtracted from each other added up as one."""
        equations = tuple(map(with_joined_sums, self.equations))
        sums = {name: with_joined_sums(equation) for name, equation in self.sums.items()}
        # A bound is the largest of what stands in exponents, to the last digit.
        arguments = {name: tuple(map(near_first, parts)) for name, parts in self.arguments.items()}
        return replace(self, equations=equations, sums=sums, arguments=arguments)

    def read_by(self, names: Iterable[str]) -> Rewritten:
        """The same with the equations alone that the names need: where a form is put in, nothing reads what had it."""
        reads = {eq.name: set(tensors_of(eq.terms)) for eq in self.equations}
        for name, equation in self.sums.items():
            reads[name] |= {*tensors_of(equation.terms), *tensors_of(self.values[name])}
            reads[equation.name] = {name}
        bounded = {name for parts in self.arguments.values() for terms in parts for name in tensors_of(terms)}
        guarding = {name for guard in self.guards.values() for name in tensors_of(guard)}
        pending, found = [*names, *bounded, *guarding], set[str]()
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(reads.get(name, ()))
        return replace(self, equations=tuple(equation for equation in self.equations if equation.name in found))


def rewritten(
    equations: Sequence[Equation],
    carriers: Carriers,
    definitions: Mapping[str, Equation],
    present: Iterable[str],
) -> Rewritten:
    """The equations in stable form; each may read what is `present`, and what stands before it."""
    held = Held(tuple(found for name in present if (found := held_product(name, carriers)) is not None))
    result, sums = list[Equation](), dict[str, Equation]()
    values, arguments = dict[str, Terms](), dict[str, tuple[Terms, ...]]()
    guards: dict[Base, Base] = {}
    members = {equation.name: equation for equation in equations if equation.name not in definitions}
    for equation in equations:
        rewriting = Rewriting(carriers, definitions, held, members)
        result.append(replace(equation, terms=rewriting.terms(equation.terms)))
        shifted = carriers.shifted.get(equation.name)
        if shifted is not None:
            if shifted.bound is not None:
                bound = carriers.bounds[shifted.bound.tensor]
                arguments.setdefault(bound.name, tuple(rewriting.terms(part.argument) for part in bound.parts))
                guards.update({guard: rewriting.factor(guard) for part in bound.parts for guard in part.guards})
            terms = tuple(
                part for body in shifted.equation.terms for part in rewriting.inside(rewriting.finished(body))
            )
            sums[equation.name] = replace(shifted.equation, terms=terms)
            values[equation.name] = rewriting.inside(together(paired(shifted.value, carriers.bounds), carriers.bounds))
        own = held_product(equation.name, carriers)
        if own is not None and not equation.hoisted:
            held = Held((own, *held.every))
    return Rewritten(tuple(result), sums, values, arguments, guards)

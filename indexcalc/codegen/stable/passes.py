"""Both passes as statements in their stable form: no exponential overflows where the result does not.

For ``Z[i] = sum[l](w * exp(S[i,l]))`` let ``m[i] = max[l](S[i,l])``. Then ``exp(S[i,j]) / Z[i]`` is
``exp(S[i,j] - m[i]) / Zs[i]`` and ``log(Z[i])`` is ``m[i] + log(Zs[i])``, where ``Zs`` is the sum of the shifted
exponentials. Nothing depends on how such a product is spelled, on how many equations it is spread over, or on
which pass reads it. A sum that is asked for by its own name keeps its true value. Deltas, brackets and weights restrict
the maximum as well: what they hide may be huge. A row that is hidden altogether has ``Z = 0``; what divides by it
is not a number, shifted or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from indexcalc.algebra.terms import Access, Term, tensors_of
from indexcalc.codegen.largest import compared, find_extremes
from indexcalc.codegen.stable.assembly import Assembly, Passes, hoisted_names
from indexcalc.codegen.stable.bounds import Bounds
from indexcalc.codegen.stable.brackets import Brackets
from indexcalc.codegen.stable.carriers import Carriers
from indexcalc.codegen.stable.divisors import divided_tensors, divisors, positive_tensors
from indexcalc.codegen.stable.exponents import ONE, exponential
from indexcalc.codegen.stable.forms import Form
from indexcalc.codegen.stable.logistic import written_out
from indexcalc.codegen.stable.means import with_deviations
from indexcalc.codegen.stable.rewritten import rewritten
from indexcalc.codegen.stable.sums import SumNames, exponential_tensors
from indexcalc.codegen.statements import Statement
from indexcalc.program import Equation, Program
from indexcalc.recurrence import groups_of


def stable_passes(
    program: Program,
    backward: Program,
    recompute: Collection[str] = (),
    solves: tuple[Sequence[Statement], Sequence[Statement]] = ((), ()),
) -> Passes:
    """The equations of both passes as statements, in their stable form.

    A sum that the reader gave a name to is kept only where the backward pass reads its true value.
    What is not kept, and is read for all that, the backward pass computes again.

    Args:
        program: the forward pass.
        backward: the backward pass.
        recompute: the intermediates that are not kept.
        solves: the statements of each pass that solve systems, whose matrices and right sides the programs compute.
    """
    taken = {*program.tensors, *backward.tensors}
    extremes = find_extremes(program, taken)
    plain = [compared(equation, extremes) for equation in program.equations]
    reverse = [compared(eq, extremes) for eq in backward.equations if eq.name not in program.definitions]
    plain, reverse = with_deviations(plain, reverse, taken)
    brackets = Brackets.of((*plain, *reverse))
    plain, reverse = brackets.written(plain), brackets.written(reverse)
    definitions = {equation.name: equation for equation in plain}
    plain, reverse = written_out(plain, definitions), written_out(reverse, definitions)
    sums = SumNames(definitions, exponential_tensors((*plain, *reverse)), taken)
    first, second = sums.named(plain), sums.named(reverse)
    helpers = {equation.name for equation in first} - set(program.tensors)
    spare = {*hoisted_names(program), *recompute, *helpers} - set(program.outputs)
    carriers = known_carriers(first, second, taken, brackets)
    carriers.extremes = frozenset(extreme.statement.name for extreme in extremes)
    ahead = rewritten(first, carriers, definitions, ()).restored(sums).joined()
    with_logarithms(carriers, [eq for eq in first if eq.name not in spare], {eq.name: eq for eq in first})
    for equation in in_order_of_learning(second):
        carriers.learn(equation)
    present = [name for name in reversed(tuple(program.tensors)) if name not in spare]
    solved = (name for solve in solves[1] for name in solve.reads)
    behind = rewritten(second, carriers, definitions, present).restored(sums).joined()
    behind = behind.read_by((*backward.outputs, *solved))
    written = {**behind.guards, **ahead.guards}
    carriers.bounds = Bounds({name: bound.with_guards(written) for name, bound in carriers.bounds.items()})
    return Assembly(program, backward, frozenset(recompute), ahead, behind, carriers, extremes, solves).passes()


def known_carriers(
    first: Sequence[Equation], second: Sequence[Equation], taken: set[str], brackets: Brackets
) -> Carriers:
    """The forms of the forward tensors; a signed sum takes the bound of what it is divided by, wherever that stands."""
    definitions = {equation.name: equation for equation in (*first, *second)}
    divided = divided_tensors((*first, *second), definitions)
    below = frozenset(name for equation in (*first, *second) for name in divisors(equation.terms))
    positive = positive_tensors((*first, *second))
    trial = Carriers(set(taken), divided, below, positive, brackets=brackets)
    for equation in in_order_of_learning(first):
        trial.learn(equation)
    sums = [shifted for name, shifted in trial.shifted.items() if name in divided]
    owned = {shifted.bound.tensor for shifted in sums if shifted.bound is not None}
    bounds = Bounds()
    for name, bound in trial.bounds.items():
        # Who finds this bound may be what it rests on; that has to be there then, and to stay what it is.
        below_it = {tensor for part in bound.parts for base, _ in part.exponents for tensor in tensors_of(base)}
        lost = any(
            other in below_it and not trial.bounds[other].given and other not in bounds for other in trial.bounds
        )
        if name in owned and not lost:
            bounds[name] = bound
    names = {name for bound in bounds.values() for part in bound.parts for name in (part.name, part.hidden)}
    carriers = Carriers({*taken, *bounds, *names}, divided, below, positive, brackets=brackets, bounds=bounds)
    for equation in in_order_of_learning(first):
        carriers.learn(equation)
    return carriers


def in_order_of_learning(equations: Sequence[Equation]) -> list[Equation]:
    """The equations in the order of reading; in a recurrence, products that a sum reads at another step before it.

    ``dZ[t] = da[t] / Z[t]`` is a product whatever ``da`` is, so its exponentials cancel in the sum that reads
    ``dZ[t+1]``. The other way around that sum would need a bound of its own.
    """
    order: list[Equation] = []
    by_name = {equation.name: equation for equation in equations}
    for group in groups_of(equations):
        left = {member.name: by_name[member.name] for member in group}
        for equation in tuple(left.values()):
            if equation.name not in left:
                continue
            if has_sums(equation):
                for name in tensors_of(equation.terms):
                    order += [left.pop(one) for one in products_before(name, left)]
            order.append(left.pop(equation.name))
    return order


def products_before(name: str, left: Mapping[str, Equation]) -> list[str]:
    """A product with the products that it reads of those that are `left`, in their order.

    None where one is divided by a sum that is left: what that holds comes first.
    """
    found, pending = set[str](), [name]
    while pending:
        current = pending.pop()
        if current in found or current not in left or has_sums(left[current]):
            continue
        if any(below in left and has_sums(left[below]) for below in divisors(left[current].terms)):
            return []
        found.add(current)
        pending += tensors_of(left[current].terms)
    return [other for other in left if other in found]


def has_sums(equation: Equation) -> bool:
    """Whether a term of an equation is a sum."""
    return any(term.summed for term in equation.terms)


def with_logarithms(carriers: Carriers, kept: Iterable[Equation], definitions: Mapping[str, Equation]) -> None:
    """Set the forms for the backward pass: a sum of exponentials whose logarithm is kept is the exponential of it."""
    for equation in kept:
        source = carriers.logarithms.get(equation.name)
        # A logarithm that is the same along one of its axes has no entry that could stand for the sum.
        if source is not None and set(equation.slots) <= set(source.slots):
            slots = definitions[source.tensor].slots
            renaming = dict(zip(source.slots, slots, strict=True))
            entry = Access(equation.name, tuple(renaming[slot] for slot in equation.slots))
            value = (Term(ONE, ((exponential(entry), ONE),)),)
            carriers.forms[source.tensor] = Form(slots, value, wild=True)

"""Programs made of both passes of another: its gradients as results, or a step of Newton's method as one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.renaming import fresh_indices, substitute, times
from indexcalc.algebra.terms import Access, Index, Term, Terms
from indexcalc.calculus.steps import Derivation, Order
from indexcalc.consistency import check_program
from indexcalc.errors import ProgramError
from indexcalc.problem import Kind, Problem, Upstream
from indexcalc.program import Equation, Tensor, Unknown
from indexcalc.rewrite.backward import joined
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.systems import contracted


def second_order(derivation: Derivation, targets: Collection[str] = ()) -> Problem:
    """The gradients of ``sum_X <V_dX, dL/dX>`` over the gradients dL/dX of a derivation, as a problem of its own.

    For a loss and one gradient this is the product of the Hessian with V. Upstream gradients of the first
    problem are inputs of the second, so that their gradients may be asked for too. Gradients that rest on what is
    assumed of a tensor that varies are derived once more without it: of their slopes it says nothing.

    Args:
        derivation: of the first gradients.
        targets: by which tensors to differentiate; by default those of the first problem.

    Raises:
        ProgramError: if the two passes don't fit together as one program.
    """
    first, backward = derivation.problem, derivation.backward
    if derivation.orders:
        names = ", ".join(order.result.name for order in derivation.orders)
        raise ProgramError(f"{names} is a second derivative or a Jacobian already; differentiate a gradient")
    targets = tuple(targets) or first.targets
    apart = first.program.without_assumptions_on(name for name in targets if name in first.program.tensors)
    if apart is not first.program:
        derivation = derive(replace(first, program=apart))
    program = replace(joined(derivation), assumptions=first.program.assumptions)
    taken = set(program.tensors)
    given = []
    for name in backward.outputs:
        direction = f"V_{name}"
        while direction in taken:
            direction = f"V{direction}"
        taken.add(direction)
        given.append(Upstream(direction, name, f"the direction in which {name} is differentiated"))
    return Problem(program, tuple(given), targets, slug=f"{first.slug}_second")


def newton(derivation: Derivation) -> Problem:
    """A step of Newton's method as a program: ``sum_b H_ab s_b = dL/dw_a``, and ``w - s`` as ``w_next``.

    The second derivatives are those that the derivation found, in their parts: where they fall into blocks, so does the
    system. With the Gauss-Newton part in their place it is a step of the method of Gauss and Newton. What is asked of
    the problem are the gradients through the step, by all inputs; ``w_next`` has an upstream gradient.

    Args:
        derivation: of second derivatives, or of Gauss-Newton parts, of one loss by one or several tensors.

    Raises:
        ProgramError: if there are none, some of both kinds, or others than those of one loss by some tensors.
    """
    first, orders = derivation.problem, derivation.orders
    by = tuple(dict.fromkeys(name for order in orders for name in order.result.by))
    kinds = {order.result.kind for order in orders}
    blocks = {(order.result.of, *order.result.by): order for order in orders if not order.result.along}
    wanted = {(one, other) for place, one in enumerate(by) for other in by[place:]}
    if len(kinds) != 1 or kinds == {Kind.JACOBIAN} or set(blocks) != wanted or len(blocks) < len(orders):
        raise ProgramError(
            "a step of Newton's method needs the second derivatives by some tensors, as `hessian L by (u, v)` asks "
            "for, or the Gauss-Newton part by one, and no other derivative besides"
        )
    targets = tuple(tensor.name for tensor in first.program.inputs if tensor.values is None)
    apart = first.program.without_assumptions_on(targets)
    missing = tuple(name for name in by if first.gradient_names[name] not in orders[0].program.definitions)
    if apart is not first.program or missing:
        # The slopes of what is assumed of a tensor that varies are not those of its entries.
        again = newton(derive(replace(first, program=apart, targets=(*first.targets, *missing))))
        return replace(again, program=replace(again.program, assumptions=first.program.assumptions))
    program = orders[0].program
    taken = {*program.names, *(order.equation.name for order in orders)}
    steps = {name: unused(f"s_{name}", taken) for name in by}
    residuals = {name: unused(f"r_s_{name}", taken) for name in by}
    arrays = [section.equation for order in orders for section in order.sections[: None if order.whole else -1]]
    rows, moved = [], []
    for name in by:
        slots = program.tensors[name].slots
        gradient = Access(first.gradient_names[name], slots)
        terms = [Term(sp.S.One, ((gradient, sp.S.One),))]
        for other in by:
            order = blocks.get((name, other)) or blocks[other, name]
            turned = (name, other) not in blocks
            terms += (replace(term, coeff=-term.coeff) for term in product_with(order, steps[other], slots, turned))
        entry = Access(residuals[name], slots)
        rows.append(Equation(entry, contracted(entry, tuple(terms)), f"what the step leaves of the gradient by {name}"))
        ahead = (
            Term(sp.Integer(sign), ((Access(tensor, slots), sp.S.One),))
            for sign, tensor in ((1, name), (-1, steps[name]))
        )
        lhs = Access(unused(f"{name}_next", taken), slots)
        moved.append(Equation(lhs, tuple(ahead), f"{program.tensors[name].doc or name} after the step"))
    names = [
        (name, other)
        for name, next_one in zip(by, moved, strict=True)
        for other in (steps[name], residuals[name], next_one.name)
    ]
    layouts = {other: program.layouts[name] for name, other in names if name in program.layouts}
    unknowns = (Unknown(Tensor(steps[n], program.tensors[n].slots, f"step of {n}"), residuals[n]) for n in by)
    whole = replace(
        program,
        title=f"{first.program.title}: a step of Newton's method",
        equations=(*program.equations, *dict.fromkeys(arrays), *rows, *moved),
        outputs=tuple(equation.name for equation in moved),
        unknowns=(*program.unknowns, *unknowns),
        layouts={**program.layouts, **layouts},
    )
    check_program(whole)
    upstream = tuple(Upstream(unused(f"G_{one.name}", taken), one.name) for one in moved)
    return Problem(whole, upstream, targets, slug=f"{first.slug}_newton")


def product_with(order: Order, step: str, slots: tuple[Index, ...], turned: bool) -> Iterator[Term]:
    """The terms of a block of second derivatives times a step, under the slots of its rows; of the block `turned`."""
    lhs = order.equation.lhs
    own, others = lhs.indices[: order.rows], lhs.indices[order.rows :]
    if turned:
        own, others = others, own
    dummies = fresh_indices(others, {index.name for index in (*slots, *lhs.indices)})
    entries: Terms = (Term(sp.S.One, ((lhs, sp.S.One),)),) if order.whole else order.equation.terms
    factor = Term(sp.S.One, ((Access(step, dummies), sp.S.One),))
    for term in substitute(entries, {**dict(zip(own, slots, strict=True)), **dict(zip(others, dummies, strict=True))}):
        joint = times(term, factor)
        yield Term(joint.coeff, joint.powers, (*joint.summed, *dummies))


def unused(name: str, taken: set[str]) -> str:
    """The name, with underscores where it is taken; it is taken afterwards."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name

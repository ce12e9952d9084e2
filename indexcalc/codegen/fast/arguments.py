"""The arguments of fast functions, and what docstrings say of them."""

from __future__ import annotations

from indexcalc.codegen.fast.outline import Fast
from indexcalc.codegen.prose import default_text, paragraph
from indexcalc.codegen.signatures import sentence, tensor_line


def setting_arguments(fast: Fast) -> list[str]:
    """The keyword arguments of every function: how it is to run, and in which memory if that has a bound."""
    setting, own = fast.library.setting, fast.names.own
    last = f"{own[setting.name]}: {setting.kind}"
    if fast.names.bounded is None:
        return ["*", last]
    return ["*", f"{own['memory']}: int = MEMORY", f"{own['out']}: Mapping[str, np.ndarray] | None = None", last]


def setting_lines(fast: Fast) -> list[str]:
    """What the keyword arguments of every function mean."""
    setting, own = fast.library.setting, fast.names.own
    lines = paragraph(f"{own[setting.name]}: {setting.meaning}", 2)
    if fast.names.bounded is None:
        return lines
    bound = f"{own['memory']}: how many bytes may be taken beside the arrays that are given, and results."
    given = f"{own['out']}: arrays to write to, by the names of results or of what else is there in full."
    return [*paragraph(bound, 2), *paragraph(given, 2), *lines]


def arguments(fast: Fast, with_upstream: bool) -> list[str]:
    """The arguments of a function that takes the inputs."""
    plan = fast.plan
    given = [plan.array(tensor.name).variable for tensor in plan.program.inputs]
    if with_upstream:
        given += [plan.stored[up.name] for up in plan.derivation.problem.handed]
    keywords = [f"{plan.scalars[extent]}: int" for extent in plan.unread]
    for parameter in sorted(plan.program.parameters, key=lambda p: p.default is not None):
        default = "" if parameter.default is None else f" = {default_text(parameter.default)}"
        keywords.append(f"{plan.scalars[parameter.symbol]}: float{default}")
    star, *own = setting_arguments(fast)
    return [*(f"{name}: {plan.dialect.array}" for name in given), star, *keywords, *own]


def documented(fast: Fast, with_upstream: bool) -> tuple[str, ...]:
    """What the arguments mean."""
    plan = fast.plan
    lines = [line for tensor in plan.program.inputs for line in tensor_line(plan, tensor.name, tensor.doc)]
    if with_upstream:
        for up in plan.derivation.problem.handed:
            lines += tensor_line(plan, up.name, up.doc or f"the upstream gradient dL/d{up.of}")
    lines += [line for e in plan.unread for line in paragraph(f"{plan.scalars[e]}: extent, no input shows it.", 2)]
    for parameter in sorted(plan.program.parameters, key=lambda p: p.default is not None):
        lines += paragraph(f"{plan.scalars[parameter.symbol]}: {sentence(parameter.doc or 'a constant')}", 2)
    return (*lines, *setting_lines(fast))

"""``split h over model``: which indices a spec splits over which axis of a mesh of devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indexcalc.language.lines import SplitLine
from indexcalc.language.scope import Scope
from indexcalc.language.source import line_of, suggestion
from indexcalc.language.syntax import At


def read_splits(lines: Sequence[SplitLine], scope: Scope) -> Mapping[str, tuple[str, ...]]:
    """The indices of each axis, in the order of the lines; several lines about one axis add up."""
    found: dict[str, tuple[str, ...]] = {}
    places: dict[str, At | None] = {}
    for line in lines:
        if line.axis in scope.indices:
            message = f"{line.axis} is an index; give the axis another name, such as {line.axis}_devices"
            raise scope.source.error(message, line.at)
        for slot in line.names:
            name = slot.name
            if name not in scope.indices:
                raise scope.source.error(f"there is no index {name} to split{suggestion(name, scope.indices)}", slot.at)
            if name in places:
                where = line_of(places[name])
                raise scope.source.error(f"{name} is split already{where}; an index has one axis", slot.at)
            places[name] = slot.at
            found[line.axis] = (*found.get(line.axis, ()), name)
    return found

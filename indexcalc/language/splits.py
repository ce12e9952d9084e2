"""``split h over model``: which indices a spec splits over which axis of a mesh of devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indexcalc.language.lines import SplitLine
from indexcalc.language.scope import Scope
from indexcalc.language.source import line_of, suggestion
from indexcalc.language.syntax import At


def read_splits(lines: Sequence[SplitLine], scope: Scope) -> Mapping[str, tuple[str, ...]]:
    """The indices of each axis, in the order of the lines; several lines about one axis, or one index, add up."""
    found: dict[str, tuple[str, ...]] = {}
    places: dict[tuple[str, str], At | None] = {}
    for line in lines:
        if line.axis in scope.indices:
            message = f"{line.axis} is an index; give the axis another name, such as {line.axis}_devices"
            raise scope.source.error(message, line.at)
        for slot in line.names:
            name = slot.name
            if name not in scope.indices:
                raise scope.source.error(f"there is no index {name} to split{suggestion(name, scope.indices)}", slot.at)
            if (name, line.axis) in places:
                where = line_of(places[name, line.axis])
                raise scope.source.error(f"{name} is split over {line.axis} already{where}; once is enough", slot.at)
            places[name, line.axis] = slot.at
            found[line.axis] = (*found.get(line.axis, ()), name)
    return found

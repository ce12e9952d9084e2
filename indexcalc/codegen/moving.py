"""Private functions for windows, lookups and their adjoints, in NumPy, PyTorch and JAX: one promise, three sources."""

from __future__ import annotations

from collections.abc import Mapping

from indexcalc.codegen.special import Special

WINDOWS = '''\
def _windows(x: np.ndarray, *along: tuple[int | tuple[int, int], ...]) -> np.ndarray:
    """x[start + sum of step * place] along some axes, an axis for each (step, size).

    For every such axis, in order: its number, the start, the steps. A view that is not
    to be written to, of the part of x that is read; outside of x it is zero.
    """
    shape, strides = [(size,) for size in x.shape], [(1,)] * x.ndim
    read, inside, first = ([slice(None)] * x.ndim for _ in range(3))
    room = list(x.shape)
    for axis, start, *steps in along:
        low = start + sum(min(step * (size - 1), 0) for step, size in steps)
        stop = start + sum(max(step * (size - 1), 0) for step, size in steps) + 1
        shape[axis] = tuple(size for _, size in steps)
        strides[axis] = tuple(step for step, _ in steps)
        begin = min(max(low, 0), x.shape[axis])
        end = max(min(stop, x.shape[axis]), begin)
        read[axis] = slice(begin, end)
        inside[axis] = slice(begin - low, end - low)
        first[axis] = slice(start - low, None)
        room[axis] = stop - low
    sizes = sum(shape, ())
    if 0 in sizes or 0 in x.shape:
        return np.zeros(sizes, dtype=x.dtype)
    given = x[tuple(read)]
    is_whole = given.shape == tuple(room)
    part = given if is_whole else np.zeros(room, dtype=x.dtype)
    if not is_whole:
        part[tuple(inside)] = given
    walked = [step * n for n, steps in zip(part.strides, strides) for step in steps]
    begun = part[tuple(first)]
    return np.lib.stride_tricks.as_strided(begun, sizes, walked, writeable=False)'''

FOLDED = '''\
def _folded(
    parts: np.ndarray, axis: int, length: int, start: int, *steps: int
) -> np.ndarray:
    """total[start + sum of step * place] += parts[place], from an axis on.

    The axes of places, one for each step, become one; nothing is added outside of it.
    """
    moved = np.moveaxis(parts, range(axis, axis + len(steps)), range(len(steps)))
    sizes, rest = moved.shape[: len(steps)], moved.shape[len(steps) :]
    total = np.zeros((length, *rest), dtype=parts.dtype)
    # One slice for each place along all axes but the longest.
    long = max(range(len(steps)), key=lambda n: sizes[n])
    step, size = steps[long], sizes[long]
    for place in np.ndindex(*(1 if n == long else m for n, m in enumerate(sizes))):
        at = start + sum(s * p for s, p in zip(steps, place, strict=True))
        low, high = (0, length - 1) if step > 0 else (1 - length, 0)
        to = at if step > 0 else -at
        first = max(0, -((to - low) // abs(step)))
        stop = min(size, (high - to) // abs(step) + 1)
        if first < stop:
            where = (*place[:long], slice(first, stop), *place[long + 1 :])
            total[at + step * first :: step][: stop - first] += moved[where]
    return np.moveaxis(total, 0, axis)'''

LOOKED_UP = '''\
def _looked_up(x: np.ndarray, axis: int, ids: np.ndarray) -> np.ndarray:
    """x[ids] along an axis, which becomes the axes of ids."""
    return np.take(x, ids, axis=axis)'''

SUMMED_AT = '''\
def _summed_at(
    parts: np.ndarray, axis: int, places: np.ndarray, length: int
) -> np.ndarray:
    """total[places] += parts, from an axis on: the axes of places become one.

    A row alone is copied. Several of one place are brought together by a sort, and
    added up run by run; nothing is added outside.
    """
    at, count = np.ravel(places), np.ndim(places)
    moved = np.moveaxis(parts, range(axis, axis + count), range(count))
    rest = moved.shape[count:]
    rows = moved.reshape(at.size, *rest)
    inside = (at >= 0) & (at < length)
    within = slice(None) if inside.all() else inside
    to, given = at[within], rows[within]
    total = np.zeros((length, *rest), dtype=parts.dtype)
    total[to] = given
    order = np.argsort(to, kind="stable")
    runs = to[order]
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    counts = np.diff(starts, append=runs.size)
    several = counts > 1
    if several.any():
        together, sizes = order[np.repeat(several, counts)], counts[several]
        firsts = np.cumsum(sizes) - sizes
        added = np.add.reduceat(given[together], firsts, axis=0)
        total[runs[starts[several]]] = added
    return np.moveaxis(total, 0, axis)'''

LARGEST_AT = '''\
def _largest_at(
    parts: np.ndarray, axis: int, places: np.ndarray, length: int
) -> np.ndarray:
    """The largest of parts at each of places, from an axis on: their axes become one.

    Several of one place are brought together by a sort; where there is none, it is
    -inf.
    """
    at, count = np.ravel(places), np.ndim(places)
    moved = np.moveaxis(parts, range(axis, axis + count), range(count))
    rest = moved.shape[count:]
    inside = np.flatnonzero((at >= 0) & (at < length))
    order = inside[np.argsort(at[inside], kind="stable")]
    runs = at[order]
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    total = np.full((length, *rest), -np.inf, dtype=parts.dtype)
    if starts.size:
        rows = moved.reshape(at.size, *rest)[order]
        total[runs[starts]] = np.maximum.reduceat(rows, starts, axis=0)
    return np.moveaxis(total, 0, axis)'''

JOINED = '''\
def _joined(*given: tuple[np.ndarray, int]) -> np.ndarray:
    """Places along several axes as places along one; -1 where one lies outside."""
    joined, outside = 0, False
    for places, length in given:
        outside = outside | (places < 0) | (places >= length)
        joined = joined * length + np.asarray(places, dtype=int)
    return np.where(outside, -1, joined)'''

PARTED = '''\
def _parted(x: np.ndarray, axis: int, *lengths: int) -> np.ndarray:
    """x with one axis as several."""
    return x.reshape((*x.shape[:axis], *lengths, *x.shape[axis + 1 :]))'''

ENTRIES = '''\
def _entries(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], zero where a place lies outside of x."""
    found = _nearest(x, *places)
    for place, size in zip(places, x.shape, strict=True):
        found = np.where((place >= 0) & (place < size), found, 0)
    return found'''

NEAREST = '''\
def _nearest(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    return x[tuple(np.clip(place, 0, size - 1) for place, size in sizes)]'''

NUMPY_MOVING: Mapping[str, Special] = {
    "_windows": Special(WINDOWS),
    "_folded": Special(FOLDED),
    "_looked_up": Special(LOOKED_UP),
    "_summed_at": Special(SUMMED_AT),
    "_largest_at": Special(LARGEST_AT),
    "_joined": Special(JOINED),
    "_parted": Special(PARTED),
    "_entries": Special(ENTRIES, ("_nearest",)),
    "_nearest": Special(NEAREST),
}

TORCH_PLACES = '''\
def _places(
    start: int, steps: tuple[tuple[int, int], ...], device: torch.device
) -> torch.Tensor:
    """start + sum of step * place, an axis for each (step, size)."""
    total = torch.full((1,) * len(steps), start, dtype=torch.long, device=device)
    for n, (step, size) in enumerate(steps):
        shape = [-1 if m == n else 1 for m in range(len(steps))]
        along = torch.arange(size, dtype=torch.long, device=device)
        total = total + step * along.reshape(shape)
    return total'''

TORCH_WINDOWS = '''\
def _windows(
    x: torch.Tensor, *along: tuple[int | tuple[int, int], ...]
) -> torch.Tensor:
    """x[start + sum of step * place] along some axes, an axis for each (step, size).

    For every such axis, in order: its number, the start, the steps. Outside of x it is
    zero.
    """
    for axis, start, *steps in reversed(along):
        places = _places(start, steps, x.device)
        outside = (places < 0) | (places >= x.shape[axis])
        padded = torch.cat((x, torch.zeros_like(x.narrow(axis, 0, 1))), dim=axis)
        x = _looked_up(padded, axis, torch.where(outside, x.shape[axis], places))
    return x'''

TORCH_FOLDED = '''\
def _folded(
    parts: torch.Tensor, axis: int, length: int, start: int, *steps: int
) -> torch.Tensor:
    """total[start + sum of step * place] += parts[place], from an axis on.

    The axes of places, one for each step, become one; nothing is added outside of it.
    """
    walks = tuple((step, parts.shape[axis + n]) for n, step in enumerate(steps))
    return _summed_at(parts, axis, _places(start, walks, parts.device), length)'''

TORCH_LOOKED_UP = '''\
def _looked_up(x: torch.Tensor, axis: int, ids: torch.Tensor) -> torch.Tensor:
    """x[ids] along an axis, which becomes the axes of ids."""
    rows = x.index_select(axis, ids.reshape(-1))
    return rows.reshape((*x.shape[:axis], *ids.shape, *x.shape[axis + 1 :]))'''

TORCH_SUMMED_AT = '''\
def _summed_at(
    parts: torch.Tensor, axis: int, places: torch.Tensor, length: int
) -> torch.Tensor:
    """total[places] += parts, from an axis on: the axes of places become one.

    Nothing is added outside.
    """
    outside = (places < 0) | (places >= length)
    where = torch.where(outside, length, places).reshape(-1)
    rest = parts.shape[axis + places.ndim :]
    rows = parts.reshape((*parts.shape[:axis], where.numel(), *rest))
    total = parts.new_zeros((*parts.shape[:axis], length + 1, *rest))
    return total.index_add(axis, where, rows).narrow(axis, 0, length)'''

TORCH_LARGEST_AT = '''\
def _largest_at(
    parts: torch.Tensor, axis: int, places: torch.Tensor, length: int
) -> torch.Tensor:
    """The largest of parts at each of places, from an axis on: their axes become one.

    Where there is none, it is -inf.
    """
    outside = (places < 0) | (places >= length)
    where = torch.where(outside, length, places).reshape(-1)
    rest = parts.shape[axis + places.ndim :]
    rows = parts.reshape((*parts.shape[:axis], where.numel(), *rest))
    total = parts.new_full((*parts.shape[:axis], length + 1, *rest), -torch.inf)
    shape = [-1 if n == axis else 1 for n in range(rows.ndim)]
    at = where.reshape(shape).expand_as(rows)
    return total.scatter_reduce(axis, at, rows, "amax").narrow(axis, 0, length)'''

TORCH_JOINED = '''\
def _joined(*given: tuple[torch.Tensor, int]) -> torch.Tensor:
    """Places along several axes as places along one; -1 where one lies outside."""
    joined, outside = 0, False
    for places, length in given:
        outside = outside | (places < 0) | (places >= length)
        joined = joined * length + places.long()
    return torch.where(outside, -1, joined)'''

TORCH_PARTED = '''\
def _parted(x: torch.Tensor, axis: int, *lengths: int) -> torch.Tensor:
    """x with one axis as several."""
    return x.reshape((*x.shape[:axis], *lengths, *x.shape[axis + 1 :]))'''

TORCH_ENTRIES = '''\
def _entries(x: torch.Tensor, *places: torch.Tensor) -> torch.Tensor:
    """x[places], zero where a place lies outside of x."""
    found = _nearest(x, *places)
    for place, size in zip(places, x.shape, strict=True):
        at = torch.as_tensor(place, device=x.device)
        found = torch.where((at >= 0) & (at < size), found, 0.0)
    return found'''

TORCH_NEAREST = '''\
def _nearest(x: torch.Tensor, *places: torch.Tensor) -> torch.Tensor:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    held = (torch.as_tensor(p, device=x.device).clamp(0, size - 1) for p, size in sizes)
    return x[tuple(held)]'''

TORCH_MOVING: Mapping[str, Special] = {
    "_places": Special(TORCH_PLACES),
    "_windows": Special(TORCH_WINDOWS, ("_places", "_looked_up")),
    "_folded": Special(TORCH_FOLDED, ("_places", "_summed_at")),
    "_looked_up": Special(TORCH_LOOKED_UP),
    "_summed_at": Special(TORCH_SUMMED_AT),
    "_largest_at": Special(TORCH_LARGEST_AT),
    "_joined": Special(TORCH_JOINED),
    "_parted": Special(TORCH_PARTED),
    "_entries": Special(TORCH_ENTRIES, ("_nearest",)),
    "_nearest": Special(TORCH_NEAREST),
}

JAX_PLACES = '''\
def _places(start: int, steps: tuple[tuple[int, int], ...]) -> jax.Array:
    """start + sum of step * place, an axis for each (step, size)."""
    total = jnp.full((1,) * len(steps), start)
    for n, (step, size) in enumerate(steps):
        shape = [-1 if m == n else 1 for m in range(len(steps))]
        total = total + step * jnp.arange(size).reshape(shape)
    return total'''

JAX_WINDOWS = '''\
def _windows(x: jax.Array, *along: tuple[int | tuple[int, int], ...]) -> jax.Array:
    """x[start + sum of step * place] along some axes, an axis for each (step, size).

    For every such axis, in order: its number, the start, the steps. Outside of x it is
    zero.
    """
    for axis, start, *steps in reversed(along):
        places = _places(start, steps)
        where = jnp.where(places < 0, x.shape[axis], places)
        x = jnp.take(x, where, axis=axis, mode="fill", fill_value=0)
    return x'''

JAX_FOLDED = '''\
def _folded(
    parts: jax.Array, axis: int, length: int, start: int, *steps: int
) -> jax.Array:
    """total[start + sum of step * place] += parts[place], from an axis on.

    The axes of places, one for each step, become one; nothing is added outside of it.
    """
    walks = tuple((step, parts.shape[axis + n]) for n, step in enumerate(steps))
    return _summed_at(parts, axis, _places(start, walks), length)'''

JAX_LOOKED_UP = '''\
def _looked_up(x: jax.Array, axis: int, ids: jax.Array) -> jax.Array:
    """x[ids] along an axis, which becomes the axes of ids."""
    return jnp.take(x, ids, axis=axis)'''

JAX_SUMMED_AT = '''\
def _summed_at(
    parts: jax.Array, axis: int, places: jax.Array, length: int
) -> jax.Array:
    """total[places] += parts, from an axis on: the axes of places become one.

    Nothing is added outside.
    """
    count = places.ndim
    moved = jnp.moveaxis(parts, range(axis, axis + count), range(count))
    total = jnp.zeros((length, *moved.shape[count:]), dtype=parts.dtype)
    where = jnp.where(places < 0, length, places)
    return jnp.moveaxis(total.at[where].add(moved, mode="drop"), 0, axis)'''

JAX_LARGEST_AT = '''\
def _largest_at(
    parts: jax.Array, axis: int, places: jax.Array, length: int
) -> jax.Array:
    """The largest of parts at each of places, from an axis on: their axes become one.

    Where there is none, it is -inf.
    """
    count = places.ndim
    moved = jnp.moveaxis(parts, range(axis, axis + count), range(count))
    total = jnp.full((length, *moved.shape[count:]), -jnp.inf, dtype=parts.dtype)
    where = jnp.where(places < 0, length, places)
    return jnp.moveaxis(total.at[where].max(moved, mode="drop"), 0, axis)'''

JAX_JOINED = '''\
def _joined(*given: tuple[jax.Array, int]) -> jax.Array:
    """Places along several axes as places along one; -1 where one lies outside."""
    joined, outside = 0, False
    for places, length in given:
        outside = outside | (places < 0) | (places >= length)
        joined = joined * length + jnp.asarray(places, dtype=int)
    return jnp.where(outside, -1, joined)'''

JAX_PARTED = '''\
def _parted(x: jax.Array, axis: int, *lengths: int) -> jax.Array:
    """x with one axis as several."""
    return x.reshape((*x.shape[:axis], *lengths, *x.shape[axis + 1 :]))'''

JAX_ENTRIES = '''\
def _entries(x: jax.Array, *places: jax.Array) -> jax.Array:
    """x[places], zero where a place lies outside of x."""
    found = _nearest(x, *places)
    for place, size in zip(places, x.shape, strict=True):
        found = jnp.where((place >= 0) & (place < size), found, 0)
    return found'''

JAX_NEAREST = '''\
def _nearest(x: jax.Array, *places: jax.Array) -> jax.Array:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    return x[tuple(jnp.clip(place, 0, size - 1) for place, size in sizes)]'''

JAX_MOVING: Mapping[str, Special] = {
    "_places": Special(JAX_PLACES),
    "_windows": Special(JAX_WINDOWS, ("_places",)),
    "_folded": Special(JAX_FOLDED, ("_places", "_summed_at")),
    "_looked_up": Special(JAX_LOOKED_UP),
    "_summed_at": Special(JAX_SUMMED_AT),
    "_largest_at": Special(JAX_LARGEST_AT),
    "_joined": Special(JAX_JOINED),
    "_parted": Special(JAX_PARTED),
    "_entries": Special(JAX_ENTRIES, ("_nearest",)),
    "_nearest": Special(JAX_NEAREST),
}
"""The functions of JAX."""

MOVING = tuple(NUMPY_MOVING)
"""The names that statements call."""

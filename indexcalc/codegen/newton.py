"""The private function that finds a root by Newton's method, in NumPy, PyTorch and JAX: one promise, three sources.

A step is halved until it makes the residual smaller. A root is found where a step is a rounding, or where it is small
and no part of it makes the residual smaller: then roundings are all that is left.
"""

from __future__ import annotations

from indexcalc.codegen.special import Special

NUMPY = '''\
def _root(
    newton: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], start: np.ndarray
) -> np.ndarray:
    """Where the residual is zero, from `start`, by steps that make it smaller.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    found, length, eps = start, 1.0, np.finfo(start.dtype).eps
    residual, step = newton(found)
    for _ in range(1000):
        size, change = np.abs(found).sum(), np.abs(step).sum()
        if change <= eps * size:
            return found
        near = found - length * step
        rest, next_step = newton(near)
        if np.abs(rest).sum() <= (1.0 - length / 4.0) * np.abs(residual).sum():
            found, residual, step, length = near, rest, next_step, 1.0
        elif change <= eps**0.5 * size:
            return found
        else:
            length /= 2.0
    raise ValueError("Newton's method finds no root of a system in 1000 rounds")'''

TORCH = '''\
def _root(
    newton: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    start: torch.Tensor,
) -> torch.Tensor:
    """Where the residual is zero, from `start`, by steps that make it smaller.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    found, length, eps = start, 1.0, torch.finfo(start.dtype).eps
    residual, step = newton(found)
    for _ in range(1000):
        size, change = found.abs().sum(), step.abs().sum()
        if change <= eps * size:
            return found
        near = found - length * step
        rest, next_step = newton(near)
        if rest.abs().sum() <= (1.0 - length / 4.0) * residual.abs().sum():
            found, residual, step, length = near, rest, next_step, 1.0
        elif change <= eps**0.5 * size:
            return found
        else:
            length /= 2.0
    raise ValueError("Newton's method finds no root of a system in 1000 rounds")'''

JAX = '''\
def _root(
    newton: Callable[[jax.Array], tuple[jax.Array, jax.Array]], start: jax.Array
) -> jax.Array:
    """Where the residual is zero, from `start`, by steps that make it smaller.

    NaN if there is none after 1000 rounds.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    eps = jnp.finfo(start.dtype).eps
    State = tuple[jax.Array, ...]

    def is_far(state: State) -> jax.Array:
        *_, found, count = state
        return ~found & (count < 1000)

    def nearer(state: State) -> State:
        at, residual, step, length, _, count = state
        size, change = jnp.abs(at).sum(), jnp.abs(step).sum()
        near = at - length * step
        rest, next_step = newton(near)
        less = jnp.abs(rest).sum() <= (1.0 - length / 4.0) * jnp.abs(residual).sum()
        moved = (near, rest, next_step, jnp.ones_like(length))
        kept = (at, residual, step, length / 2.0)
        chosen = (jnp.where(less, a, b) for a, b in zip(moved, kept, strict=True))
        found = (change <= eps * size) | (~less & (change <= eps**0.5 * size))
        return (*chosen, found, count + 1)

    one = jnp.ones((), start.dtype)
    begin = (start, *newton(start), one, jnp.zeros((), bool), jnp.zeros((), int))
    at, *_, found, _ = jax.lax.while_loop(is_far, nearer, begin)
    return jnp.where(found, at, jnp.nan)'''

NUMPY_ROOT, TORCH_ROOT, JAX_ROOT = ({"_root": Special(source)} for source in (NUMPY, TORCH, JAX))

"""The private function that finds a root by Newton's method, in NumPy, PyTorch and JAX: one promise, three sources.

A step is halved until it makes the residual smaller. Where no sixteenth of it does, as near a point at which the matrix
is singular, the whole step is taken, and the search goes on from there. A root is found where a step is some roundings
and makes the residual no smaller, or where it is small and no part of it does: then roundings are all that is left, of
the largest entries at least. That step is taken even so, for it may be all of a small entry. Where PyTorch or JAX map
over samples, each has steps of its own, and one that is done waits for the others.
"""

from __future__ import annotations

from indexcalc.codegen.special import Special

NUMPY = '''\
def _root(
    newton: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], start: np.ndarray
) -> np.ndarray:
    """Where the residual is zero, from `start`, by steps that mostly make it smaller.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    found, length, eps = start, 1.0, np.finfo(start.dtype).eps
    residual, step = newton(found)
    for _ in range(1000):
        size, change = np.abs(found).sum(), np.abs(step).sum()
        stuck = length < 0.05
        if change <= (eps**0.5 if stuck else eps) * size:
            return found - step
        near = found - step if stuck else found - length * step
        rest, next_step = newton(near)
        less = np.abs(rest).sum() <= (1.0 - length / 4.0) * np.abs(residual).sum()
        if less or stuck:
            found, residual, step, length = near, rest, next_step, 1.0
        elif change <= 64.0 * eps * size:
            return found - step
        else:
            length /= 2.0
    raise ValueError("Newton's method finds no root of a system in 1000 rounds")'''

TORCH_EVERY = '''\
class _Every(torch.autograd.Function):
    """Whether a condition holds for all that `torch.vmap` maps over."""

    @staticmethod
    def forward(condition: torch.Tensor) -> torch.Tensor:
        return condition.all()

    @staticmethod
    def setup_context(ctx, inputs: tuple, output: torch.Tensor) -> None:
        ctx.mark_non_differentiable(output)

    @staticmethod
    def backward(ctx, _: None) -> None:
        return None

    @staticmethod
    def vmap(info, in_dims: tuple, condition: torch.Tensor) -> tuple:
        return _Every.apply(condition), None'''

TORCH = '''\
def _root(
    newton: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
    start: torch.Tensor,
) -> torch.Tensor:
    """Where the residual is zero, from `start`, by steps that mostly make it smaller.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    found, eps = start, torch.finfo(start.dtype).eps
    whole = length = torch.ones((), dtype=start.dtype, device=start.device)
    residual, step = newton(found)
    done = torch.zeros((), dtype=torch.bool, device=start.device)
    for _ in range(1000):
        size, change = found.abs().sum(), step.abs().sum()
        stuck = length < 0.05
        done = done | (change <= torch.where(stuck, eps**0.5, eps) * size)
        if _Every.apply(done):
            return found - step
        near = found - torch.where(stuck, whole, length) * step
        rest, next_step = newton(near)
        less = rest.abs().sum() <= (1.0 - length / 4.0) * residual.abs().sum()
        less = less | stuck
        done = done | (~less & (change <= 64.0 * eps * size))
        nearer = less & ~done
        if _Every.apply(nearer):
            found, residual, step, length = near, rest, next_step, whole
        elif _Every.apply(~nearer):
            length = length / 2.0
        else:
            found = torch.where(nearer, near, found)
            residual = torch.where(nearer, rest, residual)
            step = torch.where(nearer, next_step, step)
            length = torch.where(nearer, whole, length / 2.0)
    raise ValueError("Newton's method finds no root of a system in 1000 rounds")'''

JAX = '''\
def _root(
    newton: Callable[[jax.Array], tuple[jax.Array, jax.Array]], start: jax.Array
) -> jax.Array:
    """Where the residual is zero, from `start`, by steps that mostly make it smaller.

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
        stuck = length < 0.05
        near = at - jnp.where(stuck, 1.0, length) * step
        rest, next_step = newton(near)
        less = jnp.abs(rest).sum() <= (1.0 - length / 4.0) * jnp.abs(residual).sum()
        less = less | stuck
        moved = (near, rest, next_step, jnp.ones_like(length))
        kept = (at, residual, step, length / 2.0)
        chosen = (jnp.where(less, a, b) for a, b in zip(moved, kept, strict=True))
        near_root = change <= jnp.where(stuck, eps**0.5, eps) * size
        found = near_root | (~less & (change <= 64.0 * eps * size))
        return (*chosen, found, count + 1)

    one = jnp.ones((), start.dtype)
    begin = (start, *newton(start), one, jnp.zeros((), bool), jnp.zeros((), int))
    at, _, step, _, found, _ = jax.lax.while_loop(is_far, nearer, begin)
    return jnp.where(found, at - step, jnp.nan)'''

NUMPY_ROOT, JAX_ROOT = ({"_root": Special(source)} for source in (NUMPY, JAX))
TORCH_ROOT = {"_Every": Special(TORCH_EVERY), "_root": Special(TORCH, ("_Every",))}

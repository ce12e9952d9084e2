"""The private function that finds a root by Newton's method, in NumPy, PyTorch and JAX: one promise, three sources.

A step is halved until it makes the residual smaller. A root is found where a step is a rounding, or where it is small
and no part of it makes the residual smaller: then roundings are all that is left. Where PyTorch or JAX map over
samples, each has steps of its own, and one that is done waits for the others.
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
    """Where the residual is zero, from `start`, by steps that make it smaller.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    found, eps = start, torch.finfo(start.dtype).eps
    whole = length = torch.ones((), dtype=start.dtype, device=start.device)
    residual, step = newton(found)
    done = torch.zeros((), dtype=torch.bool, device=start.device)
    for _ in range(1000):
        size, change = found.abs().sum(), step.abs().sum()
        done = done | (change <= eps * size)
        if _Every.apply(done):
            return found
        near = found - length * step
        rest, next_step = newton(near)
        less = rest.abs().sum() <= (1.0 - length / 4.0) * residual.abs().sum()
        done = done | (~less & (change <= eps**0.5 * size))
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

NUMPY_ROOT, JAX_ROOT = ({"_root": Special(source)} for source in (NUMPY, JAX))
TORCH_ROOT = {"_Every": Special(TORCH_EVERY), "_root": Special(TORCH, ("_Every",))}

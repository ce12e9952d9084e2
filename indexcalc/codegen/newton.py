"""The private function that finds a root by Newton's method, in NumPy, PyTorch and JAX: one promise, three sources.

A step is halved until it makes the residual smaller. Where that comes to no end, as near a point at which the matrix is
singular, the search starts again, and takes the whole step where no sixteenth of it makes the residual smaller. A root
is found where a step is some roundings and makes the residual no smaller, or where it is small and no part of it does:
then roundings are all that is left, of the largest entries at least. That step is taken even so, for it may be all of a
small entry. Where PyTorch or JAX map over samples, each has steps of its own, and one that is done waits for others.
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
    found, length, eps, again = start, 1.0, np.finfo(start.dtype).eps, False
    with np.errstate(over="ignore", invalid="ignore"):  # on the way to the root
        residual, step = newton(found)
        for count in range(1500):
            if not again and (count == 500 or length < eps**2):
                found, length, again = start, 1.0, True
                residual, step = newton(found)
            left, least = np.abs(residual).sum(), length < 0.05
            size = np.abs(found).sum()
            change = np.abs(step).sum() if np.isfinite(left) else np.nan
            if change <= (eps**0.5 if least else eps) * size:
                return found - step
            near = found - step if again and least else found - length * step
            rest, next_step = newton(near)
            less = np.abs(rest).sum() <= (1.0 - length / 4.0) * left
            if less or (again and least and np.isfinite(rest).all()):
                found, residual, step, length = near, rest, next_step, 1.0
            elif change <= 64.0 * eps * size:
                return found - step
            else:
                length /= 2.0
    raise ValueError("Newton's method finds no root of a system in 1500 rounds")'''

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
    done = again = torch.zeros((), dtype=torch.bool, device=start.device)
    residual, step = first = newton(found)
    for count in range(1500):
        back = ~again & ~done & ((count == 500) | (length < eps**2))
        if not _Every.apply(~back):
            again, length = again | back, torch.where(back, whole, length)
            found = torch.where(back, start, found)
            residual = torch.where(back, first[0], residual)
            step = torch.where(back, first[1], step)
        left, least = residual.abs().sum(), length < 0.05
        size = found.abs().sum()
        change = torch.where(torch.isfinite(left), step.abs().sum(), torch.nan)
        done = done | (change <= torch.where(least, eps**0.5, eps) * size)
        if _Every.apply(done):
            return found - step
        near = found - torch.where(again & least, whole, length) * step
        rest, next_step = newton(near)
        less = rest.abs().sum() <= (1.0 - length / 4.0) * left
        done = done | (~less & (change <= 64.0 * eps * size))
        less = less | (again & least & torch.isfinite(rest).all())
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
    raise ValueError("Newton's method finds no root of a system in 1500 rounds")'''

JAX = '''\
def _root(
    newton: Callable[[jax.Array], tuple[jax.Array, jax.Array]], start: jax.Array
) -> jax.Array:
    """Where the residual is zero, from `start`, by steps that mostly make it smaller.

    NaN if there is none after 1500 rounds.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    eps = jnp.finfo(start.dtype).eps
    one, no = jnp.ones((), start.dtype), jnp.zeros((), bool)
    begin = (start, *newton(start), one)
    State = tuple[jax.Array, ...]

    def is_far(state: State) -> jax.Array:
        *_, found, count = state
        return ~found & (count < 1500)

    def nearer(state: State) -> State:
        *before, again, _, count = state
        back = ~again & ((count == 500) | (before[3] < eps**2))
        again = again | back
        before = [jnp.where(back, a, b) for a, b in zip(begin, before, strict=True)]
        at, residual, step, length = before
        left, least = jnp.abs(residual).sum(), length < 0.05
        size = jnp.abs(at).sum()
        change = jnp.where(jnp.isfinite(left), jnp.abs(step).sum(), jnp.nan)
        near = at - jnp.where(again & least, 1.0, length) * step
        rest, next_step = newton(near)
        less = jnp.abs(rest).sum() <= (1.0 - length / 4.0) * left
        small = change <= jnp.where(least, eps**0.5, eps) * size
        found = small | ~less & (change <= 64.0 * eps * size)
        less = ~found & (less | again & least & jnp.isfinite(rest).all())
        moved, kept = (near, rest, next_step, one), (at, residual, step, length / 2.0)
        chosen = (jnp.where(less, a, b) for a, b in zip(moved, kept, strict=True))
        return (*chosen, again, found, count + 1)

    last = (*begin, no, no, jnp.zeros((), int))
    at, _, step, _, _, found, _ = jax.lax.while_loop(is_far, nearer, last)
    return jnp.where(found, at - step, jnp.nan)'''

NUMPY_ROOT, JAX_ROOT = ({"_root": Special(source)} for source in (NUMPY, JAX))
TORCH_ROOT = {"_Every": Special(TORCH_EVERY), "_root": Special(TORCH, ("_Every",))}

"""Jacobians, second derivatives and their products by PyTorch's own transformations, `torch.func`.

The forward passes of these derivations stand here, each as those in `references`; what is differentiated how, the
problem says. A Gauss-Newton part is ``J^T H J`` of the two functions that it is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812
from references import reference
from torch import Tensor

from indexcalc.problem import Kind, Problem, Result

Tensors = Mapping[str, Tensor]
Program = Callable[[Tensors], Tensors]

THROUGH: dict[str, Callable[..., Tensor]] = {
    "fisher_information": lambda X, W, **_: F.linear(X, W),
    "gauss_newton_least_squares": lambda X, w, y, **_: torch.tanh(X @ w) - y,
    "kfac_layer": lambda a, W, **_: F.linear(a, W),
}
"""The tensor that the loss is a function of, for Gauss-Newton parts; the reference is given it instead of an input."""


@reference
def softmax_jacobian(z: Tensor) -> Tensor:
    return F.softmax(z, dim=1)


@reference
def cross_entropy_hessian(z: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(z, y)


@reference
def logistic_hessian(X: Tensor, y: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    z = X @ w + b
    return F.binary_cross_entropy_with_logits(z, y), torch.sigmoid(z)


@reference
def matrix_factorization_hessian(R: Tensor, W: Tensor, P: Tensor, Q: Tensor, lam: float) -> Tensor:
    return (W * (P @ Q.T - R) ** 2).sum() / 2 + lam / 2 * ((P**2).sum() + (Q**2).sum())


@reference
def mlp_hessian_vector(X: Tensor, T: Tensor, W1: Tensor, b1: Tensor, W2: Tensor, b2: Tensor) -> Tensor:
    return F.mse_loss(torch.tanh(X @ W1 + b1) @ W2 + b2, T, reduction="sum") / (2 * len(X))


@reference
def fisher_information(z: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(z, y)


@reference
def gauss_newton_least_squares(r: Tensor) -> Tensor:
    return (r**2).sum() / 2


@reference
def kfac_layer(s: Tensor, a: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    e = F.softmax(s, dim=1) - y
    return F.cross_entropy(s, y), a.T @ a / len(a), e.T @ e / len(a)


@dataclass(frozen=True)
class Part:
    """One tensor of a program as a function of some others, at a point.

    Attributes:
        program: from tensors by name to those that it computes.
        given: the tensors that are held, and the point.
        of: what is computed.
        by: what varies.
    """

    program: Program
    given: Tensors
    of: str
    by: tuple[str, ...]

    @property
    def point(self) -> tuple[Tensor, ...]:
        """Where it is differentiated."""
        return tuple(self.given[name] for name in self.by)

    def __call__(self, *varied: Tensor) -> Tensor:
        """The tensor, from others in the order of `by`."""
        return self.program({**self.given, **dict(zip(self.by, varied, strict=True))})[self.of]


def derivatives(problem: Problem, program: Program, given: Tensors) -> Iterator[tuple[str, Tensor]]:
    """Every derivative that a problem asks for besides gradients, under its name.

    Args:
        problem: what is asked for.
        program: from tensors by name to those that it computes; what a Gauss-Newton part goes through is one of them,
            and is taken as it is where it is given.
        given: the inputs, and the directions of products.
    """
    for result in problem.results:
        if result.kind is Kind.JACOBIAN:
            yield result.name, jacobian(Part(program, given, result.of, result.by), result, given)
        elif result.kind is Kind.HESSIAN:
            assert problem.loss is not None
            yield result.name, second(Part(program, given, problem.loss, result.by), result, given)
        else:
            assert problem.loss is not None
            inner = Part(program, given, result.through, result.by)
            middle = {**given, result.through: inner(*inner.point)}
            yield result.name, gauss_newton(inner, Part(program, middle, problem.loss, (result.through,)))


def jacobian(part: Part, result: Result, given: Tensors) -> Tensor:
    """A first derivative, its rows before its columns, or its product with directions."""
    if result.along:
        return torch.func.jvp(part, part.point, tuple(given[one.name] for one in result.along))[1]
    return torch.func.jacrev(part)(*part.point)


def second(loss: Part, result: Result, given: Tensors) -> Tensor:
    """A block of the second derivative of a loss, or its product with directions: forward over reverse."""
    rows = loss.by if result.of in loss.by else (*loss.by, result.of)
    part = Part(loss.program, given, loss.of, rows)
    gradient = torch.func.grad(part, rows.index(result.of))
    if result.along:
        return torch.func.jvp(gradient, part.point, tuple(given[one.name] for one in result.along))[1]
    return torch.func.jacfwd(gradient, rows.index(result.by[0]))(*part.point)


def gauss_newton(inner: Part, loss: Part) -> Tensor:
    """``J^T H J``, where J is the derivative of what the loss is a function of, and H the second by that."""
    first, curvature = torch.func.jacrev(inner)(*inner.point), torch.func.hessian(loss)(*loss.point)
    axes = loss.point[0].ndim
    half = torch.tensordot(first, curvature, (list(range(axes)), list(range(axes))))
    return torch.tensordot(half, first, axes)

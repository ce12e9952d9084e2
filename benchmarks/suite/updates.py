"""What a step does with its derivatives: optimisers in plain NumPy, the same for every side of a comparison.

An update takes the weights, their gradients and the second derivatives by name, and gives new weights. One that
remembers something is a fresh object for each run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

Arrays = Mapping[str, np.ndarray]


class Update(Protocol):
    """From weights and derivatives to new weights."""

    def __call__(self, weights: Arrays, gradients: Arrays, hessians: Arrays) -> dict[str, np.ndarray]:
        """The new weights, by name; what is not named stays as it is."""
        ...


@dataclass
class AdamW:
    """Adam with decay beside the gradient (Loshchilov and Hutter, 2019, algorithm 2); vectors do not decay.

    Attributes:
        rate: the step size.
        decay: how much of a matrix goes in a step, in units of `rate`; 0 for Adam.
    """

    rate: float = 1e-3
    decay: float = 0.01
    first: float = 0.9
    second: float = 0.999
    eps: float = 1e-8
    steps: int = 0
    means: dict[str, np.ndarray] = field(default_factory=dict)
    squares: dict[str, np.ndarray] = field(default_factory=dict)

    def __call__(self, weights: Arrays, gradients: Arrays, hessians: Arrays) -> dict[str, np.ndarray]:
        """``w (1 - rate decay) - rate m_hat / (sqrt(v_hat) + eps)``."""
        self.steps += 1
        found = {}
        for name, gradient in gradients.items():
            mean = self.first * self.means.get(name, 0.0) + (1 - self.first) * gradient
            square = self.second * self.squares.get(name, 0.0) + (1 - self.second) * gradient**2
            self.means[name], self.squares[name] = mean, square
            kept = 1 - self.rate * self.decay if weights[name].ndim > 1 else 1.0
            slope = mean / (1 - self.first**self.steps)
            size = np.sqrt(square / (1 - self.second**self.steps)) + self.eps
            found[name] = weights[name] * kept - self.rate * slope / size
        return found


@dataclass
class Descent:
    """Gradient descent, ``w - rate dL/dw``; of a batch it is SGD."""

    rate: float

    def __call__(self, weights: Arrays, gradients: Arrays, hessians: Arrays) -> dict[str, np.ndarray]:
        """A step against each gradient."""
        return {name: weights[name] - self.rate * gradient for name, gradient in gradients.items()}


@dataclass
class Newton:
    """Newton's method on one tensor a step, in turn: ``w - (H + damping 1)^-1 dL/dw``.

    Attributes:
        blocks: the Hessian of each tensor, by the tensor's name; the order is that of the turns.
        damping: what is added to the diagonal.
    """

    blocks: Mapping[str, str]
    damping: float
    steps: int = 0

    def __call__(self, weights: Arrays, gradients: Arrays, hessians: Arrays) -> dict[str, np.ndarray]:
        """One tensor solved for, the others left."""
        name = [*self.blocks][self.steps % len(self.blocks)]
        self.steps += 1
        weight = weights[name]
        matrix = np.asarray(hessians[self.blocks[name]]).reshape(weight.size, weight.size)
        damped = matrix + self.damping * np.eye(weight.size, dtype=weight.dtype)
        return {name: weight - np.linalg.solve(damped, gradients[name].ravel()).reshape(weight.shape)}

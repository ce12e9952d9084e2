"""The server as its own page meets it."""

from __future__ import annotations

import json

PORT = 8765
HERE = f"http://127.0.0.1:{PORT}"
OWN = {"Origin": HERE, "Content-Type": "application/json"}

SMALL = """index i : n
index j : m
input W[i,j], x[j]
y[i] = sum[j](W[i,j] * x[j])
upstream G[i] = dL/dy[i]
derive W, x
"""

WRONG_NOTE = r"""$$y_i = \sum_j W_{ij} x_j$$

$$\frac{\partial L}{\partial x_j} = \sum_i W_{ij} \frac{\partial L}{\partial y_j}$$
"""


def slow(count: int = 14) -> str:
    """A spec whose check takes many seconds: layer upon layer of a softmax."""
    layers = "\n".join(f"X{n + 1}[i] = exp(W{n}[i]*X{n}[i]) / sum[l](exp(W{n}[l]*X{n}[l]))" for n in range(count))
    inputs = ", ".join(f"W{n}[i]" for n in range(count))
    names = ", ".join(f"W{n}" for n in range(count))
    return f"index i, l : n\ninput X0[i], {inputs}\n{layers}\nupstream G[i] = dL/dX{count}[i]\nderive {names}\n"


def ask(client, kind, headers=OWN, page="a page", **fields):
    """The answers to a request, in order."""
    response = client.post(f"/api/{kind}", content=json.dumps({"page": page, **fields}), headers=headers)
    assert response.status_code == 200, response.text
    return [json.loads(line) for line in response.text.splitlines()]

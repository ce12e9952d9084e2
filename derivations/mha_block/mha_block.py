"""Pre-norm multi-head attention block: LayerNorm, heads, mask, output projection, bias,
dropout: forward and backward pass.

Extents:
    B: batch (indices b)
    S: token positions (indices s, t, u)
    D: model dimension (indices m)
    N_H: heads (indices h)
    D_h: dimension of a head (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("B", "S", "D"),
    "gamma": ("D",),
    "beta": ("D",),
    "W_Q": ("D", "N_H * D_h"),
    "W_K": ("D", "N_H * D_h"),
    "W_V": ("D", "N_H * D_h"),
    "W_O": ("N_H * D_h", "D"),
    "b_O": ("D",),
    "M": ("S", "S"),
    "R": ("B", "S", "D"),
    "A_out": ("B", "S", "D"),
    "dA_out": ("B", "S", "D"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("S", "D", "D_h")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [B, S, D] input hidden states
    gamma: np.ndarray  # [D] LayerNorm gain
    beta: np.ndarray  # [D] LayerNorm bias
    W_Q: np.ndarray  # [D, N_H * D_h] query weight
    W_K: np.ndarray  # [D, N_H * D_h] key weight
    W_V: np.ndarray  # [D, N_H * D_h] value weight
    W_O: np.ndarray  # [N_H * D_h, D] output-projection weight
    b_O: np.ndarray  # [D] output bias
    M: np.ndarray  # [S, S] additive mask: 0, or -inf where a key is hidden
    R: np.ndarray  # [B, S, D] dropout mask: 1 where an entry is kept, else 0
    mu: np.ndarray  # [B, S] mean of the row
    var: np.ndarray  # [B, S] variance of the row
    rs: np.ndarray  # [B, S] reciprocal standard deviation
    xh: np.ndarray  # [B, S, D] normalised input
    X_norm: np.ndarray  # [B, S, D] LayerNorm output
    X_norm_Q: np.ndarray  # [B, S, D] LayerNorm output, query branch
    X_norm_K: np.ndarray  # [B, S, D] LayerNorm output, key branch
    X_norm_V: np.ndarray  # [B, S, D] LayerNorm output, value branch
    Q: np.ndarray  # [B, N_H, S, D_h] queries, head by head
    K: np.ndarray  # [B, N_H, S, D_h] keys, head by head
    V: np.ndarray  # [B, N_H, S, D_h] values, head by head
    KT: np.ndarray  # [B, N_H, D_h, S] keys, transposed
    A: np.ndarray  # [B, N_H, S, S] attention scores, scaled and masked
    AS: np.ndarray  # [B, N_H, S, S] attention weights, softmax over keys
    AO_heads: np.ndarray  # [B, N_H, S, D_h] outputs of the heads
    AO_cat: np.ndarray  # [B, S, N_H * D_h] heads side by side
    AO_lin: np.ndarray  # [B, S, D] linear output
    AO_bias: np.ndarray  # [B, S, D] output with bias
    A_out: np.ndarray  # [B, S, D] output of the block, after dropout
    N_H: int  # extent
    keep: float  # probability that dropout keeps an entry


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dAO_bias: np.ndarray  # [B, S, D] dL/dAO_bias
    db_O: np.ndarray  # [D] dL/db_O
    dAO_lin: np.ndarray  # [B, S, D] dL/dAO_lin
    dW_O: np.ndarray  # [N_H * D_h, D] dL/dW_O
    dAO_cat: np.ndarray  # [B, S, N_H * D_h] dL/dAO_cat
    dAO_heads: np.ndarray  # [B, N_H, S, D_h] dL/dAO_heads
    dV: np.ndarray  # [B, N_H, S, D_h] dL/dV
    dAS: np.ndarray  # [B, N_H, S, S] dL/dAS
    dA: np.ndarray  # [B, N_H, S, S] dL/dA
    dQ: np.ndarray  # [B, N_H, S, D_h] dL/dQ
    dKT: np.ndarray  # [B, N_H, D_h, S] dL/dKT
    dK: np.ndarray  # [B, N_H, S, D_h] dL/dK
    dW_Q: np.ndarray  # [D, N_H * D_h] dL/dW_Q
    dW_K: np.ndarray  # [D, N_H * D_h] dL/dW_K
    dW_V: np.ndarray  # [D, N_H * D_h] dL/dW_V
    dX_norm_Q: np.ndarray  # [B, S, D] dL/dX_norm_Q
    dX_norm_K: np.ndarray  # [B, S, D] dL/dX_norm_K
    dX_norm_V: np.ndarray  # [B, S, D] dL/dX_norm_V
    dX_norm: np.ndarray  # [B, S, D] dL/dX_norm
    dgamma: np.ndarray  # [D] dL/dgamma
    dbeta: np.ndarray  # [D] dL/dbeta
    dX: np.ndarray  # [B, S, D] dL/dX


def forward(
    X: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    W_O: np.ndarray,
    b_O: np.ndarray,
    M: np.ndarray,
    R: np.ndarray,
    *,
    N_H: int,
    keep: float = 0.9,
    eps: float = 1e-05,
) -> Values:
    """Forward pass.

    Args:
        X: [B, S, D] input hidden states.
        gamma: [D] LayerNorm gain.
        beta: [D] LayerNorm bias.
        W_Q: [D, N_H * D_h] query weight.
        W_K: [D, N_H * D_h] key weight.
        W_V: [D, N_H * D_h] value weight.
        W_O: [N_H * D_h, D] output-projection weight.
        b_O: [D] output bias.
        M: [S, S] additive mask: 0, or -inf where a key is hidden.
        R: [B, S, D] dropout mask: 1 where an entry is kept, else 0.
        N_H: extent, no input shows it.
        keep: probability that dropout keeps an entry.
        eps: keeps the root away from zero.

    Note:
        A row of A that is masked throughout gives NaN.
    """
    X, gamma, beta, W_Q, W_K, W_V, W_O, b_O, M, R = _checked(
        {"N_H": N_H},
        X=X,
        gamma=gamma,
        beta=beta,
        W_Q=W_Q,
        W_K=W_K,
        W_V=W_V,
        W_O=W_O,
        b_O=b_O,
        M=M,
        R=R,
    )
    B, S, D = X.shape
    D_h = W_Q.shape[1] // N_H
    W_Q_split = W_Q.reshape(D, N_H, D_h)
    W_K_split = W_K.reshape(D, N_H, D_h)
    W_V_split = W_V.reshape(D, N_H, D_h)
    W_O_split = W_O.reshape(N_H, D_h, D)
    # mu[b,s] = 1/D * sum[m](X[b,s,m])
    mu = X.sum(axis=2) / D
    # var[b,s] = 1/D * sum[m]((X[b,s,m] - mu[b,s])^2)
    var = ((X - mu[..., None]) ** 2).sum(axis=2) / D
    # rs[b,s] = 1 / sqrt(var[b,s] + eps)
    rs = 1.0 / np.sqrt(var + eps)
    # xh[b,s,m] = (X[b,s,m] - mu[b,s]) * rs[b,s]
    xh = (X - mu[..., None]) * rs[..., None]
    # X_norm[b,s,m] = gamma[m] * xh[b,s,m] + beta[m]
    X_norm = gamma * xh + beta
    # X_norm_Q[b,s,m] = X_norm[b,s,m]
    X_norm_Q = X_norm
    # X_norm_K[b,s,m] = X_norm[b,s,m]
    X_norm_K = X_norm
    # X_norm_V[b,s,m] = X_norm[b,s,m]
    X_norm_V = X_norm
    # Q[b,h,s,k] = sum[m](X_norm_Q[b,s,m] * W_Q[m,(h,k)])
    Q = np.einsum("bsm,mhk->bhsk", X_norm_Q, W_Q_split, optimize=True)
    # K[b,h,s,k] = sum[m](X_norm_K[b,s,m] * W_K[m,(h,k)])
    K = np.einsum("bsm,mhk->bhsk", X_norm_K, W_K_split, optimize=True)
    # V[b,h,s,k] = sum[m](X_norm_V[b,s,m] * W_V[m,(h,k)])
    V = np.einsum("bsm,mhk->bhsk", X_norm_V, W_V_split, optimize=True)
    # KT[b,h,k,t] = K[b,h,t,k]
    KT = K.swapaxes(-1, -2)
    # A[b,h,s,t] = 1/sqrt(D_h) * sum[k](Q[b,h,s,k] * KT[b,h,k,t]) + M[s,t]
    A = Q @ KT / D_h**0.5 + M
    # A_max[b,h,s] = max[u](A[b,h,s,u])
    A_max = A.max(axis=3)
    # exp_A[b,h,s,u] = exp(A[b,h,s,u] - A_max[b,h,s])
    exp_A = np.exp(A - A_max[..., None])
    # Z[b,h,s] = sum[u](exp_A[b,h,s,u])
    Z = exp_A.sum(axis=3)
    # AS[b,h,s,t] = exp_A[b,h,s,t] / Z[b,h,s]
    AS = exp_A / Z[..., None]
    # AO_heads[b,h,s,k] = sum[t](AS[b,h,s,t] * V[b,h,t,k])
    AO_heads = AS @ V
    # AO_cat[b,s,(h,k)] = AO_heads[b,h,s,k]
    AO_cat_split = AO_heads.transpose(0, 2, 1, 3)
    AO_cat = AO_cat_split.reshape(B, S, N_H * D_h)
    # AO_lin[b,s,m] = sum[h,k](AO_cat[b,s,(h,k)] * W_O[(h,k),m])
    AO_lin = np.einsum("bshk,hkm->bsm", AO_cat_split, W_O_split, optimize=True)
    # AO_bias[b,s,m] = AO_lin[b,s,m] + b_O[m]
    AO_bias = AO_lin + b_O
    # A_out[b,s,m] = 1/keep * R[b,s,m] * AO_bias[b,s,m]
    A_out = R * AO_bias / keep
    return Values(
        X,
        gamma,
        beta,
        W_Q,
        W_K,
        W_V,
        W_O,
        b_O,
        M,
        R,
        mu,
        var,
        rs,
        xh,
        X_norm,
        X_norm_Q,
        X_norm_K,
        X_norm_V,
        Q,
        K,
        V,
        KT,
        A,
        AS,
        AO_heads,
        AO_cat,
        AO_lin,
        AO_bias,
        A_out,
        N_H,
        keep,
    )


def backward(values: Values, dA_out: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dA_out: [B, S, D] the upstream gradient dL/dA_out.
    """
    *_, dA_out = _checked({}, A_out=values.A_out, dA_out=dA_out)
    gamma = values.gamma
    W_Q = values.W_Q
    W_K = values.W_K
    W_V = values.W_V
    W_O = values.W_O
    R = values.R
    rs = values.rs
    xh = values.xh
    X_norm_Q = values.X_norm_Q
    X_norm_K = values.X_norm_K
    X_norm_V = values.X_norm_V
    Q = values.Q
    V = values.V
    KT = values.KT
    AS = values.AS
    AO_heads = values.AO_heads
    AO_cat = values.AO_cat
    N_H = values.N_H
    keep = values.keep
    B, S, D = dA_out.shape
    D_h = Q.shape[3]
    W_Q_split = W_Q.reshape(D, N_H, D_h)
    W_K_split = W_K.reshape(D, N_H, D_h)
    W_V_split = W_V.reshape(D, N_H, D_h)
    W_O_split = W_O.reshape(N_H, D_h, D)
    AO_cat_split = AO_cat.reshape(B, S, N_H, D_h)
    # dAO_bias[b,s,m] = 1/keep * dA_out[b,s,m] * R[b,s,m]
    dAO_bias = dA_out * R / keep
    # db_O[m] = sum[b,s](dAO_bias[b,s,m])
    db_O = dAO_bias.sum(axis=(0, 1))
    # dAO_lin[b,s,m] = dAO_bias[b,s,m]
    dAO_lin = dAO_bias
    # dW_O[(h,k),m] = sum[b,s](dAO_lin[b,s,m] * AO_cat[b,s,(h,k)])
    dW_O_split = np.einsum("bsm,bshk->hkm", dAO_lin, AO_cat_split, optimize=True)
    dW_O = dW_O_split.reshape(N_H * D_h, D)
    # dAO_cat[b,s,(h,k)] = sum[m](dAO_lin[b,s,m] * W_O[(h,k),m])
    dAO_cat_split = np.einsum("bsm,hkm->bshk", dAO_lin, W_O_split, optimize=True)
    dAO_cat = dAO_cat_split.reshape(B, S, N_H * D_h)
    # dAO_heads[b,h,s,k] = dAO_cat[b,s,(h,k)]
    dAO_heads = dAO_cat_split.transpose(0, 2, 1, 3)
    # dV[b,h,s,k] = sum[t](dAO_heads[b,h,t,k] * AS[b,h,t,s])
    dV = AS.swapaxes(-1, -2) @ dAO_heads
    # dAS[b,h,s,t] = sum[k](dAO_heads[b,h,s,k] * V[b,h,t,k])
    dAS = dAO_heads @ V.swapaxes(-1, -2)
    # r[b,h,s] = sum[k](dAO_heads[b,h,s,k] * AO_heads[b,h,s,k])
    r = np.einsum("bhsk,bhsk->bhs", dAO_heads, AO_heads)
    # dA[b,h,s,t] = AS[b,h,s,t] * (dAS[b,h,s,t] - r[b,h,s])
    dA = AS * (dAS - r[..., None])
    # dQ[b,h,s,k] = 1/sqrt(D_h) * sum[t](dA[b,h,s,t] * KT[b,h,k,t])
    dQ = dA @ KT.swapaxes(-1, -2) / D_h**0.5
    # dKT[b,h,k,t] = 1/sqrt(D_h) * sum[s](dA[b,h,s,t] * Q[b,h,s,k])
    dKT = Q.swapaxes(-1, -2) @ dA / D_h**0.5
    # dK[b,h,s,k] = dKT[b,h,k,s]
    dK = dKT.swapaxes(-1, -2)
    # dW_Q[m,(h,k)] = sum[b,s](dQ[b,h,s,k] * X_norm_Q[b,s,m])
    dW_Q_split = np.einsum("bhsk,bsm->mhk", dQ, X_norm_Q, optimize=True)
    dW_Q = dW_Q_split.reshape(D, N_H * D_h)
    # dW_K[m,(h,k)] = sum[b,s](dK[b,h,s,k] * X_norm_K[b,s,m])
    dW_K_split = np.einsum("bhsk,bsm->mhk", dK, X_norm_K, optimize=True)
    dW_K = dW_K_split.reshape(D, N_H * D_h)
    # dW_V[m,(h,k)] = sum[b,s](dV[b,h,s,k] * X_norm_V[b,s,m])
    dW_V_split = np.einsum("bhsk,bsm->mhk", dV, X_norm_V, optimize=True)
    dW_V = dW_V_split.reshape(D, N_H * D_h)
    # dX_norm_Q[b,s,m] = sum[h,k](dQ[b,h,s,k] * W_Q[m,(h,k)])
    dX_norm_Q = np.einsum("bhsk,mhk->bsm", dQ, W_Q_split, optimize=True)
    # dX_norm_K[b,s,m] = sum[h,k](dK[b,h,s,k] * W_K[m,(h,k)])
    dX_norm_K = np.einsum("bhsk,mhk->bsm", dK, W_K_split, optimize=True)
    # dX_norm_V[b,s,m] = sum[h,k](dV[b,h,s,k] * W_V[m,(h,k)])
    dX_norm_V = np.einsum("bhsk,mhk->bsm", dV, W_V_split, optimize=True)
    # dX_norm[b,s,m] = dX_norm_Q[b,s,m] + dX_norm_K[b,s,m] + dX_norm_V[b,s,m]
    dX_norm = dX_norm_Q + dX_norm_K + dX_norm_V
    # dgamma[m] = sum[b,s](dX_norm[b,s,m] * xh[b,s,m])
    dgamma = np.einsum("bsm,bsm->m", dX_norm, xh)
    # dbeta[m] = sum[b,s](dX_norm[b,s,m])
    dbeta = dX_norm.sum(axis=(0, 1))
    # dxh[b,s,m] = dX_norm[b,s,m] * gamma[m]
    dxh = dX_norm * gamma
    # v[b,s] = 1/D * sum[m](dxh[b,s,m])
    v = dxh.sum(axis=2) / D
    # w[b,s] = 1/D * sum[m](dxh[b,s,m] * xh[b,s,m])
    w = np.einsum("bsm,bsm->bs", dxh, xh) / D
    # dX[b,s,m] = rs[b,s] * (dxh[b,s,m] - v[b,s] - w[b,s] * xh[b,s,m])
    dX = rs[..., None] * (dxh - v[..., None] - w[..., None] * xh)
    return Gradients(
        dAO_bias,
        db_O,
        dAO_lin,
        dW_O,
        dAO_cat,
        dAO_heads,
        dV,
        dAS,
        dA,
        dQ,
        dKT,
        dK,
        dW_Q,
        dW_K,
        dW_V,
        dX_norm_Q,
        dX_norm_K,
        dX_norm_V,
        dX_norm,
        dgamma,
        dbeta,
        dX,
    )


def _checked(known: dict[str, int], /, **given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    arrays = _promoted(*given.values())
    seen = {name: (size, "the arguments", 0) for name, size in known.items()}
    for name, array in zip(given, arrays, strict=True):
        axes, shape = AXES[name], array.shape
        if len(axes) != len(shape):
            expected = ", ".join(axes) or "none"
            message = f"{name} has {len(shape)} axes; expected: {expected}"
            raise ValueError(message)
        for place, (extent, size) in enumerate(zip(axes, shape, strict=True)):
            length, other, _ = seen.setdefault(extent, (size, name, place))
            if size != length:
                message = f"axis {place} of {name} has length {size}, but {extent} "
                raise ValueError(message + f"is {length} in {other}")
    _check_products(seen)
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _check_products(seen: dict[str, tuple[int, str, int]]) -> None:
    """Raise an error unless an axis is as long as the product that stands for it."""
    for extent in [extent for extent in seen if not extent.isidentifier()]:
        size, name, place = seen[extent]
        known, unknown = 1, []
        for part in extent.split(" * "):
            if part.isdigit() or part in seen:
                known *= int(part) if part.isdigit() else seen[part][0]
            else:
                unknown.append(part)
        wrong = size % known if unknown and known else size != known
        if len(unknown) < 2 and wrong:
            expected = f"a multiple of {known}" if unknown else known
            message = f"axis {place} of {name} has length {size}, but {extent} "
            raise ValueError(message + f"is {expected}")
        if len(unknown) == 1 and known:
            seen[unknown[0]] = (size // known, name, place)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])

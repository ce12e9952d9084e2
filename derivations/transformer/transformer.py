# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""A transformer: any number of blocks as a recurrence: forward and backward pass.

Extents:
    B: sequences (indices b)
    T: positions (indices t, s, r)
    N_V: tokens of the vocabulary (indices v, w)
    D: features (indices m, n)
    N_L: blocks (indices l)
    H: heads (indices h)
    d: features of a head (indices k)
    F: hidden units (indices f)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "tok": ("B", "T"),
    "y": ("B", "T"),
    "E": ("N_V", "D"),
    "P": ("T", "D"),
    "g_x": ("N_L", "D"),
    "W_Q": ("N_L", "D", "H * d"),
    "W_K": ("N_L", "D", "H * d"),
    "W_V": ("N_L", "D", "H * d"),
    "W_O": ("N_L", "H * d", "D"),
    "g_u": ("N_L", "D"),
    "W_1": ("N_L", "D", "F"),
    "W_2": ("N_L", "F", "D"),
    "g_e": ("D",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("B", "T", "N_V", "D", "d")
"""The extents without which there is no result."""

WHOLE = {
    "tok": "N_V",
    "y": "N_V",
}
"""The arrays of whole numbers, from 0 on and below an extent: they are looked up."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    tok: np.ndarray  # [B, T] tokens
    y: np.ndarray  # [B, T] tokens to predict
    E: np.ndarray  # [N_V, D] embeddings of tokens
    P: np.ndarray  # [T, D] embeddings of positions
    g_x: np.ndarray  # [N_L, D] gain before attention
    W_Q: np.ndarray  # [N_L, D, H * d] query weights
    W_K: np.ndarray  # [N_L, D, H * d] key weights
    W_V: np.ndarray  # [N_L, D, H * d] value weights
    W_O: np.ndarray  # [N_L, H * d, D] output weights
    g_u: np.ndarray  # [N_L, D] gain before the perceptron
    W_1: np.ndarray  # [N_L, D, F] weights of its first layer
    W_2: np.ndarray  # [N_L, F, D] weights of its second layer
    g_e: np.ndarray  # [D] gain after the last block
    x: np.ndarray  # [N_L, B, T, D] input of a block
    mu_x: np.ndarray  # [N_L, B, T] mean of the features
    rs_x: np.ndarray  # [N_L, B, T] reciprocal standard deviation
    xh: np.ndarray  # [N_L, B, T, D] normalised input
    X: np.ndarray  # [N_L, B, T, D] what attention reads
    Q: np.ndarray  # [N_L, B, T, H, d] queries
    K: np.ndarray  # [N_L, B, T, H, d] keys
    V: np.ndarray  # [N_L, B, T, H, d] values
    S: np.ndarray  # [N_L, B, H, T, T] scaled scores
    A: np.ndarray  # [N_L, B, H, T, T] weights on the past
    O: np.ndarray  # [N_L, B, T, H, d] outputs of the heads
    u: np.ndarray  # [N_L, B, T, D] after attention
    mu_u: np.ndarray  # [N_L, B, T] mean of the features
    rs_u: np.ndarray  # [N_L, B, T] reciprocal standard deviation
    uh: np.ndarray  # [N_L, B, T, D] normalised, after attention
    U: np.ndarray  # [N_L, B, T, D] what the perceptron reads
    C: np.ndarray  # [N_L, B, T, F] before the nonlinearity
    G: np.ndarray  # [N_L, B, T, F] hidden units
    z: np.ndarray  # [N_L, B, T, D] output of a block
    e: np.ndarray  # [B, T, D] output of the last block
    mu_e: np.ndarray  # [B, T] mean of the features
    rs_e: np.ndarray  # [B, T] reciprocal standard deviation
    eh: np.ndarray  # [B, T, D] normalised output
    R: np.ndarray  # [B, T, D] final representation
    o: np.ndarray  # [B, T, N_V] logits, by the embeddings of tokens
    p: np.ndarray  # [B, T, N_V] probabilities of the next token
    L: np.ndarray  # scalar cross-entropy
    H: int  # extent


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dg_e: np.ndarray  # [D] dL/dg_e
    dW_2: np.ndarray  # [N_L, F, D] dL/dW_2
    dW_1: np.ndarray  # [N_L, D, F] dL/dW_1
    dg_u: np.ndarray  # [N_L, D] dL/dg_u
    dW_O: np.ndarray  # [N_L, H * d, D] dL/dW_O
    dW_V: np.ndarray  # [N_L, D, H * d] dL/dW_V
    dW_K: np.ndarray  # [N_L, D, H * d] dL/dW_K
    dW_Q: np.ndarray  # [N_L, D, H * d] dL/dW_Q
    dg_x: np.ndarray  # [N_L, D] dL/dg_x
    dP: np.ndarray  # [T, D] dL/dP
    dE: np.ndarray  # [N_V, D] dL/dE


def forward(
    tok: np.ndarray,
    y: np.ndarray,
    E: np.ndarray,
    P: np.ndarray,
    g_x: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    W_O: np.ndarray,
    g_u: np.ndarray,
    W_1: np.ndarray,
    W_2: np.ndarray,
    g_e: np.ndarray,
    *,
    H: int,
    eps: float = 1e-05,
) -> Values:
    """Forward pass.

    Args:
        tok: [B, T] tokens.
        y: [B, T] tokens to predict.
        E: [N_V, D] embeddings of tokens.
        P: [T, D] embeddings of positions.
        g_x: [N_L, D] gain before attention.
        W_Q: [N_L, D, H * d] query weights.
        W_K: [N_L, D, H * d] key weights.
        W_V: [N_L, D, H * d] value weights.
        W_O: [N_L, H * d, D] output weights.
        g_u: [N_L, D] gain before the perceptron.
        W_1: [N_L, D, F] weights of its first layer.
        W_2: [N_L, F, D] weights of its second layer.
        g_e: [D] gain after the last block.
        H: extent, no input shows it.
        eps: keeps the roots away from zero.
    """
    tok, y, E, P, g_x, W_Q, W_K, W_V, W_O, g_u, W_1, W_2, g_e = _checked(
        {"H": H},
        tok=tok,
        y=y,
        E=E,
        P=P,
        g_x=g_x,
        W_Q=W_Q,
        W_K=W_K,
        W_V=W_V,
        W_O=W_O,
        g_u=g_u,
        W_1=W_1,
        W_2=W_2,
        g_e=g_e,
    )
    B, T = tok.shape
    D = E.shape[1]
    N_L = g_x.shape[0]
    F = W_1.shape[2]
    d = W_Q.shape[2] // H
    W_Q_split = W_Q.reshape(N_L, D, H, d)
    W_K_split = W_K.reshape(N_L, D, H, d)
    W_V_split = W_V.reshape(N_L, D, H, d)
    W_O_split = W_O.reshape(N_L, H, d, D)
    # E_at[b,t,m] = E[tok[b,t],m]
    E_at = _looked_up(E, 0, tok)
    x = np.zeros((N_L, B, T, D), dtype=E.dtype)
    mu_x = np.zeros((N_L, B, T), dtype=E.dtype)
    x_var = np.zeros((N_L, B, T), dtype=E.dtype)
    rs_x = np.zeros((N_L, B, T), dtype=E.dtype)
    xh = np.zeros((N_L, B, T, D), dtype=E.dtype)
    X = np.zeros((N_L, B, T, D), dtype=E.dtype)
    Q = np.zeros((N_L, B, T, H, d), dtype=E.dtype)
    K = np.zeros((N_L, B, T, H, d), dtype=E.dtype)
    V = np.zeros((N_L, B, T, H, d), dtype=E.dtype)
    S = np.zeros((N_L, B, H, T, T), dtype=E.dtype)
    S_masked = np.zeros((N_L, B, H, T, T), dtype=E.dtype)
    S_max = np.zeros((N_L, B, H, T), dtype=E.dtype)
    exp_S = np.zeros((N_L, B, H, T, T), dtype=E.dtype)
    Z = np.zeros((N_L, B, H, T), dtype=E.dtype)
    A = np.zeros((N_L, B, H, T, T), dtype=E.dtype)
    O = np.zeros((N_L, B, T, H, d), dtype=E.dtype)
    u = np.zeros((N_L, B, T, D), dtype=E.dtype)
    mu_u = np.zeros((N_L, B, T), dtype=E.dtype)
    u_var = np.zeros((N_L, B, T), dtype=E.dtype)
    rs_u = np.zeros((N_L, B, T), dtype=E.dtype)
    uh = np.zeros((N_L, B, T, D), dtype=E.dtype)
    U = np.zeros((N_L, B, T, D), dtype=E.dtype)
    C = np.zeros((N_L, B, T, F), dtype=E.dtype)
    G = np.zeros((N_L, B, T, F), dtype=E.dtype)
    z = np.zeros((N_L, B, T, D), dtype=E.dtype)
    for l in range(N_L):
        # x[l,b,t,m] = delta[l,0] * E[tok[b,t],m] + delta[l,0] * P[t,m] + [1 <= l] *
        #     z[l-1,b,t,m]
        if l == 0:
            x[l] = E_at + P
        if 1 <= l:
            x[l] = z[l - 1]
        # mu_x[l,b,t] = 1/D * sum[m](x[l,b,t,m])
        mu_x[l] = x[l].sum(axis=2) / D
        # x_var[l,b,t] = 1/D * sum[m]((x[l,b,t,m] - mu_x[l,b,t])^2)
        x_var[l] = ((x[l] - mu_x[l][..., None]) ** 2).sum(axis=2) / D
        # rs_x[l,b,t] = 1 / sqrt(x_var[l,b,t] + eps)
        rs_x[l] = 1.0 / np.sqrt(x_var[l] + eps)
        # xh[l,b,t,m] = (x[l,b,t,m] - mu_x[l,b,t]) * rs_x[l,b,t]
        xh[l] = (x[l] - mu_x[l][..., None]) * rs_x[l][..., None]
        # X[l,b,t,m] = g_x[l,m] * xh[l,b,t,m]
        X[l] = g_x[l] * xh[l]
        # Q[l,b,t,h,k] = sum[m](X[l,b,t,m] * W_Q[l,m,h,k])
        Q[l] = np.einsum("btm,mhk->bthk", X[l], W_Q_split[l], optimize=True)
        # K[l,b,t,h,k] = sum[m](X[l,b,t,m] * W_K[l,m,h,k])
        K[l] = np.einsum("btm,mhk->bthk", X[l], W_K_split[l], optimize=True)
        # V[l,b,t,h,k] = sum[m](X[l,b,t,m] * W_V[l,m,h,k])
        V[l] = np.einsum("btm,mhk->bthk", X[l], W_V_split[l], optimize=True)
        # S[l,b,h,t,s] = 1/sqrt(d) * sum[k](Q[l,b,t,h,k] * K[l,b,s,h,k])
        S[l] = Q[l].transpose(0, 2, 1, 3) @ K[l].transpose(0, 2, 3, 1) / d**0.5
        # S_masked[l,b,h,t,r] = S[l,b,h,t,r] where r <= t, else -inf
        S_masked[l] = np.where(np.tri(T, dtype=bool), S[l], -np.inf)
        # S_max[l,b,h,t] = max[r](S_masked[l,b,h,t,r])
        S_max[l] = S_masked[l].max(axis=3)
        # exp_S[l,b,h,t,r] = exp(S_masked[l,b,h,t,r] - S_max[l,b,h,t])
        exp_S[l] = np.exp(S_masked[l] - S_max[l][..., None])
        # Z[l,b,h,t] = sum[r](exp_S[l,b,h,t,r])
        Z[l] = exp_S[l].sum(axis=3)
        # A[l,b,h,t,s] = exp_S[l,b,h,t,s] / Z[l,b,h,t]
        A[l] = exp_S[l] / Z[l][..., None]
        # O[l,b,t,h,k] = sum[s](A[l,b,h,t,s] * V[l,b,s,h,k])
        O[l] = (A[l] @ V[l].transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
        # u[l,b,t,m] = x[l,b,t,m] + sum[h,k](O[l,b,t,h,k] * W_O[l,h,k,m])
        u[l] = x[l] + np.einsum("bthk,hkm->btm", O[l], W_O_split[l], optimize=True)
        # mu_u[l,b,t] = 1/D * sum[m](u[l,b,t,m])
        mu_u[l] = u[l].sum(axis=2) / D
        # u_var[l,b,t] = 1/D * sum[m]((u[l,b,t,m] - mu_u[l,b,t])^2)
        u_var[l] = ((u[l] - mu_u[l][..., None]) ** 2).sum(axis=2) / D
        # rs_u[l,b,t] = 1 / sqrt(u_var[l,b,t] + eps)
        rs_u[l] = 1.0 / np.sqrt(u_var[l] + eps)
        # uh[l,b,t,m] = (u[l,b,t,m] - mu_u[l,b,t]) * rs_u[l,b,t]
        uh[l] = (u[l] - mu_u[l][..., None]) * rs_u[l][..., None]
        # U[l,b,t,m] = g_u[l,m] * uh[l,b,t,m]
        U[l] = g_u[l] * uh[l]
        # C[l,b,t,f] = sum[m](U[l,b,t,m] * W_1[l,m,f])
        C[l] = np.einsum("btm,mf->btf", U[l], W_1[l], optimize=True)
        # G[l,b,t,f] = gelu(C[l,b,t,f])
        G[l] = _gelu(C[l])
        # z[l,b,t,m] = u[l,b,t,m] + sum[f](G[l,b,t,f] * W_2[l,f,m])
        z[l] = u[l] + np.einsum("btf,fm->btm", G[l], W_2[l], optimize=True)
    # e[b,t,m] = z[N_L-1,b,t,m]
    e = _windows(z, (0, N_L - 1))
    # mu_e[b,t] = 1/D * sum[m](e[b,t,m])
    mu_e = e.sum(axis=2) / D
    # e_var[b,t] = 1/D * sum[m]((e[b,t,m] - mu_e[b,t])^2)
    e_var = ((e - mu_e[..., None]) ** 2).sum(axis=2) / D
    # rs_e[b,t] = 1 / sqrt(e_var[b,t] + eps)
    rs_e = 1.0 / np.sqrt(e_var + eps)
    # eh[b,t,m] = (e[b,t,m] - mu_e[b,t]) * rs_e[b,t]
    eh = (e - mu_e[..., None]) * rs_e[..., None]
    # R[b,t,m] = g_e[m] * eh[b,t,m]
    R = g_e * eh
    # o[b,t,v] = sum[m](R[b,t,m] * E[v,m])
    o = np.einsum("btm,vm->btv", R, E, optimize=True)
    # o_max[b,t] = max[w](o[b,t,w])
    o_max = o.max(axis=2)
    # exp_o[b,t,w] = exp(o[b,t,w] - o_max[b,t])
    exp_o = np.exp(o - o_max[..., None])
    # Z_p[b,t] = sum[w](exp_o[b,t,w])
    Z_p = exp_o.sum(axis=2)
    # p[b,t,v] = exp_o[b,t,v] / Z_p[b,t]
    p = exp_o / Z_p[..., None]
    # o_at[b,t] = o[b,t,y[b,t]]
    o_at = _nearest(o, np.arange(B, dtype=int)[:, None], np.arange(T, dtype=int), y)
    # L = -1/(B*T) * sum[b,t](((o_at[b,t] - o_max[b,t]) - log(Z_p[b,t])))
    L = -(o_at - o_max - np.log(Z_p)).sum() / (B * T)
    return Values(
        tok,
        y,
        E,
        P,
        g_x,
        W_Q,
        W_K,
        W_V,
        W_O,
        g_u,
        W_1,
        W_2,
        g_e,
        x,
        mu_x,
        rs_x,
        xh,
        X,
        Q,
        K,
        V,
        S,
        A,
        O,
        u,
        mu_u,
        rs_u,
        uh,
        U,
        C,
        G,
        z,
        e,
        mu_e,
        rs_e,
        eh,
        R,
        o,
        p,
        L,
        H,
    )


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    tok = values.tok
    y = values.y
    E = values.E
    g_x = values.g_x
    W_Q = values.W_Q
    W_K = values.W_K
    W_V = values.W_V
    W_O = values.W_O
    g_u = values.g_u
    W_1 = values.W_1
    W_2 = values.W_2
    g_e = values.g_e
    rs_x = values.rs_x
    xh = values.xh
    X = values.X
    Q = values.Q
    K = values.K
    V = values.V
    A = values.A
    O = values.O
    rs_u = values.rs_u
    uh = values.uh
    U = values.U
    C = values.C
    G = values.G
    rs_e = values.rs_e
    eh = values.eh
    R = values.R
    p = values.p
    H = values.H
    B, T = tok.shape
    N_V, D = E.shape
    N_L = g_x.shape[0]
    F = W_1.shape[2]
    d = Q.shape[4]
    W_Q_split = W_Q.reshape(N_L, D, H, d)
    W_K_split = W_K.reshape(N_L, D, H, d)
    W_V_split = W_V.reshape(N_L, D, H, d)
    W_O_split = W_O.reshape(N_L, H, d, D)
    # do[b,t,v] = 1/(B*T) * (p[b,t,v] - delta[y[b,t],v])
    part = p - (y[..., None] == np.arange(N_V, dtype=int)).astype(values.E.dtype)
    do = part / (B * T)
    # dR[b,t,m] = sum[v](do[b,t,v] * E[v,m])
    dR = np.einsum("btv,vm->btm", do, E, optimize=True)
    # dg_e[m] = sum[b,t](dR[b,t,m] * eh[b,t,m])
    dg_e = np.einsum("btm,btm->m", dR, eh)
    # deh[b,t,m] = dR[b,t,m] * g_e[m]
    deh = dR * g_e
    # q[b,t] = 1/D * sum[m](deh[b,t,m])
    q = deh.sum(axis=2) / D
    # c[b,t] = 1/D * sum[m](deh[b,t,m] * eh[b,t,m])
    c = np.einsum("btm,btm->bt", deh, eh) / D
    # de[b,t,m] = rs_e[b,t] * (deh[b,t,m] - q[b,t] - c[b,t] * eh[b,t,m])
    de = rs_e[..., None] * (deh - q[..., None] - c[..., None] * eh)
    dz = np.zeros((N_L, B, T, D), dtype=values.E.dtype)
    dG = np.zeros((N_L, B, T, F), dtype=values.E.dtype)
    dC = np.zeros((N_L, B, T, F), dtype=values.E.dtype)
    dU = np.zeros((N_L, B, T, D), dtype=values.E.dtype)
    duh = np.zeros((N_L, B, T, D), dtype=values.E.dtype)
    g = np.zeros((N_L, B, T), dtype=values.E.dtype)
    r2 = np.zeros((N_L, B, T), dtype=values.E.dtype)
    du = np.zeros((N_L, B, T, D), dtype=values.E.dtype)
    dO = np.zeros((N_L, B, T, H, d), dtype=values.E.dtype)
    dA = np.zeros((N_L, B, H, T, T), dtype=values.E.dtype)
    s2 = np.zeros((N_L, B, H, T), dtype=values.E.dtype)
    dS = np.zeros((N_L, B, H, T, T), dtype=values.E.dtype)
    dV = np.zeros((N_L, B, T, H, d), dtype=values.E.dtype)
    dK = np.zeros((N_L, B, T, H, d), dtype=values.E.dtype)
    dQ = np.zeros((N_L, B, T, H, d), dtype=values.E.dtype)
    dX = np.zeros((N_L, B, T, D), dtype=values.E.dtype)
    dxh = np.zeros((N_L, B, T, D), dtype=values.E.dtype)
    u2 = np.zeros((N_L, B, T), dtype=values.E.dtype)
    v2 = np.zeros((N_L, B, T), dtype=values.E.dtype)
    dx = np.zeros((N_L, B, T, D), dtype=values.E.dtype)
    for l in reversed(range(N_L)):
        # dz[l,b,t,m] = dx[l+1,b,t,m] * [l+1 < N_L] + de[b,t,m] * delta[N_L-1,l]
        if l + 1 < N_L:
            dz[l] = dx[l + 1]
        if N_L - 1 == l:
            dz[l] = de
        # dG[l,b,t,f] = sum[m](dz[l,b,t,m] * W_2[l,f,m])
        dG[l] = np.einsum("btm,fm->btf", dz[l], W_2[l], optimize=True)
        # dC[l,b,t,f] = dG[l,b,t,f] * (0.5 + 0.5 * erf(1/sqrt(2) * C[l,b,t,f]) +
        #     1/sqrt(2*pi) * C[l,b,t,f] * exp(-0.5 * C[l,b,t,f]^2))
        part_2 = (
            0.5
            + 0.5 * _erf(C[l] / 2**0.5)
            + C[l] * np.exp(-0.5 * C[l] ** 2) / (2 * np.pi) ** 0.5
        )
        dC[l] = dG[l] * part_2
        # dU[l,b,t,m] = sum[f](dC[l,b,t,f] * W_1[l,m,f])
        dU[l] = np.einsum("btf,mf->btm", dC[l], W_1[l], optimize=True)
        # duh[l,b,t,m] = dU[l,b,t,m] * g_u[l,m]
        duh[l] = dU[l] * g_u[l]
        # g[l,b,t] = 1/D * sum[m](duh[l,b,t,m])
        g[l] = duh[l].sum(axis=2) / D
        # r2[l,b,t] = 1/D * sum[m](duh[l,b,t,m] * uh[l,b,t,m])
        r2[l] = np.einsum("btm,btm->bt", duh[l], uh[l]) / D
        # du[l,b,t,m] = rs_u[l,b,t] * (duh[l,b,t,m] - g[l,b,t] - r2[l,b,t] *
        #     uh[l,b,t,m]) + dz[l,b,t,m]
        part_3 = duh[l] - g[l][..., None] - r2[l][..., None] * uh[l]
        part_4 = rs_u[l][..., None] * part_3
        du[l] = part_4 + dz[l]
        # dO[l,b,t,h,k] = sum[m](du[l,b,t,m] * W_O[l,h,k,m])
        dO[l] = np.einsum("btm,hkm->bthk", du[l], W_O_split[l], optimize=True)
        # dA[l,b,h,t,s] = sum[k](dO[l,b,t,h,k] * V[l,b,s,h,k])
        dA[l] = dO[l].transpose(0, 2, 1, 3) @ V[l].transpose(0, 2, 3, 1)
        # s2[l,b,h,t] = sum[k](dO[l,b,t,h,k] * O[l,b,t,h,k])
        s2[l] = np.einsum("bthk,bthk->bht", dO[l], O[l])
        # dS[l,b,h,t,s] = A[l,b,h,t,s] * (dA[l,b,h,t,s] - s2[l,b,h,t])
        dS[l] = A[l] * (dA[l] - s2[l][..., None])
        # dV[l,b,t,h,k] = sum[s](dO[l,b,s,h,k] * A[l,b,h,s,t])
        part_5 = A[l].swapaxes(-1, -2) @ dO[l].transpose(0, 2, 1, 3)
        dV[l] = part_5.transpose(0, 2, 1, 3)
        # dK[l,b,t,h,k] = 1/sqrt(d) * sum[s](dS[l,b,h,s,t] * Q[l,b,s,h,k])
        part_6 = dS[l].swapaxes(-1, -2) @ Q[l].transpose(0, 2, 1, 3)
        part_7 = part_6.transpose(0, 2, 1, 3)
        dK[l] = part_7 / d**0.5
        # dQ[l,b,t,h,k] = 1/sqrt(d) * sum[s](dS[l,b,h,t,s] * K[l,b,s,h,k])
        dQ[l] = (dS[l] @ K[l].transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3) / d**0.5
        # dX[l,b,t,m] = sum[h,k](dQ[l,b,t,h,k] * W_Q[l,m,h,k]) + sum[h,k](dK[l,b,t,h,k]
        #     * W_K[l,m,h,k]) + sum[h,k](dV[l,b,t,h,k] * W_V[l,m,h,k])
        dX[l] = (
            np.einsum("bthk,mhk->btm", dQ[l], W_Q_split[l], optimize=True)
            + np.einsum("bthk,mhk->btm", dK[l], W_K_split[l], optimize=True)
            + np.einsum("bthk,mhk->btm", dV[l], W_V_split[l], optimize=True)
        )
        # dxh[l,b,t,m] = dX[l,b,t,m] * g_x[l,m]
        dxh[l] = dX[l] * g_x[l]
        # u2[l,b,t] = 1/D * sum[m](dxh[l,b,t,m])
        u2[l] = dxh[l].sum(axis=2) / D
        # v2[l,b,t] = 1/D * sum[m](dxh[l,b,t,m] * xh[l,b,t,m])
        v2[l] = np.einsum("btm,btm->bt", dxh[l], xh[l]) / D
        # dx[l,b,t,m] = rs_x[l,b,t] * (dxh[l,b,t,m] - u2[l,b,t] - v2[l,b,t] *
        #     xh[l,b,t,m]) + du[l,b,t,m]
        part_8 = dxh[l] - u2[l][..., None] - v2[l][..., None] * xh[l]
        part_9 = rs_x[l][..., None] * part_8
        dx[l] = part_9 + du[l]
    # dW_2[l,f,m] = sum[b,t](dz[l,b,t,m] * G[l,b,t,f])
    dW_2 = G.reshape(N_L, B * T, F).swapaxes(-1, -2) @ dz.reshape(N_L, B * T, D)
    # dW_1[l,m,f] = sum[b,t](dC[l,b,t,f] * U[l,b,t,m])
    dW_1 = U.reshape(N_L, B * T, D).swapaxes(-1, -2) @ dC.reshape(N_L, B * T, F)
    # dg_u[l,m] = sum[b,t](dU[l,b,t,m] * uh[l,b,t,m])
    dg_u = np.einsum("lbtm,lbtm->lm", dU, uh)
    # dW_O[l,(h,k),m] = sum[b,t](du[l,b,t,m] * O[l,b,t,h,k])
    part_10 = O.reshape(N_L, B * T, H * d).swapaxes(-1, -2) @ du.reshape(N_L, B * T, D)
    dW_O_split = part_10.reshape(N_L, H, d, D)
    dW_O = dW_O_split.reshape(N_L, H * d, D)
    # dW_V[l,m,(h,k)] = sum[b,t](dV[l,b,t,h,k] * X[l,b,t,m])
    part_11 = X.reshape(N_L, B * T, D).swapaxes(-1, -2) @ dV.reshape(N_L, B * T, H * d)
    dW_V_split = part_11.reshape(N_L, D, H, d)
    dW_V = dW_V_split.reshape(N_L, D, H * d)
    # dW_K[l,m,(h,k)] = sum[b,t](dK[l,b,t,h,k] * X[l,b,t,m])
    part_12 = X.reshape(N_L, B * T, D).swapaxes(-1, -2) @ dK.reshape(N_L, B * T, H * d)
    dW_K_split = part_12.reshape(N_L, D, H, d)
    dW_K = dW_K_split.reshape(N_L, D, H * d)
    # dW_Q[l,m,(h,k)] = sum[b,t](dQ[l,b,t,h,k] * X[l,b,t,m])
    part_13 = X.reshape(N_L, B * T, D).swapaxes(-1, -2) @ dQ.reshape(N_L, B * T, H * d)
    dW_Q_split = part_13.reshape(N_L, D, H, d)
    dW_Q = dW_Q_split.reshape(N_L, D, H * d)
    # dg_x[l,m] = sum[b,t](dX[l,b,t,m] * xh[l,b,t,m])
    dg_x = np.einsum("lbtm,lbtm->lm", dX, xh)
    # dx_win[b,t,m] = dx[0,b,t,m]
    dx_win = _windows(dx, (0, 0))
    # dP[t,m] = sum[b](dx_win[b,t,m])
    dP = dx_win.sum(axis=0)
    # dE_moved_parts[b,t,m] = dx[0,b,t,m]
    dE_moved_parts = _windows(dx, (0, 0))
    # dE_moved[v,m] = sum[b,t](dE_moved_parts[b,t,m] * delta[tok[b,t],v])
    dE_moved = _summed_at(dE_moved_parts, 0, tok, N_V)
    # dE[v,m] = dE_moved[v,m] + sum[b,t](do[b,t,v] * R[b,t,m])
    dE = dE_moved + np.einsum("btv,btm->vm", do, R, optimize=True)
    return Gradients(dg_e, dW_2, dW_1, dg_u, dW_O, dW_V, dW_K, dW_Q, dg_x, dP, dE)


def _checked(known: dict[str, int], /, **given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    floats = iter(_promoted(*(a for n, a in given.items() if n not in WHOLE)))
    arrays = tuple(
        [_whole(n, a) if n in WHOLE else next(floats) for n, a in given.items()]
    )
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
    for name, array in zip(given, arrays, strict=True):
        if name in WHOLE:
            extent = WHOLE[name]
            _check_below(name, array, extent, int(seen.get(extent, (extent,))[0]))
    return arrays


def _whole(name: str, array: np.ndarray) -> np.ndarray:
    """The array, if it holds whole numbers."""
    numbers = np.asarray(array)
    if not np.issubdtype(numbers.dtype, np.integer):
        message = f"{name} holds numbers of {numbers.dtype}; expected whole numbers"
        raise ValueError(message)
    return numbers


def _check_below(name: str, array: np.ndarray, extent: str, size: int) -> None:
    """Raise an error that names the first entry outside of 0 .. size - 1."""
    wrong = (array < 0) | (array >= size)
    if wrong.any():
        place = tuple(map(int, zip(*wrong.nonzero(), strict=True).__next__()))
        entry = f"{name}[{', '.join(map(str, place))}]"
        message = f"{entry} is {array[place]}, but {extent} is {size}: "
        raise ValueError(message + "entries go from 0 to the extent less 1")


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


def _gelu(x: np.ndarray) -> np.ndarray:
    """x (1 + erf(x / sqrt 2)) / 2."""
    return 0.5 * x * (1.0 + _erf(x / 2**0.5))


def _erf(x: np.ndarray) -> np.ndarray:
    """The error function to about 1e-15.

    Rational approximations of W. J. Cody, "Rational Chebyshev approximations for the
    error function", Mathematics of Computation 23 (1969), 631-637.
    """
    a = (
        1.85777706184603153e-1,
        3.16112374387056560e0,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    )
    b = (
        1.0,
        2.36012909523441209e1,
        2.44024637934444173e2,
        1.28261652607737228e3,
        2.84423683343917062e3,
    )
    c = (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594e0,
        6.61191906371416295e1,
        2.98635138197400131e2,
        8.81952221241769090e2,
        1.71204761263407058e3,
        2.05107837782607147e3,
        1.23033935479799725e3,
    )
    d = (
        1.0,
        1.57449261107098347e1,
        1.17693950891312499e2,
        5.37181101862009858e2,
        1.62138957456669019e3,
        3.29079923573345963e3,
        4.36261909014324716e3,
        3.43936767414372164e3,
        1.23033935480374942e3,
    )
    # Beyond 6, erf is 1 to the last bit.
    size = np.minimum(np.abs(x), 6.0)
    near = np.minimum(size, 0.46875)
    far = np.maximum(size, 0.46875)
    inner = near * _ratio(a, b, near**2)
    outer = 1.0 - np.exp(-(far**2)) * _ratio(c, d, far)
    return np.copysign(np.where(size <= 0.46875, inner, outer), x)


def _ratio(above: tuple, below: tuple, x: np.ndarray) -> np.ndarray:
    """The quotient of two polynomials, highest coefficients first (Horner's rule)."""
    numerator, denominator = above[0], below[0]
    for high, low in zip(above[1:], below[1:], strict=True):
        numerator = numerator * x + high
        denominator = denominator * x + low
    return numerator / denominator


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])


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
    return np.lib.stride_tricks.as_strided(begun, sizes, walked, writeable=False)


def _looked_up(x: np.ndarray, axis: int, ids: np.ndarray) -> np.ndarray:
    """x[ids] along an axis, which becomes the axes of ids."""
    return np.take(x, ids, axis=axis)


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
    return np.moveaxis(total, 0, axis)


def _nearest(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    return x[tuple(np.clip(place, 0, size - 1) for place, size in sizes)]

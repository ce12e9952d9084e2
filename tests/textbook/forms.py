"""The backward passes of derivations that are shipped as textbooks print them, in the language of specs.

A form reads tensors of the forward pass, upstream gradients, and what is above it. The names of the
gradients that a derivation asks for are its own; all other names are parts.
"""

SOFTMAX_ATTENTION = """
dV[j,p] = sum[i](A[i,j] * G[i,p])
D[i,j] = sum[p](G[i,p] * V[j,p])
rho[i] = sum[p](G[i,p] * O[i,p])
dS[i,j] = A[i,j] * (D[i,j] - rho[i])
"""

LSTM_GATES = """
dc[n,j] = E[n,j] + dh[n,j] * o[n,j] * (1 - tanh(c[n,j])^2)
z_I[n,j] = dc[n,j] * g[n,j] * i[n,j] * (1 - i[n,j])
z_F[n,j] = dc[n,j] * c_prev[n,j] * f[n,j] * (1 - f[n,j])
z_G[n,j] = dc[n,j] * i[n,j] * (1 - g[n,j]^2)
z_O[n,j] = dh[n,j] * h[n,j] * (1 - o[n,j])
"""

GRU_GATES = """
z_G[n,j] = dh[n,j] * (1 - z[n,j]) * (1 - g[n,j]^2)
z_Z[n,j] = dh[n,j] * (h_prev[n,j] - g[n,j]) * z[n,j] * (1 - z[n,j])
back[n,j] = sum[k](z_G[n,k] * U_G[k,j])
z_R[n,j] = back[n,j] * h_prev[n,j] * r[n,j] * (1 - r[n,j])
"""


def layer(gate: str, state: str = "h_prev[n,k]") -> str:
    """The gradients of a gate's weights and bias, all read from that of its argument."""
    return f"""
dW_{gate}[j,d] = sum[n](z_{gate}[n,j] * x[n,d])
dU_{gate}[j,k] = sum[n](z_{gate}[n,j] * {state})
db_{gate}[j] = sum[n](z_{gate}[n,j])
"""


def sent_back(gates: str, weights: str, slots: str) -> str:
    """What the inputs of a cell get through its gates."""
    return " + ".join(f"sum[{slots[0]}](z_{gate}[n,{slots[0]}] * {weights}_{gate}[{slots}])" for gate in gates)


FORMS = {
    "alibi_attention": """
dV[h,j,p] = sum[i](A[h,i,j] * G[h,i,p])
dA[h,i,j] = sum[p](G[h,i,p] * V[h,j,p])
rho[h,i] = sum[p](G[h,i,p] * O[h,i,p])
dS[h,i,j] = A[h,i,j] * (dA[h,i,j] - rho[h,i])
dQ[h,i,k] = sum[j](dS[h,i,j] * K[h,j,k]) / sqrt(d)
dK[h,j,k] = sum[i](dS[h,i,j] * Q[h,i,k]) / sqrt(d)
dm[h] = -sum[i,j](dS[h,i,j] * D[i,j])
""",
    "barlow_twins": """
dC[i,j] = 2 * (C[i,i] - 1) * delta[i,j] + 2 * lam * [i != j] * C[i,j]
gx[n,i] = sum[j](dC[i,j] * yh[n,j]) / N
gy[n,j] = sum[i](dC[i,j] * xh[n,i]) / N
kx[i] = sum[n](gx[n,i] * xh[n,i]) / N
ky[j] = sum[n](gy[n,j] * yh[n,j]) / N
dX[n,i] = rx[i] * (gx[n,i] - kx[i] * xh[n,i])
dY[n,j] = ry[j] * (gy[n,j] - ky[j] * yh[n,j])
""",
    "clip": """
dS[n,m] = (P[n,m] + R[n,m] - 2 * delta[n,m]) / (2*N)
dX[n,h] = s * sum[m](dS[n,m] * Y[m,h])
dY[m,h] = s * sum[n](dS[n,m] * X[n,h])
ds = sum[n,m](dS[n,m] * C[n,m])
""",
    "cox_partial_likelihood": """
deta[j] = -(s[j] - sum[i](s[i] * p[i,j]))
dw[f] = sum[j](deta[j] * X[j,f])
""",
    "cp_decomposition": """
dA[i,r] = sum[j,k](E[i,j,k] * B[j,r] * C[k,r])
dB[j,r] = sum[i,k](E[i,j,k] * A[i,r] * C[k,r])
dC[k,r] = sum[i,j](E[i,j,k] * A[i,r] * B[j,r])
""",
    "dice": """
dp[n,i] = -(2 * y[n,i] - D[n]) / (N * Den[n])
dz[n,i] = dp[n,i] * p[n,i] * (1 - p[n,i])
""",
    "distillation": "dz[n,c] = tau/N * (p[n,c] - q[n,c])",
    "focal_loss": "dx[n] = y[n]/N * (1 - p[n])^gamma * (gamma * p[n] * log(p[n]) + p[n] - 1)",
    "gat": """
dP[i,j] = sum[h](G[i,h] * H[j,h])
rho[i] = sum[h](G[i,h] * Y[i,h])
dE[i,j] = P[i,j] * (dP[i,j] - rho[i])
du[i,j] = dE[i,j] * (slope + (1 - slope) * step(u[i,j]))
ds[i] = sum[j](du[i,j])
dt[j] = sum[i](du[i,j])
da[h] = sum[i](ds[i] * H[i,h])
db[h] = sum[j](dt[j] * H[j,h])
dH[i,h] = sum[j](P[j,i] * G[j,h]) + ds[i] * a[h] + dt[i] * b[h]
dW[f,h] = sum[i](X[i,f] * dH[i,h])
dX[i,f] = sum[h](dH[i,h] * W[f,h])
""",
    "gaussian_mixture": """
dell[n,k] = -r[n,k] / N
da[k] = w[k] + sum[n](dell[n,k])
dmu[k,d] = sum[n](dell[n,k] * (x[n,d] - mu[k,d])) / sigma[k,d]^2
dsigma[k,d] = sum[n](dell[n,k] * ((x[n,d] - mu[k,d])^2 / sigma[k,d]^2 - 1)) / sigma[k,d]
""",
    "gcn": """
dU[i,h] = G[i,h] * step(U[i,h])
dW[f,h] = sum[i](M[i,f] * dU[i,h])
gM[j,f] = sum[h](dU[j,h] * W[f,h])
dX[i,f] = sum[j](N_A[i,j] * gM[j,f])
""",
    "grouped_query_attention": """
dV[b,t,(g,k)] = sum[s,r](A[b,g,r,s,t] * G[b,s,(g,r,k)])
D[b,g,r,s,t] = sum[k](G[b,s,(g,r,k)] * V[b,t,(g,k)])
rho[b,g,r,s] = sum[k](G[b,s,(g,r,k)] * O[b,s,(g,r,k)])
dS[b,g,r,s,t] = A[b,g,r,s,t] * (D[b,g,r,s,t] - rho[b,g,r,s])
dQ[b,s,(g,r,k)] = sum[t](dS[b,g,r,s,t] * K[b,t,(g,k)]) / sqrt(D_h)
dK[b,t,(g,k)] = sum[s,r](dS[b,g,r,s,t] * Q[b,s,(g,r,k)]) / sqrt(D_h)
""",
    "gru_cell": GRU_GATES
    + layer("R")
    + layer("Z")
    + layer("G", "r[n,k] * h_prev[n,k]")
    + f"""
dx[n,d] = {sent_back("RZG", "W", "j,d")}
dh_prev[n,j] = dh[n,j] * z[n,j] + back[n,j] * r[n,j] + {sent_back("RZ", "U", "k,j")}
""",
    "hinge_svm": """
dz[n] = -y[n] * step(s[n]) / N
dw[f] = lam * w[f] + sum[n](dz[n] * X[n,f])
db = sum[n](dz[n])
""",
    "huber": """
dr[n] = c[n] / N
dw[f] = sum[n](dr[n] * X[n,f])
""",
    "ising_mean_field": "dm[i] = (log((1 + m[i])/2) - log((1 - m[i])/2))/2 - sum[j](J[i,j] * m[j]) - h[i]",
    "lstm_cell": LSTM_GATES
    + "".join(map(layer, "IFGO"))
    + f"""
dx[n,d] = {sent_back("IFGO", "W", "j,d")}
dh_prev[n,j] = {sent_back("IFGO", "U", "k,j")}
dc_prev[n,j] = dc[n,j] * f[n,j]
""",
    "pca_reconstruction": """
M[n,k] = sum[f](E[n,f] * W[f,k])
dW[f,k] = -2/N * (sum[n](X[n,f] * M[n,k]) + sum[n](E[n,f] * Z[n,k]))
""",
    "ppo_clip": "dl[n] = -1/N * step(g[n] - r[n]*A[n]) * r[n] * A[n]",
    "poisson_regression": """
deta[n] = (mu[n] - y[n]) / N
dw[f] = sum[n](deta[n] * X[n,f])
db = sum[n](deta[n])
dX[n,f] = deta[n] * w[f]
""",
    "qk_norm_attention": SOFTMAX_ATTENTION
    + """
dg = sum[i,j](dS[i,j] * C[i,j])
dQh[i,k] = g * sum[j](dS[i,j] * Kh[j,k])
dKh[j,k] = g * sum[i](dS[i,j] * Qh[i,k])
along_q[i] = sum[k](dQh[i,k] * Qh[i,k])
along_k[j] = sum[k](dKh[j,k] * Kh[j,k])
dQ[i,k] = (dQh[i,k] - along_q[i] * Qh[i,k]) / a[i]
dK[j,k] = (dKh[j,k] - along_k[j] * Kh[j,k]) / b[j]
""",
    "softcap_attention": SOFTMAX_ATTENTION
    + """
dU[i,j] = dS[i,j] * (1 - (S[i,j]/c)^2)
dQ[i,k] = sum[j](dU[i,j] * K[j,k]) / sqrt(d)
dK[j,k] = sum[i](dU[i,j] * Q[i,k]) / sqrt(d)
""",
    "spectral_norm": """
inner = sum[o,f](G[o,f] * W_sn[o,f])
dW[o,f] = (G[o,f] - inner * u[o] * v[f]) / sigma
""",
    "triplet": """
ds[n] = step(s[n]) / N
da[n,h] = 2 * ds[n] * (q[n,h] - p[n,h])
dp[n,h] = 2 * ds[n] * (p[n,h] - a[n,h])
dq[n,h] = 2 * ds[n] * (a[n,h] - q[n,h])
""",
    "tsne": """
dD[i,j] = (P[i,j] - q[i,j]) * w[i,j]
dY[i,c] = 4 * sum[j](dD[i,j] * (Y[i,c] - Y[j,c]))
""",
    "tucker": """
dG[a,b,c] = sum[i,j,k](E[i,j,k] * A[i,a] * B[j,b] * C[k,c])
dA[i,a] = sum[j,k,b,c](E[i,j,k] * G[a,b,c] * B[j,b] * C[k,c])
dB[j,b] = sum[i,k,a,c](E[i,j,k] * G[a,b,c] * A[i,a] * C[k,c])
dC[k,c] = sum[i,j,a,b](E[i,j,k] * G[a,b,c] * A[i,a] * B[j,b])
""",
    "vicreg": """
dC[i,j] = 2*nu/D * [i != j] * C[i,j] - mu/(2*D) * delta[i,j] * step(gamma - s[i]) / s[i]
dE[i,j] = 2*nu/D * [i != j] * E[i,j] - mu/(2*D) * delta[i,j] * step(gamma - t[i]) / t[i]
dxc[n,i] = 2/(N - 1) * sum[j](dC[i,j] * xc[n,j])
dyc[n,i] = 2/(N - 1) * sum[j](dE[i,j] * yc[n,j])
dX[n,i] = dxc[n,i] + 2*lam/N * (X[n,i] - Y[n,i])
dY[n,i] = dyc[n,i] - 2*lam/N * (X[n,i] - Y[n,i])
""",
    "weight_norm": """
dg[o] = sum[f](G[o,f] * vh[o,f])
dv[o,f] = g[o] / r[o] * (G[o,f] - dg[o] * vh[o,f])
""",
}

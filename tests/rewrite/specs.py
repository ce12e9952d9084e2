"""Programs that are hard in one way or another, by name."""

from __future__ import annotations

ROWS = "index n : N\nindex h, q : H\n"
SELF = "index i, j, l : T\nindex k : d\nindex p : v\n"

SPECS = {
    "attention": SELF
    + """input Q[i,k], K[j,k], V[j,p]
S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
A[i,j] = exp(S[i,j]) / sum[l](exp(S[i,l]))
O[i,p] = sum[j](A[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p]
derive Q, K, V""",
    "causal": SELF
    + """input Q[i,k], K[j,k], V[j,p]
S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
A[i,j] = [j <= i] * exp(S[i,j]) / sum[l]([l <= i] * exp(S[i,l]))
O[i,p] = sum[j](A[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p]
derive Q, K, V""",
    "logsumexp_form": SELF
    + """input Q[i,k], K[j,k], V[j,p]
S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
R[i] = log(sum[l](exp(S[i,l])))
P[i,j] = exp(S[i,j] - R[i])
O[i,p] = sum[j](P[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p]
derive Q, K, V""",
    "softmax_rows": ROWS + "input z[n,h]\np[n,h] = softmax[h](z[n,h])\nupstream g[n,h] = dL/dp[n,h]\nderive z",
    "layer_norm": ROWS
    + """param eps = 1e-5
input X[n,h], g[h], b[h]
mu[n] = mean[h](X[n,h])
xh[n,h] = (X[n,h] - mu[n]) / sqrt(mean[h]((X[n,h] - mu[n])^2) + eps)
Y[n,h] = g[h] * xh[n,h] + b[h]
upstream G[n,h] = dL/dY[n,h]
derive X, g, b""",
    "rms_norm": ROWS
    + """param eps = 1e-6
input X[n,h], g[h]
Y[n,h] = g[h] * X[n,h] / sqrt(mean[q](X[n,q]^2) + eps)
upstream G[n,h] = dL/dY[n,h]
derive X, g""",
    "columns_normalised": ROWS
    + """param eps = 1e-5
input X[n,h], g[h]
m[h] = mean[n](X[n,h])
Y[n,h] = g[h] * (X[n,h] - m[h]) / sqrt(mean[n]((X[n,h] - m[h])^2) + eps)
upstream G[n,h] = dL/dY[n,h]
derive X, g""",
    "unit_rows": ROWS
    + "input x[n,h]\ny[n,h] = x[n,h] / sqrt(sum[q](x[n,q]^2))\nupstream g[n,h] = dL/dy[n,h]\nderive x",
    "cosine": ROWS
    + """input x[n,h], y[n,h]
a[n] = sqrt(sum[h](x[n,h]^2))
b[n] = sqrt(sum[h](y[n,h]^2))
c[n] = sum[h](x[n,h] * y[n,h]) / (a[n] * b[n])
upstream g[n] = dL/dc[n]
derive x, y""",
    "neighbours": """index i, j, a, b : N
index c : d
input Y[i,c], P[i,j]
D[i,j] = sum[c]((Y[i,c] - Y[j,c])^2)
w[i,j] = [i != j] / (1 + D[i,j])
q[i,j] = w[i,j] / (1 + sum[a,b](w[a,b]))
L = sum[i,j](P[i,j] * log(q[i,j] + 1))
loss L
derive Y""",
    "contrastive": """index i, j : N
index h : H
param tau = 0.5
input q[i,h], k[j,h]
S[i,j] = 1/tau * sum[h](q[i,h] * k[j,h])
L = -1/N * sum[i](S[i,i]) + 1/N * sum[i](log(sum[j](exp(S[i,j]))))
loss L
derive q, k""",
    "logistic_regression": """index n : N
index f : F
param lam = 0.1
input X[n,f], w[f], b, y[n]
z[n] = sum[f](X[n,f] * w[f]) + b
p[n] = sigmoid(z[n])
L = -1/N * sum[n](y[n] * log(p[n]) + (1 - y[n]) * log(1 - p[n])) + lam/2 * sum[f](w[f]^2)
loss L
derive w, b""",
    "smoothed_targets": ROWS
    + """param a = 0.1
input z[n,h], y[n,h]
assume sum[h](y[n,h]) = 1
t[n,h] = (1 - a) * y[n,h] + a/H
L = -1/N * sum[n,h](t[n,h] * (z[n,h] - logsumexp[q](z[n,q])))
loss L
derive z""",
    "focal": ROWS
    + """input z[n,h], y[n,h]
p[n,h] = softmax[h](z[n,h])
L = -sum[n,h](y[n,h] * (1 - p[n,h])^2 * log(p[n,h]))
loss L
derive z""",
    "excitation": """index t : T
index c : C
index r : R
input X[t,c], W[r,c], U[c,r]
m[c] = mean[t](X[t,c])
s[c] = sigmoid(sum[r](U[c,r] * relu(sum[c](W[r,c] * m[c]))))
Y[t,c] = X[t,c] * s[c]
upstream G[t,c] = dL/dY[t,c]
derive X, W, U""",
    "gated": """index n : N
index d : D
index h : H
input X[n,d], W[d,h], V[d,h], U[h,d]
a[n,h] = sum[d](X[n,d] * W[d,h])
c[n,h] = sum[d](X[n,d] * V[d,h])
Y[n,d] = sum[h](silu(a[n,h]) * c[n,h] * U[h,d]) + X[n,d]
upstream G[n,d] = dL/dY[n,d]
derive X, W, V, U""",
    "exact_gelu": ROWS
    + "input X[n,h], W[h,q]\nY[n,q] = gelu(sum[h](X[n,h] * W[h,q]))\nupstream G[n,q] = dL/dY[n,q]\nderive X, W",
    "kinks": ROWS
    + """input x[n,h], y[n,h]
u[n,h] = relu(x[n,h]) * abs(y[n,h]) + max(x[n,h], 1/2) * min(y[n,h], 1/3)
upstream g[n,h] = dL/du[n,h]
derive x, y""",
    "diagonals": """index i, j, l : n
input A[i,j], x[i]
t = sum[i](A[i,i])
B[i,j] = delta[i,j] * x[i] + A[i,j] * A[j,i] * t
y[i] = sum[j](B[i,j] * x[j] * [i < j]) + B[i,i] + sum[j,l](A[j,l] * A[l,j] * x[i])
upstream g[i] = dL/dy[i]
derive A, x""",
    "outputs_that_feed_outputs": """index i, j : n
input x[i], W[i,j]
y[i] = tanh(sum[j](W[i,j] * x[j]))
z[i] = y[i]^2 + sum[j](W[j,i] * y[j])
upstream gy[i] = dL/dy[i]
upstream gz[i] = dL/dz[i]
derive x, W""",
    "fixed_extent": """index r, s : 2
index n : N
input x[n,r], R[r,s]
y[n,r] = sum[s](R[r,s] * x[n,s])
L = sum[n,r](y[n,r]^4)
loss L
derive x, R""",
    "letters_of_the_engine": """index a, b, c : A
index r, s : R
input d[a,b], e[b,r], f[r]
g[a,r] = sum[b](d[a,b] * e[b,r]) + f[r]
t[a,r] = exp(g[a,r]) / sum[s](exp(g[a,s]))
u[a] = sum[r](t[a,r] * g[a,r])
upstream v[a] = dL/du[a]
derive d, e, f""",
    "means_of_means": ROWS
    + """input X[n,h]
a[n] = mean[h](X[n,h])
b = mean[n](a[n])
Y[n,h] = (X[n,h] - a[n]) * (a[n] - b) + b^2
upstream G[n,h] = dL/dY[n,h]
derive X""",
    "roots_and_powers": ROWS
    + """input x[n,h]
u[n,h] = sqrt(1 + x[n,h]^2)
v[n,h] = u[n,h]^3 / (1 + u[n,h]) + u[n,h]^(-3/2)
upstream g[n,h] = dL/dv[n,h]
derive x""",
    "three_layers": "index i, j, l : T\nindex m, u : D\ninput X0[i,m]\n"
    + "\n".join(
        f"""input W{n}[m,u], V{n}[m,u]
S{n}[i,j] = sum[m,u](X{n - 1}[i,m] * W{n}[m,u] * X{n - 1}[j,u])
A{n}[i,j] = softmax[j](S{n}[i,j])
X{n}[i,u] = X{n - 1}[i,u] + sum[j,m](A{n}[i,j] * X{n - 1}[j,m] * V{n}[m,u])"""
        for n in (1, 2, 3)
    )
    + "\nupstream G[i,m] = dL/dX3[i,m]\nderive X0, W1, V1, W3",
}

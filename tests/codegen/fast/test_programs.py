"""Fast code of programs that read an intermediate on its diagonal, in another order, or as a bare number."""

import pytest

import indexcalc as ic
from indexcalc.generation import loaded
from indexcalc.proof.fast import check_fast

PROGRAMS = {
    "functions of functions of numbers": """
index i : N
param eps = 0.5
input x[i]
y[i] = x[i]^2 * softplus((softplus(log(2)) + eps)^(-2)) * gelu(exp(-eps)) + max(x[i], exp(eps)) * min(eps, sin(eps))
derive x
""",
    "a tensor with eight axes": """
index a, b, c, d : M
index e, f, g, h : N
input x[a,b,c,d], w[e,f,g,h]
y[a,b,c,d,e,f,g,h] = sigmoid(x[a,b,c,d] * w[e,f,g,h] + x[a,c,b,d])
z[a,e] = sum[b,c,d,f,g,h](y[a,b,c,d,e,f,g,h]^2)
""",
    "a diagonal under a norm": """
index t, u : M
index g, w : H
input o[g,t]
x[u,w,t] = o[w,u] * o[w,t]
f[t] = norm2[g](x[t,g,t])
""",
    "a diagonal of a quotient": """
index i, j : N
index k    : K
input P[j,k]
U[j,i,k] = P[j,k] / (1 + P[i,k]^2)
z[k,i] = U[i,i,k]
""",
    "a diagonal through a fused slot": """
index i       : N
index m, s, t : M
input e[s]
V[t,m,(s,i)] = [i < s] * ([s <= t] * e[m])
R[(m,i),t] = V[t,m,(m,i)]
""",
    "a sum that is another one in the stable form": """
index i, j : N
input h[i]
a[i] = softmax[i](h[i])
b[i,j] = softmax[i](h[i] + h[j])
""",
    "a weight of exponentials that is made late": """
index h, g, w : H
index k, q    : D
input U[q,k,w], b[k,g]
X[w,q] = sum[h](delta[w,h] * norm2[w](b[q,w]))
R[g,w,k,q] = X[g,q] + U[k,k,w]
a[w,q,k] = U[q,k,w] * b[k,w]
Q[q] = logsumexp[w](a[w,q,q] + log(R[w,w,q,q]))
derive U
""",
    "two totals of a loop that are the same sum": """
index m, s    : M
index i       : N
index h, g, w : H
index o       : N*H
input b[m], v[m,(i,h),w], U[m,(i,h)]
f[o,m] = sum[s](U[s,o] * sum[s](U[m,o] * sum[o](b[s] * U[s,o])))
V[s,g] = sum[o](v[s,o,g] * sum[s](f[o,s] * sum[s](U[s,o] * sum[g](exp(v[s,o,g])))))
F[s] = b[s] + tanh(b[s] * log(b[s]))
l[m] = log(tanh(F[m]))
upstream G_V[s,g] = dL/dV[s,g]
upstream G_l[m] = dL/dl[m]
derive b
""",
    "a mean over the diagonal of an input": """
index i, j, l : N
index m       : M
input v[i,m,j,l]
G[l,m] = mean[i](v[i,m,l,l])
L = mean[l,m](tanh(G[l,m]))
loss L
""",
    "a number that is read in the other order": """
index i, j : N
input x[i,j]
u[i,j] = 2 + 0*x[i,j]
z[i,j] = u[j,i] * x[i,j]
""",
    "a function of a parameter times what is read in the other order": """
index i : N
index k : K
param al = 0.3
input x[i,k], w[i]
y[i,k] = w[i]*cos(al) + x[i,k]
u[k,i] = y[i,k] * cos(al)
z[k,i] = tanh(u[k,i]) * 2 + x[i,k]*cos(al)
""",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_fast_code_is_right(text):
    derivation = ic.derive(ic.read_problem(text))
    written = ic.fast_module(derivation)
    report = check_fast(derivation.problem, loaded(written.source), written)
    assert report.ok, report.failures

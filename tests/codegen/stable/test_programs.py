"""Programs that overflow as they are written: every style stays finite and accurate at hostile inputs.

The oracle works with any range and precision, and shares no code with the one that is tested.
"""

import numpy as np
import pytest

from indexcalc.codegen import module_names, module_symbols, numpy_module, target_module
from indexcalc.codegen.fast.module import FastOptions, fast_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.proof.hostile.check import check_hostile
from indexcalc.proof.hostile.styles import fast_styles, reading_style, target_style
from indexcalc.proof.targets import is_installed
from indexcalc.rewrite.derive import derive

PROGRAMS = {
    "contrastive": """
index i,j,l,n : N
index h : H
param s = 100
input X[i,h], Y[j,h]
S[i,j] = s*sum[h](X[i,h]*Y[j,h])
P[i,j] = softmax[j](S[i,j])
R[i,j] = softmax[i](S[i,j])
L = -1/(2*N)*sum[n](log(P[n,n])) - 1/(2*N)*sum[n](log(R[n,n]))
loss L
derive S, X, Y
""",
    "softmax_over_edges": """
index e : E
index v : N
input s[e], d[e] in N
Z[v] = sum[e](delta[v,d[e]]*exp(s[e]))
w[e] = exp(s[e])/Z[d[e]]
upstream G[e] = dL/dw[e]
derive s
""",
    "focal": """
index n : N
index c,l : C
input z[n,c], y[n,c]
p[n,c] = softmax[c](z[n,c])
L = -1/N*sum[n,c](y[n,c]*(1-p[n,c])^2*log(p[n,c]))
loss L
derive z
""",
    "recurrence_with_its_argument_in_place": """
index t : T
index i, j : K
input p0[j], A[i,j], e[t,j]
a[0,j] = p0[j] + e[0,j]
a[t,j] = logsumexp[i](a[t-1,i] + A[i,j]) + e[t,j]  for t in 1 .. T-1
L = logsumexp[j](a[T-1,j])
loss L
derive p0, A, e
""",
    "recurrence_backwards_with_costs_of_each_step": """
index t : T
index i, j : K
input c[t,i,j], v[j]
V[T-1,i] = v[i]
V[t,i] = -logsumexp[j](-c[t,i,j] - V[t+1,j])  for t in 0 .. T-2
L = V[0,0]
loss L
derive c, v
""",
    "two_recurrences_that_read_one_another": """
index t : T
index i, j : K
input A[i,j], B[i,j], e[t,j]
a[0,j] = e[0,j]
c[0,j] = e[0,j]
a[t,j] = logsumexp[i](c[t-1,i] + A[i,j]) + e[t,j]  for t in 1 .. T-1
c[t,j] = logsumexp[i](a[t-1,i] + B[i,j]) + 2*e[t,j]  for t in 1 .. T-1
L = logsumexp[j](a[T-1,j]) + logsumexp[j](c[T-1,j])
loss L
derive A, B, e
""",
    "recurrence_with_a_softmax": """
index t : T
index i, j : K
input A[i,j], e[t,j]
a[0,j] = e[0,j]
a[t,j] = sum[i](softmax[i](a[t-1,i] + A[i,j])*a[t-1,i]) + e[t,j]  for t in 1 .. T-1
L = sum[j](a[T-1,j])
loss L
derive A, e
""",
    "recurrence_that_stays_or_goes_on": """
index t : T
index s : S
input e[t,s]
a[0,s] = e[0,s]
a[t,s] = log(exp(a[t-1,s]) + [1 <= s]*exp(a[t-1,s-1])) + e[t,s]  for t in 1 .. T-1
upstream G[t,s] = dL/da[t,s]
derive e
""",
    "translations_between_embeddings": """
index n : N
index v : V
index d : D
input h[n] in V, t[n] in V, E[v,d], r[d]
s[n] = sum[d]((E[h[n],d] + r[d] - E[t[n],d])^2)
L = sum[n](softplus(s[n]))
loss L
derive E, r
""",
    "focal_loss_of_many": """
index n : N
input z[n], y[n]
p[n] = sigmoid(z[n])
L = -1/N * sum[n](y[n]*(N-p[n])^2*log(p[n]) + (1-y[n])*p[n]^2*log(1-p[n]))
loss L
derive z
""",
    "product_with_a_quotient_by_a_factor": """
index i : N
input x[i], w[i]
u[i] = exp(-x[i]^2)
y[i] = u[i]*(w[i] + x[i]/u[i])
upstream G[i] = dL/dy[i]
derive x, w
""",
    "sigmoid_as_a_quotient": """
index i : N
input x[i]
y[i] = 1/(1 + exp(-x[i]))
upstream G[i] = dL/dy[i]
derive x
""",
    "multiple_of_a_sigmoid_as_a_quotient": """
index i : N
input x[i]
y[i] = 3/(2 + 5*exp(-x[i]))
upstream G[i] = dL/dy[i]
derive x
""",
    "swish_as_a_quotient": """
index i : N
input x[i]
y[i] = x[i]/(1 + exp(-x[i]))
upstream G[i] = dL/dy[i]
derive x
""",
    "swish_with_a_slope": """
index i : N
input x[i]
y[i] = x[i]*exp(1.7*x[i])/(1 + exp(1.7*x[i]))
upstream G[i] = dL/dy[i]
derive x
""",
    "tanh_as_a_quotient": """
index i : N
input x[i]
y[i] = (exp(2*x[i]) - 1)/(exp(2*x[i]) + 1)
upstream G[i] = dL/dy[i]
derive x
""",
    "smallest_by_an_exponential_of_a_softmax": """
index k : D
input u[k]
v = min[k](sum[k](u[k]*silu(u[k]))/sqrt(exp(softmax[k](u[k]))^2 + 1))
y[k] = u[k]*v
upstream G[k] = dL/dy[k]
derive u
""",
    "largest_of_softmax_and_sums_of_exponentials": """
index i : N
index k,l : D
input u[i,k], w[i,k]
m[i] = max[k](w[i,k]*exp(u[i,k])/sum[l](exp(u[i,l])))
n[i] = max[k](log(sum[l](exp(u[i,l] - w[i,k]))))
y[i] = m[i]*n[i]
upstream G[i] = dL/dy[i]
derive u, w
""",
    "elu_by_a_minimum": """
index i : N
input x[i]
y[i] = relu(x[i]) + min(exp(x[i]) - 1, 0)
upstream G[i] = dL/dy[i]
derive x
""",
    "elu_by_a_step": """
index i : N
input x[i]
y[i] = relu(x[i]) + step(-x[i])*(exp(x[i]) - 1)
upstream G[i] = dL/dy[i]
derive x
""",
    "logarithm_of_cosh": """
index i : N
input x[i]
y[i] = log((exp(x[i]) + exp(-x[i]))/2)
upstream G[i] = dL/dy[i]
derive x
""",
    "logarithm_of_three_exponentials": """
index i : N
input x[i]
y[i] = log(exp(x[i]) + exp(2*x[i]) + 1)
upstream G[i] = dL/dy[i]
derive x
""",
    "logarithm_of_a_mean_with_one": """
index i : N
input x[i]
y[i] = log(exp(x[i])/2 + 1/2)
upstream G[i] = dL/dy[i]
derive x
""",
    "logistic_loss_of_a_quotient": """
index n : N
input z[n], t[n] in [0,1]
p[n] = 1/(1 + exp(-z[n]))
L = -1/N*sum[n](t[n]*log(p[n]) + (1 - t[n])*log(1 - p[n]))
loss L
derive z
""",
    "jensen_shannon": """
index i : N
index j, l : M
input a[i,j], b[i,j]
p[i,j] = softmax[j](a[i,j])
q[i,j] = softmax[j](b[i,j])
m[i,j] = (p[i,j] + q[i,j])/2
L = sum[i,j](p[i,j]*log(p[i,j]/m[i,j]) + q[i,j]*log(q[i,j]/m[i,j]))/2
loss L
derive a, b
""",
    "logarithm_of_a_mixture": """
index i : N
index j, l : M
input a[i,j], b[i,j]
p[i,j] = softmax[j](a[i,j])
q[i,j] = softmax[j](b[i,j])
L = -sum[i,j](p[i,j]*log((p[i,j] + q[i,j])/2))
loss L
derive a, b
""",
    "overlap_of_probabilities": """
index i : N
index j, l : M
input a[i,j], b[i,j]
p[i,j] = softmax[j](a[i,j])
q[i,j] = softmax[j](b[i,j])
y[i] = log(sum[j](p[i,j]*q[i,j]))
upstream G[i] = dL/dy[i]
derive a, b
""",
    "product_of_experts": """
index i : N
index j, l : M
input a[i,j], b[i,j]
p[i,j] = softmax[j](a[i,j])
q[i,j] = softmax[j](b[i,j])
y[i,j] = p[i,j]*q[i,j]/sum[l](p[i,l]*q[i,l])
upstream G[i,j] = dL/dy[i,j]
derive a, b
""",
    "probability_that_is_looked_up": """
index n : N
index c : C
input z[n,c], y[n] in C
q[n,c] = softmax[c](z[n,c])
p[n] = q[n,y[n]]
L = -1/N*sum[n](log(p[n]))
loss L
derive z
""",
    "probability_of_weighted_classes": """
index n : N
index c : C
param gamma = 2
input z[n,c], y[n,c] in [0,1]
q[n,c] = softmax[c](z[n,c])
p[n] = sum[c](y[n,c]*q[n,c])
L = -1/N*sum[n]((1 - p[n])^gamma*log(p[n]))
loss L
derive z
""",
    "multiplicative_mask": """
index i,j,l : T
index p : D
input S[i,j], m[i,j], V[j,p]
A[i,j] = m[i,j]*exp(S[i,j])/sum[l](m[i,l]*exp(S[i,l]))
O[i,p] = sum[j](A[i,j]*V[j,p])
upstream G[i,p] = dL/dO[i,p]
derive S, V
""",
    "largest_of_what_turns_out_constant": """
index h, k : H
input u[h]
p[h] = exp(u[h])
y[h] = softmax[h](u[h]*abs(sign(p[h])))
z[h] = softmax[h](abs(sign(p[h])))
q[h] = y[h]*z[h]
upstream G[h] = dL/dq[h]
derive u
""",
    "two_parts_alike_but_for_what_they_are_largest_over": """
index m, t : M
input u[m], w[m,t], v[m,t]
a[m] = exp(u[m])
Z = sum[t](a[t])
d[m] = sum[t]([m < t] * w[m,t] * a[t]) + sum[t]([m < t] * v[m,t] * a[m])
y[m] = d[m] / Z
upstream G[m] = dL/dy[m]
derive u, w, v
""",
    "two_guards_alike": """
index m, s, t : M
index k, q    : D
param c = 0.7
input v[t,q,m]
y[t,q] = sum[s](exp(v[s,q,t]) / sum[q](exp(v[s,q,t])))
x[k,s,t] = c * ([t <= s] / sum[t]([t <= s] * ([k != t] * y[s,k] + 0.5)))
upstream G_x[k,s,t] = dL/dx[k,s,t]
derive v
""",
    "softmax_over_a_past_of_keys_alone": """
index h, c : H
input T[c]
Q[c] = sum[h]([c <= h] * exp(T[c]) / sum[c]([c <= h] * exp(T[c])))
upstream G_Q[c] = dL/dQ[c]
derive T
""",
    "squares_of_a_masked_softmax": """
index h, c : H
input T[c]
Q[c] = sum[h](([c <= h] * exp(T[c]) / sum[c]([c <= h] * exp(T[c])))^2)
upstream G_Q[c] = dL/dQ[c]
derive T
""",
    "softmax_of_logarithms": """
index j : N
index h : H
input U[j,h]
F[j] = logsoftmax[j](log(sum[h](exp(U[j,h]))))
J = sum[j](F[j]^2)
loss J
derive U
""",
    "forward_algorithm": """
index s,t,r : K
input f0[s], A[s,t], b1[t], b2[t], b3[t]
f1[t] = logsumexp[s](f0[s]+A[s,t]) + b1[t]
f2[t] = logsumexp[s](f1[s]+A[s,t]) + b2[t]
f3[t] = logsumexp[s](f2[s]+A[s,t]) + b3[t]
L = logsumexp[t](f3[t])
loss L
derive f0, A, b1
""",
    "forward_algorithm_by_hand": """
index s,t,r : K
input f0[s], A[s,t]
f1[t] = log(sum[s](exp(f0[s]+A[s,t])))
f2[t] = log(sum[s](exp(f1[s]+A[s,t])))
L = log(sum[t](exp(f2[t])))
loss L
derive f0, A
""",
    "forward_algorithm_in_probabilities": """
index s,t,r : K
input f0[s], A[s,t]
a0[s] = exp(f0[s])
a1[t] = sum[s](a0[s]*exp(A[s,t]))
a2[t] = sum[s](a1[s]*exp(A[s,t]))
L = log(sum[t](a2[t]))
loss L
derive f0, A
""",
    "softmax_and_identity": """
index i : M
index j : N
input u[i,j]
Y[i,j] = u[i,j]/10000 + softmax[j](u[i,j])
upstream G[i,j]=dL/dY[i,j]
derive u
""",
    "softmax_times_tanh": """
index i : M
index j : N
input u[i,j]
Y[i,j] = softmax[j](u[i,j])*tanh(u[i,j]) + u[i,j]
upstream G[i,j]=dL/dY[i,j]
derive u
""",
    "one_plus_causal_softmax": """
index i,j,l : N
input u[i,j]
Y[i,j] = 1 + [j<=i]*exp(u[i,j])/sum[l]([l<=i]*exp(u[i,l]))
upstream G[i,j]=dL/dY[i,j]
derive u
""",
    "log_of_a_diagonal": """
index i,j : T
input u[i,j]
p[i,j] = softmax[j](u[i,j])
L = -1/T*sum[i](log(p[i,i]))
loss L
derive u
""",
    "expectation_under_softmax": """
index i : M
index j : N
input u[i,j]
Y[i] = sum[j](softmax[j](u[i,j])*u[i,j])
upstream G[i]=dL/dY[i]
derive u
""",
    "softmax_of_softmax": """
index i : M
index j : N
input u[i,j]
Y[i,j] = softmax[j](softmax[i](u[i,j]))
upstream G[i,j]=dL/dY[i,j]
derive u
""",
    "softmax_normalised_again": """
index i : M
index j : N
input u[i,j]
A[i,j] = softmax[j](u[i,j])
W[i,j] = A[i,j]/sum[i](A[i,j])
upstream G[i,j]=dL/dW[i,j]
derive u
""",
    "sinkhorn": """
index i : M
index j : N
input C[i,j], a[i], b[j]
K[i,j] = exp(-C[i,j])
u1[i] = a[i]/sum[j](K[i,j])
v1[j] = b[j]/sum[i](K[i,j]*u1[i])
u2[i] = a[i]/sum[j](K[i,j]*v1[j])
P[i,j] = u2[i]*K[i,j]*v1[j]
L = sum[i,j](P[i,j]*C[i,j])
loss L
derive C
""",
    "gaussian_mixture": """
index n : N
index k,l : K
index d : D
input X[n,d], mu[k,d], w[k]
pi[k] = softmax[k](w[k])
q[n,k] = pi[k]*exp(-1/2*sum[d]((X[n,d]-mu[k,d])^2))
L = -sum[n](log(sum[k](q[n,k])))
loss L
derive mu, w
""",
    "softmax_with_a_one": """
index i : M
index j,l : N
input u[i,j]
Y[i,j] = exp(u[i,j])/(1+sum[l](exp(u[i,l])))
upstream G[i,j]=dL/dY[i,j]
derive u
""",
    "two_exponentials": """
index i : M
input a[i], b[i]
Y[i] = exp(a[i])/(exp(a[i])+exp(b[i]))
L = sum[i](log(exp(a[i])+exp(b[i])) + Y[i])
loss L
derive a, b
""",
    "entropy": """
index i : M
index j : N
input u[i,j]
p[i,j] = softmax[j](u[i,j])
L = -sum[i,j](p[i,j]*log(p[i,j]))
loss L
derive u
""",
    "divergence": """
index i : M
index j : N
input u[i,j], v[i,j]
p[i,j] = softmax[j](u[i,j])
q[i,j] = softmax[j](v[i,j])
L = sum[i,j](p[i,j]*log(p[i,j]/q[i,j]))
loss L
derive u, v
""",
    "focal_of_sigmoid": """
index n : N
input z[n], y[n]
p[n] = sigmoid(z[n])
L = -sum[n](y[n]*(1-p[n])^2*log(p[n]) + (1-y[n])*p[n]^2*log(1-p[n]))
loss L
derive z
""",
    "log_of_one_plus_a_softmax": """
index m : M
input e[m]
x[m] = log(1 + exp(e[m]) / sum[m](exp(e[m])))
""",
    "softmax_of_a_diagonal_and_of_all": """
index i,j,l : N
input u[j,i,l]
R[i]=softmax[i](u[i,i,i])
z[j,i]=softmax[i,j](u[j,i,j])
""",
    "log_of_one_plus_a_softmax_that_is_one": """
index k, q : D
input d[k,q]
p[k] = sum[q](exp(log(1)*d[k,k] - logsumexp[k](log(1)*d[k,q])))
A[q] = log(1 + p[q])
upstream G[q] = dL/dA[q]
derive d
""",
    "softmax_of_what_cancels_along_its_axis": """
index m, s, u : M
index w : H
index k : D
input V[w,m], U[m,w,k]
B[u,w,k,s] = softmax[u](exp(U[u,w,k]) / exp(V[w,s] + U[u,w,k]))
upstream G[u,w,k,s] = dL/dB[u,w,k,s]
derive V
""",
    "bound_of_a_bracket_that_never_holds": """
index w : H
index k, q, r : D
input h[q], g
p[r] = h[r] / exp(g)
v[k] = p[k]
s[k,r] = [k>r]*v[k]
y[r,w] = [w<=r] / (sum[w]([w<=r]*exp(s[r,r])) + 0.1)
upstream G[r,w] = dL/dy[r,w]
derive h
""",
    "maximum_of_a_tensor_called_e": """
index h : H
index g : 2
input e[h]
b[g,h] = [g <= h] / (sum[g]([g <= h] * exp(e[h])) + 0.1)
upstream G[g,h] = dL/db[g,h]
derive e
""",
    "mask_that_is_a_logarithm_of_exponentials": """
index i : N
index m : M
index k : D
input V[m,k], b[m,i]
c[i,k] = sum[m](logsoftmax[k](V[m,k] / sum[m](exp(b[m,i]))))
x[m,k,i] = b[m,i] / c[i,k]
upstream G[m,k,i] = dL/dx[m,k,i]
derive b
""",
    "smallest_of_quotients_of_exponentials": """
index r, q : D
input y[r,q], h[q]
p[r] = mean[q](y[r,q] / (norm2[q](exp(h[q])) + 1))
m = min[r](p[r])
upstream G = dL/dm
derive h
""",
    "logarithm_along_more_axes_than_its_exponentials": """
index g : H
index c : C
input z[g,c], S, p
B[g,c] = log(1 + S / exp(p * z[g,c] / z[g,c]))
upstream G[g,c] = dL/dB[g,c]
derive p
""",
    "root_beside_a_bracket": """
index s, k : M
index w : N
input Y[w]
b[w,s,k] = [k >= s] * sqrt([s <= k] * Y[w]^2 + 1)
upstream G[w,s,k] = dL/db[w,s,k]
derive Y
""",
    "adaptive_layer_norm": """
index n : N
index h : H
index c : C
param eps = 1e-5
input X[n,h], z[n,c], W[c,h], U[c,h]
Y[n,h] = (1 + sum[c](z[n,c]*W[c,h])) * (X[n,h] - mean[h](X[n,h])) / sqrt(var[h](X[n,h]) + eps) + sum[c](z[n,c]*U[c,h])
upstream G[n,h] = dL/dY[n,h]
derive X, z, W, U
""",
    "barlow_twins_inline": """
index n : N
index i, j : D
param lam = 0.005
param eps = 1e-5
input X[n,i], Y[n,i]
x[n,i] = (X[n,i] - mean[n](X[n,i])) / sqrt(var[n](X[n,i]) + eps)
y[n,i] = (Y[n,i] - mean[n](Y[n,i])) / sqrt(var[n](Y[n,i]) + eps)
C[i,j] = 1/N * sum[n](x[n,i]*y[n,j])
L = sum[i]((C[i,i] - 1)^2) + lam*sum[i,j]([i != j]*C[i,j]^2)
loss L
derive X, Y
""",
    "kernel_ridge_with_an_inline_distance": """
index n, m : N
index d : D
param g = 0.5
param lam = 0.1
input X[n,d], a[n], y[n]
K[n,m] = exp(-g * sum[d]((X[n,d] - X[m,d])^2))
f[n] = sum[m](K[n,m] * a[m])
L = 1/N * sum[n]((f[n] - y[n])^2) + lam * sum[n,m](a[n] * K[n,m] * a[m])
loss L
derive X, a
""",
    "softmaxes_product_inline": """
index i : M
index j : N
input u[i,j]
Y[i,j] = softmax[j](u[i,j])*softmax[i](u[i,j])
upstream G[i,j]=dL/dY[i,j]
derive u
""",
}


def test_the_logarithm_of_an_exponential_of_a_softmax_is_that_softmax():
    text = """
index i, j : N
input P[i,j]
v[j,i] = log(exp(exp(P[i,j]) / sum[i](exp(P[i,j]))))
upstream G_v[j,i] = dL/dv[j,i]
derive P
"""
    module = loaded(numpy_module(derive(read_problem(text))))
    values = module.forward(np.array([[1000.0, -1000.0], [1000.0, 0.0]]))
    assert values.v == pytest.approx(np.array([[0.5, 0.5], [0.0, 1.0]]))


SIGN_OF_A_PRODUCT = """
index i : N
input x[i], y[i]
p[i] = step(exp(x[i]))
q[i] = step(y[i] * exp(x[i]))
z[i] = relu(y[i] * exp(x[i]))
upstream gp[i] = dL/dp[i]
upstream gq[i] = dL/dq[i]
upstream gz[i] = dL/dz[i]
derive x, y
"""


def test_what_is_positive_has_no_say_in_a_sign():
    derivation = derive(read_problem(SIGN_OF_A_PRODUCT))
    for source in (numpy_module(derivation), fast_module(derivation).source):
        values = loaded(source).forward(np.array([-1000.0, -1000.0]), np.array([2.0, -2.0]))
        assert (list(values.p), list(values.q)) == ([1.0, 1.0], [1.0, 0.0])


POWERS_OF_A_SUM = """
index i : N
input x[i]
y = sum[i](exp(x[i]))^(-(3 / 2))
z = sum[i](exp(x[i]))^(-2)
upstream gy = dL/dy
upstream gz = dL/dz
derive x
"""


@pytest.mark.parametrize("size", [300.0, 500.0])
def test_one_over_a_power_of_a_sum_of_exponentials_is_zero_without_a_warning(size):
    derivation = derive(read_problem(POWERS_OF_A_SUM))
    for source in (numpy_module(derivation), fast_module(derivation).source):
        module = loaded(source)
        with np.errstate(over="raise"):
            values = module.forward(np.array([size, 0.0]))
            gradients = module.backward(values, np.array(1.0), np.array(1.0))
        y, z = np.exp(-1.5 * size), np.exp(-2 * size)
        assert (float(values.y), float(values.z)) == pytest.approx((y, z), abs=0.0)
        assert gradients.dx == pytest.approx([-1.5 * y - 2 * z, 0.0], abs=1e-300)


ENOUGH = 12
"""How many hostile points a program of this file has at least."""


def assert_stable(text):
    """Every style that runs here is finite and accurate at all hostile points, and there are such points."""
    problem = read_problem(text)
    derivation = derive(problem)
    names, symbols = module_names(derivation), module_symbols(derivation)
    written = fast_module(derivation, FastOptions())
    styles = [
        reading_style(problem, loaded(numpy_module(derivation)), names, symbols),
        *fast_styles(problem, loaded(written.source), written),
    ]
    for target in ("torch", "jax"):
        if is_installed(target):
            module = target_module(derivation, target)
            styles.append(target_style(problem, loaded(module.source), module))
    report = check_hostile(problem, styles)
    assert report.ok, "\n".join(map(str, report.findings))
    assert report.skipped == ""
    assert len(report.points) >= ENOUGH


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_style_is_finite_and_accurate(name):
    assert_stable(PROGRAMS[name])


SPELLINGS = {
    "softmax": "p[i,c] = softmax[c](z[i,c])",
    "quotient": "p[i,c] = exp(z[i,c]) / sum[l](exp(z[i,l]))",
    "quotient of names": "E[i,c] = exp(z[i,c])\nN[i] = sum[c](E[i,c])\np[i,c] = E[i,c] / N[i]",
    "product with a reciprocal": "R[i] = 1 / sum[l](exp(z[i,l]))\np[i,c] = R[i] * exp(z[i,c])",
    "product of parts": "p[i,c] = exp(z[i,c] / 2) * exp(z[i,c] / 2) / sum[l](exp(z[i,l]))",
    "exponential of a difference": "p[i,c] = exp(z[i,c] - logsumexp[l](z[i,l]))",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "rest",
    [
        "q[i] = sum[c](w[c] * log(p[i,c]))",
        "q[i] = sum[c](w[c] * p[i,c])",
        "q[i] = sum[c](w[c] * p[i,c] / sum[l](p[i,l]^2))",
    ],
)
def test_no_spelling_of_a_softmax_matters(spelling, rest):
    assert_stable(f"""
index i : T
index c, l : C
input z[i,c], w[c]
{SPELLINGS[spelling]}
{rest}
upstream g[i] = dL/dq[i]
derive z
""")

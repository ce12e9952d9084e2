"""For each rule that guards true equations: true notes that are understood, and wrong twins that are refuted.

The notes are small; what matters is the notation. The numbers in the names are only an order: reading,
roles, sizes, derivatives. What a verdict needs is in `test_guards_verdicts`.
"""

from __future__ import annotations

import pytest

from tests.support.guards import Guard, assert_open, assert_refuted, assert_true, claims_of

SOFTMAX = r"$$A_{ij} = \frac{e^{S_{ij}}}{\sum_l e^{S_{il}}}$$"
LINEAR = r"Let $X \in \mathbb{R}^{N \times F}$, $W \in \mathbb{R}^{F \times O}$. $$Y = X W$$"
MEAN = r"$$\mu_n = \frac{1}{H} \sum_{h=1}^{H} x_{nh}$$ $$c_{nh} = x_{nh} - \mu_n$$"

GUARDS = {
    "01 a sum reaches to the end of its term": Guard(
        r"$$a_n = \sum_i x_{ni} w_i + b_n$$",
        (
            r"a_n = b_n + \sum_i w_i x_{ni}",
            r"\sum_n a_n = \sum_n \sum_i x_{ni} w_i + \sum_n b_n",
            r"\frac{\partial a_n}{\partial b_m} = \delta_{nm}",
        ),
        (r"a_n = \sum_i (x_{ni} w_i + b_n)", r"\frac{\partial a_n}{\partial b_m} = \sum_i \delta_{nm}"),
    ),
    "01 macros are expanded": Guard(
        r"\newcommand{\pd}[2]{\frac{\partial #1}{\partial #2}} \def\bx{x} $$y_i = \bx_i^2$$",
        (r"\pd{y_i}{\bx_j} = 2 \bx_i \delta_{ij}", r"\pd{y_i}{\bx_j} = 2 x_j \delta_{ij}"),
        (r"\pd{y_i}{\bx_j} = \bx_i \delta_{ij}",),
    ),
    "02 a derivative in a line": Guard(
        r"$$y_i = 3 x_i^2$$",
        (r"\partial y_i/\partial x_j = 6 x_i \delta_{ij}", r"\partial L/\partial x_i = 6 x_i \partial L/\partial y_i"),
        (r"\partial y_i/\partial x_j = 6 x_i", r"\partial L/\partial x_i = 3 x_i \partial L/\partial y_i"),
    ),
    "02 a stray sign of a derivative is no symbol": Guard(
        r"$$y_i = 3 x_i^2$$",
        (r"\frac{\partial y_i}{\partial x_j} = 6 x_i \delta_{ij}",),
        (r"\frac{\partial y_i}{\partial x_j} = 5 x_i \delta_{ij}",),
        (r"\partial y_i = 5 x_i \partial x_i", r"\partial y_i = 5 x_i"),
    ),
    "03 application or product": Guard(
        r"$$f(t) = t^3$$ $$y_i = f(x_i)$$ $$z_i = a (b_i + c_i)$$",
        (r"\frac{\partial y_i}{\partial x_j} = 3 x_i^2 \delta_{ij}", r"z_i = a b_i + a c_i"),
        (r"\frac{\partial y_i}{\partial x_j} = 3 x_i \delta_{ij}", r"z_i = a b_i + c_i"),
    ),
    "03 a function that is never defined": Guard(
        r"$$y_i = \phi(x_i)$$",
        (r"\frac{\partial L}{\partial x_i} = \phi'(x_i) \frac{\partial L}{\partial y_i}",),
        (r"\frac{\partial L}{\partial x_i} = 2 \phi'(x_i) \frac{\partial L}{\partial y_i}",),
    ),
    "04 a label is no index": Guard(
        r"$$S_{ij} = \frac{1}{\sqrt{d_k}} \sum_c Q_{ic} K_{jc}$$",
        (
            r"S = \frac{Q K^T}{\sqrt{d_k}}",
            r"\frac{\partial L}{\partial Q_{ic}} = \sum_j \frac{\partial L}{\partial S_{ij}} \frac{K_{jc}}{\sqrt{d_k}}",
        ),
        (
            r"S = \frac{Q K^T}{d_k}",
            r"\frac{\partial L}{\partial Q_{ic}} = \sum_j \frac{\partial L}{\partial S_{ij}} K_{jc}",
        ),
    ),
    "04 capitals, words and text are labels": Guard(
        r"$$h_{\text{in}} = a\, b$$ $$u_{out} = h_{\text{in}} c$$ $$Q = X W_Q$$",
        (
            r"u_{out} = a b c",
            r"\frac{\partial u_{out}}{\partial h_{\text{in}}} = c",
            r"2 Q_{ij} = 2 \sum_k X_{ik} (W_Q)_{kj}",
            r"\frac{\partial L}{\partial W_Q} = X^T \frac{\partial L}{\partial Q}",
        ),
        (
            r"u_{out} = a b",
            r"\frac{\partial u_{out}}{\partial h_{\text{in}}} = a",
            r"\frac{\partial L}{\partial W_Q} = \frac{\partial L}{\partial Q} X^T",
        ),
    ),
    "04 letters side by side are a product": Guard(
        r"$$a_i = m n\, x_i$$",
        (r"a_i = n m x_i",),
        (r"a_i = m x_i",),
    ),
    "04 an accent belongs to its base": Guard(
        r"$$\hat{h}_{kl} = 2 h_{kl}$$",
        (
            r"\hat{h_{kl}} = h_{kl} + h_{kl}",
            r"\frac{\partial \hat{h_{kl}}}{\partial h_{ij}} = 2 \delta_{ki} \delta_{lj}",
        ),
        (
            r"\hat{h_{kl}} = h_{kl}",
            r"\frac{\partial \hat{h_{kl}}}{\partial h_{ij}} = 2 \delta_{kj} \delta_{li}",
        ),
    ),
    "04 an entry of a transpose": Guard(
        r"$$P = A B$$",
        (r"(A B)^T_{pq} = \sum_k A_{qk} B_{kp}", r"P^T = B^T A^T"),
        (r"(A B)^T_{pq} = \sum_k A_{pk} B_{kq}", r"P^T = A^T B^T"),
    ),
    "04 a square may be a symbol": Guard(
        r"$$\mu_l = \frac{1}{N} \sum_k h_{kl}$$ $$\sigma^2_l = \frac{1}{N}\sum_{k=1}^N (h_{kl} - \mu_l)^2$$"
        r"$$r_l = \frac{1}{\sqrt{\sigma_l^2 + \epsilon}}$$",
        (r"\frac{\partial r_l}{\partial \sigma^2_m} = -\frac{1}{2} (\sigma_l^2 + \epsilon)^{-3/2} \delta_{lm}",),
        (r"\frac{\partial r_l}{\partial \sigma^2_m} = -\frac{1}{2} (\sigma_l^2 + \epsilon)^{-1/2} \delta_{lm}",),
    ),
    "05 a condition holds for its equation": Guard(
        SOFTMAX,
        (
            r"\frac{\partial A_{ij}}{\partial S_{ik}} = -A_{ij} A_{ik}, \quad j \neq k",
            r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} (1 - A_{ij}), \quad j = k",
        ),
        (
            r"\frac{\partial A_{ij}}{\partial S_{ik}} = -A_{ij} A_{ik}",
            r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} A_{ik}, \quad j \neq k",
        ),
    ),
    "05 a condition in a display of its own": Guard(
        SOFTMAX + " For the case $$k = j$$",
        (r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} (1 - A_{ij})",),
        (r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} (1 + A_{ij})",),
    ),
    "05 a condition in a heading": Guard(
        SOFTMAX + "\n\n### Case $j \\neq k$\n\n",
        (r"\frac{\partial A_{ij}}{\partial S_{ik}} = -A_{ij} A_{ik}",),
        (r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} A_{ik}",),
    ),
    "05 a matrix of ellipses is a layout": Guard(
        r"$$X = \begin{bmatrix} x_{11} & \dots & x_{1d} \\ \vdots & & \vdots \\ x_{n1} & \dots & x_{nd} \end{bmatrix}$$"
        r" $$Y = X W$$",
        (r"\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Y} W^T",),
        (r"\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Y} W",),
    ),
    "06 a definition may stand below": Guard(
        r"$$\frac{\partial L}{\partial x_i} = 2 x_i \frac{\partial L}{\partial y_i}$$ where",
        (r"y_i = x_i x_i = x_i^2",),
        (r"y_i = x_i x_i = x_i^3",),
    ),
    "06 an assignment defines what is new only": Guard(
        r"$$y_i := x_i^2$$ $$x_i \leftarrow x_i - \eta \frac{\partial L}{\partial x_i}$$",
        (r"\frac{\partial y_i}{\partial x_j} = 2 x_i \delta_{ij}", r"y_i := x_i x_i"),
        (r"\frac{\partial y_i}{\partial x_j} = 3 x_i \delta_{ij}", r"y_i := 3 x_i^2"),
        (r"x_i = x_i - \eta \frac{\partial L}{\partial x_i}",),
    ),
    "06 the indexed form defines": Guard(
        r"$$Y = \mathrm{norm}(X)$$ $$Y_{ij} = \frac{X_{ij}}{\sum_k X_{ik}}$$",
        (r"\sum_j Y_{ij} = 1",),
        (r"\sum_i Y_{ij} = 1",),
    ),
    "07 a restatement is judged": Guard(
        MEAN,
        (r"c_{nh} = x_{nh} - \frac{1}{H} \sum_{k=1}^{H} x_{nk}",),
        (r"c_{nh} = x_{nh} - \sum_{k=1}^{H} x_{nk}", r"\mu_n = \frac{1}{2 H} \sum_{h=1}^{H} x_{nh}"),
    ),
    "07 an equal form becomes the current one": Guard(
        r"$$y_i = (x_i + 1)^2$$ $$u_i = x_i + 1$$ $$y_i = u_i^2$$",
        (r"\frac{\partial y_i}{\partial u_j} = 2 u_i \delta_{ij}",),
        (r"\frac{\partial y_i}{\partial u_j} = u_i \delta_{ij}",),
    ),
    "07 words may give a name another meaning": Guard(
        r"$$y_i = x_i^2$$ $$z_i = 2 y_i$$ Now suppose instead that $$y_i = x_i^3$$ so that",
        (r"\frac{\partial y_i}{\partial x_j} = 3 x_i^2 \delta_{ij}",),
        (r"\frac{\partial y_i}{\partial x_j} = 2 x_i \delta_{ij}",),
    ),
    "08 the loss is not given": Guard(
        LINEAR,
        (
            r"\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Y} W^T",
            r"\frac{\partial L}{\partial W} = X^T \frac{\partial L}{\partial Y}",
        ),
        (
            r"\frac{\partial L}{\partial X} = -\frac{\partial L}{\partial Y} W^T",
            r"\frac{\partial L}{\partial W} = 2 X^T \frac{\partial L}{\partial Y}",
        ),
        (r"\frac{\partial L}{\partial W} = X^T Y", r"\frac{\partial L}{\partial Y} = 2 Y"),
    ),
    "08 names of the backward pass never feed the loss": Guard(
        r"$$y_i = x_i^2$$ $$g_i = \frac{\partial L}{\partial y_i}$$ $$h_i = 2 x_i g_i$$",
        (r"\frac{\partial L}{\partial x_i} = h_i", r"\frac{\partial L}{\partial x_i} = 2 x_i g_i"),
        (r"\frac{\partial L}{\partial x_i} = g_i",),
    ),
    "09 only what is known supports an accusation": Guard(
        r"$$y_i = 2 x_i$$",
        (r"\frac{\partial L}{\partial x_i} = 2 \frac{\partial L}{\partial y_i}",),
        (r"\frac{\partial L}{\partial x_i} = 3 \frac{\partial L}{\partial y_i}",),
        (r"\frac{\partial u_i}{\partial x_j} = 3 \delta_{ij}", r"y_i = 3 v_i"),
    ),
    "10 a name for a part": Guard(
        SOFTMAX + r" $$Z_i = \sum_l e^{S_{il}}$$",
        (
            r"A_{ij} = \frac{e^{S_{ij}}}{Z_i}",
            r"\frac{\partial Z_i}{\partial S_{ij}} = e^{S_{ij}}",
            r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} (\delta_{jk} - A_{ik})",
        ),
        (
            r"A_{ij} = \frac{e^{S_{ij}}}{Z_j}",
            r"\frac{\partial Z_i}{\partial S_{ij}} = Z_i",
            r"\frac{\partial A_{ij}}{\partial S_{ik}} = A_{ij} (\delta_{jk} + A_{ik})",
        ),
    ),
    "10 a capital that is a number": Guard(
        r"$$H = -\sum_i p_i \log p_i$$ $$D = \frac{1}{N} \sum_{i=1}^{N} \sum_j x_{ij} y_j$$",
        (
            r"\frac{\partial H}{\partial p_i} = -\log p_i - 1",
            r"2 H = -2 \sum_k p_k \log p_k",
            r"\frac{\partial D}{\partial y_k} = \frac{1}{N} \sum_{i=1}^{N} x_{ik}",
        ),
        (
            r"\frac{\partial H}{\partial p_i} = -\log p_i",
            r"2 H = 2 \sum_k p_k \log p_k",
            r"\frac{\partial D}{\partial y_k} = \frac{1}{N} \sum_{i=1}^{N} x_{ki}",
        ),
    ),
    "10 a bare name among scalars is any one entry": Guard(
        r"$$z_j = w x_j + b_j$$ $$a_j = \frac{1}{1 + e^{-z_j}}$$",
        (r"\frac{da}{dz} = a (1 - a)", r"\frac{dz}{dx} = w", r"\frac{da}{dx} = w a (1 - a)"),
        (r"\frac{da}{dz} = a (1 + a)", r"\frac{dz}{dx} = x", r"\frac{da}{dx} = a (1 - a)"),
    ),
    "10 but not where its entries are made together": Guard(
        r"$$a_j = \frac{e^{z_j}}{\sum_k e^{z_k}}$$",
        (r"\frac{\partial a_j}{\partial z_j} = a_j (1 - a_j)",),
        (),
        (r"\frac{da}{dz} = a (1 + a)",),
    ),
    "10 a delta with one index is an error": Guard(
        r"$$z_j = \sum_i w_{ji} a_i$$ $$\delta_j = \frac{\partial L}{\partial z_j}$$",
        (
            r"\frac{\partial L}{\partial w_{ji}} = \delta_j a_i",
            r"\frac{\partial L}{\partial a_i} = \sum_j w_{ji} \delta_j",
        ),
        (r"\frac{\partial L}{\partial w_{ji}} = \delta_j w_{ji}", r"\frac{\partial L}{\partial a_i} = \sum_j w_{ji}"),
    ),
    "10 one letter d is an error too": Guard(
        r"$$e_k = \frac{\partial L}{\partial z_k}$$ $$z_k = \sum_j w_{kj} a_j$$ $$d_k = e_k$$",
        (r"\frac{\partial L}{\partial w_{kj}} = d_k a_j",),
        (r"\frac{\partial L}{\partial w_{kj}} = d_j a_k",),
    ),
    "11 a range of a letter is a hint": Guard(
        r"Indices $k \in [d]$, $i \in [n]$. Let $X \in \mathbb{R}^{n \times d}$, $V \in \mathbb{R}^{d \times m}$."
        r"$$Y_{ij} = \sum_k X_{ik} V_{kj}$$",
        (r"\frac{\partial L}{\partial X_{ij}} = \sum_k \frac{\partial L}{\partial Y_{ik}} V_{jk}",),
        (r"\frac{\partial L}{\partial X_{ij}} = \sum_k \frac{\partial L}{\partial Y_{kj}} V_{jk}",),
    ),
    "11 a dummy lives in one sum": Guard(
        r"$$s = (\sum_i a_i) (\sum_i b_i)$$",
        (r"s = \sum_i \sum_j a_i b_j", r"\frac{\partial s}{\partial a_j} = \sum_i b_i"),
        (r"s = \sum_i a_i b_i", r"\frac{\partial s}{\partial a_j} = b_j"),
    ),
    "11 a letter lives in one equation": Guard(
        r"Let $X \in \mathbb{R}^{N \times F}$, $V \in \mathbb{R}^{F \times K}$."
        r"$$Y_{ik} = \sum_j X_{ij} V_{jk}$$ $$s_k = \sum_i X_{ik}$$",
        (r"\sum_k s_k = \sum_i \sum_k X_{ik}", r"\frac{\partial s_k}{\partial X_{ij}} = \delta_{kj}"),
        (r"\sum_k s_k = \sum_k X_{kk}", r"\frac{\partial s_k}{\partial X_{ij}} = \delta_{ki} \delta_{kj}"),
    ),
    "12 declared sizes never meet": Guard(
        LINEAR,
        (r"\frac{\partial L}{\partial W} = X^T \frac{\partial L}{\partial Y}",),
        (
            r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial Y} X^T",
            r"\frac{\partial L}{\partial W} = X \frac{\partial L}{\partial Y}",
        ),
    ),
    "13 a size by a limit": Guard(
        MEAN,
        (
            r"\frac{\partial \mu_n}{\partial x_{mh}} = \frac{1}{H} \delta_{nm}",
            r"\sum_{h=1}^{H} \mu_n = H \mu_n",
            r"\sum_{h=0}^{H-1} c_{nh} = 0",
        ),
        (r"\frac{\partial \mu_n}{\partial x_{mh}} = \delta_{nm}", r"\sum_{h=1}^{H} \mu_n = \mu_n"),
    ),
    "13 a size by the case of a letter": Guard(
        r"$$y_h = \frac{1}{H} x_h$$",
        (r"\sum_h \frac{1}{H} = 1", r"H \sum_h y_h = \sum_h x_h"),
        (r"\sum_h \frac{1}{H} = 2", r"\sum_h y_h = \sum_h x_h"),
    ),
    "13 limits that are one off": Guard(
        r"$$y = \sum_{k=0}^{N-1} w_k x_k$$",
        (r"y = \sum_{k=1}^{N} w_k x_k", r"y = \sum_{k=0}^{N} w_k x_k", r"\frac{\partial y}{\partial w_k} = x_k"),
        (r"2 y = \sum_{k=1}^{N} w_k x_k",),
        (r"y = \sum_{k=1}^{N-1} w_k x_k", r"2 y = \sum_{k=0}^{N-1} w_k x_k + \sum_{k=1}^{N} w_k x_k"),
    ),
    "13 two ranges in one equation": Guard(
        r"$$y = \sum_{k=1}^{N} x_k$$",
        (r"y = x_1 + \sum_{k=2}^{N} x_k", r"\sum_{k=1}^{N} x_k - \sum_{k=2}^{N} x_k = x_1"),
        (r"y = \sum_{k=2}^{N} x_k", r"\sum_{k=1}^{N} x_k - \sum_{k=2}^{N} x_k = 0"),
        (r"y = x_N + \sum_{k=1}^{N-1} x_k",),
    ),
    "14 an index may be missing on the right only": Guard(
        r"$$s = \sum_i \sum_j x_{ij}$$ $$t_i = \sum_j x_{ij}$$",
        (r"\frac{\partial s}{\partial x_{ij}} = 1", r"s = \sum_i t_i"),
        (r"\frac{\partial s}{\partial x_{ij}} = x_{ij}", r"s = \sum_i x_{ij}"),
        (r"\frac{\partial s}{\partial t_i} = 1",),
    ),
    "14 a row is added to every row": Guard(
        r"Let $X \in \mathbb{R}^{N \times F}$, $W \in \mathbb{R}^{F \times O}$, $b \in \mathbb{R}^{O}$."
        r"$$Y = X W + b$$",
        (r"\frac{\partial L}{\partial b_o} = \sum_n \frac{\partial L}{\partial Y_{no}}",),
        (r"\frac{\partial L}{\partial b_o} = \frac{\partial L}{\partial Y_{no}}",),
    ),
    "14 the order of axes comes from the denominator": Guard(
        r"$$Y_{ij} = \sum_k X_{ik} W_{kj}$$",
        (
            r"\frac{\partial L}{\partial W_{kj}} = X^T \frac{\partial L}{\partial Y}",
            r"\frac{\partial L}{\partial W_{kj}} = \left[X^T \frac{\partial L}{\partial Y}\right]_{kj}",
        ),
        (r"\frac{\partial L}{\partial W_{kj}} = \left(\frac{\partial L}{\partial Y}\right)^T X",),
    ),
    "14 rows once for a document": Guard(
        r"Let $x \in \mathbb{R}^{1 \times d}$, $W \in \mathbb{R}^{d \times m}$. $$y = x W$$",
        (
            r"\frac{\partial L}{\partial W} = x^T \frac{\partial L}{\partial y}",
            r"\frac{\partial L}{\partial x} = \frac{\partial L}{\partial y} W^T",
        ),
        (r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial y} x^T",),
    ),
    "15 sums that are not written": Guard(
        r"$$y_{ij} = x_{ik} c_{kj}$$ $$t_{i} = y_{ij} u_j$$ $$v_{ij} = y_{ik} x_{jk}$$",
        (
            r"\frac{\partial y_{ij}}{\partial x_{pq}} = \delta_{ip} c_{qj}",
            r"t_i = x_{ik} c_{kj} u_j",
            r"\frac{\partial l}{\partial x_{pq}} = \frac{\partial l}{\partial y_{pj}} c_{qj}",
        ),
        (r"t_i = x_{ik} c_{jk} u_j", r"\frac{\partial y_{ij}}{\partial x_{pq}} = c_{qj}"),
    ),
    "15 a sum of a chain rule that is not written": Guard(
        r"$$y_j = \sum_i w_{ji} x_i$$",
        (r"\frac{\partial L}{\partial x_i} = \frac{\partial L}{\partial y_j} \frac{\partial y_j}{\partial x_i}",),
        (r"\frac{\partial L}{\partial x_i} = \frac{\partial L}{\partial y_j} w_{ji} x_i",),
    ),
    "15 but not where the document writes it": Guard(
        r"$$y_j = \sum_i w_{ji} x_i$$ $$\frac{\partial L}{\partial x_i} ="
        r" \sum_j \frac{\partial L}{\partial y_j} \frac{\partial y_j}{\partial x_i}$$",
        (r"\frac{\partial L}{\partial w_{ji}} = \frac{\partial L}{\partial y_j} x_i",),
        (r"\frac{\partial L}{\partial x_i} = \frac{\partial L}{\partial y_j} \frac{\partial y_j}{\partial x_i}",),
    ),
    "15 bound at the lowest place, and never what is free in every member": Guard(
        r"$$s_i = a_{ij} b_j + c_i$$ $$t = u_i (a_{ij} b_j + c_i)$$ $$y_{ij} = a_{ik} w_{kj}$$",
        (r"t = u_i s_i", r"q_i = y_{ii} v_i = a_{ik} w_{ki} v_i"),
        (r"t = 2 u_i s_i", r"q_i = y_{ii} v_i = a_{ik} w_{ik} v_i"),
    ),
    "16 a sum over what does not occur": Guard(
        r"$$m = \frac{1}{N} \sum_{i=1}^{N} x_i$$ $$y = a b$$",
        (r"\sum_{i=1}^{N} y = N a b",),
        (r"\sum_{i=1}^{N} y = a b", r"y = \sum_{i=1}^{N} a b"),
    ),
    "16 a sum without an index": Guard(
        r"$$y_i = \sum_j w_{ij} x_j$$ $$L = \sum y_i t_i$$",
        (r"\frac{\partial L}{\partial y_i} = t_i", r"\frac{\partial L}{\partial x_j} = \sum t_i w_{ij}"),
        (r"\frac{\partial L}{\partial x_j} = \sum t_j w_{ij}",),
        (r"q = \sum y_i x_j",),
    ),
    "17 total and local derivatives": Guard(
        MEAN,
        (
            r"\frac{\partial c_{nh}}{\partial x_{mk}} = \delta_{nm} \delta_{hk} - \frac{1}{H} \delta_{nm}",
            r"\frac{\partial c_{nh}}{\partial x_{mk}} = \delta_{nm} \delta_{hk}",
            r"\frac{\partial c_{nh}}{\partial \mu_m} = -\delta_{nm}",
        ),
        (
            r"\frac{\partial c_{nh}}{\partial x_{mk}} = \delta_{nm} \delta_{hk} + \frac{1}{H} \delta_{nm}",
            r"\frac{\partial c_{nh}}{\partial x_{mk}} = \delta_{hk}",
            r"\frac{\partial c_{nh}}{\partial \mu_m} = -1",
        ),
    ),
    "17 settled once for a pair": Guard(
        MEAN + r"$$\frac{\partial c_{nh}}{\partial x_{mk}} = \delta_{nm} \delta_{hk} - \frac{1}{H} \delta_{nm}$$"
        r"$$\frac{\partial c_{nh}}{\partial x_{mh}} = \delta_{nm} - \frac{1}{H} \delta_{nm}$$",
        (r"\frac{\partial c_{nh}}{\partial x_{nh}} = 1 - \frac{1}{H}",),
        (r"\frac{\partial c_{nh}}{\partial x_{mk}} = \delta_{nm} \delta_{hk}",),
    ),
    "17 a loss has total derivatives": Guard(
        r"$$a_i = x_i^2$$ $$b_i = a_i x_i$$ $$L = \sum_i (a_i + b_i)$$",
        (r"\frac{\partial L}{\partial x_i} = 2 x_i + 3 x_i^2",),
        (r"\frac{\partial L}{\partial x_i} = a_i + 2 x_i", r"\frac{\partial L}{\partial x_i} = a_i"),
    ),
    "17 derivatives of arrays by arrays have no layout": Guard(
        LINEAR,
        (r"\frac{\partial L}{\partial X} = \frac{\partial L}{\partial Y} W^T",),
        (),
        (
            r"\frac{\partial Y}{\partial W} = X^T",
            r"\frac{\partial Y}{\partial X} = W",
            r"\frac{\partial Z}{\partial W} = \frac{\partial Z}{\partial Y} \frac{\partial Y}{\partial W}",
        ),
    ),
    "17 a repeated index is the diagonal": Guard(
        SOFTMAX,
        (r"\frac{\partial A_{ij}}{\partial S_{ij}} = A_{ij} (1 - A_{ij})",),
        (r"\frac{\partial A_{ij}}{\partial S_{ij}} = A_{ij} (\delta_{ij} - A_{ij})",),
    ),
    "17 a gradient by its short name": Guard(
        r"Let $Q \in \mathbb{R}^{n \times d}$, $K \in \mathbb{R}^{m \times d}$. $$S = Q K^\top$$",
        (r"dQ = dS\, K", r"dK = dS^\top Q"),
        (r"dQ = 2\, dS\, K", r"dK = dS\, Q"),
    ),
    "24 a shape behind a chain": Guard(
        LINEAR,
        (r"\frac{\partial L}{\partial W} = X^T \frac{\partial L}{\partial Y} \in \mathbb{R}^{F \times O}",),
        (r"\frac{\partial L}{\partial W} = X^T \frac{\partial L}{\partial Y} \in \mathbb{R}^{O \times F}",),
    ),
    "24 a shape is a claim": Guard(
        LINEAR,
        (r"X W \in \mathbb{R}^{N \times O}", r"\frac{\partial L}{\partial W} = X^T \frac{\partial L}{\partial Y}"),
        (r"Y = X W \in \mathbb{R}^{O \times N}",),
    ),
}

TRUE, WRONG, OPEN = (claims_of(GUARDS, kind) for kind in ("true", "wrong", "open"))


@pytest.mark.parametrize(("name", "claim"), TRUE)
def test_a_true_claim_is_understood_and_not_accused(name, claim):
    assert_true(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), WRONG)
def test_its_wrong_twin_is_refuted(name, claim):
    assert_refuted(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), OPEN)
def test_what_cannot_be_known_is_not_accused(name, claim):
    assert_open(GUARDS[name], claim)

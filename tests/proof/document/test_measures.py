"""Numbers with names in capitals, sums over sets, vectors behind transposed ones, orthogonal matrices in words."""

from __future__ import annotations

from indexcalc import check


def verdicts(text: str) -> list[str]:
    """The verdicts of a note, in order."""
    return [str(claim.verdict) for claim in check(text).claims]


def test_a_divergence_of_two_gaussians() -> None:
    note = r"""
$$KL_{loss} = \log\frac{\sigma_2}{\sigma_1} + \frac{\sigma_1^2 + (\mu_1 - \mu_2)^2}{2 \sigma_2^2} - \frac{1}{2}$$
$$\frac{\partial KL_{loss}}{\partial \mu_1} = \frac{\mu_1 - \mu_2}{\sigma_2^2}$$
With $\mu_2 = 0$ and $\sigma_2 = 1$:
$$KL_{loss} = -\frac{1}{2} (2 \log \sigma_1 - \sigma_1^2 - \mu_1^2 + 1)$$
$$KL_{loss} = -\frac{1}{2} (\log \sigma_1 - \sigma_1^2 - \mu_1^2 + 1)$$
"""
    found = verdicts(note)
    assert found[0] == "definition"
    assert found[-2:] == ["confirmed", "refuted"]


def test_a_loss_in_a_capital() -> None:
    note = (
        r"$$C(\mathbf{X}, \mathbf{b}) = (\mathbf{y} - \mathbf{X} \mathbf{b})^T (\mathbf{y} - \mathbf{X} \mathbf{b})$$ "
        r"$$\frac{\partial C}{\partial \mathbf{b}} = -2 \mathbf{X}^T (\mathbf{y} - \mathbf{X} \mathbf{b})$$ "
        r"$$\frac{\partial C}{\partial \mathbf{b}} = 2 \mathbf{X}^T (\mathbf{y} - \mathbf{X} \mathbf{b})$$"
    )
    assert verdicts(note) == ["definition", "proved", "refuted"]


def test_a_sum_over_a_set() -> None:
    note = (
        r"$$P_o = \frac{\exp(u_o^T v)}{\sum_{w \in V} \exp(u_w^T v)}$$ "
        r"$$\frac{\partial}{\partial v} \log \sum_{w \in V} \exp(u_w^T v) = \sum_{w \in V} P_w u_w$$ "
        r"$$\frac{\partial}{\partial v} \log \sum_{w \in V} \exp(u_w^T v) = \sum_{w \in V} u_w$$"
    )
    assert verdicts(note) == ["definition", "proved", "refuted"]
    two = r"$$s = \sum_{i \in P} a_i + \sum_{i \in N} a_i$$ $$s = 2 \sum_{i \in P} a_i$$"
    assert set(verdicts(two)) == {"not understood"}


def test_vectors_with_indices_on_both_sides() -> None:
    note = r"$$s_{ij} = u_i^T v_j$$ $$\frac{\partial}{\partial u_i} \exp(u_i^T v_j) = v_j$$"
    assert verdicts(note)[0] == "definition"
    assert verdicts(note)[-1] == "refuted"


def test_an_orthogonal_matrix_in_words() -> None:
    note = r"Let $\tilde{W} = W R$, where R is an orthogonal matrix. $$\tilde{W} \tilde{W}^T = W R R^T W^T = W W^T$$"
    assert verdicts(note) == ["definition", "proved", "confirmed"]
    assert verdicts(note.replace("an orthogonal", "a square"))[-1] == "refuted"


def test_the_norm_of_a_matrix_is_a_guess() -> None:
    shape = r"Let $A \in \mathbb{R}^{n \times m}$. "
    assert verdicts(shape + r"$$\frac{\partial \|A\|^2}{\partial A} = 2 A$$")[1:] in (["proved"], ["confirmed"])
    assert verdicts(shape + r"$$\frac{\partial \|A\|^2}{\partial A} = A$$")[1:] == ["not understood"]


def test_an_estimate_in_a_chain_defines_the_estimate() -> None:
    for sign in ("=", r"\approx"):
        note = (
            rf"$$R {sign} P Q^T = \hat{{R}}$$ "
            r"$$e_{ij}^2 = (r_{ij} - \hat{r}_{ij})^2$$ $$e_{ij}^2 = (r_{ij} - \sum_{k=1}^K p_{ik} q_{jk})^2$$ "
            r"$$\frac{\partial e_{ij}^2}{\partial p_{ik}} = -2 (r_{ij} - \hat{r}_{ij}) q_{jk}$$ "
            r"$$\frac{\partial e_{ij}^2}{\partial p_{ik}} = -2 (r_{ij} - \hat{r}_{ij}) q_{kj}$$"
        )
        assert verdicts(note)[1:] == ["proved", "definition", "proved", "proved", "refuted"]

"""The statements of a spec, one to a line, before any meaning is given to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from indexcalc.language.extents import Extent
from indexcalc.language.syntax import At, Entry, Expression, Gradient, Slot


@dataclass(frozen=True, slots=True)
class TitleLine:
    """``title "..."``."""

    text: str
    at: At | None = None


@dataclass(frozen=True, slots=True)
class IndexLine:
    """``index i, j : T "doc"``, or ``index c : N_H*D_h``."""

    names: tuple[Slot, ...]
    extent: Extent
    doc: str = ""
    at: At | None = None


@dataclass(frozen=True, slots=True)
class ParameterLine:
    """``param eps = 1e-5 "doc"``, one parameter."""

    name: str
    default: Expression | None = None
    doc: str = ""
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Domain:
    """``in (-1, 1]``, ``positive`` or ``probability``: the interval of the entries of an input.

    An end that is None is infinite.
    """

    low: Expression | None
    high: Expression | None
    open_low: bool = True
    open_high: bool = True
    at: At | None = None


@dataclass(frozen=True, slots=True)
class InputLine:
    """``input Q[i,k] in (-1,1) "doc"``, one input; or what a system determines, with the name of its `residual`."""

    entry: Entry
    doc: str = ""
    at: At | None = None
    domain: Domain | None = None
    values: Slot | None = None
    residual: str = ""
    hoisted: bool = False


@dataclass(frozen=True, slots=True)
class Steps:
    """``for t in 1 .. T-1``, both ends included."""

    index: Slot
    first: Slot
    last: Slot


@dataclass(frozen=True, slots=True)
class EquationLine:
    """``S[i,j] = right "doc"``; `steps` where it holds for a part of an index's range alone.

    `solves` is the unknown of a system of which this is the residual. `otherwise` is the value outside of `steps`,
    where something computes with all of them.

    The left side may hold places, as in ``h[0,i] = h0[i]``: then other lines define the rest of the tensor.
    """

    left: Entry
    right: Expression
    doc: str = ""
    at: At | None = None
    steps: Steps | None = None
    solves: str = ""
    hoisted: bool = False
    otherwise: Expression | None = None

    @property
    def is_piece(self) -> bool:
        """Whether the line may define a part of its tensor."""
        return self.steps is not None or any(slot.expression is not None for slot in self.left.slots or ())


@dataclass(frozen=True, slots=True)
class SolveLine:
    """``solve x[j] : left = right "doc"``: the tensor that a system determines, and the system.

    `hoisted` where it is not the author's, but an inverse that a derivative reads. Several tensors that one system
    determines, ``solve x[j], y[k] : left = right ; left = right``, are this line and `others`: each with one of the
    equations, in the order in which they are written.
    """

    unknown: Entry
    left: Expression
    right: Expression
    doc: str = ""
    at: At | None = None
    hoisted: bool = False
    others: tuple[SolveLine, ...] = ()

    @property
    def parts(self) -> tuple[SolveLine, ...]:
        """Each tensor with one equation."""
        return (self, *self.others)

    def mapped(self, change: Callable[[SolveLine], SolveLine]) -> SolveLine:
        """The line with each tensor and its equation changed."""
        return replace(change(self), others=tuple(map(change, self.others)))


@dataclass(frozen=True, slots=True)
class UpstreamLine:
    """``upstream G[i,p] = dL/dO[i,p] "doc"``."""

    given: Entry
    gradient: Gradient
    doc: str = ""
    at: At | None = None


@dataclass(frozen=True, slots=True)
class LossLine:
    """``loss L``; `implied` where a second derivative says what the loss is."""

    name: str
    at: At | None = None
    implied: bool = False


@dataclass(frozen=True, slots=True)
class DeriveLine:
    """``derive V, A``."""

    names: tuple[Slot, ...]
    at: At | None = None


@dataclass(frozen=True, slots=True)
class RecomputeLine:
    """``recompute S, A``."""

    names: tuple[Slot, ...]
    at: At | None = None


@dataclass(frozen=True, slots=True)
class SplitLine:
    """``split h over model``: indices that are split over an axis of a mesh of devices."""

    names: tuple[Slot, ...]
    axis: str
    at: At | None = None


@dataclass(frozen=True, slots=True)
class DerivativeLine:
    """``hessian L by (u, v)``, or ``product hessian L by (u, v) with (s, t)``; `word` is the kind.

    `transposed` where the vector stands before the derivative: ``product s with jacobian p by z``; `through` says
    what the loss is a function of: ``gauss_newton L by w through z``.
    """

    word: str
    of: Slot
    by: tuple[Slot, ...]
    along: tuple[Slot, ...] = ()
    transposed: bool = False
    through: Slot | None = None
    doc: str = ""
    at: At | None = None


@dataclass(frozen=True, slots=True)
class NameLine:
    """``name D = dL/dA``."""

    name: str
    gradient: Gradient
    at: At | None = None


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """``prove left = right "doc"``, or ``assume left = right`` where `assumed`.

    `definite` where a symmetric input is positive definite as well.
    """

    left: Expression
    right: Expression
    doc: str = ""
    assumed: bool = False
    at: At | None = None
    definite: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """``X = H[(b,s),m]`` in a ``use`` line: the value for an input or a parameter of the used spec."""

    name: str
    value: Expression
    at: At | None = None


@dataclass(frozen=True, slots=True)
class Giving:
    """``Y as X_norm "doc"`` in a ``use`` line: a tensor of the used spec under a name and with words of its own."""

    name: str
    given: str
    doc: str = ""
    at: At | None = None


@dataclass(frozen=True, slots=True)
class UseLine:
    """``use layer_norm(X = H[(b,s),m], g = g) as ln giving Y as X_norm``.

    `spec` is the name of a shipped derivation, or the path of a spec where `is_path`.
    """

    spec: str
    bindings: tuple[Binding, ...]
    prefix: str
    giving: tuple[Giving, ...] = ()
    is_path: bool = False
    at: At | None = None


Statement = (
    TitleLine
    | IndexLine
    | ParameterLine
    | InputLine
    | EquationLine
    | SolveLine
    | UpstreamLine
    | LossLine
    | DeriveLine
    | RecomputeLine
    | SplitLine
    | DerivativeLine
    | NameLine
    | ClaimLine
    | UseLine
)

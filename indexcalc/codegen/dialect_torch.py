"""PyTorch as a dialect: every call of NumPy that generated code may hold, and how PyTorch says it."""

from __future__ import annotations

from indexcalc.codegen.dialect import Arguments, Dialect, Keywords, renamed
from indexcalc.codegen.moving import MOVING, TORCH_MOVING
from indexcalc.codegen.newton import TORCH_ROOT
from indexcalc.codegen.source import Binary, Call, Node, Trailer
from indexcalc.codegen.special import Special

PROMOTED = '''\
def _promoted(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """The tensors in one floating dtype: products of matrices don't mix them."""
    common = tensors[0].dtype
    for tensor in tensors[1:]:
        common = torch.promote_types(common, tensor.dtype)
    dtype = common if common.is_floating_point else torch.get_default_dtype()
    return tuple(tensor.to(dtype) for tensor in tensors)'''

ONLY_DERIVED = '''\
def _only_derived(needed: tuple[bool, ...], /, **places: int) -> None:
    """Refuse gradients that were not derived, where a zero would look like one."""
    for name, place in places.items():
        if needed[place]:
            message = f"dL/d{name} is not derived; ask for it in the spec"
            raise NotImplementedError(message)'''

GIVEN = '''\
def _given(gradient: torch.Tensor | None, result: torch.Tensor) -> torch.Tensor:
    """The upstream gradient of a result; zeros where nothing reads it."""
    return torch.zeros_like(result) if gradient is None else gradient'''

SOFTPLUS = '''\
def _softplus(x: torch.Tensor) -> torch.Tensor:
    """log(1 + e^x), exact for every x: PyTorch's own is x from 20 on."""
    return torch.logaddexp(x, torch.zeros_like(x))'''

STEP = '''\
def _step(x: torch.Tensor, at_zero: float) -> torch.Tensor:
    """1 for x > 0, else 0; a number at zero itself."""
    return torch.heaviside(x.detach(), torch.full_like(x, at_zero))'''

CHOLESKY = '''\
def _cholesky(x: torch.Tensor) -> torch.Tensor:
    """The factor of the symmetric part of each matrix: PyTorch's own reads one triangle, whatever is in the other."""
    return torch.linalg.cholesky((x + x.mT) / 2)'''

PLACED = ("dtype", "device")


def triangle(arguments: Arguments, keywords: Keywords) -> Node:
    """``torch.ones(n, m).tril(k)``: ones at and below a diagonal."""
    sizes = arguments if len(arguments) == 2 else arguments * 2
    return Trailer(renamed("torch.ones", *PLACED)(sizes, keywords), f".tril({keywords.get('k', '')})")


def filled(arguments: Arguments, keywords: Keywords) -> Node:
    """``torch.ones(shape) * value``: the value may be a number or a tensor."""
    return Binary("*", renamed("torch.ones", *PLACED)(arguments[:1], keywords), arguments[1])


def joined(arguments: Arguments, keywords: Keywords) -> Node:
    """``torch.cat(tensors, dim=axis)``."""
    return Call("torch.cat", arguments, (f"dim={keywords['axis']}",))


ARCTAN2 = '''\
def _arctan2(y: torch.Tensor | float, x: torch.Tensor | float) -> torch.Tensor:
    """The angle of the point (x, y), of which one may be a number."""
    like = y if isinstance(y, torch.Tensor) else x
    kind = {"dtype": like.dtype, "device": like.device}
    return torch.arctan2(torch.as_tensor(y, **kind), torch.as_tensor(x, **kind))'''


def through_tensors(call: Call) -> Node:
    """``float(f(torch.as_tensor(x, dtype=torch.float64)))``: functions of PyTorch don't take plain numbers."""
    first = Call("torch.as_tensor", call.arguments[:1], ("dtype=torch.float64",))
    return Call("float", (Call(call.function, (first, *call.arguments[1:]), call.keywords),))


TORCH = Dialect(
    name="torch",
    library="PyTorch",
    array="torch.Tensor",
    template="torch_module.py.jinja2",
    prefix="np.",
    device=True,
    stack="torch.stack",
    calls={
        **{name: renamed(name) for name in MOVING},
        "np.arange": renamed("torch.arange", *PLACED),
        "np.einsum": renamed("torch.einsum"),
        "np.linalg.cholesky": renamed("_cholesky"),
        "np.linalg.det": renamed("torch.linalg.det"),
        "np.linalg.inv": renamed("torch.linalg.inv"),
        "np.linalg.slogdet": renamed("torch.linalg.slogdet"),
        "np.linalg.solve": renamed("torch.linalg.solve"),
        "np.concatenate": joined,
        "np.where": renamed("torch.where"),
        "np.zeros": renamed("torch.zeros", *PLACED),
        "np.ones": renamed("torch.ones", *PLACED),
        "np.asarray": renamed("torch.as_tensor", *PLACED),
        "np.eye": renamed("torch.eye", *PLACED),
        "np.tri": triangle,
        "np.full": filled,
        "np.broadcast_to": renamed("torch.broadcast_to"),
        "np.sqrt": renamed("torch.sqrt"),
        "np.exp": renamed("torch.exp"),
        "np.log": renamed("torch.log"),
        "np.sin": renamed("torch.sin"),
        "np.cos": renamed("torch.cos"),
        "np.tanh": renamed("torch.tanh"),
        "np.arctan": renamed("torch.arctan"),
        "np.arctan2": renamed("_arctan2"),
        "np.power": renamed("torch.pow"),
        "np.abs": renamed("torch.abs"),
        "np.sign": renamed("torch.sign"),
        "np.maximum": renamed("torch.clamp_min"),
        "np.minimum": renamed("torch.clamp_max"),
        "np.greater": renamed("torch.gt"),
        "np.greater_equal": renamed("torch.ge"),
        "np.less": renamed("torch.lt"),
        "np.less_equal": renamed("torch.le"),
        "np.equal": renamed("torch.eq"),
        "np.not_equal": renamed("torch.ne"),
        "np.logical_or": renamed("torch.logical_or"),
        "np.heaviside": renamed("_step"),
        "np.logaddexp": renamed("_softplus", take=(1,)),
        "_sigmoid": renamed("torch.sigmoid"),
        "_silu": renamed("torch.nn.functional.silu"),
        "_gelu": renamed("torch.nn.functional.gelu"),
        "_erf": renamed("torch.erf"),
        "_root": renamed("_root"),
    },
    plain={
        "np.exp": "math.exp",
        "np.log": "math.log",
        "np.sin": "math.sin",
        "np.cos": "math.cos",
        "np.tan": "math.tan",
        "np.sinh": "math.sinh",
        "np.cosh": "math.cosh",
        "np.tanh": "math.tanh",
        "np.arctan": "math.atan",
        "np.arctan2": "math.atan2",
        "np.power": "math.pow",
        "np.abs": "abs",
        "np.maximum": "max",
        "np.minimum": "min",
        "_erf": "math.erf",
    },
    number=through_tensors,
    methods={"max": "amax", "min": "amin", "transpose": "permute", "astype": "to"},
    keywords={"axis": "dim"},
    constants={
        "np.pi": "torch.pi",
        "np.e": "torch.e",
        "np.inf": "torch.inf",
        "-np.inf": "-torch.inf",
        "bool": "torch.bool",
        "int": "torch.long",
    },
    private={
        **TORCH_MOVING,
        **TORCH_ROOT,
        "_promoted": Special(PROMOTED),
        "_only_derived": Special(ONLY_DERIVED),
        "_given": Special(GIVEN),
        "_softplus": Special(SOFTPLUS),
        "_cholesky": Special(CHOLESKY),
        "_step": Special(STEP),
        "_arctan2": Special(ARCTAN2),
    },
    imports=(
        {
            "math": "import math",
            "Callable": "from collections.abc import Callable",
            "NamedTuple": "from typing import NamedTuple",
        },
        {"torch": "import torch"},
    ),
)

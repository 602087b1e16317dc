"""Writes ops_more.json and lr_more.json beside itself: what PyTorch computes for the ops and the
schedules that the other files leave out.

    python3 make_more.py        (needs torch)

Values and gradients are in float64, on one thread, with a fixed seed.
"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F

torch.manual_seed(5)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
DTYPES = {torch.float64: "f64", torch.int64: "i64", torch.bool: "bool"}
cases = []


def number(v):
    if isinstance(v, (bool, int)) or math.isfinite(v):
        return v
    return "nan" if math.isnan(v) else "inf" if v > 0 else "-inf"


def plain(t):
    return {
        "dtype": DTYPES[t.dtype],
        "shape": list(t.shape),
        "data": [number(v) for v in t.reshape(-1).tolist()],
    }


def case(op, inputs, f, **attrs):
    """f takes the inputs by name. Those that are floating, and not fixed, have gradients."""
    fixed = attrs.pop("fixed", ())
    x = {
        k: v.clone().requires_grad_(True) if v.dtype == torch.float64 and k not in fixed else v
        for k, v in inputs.items()
    }
    y = f(**x)
    c = {"op": op, "attrs": attrs, "inputs": {k: plain(v.detach()) for k, v in x.items()},
         "output": plain(y.detach())}
    if y.requires_grad:
        g = torch.randn(y.shape)
        y.backward(g)
        c["grad_output"] = plain(g)
        c["grads"] = {
            k: plain(torch.zeros_like(v) if v.grad is None else v.grad)
            for k, v in x.items() if v.requires_grad
        }
    cases.append(c)


def randn(*shape):
    return torch.randn(shape)


def between(low, high, *shape):
    return low + (high - low) * torch.rand(shape)


# Element by element.
special = torch.tensor([0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5, 3.0, -3.0, 6.0, 20.0, -20.0])
for name in ("tan", "atan", "sinh", "cosh", "floor", "ceil", "round", "trunc", "erf", "expm1"):
    case(name, {"x": torch.cat([special, randn(5)])}, lambda x: getattr(torch, name)(x))
for name in ("asin", "acos", "erfinv"):
    case(name, {"x": between(-0.95, 0.95, 9)}, lambda x: getattr(torch, name)(x))
for name in ("log10", "log2", "log1p"):
    case(name, {"x": between(0.05, 4, 7)}, lambda x: getattr(torch, name)(x))
for name in ("hardswish", "hardsigmoid", "relu6", "mish", "silu", "gelu", "logsigmoid", "softsign",
             "tanhshrink", "selu", "celu"):
    case(name, {"x": torch.cat([special, randn(5) * 3])}, lambda x: getattr(F, name)(x))
case("elu", {"x": torch.cat([special, randn(5)])}, lambda x: F.elu(x, 0.5), alpha=0.5)
case("leaky_relu", {"x": torch.cat([special, randn(5)])}, lambda x: F.leaky_relu(x, 0.2), slope=0.2)
case("softplus", {"x": torch.cat([special, randn(5)])}, lambda x: F.softplus(x, 2, 3),
     beta=2.0, threshold=3.0)
case("hardtanh", {"x": torch.cat([special, randn(5)])}, lambda x: F.hardtanh(x, -0.5, 2.5),
     low=-0.5, high=2.5)
case("clamp", {"x": torch.cat([special, randn(5)])}, lambda x: x.clamp(-0.5, 2.5),
     low=-0.5, high=2.5)
case("clamp_min", {"x": torch.cat([special, randn(5)])}, lambda x: x.clamp(min=0.5), low=0.5)
case("clamp_max", {"x": torch.cat([special, randn(5)])}, lambda x: x.clamp(max=0.5), high=0.5)
case("prelu", {"x": randn(2, 3, 4), "w": randn(3)}, lambda x, w: F.prelu(x, w))
case("prelu", {"x": randn(5), "w": randn(1)}, lambda x, w: F.prelu(x, w))
case("fmod", {"a": randn(6) * 5, "b": randn(6) * 2}, lambda a, b: torch.fmod(a, b))
case("remainder", {"a": randn(6) * 5, "b": randn(6) * 2}, lambda a, b: torch.remainder(a, b))
case("atan2", {"a": randn(3, 4), "b": randn(4)}, lambda a, b: torch.atan2(a, b))
case("normalize", {"x": randn(3, 4)}, lambda x: F.normalize(x, p=3, dim=0), p=3.0, dim=0)
case("cosine_similarity", {"a": randn(2, 3, 4), "b": randn(3, 4)},
     lambda a, b: F.cosine_similarity(a, b, dim=-1), dim=-1)

# Reductions.
for p in (0.0, 1.0, 2.0, 3.0, 0.5, math.inf, -math.inf):
    case("norm", {"x": randn(2, 3, 4)}, lambda x: torch.linalg.vector_norm(x, p, dim=(0, 2)),
         p=number(p), dims=[0, 2])
case("var", {"x": randn(3, 4, 2)}, lambda x: x.var(dim=(0, 2)), dims=[0, 2])
case("std", {"x": randn(3, 4, 2)}, lambda x: x.std(dim=1), dims=[1])
case("logsumexp", {"x": randn(3, 4, 2)}, lambda x: torch.logsumexp(x, (0, 2)), dims=[0, 2])
case("logsumexp", {"x": torch.tensor([[-math.inf, -math.inf], [-math.inf, 1.0]])},
     lambda x: torch.logsumexp(x, 1), dims=[1])
case("median", {"x": randn(7)}, lambda x: x.median())
case("median", {"x": randn(6)}, lambda x: x.median())
zeros = randn(3, 5)
zeros[0, 2] = 0
zeros[1, 1] = zeros[1, 3] = 0
case("prod", {"x": zeros}, lambda x: x.prod(1), dim=1)
case("cumprod", {"x": zeros}, lambda x: x.cumprod(1), dim=1)
case("cumsum", {"x": randn(2, 3, 2)}, lambda x: x.cumsum(-2), dim=-2)
case("sort", {"x": randn(3, 5)}, lambda x: x.sort(1).values, dim=1, descending=False)
case("sort", {"x": randn(3, 5)}, lambda x: x.sort(0, descending=True).values, dim=0, descending=True)
case("topk", {"x": randn(3, 5)}, lambda x: x.topk(2, 1).values, dim=1, k=2)
ties = torch.tensor([3.0, 1.0, 3.0, math.nan, 2.0, 1.0, -math.inf])
case("argsort", {"x": ties}, lambda x: torch.sort(x.detach(), stable=True).indices, descending=False)
case("argsort", {"x": ties},
     lambda x: torch.sort(x.detach(), stable=True, descending=True).indices, descending=True)

# Losses.
for reduction in ("mean", "sum", "none"):
    r = {"reduction": reduction}
    y = torch.rand(3, 4)
    w = torch.rand(4)
    sign = torch.where(torch.rand(3, 4) > 0.5, 1.0, -1.0)
    case("bce", {"x": between(0.01, 0.99, 3, 4), "y": y},
         lambda x, y: F.binary_cross_entropy(x, y, reduction=reduction), fixed=("y",), **r)
    case("bce", {"x": torch.tensor([0.0, 1.0, 0.5, 1.0]), "y": torch.tensor([0.0, 1.0, 1.0, 0.0])},
         lambda x, y: F.binary_cross_entropy(x, y, reduction=reduction), fixed=("y",), **r)
    case("bce_weighted", {"x": between(0.01, 0.99, 3, 4), "y": y, "w": w},
         lambda x, y, w: F.binary_cross_entropy(x, y, w, reduction=reduction), fixed=("y", "w"), **r)
    case("bce_with_logits_weighted", {"x": randn(3, 4) * 3, "y": y, "w": w, "p": between(0.5, 3, 4)},
         lambda x, y, w, p: F.binary_cross_entropy_with_logits(
             x, y, w, pos_weight=p, reduction=reduction), fixed=("y", "w", "p"), **r)
    case("kl_div_log", {"x": F.log_softmax(randn(3, 4), 1), "y": F.log_softmax(randn(3, 4), 1)},
         lambda x, y: F.kl_div(x, y, log_target=True, reduction=reduction), **r)
    case("poisson_nll", {"x": randn(3, 4), "y": between(0, 5, 3, 4)},
         lambda x, y: F.poisson_nll_loss(x, y, reduction=reduction), fixed=("y",), **r)
    case("poisson_nll_full", {"x": between(0.1, 3, 3, 4), "y": between(0, 5, 3, 4)},
         lambda x, y: F.poisson_nll_loss(x, y, log_input=False, full=True, reduction=reduction),
         fixed=("y",), **r)
    case("hinge_embedding", {"x": randn(3, 4), "y": sign},
         lambda x, y: F.hinge_embedding_loss(x, y, margin=0.7, reduction=reduction),
         fixed=("y",), margin=0.7, **r)
    case("soft_margin", {"x": randn(3, 4) * 3, "y": sign},
         lambda x, y: F.soft_margin_loss(x, y, reduction=reduction), fixed=("y",), **r)
    case("margin_ranking", {"a": randn(5), "b": randn(5), "y": sign.reshape(-1)[:5]},
         lambda a, b, y: F.margin_ranking_loss(a, b, y, margin=0.3, reduction=reduction),
         fixed=("y",), margin=0.3, **r)
    case("cosine_embedding", {"a": randn(4, 3), "b": randn(4, 3), "y": sign.reshape(-1)[:4]},
         lambda a, b, y: F.cosine_embedding_loss(a, b, y, margin=0.2, reduction=reduction),
         fixed=("y",), margin=0.2, **r)
    for p in (1, 2):
        case("multi_margin", {"x": randn(3, 4), "t": torch.tensor([2, 0, 3])},
             lambda x, t: F.multi_margin_loss(x, t, p=p, margin=0.8, reduction=reduction),
             p=p, margin=0.8, **r)
    case("multilabel_margin", {"x": randn(2, 4), "t": torch.tensor([[3, 0, -1, 1], [1, -1, 0, 2]])},
         lambda x, t: F.multilabel_margin_loss(x, t, reduction=reduction), **r)
    case("triplet_margin", {"a": randn(3, 4), "b": randn(3, 4), "c": randn(3, 4)},
         lambda a, b, c: F.triplet_margin_loss(a, b, c, margin=0.9, p=2, reduction=reduction),
         margin=0.9, **r)

# Products.
case("mv", {"a": randn(3, 4), "b": randn(4)}, lambda a, b: torch.mv(a, b))
case("addmv", {"c": randn(3), "a": randn(3, 4), "b": randn(4)},
     lambda c, a, b: torch.addmv(c, a, b, beta=0.5, alpha=-2), beta=0.5, alpha=-2.0)
case("addr", {"c": randn(3, 4), "a": randn(3), "b": randn(4)},
     lambda c, a, b: torch.addr(c, a, b, beta=0.5, alpha=-2), beta=0.5, alpha=-2.0)
case("addbmm", {"c": randn(2, 4), "a": randn(3, 2, 5), "b": randn(3, 5, 4)},
     lambda c, a, b: torch.addbmm(c, a, b, beta=0.5, alpha=-2), beta=0.5, alpha=-2.0)
case("tensordot", {"a": randn(2, 3, 4), "b": randn(4, 2, 5)},
     lambda a, b: torch.tensordot(a, b, dims=([0, 2], [1, 0])), a=[0, 2], b=[1, 0])
for eq, *shapes in (
    ("ij,jk->ki", (2, 3), (3, 4)), ("bij,bjk", (2, 2, 3), (2, 3, 2)), ("ii->i", (3, 3)),
    ("ii", (3, 3)), ("ij->ji", (2, 3)), ("...ij->...", (2, 3, 4)), ("i,i,i->", (3,), (3,), (3,)),
    ("...ij,...kj->...ik", (2, 3, 4), (5, 4)), ("ab,cd->abcd", (2, 2), (1, 3)), ("ba", (2, 3)),
    ("ij,ij,jk->ik", (2, 3), (2, 3), (3, 2)), ("bhqd,bhkd->bhqk", (1, 2, 3, 4), (1, 2, 2, 4)),
):
    case("einsum", {"abc"[i]: randn(*s) for i, s in enumerate(shapes)},
         lambda **x: torch.einsum(eq, *x.values()), eq=eq)
mask = randn(2, 1, 3, 5)
mask[0, 0, 1, 2:] = -math.inf
case("attention", {"q": randn(2, 2, 3, 4), "k": randn(2, 2, 5, 4), "v": randn(2, 2, 5, 3), "mask": mask},
     lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, mask, scale=0.3),
     fixed=("mask",), scale=0.3)
case("attention", {"q": randn(2, 4, 3, 2), "k": randn(2, 2, 5, 2), "v": randn(2, 2, 5, 2)},
     lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True, is_causal=True),
     causal=True)
dark = torch.rand(3, 5) > 0.4
dark[1] = False
case("attention", {"q": randn(1, 2, 3, 4), "k": randn(1, 2, 5, 4), "v": randn(1, 2, 5, 4), "mask": dark},
     lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, mask))

# Indices and shapes.
y = randn(4, 5)
rows = torch.tensor([3, 0])
case("index_copy", {"y": y, "s": randn(2, 5)}, lambda y, s: y.index_copy(0, rows, s), index=[3, 0])
case("index_fill", {"y": y}, lambda y: y.index_fill(1, rows, 2.0), index=[3, 0], value=2.0)
where = torch.tensor([[0, 1, 1], [3, 3, 0]])
for reduce in ("sum", "prod", "amax", "amin", "mean"):
    for include in (True, False):
        case("scatter_reduce", {"y": y, "s": randn(2, 3), "i": where},
             lambda y, s, i: y.scatter_reduce(0, i, s, reduce, include_self=include),
             reduce=reduce, include=include)
case("masked_select", {"y": y, "m": y > 0}, lambda y, m: y.masked_select(m))
case("take_along_dim", {"y": y, "i": torch.tensor([[0], [3], [0]])},
     lambda y, i: torch.take_along_dim(y, i, 0))
for k in (-2, 0, 1):
    case("tril", {"y": randn(2, 4, 5)}, lambda y: y.tril(k), k=k)
    case("triu", {"y": randn(2, 4, 5)}, lambda y: y.triu(k), k=k)
    case("diagonal", {"y": randn(2, 4, 5)}, lambda y: y.diagonal(k, -2, -1), k=k)
    case("diag", {"y": randn(3)}, lambda y: y.diag(k), k=k)
for mode in ("constant", "reflect", "replicate", "circular"):
    case("pad", {"x": randn(2, 3, 4, 5)}, lambda x: F.pad(x, (1, 2, 3, 1), mode=mode),
         widths=[1, 2, 3, 1], mode=mode)
case("pad", {"x": randn(2, 3, 4)}, lambda x: F.pad(x, (-1, 2, 1, 0), value=1.5),
     widths=[-1, 2, 1, 0], mode="constant", value=1.5)
case("roll", {"x": randn(3, 4)}, lambda x: x.roll((1, -6), (0, 1)), shifts=[1, -6], dims=[0, 1])
case("flip", {"x": randn(2, 3, 4)}, lambda x: x.flip(0, -1), dims=[0, -1])
case("repeat", {"x": randn(2, 3)}, lambda x: x.repeat(2, 1, 3), times=[2, 1, 3])
case("repeat_interleave", {"x": randn(2, 3)}, lambda x: x.repeat_interleave(2, 1), n=2, dim=1)
case("movedim", {"x": randn(2, 3, 4)}, lambda x: x.movedim(0, -1), source=0, to=-1)
case("unfold", {"x": randn(2, 7)}, lambda x: x.unfold(1, 3, 2), dim=1, size=3, step=2)
for mode, align in (("nearest", None), ("nearest-exact", None), ("bilinear", False),
                    ("bilinear", True), ("bicubic", False), ("bicubic", True)):
    case("interpolate", {"x": randn(1, 2, 4, 5)},
         lambda x: F.interpolate(x, size=(7, 3), mode=mode, align_corners=align),
         size=[7, 3], mode=mode, align=bool(align))
    case("interpolate", {"x": randn(1, 2, 4, 5)},
         lambda x: F.interpolate(x, scale_factor=(2.0, 1.5), mode=mode, align_corners=align),
         scale=[2.0, 1.5], mode=mode, align=bool(align))
for mode, align in (("nearest", None), ("linear", False), ("linear", True)):
    case("interpolate", {"x": randn(2, 3, 4)},
         lambda x: F.interpolate(x, size=9, mode=mode, align_corners=align),
         size=[9], mode=mode, align=bool(align))

# Pooling and norms.
case("adaptive_max_pool2d", {"x": randn(1, 2, 5, 7)}, lambda x: F.adaptive_max_pool2d(x, (2, 3)),
     size=[2, 3])
case("adaptive_avg_pool1d", {"x": randn(2, 3, 7)}, lambda x: F.adaptive_avg_pool1d(x, 3), size=[3])
case("max_pool1d", {"x": randn(2, 3, 9)}, lambda x: F.max_pool1d(x, 3, 2, 1), kernel=3, stride=2,
     padding=1)
case("avg_pool1d", {"x": randn(2, 3, 9)}, lambda x: F.avg_pool1d(x, 3, 2, 1), kernel=3, stride=2,
     padding=1)
case("instance_norm", {"x": randn(2, 3, 4, 2), "w": randn(3), "b": randn(3)},
     lambda x, w, b: F.instance_norm(x, weight=w, bias=b))

# Cells and attention layers.
for name, gates, f in (("rnn_tanh_cell", 1, torch.rnn_tanh_cell), ("gru_cell", 3, torch.gru_cell),
                       ("rnn_relu_cell", 1, torch.rnn_relu_cell)):
    case(name, {"x": randn(2, 3), "h": randn(2, 4), "wi": randn(4 * gates, 3),
                "wh": randn(4 * gates, 4), "bi": randn(4 * gates), "bh": randn(4 * gates)},
         lambda x, h, wi, wh, bi, bh: f(x, h, wi, wh, bi, bh))
case("lstm_cell", {"x": randn(2, 3), "h": randn(2, 4), "c": randn(2, 4), "wi": randn(16, 3),
                   "wh": randn(16, 4), "bi": randn(16), "bh": randn(16)},
     lambda x, h, c, wi, wh, bi, bh: torch.cat(torch.lstm_cell(x, (h, c), wi, wh, bi, bh)))


def module(op, m, x, **attrs):
    params = dict(m.named_parameters())
    for p in params.values():
        torch.nn.init.normal_(p, std=0.5)
    inputs = {"x": x, **{k: p.detach() for k, p in params.items()}}
    case(op, inputs, lambda x, **p: torch.func.functional_call(m, p, attrs["call"](x)
         if "call" in attrs else (x,)), **{k: v for k, v in attrs.items() if k != "call"})


for norm_first in (False, True):
    for activation in ("relu", "gelu"):
        module("encoder_layer", torch.nn.TransformerEncoderLayer(
            6, 2, 8, dropout=0, activation=activation, batch_first=True, norm_first=norm_first),
            randn(2, 3, 6), norm_first=norm_first, activation=activation, heads=2)


class Self(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.m = torch.nn.MultiheadAttention(6, 3, batch_first=True)

    def forward(self, x):
        causal = torch.nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.m(x, x, x, need_weights=False, attn_mask=causal, is_causal=True)[0]


module("multihead_attention_causal", Self(), randn(2, 4, 6), heads=3)


def write(name, kind, cases):
    text = json.dumps({"schema": 1, "set": "more", "torch": torch.__version__, "kind": kind,
                       "cases": cases})
    (pathlib.Path(__file__).parent / name).write_text(text + "\n")


write("ops_more.json", "op_grads", cases)

# Schedules: the rate at first and after each of 13 steps.
S = torch.optim.lr_scheduler
metrics = [1.0, 0.9, 0.9, 0.91, 0.9, 0.89, 0.95, 0.95, 0.95, 0.95, 0.5, 0.6, 0.6]
schedules = {
    "OneCycle": lambda o: S.OneCycleLR(o, max_lr=0.5, total_steps=14),
    "OneCycle_linear3": lambda o: S.OneCycleLR(
        o, max_lr=0.5, total_steps=14, pct_start=0.4, anneal_strategy="linear", div_factor=10,
        final_div_factor=100, three_phase=True),
    "CosineWarmRestarts": lambda o: S.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "Polynomial": lambda o: S.PolynomialLR(o, 6, 2.0),
    "Linear": lambda o: S.LinearLR(o, 0.1, 0.8, 4),
    "Plateau": lambda o: S.ReduceLROnPlateau(o, factor=0.5, patience=1, cooldown=1, min_lr=0.05),
    "Plateau_max_abs": lambda o: S.ReduceLROnPlateau(
        o, mode="max", threshold_mode="abs", threshold=0.01, factor=0.1, patience=2),
}
rates = []
for name, make in schedules.items():
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    schedule = make(optimizer)
    c = {"name": name, "base_lr": 0.5, "lr": [optimizer.param_groups[0]["lr"]]}
    for metric in metrics:
        optimizer.step()
        if name.startswith("Plateau"):
            c["metrics"] = metrics
            schedule.step(metric)
        else:
            schedule.step()
        c["lr"].append(optimizer.param_groups[0]["lr"])
    rates.append(c)
write("lr_more.json", "lr_sched", rates)

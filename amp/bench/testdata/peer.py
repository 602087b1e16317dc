"""Measures the works of amp/bench in torch or, for products, in numpy (OpenBLAS).

peer.py DEVICE torch|OpenBLAS WORK; asked and answered line by line, see peer.go.
"""

import statistics
import sys
import time

device, library, name = sys.argv[1:4]
kind_of_device = device.split(":")[0]


def parts():
    return name.split("/")


def numpy_work():
    import numpy as np

    _, dtype, shape = parts()
    a, b = operands(shape, lambda *s: np.random.randn(*s).astype(dtype), lambda x: x.T)
    return lambda: a @ b


def operands(shape, randn, transposed):
    batch, into, out = 128, 784, 512
    if shape == "layer":
        return randn(batch, into), transposed(randn(out, into))
    if shape == "weight":
        return transposed(randn(batch, out)), randn(batch, into)
    if shape == "input":
        return randn(batch, out), randn(out, into)
    n = int(shape)
    return randn(n, n), randn(n, n)


def torch_work():
    import os

    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    if device != "cpu":
        torch.set_default_device(device)
    kind, *rest = parts()
    if kind == "matmul":
        dtype = getattr(torch, rest[0])
        a, b = operands(rest[1], lambda *s: torch.randn(*s).to(dtype), lambda x: x.t())
        return lambda: a @ b
    if kind == "small":
        return small(torch, rest[0])
    if kind in ("step", "graph"):  # as most programs do it, without one
        return step(torch, *rest)
    if len(rest) == 2:
        return line_op(torch, kind, getattr(torch, rest[0]), *map(int, rest[1].split("x")))
    return row_op(torch, kind, int(rest[0]))


def row_op(torch, op, n):
    x = torch.randn(n)
    half = x.to(torch.float16)
    return {
        "copy": lambda: x.clone(),
        "add": lambda: x + x,
        "mul": lambda: x * 0.5,
        "relu": lambda: torch.relu(x),
        "add_inplace": lambda: x.add_(x),
        "exp": lambda: torch.exp(x),
        "tanh": lambda: torch.tanh(x),
        "sum": lambda: x.sum(),
        "to_float16": lambda: x.to(torch.float16),
        "to_bfloat16": lambda: x.to(torch.bfloat16),
        "from_float16": lambda: half.to(torch.float32),
        "add_float16": lambda: half + half,
    }[op]


def line_op(torch, op, dtype, rows, columns):
    functional = torch.nn.functional
    x = torch.randn(rows, columns).to(dtype)
    weight = torch.ones(columns, dtype=dtype, requires_grad=True)
    bias = torch.zeros(columns, dtype=dtype, requires_grad=True)
    classes = torch.arange(rows) % columns
    calls = {
        "sum_rows": lambda: x.sum(1),
        "sum_columns": lambda: x.sum(0),
        "max_rows": lambda: x.amax(1),
        "softmax": lambda: x.softmax(1),
        "log_softmax": lambda: x.log_softmax(1),
        "gelu": lambda: functional.gelu(x),
        "layer_norm": lambda: functional.layer_norm(x, (columns,), weight, bias),
        "cross_entropy": lambda: functional.cross_entropy(x, classes),
    }
    forward, backward, _ = op.partition("_backward")
    if not backward:
        return calls[op]
    x.requires_grad_()
    y = calls[forward]()
    g = torch.ones_like(y)
    return lambda: torch.autograd.grad(y, x, g, retain_graph=True)


def small(torch, op):
    x, y = torch.randn(4, 4), torch.randn(4, 4)
    w = torch.randn(4, 4, requires_grad=True)
    return {
        "add": lambda: x + y,
        "matmul": lambda: x @ y,
        "add_recorded": lambda: x + w,
        "backward": lambda: (x * w).sum().backward(),
    }[op]


def step(torch, network, dtype):
    from torch import nn

    dtype = getattr(torch, dtype)
    cross_entropy = nn.functional.cross_entropy
    if network == "mlp":
        model = nn.Sequential(
            nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)
        )
        x, loss_of = torch.randn(128, 784), cross_entropy
    elif network == "cnn":
        model = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
        )
        x, loss_of = torch.randn(64, 1, 28, 28), cross_entropy
    else:
        model = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
        x, loss_of = torch.randn(16, 128, 256), lambda out, _: out.mean()
    classes = torch.randint(10, (x.shape[0],))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(kind_of_device, enabled=dtype == torch.float16)
    autocast = dtype != torch.float32

    def call():
        optimizer.zero_grad()
        with torch.autocast(kind_of_device, dtype=dtype if autocast else torch.bfloat16, enabled=autocast):
            loss = loss_of(model(x), classes)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    return call


def resident(field):
    try:
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return -1


def median_call(call, seconds):
    measure, most = clock()
    n, times, end = 1, [], time.perf_counter() + seconds
    while True:
        took = measure(call, n)
        if took < 0.005 and n < most and not times:
            n *= 2
            continue
        times.append(took / n)
        if time.perf_counter() > end:
            return statistics.median(times)


def clock():
    """Returns what measures n calls, and the most that it can: the clocks are those of clock.go."""
    if device == "cpu":
        return by_host, 1 << 20
    if parts()[0] == "small":
        return by_host, 64
    return by_events, 1 << 20


def by_host(call, n):
    start = time.perf_counter()
    for _ in range(n):
        call()
    took = time.perf_counter() - start
    if device != "cpu":
        import torch

        torch.cuda.synchronize()
    return took


def by_events(call, n):
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(n):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1000


def begin():
    call = torch_work() if library == "torch" else numpy_work()
    before = resident("VmRSS")
    call()  # the first one loads what is loaded late
    return call, before


call, before = begin()
for line in sys.stdin:
    try:
        seconds = float(line)
    except ValueError:
        name = line.strip()
        call, before = begin()
        continue
    took = median_call(call, seconds)
    peak = resident("VmHWM")
    print(took, peak - before if peak >= 0 and device == "cpu" else -1, flush=True)

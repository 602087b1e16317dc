import time

import torch


def forward(n):
    x, y = torch.ones(4, 4), torch.full((4, 4), 0.5)
    z = x
    for i in range(n):
        z = x
        for j in range(5):
            z = z + y
            z = z * y
            z = z - x
            z = -z
    return z.sum().item()


forward(100)
start = time.perf_counter()
total = forward(5000)
print("%.6f" % total, time.perf_counter() - start)

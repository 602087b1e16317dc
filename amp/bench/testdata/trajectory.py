"""Does the run that stands on stdin with torch.amp, and prints it.

trajectory.py DEVICE; the fields are those of steps.Run.
"""

import json
import sys

import torch

device = sys.argv[1]
kind = device.split(":")[0]
run = json.load(sys.stdin)
sizes = run["sizes"]
layers = []
for i in range(len(sizes) - 1):
    layer = torch.nn.Linear(sizes[i], sizes[i + 1])
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(run["weights"][2 * i]).reshape(sizes[i + 1], sizes[i]))
        layer.bias.copy_(torch.tensor(run["weights"][2 * i + 1]))
    layers += [torch.nn.ReLU()] * (i > 0) + [layer]
model = torch.nn.Sequential(*layers).to(device)
optimizer = torch.optim.SGD(model.parameters(), **run["sgd"])
scaler = torch.amp.GradScaler(kind, **run["scaler"])
run["losses"], run["scales"] = [], []
for x, classes in zip(run["inputs"], run["classes"]):
    x = torch.tensor(x).reshape(run["batch"], sizes[0]).to(device)
    classes = torch.tensor(classes).to(device)
    optimizer.zero_grad()
    with torch.autocast(kind, dtype=torch.float16):
        loss = torch.nn.functional.cross_entropy(model(x), classes)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    run["losses"].append(loss.item())
    run["scales"].append(scaler.get_scale())
json.dump(run, sys.stdout)

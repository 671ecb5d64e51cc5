"""Logistic (softmax) regression trained by Opacus on prepared tables; runs in a process of its own.

Reads jobs from its input, one JSON list for each line (method, epsilon, seed), and answers each with a file of the
shares it gives to the classes. Numbers lie between -1 and 1 by public bounds, categories are indicators. Poisson batches of a
quarter of the rows, noise by Opacus' own accountant (PRV) for one row more or less, SGD with momentum 0.9:

- opacus-brief: 40 steps, rate 0.5, gradients cut at 1.
- opacus-long: 200 steps, rate 0.5, gradients cut at 1.
- opacus-far: 200 steps, rate 2, gradients cut at 0.5.
- opacus-calm: 100 steps, rate 0.1, gradients cut at 2.
"""

import json
import sys
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from opacus import PrivacyEngine
from opacus.accountants.utils import get_noise_multiplier
from torch.utils.data import DataLoader, TensorDataset

QUARTER = 4
SETTINGS = {
    "opacus-brief": (40, 0.5, 1.0),
    "opacus-long": (200, 0.5, 1.0),
    "opacus-far": (200, 2.0, 0.5),
    "opacus-calm": (100, 0.1, 2.0),
}

room, delta = Path(sys.argv[1]), float(sys.argv[2])
held = np.load(room / "table.npz")
codes, categories, wanted = held["codes"], held["categories"], held["wanted"]
warnings.simplefilter("ignore")
torch.set_num_threads(1)


def indicated() -> np.ndarray:
    """Indicators for categories, numbers around 0."""
    parts = []
    for at, many in enumerate(categories):
        column = codes[:, at]
        parts.append(np.eye(many)[column.astype(int)] if many else 2 * column[:, None] - 1)
    return np.concatenate(parts, axis=1).astype(np.float32)


@lru_cache
def noise(epsilon: float, steps: int) -> float:
    """What Opacus says these steps need."""
    return float(
        get_noise_multiplier(
            target_epsilon=epsilon, target_delta=delta, sample_rate=1 / QUARTER, steps=steps, accountant="prv"
        )
    )


rows, classes = indicated(), int(wanted.max()) + 1
for line in sys.stdin:
    method, epsilon, seed = json.loads(line)
    train, test = held[f"train{seed}"], held[f"test{seed}"]
    steps, rate, cut = SETTINGS[method]
    torch.manual_seed(seed)
    model = torch.nn.Linear(rows.shape[1], classes)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    data = TensorDataset(torch.from_numpy(rows[train]), torch.from_numpy(wanted[train].astype(np.int64)))
    model, optimizer, batches = PrivacyEngine().make_private(
        module=model,
        optimizer=optimizer,
        data_loader=DataLoader(data, batch_size=-(-len(train) // QUARTER)),
        noise_multiplier=noise(epsilon, steps),
        max_grad_norm=cut,
    )
    taken = 0
    while taken < steps:
        for x, y in batches:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            taken += 1
            if taken == steps:
                break
    with torch.no_grad():
        shares = torch.softmax(model(torch.from_numpy(rows[test])), dim=1).numpy()
    np.save(room / "shares.npy", shares.astype(np.float64))
    print("done", flush=True)

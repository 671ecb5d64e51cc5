"""One network, one promise, batches that come round: independent against correlated noise, in one run.

    python -m bench.correlated_noise [--epsilon 1] [--epochs 5] [--records 20000] [--batch 200] [--repeats 2] [--rates 0.125,0.5,2,8] [--only independent]

No batch is drawn at random, as with streams, fixed epochs or clients that come when they can, so nothing is amplified. Every kind of
noise is tried at every learning rate and keeps its best, on records that were not trained on (this choice is not paid for: it is
a comparison of noises, and nothing is released). Beside the accuracies stands what theory says: the error of running sums, as a
share of that of independent noise at the same privacy. Poisson sampling, where it is possible, is there for comparison.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import nn

import privet as pv
from privet.protect.train.gradients import TrainingPlan

FEATURES, CLASSES, HELD_OUT = 40, 10, 10_000
KINDS: dict[str, tuple[str, Any]] = {
    "independent": ("epochs", "independent"),
    "buffered Toeplitz, 2 buffers": ("epochs", pv.BufferedToeplitzNoise(2)),
    "banded, an epoch": ("epochs", None),  # as many bands as an epoch has steps
    "banded inverse, 16 bands": ("epochs", pv.BandedInverseNoise(16)),
    "Poisson batches, independent": ("poisson", "independent"),
}


def data(records: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Records whose class a linear teacher gives, with some chance."""
    generator = torch.Generator().manual_seed(seed)
    teacher = torch.randn(FEATURES, CLASSES, generator=torch.Generator().manual_seed(1))
    x = torch.randn(records, FEATURES, generator=generator) / FEATURES**0.5
    chance = -torch.log(-torch.log(torch.rand(records, CLASSES, generator=generator)))
    return x, (4 * (x @ teacher) + chance).argmax(1)


def planned(kind: str, args: argparse.Namespace) -> TrainingPlan:
    """The plan of one kind of noise."""
    sampling, noise = KINDS[kind]
    steps = args.epochs * args.records // args.batch
    return pv.train.plan(
        nn.Linear(FEATURES, CLASSES),
        pv.ApproxDP(args.epsilon, 1e-6),
        records=args.records,
        batch=args.batch,
        steps=steps,
        sampling=sampling,
        noise=pv.BandedNoise(args.records // args.batch) if noise is None else noise,
    )


def accuracy(plan: TrainingPlan, rate: float, seed: int) -> float:
    """Of a run from zero weights, on records that it did not see."""
    x, y = data(plan.records, seed)
    model = nn.Linear(FEATURES, CLASSES)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    with pv.Ledger.in_memory(limit=plan.promise, unit=pv.Row()) as ledger:
        pv.train_model(
            model,
            (x, y),
            plan,
            ledger=ledger,
            why="a benchmark",
            optimizer=pv.Optimizer(rate=rate, momentum=0.0),
        )
    test_x, test_y = data(HELD_OUT, 10_000 + seed)
    with torch.no_grad():
        return float((model(test_x).argmax(1) == test_y).float().mean())


def running_error(plan: TrainingPlan) -> float:
    """Of sums over the steps, in clipping bounds."""
    if plan.rounds is None:
        return float(plan.noise_multiplier) * ((plan.steps + 1) / 2) ** 0.5
    if plan.rounds.strategy is None:
        inner: Any = getattr(plan.event, "event", plan.event)
        return float(inner.running_error())
    return float(plan.noise_multiplier) * plan.rounds.strategy.running_error()


def main() -> None:
    """Print one line for each kind of noise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--rates", default="0.125,0.5,2,8")
    parser.add_argument("--only", default="", help="the beginning of a kind's name")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rates = [float(rate) for rate in args.rates.split(",")]
    print(f"epsilon {args.epsilon:g}, delta 1e-6, {args.epochs} epochs of {args.records // args.batch} steps")
    least = None
    for kind in (kind for kind in KINDS if kind.startswith(args.only)):
        begun = time.process_time()
        plan = planned(kind, args)
        made = time.process_time() - begun
        error = running_error(plan)
        least = error if least is None else least
        found = {rate: [accuracy(plan, rate, seed) for seed in range(args.repeats)] for rate in rates}
        best = max(rates, key=lambda rate: float(np.mean(found[rate])))
        all_rates = " ".join(f"{rate:g}:{np.mean(found[rate]):.4f}" for rate in rates)
        print(
            f"{kind:30} noise {float(plan.noise_multiplier):8.3f}  error {error / least:.3f} of independent  "
            f"accuracy {np.mean(found[best]):.4f} ± {np.std(found[best]) / len(found[best]) ** 0.5:.4f} at rate {best:g}  "
            f"[{all_rates}]  plan {made:.1f} CPU-s, all {time.process_time() - begun:.1f} CPU-s",
            flush=True,
        )


if __name__ == "__main__":
    main()

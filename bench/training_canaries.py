"""One-run canary audits of `pv.train_model`: the epsilon that a single run shows, beside the one it promises.

    python -m bench.training_canaries [--canaries 1000] [--epsilon 2] [--only flat,adaptive]

Every canary has a gradient of its own, louder than the clipping bound, and is in the data by the toss of a coin (Steinke, Nasr,
Jagielski: NeurIPS 2023). The weights at the end are all that is looked at. Beside the run with its noise stands the same run
with the noise off, where the audit has to show more than was promised: an audit that cannot be lost is no evidence.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import privet as pv
from privet.attacks import AttackReport
from privet.attacks.dp_audit import audit_one_run
from privet.mechanism import _gradient_noise as gradient_noise

OTHERS, LOUD = 200, 5.0  # records that are always there, and how far a canary's gradient lies above the bound
_PLAIN = pv.Optimizer(rate=1.0, momentum=0.0)
RUNS: dict[str, tuple[dict[str, Any], pv.Optimizer]] = {
    "flat": ({}, _PLAIN),
    "automatic": ({"clipping": pv.Clipping(1.0, "automatic")}, _PLAIN),
    "adaptive": ({"clipping": pv.Clipping(1.0, "adaptive")}, _PLAIN),
    "momentum": ({}, pv.Optimizer(rate=1.0, momentum=0.9)),
    "full": ({"sampling": "full"}, _PLAIN),
    "shuffled": ({"sampling": "shuffled"}, _PLAIN),
    "people": ({"unit": pv.Person("who", max_rows=3), "pooling": "sum"}, _PLAIN),
}
EACH = 3  # records of a person, where people are units


@dataclass(frozen=True)
class WeightCanaries:
    """Canary i pulls at weight i alone; its score is how far that weight was moved."""

    count: int
    access: str = "the weights that were released, after one run"
    gaussian: bool = False

    def __len__(self) -> int:
        """How many."""
        return self.count

    def scores(self, trained: Any) -> NDArray[np.float64]:
        """Larger where the canary seems to have been used."""
        return -np.asarray(trained.model.weight.detach().double().numpy()[0, : self.count])


def pulled(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """A loss whose gradient is the record itself, wherever the weights are."""
    return outputs.reshape(-1) * targets


@contextmanager
def without_noise() -> Iterator[None]:
    """Noise off. Not reachable from any configuration."""
    kept = gradient_noise.noised
    gradient_noise.noised = lambda sums, *_: tuple(np.array(one, dtype=np.float64) for one in sums)
    try:
        yield
    finally:
        gradient_noise.noised = kept


def audited(
    name: str,
    canaries: int,
    promise: pv.ApproxDP,
    *,
    steps: int = 10,
    confidence: float = 0.95,
    seed: int = 0,
) -> AttackReport:
    """One run of a kind, with half of the canaries in it."""
    settings, optimizer = RUNS[name]
    generator = torch.Generator().manual_seed(seed)
    others = torch.zeros(OTHERS, canaries + 8)
    others[:, canaries:] = torch.randn(OTHERS, 8, generator=generator)
    loud = torch.eye(canaries, canaries + 8) * LOUD
    records = OTHERS + canaries // 2

    def train(included: NDArray[np.bool_]) -> pv.TrainedModel:
        model = nn.Linear(canaries + 8, 1, bias=False)
        with torch.no_grad():
            model.weight.zero_()
        x = torch.cat([others, loud[torch.from_numpy(included)]])
        made = pv.train.plan(model, promise, records=records, batch=records // 2, steps=steps, **settings)
        people = None
        if isinstance(made.unit, pv.Person):
            people, x = np.repeat(np.arange(len(x)), EACH), x.repeat_interleave(EACH, 0)
        book = pv.Ledger.in_memory(limit=promise, unit=made.unit)
        return pv.train_model(
            model, (x, torch.ones(len(x))), made, people=people, ledger=book, why="audit", loss=pulled,
            optimizer=optimizer,
        )  # fmt: skip

    return audit_one_run(train, WeightCanaries(canaries), promise, confidence=confidence, seed=seed)


def main() -> None:
    """Audit every kind with the noise on and off."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--canaries", type=int, default=1000)
    parser.add_argument("--epsilon", type=float, default=2.0)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--only", default=",".join(RUNS))
    given = parser.parse_args()
    torch.set_num_threads(1)
    promise = pv.ApproxDP(given.epsilon, "1e-5")
    print(f"{'run':<12}{'promised':>9}{'shown':>9}{'noise off':>11}{'CPU-s':>8}")
    for name in given.only.split(","):
        started = time.process_time()
        shown = audited(name, given.canaries, promise, steps=given.steps)["canaries-one-run"]
        with without_noise():
            off = audited(name, given.canaries, promise, steps=given.steps)["canaries-one-run"]
        spent = time.process_time() - started
        print(
            f"{name:<12}{given.epsilon:>9.2f}{shown.success.low:>9.2f}{off.success.low:>11.2f}{spent:>8.1f}"
        )


if __name__ == "__main__":
    main()

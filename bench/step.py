"""One private step against one plain step: CPU time and memory for ours, for plain SGD and for Opacus' modes.

Each contender runs in a process of its own, on one thread, on the same model and batch; contenders take turns. The table
shows the median CPU time of a step, the peak memory and its growth over what loading the libraries takes, and ratios to
the plain SGD of the same turn. Ours is the whole step as users run it: batch drawn, clipped, noised on a grid, weights
moved, progress told. Run it with
`python -m bench.step [--steps 40] [--repeats 3] [--models logistic mlp transformer] [--contenders sgd ours "opacus ghost"]`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CONTENDERS = ("sgd", "ours", "ours vmapped", "opacus hooks", "opacus functorch", "opacus ghost")
LENGTH, VOCABULARY, WIDTH, HEADS, LAYERS = 128, 1024, 128, 4, 4


def transformer(*, tied: bool) -> Any:
    """Four layers: RMS norm, rotary positions, gated layers, tied output."""
    import torch
    from torch import nn

    half = WIDTH // HEADS // 2
    angles = torch.outer(torch.arange(LENGTH), 10000 ** (-torch.arange(half) / half))

    def rotated(x: Any) -> Any:
        one, two = x[..., :half], x[..., half:]
        return torch.cat(
            [one * angles.cos() - two * angles.sin(), one * angles.sin() + two * angles.cos()], -1
        )

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
            self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
            self.gate, self.up = (nn.Linear(WIDTH, 3 * WIDTH, bias=False) for _ in range(2))
            self.down = nn.Linear(3 * WIDTH, WIDTH, bias=False)

        def forward(self, h: Any) -> Any:
            x = self.first(h)
            q, k, v = (
                layer(x).view(len(x), -1, HEADS, WIDTH // HEADS).transpose(1, 2)
                for layer in (self.q, self.k, self.v)
            )
            mixed = nn.functional.scaled_dot_product_attention(rotated(q), rotated(k), v, is_causal=True)
            h = h + self.o(mixed.transpose(1, 2).reshape(x.shape))
            x = self.second(h)
            return h + self.down(nn.functional.gelu(self.gate(x)) * self.up(x))

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.last = nn.Embedding(VOCABULARY, WIDTH), nn.RMSNorm(WIDTH)
            self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
            self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
            if tied:
                self.head.weight = self.embed.weight

        def forward(self, ids: Any) -> Any:
            return self.head(self.last(self.layers(self.embed(ids))))

    return Model()


def case(name: str, contender: str) -> tuple[Any, Any, Any, str]:
    """Model, inputs, targets and loss."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    if name == "transformer":
        ids = torch.randint(0, VOCABULARY, (32, LENGTH))
        # Opacus' ghost clipping refuses tied weights.
        return transformer(tied=contender != "opacus ghost"), ids, ids, "language"
    x, y = torch.randn(512, 100), torch.randint(0, 2, (512,))
    if name == "logistic":
        return nn.Linear(100, 2), x, y, "cross_entropy"
    layers = [nn.Linear(100, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2)]
    return nn.Sequential(*layers), x, y, "cross_entropy"


def plain(name: str, steps: int) -> list[float]:
    """Non-private SGD with momentum."""
    import torch

    from privet.protect.train.gradients._per_example_loss import Batch, Objective

    model, x, y, loss = case(name, "sgd")
    objective = Objective.of(loss)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    times = []
    for _ in range(steps):
        start = time.process_time()
        index = torch.randperm(len(x))
        optimizer.zero_grad()
        objective.losses(model, Batch(x[index], y[index], len(x))).mean().backward()
        optimizer.step()
        times.append(time.process_time() - start)
    return times


def ours(name: str, steps: int, engine: str) -> list[float]:
    """The whole private step."""
    import privet as pv
    from privet.protect.train.gradients import Optimizer, StepSpeed, plan, train_model

    model, x, y, loss = case(name, "ours")
    made = plan(model, pv.ZeroConcentratedDP(1), records=len(x), batch=len(x), steps=steps, sampling="full")
    times: list[float] = []
    marks: list[float] = []

    def progress(_: object) -> None:
        now = time.process_time()
        if marks:
            times.append(now - marks[-1])
        marks.append(time.process_time())

    with (
        tempfile.TemporaryDirectory() as room,
        pv.Ledger(Path(room) / "a.ledger", limit=pv.ZeroConcentratedDP(9), unit=pv.Row()) as ledger,
    ):
        train_model(
            model,
            (x, y),
            made,
            ledger=ledger,
            why="bench",
            loss=loss,
            optimizer=Optimizer(rate=0.01),
            speed=StepSpeed(physical=len(x), engine=engine),  # type: ignore[arg-type]
            progress=progress,
        )
    return times


def opacus(name: str, steps: int, mode: str) -> list[float]:
    """Opacus with fixed batches, which it then does not account for rightly; only the time matters here."""
    import warnings

    import torch
    from opacus import PrivacyEngine
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    warnings.simplefilter("ignore")
    model, x, y, loss = case(name, f"opacus {mode}")
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    loader = DataLoader(TensorDataset(x, y), batch_size=len(x))
    given: dict[str, Any] = {"criterion": criterion} if mode == "ghost" else {}
    made = PrivacyEngine().make_private(
        module=model,
        optimizer=optimizer,
        data_loader=loader,
        noise_multiplier=1.0,
        max_grad_norm=1.0,
        poisson_sampling=False,
        grad_sample_mode=mode,
        **given,
    )
    model, optimizer = made[0], made[1]
    criterion = made[2] if mode == "ghost" else criterion
    times = []
    for _ in range(steps):
        start = time.process_time()
        index = torch.randperm(len(x))
        optimizer.zero_grad()
        outputs, wanted = model(x[index]), y[index]
        if loss == "language":
            outputs, wanted = outputs[:, :-1].contiguous(), wanted[:, 1:].contiguous()
            extra = {"shape": outputs.shape} if mode == "ghost" else {}
            value = criterion(outputs.reshape(-1, VOCABULARY), wanted.reshape(-1), **extra)
        else:
            value = criterion(outputs, wanted)
        value.backward()
        optimizer.step()
        times.append(time.process_time() - start)
    return times


def contend(contender: str, name: str, steps: int) -> dict[str, Any]:
    """Run one contender in this process."""
    import resource

    import torch

    torch.set_num_threads(1)
    loaded = _loaded_mb(contender)
    if contender == "sgd":
        times = plain(name, steps)
    elif contender.startswith("ours"):
        times = ours(name, steps, contender.partition(" ")[2] or "auto")
    else:
        times = opacus(name, steps, contender.partition(" ")[2])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"ms": 1000 * statistics.median(times[2:]), "peak_mb": peak, "grown_mb": peak - loaded}


def _loaded_mb(contender: str) -> int:
    """What the process takes once the contender's libraries are loaded: the rest is what training needs."""
    import importlib

    needed = {"sgd": ["privet.protect.train.gradients._per_example_loss"], "opacus": ["opacus"]}
    ours = [
        "privet.protect.train.gradients",
        "dp_accounting.pld.privacy_loss_distribution",
        "dp_accounting.rdp",
    ]
    for module in needed.get(contender.split(maxsplit=1)[0], ours):
        importlib.import_module(module)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 // 2**20


def measured(contender: str, name: str, steps: int) -> dict[str, Any]:
    """One contender in a process of its own."""
    command = [sys.executable, "-m", "bench.step", "--contender", contender, "--models", name]
    done = subprocess.run([*command, "--steps", str(steps)], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"model": name, "contender": contender, "failed": done.stderr.strip().splitlines()[-1][:120]}
    return {"model": name, "contender": contender, **json.loads(done.stdout.strip().splitlines()[-1])}


def compared(name: str, steps: int, repeats: int, contenders: tuple[str, ...]) -> list[dict[str, Any]]:
    """All contenders in turn, as often as asked for; ratios are medians over the turns, so that a busy machine matters less."""
    turns = [{who: measured(who, name, steps) for who in contenders} for _ in range(repeats)]
    results = []
    for who in contenders:
        runs = [(turn[who], turn["sgd"]) for turn in turns if "ms" in turn[who] and "ms" in turn["sgd"]]
        found = dict(min((turn[who] for turn in turns), key=lambda run: run.get("ms", float("inf"))))
        if runs:
            found["ms"] = round(found["ms"], 3)
            for key, ratio in (
                ("ms", "time_vs_sgd"),
                ("peak_mb", "memory_vs_sgd"),
                ("grown_mb", "grown_vs_sgd"),
            ):
                found[ratio] = round(statistics.median(run[key] / base[key] for run, base in runs), 2)
        results.append(found)
        print(found, flush=True)
    return results


def main() -> None:
    """Run all contenders and print the ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps", type=int, default=40, help="of the small models; a quarter of it for the transformer"
    )
    parser.add_argument("--models", nargs="+", default=["logistic", "mlp", "transformer"])
    parser.add_argument(
        "--repeats", type=int, default=3, help="turns of all contenders; ratios are medians over them"
    )
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), help="sgd must be among them")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        print(json.dumps(contend(given.contender, given.models[0], given.steps)))
        return
    results = []
    for name in given.models:
        steps = max(8, given.steps // 4) if name == "transformer" else given.steps
        results += compared(name, steps, given.repeats, tuple(given.contenders))
    print(json.dumps({"results": results}))


if __name__ == "__main__":
    main()

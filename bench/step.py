"""One private step against one plain step: CPU time, wall time and memory for ours, for plain SGD and for Opacus' modes.

Each contender runs in a process of its own, on one thread, on the same model, records and size of batch. They take turns in
blocks of a few steps, so that a busy machine is busy for all of them; a ratio is that of a contender's steps in a block
to plain SGD's in the same round, all that happens now and then included, and the table shows the median over the rounds. Ours is the whole step as users run it:
batch drawn from all records by Poisson sampling, clipped, looked at, noised on a grid, weights moved, progress told. Plain SGD
and Opacus are handed random batches of exactly that size, and do no sampling of their own. Run it with
`python -m bench.step [--rounds 12] [--models logistic mlp conv transformer] [--batches 64 256 2048] [--contenders sgd ours]`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CONTENDERS = ("sgd", "ours", "opacus hooks", "opacus ghost")
MODELS = ("logistic", "mlp", "conv", "transformer")
BATCHES = (64, 256, 2048)
RECORDS = 20_000
LENGTH, VOCABULARY, WIDTH, HEADS, LAYERS = 32, 256, 64, 4, 2
_SECONDS = 0.25  # about so long is a block of one contender, in plain steps
_MOST = 100  # steps in a block
_WARM = 2  # blocks that do not count


def transformer(*, tied: bool) -> Any:
    """Two layers: RMS norm, rotary positions, gated layers, tied output."""
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
        ids = torch.randint(0, VOCABULARY, (RECORDS, LENGTH))
        # Opacus' ghost clipping refuses tied weights.
        return transformer(tied=contender != "opacus ghost"), ids, ids, "language"
    if name == "conv":
        # As in Opacus' example for MNIST.
        layers = [
            *(nn.Conv2d(1, 16, 8, 2, padding=3), nn.ReLU(), nn.MaxPool2d(2, 1)),
            *(nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.MaxPool2d(2, 1)),
            *(nn.Flatten(), nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 10)),
        ]
        images, kinds = torch.randn(RECORDS, 1, 28, 28), torch.randint(0, 10, (RECORDS,))
        return nn.Sequential(*layers), images, kinds, "cross_entropy"
    x, y = torch.randn(RECORDS, 100), torch.randint(0, 2, (RECORDS,))
    if name == "logistic":
        return nn.Linear(100, 2), x, y, "cross_entropy"
    layers = [nn.Linear(100, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 2)]
    return nn.Sequential(*layers), x, y, "cross_entropy"


Turn = Callable[[], None]  # to be called after every step: waits where the others have their turn


def plain(name: str, batch: int, turn: Turn) -> None:
    """Non-private SGD with momentum, as everybody writes it."""
    import torch

    from privet.protect.train.gradients._per_example_loss import Batch, Objective

    model, x, y, loss = case(name, "sgd")
    objective = Objective.of(loss)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    while True:
        index = torch.randint(0, len(x), (batch,))
        optimizer.zero_grad()
        objective.losses(model, Batch(x[index], y[index], batch)).mean().backward()
        optimizer.step()
        turn()


def ours(name: str, batch: int, turn: Turn, engine: str) -> None:
    """The whole private step, for as many steps as there are turns."""
    import privet as pv
    from privet.protect.train.gradients import Optimizer, StepSpeed, plan, train_model

    model, x, y, loss = case(name, "ours")
    made = plan(model, pv.ApproxDP(8, 1e-5), records=len(x), batch=batch, steps=4000)
    with (
        tempfile.TemporaryDirectory() as room,
        pv.Ledger(Path(room) / "a.ledger", limit=pv.ApproxDP(9, 1e-4), unit=pv.Row()) as ledger,
    ):
        train_model(
            model,
            (x, y),
            made,
            ledger=ledger,
            why="bench",
            loss=loss,
            optimizer=Optimizer(rate=0.01),
            speed=StepSpeed(physical=max(256, min(batch, 512)), engine=engine),  # type: ignore[arg-type]
            progress=lambda _: turn(),
        )


def opacus(name: str, batch: int, turn: Turn, mode: str) -> None:
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
    loader = DataLoader(TensorDataset(x, y), batch_size=batch)
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
    while True:
        index = torch.randint(0, len(x), (batch,))
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
        turn()


# --- one contender, in its own process ----------------------------------------------------------


def contend(contender: str, name: str, batch: int) -> None:
    """Take steps when told to, and tell how long each took; nobody's time runs while another has the turn."""
    import resource

    import torch

    torch.set_num_threads(1)
    loaded = _loaded_mb(contender)
    state: dict[str, Any] = {"left": 1, "of": 1, "mark": (0.0, 0.0)}

    def turn() -> None:
        # The clock is asked once in a block: asking may take longer than a small step.
        state["left"] -= 1
        if state["left"]:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu, wall = used.ru_utime + used.ru_stime - state["mark"][0], time.perf_counter() - state["mark"][1]
        peak, steps = used.ru_maxrss // 1024, state["of"]
        found = {"cpu": cpu / steps, "wall": wall / steps, "peak_mb": peak, "grown_mb": peak - loaded}
        print(json.dumps(found), flush=True)
        told = sys.stdin.readline()
        if not told.strip():
            raise SystemExit
        state["left"] = state["of"] = int(told)
        used = resource.getrusage(resource.RUSAGE_SELF)
        state["mark"] = used.ru_utime + used.ru_stime, time.perf_counter()

    kind, _, mode = contender.partition(" ")
    if kind == "sgd":
        plain(name, batch, turn)
    elif kind == "ours":
        ours(name, batch, turn, mode or "auto")
    else:
        opacus(name, batch, turn, mode)


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


# --- all of them ---------------------------------------------------------------------------------


def started(contender: str, name: str, batch: int) -> Iterator[dict[str, Any]]:
    """Blocks of a contender's steps: send how many the next has."""
    command = [sys.executable, "-m", "bench.step", "--contender", contender, "--models", name]
    process = subprocess.Popen(
        [*command, "--batches", str(batch)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        found: dict[str, Any] = {}
        while True:
            line = process.stdout.readline()
            if not line:
                raise RuntimeError((process.stderr.read().strip().splitlines() or ["nothing"])[-1][:160])
            found = json.loads(line)
            steps = yield found
            process.stdin.write(f"{steps}\n")
            process.stdin.flush()
    finally:
        process.stdin.close()
        process.wait()


def compared(name: str, batch: int, rounds: int, contenders: tuple[str, ...]) -> list[dict[str, Any]]:
    """All contenders in turn, as often as asked for."""
    running: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for who in contenders:
        blocks: Any = started(who, name, batch)
        try:
            next(blocks)
        except RuntimeError as problem:
            failed[who] = str(problem)
        else:
            running[who] = blocks
    running["sgd"].send(5)
    steps = max(2, min(_MOST, round(_SECONDS / max(running["sgd"].send(5)["cpu"], 1e-4))))
    found: dict[str, list[dict[str, Any]]] = {who: [] for who in running}
    for turn in range(_WARM + rounds):
        for who, blocks in running.items():
            block = blocks.send(steps)
            if turn >= _WARM:
                found[who].append(block)
    for each in running.values():
        each.close()
    results = []
    for who in contenders:
        row: dict[str, Any] = {"model": name, "batch": batch, "contender": who}
        row |= {"failed": failed[who]} if who in failed else _ratios(found[who], found["sgd"])
        results.append(row)
        print(row, flush=True)
    return results


def _ratios(blocks: list[dict[str, Any]], base: list[dict[str, Any]]) -> dict[str, Any]:
    cpu, wall = (
        [one[key] / other[key] for one, other in zip(blocks, base, strict=True)] for key in ("cpu", "wall")
    )
    spread = sorted(cpu)
    return {
        "cpu_ms": round(1000 * statistics.median(block["cpu"] for block in blocks), 3),
        "cpu_vs_sgd": round(statistics.median(cpu), 2),
        "from_to": [round(spread[len(spread) // 4], 2), round(spread[-1 - len(spread) // 4], 2)],
        "wall_vs_sgd": round(statistics.median(wall), 2),
        "peak_mb": blocks[-1]["peak_mb"],
        "grown_vs_sgd": round(blocks[-1]["grown_mb"] / base[-1]["grown_mb"], 2),
    }


def main() -> None:
    """Run all contenders and print the ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", default=list(MODELS))
    parser.add_argument("--batches", nargs="+", type=int, default=list(BATCHES))
    parser.add_argument("--rounds", type=int, default=12, help="turns of all contenders that count")
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), help="sgd must be among them")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        contend(given.contender, given.models[0], given.batches[0])
        return
    results = []
    for name in given.models:
        for batch in given.batches:
            results += compared(name, batch, given.rounds, tuple(given.contenders))
    print(json.dumps({"results": results}))


if __name__ == "__main__":
    main()

"""One private step of a small transformer with tied embeddings against one plain step, and against Opacus' modes.

    python -m bench.language_step [--rounds 6] [--contenders plain ours clipping hooks ghost] [--optimizer adam]

Four layers of width 128, gated layers, RMS norms, rotary positions, a vocabulary of 1,024 and texts of 128 tokens, 32 at a time:
1.1 million weights (facts of the issue, section 4). Each contender runs in a process of its own, on one thread; they take turns, so that
a busy machine is busy for all, and a ratio is that of a contender's CPU time to plain training's in the same round. `ours` is the
whole step as users run it: Poisson sampling, clipped sums, the look at one of them, noise on a grid, weights moved. `clipping` is the
engine alone. Opacus' ghost clipping refuses tied weights, and is given an output of its own; it samples nothing and is handed batches
of just that size. Memory is what a process grew by since its libraries were loaded, at its highest.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

VOCABULARY, LENGTH, WIDTH, HEADS, LAYERS = 1024, 128, 128, 4, 4
BATCH, RECORDS = 32, 640
CONTENDERS = ("plain", "ours", "clipping", "hooks", "functorch", "ghost")
WARM = 1
MOST_TIME, MOST_MEMORY = 1.3, 1.15

Turn = Callable[[], None]


def network(*, tied: bool) -> Any:
    """Llama's architecture of transformers."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=3 * WIDTH, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=HEADS, max_position_embeddings=LENGTH, tie_word_embeddings=tied,
        hidden_act="gelu", use_cache=False, pad_token_id=None, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    return LlamaForCausalLM(config)


def corpus() -> Any:
    """Random tokens: what they say has no part in how long a step takes."""
    import torch

    return torch.randint(0, VOCABULARY, (RECORDS, LENGTH))


def plain(turn: Turn, optimizer: str) -> None:
    """As everybody writes it."""
    import torch
    import torch.nn.functional as F  # noqa: N812

    model, tokens = network(tied=True), corpus()
    moves = moved_by(model, optimizer)
    while True:
        ids = tokens[torch.randint(0, RECORDS, (BATCH,))]
        moves.zero_grad()
        logits = model(input_ids=ids).logits
        F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).backward()
        moves.step()
        turn()


def moved_by(model: Any, optimizer: str) -> Any:
    """The optimizer of torch."""
    import torch

    if optimizer == "adam":
        return torch.optim.Adam(model.parameters(), 1e-3)
    return torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)


def ours(turn: Turn, optimizer: str) -> None:
    """The whole private step."""
    import privet as pv
    from privet.protect.train.gradients import Optimizer, plan, train_model

    model, tokens = network(tied=True), corpus()
    made = plan(model, pv.ApproxDP(8, 1e-5), records=RECORDS, batch=BATCH, steps=2000)
    settings = Optimizer("adam", rate=1e-3) if optimizer == "adam" else Optimizer(rate=0.01)
    with (
        tempfile.TemporaryDirectory() as room,
        pv.Ledger(Path(room) / "a.ledger", limit=pv.ApproxDP(9, 1e-4), unit=pv.Row()) as ledger,
    ):
        train_model(
            model, ({"input_ids": tokens}, tokens), made, ledger=ledger, why="bench", loss="language", optimizer=settings,
            progress=lambda _: turn(),
        )  # fmt: skip


def clipping(turn: Turn, optimizer: str) -> None:
    """Book-keeping alone: clipped sums, and weights moved by them."""
    import torch

    from privet.protect.train.gradients import Batch, Objective
    from privet.protect.train.gradients.clipping import Bookkeeping, ClippingRule

    model, tokens = network(tied=True), corpus()
    weights, moves = dict(model.named_parameters()), moved_by(model, optimizer)
    engine, rule = Bookkeeping(model, weights, Objective.of("language")), ClippingRule(1.0)
    while True:
        ids = tokens[torch.randint(0, RECORDS, (BATCH,))]
        found = engine.clipped_sum(Batch({"input_ids": ids}, ids, BATCH), rule)
        for name, weight in weights.items():
            weight.grad = found.sums[name] / BATCH
        moves.step()
        turn()


def opacus(turn: Turn, optimizer: str, mode: str) -> None:
    """Opacus, with noise of its own and batches of a fixed size, for which it then accounts wrongly; only time matters here."""
    import warnings

    import torch
    from opacus import PrivacyEngine
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    warnings.simplefilter("ignore")
    model, tokens = network(tied=mode != "ghost"), corpus()
    model.train()
    criterion: Any = nn.CrossEntropyLoss()
    given: dict[str, Any] = {"criterion": criterion} if mode == "ghost" else {}
    made = PrivacyEngine().make_private(
        module=model, optimizer=moved_by(model, optimizer), data_loader=DataLoader(TensorDataset(tokens), batch_size=BATCH),
        noise_multiplier=1.0, max_grad_norm=1.0, poisson_sampling=False, grad_sample_mode=mode, **given,
    )  # fmt: skip
    model, moves = made[0], made[1]
    criterion = made[2] if mode == "ghost" else criterion
    while True:
        ids = tokens[torch.randint(0, RECORDS, (BATCH,))]
        moves.zero_grad()
        outputs, wanted = model(input_ids=ids).logits[:, :-1].contiguous(), ids[:, 1:].contiguous()
        extra = {"shape": outputs.shape} if mode == "ghost" else {}
        criterion(outputs.reshape(-1, VOCABULARY), wanted.reshape(-1), **extra).backward()
        moves.step()
        turn()


# --- one contender, in its own process ----------------------------------------------------------


def contend(name: str, optimizer: str) -> None:
    """Take steps when told to, and tell how long they took and what memory they needed."""
    import torch

    torch.set_num_threads(1)
    _load(name)
    # The same number as the peak is read from: what a process has taken at most.
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    state: dict[str, Any] = {"left": 1, "of": 1, "mark": 0.0}

    def turn() -> None:
        state["left"] -= 1
        if state["left"]:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu = (used.ru_utime + used.ru_stime - state["mark"]) / state["of"]
        grown, peak = (used.ru_maxrss - loaded) / 1024, used.ru_maxrss / 1024
        print(json.dumps({"cpu": cpu, "grown": grown, "peak": peak}), flush=True)
        told = sys.stdin.readline()
        if not told.strip():
            raise SystemExit
        state["left"] = state["of"] = int(told)
        used = resource.getrusage(resource.RUSAGE_SELF)
        state["mark"] = used.ru_utime + used.ru_stime

    own: dict[str, Callable[[Turn, str], None]] = {"plain": plain, "ours": ours, "clipping": clipping}
    if name in own:
        own[name](turn, optimizer)
    else:
        opacus(turn, optimizer, name)


def _load(name: str) -> None:
    """Import what the contender will need, so that memory which grows later is the training's."""
    import importlib

    needed = {"plain": [], "hooks": ["opacus"], "functorch": ["opacus"], "ghost": ["opacus"]}
    ours_ = ["privet.protect.train.gradients.clipping", "privet.protect.train.gradients", "dp_accounting.pld.privacy_loss_distribution"]  # fmt: skip
    for module in ["transformers.models.llama.modeling_llama", "torch._dynamo", *needed.get(name, ours_)]:
        importlib.import_module(module)


# --- all of them ---------------------------------------------------------------------------------


class Contender:
    """A process that takes steps when it is told to."""

    def __init__(self, name: str, optimizer: str) -> None:
        self.name, self.found = name, list[dict[str, float]]()
        command = [sys.executable, "-m", "bench.language_step", "--contender", name, "--optimizer", optimizer]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.first = self._read()

    def took(self, steps: int) -> dict[str, float]:
        """CPU time of each of so many steps, and the memory so far."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()
        return self._read()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _read(self) -> dict[str, float]:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            said = self._process.stderr.read().strip().splitlines()
            raise RuntimeError((said or ["nothing"])[-1][:160])
        found: dict[str, float] = json.loads(line)
        return found


def measured(names: list[str], rounds: int, steps: int, optimizer: str) -> list[dict[str, Any]]:
    """All in turn; a row for each."""
    running, rows = [], []
    for name in names:
        try:
            running.append(Contender(name, optimizer))
        except RuntimeError as problem:
            rows.append({"contender": name, "failed": str(problem)})
    for turn in range(WARM + rounds):
        for one in running:
            block = one.took(steps)
            if turn >= WARM:
                one.found.append(block)
    base = running[0].found
    for one in running:
        one.close()
        ratios = [mine["cpu"] / theirs["cpu"] for mine, theirs in zip(one.found, base, strict=True)]
        rows.append({
            "contender": one.name,
            "cpu_ms": 1000 * statistics.median(block["cpu"] for block in one.found),
            "time": statistics.median(ratios),
            "from": min(ratios),
            "to": max(ratios),
            "peak_mb": one.found[-1]["peak"],
            "memory": one.found[-1]["peak"] / base[-1]["peak"],
            "grown": one.found[-1]["grown"] / base[-1]["grown"],
        })  # fmt: skip
    return rows


def main() -> None:
    """Print the ratios, and whether they are within what is promised."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=4, help="steps of a turn")
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), help="plain must be the first")
    parser.add_argument("--optimizer", choices=("sgd", "adam"), default="adam")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        contend(given.contender, given.optimizer)
        return
    rows = measured(given.contenders, given.rounds, given.steps, given.optimizer)
    print(f"{'step':<11}{'CPU ms':>8}{'time':>7}{'from':>7}{'to':>7}{'peak MB':>9}{'memory':>8}{'grown':>7}")
    for row in rows:
        if "failed" in row:
            print(f"{row['contender']:<11} fails: {row['failed']}")
            continue
        print(
            f"{row['contender']:<11}{row['cpu_ms']:>8.0f}{row['time']:>7.2f}{row['from']:>7.2f}{row['to']:>7.2f}"
            f"{row['peak_mb']:>9.0f}{row['memory']:>8.2f}{row['grown']:>7.2f}"
        )
    found = {row["contender"]: row for row in rows if "time" in row}
    if "ours" in found:
        mine = found["ours"]
        print(f"time at most {MOST_TIME} of plain: {'yes' if mine['time'] <= MOST_TIME else 'NO'}")
        print(f"memory at most {MOST_MEMORY} of plain: {'yes' if mine['memory'] <= MOST_MEMORY else 'NO'}")
        peers = [found[name]["time"] for name in ("hooks", "functorch", "ghost") if name in found]
        if peers:
            print(f"never slower than Opacus' best mode: {'yes' if mine['time'] <= min(peers) else 'NO'}")


if __name__ == "__main__":
    main()

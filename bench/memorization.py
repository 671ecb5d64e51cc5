"""What a transformer recites with and without differential privacy: canaries at 1, 2, 8 and 32 copies, exposure, and an audit.

    python -m bench.memorization [--canaries 200] [--epsilon 2] [--steps 250]

The same small Llama-style model over bytes is trained three times on the same texts with the same canaries: in plain torch, by
`pv.train_model` under the promise, and by `pv.train_model` with its noise off and its claim kept. The unit is one text. Private
training is to recite none at one copy, with an exposure within its error of that of canaries that were never inserted; the
audit's lower bound is to stay below the claim, and to pass it with the noise off.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from bench.training_canaries import without_noise
from transformers import LlamaConfig, LlamaForCausalLM

import privet as pv
from privet.attacks import AttackReport
from privet.attacks.memorization import CanaryRecord, CausalModel

LENGTH = 64  # bytes of a text; shorter ones are filled up with zeros, which count
WORDS = [
    "patient",
    "ward",
    "stable",
    "fever",
    "calm",
    "slept",
    "walked",
    "asked",
    "doctor",
    "nurse",
    "family",
    "morning",
    "letter",
    "home",
    "care",
    "pain",
    "blood",
    "test",
]


class ByteTokens:
    """A token is a byte."""

    def encode(self, text: str) -> list[int]:
        """Its bytes."""
        return list(text.encode())

    def decode(self, tokens: list[int]) -> str:
        """The text of bytes."""
        return bytes(int(one) % 256 for one in tokens).decode(errors="replace")


def network() -> LlamaForCausalLM:
    """Two layers of width 64, with tied embeddings."""
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=256, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
            max_position_embeddings=2 * LENGTH, tie_word_embeddings=True, attn_implementation="eager",
        )
    )  # fmt: skip


def notes(count: int) -> list[str]:
    """Random sentences, each alone."""
    draw = np.random.default_rng(1)
    return [" ".join(WORDS[at] for at in draw.integers(0, len(WORDS), 9)) + "." for _ in range(count)]


def tokens_of(texts: list[str]) -> torch.Tensor:
    """One row for each text."""
    rows = [list(text.encode())[:LENGTH] for text in texts]
    return torch.tensor([row + [0] * (LENGTH - len(row)) for row in rows])


def plain(texts: list[str], epochs: int) -> LlamaForCausalLM:
    """In the usual way."""
    made, tokens = network(), tokens_of(texts)
    steps = torch.optim.AdamW(made.parameters(), lr=4e-3, weight_decay=0.0)
    decay = torch.optim.lr_scheduler.OneCycleLR(steps, 4e-3, total_steps=epochs * -(-len(tokens) // 16))
    for _ in range(epochs):
        for rows in torch.randperm(len(tokens)).split(16):
            steps.zero_grad()
            made(tokens[rows], labels=tokens[rows]).loss.backward()
            torch.nn.utils.clip_grad_norm_(made.parameters(), 1.0)
            steps.step()
            decay.step()
    return made


def private(texts: list[str], promise: pv.ApproxDP, steps: int) -> LlamaForCausalLM:
    """Under the promise, for one text as the unit."""
    made, tokens = network(), tokens_of(texts)
    plan = pv.train.plan(made, promise, records=len(texts), batch=max(1, len(texts) // 2), steps=steps)
    ledger = pv.Ledger.in_memory(limit=promise, unit=plan.unit)
    pv.train_model(
        made, (tokens, tokens), plan, ledger=ledger, why="bench", loss="language", optimizer=pv.Optimizer("adam", rate=4e-3)
    )  # fmt: skip
    return made


def asked(made: LlamaForCausalLM, record: CanaryRecord, promise: pv.ApproxDP) -> AttackReport:
    """What its canaries say."""
    return pv.attack(CausalModel(made, ByteTokens()), canaries=record, promise=promise)


def told(name: str, report: AttackReport, seconds: float) -> None:
    """One line for each number of copies, and the audit."""
    recited = {row["copies"]: row for row in report["canary-recitation"].details["by copies"]}
    audit: Any = report["canary-epsilon"]
    print(f"{name}: {seconds:.0f} CPU-s; epsilon at least {audit.success.low:.2f}, claimed {audit.bound:.2f}")
    for row in report["canary-exposure"].details["by copies"]:
        one = recited[row["copies"]]
        print(
            f"  {row['copies']:>14}: {one['recited']:>4} of {one['canaries']:>4} recited, at most {one['recited at most']:.3f}; "
            f"exposure {row['exposure']:.2f} [{row['low']:.2f}, {row['high']:.2f}]"
        )


def judged(name: str, report: AttackReport) -> None:
    """Whether it is as it has to be, for this way of training."""
    recited = {row["copies"]: row for row in report["canary-recitation"].details["by copies"]}
    exposure = report["canary-exposure"]
    once = next(row for row in exposure.details["by copies"] if row["copies"] == "1")
    audit: Any = report["canary-epsilon"]
    shares = {copies: row["recited"] / row["canaries"] for copies, row in recited.items()}
    wanted = {
        "plain": {
            "at 8 copies nine in ten are recited": shares.get("8", 0.0) >= 0.9,
            "at 1 copy most are recited": shares["1"] > 0.5,
        },
        "private": {
            "at 1 copy none is recited": not recited["1"]["recited"],
            "exposure at 1 copy is chance, within its error": once["low"]
            <= exposure.details["chance"]
            <= once["high"],
            "the audit stays below the claim": audit.success.low <= audit.bound,
        },
        "noise off": {"the audit passes the claim": audit.success.low > audit.bound},
    }
    for what, holds in wanted[name].items():
        print(f"  {what}: {'yes' if holds else 'NO'}")


def main() -> None:
    """Train three times, and ask each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--canaries", type=int, default=200)
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--epsilon", type=float, default=2.0)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--only", default="plain,private,noise off")
    parser.add_argument("--epochs", type=int, default=80)
    given = parser.parse_args()
    torch.set_num_threads(1)
    promise = pv.ApproxDP(given.epsilon, "1e-5")
    texts, record = pv.plant_canaries(
        notes(given.texts), copies={1: given.canaries, 2: 10, 8: 10, 32: 2}, seed=1
    )
    for name in given.only.split(","):
        started = time.process_time()
        if name == "plain":
            made = plain(texts, given.epochs)
        elif name == "private":
            made = private(texts, promise, given.steps)
        else:
            with without_noise():
                made = private(texts, promise, given.steps)
        report = asked(made, record, promise)
        told(name, report, time.process_time() - started)
        judged(name, report)


if __name__ == "__main__":
    main()

"""The distinguishing game on our own synthesizers: the epsilon that runs with a planted record and without it show.

    python -m bench.canary [--draws 400] [--only mst,aim,evolve,evolution]

Beside the promise stands what was shown with the noise on (never above it, but for one game in a thousand) and with the
noise off, where the same game has to show more than was promised: a game that cannot be lost is no evidence.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

import privet as pv
from privet.mechanism import _opendp_samplers as samplers

PROMISE = pv.ApproxDP(1, "1e-5")
IN_RHO = pv.ZeroConcentratedDP("0.02")  # where calibrating to a delta would take longer than the run
WARDS, KINDS = ["icu", "eye", "surgery", "burns"], ["a", "b", "c"]
ROWS = pa.table({"ward": WARDS[:3] * 60, "kind": KINDS[:2] * 90})
WORDS = ["north", "south", "east", "west", "up", "down"]
NOTES = pa.table({"note": WORDS[:2] * 15})


def table_twin(method: str) -> Callable[[pa.Table], pv.ReleasedTwin]:
    """A synthesizer of tables: as many rows as noisy counts say, which is a trace too."""

    def make(rows: pa.Table) -> pv.ReleasedTwin:
        opened = pv.open_table(rows, unit=pv.Row(), keys={"ward": WARDS, "kind": KINDS})
        book = pv.Ledger.in_memory(limit=PROMISE)
        return pv.synthesize(opened, PROMISE, ledger=book, why="game", method=method)

    return make


def text_twin(rows: pa.Table) -> pv.ReleasedTwin:
    """Private Evolution over six words, of which three live: the canary's lives where it has a vote."""
    words = pv.CallableGenerator(
        lambda count, _: [WORDS[at % 6] for at in range(count)],
        lambda samples, _label, _degree: list(samples),
    )
    book = pv.Ledger.in_memory(limit=IN_RHO)
    return pv.synthesize(
        pv.open_table(rows, unit=pv.Row()), IN_RHO, rows=12, ledger=book, why="game", generator=words, text="note",
        evolution=pv.EvolutionSettings(rounds=2, population=3, variations=1),
    )  # fmt: skip


@contextmanager
def without_noise() -> Iterator[None]:
    """Noise off. Not reachable from any configuration."""
    kept = samplers.draw_discrete_gaussian
    samplers.draw_discrete_gaussian = lambda n, _scale: np.zeros(n, np.int64)
    try:
        yield
    finally:
        samplers.draw_discrete_gaussian = kept


def played(name: str, draws: int) -> Any:
    """One game."""
    texts = name == "evolution"
    game = (
        pv.planted_canary(text_twin, NOTES, {"note": "down"})
        if texts
        else pv.planted_canary(table_twin(name), ROWS, {"ward": "burns", "kind": "c"})
    )
    promise = IN_RHO if texts else PROMISE
    found = pv.attack(game, promise=promise, attacks=["falsifier"], draws=draws, plants=0, delta=1e-5)
    return next(iter(found))


def main() -> None:
    """Play with the noise on and off, and print both beside the promise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--only", default="mst,aim,evolve,evolution")
    said = parser.parse_args()
    for name in said.only.split(","):
        start = time.process_time()
        kept = played(name, said.draws)
        with without_noise():
            lost = played(name, said.draws)
        print(
            f"{name}: promised epsilon {kept.bound:.3g}, shown at least {kept.success.low:.3f} "
            f"(best guess {kept.success.value:.3f}); without noise at least {lost.success.low:.3f}; "
            f"{said.draws} runs a side could show {kept.detectable:.2f}; {time.process_time() - start:.0f} CPU-s",
            flush=True,
        )
        if kept.success.low > kept.bound or lost.success.low <= kept.bound:
            raise SystemExit(f"{name}: the game does not end as it should")


if __name__ == "__main__":
    main()

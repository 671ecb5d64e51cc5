"""AIM as its paper describes it beside ours: the same inference, the same budget, the same tables.

    python -m bench.adaptive_marginals --data adult_coded [--tables FOLDER --names sm_randhie,RetSchool] [--seeds 2] [--epsilon 1]

Ours chooses sets in three batches and prices tables by size; the paper's (McKenna, Mullins, Sheldon and Miklau 2022, Algorithm
2) chooses one at a time and halves its noise where a measurement taught the model little. Only the order of choices and prices
differs. The settings of ours were chosen on Adult; `--tables` names a folder of other CSV files, whose columns are coded here: up
to 40 different values as they are, other numbers in 32 bins of equal width. Error is that of `bench.synthesize`.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from bench.synthesize import array, coded, distance

import privet as pv
from privet.mechanism import Draws
from privet.protect.synthesize import _marginal_synthesis
from privet.protect.synthesize._adaptive_iterative import AimSettings, adaptive_iterative
from privet.protect.synthesize._graphical_model import fitted
from privet.protect.synthesize._junction_tree import model_cells
from privet.protect.synthesize._kept_codes import kept_codes
from privet.protect.synthesize._measurement_batch import expected_counts
from privet.protect.synthesize._measurement_run import MeasurementRun

_MEAN_ABSOLUTE = math.sqrt(2 / math.pi)
_HAIR = 1 - 1e-9


def as_published(run: MeasurementRun, settings: AimSettings, draws: Draws, *, doubt: object = None) -> bool:
    """Algorithm 2 of the paper: one set a round, at first 16 rounds for each column, noise halved where little was learned."""
    del doubt
    sizes, budget = run.exact.sizes, run.remaining * _HAIR
    sigma = math.sqrt(16 * len(sizes) / (2 * 0.9 * budget))
    epsilon = math.sqrt(8 * 0.1 * budget / (16 * len(sizes)))
    first = [run.measure((at,), 1 / (2 * sigma**2)) for at in range(len(sizes))]
    kept = kept_codes(first, sizes, settings.last)
    measured = [kept.reduced(one) for one in first]
    model = fitted(measured, kept.sizes, iterations=60)
    while run.remaining > budget * 1e-6:
        left = run.remaining * _HAIR
        if left < 2 * (1 / (2 * sigma**2) + epsilon**2 / 8):
            sigma, epsilon = math.sqrt(1 / (2 * 0.9 * left)), math.sqrt(8 * 0.1 * left)
        allowed = settings.cells * (1 - left / budget)
        held = [one.columns for one in measured]
        fit = {
            one: weight
            for one, weight in settings.candidates.items()
            if model.tree.home(one) >= 0 or model_cells([*held, one], kept.sizes, settings.last) <= allowed
        }
        expected = expected_counts(model, fit, draws)
        spread = {one: kept.spread(one, table) for one, table in expected.items()}
        dues = {one: _MEAN_ABSOLUTE * sigma * table.size for one, table in expected.items()}
        chosen = run.choose(spread, fit, dues, epsilon**2 / 8 * _HAIR)
        measured.append(kept.reduced(run.measure(chosen, min(1 / (2 * sigma**2), run.remaining) * _HAIR)))
        model = fitted(measured, kept.sizes, before=model, iterations=60)
        learned = np.abs(expected_counts(model, [chosen], draws)[chosen] - expected[chosen]).sum()
        if learned <= dues[chosen]:
            sigma, epsilon = sigma / 2, epsilon * 2
    return True


CONTENDERS: dict[str, Callable[..., bool]] = {"ours": adaptive_iterative, "as published": as_published}


def recoded(place: Path) -> tuple[pa.Table, dict[str, int]]:
    """A real table as codes, and how many each column has; what is missing is a code."""
    import pandas as pd

    table, columns, sizes = pd.read_csv(place), {}, {}
    for name in table.columns:
        column: Any = table[name]
        if column.nunique() > 40 and pd.api.types.is_numeric_dtype(column):
            codes = pd.cut(column, 32, labels=False)
        elif column.nunique() <= 40:
            codes = pd.Series(pd.factorize(column, sort=True)[0]).where(column.notna())
        else:
            continue
        most = int(codes.max()) + 1
        columns[name], sizes[name] = codes.fillna(most).astype(int).to_numpy(), most + int(codes.isna().any())
    return pa.table(columns), sizes


def twin(table: pa.Table, sizes: dict[str, int], promise: pv.ApproxDP) -> tuple[pa.Table, float]:
    """A twin by AIM, and its CPU seconds."""
    opened = pv.open_table(
        table, unit=pv.Row(), keys={name: list(range(size)) for name, size in sizes.items()}
    )
    begun = time.process_time()
    made = pv.synthesize(
        opened,
        promise,
        rows=table.num_rows,
        ledger=pv.Ledger.in_memory(limit=promise),
        why="bench",
        method="aim",
    )
    return made.to_arrow(), time.process_time() - begun


def main() -> None:
    """Each table by both, one after the other."""
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("--data", type=Path, help="folder of Adult, coded")
    said.add_argument("--tables", type=Path, help="folder of other tables")
    said.add_argument("--names", default="sm_randhie,RetSchool")
    said.add_argument("--seeds", type=int, default=2)
    said.add_argument("--epsilon", default="1")
    asked = said.parse_args()
    tables = {"Adult": coded(asked.data)} if asked.data else {}
    if asked.tables:
        tables |= {name: recoded(asked.tables / f"{name}.csv") for name in asked.names.split(",")}
    for name, (table, sizes) in tables.items():
        real = array(table, sizes)
        for who, mechanism in CONTENDERS.items():
            _marginal_synthesis.adaptive_iterative = mechanism  # type: ignore[assignment]
            found = []
            for _ in range(asked.seeds):
                fake, cpu = twin(table, sizes, pv.ApproxDP(asked.epsilon, "1e-9"))
                errors = [distance(real, array(fake, sizes), sizes, width) for width in (1, 2, 3)]
                found.append([*errors, cpu])
            one, two, three, cpu = np.mean(found, axis=0)
            print(
                f"{name} ({table.num_rows} rows, {len(sizes)} columns), epsilon {asked.epsilon}, {who}: 1-way {one:.4f}  "
                f"2-way {two:.4f}  3-way {three:.4f}  CPU {cpu:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()

"""A hierarchy that adds up: how long it takes, and what it errs against independent noise at the same rho.

Time: three levels with 10,000 leaves and a two-way table of 20 cells in each, a million made-up people, from a
Parquet file to the finished release, on whatever cores there are. Error: mean absolute error over the query groups
of each level, over several releases of a smaller hierarchy, as ratios. `same` compares with the very measurements
that were taken, unprocessed (one independently noised table for each query group and level); `detailed only`
compares with one independently noised detailed table for each level, all of rho divided between levels, sums
taken from it. Run from the repository:

    python -m bench.spine                          a table, then one JSON document
    python -m bench.spine --leaves 1000 --releases 5
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import privet as pv
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.protect.tabulate._invariants import collapsed, summed
from privet.protect.tabulate._spine_plan import SpinePlan
from privet.protect.tabulate._spine_release import finish

SEXES, AGES = ["f", "m"], [f"{low}-{low + 9}" for low in range(0, 100, 10)]
RHO = pv.ZeroConcentratedDP(1)


def people(districts: int, each: int, persons: int, seed: int) -> tuple[pa.Table, np.ndarray[Any, Any]]:
    """Rows of persons, and the true table of leaves by cells: a few large places, many small ones, many empty cells."""
    dice = np.random.default_rng(seed)
    leaves = districts * each
    size = dice.gamma(0.5, 1, leaves)
    shape = dice.gamma(0.3, 1, (leaves, 20)) * size[:, None]
    flat = dice.choice(leaves * 20, persons, p=(shape / shape.sum()).reshape(-1))
    leaf, cell = flat // 20, flat % 20
    table = pa.table(
        {
            "id": np.arange(persons),
            "district": leaf // each,
            "leaf": leaf % each,
            "sex": pa.array(SEXES).take(pa.array(cell // 10)),
            "age": pa.array(AGES).take(pa.array(cell % 10)),
        }
    )
    return table, np.bincount(flat, minlength=leaves * 20).reshape(leaves, 20)


def spine_of(source: Any, districts: int, each: int) -> Any:
    table = pv.open_table(source, unit=pv.Person("id", max_rows=1), name="people", version="bench")
    return pv.spine(
        table,
        ["district", "leaf"],
        ["sex", "age"],
        leaves=[(district, leaf) for district in range(districts) for leaf in range(each)],
        keys={"sex": SEXES, "age": AGES},
    )


def timed(districts: int, each: int, persons: int) -> dict[str, Any]:
    """One release from a file, with the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        rows, truth = people(districts, each, persons, seed=1)
        pq.write_table(rows, Path(folder) / "people.parquet")
        del rows
        spine = spine_of(Path(folder) / "people.parquet", districts, each)
        wall, cpu = time.perf_counter(), time.process_time()
        with pv.Ledger(Path(folder) / "people.ledger", limit=RHO) as ledger:
            released = pv.release(spine, RHO, ledger=ledger, why="bench")
        seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    leaves = released.levels[-1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "leaves": districts * each,
        "leaf_cells": int(truth.size),
        "persons": persons,
        "wall_seconds": round(seconds["wall"], 1),
        "cpu_seconds": round(seconds["cpu"], 1),
        "peak_megabytes": round(peak),
        "leaf_cell_error": round(float(np.abs(leaves.counts - truth).mean()), 3),
        "leaf_cell_error_as_measured": round(float(np.abs(leaves.measured[-1].values - truth).mean()), 3),
    }


def compared(districts: int, each: int, persons: int, releases: int) -> list[dict[str, Any]]:
    """Mean absolute errors by level, over several draws of the noise and of the people."""
    ours, linear, same, alone = (np.zeros(3) for _ in range(4))
    for seed in range(releases):
        rows, leaves = people(districts, each, persons, seed=seed)
        plan = pv.explain(spine_of(rows, districts, each), RHO).plan
        tables = [
            summed(leaves, plan.spine.tree.of_leaves(depth), len(level))
            for depth, level in enumerate(plan.spine.tree.levels)
        ]
        noisy = drawn(plan, tables)
        estimates, descent = finish(plan, noisy)
        for depth in range(3):
            ours[depth] += error(plan, descent.tables[depth], tables[depth])
            linear[depth] += error(plan, estimates.final[depth], tables[depth])
            same[depth] += np.mean(
                [
                    np.abs(
                        noisy[depth, group].reshape(len(tables[depth]), -1)
                        - exact(plan, group, tables[depth])
                    ).mean()
                    for group in plan.spine.cells.groups
                ]
            )
            alone[depth] += error(plan, detailed_only(tables[depth]), tables[depth])
    names = [level.name for level in plan.spine.tree.levels]
    return [
        {
            "level": name,
            "consistent": round(ours[depth] / releases, 3),
            "unbiased": round(linear[depth] / releases, 3),
            "as_measured": round(same[depth] / releases, 3),
            "ratio_to_same": round(ours[depth] / same[depth], 3),
            "ratio_to_detailed_only": round(ours[depth] / alone[depth], 3),
        }
        for depth, name in enumerate(names)
    ]


def drawn(plan: SpinePlan, tables: list[Any]) -> dict[Any, Any]:
    found = {}
    for (depth, group), event in plan.noise.items():
        counts = exact(plan, group, tables[depth])
        noise = opendp_samplers.draw_discrete_gaussian(counts.size, float(event.sigma))
        found[depth, group] = counts + noise.reshape(counts.shape)
    return found


def detailed_only(table: Any) -> Any:
    sigma = math.sqrt(3 / (2 * float(RHO.rho)))
    return table + opendp_samplers.draw_discrete_gaussian(table.size, sigma).reshape(table.shape)


def exact(plan: SpinePlan, group: Any, table: Any) -> Any:
    return collapsed(plan.spine.cells, group, table)


def error(plan: SpinePlan, table: Any, truth: Any) -> float:
    """The mean over query groups of the mean absolute error of their entries."""
    return float(
        np.mean(
            [
                np.abs(exact(plan, group, table) - exact(plan, group, truth)).mean()
                for group in plan.spine.cells.groups
            ]
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leaves", type=int, default=10_000, help="leaves of the timed hierarchy")
    parser.add_argument("--persons", type=int, default=1_000_000, help="people in the timed hierarchy")
    parser.add_argument("--releases", type=int, default=40, help="releases over which errors are taken")
    given = parser.parse_args()
    districts = round(math.sqrt(given.leaves))
    speed = timed(districts, given.leaves // districts, given.persons)
    print("  ".join(f"{name} {value:,}" for name, value in speed.items()))
    rows = compared(10, 30, 20_000, given.releases)
    print(
        f"{'level':<10}{'consistent':>12}{'unbiased':>10}{'measured':>10}{'ratio':>8}{'to detailed only':>18}"
    )
    for row in rows:
        print(
            f"{row['level']:<10}{row['consistent']:>12}{row['unbiased']:>10}{row['as_measured']:>10}"
            f"{row['ratio_to_same']:>8}{row['ratio_to_detailed_only']:>18}"
        )
    print(json.dumps({"bench": "spine", "time": speed, "releases": given.releases, "errors": rows}, indent=2))


if __name__ == "__main__":
    main()

"""Is the twin any good, and does it give anybody away: measured on people kept apart, attacked, and tried with a canary."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

import privet as pv

WARDS = ["ICU", "Surgery", "Eye clinic", "Geriatrics"]


def stays(many: int, seed: int) -> pa.Table:
    """Made-up people: nobody in them exists."""
    draws = np.random.default_rng(seed)  # noqa: TID251  example data
    ward = draws.choice(4, many, p=[0.1, 0.4, 0.2, 0.3])
    age = np.clip(draws.normal(np.array([55, 50, 45, 80])[ward], 12), 0, 105).astype(int)
    back = draws.random(many) < np.where(age > 70, 0.8, 0.1)
    return pa.table({"ward": [WARDS[at] for at in ward], "age": age, "readmitted": back})


STATED = {"unit": pv.Row(), "bounds": {"age": (0, 105)}, "keys": {"ward": WARDS}}
used, kept_apart = stays(1_000, 1), stays(1_000, 2)

with TemporaryDirectory() as room:
    ledger = pv.Ledger(Path(room) / "stays.ledger", limit=pv.ApproxDP(2, 1e-6))
    twin = pv.synthesize(
        pv.open_table(used, **STATED),
        pv.ApproxDP(2, 1e-6),
        rows=1_000,
        ledger=ledger,
        why="a twin for the course",
        method="mst",
    )

    # For the owner alone: exact figures of real people.
    found = pv.fidelity(twin, kept_apart, target="readmitted")
    print(found)
    pv.save_twin_page(found, Path(room) / "twin-quality.html")

    # For anybody: what is promised, what it cost, and what was measured with noise.
    pv.save_twin_card(twin, Path(room) / "twin-card.html")

    # An outsider's view, with the truth to score it.
    report = pv.attack(
        twin,
        members=used,
        control=kept_apart,
        attacks=["membership-density", "exact-match", "linkability", "inference"],
        guesses=200,
        repeats=1,
    )
    print(report)
    assert not report.contradicted

    # Somebody who can run the synthesizer herself: she makes the twin again, with each person and without.
    shadows = pv.attack(
        twin,
        members=used,
        control=kept_apart,
        attacks=["membership-shadow-twins"],
        recipe=pv.twin_recipe(twin, pv.open_table(used, **STATED)),
        shadows=4,
        guesses=200,
    )
    print(shadows)
    assert not shadows.contradicted


chance = np.random.default_rng(3)  # noqa: TID251  the example comes out the same each time


def copies(table: pa.Table) -> pa.Table:
    """Not a private synthesizer: it hands out most rows as they are."""
    return table.take(chance.permutation(len(table))[: len(table) * 9 // 10])


game = pv.planted_canary(copies, used.slice(0, 100), {"ward": "ICU", "age": 105, "readmitted": False})
caught = pv.attack(game, promise=pv.ApproxDP(1, 1e-6), attacks=["falsifier"], draws=200, plants=0)
print(caught)
assert caught.contradicted

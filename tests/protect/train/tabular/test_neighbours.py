"""Nothing of the data is used for free: one unit less moves each step by the clipping bound at most, and nothing else."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.examples import hospital
from privet.mechanism import _gradient_noise as gradient_noise

SCHEMA = {
    "days": {"kind": "number", "lower": 0, "upper": 60},
    "cost": {"kind": "number", "lower": 0, "upper": 100_000, "scale": "log"},
    "ward": {"kind": "category", "values": ["Surgery", "Oncology", "Cardiology"]},
    "readmitted": {"kind": "category", "values": ["false", "true"]},
}


class Replay:
    """Noise off: records every step's sum; in the second run hands out what the first run released."""

    def __init__(self) -> None:
        self.runs: list[list[np.ndarray]] = []

    def begin(self) -> None:
        self.runs.append([])

    def noised(self, sums, sigma, generator):
        run = self.runs[-1]
        run.append(np.array(sums[0]))
        return (self.runs[0][len(run) - 1],)


@pytest.fixture
def replay(monkeypatch):
    found = Replay()
    monkeypatch.setattr(gradient_noise, "noised", found.noised)
    monkeypatch.setattr(
        gradient_noise, "included", lambda shape, seed, step, size: (np.arange(size) + step) % 4 > 0
    )
    return found


def trained(tmp_path, replay, rows, unit, *, number, records, target="readmitted"):
    replay.begin()
    with pv.Ledger(tmp_path / f"{number}.ledger", limit=pv.ApproxDP(4, "1e-5")) as ledger:
        return pv.train(
            pv.open_table(rows, unit=unit),
            pv.ApproxDP(2, "1e-6"),
            target=target,
            ledger=ledger,
            schema=SCHEMA,
            records=records,
        )


def furthest(replay):
    first, second = replay.runs
    assert len(first) == len(second) > 10
    return max(float(np.linalg.norm(a - b)) for a, b in zip(first, second, strict=True))


def same_but_weights(one, other):
    return (one.features, one.target, one.fitted.settings, one.notes) == (
        other.features,
        other.target,
        other.fitted.settings,
        other.notes,
    )


@pytest.mark.parametrize("target", ["readmitted", "ward", "days"])
def test_one_row_less(tmp_path, replay, target):
    rows = hospital(patients=300, seed=3)
    # The last row, made extreme: it must not decide bounds, values or sizes.
    odd = rows.slice(0, 1).to_pylist()[0] | {
        "days": 10**6,
        "cost": 1e12,
        "ward": "nowhere",
        "readmitted": True,
    }
    odd |= {"ward": "Surgery"} if target == "ward" else {}
    whole = pa.concat_tables([rows, pa.Table.from_pylist([odd], schema=rows.schema)])
    one = trained(tmp_path, replay, whole, pv.Row(), number=1, records=800, target=target)
    other = trained(tmp_path, replay, rows, pv.Row(), number=2, records=800, target=target)
    assert same_but_weights(one, other)
    clip = one.fitted.settings["clip"]
    assert 0 < furthest(replay) <= clip * (1 + 1e-9)
    assert all(
        np.array_equal(one.fitted.weights[name], other.fitted.weights[name]) for name in one.fitted.weights
    )


def test_one_person_less(tmp_path, replay, monkeypatch):
    # Engines hand persons over in any order, so all of them are in every batch here.
    monkeypatch.setattr(gradient_noise, "included", lambda shape, seed, step, size: np.ones(size, dtype=bool))
    rows = hospital(patients=200, seed=3)
    people = rows["patient_id"].to_pylist()
    last = people[-1]
    extra = rows.filter(pa.array([person == last for person in people])).to_pylist()[0]
    more = pa.Table.from_pylist([extra | {"days": 50 + at} for at in range(30)], schema=rows.schema)
    whole = pa.concat_tables([rows, more])
    fewer = rows.filter(pa.array([person != last for person in people]))
    unit = pv.Person("patient_id", max_rows=5)
    one = trained(tmp_path, replay, whole, unit, number=1, records=200)
    other = trained(tmp_path, replay, fewer, unit, number=2, records=200)
    assert same_but_weights(one, other)
    first, second = replay.runs
    sizes = [float(np.linalg.norm(a - b)) for a, b in zip(first, second, strict=True)]
    assert 0 < max(sizes) <= one.fitted.settings["clip"] * (1 + 1e-9)

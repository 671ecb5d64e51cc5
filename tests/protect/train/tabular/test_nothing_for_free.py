"""Neighbour replay: two tables that differ in one unit, the same noisy answers; all that is published must be the same."""

import datetime
import functools
import itertools
import json

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.mechanism import _gradient_noise as gradient_noise
from privet.mechanism import _objective_noise as objective_noise
from privet.mechanism._secret_seed import SecretSeed
from privet.protect import _noisy_domains as noisy_domains
from privet.protect.train import _explainable_boosting as ebm
from privet.protect.train.tabular import _private_bounds as estimating
from privet.source._open_table import open_table

VOLATILE = ("ledger", "head", "at")  # of a receipt: the book's own, not the data's
COLUMNS = {
    "who": pa.string(), "x": pa.float64(), "amount": pa.string(), "day": pa.date32(), "color": pa.string(),
    "two": pa.string(), "three": pa.string(), "number": pa.float64(),
}  # fmt: skip
SCHEMA = {
    "x": {"kind": "number", "lower": 0, "upper": 10},
    "amount": {
        "kind": "number",
        "lower": 0,
        "upper": 1000,
        "scale": "log",
    },  # numbers that a file holds as text
    "day": {"kind": "date", "lower": "2020-01-01", "upper": "2026-01-01"},
    "color": {"kind": "category", "values": ["red", "green"]},
}
TARGETS = {
    "two": {"kind": "category", "values": ["no", "yes"]},
    "three": {"kind": "category", "values": ["a", "b", "c"]},
    "number": {"kind": "number", "lower": 0, "upper": 10},
}


def rows(many=120):
    draw = np.random.default_rng(5)
    made = []
    for at in range(many):
        x = float(draw.uniform(0, 10))
        made.append(
            {
                "who": f"p{at // 3}",
                "x": x,
                "amount": f"{draw.uniform(0, 999):.2f}",
                "day": datetime.date(2020, 1, 1) + datetime.timedelta(days=int(draw.integers(0, 2000))),
                "color": ["red", "green"][int(draw.integers(0, 2))],
                "two": "yes" if x > 5 else "no",
                "three": "abc"[int(x // 3.4)],
                "number": x,
            }
        )
    return made


EXTREMES = {
    "removed": None,
    "huge": {"x": 1e300, "amount": "1e308", "day": datetime.date(9999, 12, 31), "color": "x" * 5000, "number": 1e300},
    "infinite": {"x": float("-inf"), "amount": "inf", "number": float("inf")},
    "not a number": {"x": float("nan"), "amount": "n/a", "number": float("nan")},
    "missing": dict.fromkeys(["x", "amount", "day", "color", "two", "three", "number"]),
    "never seen": {"color": "mauve", "two": "perhaps", "three": "z", "amount": "twelve"},
}  # fmt: skip


def neighbours(unit, many, hows):
    """A table, and the same with the last unit removed or changed."""
    whole = rows(many)
    size = 3 if isinstance(unit, pv.Person) else 1
    kept, last = whole[:-size], whole[-size:]
    others = [kept if EXTREMES[how] is None else kept + [row | EXTREMES[how] for row in last] for how in hows]
    schema = pa.schema(list(COLUMNS.items()))
    return [pa.Table.from_pylist(one, schema=schema) for one in (whole, *others)]


class Replay:
    """The first run draws; the second is told what the first one heard, whatever it asks."""

    def __init__(self) -> None:
        self.heard, self.run = [], 0

    def begin(self) -> None:
        self.run += 1
        self.place = itertools.count()

    def __call__(self, answer):
        at = next(self.place)
        if self.run == 1:
            self.heard.append(answer)
        return self.heard[at]


@pytest.fixture
def replay(monkeypatch):
    found = Replay()
    monkeypatch.setattr(SecretSeed, "fresh", classmethod(lambda cls: SecretSeed._of(bytes(range(32)))))
    laplace, reveal = estimating.discrete_laplace, noisy_domains.reveal_keys
    monkeypatch.setattr(estimating, "discrete_laplace", lambda *a: found(laplace(*a)))
    monkeypatch.setattr(noisy_domains, "reveal_keys", lambda *a: found(reveal(*a)))
    real = gradient_noise.noised
    for room in (gradient_noise, objective_noise):
        monkeypatch.setattr(room, "noised", lambda *a: found(real(*a)))
    return found


def published(folder, replay, table, asked, *, stated=True):
    """Everything that leaves, as bytes: the folder's files but for the marks of the ledger itself."""
    target, model, unit = asked
    replay.begin()
    place = folder / f"run{replay.run}"
    place.mkdir()
    opened = open_table(table, unit=unit, name="t", version="1")
    promise = pv.ApproxDP(8, "1e-4")
    with pv.Ledger(place / "book", limit=promise) as ledger:
        made = pv.train(
            opened,
            promise,
            target=target,
            ledger=ledger,
            model=model,
            schema={**SCHEMA, target: TARGETS[target]} if stated else None,
            columns=None if stated else ["x", "day", "color"],
            records=100 if stated else None,
        )
        spent = [entry.cost for entry in ledger.history() if entry.kind == "spend"]
    made.save(place / "model")
    record = json.loads((place / "model" / "model.json").read_text(encoding="utf-8"))
    for name in VOLATILE:
        record["receipt"].pop(name)
    record.pop("digest")
    card = [line for line in made.card().splitlines() if not line.startswith("Booked as entry")]
    weights = (place / "model" / "model.safetensors").read_bytes()
    if model == "ebm":  # interpret draws its own noise, which nobody can replay
        record.pop("weights")
        weights = b""
    return json.dumps(record, sort_keys=True), card, weights, spent


def assert_same(
    folder, replay, asked, *, stated=True, hows=tuple(EXTREMES), many=120, load=lambda table: table
):
    first, *others = (
        published(folder, replay, load(table), asked, stated=stated)
        for table in neighbours(asked[2], many, hows)
    )
    for how, other in zip(hows, others, strict=True):
        assert first == other, how


PERSON = pv.Person("who", max_rows=2)


@pytest.mark.parametrize("unit", [pv.Row(), PERSON], ids=["row", "person"])
@pytest.mark.parametrize("target", TARGETS)
def test_linear(tmp_path, replay, target, unit):
    assert_same(tmp_path, replay, (target, "linear", unit))


@pytest.mark.parametrize("target", TARGETS)
def test_network(tmp_path, replay, target):
    assert_same(tmp_path, replay, (target, "mlp", pv.Row()))


@pytest.mark.parametrize("unit", [pv.Row(), PERSON], ids=["row", "person"])
def test_centroids(tmp_path, replay, unit):
    assert_same(tmp_path, replay, ("two", "centroids", unit))


@pytest.mark.parametrize("unit", [pv.Row(), PERSON], ids=["row", "person"])
def test_trees(tmp_path, replay, unit):
    assert_same(tmp_path, replay, ("two", "boosted_trees", unit))


def test_objective(tmp_path, replay):
    assert_same(tmp_path, replay, ("two", "objective", pv.Row()))


def test_boosting(tmp_path, replay, monkeypatch):
    pytest.importorskip("interpret")
    asked = []
    library = ebm._library()

    class Spied(library.DPExplainableBoostingClassifier):
        def __init__(self, **settings):
            asked.append(json.dumps(settings, sort_keys=True))
            super().__init__(**settings)

        def fit(self, x, y):
            asked.append((x.shape, str(x.dtype), sorted(set(y))))
            return super().fit(x, y)

    monkeypatch.setattr(library, "DPExplainableBoostingClassifier", Spied)
    monkeypatch.setattr(ebm, "ROUNDS", 3)
    # Dear, and the same for all four: what it takes is public. Where it took more, it would be computed again.
    monkeypatch.setattr(ebm, "_budget", functools.cache(ebm._budget))
    assert_same(tmp_path, replay, ("two", "ebm", pv.Row()), hows=("removed", "huge", "never seen"))
    assert asked[:2] * 4 == asked


@pytest.mark.parametrize("unit", [pv.Row(), PERSON], ids=["row", "person"])
def test_what_is_estimated_is_all_that_may_differ(tmp_path, replay, unit):
    """Count, bounds and values are drawn once for all; nothing else of the neighbour shows."""
    assert_same(tmp_path, replay, ("two", "linear", unit), stated=False, many=1200)


@pytest.mark.parametrize("unit", [pv.Row(), PERSON], ids=["row", "person"])
def test_on_every_engine(tmp_path, replay, unit, engine):
    hows = ("removed", "infinite", "missing")
    assert_same(
        tmp_path, replay, ("two", "linear", unit), hows=hows, load=lambda table: engine.load(table).table
    )


@pytest.mark.parametrize("model", ["linear", "centroids", "boosted_trees", "mlp", "objective"])
def test_one_row_or_none_at_all(tmp_path, replay, model):
    schema = pa.schema(list(COLUMNS.items()))
    single = pa.Table.from_pylist(rows(1), schema=schema)
    asked = ("two", model, pv.Row())
    one = published(tmp_path, replay, single, asked)
    none = published(tmp_path, replay, single.slice(0, 0), asked)
    assert one == none

"""Rows of a table as records: set aside once, sampled before they are read, and no different from records in memory."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from tests.protect.train.gradients.models import seeded
from torch import nn

import privet as pv
from privet.engine import RowStore
from privet.errors import BadTraining, FileProblem, PolicyBreach
from privet.mechanism import _gradient_noise as gradient_noise
from privet.mechanism import _secret_seed as secret_seed
from privet.protect.train.gradients import Optimizer, StepSpeed, plan, train_model
from privet.protect.train.gradients._table_records import TableRecords
from privet.source import AccessTerms, Snapshot, Table

BOUND = 0.25
COLUMNS = ["a", "b", "c"]
RHO = pv.ZeroConcentratedDP(1)


def rows(count=900, people=60):
    draw = np.random.default_rng(0)
    x = draw.normal(size=(count, 3)).astype(np.float32).astype(np.float64)
    return pa.table({
        "who": draw.integers(0, people, count),
        **{name: x[:, at] for at, name in enumerate(COLUMNS)},
        "y": (x[:, 0] > x[:, 1]).astype(np.int64),
        "word": ["yes" if one > 0 else "no" for one in x[:, 2]],
    })  # fmt: skip


def model_of():
    return seeded(lambda: nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2)))


@pytest.fixture(autouse=True)
def same_seed(monkeypatch):
    monkeypatch.setattr(secret_seed, "fresh_bytes", lambda count: bytes(range(count)))


@pytest.fixture
def trained(tmp_path):
    """Weights after a few shuffled steps."""

    def run(data, unit=None, *, made=None, steps=6, **given):
        unit = unit or pv.Row()
        model = model_of()
        made = made or plan(
            model, RHO, records=90, batch=30, steps=steps, sampling="shuffled", unit=unit, clipping=BOUND
        )
        book = tmp_path / f"{len(list(tmp_path.iterdir()))}.ledger"
        with pv.Ledger(book, limit=pv.ZeroConcentratedDP(3), unit=unit) as ledger:
            try:
                train_model(
                    model, data, made, ledger=ledger, why="a test",
                    optimizer=Optimizer(momentum=0.0), speed=StepSpeed(every=2, threads=1), **given,
                )  # fmt: skip
            finally:
                run.spends = ledger.balance().spends
        return {name: weight.detach().clone() for name, weight in model.named_parameters()}

    return run


def opened(table, tmp_path, unit=None, name="rows.parquet"):
    pq.write_table(table, tmp_path / name)
    return pv.open_table(tmp_path / name, unit=unit or pv.Row())


def assert_same(one, other):
    for name, weight in one.items():
        torch.testing.assert_close(weight, other[name], rtol=1e-5, atol=1e-6)


# --- the same as in memory ---------------------------------------------------------------------


def test_a_file_trains_the_model_that_its_rows_in_memory_train(trained, tmp_path):
    table = rows()
    x = torch.from_numpy(np.column_stack([table[name].to_numpy() for name in COLUMNS])).float()
    y = torch.from_numpy(table["y"].to_numpy().copy())
    here = trained(opened(table, tmp_path), columns=COLUMNS, target="y")
    assert trained.spends == 1
    assert_same(here, trained((x, y)))
    raw = trained(
        opened(table, tmp_path),
        columns=[*COLUMNS, "word"],
        target="y",
        prepare=lambda row: (torch.tensor([row[name] for name in COLUMNS]), row["y"]),
    )
    assert_same(here, raw)


def test_every_engine_gives_the_same_rows(engine):
    table = rows(300)
    for unit in (pv.Row(), pv.Person("who", max_rows=4)):
        there = Table(engine.load(table), "rows", Snapshot.of("test", None), unit=unit)
        found = TableRecords.of_table(there, unit, columns=COLUMNS, target="y", prepare=None)
        x, y = found.taken(np.arange(found.size))
        got = sorted((*one, label) for one, label in zip(x.tolist(), y.tolist(), strict=True))
        whole = {tuple(row[name] for name in [*COLUMNS, "y"]): row["who"] for row in table.to_pylist()}
        if isinstance(unit, pv.Row):
            assert got == sorted(whole)
            continue
        own = found.people()
        assert len(own) == found.size < 300
        assert np.bincount(own).max() == 4
        names = {}
        for place in range(found.size):
            names.setdefault(int(own[place]), set()).add(whole[*x[place].tolist(), int(y[place])])
        assert all(len(one) == 1 for one in names.values()), "each number is one person"


def test_batches_are_decided_before_rows_are_read(trained, tmp_path, monkeypatch):
    """What is read in a step is what its mask says, and no row besides."""
    masks, read = [], []
    mask, at = gradient_noise.NoiseStep.mask, RowStore.at

    def masked(self, size):
        found = mask(self, size)
        read.clear()
        masks.append(np.flatnonzero(found))
        return found

    def seen(self, places):
        if masks:
            read.append(places)
            assert set(places.tolist()) <= set(masks[-1].tolist())
        return at(self, places)

    monkeypatch.setattr(gradient_noise.NoiseStep, "mask", masked)
    monkeypatch.setattr(RowStore, "at", seen)
    trained(opened(rows(), tmp_path), columns=COLUMNS, target="y")
    assert len(masks) == 6
    assert sorted(np.concatenate(read).tolist()) == masks[-1].tolist()


def test_rows_that_miss_a_number_are_left_out_by_themselves(tmp_path):
    table = rows(40)
    for column, place, value in (
        ("a", 3, None),
        ("b", 5, float("nan")),
        ("c", 7, float("inf")),
        ("y", 9, None),
    ):
        values = table[column].to_pylist()
        values[place] = value
        table = table.set_column(table.schema.get_field_index(column), column, pa.array(values))
    there = opened(table, tmp_path)
    found = TableRecords.of_table(there, pv.Row(), columns=COLUMNS, target="y", prepare=None)
    assert found.size == 36
    kept = [place for place in range(40) if place not in (3, 5, 7, 9)]
    assert found.taken(np.arange(36))[0][:, 0].tolist() == pytest.approx(
        [table["a"].to_pylist()[place] for place in kept]
    )
    assert found.targets(None).tolist() == [0, 1]


# --- neighbours --------------------------------------------------------------------------------


def test_a_person_taken_out_of_the_table_moves_a_sum_by_no_more_than_the_bound(
    trained, tmp_path, monkeypatch
):
    taken = []

    def noised(values, sigma, generator):
        taken.append(np.concatenate([np.asarray(value, dtype=np.float64).ravel() for value in values]))
        return tuple(np.zeros(np.shape(value)) for value in values)

    monkeypatch.setattr(gradient_noise, "noised", noised)
    table, unit = rows(400, 30), pv.Person("who", max_rows=5)
    made = plan(model_of(), RHO, records=30, batch=30, steps=2, sampling="full", unit=unit, clipping=BOUND)
    given = {"unit": unit, "made": made, "columns": COLUMNS, "target": "y"}
    trained(opened(table, tmp_path, unit), **given)
    whole = np.array(taken)
    moved = []
    for person in (0, 7, 29):
        taken.clear()
        rest = table.filter(pa.array(table["who"].to_numpy() != person))
        trained(opened(rest, tmp_path, unit, f"{person}.parquet"), **given)
        moved.append(np.linalg.norm(whole - np.array(taken), axis=1))
    assert 0.5 * BOUND < np.max(moved) <= BOUND * (1 + 1e-4)


# --- killed, resumed, refused ------------------------------------------------------------------


def test_a_killed_run_goes_on_with_the_rows_it_began_with(trained, tmp_path):
    class Killed(Exception):
        pass

    def kill(shown):
        if shown.step == 4:
            raise Killed

    unit, given = pv.Row(), {"columns": COLUMNS, "target": "y"}
    there = opened(rows(), tmp_path, unit)
    whole = trained(there, unit, **given)
    model = model_of()
    made = plan(model, RHO, records=90, batch=30, steps=6, sampling="shuffled", unit=unit, clipping=BOUND)
    settings = {
        **given, "folder": tmp_path / "run", "why": "a test",
        "optimizer": Optimizer(momentum=0.0), "speed": StepSpeed(every=2, threads=1),
    }  # fmt: skip
    with pv.Ledger(tmp_path / "b.ledger", limit=RHO, unit=unit) as ledger:
        with pytest.raises(Killed):
            train_model(model, there, made, ledger=ledger, progress=kill, **settings)
        assert (tmp_path / "run" / "rows.arrow").exists()
        later = opened(rows(1200), tmp_path, unit, "later.parquet")  # rows have come in since
        model = model_of()
        train_model(model, later, made, ledger=ledger, **settings)
        assert ledger.balance().spends == 1
        assert not (tmp_path / "run" / "rows.arrow").exists(), "rows go with the end of the run"
        with pytest.raises(BadTraining, match="finished"):
            train_model(model_of(), later, made, ledger=ledger, **settings)
        assert not (tmp_path / "run" / "rows.arrow").exists()
    assert_same(whole, dict(model.named_parameters()))


def test_other_rows_in_the_place_of_those_that_were_set_aside_are_refused(tmp_path, monkeypatch):
    """They are known by their digest before a byte is parsed: rows of another run, other columns, and what is no Arrow at all."""
    there = opened(rows(), tmp_path)
    made = plan(model_of(), RHO, records=90, batch=30, steps=6, sampling="shuffled")

    def stop(shown):
        raise KeyboardInterrupt

    given = {"columns": COLUMNS, "target": "y", "folder": tmp_path / "run", "why": "a test"}
    with pv.Ledger(tmp_path / "b.ledger", limit=RHO, unit=pv.Row()) as ledger:
        with pytest.raises(KeyboardInterrupt):
            train_model(model_of(), there, made, ledger=ledger, progress=stop, **given)
        place, parsed = tmp_path / "run" / "rows.arrow", pa.ipc.open_file
        kept = place.read_bytes()
        for other in (["a", "b", "c"], ["a", "word"], None):
            if other is None:
                place.write_bytes(kept[:-9] + b"\x00" + kept[-8:])
            else:
                TableRecords.of_table(
                    opened(rows(800), tmp_path, name="other.parquet"), pv.Row(), columns=other, target="y",
                    prepare=lambda row: (torch.zeros(3), 0), place=place,
                )  # fmt: skip
            monkeypatch.setattr(pa.ipc, "open_file", None)
            with pytest.raises(FileProblem, match="not those that were set aside for this run"):
                train_model(model_of(), there, made, ledger=ledger, **given)
            monkeypatch.setattr(pa.ipc, "open_file", parsed)
        place.write_bytes(kept)
        train_model(model_of(), there, made, ledger=ledger, **given)
        assert ledger.balance().spends == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": "y"}, "which columns"),
        ({"columns": ["a", "bee"], "target": "y"}, "no column 'bee'"),
        ({"columns": ["a", "y"], "target": "y"}, "named twice"),
        ({"columns": ["a", "word"], "target": "y"}, "no numbers"),
        ({"columns": ["a", "who"], "target": "y"}, "whose a row is"),
        ({"columns": COLUMNS, "target": "y", "people": [1, 2]}, "says itself"),
        ({"columns": COLUMNS, "target": "who"}, "whose a row is"),
        ({"columns": COLUMNS, "target": "a"}, "named twice"),
    ],
)
def test_what_is_asked_wrongly_is_refused_and_nothing_spent(trained, tmp_path, given, words):
    unit = pv.Person("who", max_rows=3)
    with pytest.raises(BadTraining, match=words):
        trained(opened(rows(50), tmp_path, unit), unit, **given)
    assert trained.spends == 0


def test_units_terms_and_targets_are_held_to(trained, tmp_path):
    there, given = opened(rows(50), tmp_path), {"columns": COLUMNS, "target": "y"}
    with pytest.raises(BadTraining, match="the plan hides"):
        trained(there, pv.Person("who", max_rows=3), **given)
    with pytest.raises(pv.errors.BadUnit):
        trained(replace(there, unit=None), **given)
    terms = AccessTerms("stays", purpose="planning", outputs=("answer",))
    with pytest.raises(PolicyBreach, match="model"):
        trained(replace(there, terms=(terms,)), **given)
    many = rows(50).set_column(4, "y", pa.array([0] * 49 + [5]))
    with pytest.raises(BadTraining, match="outside the 2 classes"):
        trained(opened(many, tmp_path), **given)
    with pytest.raises(BadTraining, match="names in a table"):
        trained((torch.zeros(9, 3), torch.zeros(9).long()), **given)
    with pytest.raises(BadTraining, match="no records"):
        trained(opened(rows(50).slice(0, 0), tmp_path), **given)
    assert trained.spends == 0

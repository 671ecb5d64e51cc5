"""What may be known of columns beforehand: with its origin, and refused until somebody answers for it."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import CategoryColumn, NumberColumn
from privet.errors import BadTraining, NotPublic
from privet.protect.train.tabular._public_schema import KnownColumn, Schema, stated_by
from privet.source._public_ranges import Origin


def book(tmp_path, epsilon=8, delta="1e-3", name="b"):
    return pv.Ledger(tmp_path / f"{name}.ledger", limit=pv.ApproxDP(epsilon, delta))


def toy(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    x, color = rng.uniform(0, 10, rows), rng.choice(["red", "green"], rows)
    y = (x + 4 * (color == "red") + rng.normal(0, 1, rows)) > 7
    return pa.table(
        {"x": x, "color": color, "y": y, "z": 2 * x, "who": np.arange(rows) // 4, "day": [None] * rows}
    )


TOY = {
    "x": {"kind": "number", "lower": 0, "upper": 10},
    "color": {"kind": "category", "values": ["red", "green"]},
    "y": {"kind": "category", "values": ["false", "true"]},
}


def test_what_was_read_off_the_data_needs_an_answer(tmp_path):
    known = {
        name: KnownColumn(**{**one, "values": tuple(one.get("values", ()))}) for name, one in TOY.items()
    }
    known["x"] = KnownColumn("number", 0.0, 9.99, origin=Origin.DATA)
    schema = Schema(known, records=400)
    with book(tmp_path) as ledger:
        asked = {"target": "y", "ledger": ledger}
        table = pv.open_table(toy(), unit=pv.Row())
        with pytest.raises(NotPublic, match="x"):
            pv.train(table, pv.ApproxDP(1, "1e-5"), schema=schema, **asked)
        model = pv.train(
            table, pv.ApproxDP(1, "1e-5"), schema=schema.confirmed("a rule of the form"), **asked
        )
    assert "a rule of the form" in " ".join(model.notes)


KNOWN = {
    "x": KnownColumn("number", 0.0, 10.0),
    "c": KnownColumn("category", values=("a", "b")),
    "y": KnownColumn("category", values=("no", "yes")),
    "who": KnownColumn("number", 0.0, 9.0),
    "free": KnownColumn("ignore"),
}


def test_features_are_all_but_the_target_the_person_and_what_is_ignored():
    features, target = Schema(KNOWN).split("y", "who", dict.fromkeys(KNOWN))
    assert list(features.names) == ["x", "c"]
    assert isinstance(features.columns[0], NumberColumn)
    assert isinstance(features.columns[1], CategoryColumn)
    assert target.classes == ("no", "yes")
    _, number = Schema(KNOWN).split("x", None, dict.fromkeys(KNOWN))
    assert (number.kind, number.lower, number.upper) == ("number", 0, 10)


@pytest.mark.parametrize(
    ("target", "known", "words"),
    [
        ("z", KNOWN, "nothing of the target 'z'"),
        ("free", KNOWN, "nothing of the target 'free'"),
        ("y", {"y": KNOWN["y"]}, "no column is left"),
        ("one", {**KNOWN, "one": KnownColumn("category", values=("a",))}, "at least two classes"),
        ("d", {**KNOWN, "d": KnownColumn("date", 0.0, 9.0)}, "is a date"),
        ("y", {**KNOWN, "gone": KNOWN["x"]}, "no column 'gone'"),
    ],
)
def test_what_cannot_be_split_is_refused(target, known, words):
    present = {name: None for name in known if name != "gone"}
    with pytest.raises(BadTraining, match=words):
        Schema(known).split(target, None, present)


def test_a_confirmation_needs_a_reason():
    with pytest.raises(NotPublic, match="needs a reason"):
        Schema(KNOWN).confirmed("  ")
    with pytest.raises(BadTraining, match="records"):
        Schema(KNOWN, records=0)


def test_a_table_states_what_it_knows_and_nothing_of_those_who_name_people():
    rows = pa.table({"name": ["a"], "x": [1.0], "w": ["A"], "note": ["b"], "ok": [True]})
    table = pv.open_table(
        rows, roles={"name": "direct"}, bounds={"x": (0, 4)}, keys={"w": ["A", "B", None], "name": ["a"]}
    )
    known = stated_by(table).columns
    assert set(known) == {"x", "w", "ok"}
    assert known["w"].values == ("A", "B")

"""The verb on tables: what it takes, refuses, books, and how good its models are."""

import numpy as np
import pyarrow as pa
import pytest
from tests.real_data import real_data

import privet as pv
from privet.errors import BadTraining, BadUnit, BudgetExceeded, MalformedSource
from privet.protect.train.tabular._evaluation import metrics


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


def split(columns, target, share=0.75, seed=0):
    order = np.random.default_rng(seed).permutation(len(target))
    cut = int(share * len(target))
    table = pa.table({**columns, "target": target})
    return table.take(order[:cut]), table.take(order[cut:])


def scores(tmp_path, columns, target, *, bounds, classes, promise, seeds):
    found = []
    for seed in seeds:
        rows, test = split(columns, target, seed=seed)
        table = pv.open_table(rows, unit=pv.Row(), bounds=bounds, keys={"target": classes})
        with book(tmp_path, name=f"s{seed}") as ledger:
            model = pv.train(table, promise, target="target", ledger=ledger, records=len(rows))
        found.append(metrics(model, test)["accuracy"])
    return float(np.mean(found))


def test_breast_cancer(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets")
    x, y = datasets.load_breast_cancer(return_X_y=True)
    columns = {f"c{at}": x[:, at] for at in range(30)}
    bounds = {name: (float(values.min()), float(values.max())) for name, values in columns.items()}
    mean = scores(
        tmp_path,
        columns,
        y,
        bounds=bounds,
        classes=[0, 1],
        promise=pv.ApproxDP(1, "1e-4"),
        seeds=range(10),
    )
    # Splits are fixed, so noise alone moves this: measured over 30 repeats, it is 0.9415 with a standard deviation of
    # 0.0040. The floor is 5.3 of those below, which a run falls short of once in ten million.
    assert mean >= 0.92


def test_digits(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets")
    x, y = datasets.load_digits(return_X_y=True)
    columns = {f"c{at}": x[:, at] for at in range(64)}
    bounds = dict.fromkeys(columns, (0, 16))
    mean = scores(
        tmp_path,
        columns,
        y,
        bounds=bounds,
        classes=list(range(10)),
        promise=pv.ApproxDP(2, "1e-5"),
        seeds=range(6),
    )
    # Noise alone: 0.9231 with a standard deviation of 0.0038 over 12 repeats; the floor is 6 of those below.
    assert mean >= 0.90


@pytest.mark.real_data(twin="test_breast_cancer")
def test_adult(tmp_path):
    """Nine columns of the census extract: boosted trees without privacy reach 0.887 on them, so 0.90 is out of reach."""
    import pyarrow.csv as text

    rows = text.read_csv(real_data("adult") / "adult.csv", parse_options=text.ParseOptions(delimiter=";"))
    order = np.random.default_rng(0).permutation(len(rows))
    schema = {
        name: {"kind": "category", "values": sorted(set(rows[name].to_pylist()))}
        for name in rows.column_names
        if name != "age"
    }
    schema["age"] = {"kind": "number", "lower": 0, "upper": 100}
    with book(tmp_path) as ledger:
        model = pv.train(
            pv.open_table(rows.take(order[:24_000]), unit=pv.Row()),
            pv.ApproxDP(1, "1e-6"),
            target="salary-class",
            ledger=ledger,
            schema=schema,
            records=24_000,
        )
    found = metrics(model, rows.take(order[24_000:]))
    assert found["auroc"] >= 0.865
    assert found["calibration_error"] <= 0.15, "probabilities are somewhat too sure, and no more than that"


def test_numbers_of_few_records(tmp_path):
    """442 patients: ridge regression without privacy explains 0.43 of how the disease goes on."""
    datasets = pytest.importorskip("sklearn.datasets")
    x, y = datasets.load_diabetes(return_X_y=True, scaled=False)
    columns = {f"c{at}": x[:, at] for at in range(10)}
    bounds = {name: (float(values.min()), float(values.max())) for name, values in columns.items()}
    found = []
    for seed in range(6):
        rows, test = split(columns, y, seed=seed)
        table = pv.open_table(rows, unit=pv.Row(), bounds={**bounds, "target": (0, 350)})
        with book(tmp_path, name=f"n{seed}") as ledger:
            model = pv.train(table, pv.ApproxDP(4, "1e-4"), target="target", ledger=ledger, records=len(rows))
        found.append(metrics(model, test)["r2"])
    # Noise alone: 0.408 with a standard deviation of 0.010 over 25 repeats; the floor is 5.7 of those below.
    assert np.mean(found) >= 0.35


def test_all_of_it_is_booked_whole_and_before(tmp_path):
    with book(tmp_path) as ledger:
        model = pv.train(
            pv.open_table(toy(), unit=pv.Row()), pv.ApproxDP(4, "1e-4"), target="y", ledger=ledger, schema=TOY
        )
        entries = [entry for entry in ledger.history() if entry.kind == "spend"]
        spent = 8 - float(ledger.balance().remaining["epsilon"])
    assert len(entries) == 2  # the noisy count, then the fit
    assert 3.9 < spent <= 4
    assert model.receipt.composition == "sealed plan"
    assert model.fitted.settings["records"] != 400 or model.notes


def test_nothing_is_booked_where_the_whole_does_not_fit(tmp_path):
    with book(tmp_path, epsilon=1) as ledger:
        with pytest.raises(BudgetExceeded):
            pv.train(pv.open_table(toy(), unit=pv.Row()), pv.ApproxDP(2, "1e-4"), target="y", ledger=ledger)
        assert [entry for entry in ledger.history() if entry.kind == "spend"] == []


@pytest.mark.parametrize("stated", [{"bounds": {"x": (0, 7)}, "keys": {"y": ["a", "b"]}}, {}])
def test_a_row_that_cannot_be_read_costs_nothing(tmp_path, stated):
    rows = ["who,x,y", *(f"{at},{at % 7},{'ab'[at % 2]}" for at in range(25_000)), '25000,3,"a', "and,so,on"]
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n")
    table = pv.open_table(tmp_path / "rows.csv", unit=pv.Person("who", max_rows=1), **stated)
    with book(tmp_path) as ledger:
        with pytest.raises(MalformedSource):
            pv.train(table, pv.ApproxDP(1, "1e-6"), target="y", ledger=ledger, records=25_000)
        assert [entry for entry in ledger.history() if entry.kind == "spend"] == []


def test_what_nobody_states_is_estimated(tmp_path):
    table = pv.open_table(toy(20_000).drop(["day", "z"]), unit=pv.Row(), roles={"who": "direct"})
    with book(tmp_path) as ledger:
        model = pv.train(table, pv.ApproxDP(2, "1e-5"), target="y", ledger=ledger)
        assert 8 - float(ledger.balance().remaining["epsilon"]) <= 2
    assert set(model.features.names) == {"x", "color"}
    assert "estimated with noise" in " ".join(model.notes)
    assert metrics(model, toy(2_000, seed=1))["auroc"] > 0.95


def test_numbers_and_several_classes(tmp_path):
    numbers = {**TOY, "z": {"kind": "number", "lower": 0, "upper": 20}}
    del numbers["y"]
    with book(tmp_path) as ledger:
        model = pv.train(
            pv.open_table(toy(3_000), unit=pv.Row()),
            pv.ApproxDP(4, "1e-4"),
            target="z",
            ledger=ledger,
            schema=numbers,
            records=3_000,
        )
    found = metrics(model, toy(1_000, seed=1))
    assert found["r2"] > 0.7
    assert np.all((model.predict(toy()) >= 0) & (model.predict(toy()) <= 20))


def test_persons_with_several_rows(tmp_path):
    unit = pv.Person("who", max_rows=3)
    with book(tmp_path) as ledger:
        model = pv.train(
            pv.open_table(toy(4_000), unit=unit),
            pv.ApproxDP(4, "1e-4"),
            target="y",
            ledger=ledger,
            schema=TOY,
            records=1_000,
        )
    assert model.unit["column"] == "who"
    assert metrics(model, toy(1_000, seed=1))["auroc"] > 0.9


def test_class_weights_move_decisions_and_not_probabilities(tmp_path):
    rows, found = toy(6_000), {}
    for name, weights in (("even", None), ("heavy", {"true": 10, "false": 1})):
        with book(tmp_path, name=name) as ledger:
            model = pv.train(
                pv.open_table(rows, unit=pv.Row()),
                pv.ApproxDP(8, "1e-4"),
                target="y",
                ledger=ledger,
                schema=TOY,
                records=6_000,
                class_weights=weights,
            )
        found[name] = (
            float(np.mean(model.predict(rows) == "true")),
            float(model.predict_proba(rows)[:, 1].mean()),
        )
    assert found["heavy"][0] > found["even"][0] + 0.05
    assert found["heavy"][1] == pytest.approx(found["even"][1], abs=0.08)


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"target": "nothing"}, BadTraining, "no column"),
        ({"promise": pv.PureDP(1)}, BadTraining, "ApproxDP"),
        ({"model": "magic"}, BadTraining, "magic"),
        ({"schema": {"x": {"kind": "number"}, "y": TOY["y"]}}, BadTraining, "bound"),
        ({"schema": {"x": {"kind": "odd"}, "y": TOY["y"]}}, BadTraining, "kind"),
        ({"schema": {"x": TOY["x"]}}, BadTraining, "nothing of y"),
        ({"class_weights": {"true": 2}}, BadTraining, "class_weights"),
        ({"records": 0}, BadTraining, "records"),
        ({"unit": pv.Person("who")}, BadTraining, "max_rows"),
        ({"unit": None}, BadUnit, "whose presence"),
    ],
)
def test_refusals_cost_nothing(tmp_path, change, error, word):
    asked = {
        "target": "y",
        "promise": pv.ApproxDP(1, "1e-5"),
        "schema": TOY,
        "records": 400,
        "unit": pv.Row(),
    }
    asked |= change
    table, promise = pv.open_table(toy(), unit=asked.pop("unit")), asked.pop("promise")
    with book(tmp_path) as ledger:
        with pytest.raises(error, match=word):
            pv.train(table, promise, ledger=ledger, **asked)
        assert [entry for entry in ledger.history() if entry.kind == "spend"] == []


def test_texts_that_are_no_numbers_are_missing_in_training_and_refused_in_prediction():
    from privet.artifact._feature_encoding import NumberColumn
    from privet.errors import BadModel

    column, texts = NumberColumn("x", 0, 8, bins=8), pa.chunked_array([["1.5", " 7 ", "n/a", None, "1e9"]])
    assert column.codes(texts, lenient=True).tolist() == [1, 7, 8, 8, 7]
    with pytest.raises(BadModel, match="numbers"):
        column.codes(texts)

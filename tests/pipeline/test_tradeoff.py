"""A trade-off from the table to the proposal: who is measured on whom, what is booked, what is refused."""

import datetime
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.pipeline.small_ward import ROLES, rows, ward

import privet as pv
from privet import examples
from privet.errors import BadSweep, PrivetError
from privet.pipeline import _sweep_point as sweep_point
from privet.pipeline._pareto_frontier import knee
from privet.pipeline._policy import read_policy
from privet.pipeline._policy_draft import OwnerStatements, audited, draft
from privet.pipeline._purpose_limitation import checked
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._tradeoff import Tradeoff, spot_of, tradeoff
from privet.pipeline._tradeoff_summary import policy_lines, words

SCHEMA = {
    "age": {"kind": "number", "lower": 0, "upper": 120},
    "area": {"kind": "category", "values": ["A", "B", "C"]},
    "back": {"kind": "category", "values": ["false", "true"]},
}


def by_label(made: Tradeoff) -> dict[str, sweep_point.SweepPoint]:
    return {point.label: point for point in made.points}


def test_every_technique_and_strength_is_measured_beside_what_is_not_protected(found: Tradeoff) -> None:
    labels = [point.label for point in found.points]
    assert labels == [
        "raw table",
        "k = 2",
        "k = 5",
        "k = 3, l = 3 (illness)",
        "k = 5, all columns",
        "no noise",
        "epsilon = 1",
        "epsilon = 4",
        "epsilon = 11",
    ]
    for point in found.points:
        assert point.utility.low <= point.utility.value <= point.utility.high
        assert 0 <= point.risk.low <= point.risk.value <= point.risk.high <= 1
        assert point.risk.value == max(
            one.value for one in point.attacks.values()
        )  # exact: one of the figures, chosen
        assert point.attacks[point.attack].value == point.risk.value  # exact: one of the figures, chosen


def test_age_is_learned_and_the_raw_table_gives_more_away_than_private_models(found: Tradeoff) -> None:
    made = by_label(found)
    assert made["no noise"].utility.low > 0.6
    assert made["raw table"].utility.value == pytest.approx(made["no noise"].utility.value)
    assert made["raw table"].risk.low > made["epsilon = 1"].risk.high
    assert made["epsilon = 1"].allowed == pytest.approx(
        0.4621, abs=1e-3
    )  # (e - 1) / (e + 1), and twice delta
    assert made["k = 5"].allowed == pytest.approx(0.2)


def test_what_promises_nothing_or_nothing_that_means_anything_is_not_proposed(found: Tradeoff) -> None:
    made = by_label(found)
    assert made["epsilon = 11"].meaningless
    assert not made["epsilon = 4"].meaningless
    assert "too high to mean anything" in words(made["epsilon = 11"])
    assert "98.4% sure" in words(made["epsilon = 11"])  # e^11 / 999 to one
    absurd = replace(made["epsilon = 11"], strength={"epsilon": 1000.0})
    assert "as good as certain" in words(absurd)
    for at, point in enumerate(found.points):
        if point.technique == "reference" or point.meaningless:
            assert at not in found.on_frontier
            assert found.knee is not None
            assert found.knee.index != at
    assert any("weak to non-existent" in note for note in found.notes)


def test_the_record_is_what_pictures_and_reports_read(found: Tradeoff, tmp_path: Path) -> None:
    found.save(tmp_path / "tradeoff.json")
    record = json.loads((tmp_path / "tradeoff.json").read_text())
    assert record == json.loads(json.dumps(found.to_json()))
    assert (record["schema"], record["artifact"], record["target"]) == (1, "tradeoff", "back")
    assert record["standing"] == "surrogate"
    assert "made-up data" in record["standing_words"]
    needed = {"technique", "strength", "label", "utility", "utility_name", "risk", "risk_name", "baseline"}
    assert all(needed | {"on_frontier", "words", "standing"} <= set(point) for point in record["points"])
    at = record["knee"]["index"]
    assert record["points"][at]["on_frontier"]
    assert record["knee"]["index"] == knee([spot_of(point, 0.5) for point in found.points], 0.5).index  # type: ignore[union-attr]
    assert record["points"][at]["label"] in record["knee"]["reason"]


def booked(ledger: pv.Ledger, *epsilons: str, **more: Any) -> Tradeoff:
    sweep = Sweep(epsilon=tuple(map(Decimal, epsilons)), delta=Decimal("1e-6"), k=(2,), k_all=(), l=None)
    settings: dict[str, Any] = {"techniques": ["train"], "schema": SCHEMA, "records": 300, **more}
    return tradeoff(ward(), target="back", sweep=sweep, ledger=ledger, **settings)


def test_a_booked_sweep_needs_a_price_known_beforehand(tmp_path: Path) -> None:
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(5, "1e-5")) as ledger:
        before = len(list(ledger.history()))
        with pytest.raises(PrivetError):
            booked(ledger, "1", schema=None)
        with pytest.raises(BadSweep, match="how many units"):
            booked(ledger, "1", records=None)
        with pytest.raises(BadSweep, match="only private models"):
            booked(ledger, "1", techniques=["anonymize"])
        assert len(list(ledger.history())) == before


def test_unbooked_sweeps_leave_no_ledger_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    tradeoff(ward(), target="back", techniques=["train"], sweep=Sweep(epsilon=(Decimal(1),), repeats=1))
    assert list(tmp_path.iterdir()) == []


# --- the proposed lines ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drafted")
    examples.write(folder / "stays.csv", examples.hospital(60, 7))
    found = audited(str(folder / "stays.csv"))
    roles = {name: column.role for name, column in found.columns.items()}
    said = replace(OwnerStatements(roles=roles).trial(), special_basis="GDPR Art. 9(2)(j), research")
    text = draft(found, "stays.csv", said, today=datetime.date(2030, 1, 1))
    (folder / "privet.yaml").write_text(text)
    return folder / "privet.yaml"


@pytest.mark.parametrize(
    "point",
    [
        ("anonymize", {"k": 5}),
        ("anonymize", {"k": 5, "l": {"diagnosis": 3}}),
        ("anonymize", {"k": 25, "also_quasi": ["ward", "a: b # c\nd"]}),
        ("train", {"epsilon": 0.1, "delta": 1e-6, "model": "linear"}),
        ("pac", {"nats": 0.110944, "function": "logistic-regression"}),
    ],
    ids=["k", "k and l", "all columns", "epsilon", "nats"],
)
def test_proposed_lines_fit_a_drafted_policy(
    drafted: Path, found: Tradeoff, point: tuple[str, dict[str, Any]]
) -> None:
    made = replace(found.points[1], technique=point[0], strength=point[1])
    lines = policy_lines(
        made,
        target="readmitted",
        columns=["sex", "ward"],
        quasi=["born", "zip"],
        purpose="first-use",
        max_suppressed="0.1",
    )
    text = drafted.read_text().replace("limits:\n", f"{lines}limits:\n")
    other = drafted.parent / "with_lines.yaml"
    other.write_text(text)
    policy, place = read_policy(other)
    step = policy.steps[-1]
    assert step.do == point[0]
    assert (step.model_extra or {}).get("k", None) == point[1].get("k")
    if point[0] == "anonymize":  # a model also needs what only people can say: bounds, and how many there are
        bound = checked(policy, place, datetime.date(2030, 1, 1))[-1]
        assert bound.options.k == point[1]["k"]
        wanted = point[1].get("l", {})
        assert bound.options.l == {column: str(number) for column, number in wanted.items()}


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"target": "bakc"}, "Did you mean 'back'"),
        ({"target": "person"}, "names people"),
        ({"techniques": ["anonymise"]}, "Did you mean 'anonymize'"),
        ({"techniques": []}, "no technique"),
        ({"techniques": ["anonymize"], "target": "age"}, "is a quasi-identifier"),
        ({"sweep": Sweep(k=(1,), epsilon=(Decimal(-1),))}, "k is a whole number of at least 2. an epsilon"),
        ({"sweep": Sweep(holdout=0.99)}, "the holdout is"),
        ({"sweep": Sweep(models=("linaer",))}, "Did you mean 'linear'"),
        ({"standing": "secret"}, "no such standing"),
        ({"standing": "booked"}, "needs a ledger"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_cannot_be_measured_is_refused_in_words(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSweep) as refused:
        tradeoff(ward(120), **{"target": "back", **change})
    assert said in refused.value.fact
    assert "nothing was" in refused.value.hint or "Choose one" in refused.value.hint


def test_numbers_are_predicted_too_and_rows_may_be_people() -> None:
    table = pv.open_table(
        rows().drop(["person"]),
        unit=pv.Row(),
        roles={name: role for name, role in ROLES.items() if name != "person"},
    )
    made = tradeoff(
        table,
        target="dose",
        techniques=["train"],
        sweep=Sweep(epsilon=(Decimal(4),), repeats=1),
        standing="public",
    )
    assert made.unit == "row"
    assert made.utility_name == "accuracy on the holdout"  # eight values are classes
    dear = rows().append_column("cost", pa.array([age * 10.5 for age in rows().column("age").to_pylist()]))
    wide = pv.open_table(dear, unit=pv.Person("person", max_rows=3), roles={**ROLES, "cost": "insensitive"})
    made = tradeoff(wide, target="cost", techniques=["train"], sweep=Sweep(epsilon=(Decimal(8),), repeats=1))
    assert made.utility_name.startswith("R²")
    assert by_label(made)["no noise"].utility.value > 0.95
    assert by_label(made)["no noise"].attack == "membership-residual"


def test_a_target_without_a_role_is_predicted_and_not_published() -> None:
    roles = {name: role for name, role in ROLES.items() if name != "back"}
    made = tradeoff(ward(roles=roles), target="back", sweep=Sweep(epsilon=(2,), repeats=1))
    assert {point.technique for point in made.points} == {"reference", "train"}
    assert any("would not be published" in note for note in made.notes)

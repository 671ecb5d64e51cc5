"""Estimate: the local promise is recorded, a shuffler's is booked, and what is no report is refused before a ledger is opened."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

import privet as pv
from privet.errors import BadUsage, ForeignReports, PolicyGap, PrivetError
from privet.pipeline._run import run
from privet.pipeline._run_planner import make_plan
from privet.verbs import Estimate, EstimateOptions, Request, estimated_reports, validated

VALUES = ["a", "b"] * 300


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    spec = pv.Collection("letters", pv.OneOf(["a", "b", "c"]), pv.LocalDP(1), "grr", shuffler=500)
    spec.save("s.json")
    pq.write_table(spec.randomize(VALUES), "r.parquet")
    return tmp_path


def asked(**said: object) -> Request:
    return Request("r.parquet", validated(EstimateOptions, {"specification": "s.json", **said}))


def declared(unit: dict[str, str], **step: object) -> Path:
    said = {
        "version": 1,
        "dataset": {"source": "r.parquet", "unit": unit, "ledger": "r.ledger", "budget": {"epsilon": 1, "delta": 1e-4}},
        "columns": {name: {"role": "insensitive"} for name in ("collection", "value")},
        "purposes": {
            "keys": {"use": "keyboards", "basis": "GDPR Art. 6(1)(a)", "columns": ["collection", "value"], "outputs": ["answer"],
                     "recipients": ["internal"], "budget": {"epsilon": 1, "delta": 1e-4}, "expires": "2099-01-01"}
        },
        "steps": [{"do": "estimate", "name": "letters", "purpose": "keys", "specification": "s.json", **step}],
    }  # fmt: skip
    Path("privet.yaml").write_text(yaml.safe_dump(said), encoding="utf-8")
    return Path("privet.yaml")


def test_bare_reports_leave_no_ledger_behind_and_keep_the_local_promise(place: Path) -> None:
    answer = estimated_reports(asked(top=2), ["r.parquet"], to=Path("a.json"))
    assert len(answer) == 2
    assert answer.promise == pv.LocalDP(1)
    assert pv.ReleasedAnswer.load("a.json").answers == answer.answers
    assert list(place.glob("*.ledger*")) == []


def test_several_files_are_one_estimate(place: Path) -> None:
    Path("again.parquet").write_bytes(Path("r.parquet").read_bytes())
    both = estimated_reports(asked(), ["r.parquet", "again.parquet"])
    assert "1,200 reports" in both.provenance.stages[1]
    declared({"column": "row"})
    with pytest.raises(BadUsage, match="by itself"):
        estimated_reports(asked(), ["r.parquet", "again.parquet"])


def test_a_delta_opens_a_ledger_for_this_alone_and_is_paid_once(place: Path) -> None:
    first, second = (estimated_reports(asked(delta=1e-6), ["r.parquet"]) for _ in range(2))
    assert first.receipt == second.receipt
    assert first.receipt.event is not None
    assert (place / "r.parquet.ledger").exists()


def test_a_policy_records_the_local_promise_and_says_it_in_the_plan(place: Path) -> None:
    path = declared({"column": "row"})
    (step,) = make_plan(path).steps
    assert step.cost == {}
    assert "Even the collector cannot tell" in (step.promise or "")
    (record,) = run(path).steps
    assert record.spent == {}
    with pv.Ledger("r.ledger") as book:
        assert [one.kind for one in book.history()].count("promise") == 1
    again = run(path)
    assert again.steps[0].receipt == record.receipt


def test_a_policy_books_what_a_shuffler_makes_of_them(place: Path) -> None:
    path = declared({"column": "row", "change": "replace"}, delta=1e-6)
    (planned,) = make_plan(path).steps
    (record,) = run(path).steps
    assert planned.cost == record.spent
    assert 0 < float(record.spent["epsilon"]) < 1
    assert make_plan(path).steps[0].cost == {}


def test_a_shuffler_in_a_policy_needs_the_unit_of_one_report(place: Path) -> None:
    with pytest.raises(PolicyGap, match="change: replace"):
        make_plan(declared({"column": "row"}, delta=1e-6))


def test_what_is_no_report_is_refused_before_a_ledger_is_opened(place: Path) -> None:
    (place / "r.csv").write_text("collection,age\nx,3\n", encoding="utf-8")
    table = pv.open_table("r.csv")
    with pytest.raises(ForeignReports, match="value"):
        Estimate().refuse(table, asked().options, None, place)


@pytest.mark.parametrize(
    "said", [{"delta": 0}, {"delta": 1}, {"delta": "nan"}, {"top": 0}, {"confidence": 1}, {"specification": None}]
)  # fmt: skip
def test_options_out_of_range_are_refused(said) -> None:
    with pytest.raises(PrivetError):
        validated(EstimateOptions, {"specification": "s.json", **said})


def test_words_and_values_are_asked_for_by_their_own_commands(place: Path) -> None:
    with pytest.raises(PrivetError, match="words"):
        estimated_reports(asked(), ["r.parquet"], words=True)

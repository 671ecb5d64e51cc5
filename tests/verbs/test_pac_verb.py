"""The verb of PAC releases: what it takes, what a policy lacks for it, and what comes out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.conformance.doors import declared, furnished

from privet.dataset import DataSet
from privet.errors import BudgetExceeded, UnitNotStated
from privet.guarantee import PacPrivacy
from privet.ledger import Ledger
from privet.verbs import PacOptions, PacVerb, Request, carried_out, explained

NAMED = {"mean": ["age"], "bounds": {"age": "0:100"}, "by": ["area"], "keys": {"area": "A,B,C"}}


@pytest.fixture
def ward(tmp_path, monkeypatch) -> Path:
    furnished(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def options(**more) -> PacOptions:
    return PacOptions.model_validate({"nats": "1/4", "count": True, **NAMED, **more})


def test_a_bare_file_is_released_with_what_is_said_of_it(ward) -> None:
    asked = Request("ward.csv", options(), unit="person", max_rows=3)
    done = carried_out(PacVerb(), asked, to=ward / "out.json")
    assert done.promise == PacPrivacy("1/4")
    assert done.facts["labels"][:2] == ["n[area=A]", "mean of age[area=A]"]
    assert done.receipt.cost == {"nats": "0.25"}
    assert (ward / "out.json").exists()
    with Ledger(ward / "ward.csv.ledger") as book:
        assert book.limit == PacPrivacy("1/4")
    again = carried_out(PacVerb(), asked, to=None)
    assert again.facts["values"] == done.facts["values"]
    with pytest.raises(BudgetExceeded):
        carried_out(PacVerb(), Request("ward.csv", options(worlds=64), unit="person", max_rows=3), to=None)


def test_it_explains_and_asks_whose_rows_they_are(ward) -> None:
    del ward
    told = explained(PacVerb(), Request("ward.csv", options(), unit="row"))
    assert "one pass" in str(told)
    with pytest.raises(UnitNotStated):
        explained(PacVerb(), Request("ward.csv", options()))


@pytest.mark.parametrize(
    "wrong",
    [
        {"nats": "0"},
        {"nats": "much"},
        {"worlds": 7},
        {"worlds": 4096},
        {"count": False, "mean": []},
        {"mean": ["age", "age"]},
        {"bounds": {"age": "0-100"}},
        {"bounds": {"other": "0:1"}},
        {"keys": {"age": "1,2"}},
    ],
)
def test_what_cannot_be_asked_is_refused(wrong) -> None:
    with pytest.raises(ValidationError):
        options(**wrong)


def test_nats_are_exact_however_they_are_written() -> None:
    assert options(nats=0.0625).promised() == options(nats="1/16").promised() == PacPrivacy("1/16")


def test_a_policy_without_bounds_values_or_an_account_of_nats_has_gaps(ward) -> None:
    data = DataSet.read(declared(ward))
    purpose = data.purposes["beds"]
    bare = PacOptions.model_validate({"nats": "1/4", "mean": ["age"], "by": ["area"]})
    assert PacVerb().gaps(bare, data.declaration, purpose) == []
    assert {part for part, _ in PacVerb().gaps(options(), data.declaration, purpose)} == {"bounds", "keys"}
    unknown = PacOptions.model_validate({"nats": "1/4", "mean": ["illness"], "by": ["illness"]})
    assert {part for part, _ in PacVerb().gaps(unknown, data.declaration, purpose)} == {"mean", "by"}
    (ward / "privet.yaml").write_text((ward / "privet.yaml").read_text().replace("  nats: 2\n", ""))
    without = DataSet.read(ward / "privet.yaml")
    (gap,) = PacVerb().gaps(bare, without.declaration, without.purposes["beds"])
    assert "account of nats" in gap[1]


ODD = {
    "whole": ["9007199254740993", "-9223372036854775808", "9223372036854775807", ""],
    "real": ["nan", "inf", "-inf", "1e308", "-1e308", "5e-324", ""],
    "long": ["1" + "0" * 36, "-1" + "0" * 36, ""],
}
ASKED = {
    "in one pass": {"mean": ["value"], "count": True},
    "on every half": {"mean": [], "count": False, "function": "covariance", "columns": ["value", "other"]},
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("asked", ASKED)
def test_numbers_that_are_none_or_huge_count_inside_their_bounds(tmp_path, monkeypatch, odd, asked) -> None:
    """A few of them change little: were they heard, the answer would lie far away, or be the bare zeros of a failure."""
    monkeypatch.chdir(tmp_path)
    plain = [str(at % 100) if odd != "real" else f"{at % 100}.5" for at in range(400)]
    values = [*ODD[odd], *plain][:400]
    rows = [f"p{at},{value},{at % 7}" for at, value in enumerate(values)]
    Path("odd.csv").write_text("\n".join(["person,value,other", *rows]) + "\n")
    said = {
        "nats": "4",
        "bounds": {"value": "0:100", **({"other": "0:7"} if "function" in ASKED[asked] else {})},
        **ASKED[asked],
    }
    request = Request("odd.csv", PacOptions.model_validate(said), unit="person", max_rows=1)
    done = carried_out(PacVerb(), request, to=None)
    found = dict(zip(done.facts["labels"], done.facts["values"], strict=True))
    with Ledger(tmp_path / "odd.csv.ledger") as ledger:
        assert ledger.incidents() == []
    assert all(math.isfinite(value) for value in found.values())
    if asked == "in one pass":
        assert 30 < found["mean of value"] < 70
    else:
        assert max(abs(value) for value in found.values()) < 3000
        assert any(abs(value) > 100 for value in found.values())  # the variance of value: 833

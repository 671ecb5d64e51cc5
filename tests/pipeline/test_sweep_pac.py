"""PAC privacy beside differential privacy: bounds that match, models that are measured alike, currencies kept apart."""

import json
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.pipeline.small_ward import ROLES, rows, ward

import privet as pv
from privet.artifact import CategoryColumn, Features, NumberColumn
from privet.pipeline import _sweep_pac as halves_of_people
from privet.pipeline._sweep_pac import PacBench, coded_rows, learned_from, matched, unfit_for_pac
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._sweep_split import halves
from privet.pipeline._tradeoff import Tradeoff, tradeoff
from privet.report import save_tradeoff_page

ONE_FOUR = Sweep(epsilon=(Decimal(1), Decimal(4), Decimal(11)), repeats=2)


@pytest.fixture(scope="module")
def beside() -> Tradeoff:
    return tradeoff(ward(), target="back", techniques=["train", "pac"], sweep=ONE_FOUR, standing="surrogate")


@pytest.mark.parametrize(
    ("epsilon", "nats"), [("0.251", 1 / 128), ("0.730", 1 / 16), ("1.64", 1 / 4), ("2.98", 1 / 2)]
)
def test_nats_bound_membership_as_the_epsilon_does(epsilon: str, nats: float) -> None:
    """The pairs are those of `matching epsilons` that are published with PAC privacy, to the digits given there."""
    found = matched(pv.ApproxDP(epsilon, "1e-15"))
    assert float(found.mutual_information) == pytest.approx(nats, rel=0.01)
    most = 1 / (1 + math.exp(-float(epsilon)))
    assert found.posterior() == pytest.approx(most, abs=1e-6)


def test_matched_nats_never_allow_more_than_the_epsilon() -> None:
    for epsilon in ("0.01", "0.1", "1", "8", "20", "300"):
        promise = pv.ApproxDP(epsilon, "1e-6")
        most = (1 + 1e-6 * math.exp(-float(epsilon))) / (1 + math.exp(-float(epsilon)))
        assert matched(promise).posterior() <= most + 1e-9


def test_points_stand_side_by_side_each_in_its_currency(beside: Tradeoff) -> None:
    labels = {point.label: point for point in beside.points}
    # Above an epsilon of ten there is nothing to match.
    assert [one for one in labels if "nats" in one] == [
        "0.111 nats (as epsilon 1)",
        "0.603 nats (as epsilon 4)",
    ]
    private, half = labels["epsilon = 1"], labels["0.111 nats (as epsilon 1)"]
    assert half.allowed == pytest.approx(private.allowed, abs=1e-5)
    assert isinstance(half.promise, pv.PacPrivacy)
    assert "epsilon" not in half.strength
    assert half.family != private.family  # never compared by promise, nor added up
    assert not beside.spent
    assert any("two currencies" in note for note in beside.notes)


def test_the_best_guess_of_membership_stays_within_the_bound(beside: Tradeoff) -> None:
    for point in beside.points:
        if point.technique == "pac":
            assert set(point.attacks) == {"membership-loss", "membership-confidence", "world-membership"}
            assert point.allowed is not None
            # 400 guesses, at a false alarm rate below 1e-6 (Hoeffding): an advantage of 0.27 above the bound.
            assert point.attacks["world-membership"].value <= point.allowed + 0.27


def test_a_half_is_learned_from(beside: Tradeoff) -> None:
    weak = next(point for point in beside.points if point.label.startswith("0.603"))
    # Of 300 fits the mean was .786 and the deviation .042: the mean of two lies nearly ten deviations above guessing.
    assert weak.utility.value > 0.5


def test_the_record_the_table_and_the_picture_have_them(beside: Tradeoff, tmp_path: Path) -> None:
    record = json.loads(json.dumps(beside.to_json()))
    (half,) = [one for one in record["points"] if one["label"].startswith("0.111")]
    assert half["technique"] == "pac"
    assert half["allowed_in_risk"]
    assert half["standing"] == "surrogate"
    assert half["strength"]["as_epsilon"] == pytest.approx(1)
    assert "73.1%" in half["words"]
    assert "is not hidden" in half["words"]
    assert "0.111 nats (as epsilon 1)" in str(beside)
    page = save_tradeoff_page(record, tmp_path / "page.html").read_text()
    assert "0.111 nats (as epsilon 1): the promise allows 0.462" in page
    assert "two currencies" in page


def test_numbers_are_predicted_by_ridge() -> None:
    dear = rows(150).append_column("cost", pa.array([age * 10.5 for age in rows(150)["age"].to_pylist()]))
    wide = pv.open_table(dear, unit=pv.Person("person", max_rows=3), roles={**ROLES, "cost": "insensitive"})
    made = tradeoff(wide, target="cost", techniques=["pac"], sweep=Sweep(epsilon=("8",), repeats=2))
    (point,) = made.points
    assert point.strength["function"] == "ridge"
    assert set(point.attacks) == {"membership-residual", "world-membership"}
    assert made.knee is not None
    assert "do: pac" in made.policy_lines


def test_a_booked_sweep_never_charges_nats_to_an_epsilon(tmp_path: Path) -> None:
    schema = {
        "age": {"kind": "number", "lower": 0, "upper": 120},
        "back": {"kind": "category", "values": ["false", "true"]},
    }
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(1, "1e-5")) as ledger:
        made = tradeoff(
            ward(),
            target="back",
            techniques=["train", "pac"],
            sweep=Sweep(epsilon=("1",)),
            ledger=ledger,
            schema=schema,
            records=300,
        )
        assert float(ledger.balance().spent["epsilon"]) == pytest.approx(1, rel=1e-3)
    found = {one["technique"]: one["standing"] for one in made.to_json()["points"]}
    assert found == {"reference": "owner-only", "train": "booked", "pac": "owner-only"}


def test_columns_are_those_that_the_command_would_take() -> None:
    day = NumberColumn("day", 0, 100, dates=True)
    age, area = NumberColumn("age", 0, 80, bins=4), CategoryColumn("area", ("A", "B"))
    assert learned_from(Features((day, age, area))).names == ("age", "area")
    found = coded_rows(
        Features((age, area)), pa.table({"age": [0, 79, None, 1_000], "area": ["A", "C", None, "B"]})
    )
    ages = found["age"].to_pylist()
    assert ages[2] is None
    assert [ages[at] for at in (0, 1, 3)] == pytest.approx([10, 70, 70])
    assert found["area"].to_pylist() == ["A", None, None, "B"]


def test_what_cannot_be_learned_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tradeoff(
        ward(), target="back", techniques=["train", "pac"], sweep=Sweep(epsilon=("11",), repeats=1)
    )
    assert any("no epsilon of at most 10" in note for note in made.notes)
    split = halves(ward(), "back", holdout=0.5)
    assert unfit_for_pac(split) is None
    monkeypatch.setattr(halves_of_people, "find_spec", lambda _: None)
    assert "scikit-learn" in (unfit_for_pac(split) or "")


def test_fits_are_made_once_and_noise_each_time() -> None:
    bench = PacBench(halves(ward(), "back", holdout=0.5), 0.95)
    one, two = bench.fits(pv.PacPrivacy("1/16"), 2)
    assert not np.allclose(one.model.weights, two.model.weights)
    trials = bench._trials
    bench.fits(pv.PacPrivacy("1/4"), 1)
    assert bench._trials is trials

"""What all trials of a sweep share: whose rows they are goes with them, and is never published."""

from decimal import Decimal

import pytest
from tests.pipeline.small_ward import LITTLE, ward

from privet.guarantee import ApproxDP
from privet.ledger import throwaway
from privet.pipeline._sweep_bench import SweepBench, model_without_noise, raw_table, search_for
from privet.pipeline._sweep_point import REFERENCE
from privet.pipeline._sweep_split import halves


@pytest.fixture(scope="module")
def bench() -> SweepBench:
    split = halves(ward(), "back", holdout=0.3)
    book = throwaway(ApproxDP(Decimal(1), Decimal("1e-6")))
    return SweepBench(split, LITTLE, book, booked=False, why="a test", purpose=None)


def test_the_least_loss_is_proven_where_that_is_feasible() -> None:
    assert search_for(["a"] * 5) == "optimal"
    assert search_for(["a"] * 6) == "anytime"


def test_attacks_know_whose_rows_they_are_and_what_is_published_does_not_say(bench: SweepBench) -> None:
    assert "person" in bench.members.columns
    assert "person" in bench.control.columns
    assert "person" not in bench.published.columns
    assert bench.quasi == ["age", "area"]


def test_what_is_not_protected_promises_nothing(bench: SweepBench) -> None:
    for point in (raw_table(bench), model_without_noise(bench)):
        assert point.technique == REFERENCE
        assert point.promise is None
        assert point.allowed is None
        assert not point.booked

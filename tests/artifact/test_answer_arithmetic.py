"""Arithmetic with released numbers: noise that is shared is counted once, and error bars cover what they say."""

import datetime

import numpy as np
import pytest

from privet.artifact._answer_arithmetic import Quantity, Ratio
from privet.artifact._receipt import Receipt
from privet.artifact._released_answer import Answer, NoiseTerm, Provenance, ReleasedAnswer
from privet.errors import BadArithmetic
from privet.guarantee._events import DiscreteGaussian, DiscreteLaplace, Event
from privet.guarantee._promise_registry import PureDP

RECEIPT = Receipt(
    "l", 1, "head", "2026-01-01T00:00:00Z", None, None, {}, "pure", "adaptive filter", {}, {}, "a test"
)
WEEKS = tuple(datetime.date(2026, 1, 5) + datetime.timedelta(weeks=i) for i in range(6))


def released(values: list[float], event: Event, source: str = "1", head: str = "head") -> ReleasedAnswer:
    from dataclasses import replace

    width = 10.0
    answer = Answer(
        "n",
        "rows",
        tuple(values),
        tuple(v - width for v in values),
        tuple(v + width for v in values),
        (NoiseTerm("rows", event, source=source),),
    )
    return ReleasedAnswer(
        {"week": WEEKS[: len(values)]},
        (answer,),
        0.95,
        PureDP(1),
        replace(RECEIPT, head=head),
        Provenance("q", "d", "duckdb", {}, ()),
    )


LAPLACE = DiscreteLaplace(20)


def test_a_number_minus_itself_is_exactly_nothing() -> None:
    n = released([100, 200], LAPLACE).quantity("n", week=WEEKS[0])
    nothing = n - n
    assert (nothing.value, nothing.half_width()) == pytest.approx((0, 0))
    assert not nothing.differs_from_zero


def test_a_stored_answer_loaded_twice_is_the_same_draw(tmp_path) -> None:
    answer = released([100, 200], LAPLACE)
    answer.save(tmp_path / "a.json")
    again = ReleasedAnswer.load(tmp_path / "a.json")
    both = answer.quantity("n", week=WEEKS[0]) - again.quantity("n", week=WEEKS[0])
    assert both.half_width() == pytest.approx(0)


def test_draws_of_other_questions_or_entries_are_others() -> None:
    one = released([100], LAPLACE).quantity("n")
    for other in (released([100], LAPLACE, source="2"), released([100], LAPLACE, head="other")):
        assert (one - other.quantity("n")).half_width() > one.half_width()


def test_rows_that_were_sorted_or_cut_afterwards_hold_the_draws_they_held() -> None:
    from dataclasses import replace

    plain = released([100, 200], LAPLACE)
    (column,) = plain.answers
    turned = replace(
        plain,
        keys={"week": WEEKS[1::-1]},
        answers=(
            replace(
                column, values=(200, 100), noise=(replace(column.noise[0], rows=(1, 0), weights=(1.0, 1.0)),)
            ),
        ),
    )
    turned = ReleasedAnswer.from_json(turned.to_json())
    for week in WEEKS[:2]:
        assert (
            plain.quantity("n", week=week) - turned.quantity("n", week=week)
        ).half_width() == pytest.approx(0)
    both = plain.quantity("n", week=WEEKS[0]) - turned.quantity("n", week=WEEKS[1])
    assert both.half_width() > plain.at("n", 0).half_width()


def test_exact_numbers_move_the_value_and_not_the_bar() -> None:
    n = released([100], LAPLACE).quantity("n")
    assert (n + 5).value == pytest.approx(105)
    assert (5 - n).value == pytest.approx(-95)
    assert (n / 4).half_width() == pytest.approx(n.half_width() / 4)
    assert (3 * n).half_width() == pytest.approx(3 * n.half_width())
    assert (-n).value == pytest.approx(-100)


def test_a_part_over_its_whole_shares_its_noise() -> None:
    answer = released([900, 100], LAPLACE)
    part, whole = answer.quantity("n", week=WEEKS[0]), answer.total("n")
    share = part / whole
    assert isinstance(share, Ratio)
    apart = Quantity(900, {("x", "", "", 0): (LAPLACE, 1.0)}) / whole
    assert isinstance(apart, Ratio)
    assert share.value == pytest.approx(0.9)
    assert None not in (share.low, share.high, apart.low, apart.high)
    assert share.high - share.low < (apart.high - apart.low) * 0.6


def test_what_the_noise_could_have_made_is_not_divided_by() -> None:
    answer = released([900, 10], LAPLACE)
    ratio = answer.quantity("n", week=WEEKS[0]) / answer.quantity("n", week=WEEKS[1])
    assert isinstance(ratio, Ratio)
    assert ratio.value is None
    assert str(ratio) == "too noisy to tell"


def test_a_relative_change_keeps_its_order() -> None:
    answer = released([1000, 1500], LAPLACE)
    ratio = answer.quantity("n", week=WEEKS[1]) / answer.quantity("n", week=WEEKS[0])
    assert isinstance(ratio, Ratio)
    change = (ratio - 1) * 100
    assert change.value == pytest.approx(50)
    assert change.low is not None
    assert change.high is not None
    assert change.low < 50 < change.high
    fall = ratio * -1
    assert fall.low is not None
    assert fall.high is not None
    assert fall.low < fall.high


def test_a_trend_that_is_there_and_one_that_is_not() -> None:
    rising = released([100.0 + 70 * i for i in range(6)], LAPLACE).trend("n", "week")
    assert rising.slope.value == pytest.approx(10), "seventy a week is ten a day"
    assert rising.start.value == pytest.approx(100)
    assert rising.says == "rising"
    flat = released([100, 103, 99, 101, 100, 98], LAPLACE).trend("n", "week")
    assert "noise" in flat.says


@pytest.mark.parametrize("event", [DiscreteLaplace(20), DiscreteGaussian(30)])
def test_error_bars_cover_what_they_say(event: Event) -> None:
    """3,000 releases; the share inside has a standard error of 0.004, so 0.93 to 0.97 is 5 of them (6e-7)."""
    draw = np.random.default_rng(3)
    truth = np.array([400.0, 460.0, 500.0, 580.0, 640.0, 700.0])
    line = 1 / 7 * np.polyfit(np.arange(6), truth, 1)[0]
    hits = dict.fromkeys(("total", "difference", "slope"), 0)
    releases = 3_000
    for _ in range(releases):
        noise = (
            np.round(draw.laplace(0, 20, 6)) if isinstance(event, DiscreteLaplace) else draw.normal(0, 30, 6)
        )
        answer = released([float(v) for v in truth + noise], event)
        first, last = answer.quantity("n", week=WEEKS[0]), answer.quantity("n", week=WEEKS[5])
        total = answer.total("n")
        slope = answer.trend("n", "week").slope
        hits["total"] += abs(total.value - truth.sum()) <= total.half_width()
        hits["difference"] += abs((last - first).value - 300) <= (last - first).half_width()
        hits["slope"] += abs(slope.value - line) <= slope.half_width()
    assert {name: 0.93 <= number / releases <= 0.97 for name, number in hits.items()} == dict.fromkeys(
        hits, True
    )


@pytest.mark.parametrize("event", [DiscreteLaplace(20), DiscreteGaussian(30)])
def test_the_error_bar_of_a_share_covers_what_it_says(event: Event) -> None:
    """60 releases; 45 or fewer inside have a probability below 1e-6 at 0.95 (binomial)."""
    draw = np.random.default_rng(4)
    truth = np.array([400.0, 460.0, 700.0])
    hits = 0
    for _ in range(60):
        noise = (
            np.round(draw.laplace(0, 20, 3)) if isinstance(event, DiscreteLaplace) else draw.normal(0, 30, 3)
        )
        answer = released([float(v) for v in truth + noise], event)
        share = answer.quantity("n", week=WEEKS[2]) / answer.total("n")
        assert isinstance(share, Ratio)
        assert share.low is not None
        assert share.high is not None
        hits += share.low <= 700 / truth.sum() <= share.high
    assert hits > 45


def test_what_has_no_error_bar_is_refused() -> None:
    answer = released([100, 200], LAPLACE)
    with pytest.raises(BadArithmetic, match="no row"):
        answer.quantity("n", week=datetime.date(1999, 1, 1))
    with pytest.raises(BadArithmetic, match="2 rows"):
        answer.quantity("n")
    with pytest.raises(BadArithmetic, match="no answer"):
        answer.total("m")
    with pytest.raises(BadArithmetic, match="no key"):
        answer.trend("n", "day")
    with pytest.raises(BadArithmetic, match="multiplied"):
        _ = answer.total("n") * answer.total("n")
    with pytest.raises(BadArithmetic, match="two different places"):
        released([100], LAPLACE).trend("n", "week")

"""The ledger as its callers see it: terms, units, end dates, quotes, receipts."""

import datetime
import hashlib
import json
from fractions import Fraction

import pytest

from privet.errors import (
    BadBooking,
    BadUnit,
    BadUsage,
    BudgetExceeded,
    BudgetExpired,
    EventNotPriced,
    LedgerMismatch,
    NoSuchBudget,
)
from privet.guarantee._events import Composed, DiscreteGaussian, DiscreteLaplace, Opaque, PoissonSampled
from privet.guarantee._privacy_units import Change, Person, Row
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP, ZeroConcentratedDP
from privet.ledger import Ledger, clock

HALF = DiscreteLaplace(2)


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "book.ledger", limit=PureDP(3), unit=Person("id")) as opened:
        yield opened


def on(monkeypatch, year, month, day):
    moment = datetime.datetime(year, month, day, 12, tzinfo=datetime.UTC)
    monkeypatch.setattr(clock, "now", lambda: moment)


def test_a_charge_gives_a_permit_and_a_receipt(ledger):
    permit = ledger.charge(
        HALF, why="weekly bed plan", promise=PureDP("0.5"), data="sha256:abc", unit=Person("id", max_rows=20)
    )
    receipt = permit.receipt
    assert permit.use() == HALF
    assert (receipt.ledger, receipt.entry, receipt.accounting) == (ledger.id, 2, "pure")
    assert (receipt.cost, receipt.remaining) == ({"epsilon": "0.5"}, {"epsilon": "2.5"})
    assert receipt.composition == "adaptive filter"
    assert receipt.event == HALF.to_json()
    assert receipt.promise == PureDP("0.5").to_json()
    assert receipt.unit["max_rows"] == 20
    assert receipt.data == "sha256:abc"
    assert ledger.verify([receipt]).receipts == 1


def test_the_whole_budget_can_be_spent_to_the_last_tenth(ledger):
    for _ in range(30):
        ledger.charge(DiscreteLaplace(10), why="tenth")
    with pytest.raises(BudgetExceeded):
        ledger.charge(Opaque("1e-12"), why="one unit more")


def test_the_refusal_reads_as_agreed(ledger):
    ledger.charge(Opaque(2), why="most of it")
    with pytest.raises(BudgetExceeded) as refusal:
        ledger.charge(Opaque("1.5"), why="too much")
    assert "spent 2 of 3, this needs 1.5, 0.5 short" in refusal.value.fact
    assert refusal.value.exit_code == 8


def test_the_data_set_cap_stands_above_all_others(tmp_path):
    with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row()) as ledger:
        for name in ("ann", "bob", "cleo"):
            ledger.open_budget(PureDP("0.6"), analyst=name)
        ledger.charge(HALF, why="a", analyst="ann")
        ledger.charge(HALF, why="b", analyst="bob")
        with pytest.raises(BudgetExceeded, match="data set"):
            ledger.charge(HALF, why="c", analyst="cleo")
        assert ledger.balance(analyst="cleo").spends == 0
        assert [balance.scope for balance in ledger.balances()] == [
            "data set",
            "analyst ann",
            "analyst bob",
            "analyst cleo",
        ]


def test_budgets_of_purposes(ledger):
    ledger.open_budget(PureDP(1), purpose="research")
    ledger.open_budget(PureDP(1), purpose="research")  # the same again changes nothing
    assert sum(entry.kind == "budget" for entry in ledger.history()) == 1
    with pytest.raises(LedgerMismatch):
        ledger.open_budget(PureDP(2), purpose="research")
    with pytest.raises(BadBooking, match="larger"):
        ledger.open_budget(PureDP(4), purpose="everything")
    with pytest.raises(BadBooking):
        ledger.open_budget(ApproxDP(1, 1e-6), purpose="other accounting")
    with pytest.raises(BadBooking):
        ledger.open_budget(PureDP(1))
    with pytest.raises(BadBooking):
        ledger.open_budget(PureDP(1), purpose="a", analyst="b")
    with pytest.raises(NoSuchBudget):
        ledger.balance(purpose="marketing")
    with pytest.raises(NoSuchBudget):
        ledger.charge(HALF, why="x", analyst="nobody")


def test_a_budget_ends_and_a_clock_set_back_does_not_revive_it(tmp_path, monkeypatch):
    on(monkeypatch, 2026, 1, 1)
    last = datetime.date(2026, 6, 30)
    with Ledger(tmp_path / "l", limit=PureDP(3), unit=Row(), expires=last) as ledger:
        on(monkeypatch, 2026, 6, 30)
        ledger.charge(HALF, why="on the last day")
        on(monkeypatch, 2026, 7, 1)
        with pytest.raises(BudgetExpired):
            ledger.charge(HALF, why="a day late")
        assert ledger.balance().expired
        assert not ledger.quote(HALF).admitted
        ledger.record(KAnonymity(5), why="still recorded")
        on(monkeypatch, 2026, 2, 1)
        with pytest.raises(BudgetExpired):
            ledger.charge(HALF, why="the clock was set back")
        ledger.verify()


def test_a_sub_budget_ends_on_its_own(tmp_path, monkeypatch):
    on(monkeypatch, 2026, 1, 1)
    with Ledger(tmp_path / "l", limit=PureDP(3), unit=Row()) as ledger:
        ledger.open_budget(PureDP(1), purpose="pilot", expires=datetime.date(2026, 1, 31))
        on(monkeypatch, 2026, 2, 1)
        with pytest.raises(BudgetExpired, match="pilot"):
            ledger.charge(HALF, why="late", purpose="pilot")
        ledger.charge(HALF, why="the data set's own goes on")


def test_an_end_in_the_past_or_a_moment_is_refused(tmp_path):
    for number, bad in enumerate(
        [datetime.date(2020, 1, 1), datetime.datetime.now(datetime.UTC), "2099-01-01"]
    ):
        with pytest.raises((BadBooking, BadUsage)):
            Ledger(tmp_path / f"l{number}", limit=PureDP(1), expires=bad)


def test_the_first_booking_binds_the_unit_for_ever(tmp_path):
    with Ledger(tmp_path / "l", limit=PureDP(3)) as ledger:
        assert ledger.unit is None
        with pytest.raises(BadUnit):
            ledger.charge(HALF, why="for whom?")
        with pytest.raises(BudgetExceeded):
            ledger.charge(Opaque(9), why="refused, so it binds nothing", unit=Row())
        assert ledger.unit is None
        ledger.charge(HALF, why="first", unit=Person("id", max_rows=5))
        ledger.charge(HALF, why="second", unit=Person("id", max_rows=9))
        ledger.charge(HALF, why="third")
        assert ledger.unit == Person("id")
        for other in (Row(), Person("name"), Person("id", change=Change.REPLACE)):
            with pytest.raises(LedgerMismatch):
                ledger.charge(HALF, why="other", unit=other)
        assert [entry.kind for entry in ledger.history()] == ["open", "unit", "spend", "spend", "spend"]
        ledger.verify()
    with pytest.raises(LedgerMismatch):
        Ledger(tmp_path / "l", unit=Row())


def test_opening_with_a_unit_binds_an_unbound_ledger(tmp_path):
    Ledger(tmp_path / "l", limit=PureDP(3)).close()
    with Ledger(tmp_path / "l", unit=Row()) as ledger:
        assert ledger.unit == Row()
        assert ledger.verify().entries == 2


def test_the_neighbouring_relation_decides_the_price(tmp_path):
    event = PoissonSampled("0.1", DiscreteLaplace(1))
    with Ledger(tmp_path / "add", limit=PureDP(3), unit=Row()) as ledger:
        ledger.charge(event, why="amplified")
    with Ledger(tmp_path / "replace", limit=PureDP(3), unit=Row(Change.REPLACE)) as ledger:
        with pytest.raises(EventNotPriced):
            ledger.charge(event, why="not covered")
        assert not ledger.quote(event).admitted
        assert ledger.verify().spends == 0


def test_a_quote_books_nothing(ledger):
    before = list(ledger.history())
    quote = ledger.quote(HALF)
    assert (quote.admitted, quote.reason) == (True, "")
    assert (quote.cost, quote.before, quote.after) == (
        {"epsilon": Fraction(1, 2)},
        {"epsilon": 3},
        {"epsilon": Fraction(5, 2)},
    )
    refused = ledger.quote(Opaque(4))
    assert not refused.admitted
    assert "1 short" in refused.reason
    assert refused.after == refused.before
    assert "no budget" in ledger.quote(HALF, purpose="none").reason
    assert ledger.quote(DiscreteGaussian(2)).cost == {}
    assert quote.to_json()["cost"] == {"epsilon": "0.5"}
    assert list(ledger.history()) == before


def test_a_promise_is_recorded_at_no_cost(ledger):
    receipt = ledger.record(KAnonymity(5), why="published table", data="v1")
    assert (receipt.cost, receipt.event, receipt.promise) == ({}, None, KAnonymity(5).to_json())
    assert receipt.remaining == {"epsilon": "3"}
    assert ledger.balance().spends == 0
    named = ledger.record(KAnonymity(5), why="needs no budget", purpose="open data")
    assert named.purpose == "open data"
    ledger.verify([receipt, named])


def test_a_sealed_plan_is_booked_before_its_first_answer(tmp_path):
    events = [DiscreteLaplace(30)] * 20
    with Ledger(tmp_path / "l", limit=ApproxDP(3, "1e-5"), unit=Row()) as ledger:
        permit = ledger.seal(events, delta="1e-6", why="monthly tables")
        assert permit.receipt.composition == "sealed plan"
        assert permit.receipt.grid is not None
        assert permit.receipt.cost["delta"] == "0.000001"
        assert ledger.balance().spends == 1
        assert [part.use() for part in permit.parts()] == events
        plain = ledger.charge(Composed(events), why="the same, open to change").receipt
        assert Fraction(permit.receipt.cost["epsilon"]) < Fraction(plain.cost["epsilon"])
        ledger.verify([permit.receipt, plain])


def test_zcdp_admits_more_than_basic_and_keeps_both_halves_of_delta(tmp_path):
    limit, event = ApproxDP(1, "1e-6"), DiscreteLaplace(200)
    counts = {}
    for name in ("basic", "zcdp"):
        with Ledger(tmp_path / name, limit=limit, unit=Row(), accounting=name) as ledger:
            cost = ledger.quote(event).cost
            coin = "rho" if name == "zcdp" else "epsilon"
            counts[name] = ledger.balance().caps[coin] // cost[coin]
    assert counts["basic"] == 200
    assert counts["zcdp"] > 5 * counts["basic"]
    with Ledger(tmp_path / "zcdp") as ledger:
        with pytest.raises(BudgetExceeded, match="delta"):
            ledger.charge(Opaque("0.01", "0.0000006"), why="more than the half kept for events")
        ledger.charge(Opaque("0.01", "0.0000005"), why="exactly the half")


def test_a_concentrated_limit_admits_no_delta(tmp_path):
    with Ledger(tmp_path / "l", limit=ZeroConcentratedDP(1), unit=Row()) as ledger:
        ledger.charge(DiscreteGaussian(1), why="half of it")
        with pytest.raises(BudgetExceeded):
            ledger.charge(Opaque("0.1", "1e-30"), why="a delta")


def test_two_ledgers_are_never_the_same(tmp_path):
    first = Ledger(tmp_path / "a", limit=PureDP(1))
    second = Ledger(tmp_path / "b", limit=PureDP(1))
    assert first.id != second.id
    receipt = first.charge(HALF, why="x", unit=Row()).receipt
    with pytest.raises(LedgerMismatch):
        second.remember(receipt, "q", b"x")


def test_texts_are_checked_before_anything_is_booked(ledger):
    for note in (
        {"why": ""},
        {"why": "a\nb"},
        {"why": "x", "data": "y" * 999},
        {"why": "x", "analyst": "\x07"},
    ):
        with pytest.raises(BadBooking):
            ledger.charge(HALF, **note)
    with pytest.raises(BadBooking):
        ledger.charge(HALF, why="x", promise="PureDP(1)")
    with pytest.raises(BadUsage):
        ledger.remember(ledger.charge(HALF, why="x").receipt, "q", "not bytes")
    assert ledger.balance().spends == 1


def test_it_prints_its_place_and_balance(ledger):
    ledger.charge(HALF, why="x")
    assert repr(ledger).startswith(f"<ledger {ledger.id[:12]} at ")
    assert str(ledger.balance()) == "data set: spent epsilon 0.5 of 3, 83% left"


def test_an_export_can_be_checked_with_nothing_but_a_hash_function(ledger):
    """As docs/guide/ledger.md says it, without any code of the ledger."""
    for reason in ("x", "größer", "日本"):
        ledger.charge(HALF, why=reason)
    book = json.loads(json.dumps(ledger.export()))
    previous = "0" * 64
    for entry in book["entries"]:
        body = {name: value for name, value in entry.items() if name not in ("previous", "hash")}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"))
        assert entry["previous"] == previous
        assert entry["hash"] == hashlib.sha256((previous + text).encode()).hexdigest()
        previous = entry["hash"]
    assert (book["head"], book["ledger"]) == (previous, book["entries"][0]["hash"])

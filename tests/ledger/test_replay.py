"""Running states are what replaying the whole book gives, and keeping them makes a spend as cheap as the first."""

import itertools
import json
import statistics
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from privet.errors import BudgetExceeded, PrivetError
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Opaque,
    PacRelease,
    PermuteAndFlip,
    Repeated,
    ThresholdedKeys,
    ZeroConcentrated,
    event_from_json,
)
from privet.guarantee._privacy_units import Change, Row
from privet.guarantee._promise_registry import ApproxDP, PacPrivacy
from privet.ledger import Ledger
from privet.ledger._account_states import DATA_SET, NATS, from_text
from privet.ledger._privacy_filters import FILTERS
from privet.ledger._replay import Fault, Replay

SPENDS = 10_000


def heterogeneous():
    """Events of many kinds, no two with the same parameters."""
    for i in itertools.count(1):
        kinds = (
            DiscreteLaplace(10**6 + i, 1 + i % 5),
            Laplace(10**6 + Fraction(i, 7)),
            Gaussian(10**4 + i),
            DiscreteGaussian(10**4 + i, 1 + i % 3, 1 + i % 4),
            Exponential(Fraction(1, 10**5 + i)),
            PermuteAndFlip(Fraction(1, 10**5 + i)),
            ThresholdedKeys(1000 + i, 10**6),
            Opaque(Fraction(1, 10**5 + i), Fraction(1, 10**15 + i)),
            ZeroConcentrated(Fraction(1, 10**8 + i)),
            Composed([DiscreteLaplace(10**7 + i), DiscreteGaussian(10**5 + i)]),
            Repeated(DiscreteLaplace(10**7 + i), 1 + i % 9),
        )
        yield kinds[i % len(kinds)]


def unsynced(path):
    """A ledger whose commits do not wait for the disk: only so is growth of the work itself visible."""
    ledger = Ledger(path, limit=ApproxDP(10**6, "0.1"), unit=Row(), accounting="zcdp")
    with ledger._book.store._turn() as connection:
        connection.execute("PRAGMA synchronous = OFF")
    ledger.open_budget(ApproxDP(10**5, "0.1"), purpose="research")
    ledger.open_budget(ApproxDP(10**5, "0.1"), analyst="ann")
    return ledger


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    ledger = unsynced(tmp_path_factory.mktemp("full") / "book.ledger")
    notes = itertools.cycle(
        [{}, {"purpose": "research"}, {"analyst": "ann"}, {"purpose": "research", "analyst": "ann"}]
    )
    for event, note, _ in zip(heterogeneous(), notes, range(SPENDS), strict=False):
        ledger.charge(event, why="fill", **note)
    yield ledger
    ledger.close()


def test_states_are_what_a_replay_of_all_entries_gives(full):
    replay, sums = Replay(), {"rho": Fraction(0), "delta": Fraction(0)}
    for entry in full.history():
        replay.take(entry)
        if entry.kind == "spend":
            booked = from_text(entry.cost)
            priced = FILTERS["zcdp"].price(event_from_json(entry.body["event"]), Change.ADD_OR_REMOVE).cost
            assert all(priced[coin] <= booked[coin] for coin in booked), "an old entry replays to more"
            for coin, text in entry.cost.items():
                sums[coin] += Fraction(text)
    assert replay.spends >= SPENDS
    assert full.balance().spent == sums
    with full._book.store.reading() as transaction:
        stored = {scope: json.loads(text)["state"] for scope, text in transaction.states().items()}
    assert stored == {scope: state for scope, (_, state) in replay.states.items()}


def test_the_full_book_verifies(full):
    assert full.verify().spends >= SPENDS


def test_a_spend_does_not_slow_down_with_the_book(full, tmp_path):
    """Medians of interleaved spends; the real ratio is near 1 (see bench/ledger.py), and 3 is far from it."""
    with unsynced(tmp_path / "empty.ledger") as empty:
        times = {empty: [], full: []}
        for event, _ in zip(heterogeneous(), range(150), strict=False):
            for ledger in (empty, full):
                start = time.perf_counter()
                ledger.charge(event, why="timed", purpose="research")
                times[ledger].append(time.perf_counter() - start)
    assert statistics.median(times[full]) <= 3 * statistics.median(times[empty])


@pytest.mark.parametrize("accounting", ["basic", "zcdp"])
def test_spending_never_passes_a_cap_whatever_is_asked(tmp_path, accounting):
    import random

    rng = random.Random(3)
    ledger = Ledger(tmp_path / "l", limit=ApproxDP(1, "1e-6"), unit=Row(), accounting=accounting)
    with ledger:
        events = heterogeneous()
        admitted = 0
        for _ in range(120):
            event = next(events)
            if rng.random() < 0.7:
                event = Opaque(
                    Fraction(rng.randrange(1, 10**6), 10**6), Fraction(rng.randrange(10**6), 10**14)
                )
            try:
                ledger.charge(event, why="random")
                admitted += 1
            except (BudgetExceeded, PrivetError):
                continue
        balance = ledger.balance()
        assert admitted
        assert all(0 <= balance.spent[coin] <= cap for coin, cap in balance.caps.items())
        ledger.verify()


def test_an_account_of_nats_is_replayed_beside_the_budget(tmp_path):
    with Ledger(tmp_path / "a.ledger", limit=ApproxDP(1, "1e-6"), unit=Row()) as book:
        book.open_budget(PacPrivacy(1))
        book.open_budget(PacPrivacy(1))  # the same one again changes nothing
        book.charge(PacRelease("1/4"), why="a test")
        book.charge(DiscreteLaplace(10), why="a test")
        replay = Replay()
        for entry in book.history():
            replay.take(entry)
        assert from_text(replay.states[NATS][1]["spent"]) == {"nats": 250_000_000_000}
        assert replay.account(DATA_SET).spends == replay.account(NATS).spends == 1
        with pytest.raises(BudgetExceeded):
            book.charge(PacRelease("0.8"), why="a test")
        assert book.verify().spends == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"accounting": "basic"}, "another accounting"),
        ({"cost": {"nats": "0.1"}}, "costs less"),
        ({"remaining": {"nats": "1"}}, "another remainder"),
        ({"event": PacRelease("3").to_json(), "cost": {"nats": "3"}}, "more than its budget held"),
    ],
)
def test_a_forged_release_in_nats_is_a_fault(tmp_path, change, said):
    with Ledger(tmp_path / "a.ledger", limit=ApproxDP(1, "1e-6"), unit=Row()) as book:
        book.open_budget(PacPrivacy(1))
        book.charge(PacRelease("1/4"), why="a test")
        entries = list(book.history())
    replay = Replay()
    for entry in entries[:-1]:
        replay.take(entry)
    forged = replace(entries[-1], body={**entries[-1].body, **change})
    with pytest.raises(Fault, match=said):
        replay.take(forged)


def test_a_second_account_of_nats_is_a_fault(tmp_path):
    with Ledger(tmp_path / "a.ledger", limit=ApproxDP(1, "1e-6"), unit=Row()) as book:
        book.open_budget(PacPrivacy(1))
        *before, opened = list(book.history())
    replay = Replay()
    for entry in (*before, opened):
        replay.take(entry)
    with pytest.raises(Fault, match="second time"):
        replay.take(opened)

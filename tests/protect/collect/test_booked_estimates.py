"""Estimates in a ledger: recorded for nothing, booked where a shuffler is claimed, each set of reports once."""

import concurrent.futures

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import BadCollection, BadUnit, BadUsage, BudgetExceeded, ForeignReports
from privet.guarantee import Change, Row, ShuffledReports

ASKED = pv.OneOf(["a", "b", "c"])
LOCAL = pv.Collection("letters", ASKED, pv.LocalDP(2), "grr")
SHUFFLED = pv.Collection("letters", ASKED, pv.LocalDP(1), "grr", shuffler=1_000)
VALUES = ["a", "b"] * 600
LIMIT = pv.ApproxDP(1, 1e-4)


def entries(book, kinds=("spend", "promise")) -> list:
    return [one for one in book.history() if one.kind in kinds]


@pytest.fixture
def book():
    with pv.Ledger.in_memory(limit=LIMIT) as found:
        yield found


def test_local_reports_are_recorded_and_cost_nothing(book) -> None:
    reports = LOCAL.randomize(VALUES)
    answer = pv.estimate(reports, LOCAL, ledger=book, why="weekly figures")
    (entry,) = entries(book)
    assert entry.kind == "promise"
    assert answer.promise == LOCAL.promise
    assert answer.receipt.entry == entry.number
    assert answer.receipt.cost == {}
    assert book.balance().remaining["epsilon"] == 1
    assert any("no cost to any budget" in note for note in answer.notes)


def test_shuffled_reports_are_booked_as_what_they_are(book) -> None:
    answer = pv.estimate(SHUFFLED.randomize(VALUES), SHUFFLED, ledger=book, why="w", delta=1e-6)
    (entry,) = entries(book)
    assert entry.body["event"] == ShuffledReports(1, 1_000, "1e-6").to_json()
    assert float(entry.body["cost"]["epsilon"]) == pytest.approx(SHUFFLED.shuffled(1e-6))
    assert isinstance(answer.promise, pv.ApproxDP)
    assert "contents of a given row" in answer.to_json()["sentence"]
    assert any("rests on the declared shuffler" in note for note in answer.notes)


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_the_same_reports_are_entered_once_whatever_is_read_off_them(book, delta, tmp_path) -> None:
    reports = SHUFFLED.randomize(VALUES)
    pq.write_table(reports, tmp_path / "again.parquet")
    (tmp_path / "again.jsonl").write_text("\n".join(SHUFFLED.lines(reports)) + "\n")
    turned = reports.take(pa.array(range(len(reports) - 1, -1, -1)))
    asked = [
        reports,
        turned,
        tmp_path / "again.parquet",
        tmp_path / "again.jsonl",
        [reports.slice(0, 700), reports.slice(700)],
    ]
    found = [
        pv.estimate(one, SHUFFLED, ledger=book, delta=delta, top=top) for one in asked for top in (1, None)
    ]
    assert len(entries(book)) == 1
    assert len({one.receipt.head for one in found}) == 1
    pv.estimate(SHUFFLED.randomize(VALUES), SHUFFLED, ledger=book, delta=delta)
    assert len(entries(book)) == 2


def test_ten_who_ask_at_once_share_one_booking(tmp_path) -> None:
    reports, place = SHUFFLED.randomize(VALUES), tmp_path / "book.ledger"
    pv.Ledger(place, limit=LIMIT, unit=Row(Change.REPLACE)).close()

    def asked(_: int) -> str:
        with pv.Ledger(place) as own:
            return pv.estimate(reports, SHUFFLED, ledger=own, delta=1e-6).receipt.head

    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        assert len(set(pool.map(asked, range(10)))) == 1
    with pv.Ledger(place) as own:
        assert len(entries(own)) == 1


def test_more_than_the_budget_is_refused_and_nothing_is_booked() -> None:
    dear = pv.Collection("letters", ASKED, pv.LocalDP(8), "grr", shuffler=1_000)
    with pv.Ledger.in_memory(limit=LIMIT) as book, pytest.raises(BudgetExceeded):
        pv.estimate(dear.randomize(VALUES), dear, ledger=book, delta=1e-6)
    assert entries(book) == []


@pytest.mark.parametrize(
    ("spec", "more", "error"),
    [
        (LOCAL, {"delta": 1e-6}, BadCollection),  # no shuffler is declared
        (pv.Collection("letters", ASKED, pv.LocalDP(1), "grr", shuffler=5_000), {"delta": 1e-6}, ForeignReports),
        (pv.Collection("letters", ASKED, pv.LocalDP(1), "l-grr", shuffler=1_000), {"delta": 1e-6}, BadCollection),
    ],
)  # fmt: skip
def test_what_the_theorem_does_not_hold_for_is_not_booked(book, spec, more, error) -> None:
    with pytest.raises(error):
        pv.estimate(spec.randomize(VALUES), spec, ledger=book, **more)
    assert entries(book) == []


def test_a_shuffler_needs_a_ledger_of_single_reports() -> None:
    reports = SHUFFLED.randomize(VALUES)
    with pytest.raises(BadUsage):
        pv.estimate(reports, SHUFFLED, delta=1e-6)
    with pv.Ledger.in_memory(limit=LIMIT, unit=pv.Person("p")) as book, pytest.raises(BadUnit):
        pv.estimate(reports, SHUFFLED, ledger=book, delta=1e-6)
    assert entries(book) == []


def test_reports_from_a_stated_seed_are_not_entered(book) -> None:
    for delta in (None, 1e-6):
        with pytest.raises(BadUsage, match="stated seed"):
            pv.estimate(SHUFFLED.randomize(VALUES, seed=1), SHUFFLED, ledger=book, delta=delta)
    assert entries(book) == []


@pytest.mark.parametrize("oracle", ["olh", "flh", "oue", "hadamard", "cms"])
def test_other_reports_have_another_digest(oracle) -> None:
    from privet.protect.collect._booked_estimates import tally_digest
    from privet.protect.collect._collected import collected

    spec = pv.Collection("letters", ASKED, pv.LocalDP(1), oracle)
    one, two = (spec.randomize(VALUES) for _ in range(2))
    digests = [tally_digest(collected(table, spec)) for table in (one, one, two)]
    assert digests[0] == digests[1] != digests[2]

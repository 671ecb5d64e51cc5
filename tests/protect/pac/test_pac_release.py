"""Releasing a function: booked in nats, run on every world, drawn once, and served from store afterwards."""

from __future__ import annotations

import io
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.pac.people import book, means, people

import privet as pv
from privet.errors import BudgetExceeded, NoSuchBudget
from privet.guarantee import Row
from privet.mechanism import _opendp_samplers as sampling

PROMISE = pv.PacPrivacy("1/16")


def released(table, ledger, function=means, columns=("age", "cost"), promise=PROMISE, **more):
    said = more.pop("said", {})
    return pv.release(
        table.apply(function, list(columns), **said), promise, ledger=ledger, why="a test", **more
    )


def test_it_is_booked_in_nats_and_leaves_the_epsilon_alone() -> None:
    ledger = book(1)
    answer = released(people(), ledger)
    assert answer.receipt.cost == {"nats": "0.0625"}
    assert answer.receipt.accounting == "pac"
    assert float(ledger.balance(nats=True).remaining["nats"]) == pytest.approx(0.9375)
    assert ledger.balance().spends == 0
    assert ledger.verify().spends == 1


def test_the_value_is_that_of_a_half_when_noise_is_still(monkeypatch) -> None:
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))
    answer = released(people(2_000), book())
    table = people(2_000).relation.table.execute()
    assert answer.value == pytest.approx([table.age.mean(), table.cost.mean()], rel=0.1)
    assert answer.value != pytest.approx([table.age.mean(), table.cost.mean()], rel=1e-6)


def test_the_same_release_is_free_the_second_time_and_another_is_not() -> None:
    ledger = book(1)
    table = people()
    first = released(table, ledger)
    assert released(table, ledger).numbers == first.numbers
    assert ledger.balance(nats=True).spends == 1
    assert released(table, ledger, columns=("cost", "age")).numbers != first.numbers
    assert released(table, ledger, again=True).numbers != first.numbers
    assert ledger.balance(nats=True).spends == 3


def test_the_budget_is_a_filter() -> None:
    ledger = book("1/8")
    table = people()
    released(table, ledger)
    released(table, ledger, again=True)
    with pytest.raises(BudgetExceeded):
        released(table, ledger, again=True)
    with pytest.raises(NoSuchBudget):
        released(table, pv.Ledger.in_memory(limit=pv.PureDP(100)))


def test_a_ledger_may_be_in_nats_altogether() -> None:
    ledger = pv.Ledger.in_memory(limit=pv.PacPrivacy("1/16"))
    assert released(people(), ledger).receipt.remaining == {"nats": "0"}


def test_a_function_that_fails_on_the_rows_is_an_answer_and_tells_the_owner() -> None:
    ledger = book()

    def broken(rows):
        if len(rows) < 240:
            raise ValueError("rows of a person")
        return rows.mean(axis=0)

    answer = released(people(), ledger, broken)
    assert answer.value.tolist() == [0, 0]  # exact: the public output
    assert [one.code for one in ledger.incidents()] == ["FunctionFailed"]


def test_an_engine_that_fails_is_an_answer_too(monkeypatch) -> None:
    from privet.protect.pac import _pac_plan as releasing

    ledger = book()

    def failing(*_, **__):
        raise RuntimeError("a row")

    monkeypatch.setattr(releasing, "world_rows", failing)
    assert released(people(), ledger).value.tolist() == [0, 0]  # exact: the public output
    assert [one.code for one in ledger.incidents()] == ["RuntimeError"]


def test_rows_may_be_units_themselves() -> None:
    answer = released(people(500, unit=Row()), book(), promise=pv.PacPrivacy(2))
    assert answer.value[0] == pytest.approx(50, abs=25)


def test_a_number_that_never_varies_is_shown_as_it_is() -> None:
    answer = released(people(), book(), lambda rows: [7.25, rows[:, 0].mean()], said={"clip": (0, 100)})
    assert answer.value[0] == pytest.approx(7.25, abs=1e-12)
    assert answer.value[1] != pytest.approx(50, abs=1e-9)


def test_scales_of_their_own_give_each_number_its_share_of_the_noise() -> None:
    """Means of 400 people: with common bounds the age bears the noise of the cost; with its own it does not."""
    apart = released(people(400), book(), promise=pv.PacPrivacy(4), said={"clip": ([0, 0], [100, 5_000])})
    assert apart.value == pytest.approx([50, 1_000], abs=350)
    assert apart.value[0] == pytest.approx(50, abs=25)


def test_a_number_that_moves_on_one_half_alone_is_noised(monkeypatch) -> None:
    """Shown as it is only where all worlds agree: most of them would not do."""
    drawn = []

    def still(number, sigma):
        drawn.append(sigma)
        return np.zeros(number, np.int64)

    monkeypatch.setattr(sampling, "draw_discrete_gaussian", still)
    seen = []

    def once(rows):
        seen.append(len(rows))
        return 1.0 if len(seen) == 3 else 0.0  # its shape is stated, so that nothing is rehearsed

    released(people(), book(), once, said={"clip": (0, 1), "shape": ()}, worlds=16, processes=1)
    assert len(drawn) == 1
    assert drawn[0] > 0


def test_what_leaves_says_nothing_of_how_much_noise_there_is() -> None:
    """Two universes, one of them with an outlier: the records differ in the numbers and in whose they are alone."""
    records = []
    for upper in (100.0, 4_999.0):
        table = pv.open_table(
            pa.table({"who": [f"p{at}" for at in range(60)], "cost": [50.0] * 59 + [upper]}),
            unit=pv.Person("who", max_rows=1),
            bounds={"cost": (0, 5_000)},
            version="1",
        )
        record = released(table, book(), columns=("cost",)).to_json()
        for changing in ("numbers", "receipt"):
            del record[changing]
        del record["provenance"]["data"]
        records.append(record)
    assert records[0] == records[1]


def _slowly(rows):
    time.sleep(0.02)
    return rows.mean(axis=0)


# What a function may do on the halves that one person is in, and whether the owner is told.
ODDLY = {
    "raises": (lambda rows: 1 / 0, True),
    "gives nothing": (lambda rows: None, True),
    "gives no number": (lambda rows: [1.0, float("nan")], True),
    "gives an infinite one": (lambda rows: [1.0, float("-inf")], True),
    "gives one that no double holds": (lambda rows: [1, 10**400], True),
    "gives a huge one": (lambda rows: [1e308, -1e308], False),
    "gives another shape": (lambda rows: [1.0, 2.0, 3.0], True),
    "gives texts": (lambda rows: ["a", "b"], True),
    "ends the program": (lambda rows: sys.exit(int(rows[0, 0])), True),
    "prints": (lambda rows: print(file=io.StringIO()) or rows.mean(axis=0), False),
    "takes its time": (_slowly, False),
}


@pytest.mark.parametrize("oddly", ODDLY)
@pytest.mark.parametrize("door", ["release", "session"])
def test_what_a_function_does_on_one_persons_halves_changes_numbers_alone(oddly, door) -> None:
    """Nothing is raised, the record says the same but for its numbers, and the price is the same; the owner alone is told."""
    table, dearest = people(), people().relation.table.cost.max().execute()
    act, told = ODDLY[oddly]
    records = []
    for does in (means, act):

        def function(rows, does=does):
            return does(rows) if (rows[:, 1] == dearest).any() else rows.mean(axis=0)

        ledger = book()
        if door == "release":
            answer = released(table, ledger, function, worlds=8, processes=1)
        else:
            with pv.PacSession(table, 8, ledger=ledger) as session:
                answer = session.release(function, PROMISE, ["age", "cost"], processes=1)
        assert np.isfinite(answer.numbers).all()
        assert answer.receipt.cost == {"nats": "0.0625"}
        record = answer.to_json()
        del record["numbers"], record["receipt"]
        records.append(record)
        assert [one.code for one in ledger.incidents()] == ["FunctionFailed"] * (told and does is act)
    assert records[0] == records[1]

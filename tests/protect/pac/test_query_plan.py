"""Queries on worlds: counts, sums and means by public keys, in one pass and under a promise in nats."""

from __future__ import annotations

import numpy as np
import pytest
from tests.protect.pac.people import book, people

import privet as pv
from privet.errors import BadFunction, BadUsage
from privet.mechanism import _opendp_samplers as sampling
from privet.protect.pac import make_query_plan

WARDS = {"ward": ["a", "b", "c"]}
PROMISE = pv.PacPrivacy("1/4")


@pytest.fixture
def still(monkeypatch):
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))


def asked(table=None):
    return (table or people(keys=WARDS)).group_by("ward").agg(n=pv.count(), cost=pv.mean("cost"))


def test_answers_have_labels_and_a_place_for_every_group(still) -> None:
    del still
    table = people(2_000, keys=WARDS)
    answer = pv.release(asked(table), PROMISE, ledger=book(), why="a test")
    assert answer.shape == (3, 2)
    assert answer.labels[:3] == ("n[ward=a]", "cost[ward=a]", "n[ward=b]")
    raw = table.relation.table.execute().groupby("ward")
    assert answer.value[:, 0] == pytest.approx(raw.size().to_numpy(), rel=0.2)
    assert answer.value[:, 1] == pytest.approx(raw.cost.mean().to_numpy(), rel=0.2)


def test_sql_is_the_same_question(still) -> None:
    del still
    table = people(500)
    ledger = book()
    text = pv.release(
        'SELECT COUNT(*) AS n, AVG(cost) AS cost FROM "table"',
        PROMISE,
        table=table,
        ledger=ledger,
        why="a test",
    )
    built = pv.release(table.agg(n=pv.count(), cost=pv.mean("cost")), PROMISE, ledger=ledger, why="a test")
    assert text.labels == built.labels == ("n", "cost")
    assert pv.explain('SELECT SUM(cost) AS s FROM "table"', PROMISE, table=table).plan.name == "query"
    with pytest.raises(BadUsage, match="HAVING"):
        pv.release(
            'SELECT COUNT(*) AS n FROM "table" ORDER BY n', PROMISE, table=table, ledger=ledger, why="a test"
        )


def test_a_session_has_one_half_for_functions_and_queries(still) -> None:
    del still
    table = people(400)
    with pv.PacSession(table, 32, ledger=book()) as session:
        one = session.release(table.agg(age=pv.mean("age")), "1/16").value
        other = session.release(lambda rows: rows.mean(), "1/16", ["age"]).value
    assert float(one[0]) == pytest.approx(float(other), abs=1e-3)


def test_declared_aggregates_take_the_one_pass(still) -> None:
    del still

    def never(rows):
        raise AssertionError(rows)

    box = pv.BlackBox(never, "ages", aggregates={"age": pv.mean("age")})
    answer = pv.release(people(400).apply(box, ["age"]), PROMISE, ledger=book(), why="a test")
    assert answer.name == "ages"
    assert answer.value == pytest.approx([50], abs=10)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: people().group_by("ward").agg(n=pv.count()),
        lambda: people().agg(middle=pv.median("age")),
    ],
)
def test_what_is_not_public_or_not_added_up_is_refused(wrong) -> None:
    with pytest.raises(BadFunction):
        make_query_plan(wrong(), PROMISE)


def test_unlike_numbers_get_equal_shares_of_the_nats() -> None:
    assert make_query_plan(asked(), PROMISE).basis == "balanced"
    assert make_query_plan(people().agg(n=pv.count()), PROMISE).basis == "diagonal"


def test_stages_and_notes_say_what_is_done() -> None:
    plan = make_query_plan(asked(), PROMISE, worlds=64)
    text = " ".join((*plan.stages(), *plan.notes()))
    for said in ("one pass", "64 worlds", "doubled", "fewer than 20 people", "exactly 0"):
        assert said in text
    assert plan.question() != make_query_plan(asked(), PROMISE, worlds=64, least_people=5).question()

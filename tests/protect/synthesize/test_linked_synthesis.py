"""One booking for all tables, spent in shares; rows of another table are drawn given their person's."""

import numpy as np
import pytest
from tests.protect.synthesize.patients import opened, patients, stays
from tests.protect.synthesize.test_linked_plan import planned

import privet as pv
from privet.errors import BudgetExceeded
from privet.protect._exactly_once import Booking
from privet.protect.synthesize._linked_synthesis import LinkedModels, linked_transcripts


def measured(ledger, **more):
    plan = planned(*opened(), **more)
    return plan, linked_transcripts(plan, Booking(ledger, "twins"))


def spends(ledger):
    return [entry for entry in ledger.history() if entry.kind == "spend"]


@pytest.mark.parametrize("method", ["aim", "mst"])
def test_one_booking_pays_for_all_tables(ledger, method) -> None:
    plan, found = measured(ledger, method=method)
    assert len(spends(ledger)) == 1
    costs = [sum(one.rho for one in part.prices) for part in found]
    assert sum(costs) <= float(plan.rho)
    assert costs == pytest.approx([float(plan.rho) / 2] * 2, rel=0.01)


def test_the_noise_of_each_table_is_for_the_rows_that_one_person_has_there(ledger) -> None:
    _, found = measured(ledger, method="mst")
    for part, length in zip(found, (1, 4), strict=True):
        for one in part.prices:
            if one.what == "counts":
                assert one.rho == pytest.approx(length**2 / (2 * one.sigma**2), rel=1e-2)


def test_asking_again_costs_nothing_and_gives_the_same_noise(ledger) -> None:
    plan, first = measured(ledger)
    second = linked_transcripts(plan, Booking(ledger, "twins"))
    assert len(spends(ledger)) == 1
    assert [part.to_bytes() for part in first] == [part.to_bytes() for part in second]


def test_a_budget_that_does_not_cover_all_tables_covers_none(tmp_path) -> None:
    with pv.Ledger(tmp_path / "small.ledger", limit=pv.ApproxDP(1, 1e-6)) as small:
        with pytest.raises(BudgetExceeded):
            measured(small)
        assert small.balance().spent["epsilon"] == 0


@pytest.mark.usefixtures("no_noise")
@pytest.mark.parametrize("method", ["aim", "mst"])
def test_without_noise_rows_depend_on_their_person_as_they_do(ledger, method) -> None:
    plan, found = measured(ledger, method=method)
    draws = np.random.default_rng(0)
    models = LinkedModels(plan, found)
    persons = models.persons(600, draws)
    owner = models.owners(1, persons)
    codes = models.given(1, persons[owner], draws)
    each = np.bincount(np.asarray(stays()["pid"]), minlength=600)[:600]
    assert len(owner) == pytest.approx(np.minimum(each, 4).sum(), rel=0.05)
    assert np.bincount(owner, minlength=600).max() == 4
    old = persons[owner, 1] == 1  # the code of true
    assert (codes[old, 0] == 0).mean() > 0.95  # in geriatrics
    assert (codes[~old, 0] == 0).mean() < 0.05


def test_bought_domains_are_paid_from_the_same_booking(ledger) -> None:
    persons = pv.open_table(patients(), unit=pv.Person("pid", max_rows=1), name="patients")
    others = pv.open_table(stays(), unit=pv.Person("pid", max_rows=4), name="stays")
    plan = planned(persons, others, method="mst", columns=["age", "stays.ward", "stays.days"], bins={})
    found = linked_transcripts(plan, Booking(ledger, "twins"))
    assert [one.columns[0] for one in found[0].prices if one.what == "domain"] == [
        "patients.age",
        "stays.ward",
        "stays.days",
    ]
    assert sum(one.rho for part in found for one in part.prices) <= float(plan.rho)
    assert "stays.ward" in [one.name for one in found[1].columns]

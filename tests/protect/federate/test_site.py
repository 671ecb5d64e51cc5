"""A site books before it counts, and never twice."""

from pathlib import Path

import pytest
from tests.protect.federate.hospitals import ledgers, study, tables

from privet.errors import BudgetExceeded, StudyRefused
from privet.guarantee import ZeroConcentratedDP
from privet.ledger import Ledger
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.protect.federate._site import SiteRows


def test_what_it_adds_is_under_seal_and_as_long_as_the_plan(tmp_path: Path) -> None:
    site = SiteRows(tables()[0], ledgers(tmp_path)[0], "a test")
    summand, receipt = site.contribution(study(), 1)
    assert repr(summand) == "<contribution>"
    assert len(summand) == site.plan(study()).length == 9
    assert receipt.why == "a test"


def test_it_books_no_more_than_is_promised(tmp_path: Path) -> None:
    site = SiteRows(tables()[0], ledgers(tmp_path)[0], "a test")
    _, receipt = site.contribution(study(rho="2"), 1)
    assert 1.9999 < float(receipt.cost["rho"]) <= 2


def test_a_round_that_is_booked_is_refused_also_after_a_crash_and_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stops a site after it booked, the round is charged once, and no second answer leaves under it."""
    table = tables()[0]

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    first = SiteRows(table, ledgers(tmp_path)[0], "a test")
    with monkeypatch.context() as patched:
        patched.setattr(opendp_samplers, "draw_discrete_gaussian", crash)
        with pytest.raises(KeyboardInterrupt):
            first.contribution(study(), 1)
    again = SiteRows(table, Ledger(tmp_path / "0.ledger", limit=ZeroConcentratedDP(10)), "a test")
    with pytest.raises(StudyRefused, match="round 1"):
        again.contribution(study(), 1)
    again.contribution(study(), 2)


def test_without_budget_nothing_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("something was drawn")

    monkeypatch.setattr(opendp_samplers, "draw_discrete_gaussian", forbidden)
    poor = Ledger(tmp_path / "poor.ledger", limit=ZeroConcentratedDP("0.1"))
    with pytest.raises(BudgetExceeded):
        SiteRows(tables()[0], poor, "a test").contribution(study(), 1)

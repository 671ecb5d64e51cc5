"""A failure after booking is told to the owner alone, in one printable line, and never stops the answer."""

import pytest

import privet as pv
from privet.engine import SealedGroups
from privet.engine._masked_failures import MaskedFailure
from privet.guarantee import DiscreteLaplace
from privet.protect._engine_incidents import computed


def groups(said: str | None) -> SealedGroups:
    return SealedGroups(None, {}, None if said is None else MaskedFailure("E-ENGINE-004", said))


@pytest.fixture
def receipt(ledger: pv.Ledger):
    return ledger.charge(DiscreteLaplace(10), why="test", unit=pv.Row()).receipt


def test_an_answer_that_was_computed_leaves_no_trace(ledger: pv.Ledger, receipt) -> None:
    made = groups(None)
    assert computed(lambda: made, ledger, receipt) is made
    assert ledger.incidents() == []


def test_a_failure_is_logged_with_its_receipt(ledger: pv.Ledger, receipt) -> None:
    made = groups("the engine\x1b[31m ran\nout of memory" + "!" * 500)
    assert computed(lambda: made, ledger, receipt) is made
    (told,) = ledger.incidents()
    assert (told.entry, told.code) == (receipt.entry, "E-ENGINE-004")
    assert told.doing.startswith("the engine?[31m ran?out of memory!")
    assert len(told.doing) == 200


def test_a_log_out_of_reach_does_not_show(
    ledger: pv.Ledger, receipt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledger, "incident", full)
    made = groups("failed")
    assert computed(lambda: made, ledger, receipt) is made

"""What a purpose leaves open: every field by itself, all at once, and whom its outputs may go to."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.dataset.test_data_set import DECLARED, STAYS

from privet.dataset import OPEN, DataSet, purpose_gaps, recipients_of
from privet.dataset._declaration import Declaration
from privet.errors import PolicyGap
from privet.ledger import clock

TODAY = datetime.date(2030, 6, 15)


def declaration(folder: Path, **said: Any) -> Declaration:
    """A data set whose purpose `beds` says this."""
    (folder / "stays.csv").write_text(STAYS)
    (folder / "privet.yaml").write_text(DECLARED)
    found = DataSet.read(folder / "privet.yaml").declaration
    assert found is not None
    beds = found.purposes["beds"].model_copy(update=said)
    return found.model_copy(update={"purposes": {**found.purposes, "beds": beds}})


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ({"use": OPEN}, "use"),
        ({"use": "  "}, "use"),
        ({"basis": f" {OPEN} "}, "basis"),
        ({"basis": ""}, "basis"),
        ({"recipients": ["internal", OPEN]}, "recipients"),
        ({"review": TODAY - datetime.timedelta(days=1)}, "review"),
    ],
)
def test_each_field_that_is_open_is_named(tmp_path: Path, said: dict[str, Any], part: str) -> None:
    assert [where for where, _ in purpose_gaps(declaration(tmp_path, **said), "beds", TODAY)] == [part]


def test_nothing_is_open_where_all_is_said_and_the_review_is_due_today(tmp_path: Path) -> None:
    assert purpose_gaps(declaration(tmp_path, review=TODAY), "beds", TODAY) == []


def test_a_data_set_refuses_with_everything_that_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime.datetime(2030, 6, 15, tzinfo=datetime.UTC))
    past = TODAY - datetime.timedelta(days=1)
    open_one = declaration(tmp_path, use=OPEN, basis=OPEN, review=past)
    data = DataSet(open_one, tmp_path, tmp_path / "privet.yaml")
    for ask in (data.allowed, lambda purpose: data.table(purpose=purpose)):
        with pytest.raises(PolicyGap) as refused:
            ask("beds")
        parts = [fault.partition(":")[0] for fault in refused.value.fact.splitlines()]
        assert parts == ["purposes.beds.use", "purposes.beds.basis", "purposes.beds.review"]
    assert "ward" in data.allowed("care")  # another purpose is not held up by this one


def test_without_a_legal_basis_nobody_else_is_handed_anything(tmp_path: Path) -> None:
    others = ["university", "internal"]
    for basis, whom in (("None claimed", ("internal",)), ("Art. 6(1)(e)", ("university", "internal"))):
        purpose = declaration(tmp_path, basis=basis, recipients=others).purposes["beds"]
        assert recipients_of(purpose) == whom

"""Rows for the owner's own eyes: of a bare file all, of a declared data set what a purpose that allows an audit names."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dataset.test_data_set import DECLARED, STAYS

from privet.dataset import owner_rows
from privet.errors import Contradicted, NoPurpose, PolicyBreach


@pytest.fixture
def stays(tmp_path: Path) -> Path:
    (tmp_path / "stays.csv").write_text(STAYS)
    return tmp_path / "stays.csv"


def declared(stays: Path) -> None:
    text = DECLARED.replace("outputs: [answer, model]", "outputs: [audit]")
    (stays.parent / "privet.yaml").write_text(text)


def test_of_a_bare_file_everything_is_its_owners(stays: Path) -> None:
    table = owner_rows(str(stays), purpose=None, types={"zip": "text"})
    assert list(table.columns) == ["patient_id", "ward", "days", "zip"]


def test_of_a_declared_data_set_a_purpose_says_which_columns(stays: Path) -> None:
    declared(stays)
    assert "zip" not in owner_rows(str(stays), purpose="care").columns
    assert set(owner_rows(str(stays), purpose="care", columns=["days"]).columns) == {"patient_id", "days"}
    with pytest.raises(NoPurpose):
        owner_rows(str(stays), purpose=None)
    with pytest.raises(PolicyBreach, match="'zip'"):
        owner_rows(str(stays), purpose="care", columns=["zip"])
    with pytest.raises(PolicyBreach, match="allows answer, and this makes: audit"):
        owner_rows(str(stays), purpose="beds")
    with pytest.raises(Contradicted):
        owner_rows(str(stays), purpose="care", delimiter=";")

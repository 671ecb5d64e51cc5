"""Where a table may be written is settled before anything is computed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.csv as text
import pytest

import privet as pv
from privet.errors import BadAnonymization, FileProblem
from privet.protect._row_writer import checked_target
from privet.protect.anonymize import _anonymize as anonymizing
from privet.protect.transform.recipes import apply_safe_harbor


def test_a_folder_that_takes_no_file_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("privet.artifact._atomic_write.work_room", no)
    monkeypatch.setattr(anonymizing, "_counted", lambda *_: pytest.fail("something was read"))
    table = pv.open_table(pa.table({"age": [1, 1, 1]}), roles={"age": "quasi"})
    with pytest.raises(FileProblem, match="Permission denied"):
        pv.anonymize(table, pv.KAnonymity(2), out=tmp_path / "safe.csv")


def test_trying_leaves_nothing(tmp_path: Path) -> None:
    assert checked_target(tmp_path / "safe.csv") == tmp_path / "safe.csv"
    assert list(tmp_path.iterdir()) == []


def test_no_door_replaces_its_own_source(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    text.write_csv(pa.table({"age": [20, 20, 95]}), source)
    (tmp_path / "link.csv").symlink_to(source)
    before = source.read_bytes()
    table = pv.open_table(source, roles={"age": "quasi"}, unit=pv.Row())
    for out in (source, tmp_path / "link.csv"):
        with pytest.raises(BadAnonymization, match="replace"):
            pv.anonymize(table, pv.KAnonymity(2), out=out)
        with pytest.raises(BadAnonymization, match="replace"):
            apply_safe_harbor(table, {"age": "age"}, out=out)
    assert source.read_bytes() == before

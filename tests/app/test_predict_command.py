"""predict: an impossible output is refused before the model is read."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import read_csv
from tests.app.doors import inside

from privet.app._predict_command import _fill


def test_other_endings_are_refused_first(tmp_path: Path) -> None:
    said = inside("predict", str(tmp_path / "no model"), "x.csv", "-o", str(tmp_path / "p.json"), "--json")
    assert said.code == 2
    assert "cannot be saved as p.json" in said.json()["error"]["message"]


def test_a_folder_that_holds_no_model_is_said(tmp_path: Path) -> None:
    said = inside("predict", str(tmp_path), "x.csv", "-o", str(tmp_path / "p.csv"), "--json")
    assert said.code != 0
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_predictions_are_written_in_both_forms(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"p{ending}"
    _fill(pa.table({"ill": ["yes", "no"]}), path, ending)
    if ending == ".csv":
        assert read_csv(path)["ill"].to_pylist() == ["yes", "no"]
    else:
        assert pq.read_table(path)["ill"].to_pylist() == ["yes", "no"]

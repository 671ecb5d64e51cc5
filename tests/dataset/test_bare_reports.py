"""Reports that a declaration speaks for are estimated on its terms alone, by whichever function."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.app.doors import inside

import privet as pv
from privet.errors import Contradicted, PolicyBreach

SPEC = pv.Collection("coins", pv.OneOf(["heads", "tails"]), pv.LocalDP(2), "grr")
DECLARED = """version: 1
dataset:
  source: reports.parquet
  unit: {{column: row, change: replace}}
  ledger: reports.ledger
  budget: {{epsilon: 3, delta: 1e-6}}
columns:
  collection: {{role: insensitive}}
  value: {{role: insensitive}}
purposes:
  coins:
    use: how coins fall
    basis: Art. 6(1)(e)
    columns: [collection, value]
    outputs: [{output}]
    recipients: [internal]
    budget: {{epsilon: 2}}
    expires: 2099-01-01
"""
DAYS = (date(2026, 1, 1), date(2026, 1, 2))
DOORS: list[Callable[[Any], Any]] = [
    lambda thing: pv.estimate(thing, SPEC),
    lambda thing: pv.estimate(reports=["other.parquet", thing], collection=SPEC),
    lambda thing: pv.estimate_change("other.parquet", thing, SPEC),
    lambda thing: pv.estimate_change(after="other.parquet", before=[thing], collection=SPEC),
    lambda thing: pv.estimate_trend({DAYS[0]: "other.parquet", DAYS[1]: [thing]}, SPEC),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    SPEC.save("coins.json")
    for name in ("reports", "other", "third"):
        pq.write_table(SPEC.randomize(["heads", "tails"] * 200), f"{name}.parquet")
    Path("privet.yaml").write_text(DECLARED.format(output="answer"))
    return tmp_path


@pytest.mark.parametrize("door", DOORS)
def test_declared_reports_are_refused_by_their_path_and_had_as_the_hint_says(door) -> None:
    with pytest.raises(Contradicted) as refused:
        door("reports.parquet")
    said = refused.value.hint.partition("in Python: ")[2].partition(". Nothing")[0]
    assert door(eval(said, {"pv": pv})).keys
    assert door("third.parquet").keys, "what nothing is declared about is counted as before"


@pytest.mark.parametrize("door", DOORS)
def test_a_purpose_that_allows_no_answers_gives_none(door) -> None:
    Path("privet.yaml").write_text(DECLARED.format(output="table"))
    with pytest.raises(PolicyBreach):
        door(pv.DataSet.read("privet.yaml").table(purpose="coins"))


@pytest.mark.parametrize(
    "command",
    [
        ["change", "coins.json", "--before", "other.parquet", "--after", "reports.parquet"],
        ["trend", "coins.json", "--day", "2026-01-01=other.parquet", "--day", "2026-01-02=reports.parquet"],
    ],
)
def test_commands_pass_the_same_gate(command: list[str], folder: Path) -> None:
    done = inside("collect", *command, "--json", cwd=folder)
    assert done.code != 0
    assert "E-DATASET-005" in done.out

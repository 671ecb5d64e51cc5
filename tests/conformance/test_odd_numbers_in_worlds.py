"""Numbers that are none, infinite or huge in a PAC release, through every door: clamped or left out, never refused and never heard."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.conformance import doors

import privet as pv
from privet.dataset import DataSet
from privet.ledger import Ledger

ODD = {
    "age": ["9007199254740993", "-9223372036854775808", "9223372036854775807", ""],
    "dose": ["nan", "inf", "-inf", "1e308", "-1e308", "5e-324", ""],
}
ASKED: dict[str, dict[str, Any]] = {
    "in one pass": {"nats": "2", "worlds": 16, "mean": ["age", "dose"]},
    "on every half": {"nats": "2", "worlds": 16, "function": "covariance", "columns": ["age", "dose"]},
}


@pytest.fixture
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A few cells of each column are odd; the rest are as they were."""
    doors.furnished(tmp_path)
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "ward.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for at, row in enumerate(rows):
        row["dose"] = f"{float(row['dose']) + 0.25:.2f}"
        for name, values in ODD.items():
            row[name] = values[at // 5] if at % 5 == 0 and at // 5 < len(values) else row[name]
    with (tmp_path / "ward.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    doors.declared(tmp_path, verb="pac", columns=list(ODD))
    return tmp_path


def library(folder: Path, asked: dict[str, Any]) -> None:
    data = DataSet.read(folder / "privet.yaml")
    table = data.table(purpose="beds", columns=list(ODD))
    if "mean" in asked:
        thing: Any = table.agg(**{name: pv.mean(name) for name in ODD})
    else:
        thing = table.apply(getattr(pv.PacFunction, asked["function"])(), asked["columns"])
    with data.ledger() as book:
        answer = pv.release(
            thing, pv.PacPrivacy(asked["nats"]), ledger=book, why="one", purpose="beds", worlds=16
        )
    answer.save(folder / "made.json")


@pytest.mark.parametrize("door", doors.DOORS)
@pytest.mark.parametrize("how", ASKED)
def test_a_few_odd_cells_change_little_and_nothing_fails(ward, door, how, capsys) -> None:
    """Heard, the answer would lie far away or be the bare zeros of a failure; noise at 2 nats is about half of what halves differ by."""
    if door == "library":
        library(ward, ASKED[how])
    elif door == "policy":
        assert doors.through_policy(ward, "pac", ASKED[how], columns=list(ODD)) is None
    else:
        assert doors.through_command_line(ward, "pac", ASKED[how], capsys) is None
    (place,) = [*ward.rglob("made.json")]
    numbers = json.loads(place.read_text())["numbers"]
    with Ledger(ward / "ward.csv.ledger") as ledger:
        assert ledger.incidents() == []
    assert all(math.isfinite(one) for one in numbers)
    if how == "on every half":
        assert 30 < max(numbers) < 1_500  # the variance of age, between 18 and 90
    else:
        assert 30 < numbers[0] < 80
        assert 0 < numbers[1] < 7

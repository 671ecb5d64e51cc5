"""The verb: what is asked is checked, what is written is verified, and the account is right."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from tests.protect.anonymize.people import ROLES, hierarchies, opened, people
from tests.real_data import real_data

import privet as pv
from privet.errors import BadAnonymization, FileProblem, PromiseBroken, Unreachable
from privet.protect.anonymize import _anonymize as anonymizing


def classes(rows: list[dict[str, object]]) -> dict[tuple[object, ...], list[object]]:
    found: dict[tuple[object, ...], list[object]] = {}
    for row in rows:
        found.setdefault((row["age"], row["town"], row["sex"]), []).append(row["diagnosis"])
    return found


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_written_file_keeps_the_promise(tmp_path: Path, ending: str) -> None:
    promise = pv.KAnonymity(5) & pv.LDiversity("diagnosis", 3)
    out = tmp_path / f"safe.{ending}"
    made = pv.anonymize(opened(), promise, max_suppressed="0.1", hierarchies=hierarchies(), out=out)
    rows = made.to_arrow().to_pylist()
    assert set(rows[0]) == {"age", "town", "sex", "diagnosis", "visits"}
    found = classes(rows)
    assert min(len(values) for values in found.values()) >= 5
    assert min(len(set(values)) for values in found.values()) >= 3
    assert len(rows) == 600 - made.found.suppressed_rows
    assert made.found.suppressed_rows <= 60
    assert made.found.classes == len(found) == made.after.classes
    assert made.found.optimal
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_risk_before_and_after_by_plain_counting() -> None:
    made = pv.anonymize(opened(), pv.KAnonymity(4), max_suppressed="0.2", hierarchies=hierarchies())
    before = Counter((row["age"], row["town"], row["sex"]) for row in people().to_pylist())
    after = Counter((row["age"], row["town"], row["sex"]) for row in made.to_arrow().to_pylist())
    assert made.before is not None
    assert made.before.unique_rows == sum(number == 1 for number in before.values())
    assert made.before.mean_risk == pytest.approx(len(before) / 600)
    assert made.after.smallest_class == min(after.values())
    assert made.after.highest_risk == pytest.approx(1 / min(after.values()))
    assert made.after.sensitive["diagnosis"]["distinct_l"] >= 1


def test_what_was_done_to_each_column() -> None:
    made = pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies())
    done = {column.column: column for column in made.columns}
    assert list(done) == people().column_names
    assert done["name"].done == "removed"
    assert done["secret"].role == "none stated"
    assert "secret" in made.notes[1]
    assert set(made.found.levels) == {"age", "town", "sex"}
    assert done["age"].level == made.found.levels["age"]
    mean = np.mean([done[name].loss for name in ("age", "town", "sex")])
    assert mean == pytest.approx(made.loss)


@pytest.mark.parametrize("how", ["optimal", "anytime", "local", "mondrian"])
def test_every_search_ends_in_a_verified_file(tmp_path: Path, how: str) -> None:
    out = tmp_path / "safe.parquet"
    made = pv.anonymize(
        opened(), pv.KAnonymity(5), max_suppressed="0.02", hierarchies=hierarchies(), search=how, out=out
    )
    found = Counter((row["age"], row["town"], row["sex"]) for row in pq.read_table(out).to_pylist())
    assert min(found.values()) >= 5
    assert made.found.output_type
    assert 0 <= made.loss < 1


def test_more_freedom_never_costs_more() -> None:
    def loss(how: str) -> float:
        return pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies(), search=how).loss

    assert loss("local") <= loss("optimal") + 1e-12


def test_the_record_travels_inside_the_file(tmp_path: Path) -> None:
    ledger = pv.Ledger(tmp_path / "book.ledger", limit=pv.PureDP(1))
    made = pv.anonymize(
        opened(unit=pv.Row()), pv.KAnonymity(5), hierarchies=hierarchies(), out=tmp_path / "safe.parquet",
        ledger=ledger, why="for the registry",
    )  # fmt: skip
    loaded = pv.ReleasedTable.load(tmp_path / "safe.parquet")
    assert loaded.promise == pv.KAnonymity(5)
    assert loaded.receipt is not None
    assert loaded.receipt.why == "for the registry"
    assert loaded.to_json() == made.published().to_json()
    text = json.dumps(loaded.to_json())
    assert "person 1" not in text


def test_the_published_file_says_nothing_that_was_measured_on_the_original(tmp_path: Path) -> None:
    made = pv.anonymize(
        opened(unit=pv.Row()), pv.KAnonymity(5), hierarchies=hierarchies(), out=tmp_path / "safe.parquet"
    )
    assert made.before is not None
    assert made.found.points
    loaded = pv.ReleasedTable.load(tmp_path / "safe.parquet")
    assert loaded.before is None
    assert loaded.utility == {}
    assert loaded.found.points == ()
    assert "→" not in str(loaded)
    made.save(tmp_path / "owner.json")
    assert pv.ReleasedTable.load(tmp_path / "owner.json").before == made.before


def test_impossible_requests_are_refused() -> None:
    with pytest.raises(Unreachable):
        pv.anonymize(opened(), pv.KAnonymity(601), hierarchies=hierarchies())
    with pytest.raises(Unreachable):
        pv.anonymize(opened(), pv.LDiversity("diagnosis", 5), hierarchies=hierarchies())
    with pytest.raises(Unreachable, match="no rows"):
        pv.anonymize(opened(people().slice(0, 0)), pv.KAnonymity(2), hierarchies=hierarchies())


def test_people_with_one_row_each_are_as_many_as_rows() -> None:
    made = pv.anonymize(opened(unit=pv.Person("name")), pv.KAnonymity(5), hierarchies=hierarchies())
    assert len(made) == 600


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        pv.anonymize(opened(), pv.KAnonymity(5), out=tmp_path / "no" / "x.csv")
    pq.write_table(people(), tmp_path / "people.parquet")
    table = pv.open_table(tmp_path / "people.parquet", roles=ROLES)
    with pytest.raises(BadAnonymization, match="replace"):
        pv.anonymize(table, pv.KAnonymity(5), hierarchies=hierarchies(), out=tmp_path / "people.parquet")


def test_a_file_that_breaks_the_promise_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    weak = anonymizing.find
    monkeypatch.setattr(
        anonymizing,
        "find",
        lambda codes, ladders, promise, **more: weak(codes, ladders, pv.KAnonymity(2), **more),
    )
    with pytest.raises(PromiseBroken, match="50 were promised"):
        pv.anonymize(opened(), pv.KAnonymity(50), hierarchies=hierarchies(), out=tmp_path / "safe.parquet")
    assert list(tmp_path.iterdir()) == []


def test_people_from_file_to_file(tmp_path: Path) -> None:
    roles = {name: role for name, role in ROLES.items() if role == "quasi"}
    rows = people().select(list(roles)).drop_null()
    csv.write_csv(rows, tmp_path / "people.csv")
    for name, hierarchy in hierarchies().items():
        lines = [";".join(path) for path in hierarchy.paths()]
        (tmp_path / f"people_hierarchy_{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    made, alike = (
        pv.anonymize(
            pv.open_table(source, roles=roles),
            pv.KAnonymity(5),
            max_suppressed="0.01",
            hierarchies=levels,
            **out,
        )
        for source, levels, out in (
            (tmp_path / "people.csv", tmp_path, {"out": tmp_path / "safe.parquet"}),
            (rows, hierarchies(), {}),
        )
    )
    assert 0 < made.loss < 1
    assert made.loss == pytest.approx(alike.loss, abs=1e-9)
    assert made.found.suppressed_rows == alike.found.suppressed_rows
    assert (
        len(made) == len(rows) - made.found.suppressed_rows == len(pq.read_table(tmp_path / "safe.parquet"))
    )


@pytest.mark.real_data(twin="test_people_from_file_to_file")
@pytest.mark.parametrize(
    ("limit", "loss", "suppressed"),
    [("0", 0.6355438466888889, 0), ("0.01", 0.40200110394444444, 294), ("0.05", 0.26963466275555553, 1346)],
)
def test_adult_from_file_to_file(tmp_path: Path, limit: str, loss: float, suppressed: int) -> None:
    names = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
    roles = dict.fromkeys([*names, "salary-class"], "quasi")
    folder = real_data("adult")
    table = pv.open_table(folder / "adult.csv", roles=roles, delimiter=";")
    made = pv.anonymize(
        table, pv.KAnonymity(5), max_suppressed=limit, hierarchies=folder, out=tmp_path / "safe.parquet"
    )
    assert made.loss == pytest.approx(loss, abs=1e-9)
    assert made.found.suppressed_rows == suppressed
    assert made.found.optimal
    assert len(made) == 30_162 - suppressed

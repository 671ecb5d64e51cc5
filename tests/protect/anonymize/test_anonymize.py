"""The verb: what is asked is checked, what is written is verified, and the account is right."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from tests.real_data import real_data

import privet as pv
from privet.errors import BadAnonymization, FileProblem, PromiseBroken, Unreachable
from privet.protect.anonymize import _anonymize as anonymizing
from privet.protect.anonymize import _publication as publishing
from privet.protect.anonymize._recoding import listed, lists
from privet.protect.anonymize.hierarchies import Hierarchy


def people(rows: int = 600, seed: int = 11) -> pa.Table:
    draw = np.random.default_rng(seed)
    towns = draw.integers(0, 9, rows)
    return pa.table(
        {
            "name": [f"person {at}" for at in range(rows)],
            "age": pa.array(draw.integers(20, 60, rows)),
            "town": [None if town == 8 else f"t{town}" for town in towns],
            "sex": draw.choice(["F", "M"], rows).tolist(),
            "diagnosis": draw.choice(
                ["flu", "gout", "cold", "burn"], rows, p=[0.5, 0.3, 0.15, 0.05]
            ).tolist(),
            "visits": pa.array(draw.integers(1, 9, rows)),
            "secret": [f"s{at}" for at in range(rows)],
        }
    )


ROLES = {
    "name": "direct",
    "age": "quasi",
    "town": "quasi",
    "sex": "quasi",
    "diagnosis": "sensitive",
    "visits": "insensitive",
}


def hierarchies() -> dict[str, Hierarchy]:
    ages = [(str(age), f"{age // 10 * 10}s", "young" if age < 40 else "old", "*") for age in range(20, 60)]
    towns = [(f"t{at}", "north" if at < 4 else "south", "*") for at in range(8)]
    return {
        "age": Hierarchy.from_paths("age", ages),
        "town": Hierarchy.from_paths("town", towns),
        "sex": Hierarchy.from_paths("sex", [("F", "*"), ("M", "*")]),
    }


def opened(table: pa.Table | None = None, **more: object) -> pv.Table:
    return pv.open_table(people() if table is None else table, roles=ROLES, **more)


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


def test_cells_cover_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anonymizing, "in_random_order", lambda batches, *_: batches)
    source = people().to_pylist()
    made = pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies())
    rows = made.to_arrow().to_pylist()
    assert [row["visits"] for row in rows] == [row["visits"] for row in source]
    paths = {name: {path[0]: set(path) for path in one.paths()} for name, one in hierarchies().items()}
    for before, after in zip(source, rows, strict=True):
        for name in ("age", "sex", "town"):
            value = before[name]
            allowed = {None, "*"} if value is None else paths[name][str(value)] | {value}
            assert after[name] in allowed


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


def test_figures_of_use() -> None:
    same = pv.anonymize(opened(), pv.RiskThreshold(average=1), hierarchies=hierarchies(), target="diagnosis")
    assert same.loss == pytest.approx(0)
    moved = [value for name, value in same.utility.items() if name.startswith("marginal")]
    assert moved == pytest.approx([0] * len(moved))
    original, published, _ = (value for name, value in same.utility.items() if name.startswith("accuracy"))
    assert original == pytest.approx(published)
    coarse = pv.anonymize(opened(), pv.KAnonymity(60), hierarchies=hierarchies(), target="visits")
    assert coarse.utility["loss"] == pytest.approx(coarse.loss)
    assert coarse.utility["precision"] > 0
    assert "visits" in coarse.to_arrow().column_names
    with pytest.raises(BadAnonymization, match="not published"):
        pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies(), target="name")


def test_faults_are_listed_together_and_nothing_is_written(tmp_path: Path) -> None:
    table = pv.open_table(people(), roles={"name": "direct"})
    promise = pv.LDiversity("nmae", 2) & pv.LDiversity("name", 2) & pv.PureDP(1)
    with pytest.raises(BadAnonymization) as refused:
        pv.anonymize(table, promise, max_suppressed=2, out=tmp_path / "safe.csv")
    assert len(refused.value.details["faults"]) == 5
    assert list(tmp_path.iterdir()) == []


def test_hierarchies_are_made_where_none_is_given() -> None:
    made = pv.anonymize(opened(), pv.KAnonymity(5), max_suppressed="0.05", search="local")
    assert made.after.smallest_class >= 5
    assert any("hierarchies made" in stage for stage in made.provenance.stages)


def test_a_population_beside_the_table() -> None:
    everybody = people(4000, seed=2)
    some = everybody.slice(0, 400)
    options = {"hierarchies": hierarchies(), "population": pv.open_table(everybody)}
    for promise in (pv.KMap(8), pv.DeltaPresence(0, "0.5")):
        made = pv.anonymize(opened(some), promise, **options)
        shown = Counter((row["age"], row["town"], row["sex"]) for row in made.to_arrow().to_pylist())
        paths = {name: {path[0]: path for path in one.paths()} for name, one in hierarchies().items()}
        seen: Counter[tuple[object, ...]] = Counter()
        for row in everybody.to_pylist():
            cells = []
            for name, level in made.found.levels.items():
                value = row[name]
                top = level == len(next(iter(paths[name].values()))) - 1
                cells.append(
                    value
                    if level == 0
                    else ("*" if top else None)
                    if value is None
                    else paths[name][str(value)][level]
                )
            seen[tuple(cells)] += 1
        for cells, number in shown.items():
            if isinstance(promise, pv.KMap):
                assert seen[cells] >= 8
            else:
                assert number / seen[cells] <= 0.5


@pytest.mark.parametrize("how", ["local", "mondrian"])
def test_a_population_beside_rows_with_levels_of_their_own(how: str) -> None:
    everybody = people(2000, seed=2)
    made = pv.anonymize(
        opened(everybody.slice(0, 300)),
        pv.KMap(12),
        hierarchies=hierarchies(),
        population=pv.open_table(everybody),
        search=how,
    )
    paths = {name: {path[0]: set(path) for path in one.paths()} for name, one in hierarchies().items()}

    def fits(row: dict[str, object], cells: tuple[object, ...]) -> bool:
        for name, cell in zip(("age", "town", "sex"), cells, strict=True):
            value = "" if row[name] is None else str(row[name])
            above = {"", "*"} if not value else paths[name][value]
            text = "" if cell is None else str(cell)
            if not (lists(text, value) if how == "mondrian" else text in above):
                return False
        return True

    shown = Counter((row["age"], row["town"], row["sex"]) for row in made.to_arrow().to_pylist())
    rows = everybody.to_pylist()
    assert min(sum(fits(row, cells) for row in rows) for cells in shown) >= 12
    alone = pv.anonymize(
        opened(everybody.slice(0, 300)), pv.KAnonymity(12), hierarchies=hierarchies(), search=how
    )
    assert made.loss < alone.loss


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


def test_a_file_that_lacks_rows_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = publishing.Publication.batches
    monkeypatch.setattr(
        publishing.Publication, "batches", lambda self: (batch.slice(1) for batch in plain(self))
    )
    with pytest.raises(PromiseBroken, match="planned"):
        pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies(), out=tmp_path / "safe.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_breaks_the_promise_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from privet.protect.anonymize import _anonymize as anonymizing

    weak = anonymizing.find
    monkeypatch.setattr(
        anonymizing,
        "find",
        lambda codes, ladders, promise, **more: weak(codes, ladders, pv.KAnonymity(2), **more),
    )
    with pytest.raises(PromiseBroken, match="50 were promised"):
        pv.anonymize(opened(), pv.KAnonymity(50), hierarchies=hierarchies(), out=tmp_path / "safe.parquet")
    assert list(tmp_path.iterdir()) == []


def test_owners_rows_stay_with_the_owner() -> None:
    made = pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies())
    assert made.pairs[0].before["age"] == people()["age"][0].as_py()
    assert "name" not in made.pairs[0].before
    assert "pairs" not in made.to_json()


def test_sets_as_text() -> None:
    assert listed(["17", "18", "19"]) == "[17, 19]"
    assert listed(["17", "19"]) == "{17, 19}"
    assert listed(["a"]) == "a"
    assert listed(["a, b", "x"]) == '{"a, b", x}'
    assert lists("[17, 19]", "18")
    assert not lists("[17, 19]", "20")
    assert lists('{"a, b", x}', "a, b")
    assert not lists('{"a, b", x}', "a")
    assert lists('{"p, x, q", y}', "y")
    assert not lists('{"p, x, q", y}', "x")


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


@pytest.mark.parametrize("search", ["optimal", "local", "mondrian"])
def test_missing_values_beside_empty_texts_are_refused_in_plain_words(search: str) -> None:
    table = pa.table({"town": ["a", "", None, "a", "", None], "age": [1] * 6})
    with pytest.raises(
        BadAnonymization, match="'town': some values are missing and some are texts of no letters"
    ):
        pv.anonymize(
            pv.open_table(table, roles={"town": "quasi", "age": "quasi"}), pv.KAnonymity(2), search=search
        )

"""A table of everybody beside the table: coded alike, and counted as the published cells show it."""

from collections import Counter

import pyarrow as pa
import pytest
from tests.protect.anonymize.people import hierarchies, opened, people

import privet as pv
from privet.engine import frequency_table
from privet.errors import BadAnonymization
from privet.protect.anonymize._population import alike, codes
from privet.protect.anonymize._recoding import lists


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


def both(mine, theirs):
    table, others = (pv.open_table(pa.table({"x": one, "y": one})) for one in (mine, theirs))
    return alike(frequency_table(table.relation, ["x", "y"]), others, ["x"])


def test_the_same_value_has_the_same_code_on_both_sides():
    ours, theirs = both(["b", "d", "b", None], ["a", "b", "c", "b"])
    assert ours.labels[0].to_pylist() == theirs.labels[0].to_pylist() == ["a", "b", "c", "d", None]
    assert dict(zip(ours.codes[:, 0].tolist(), ours.counts.tolist(), strict=True)) == {1: 2, 3: 1, 4: 1}
    assert dict(zip(theirs.codes[:, 0].tolist(), theirs.counts.tolist(), strict=True)) == {0: 1, 1: 2, 2: 1}
    assert ours.labels[1].to_pylist() == ["b", "d", None], "other columns keep their own codes"
    assert codes(theirs).rows == 4
    assert codes(None) is None


def test_whole_numbers_of_two_widths_are_alike_and_other_kinds_are_not():
    ours, theirs = both(pa.array([1, 2], pa.int32()), pa.array([2, 3], pa.int64()))
    assert ours.labels[0].to_pylist() == [1, 2, 3]
    assert theirs.codes[:, 0].tolist() == [1, 2]
    with pytest.raises(BadAnonymization, match="'x' holds another kind of values"):
        both(["1", "2"], [1, 2])


def test_a_population_without_the_column_is_refused():
    table = pv.open_table(pa.table({"x": ["a"]}))
    with pytest.raises(BadAnonymization, match="no column 'x'"):
        alike(frequency_table(table.relation, ["x"]), pv.open_table(pa.table({"z": ["a"]})), ["x"])

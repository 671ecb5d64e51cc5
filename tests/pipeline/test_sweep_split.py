"""People split in two: nobody on both sides, and who is kept apart depends on nobody else."""

from collections.abc import Callable

import pyarrow as pa
import pytest
from tests.pipeline.small_ward import ROLES, rows, ward

import privet as pv
from privet.artifact import ModelTarget
from privet.errors import BadSweep
from privet.pipeline._sweep_split import FEWEST_OF_A_CLASS, _refuse_one_answer, _rounded, halves
from privet.pipeline._tradeoff import tradeoff


def test_nobody_is_on_both_sides() -> None:
    made = halves(ward(), "back", holdout=0.5)
    used = set(made.used_rows.column("person").to_pylist())
    apart = set(made.held_rows.column("person").to_pylist())
    assert not used & apart
    assert len(used | apart) == 300
    assert made.people == (len(used), len(apart))
    assert "person" not in made.shared
    assert "person" not in made.features.names


def test_who_is_kept_apart_depends_on_nobody_else() -> None:
    table = rows()
    fewer = table.filter(pa.compute.not_equal(table.column("person"), "p7"))
    both = [
        set(
            halves(pv.open_table(one, unit=pv.Person("person", max_rows=3), roles=ROLES), "back", holdout=0.5)
            .held_rows.column("person")
            .to_pylist()
        )
        for one in (table, fewer)
    ]
    assert both[0] - {"p7"} == both[1]


def constant(table: pa.Table) -> pa.Table:
    return table.set_column(5, "back", pa.array([True] * table.num_rows))


def nearly_constant(table: pa.Table) -> pa.Table:
    return table.set_column(5, "back", pa.array([True] * (table.num_rows - 2) + [False] * 2))


def one_text(table: pa.Table) -> pa.Table:
    return table.set_column(5, "back", pa.array(["same"] * table.num_rows))


def few(table: pa.Table) -> pa.Table:
    return table.slice(0, 60)


@pytest.mark.parametrize("spoil", [constant, nearly_constant, one_text, few])
def test_one_answer_or_too_few_people_are_refused(spoil: Callable[[pa.Table], pa.Table]) -> None:
    table = pv.open_table(spoil(rows()), unit=pv.Person("person", max_rows=3), roles=ROLES)
    with pytest.raises(BadSweep) as refused:
        tradeoff(table, target="back")
    assert "one value only" in refused.value.fact or "fewer than 50 people" in refused.value.fact


def test_large_tables_are_thinned_by_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.pipeline._sweep_split.MOST_ROWS", 350)
    made = halves(ward(600), "back", holdout=0.5)
    people = set(made.used_rows.column("person").to_pylist()) | set(
        made.held_rows.column("person").to_pylist()
    )
    assert 100 < len(people) < 280
    whole = rows(600)
    kept = pa.compute.is_in(whole.column("person"), pa.array(sorted(people)))
    assert made.used_rows.num_rows + made.held_rows.num_rows == whole.filter(kept).num_rows
    assert "about 29%" in made.notes[0]


@pytest.mark.parametrize(
    ("number", "wanted"), [(7, 7), (73, 73), (738, 740), (1_449, 1_400), (99_600, 100_000)]
)
def test_public_numbers_have_two_figures(number, wanted):
    assert _rounded(number) == wanted


def test_a_second_answer_needs_some_rows_on_each_side():
    target = ModelTarget("y", ("no", "yes"))

    def rows(yes):
        return pa.table({"y": ["yes"] * yes + ["no"] * 50})

    _refuse_one_answer(target, rows(FEWEST_OF_A_CLASS), rows(FEWEST_OF_A_CLASS))
    with pytest.raises(BadSweep, match="nothing to predict"):
        _refuse_one_answer(target, rows(FEWEST_OF_A_CLASS), rows(FEWEST_OF_A_CLASS - 1))
    number = ModelTarget("y", (), 0.0, 10.0)
    with pytest.raises(BadSweep):
        _refuse_one_answer(number, pa.table({"y": [1.0, 1.0]}))


def test_what_stands_for_public_facts_does_not_tell_the_halves_apart() -> None:
    """Values and bounds are read off everybody: a value that only the holdout has is among them."""
    table = rows()
    made = halves(ward(), "back", holdout=0.5)
    apart = set(made.held_rows.column("person").to_pylist())
    there = pa.array([one in apart for one in table.column("person").to_pylist()])
    area = pa.compute.if_else(there, "only apart", table.column("area"))
    spoilt = table.set_column(table.column_names.index("area"), "area", area)
    found = halves(
        pv.open_table(spoilt, unit=pv.Person("person", max_rows=3), roles=ROLES), "back", holdout=0.5
    )
    assert "only apart" in found.schema.columns["area"].values

"""Counts for every place as a verb: what is known beforehand, and what is missing."""

from types import SimpleNamespace

import pytest

import privet as pv
from privet.dataset import DataSet
from privet.errors import BadUsage, UnitNotStated
from privet.verbs import Request
from privet.verbs._tabulate_verb import Tabulate, TabulateOptions, _invariant, _pattern
from privet.verbs._verb_options import validated

SAID = {"levels": ["state", "county"], "cells": ["sex"], "leaves": "places.csv", "rho": "0.5"}


def options(**more):
    return TabulateOptions(**{**SAID, **more})


def test_counts_need_a_promise_and_exact_ones_an_origin():
    assert options().promised() == pv.ZeroConcentratedDP("0.5")
    with pytest.raises(BadUsage, match="need a promise"):
        validated(TabulateOptions, {**SAID, "rho": None})
    with pytest.raises(BadUsage, match="are disclosures"):
        validated(TabulateOptions, {**SAID, "exact": {"state": "totals.csv"}})
    options(exact={"state": "totals.csv"}, origin="gazette")


@pytest.mark.parametrize("text", ["age", "age=", "=x", "age=1,age=2", ""])
def test_patterns_that_cannot_be_read_are_refused(text):
    with pytest.raises(ValueError, match="could not be read"):
        _pattern(text)
    assert _pattern("age=0-14, married=yes") == {"age": "0-14", "married": "yes"}
    assert _pattern({"age": 1}) == {"age": 1}


def declaration(values, *, max_rows=1):
    return SimpleNamespace(
        columns={name: SimpleNamespace(values=one) for name, one in values.items()},
        dataset=SimpleNamespace(unit=SimpleNamespace(column="id", max_rows=max_rows)),
    )


def test_values_are_stated_once_and_only_once():
    verb = Tabulate()
    assert verb.gaps(options(), declaration({"sex": ["f", "m"]}), None) == []
    assert [part for part, _ in verb.gaps(options(), declaration({"sex": None}), None)] == ["cells"]
    assert verb.gaps(options(keys={"sex": "f,m"}), declaration({"sex": None}), None) == []
    assert [
        part for part, _ in verb.gaps(options(keys={"sex": "f,m"}), declaration({"sex": ["f"]}), None)
    ] == ["keys"]
    assert [part for part, _ in verb.gaps(options(), declaration({"sex": ["f"]}, max_rows=None), None)] == [
        "levels"
    ]
    assert verb.columns(options(cells=["sex", "state"]), None, None) == ("state", "county", "sex")


def test_whose_rows_they_are_is_never_guessed(tmp_path):
    (tmp_path / "rows.csv").write_text("id,sex\n1,f\n")
    data = DataSet.of(str(tmp_path / "rows.csv"))
    with pytest.raises(UnitNotStated):
        Tabulate().bare_table(data, Request("rows.csv", None))
    unit = Tabulate().bare_table(data, Request("rows.csv", None, unit="id", change_one=True)).unit
    assert (unit.column, unit.max_rows, unit.change) == ("id", 1, pv.Change.REPLACE)


def test_files_of_exact_counts_have_their_level_and_a_count(tmp_path):
    (tmp_path / "totals.csv").write_text("state,sex,count\nN,f,3\nN,m,4\n")
    found = _invariant("state", tmp_path / "totals.csv", ["state", "county"], "gazette")
    assert found.columns == ("sex",)
    assert dict(found.values) == {("N", "f"): 3, ("N", "m"): 4}
    with pytest.raises(BadUsage, match="lacks a column"):
        _invariant("county", tmp_path / "totals.csv", ["state", "county"], "gazette")

"""Losses of small runs: a whole grid or nothing, and files that are not believed."""

import json
from dataclasses import replace

import pytest
from tests.protect.train.language.laws import RATIOS, SIZES, STEPS, table

from privet.errors import BadTraining, BadUsage, PrivetError, UnknownRecord
from privet.protect.train.language import LossRun, LossTable, measured_by_us


def test_a_table_is_read_as_it_was_written(tmp_path):
    made = table()
    assert LossTable.load(made.save(tmp_path / "losses.json")) == made
    assert (made.sizes, made.steps) == (SIZES, STEPS)
    assert made.noise_ratios == pytest.approx(RATIOS)
    with pytest.raises(BadUsage):
        made.save(tmp_path / "losses.csv")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda runs: runs[:-1], "not every size"),
        (lambda runs: (*runs, runs[0]), "twice"),
        (lambda runs: tuple(run for run in runs if run.ratio), "without noise"),
        (lambda runs: (replace(runs[0], losses=runs[0].losses[1:]), *runs[1:]), "different steps"),
        (lambda runs: (replace(runs[0], losses=(0.0, *runs[0].losses[1:])), *runs[1:]), "not positive"),
        (lambda runs: tuple(run for run in runs if run.size == SIZES[0]), "two sizes"),
        (lambda runs: (), "at least one run"),
    ],
)
def test_what_is_no_grid_is_refused(spoil, said):
    made = table()
    with pytest.raises(BadTraining, match=said):
        replace(made, runs=spoil(made.runs))


@pytest.mark.parametrize(
    "change",
    [
        {"artifact": "other"}, {"version": 2}, {"runs": None}, {"runs": [3]}, {"batch": -1}, {"batch": True},
        {"measured_on": 7}, {"runs": [{"size": 1, "ratio": float("nan"), "rate": 1, "steps": [1], "losses": [1]}]},
    ],
)  # fmt: skip
def test_a_file_that_holds_something_else_is_refused(change, tmp_path):
    place = tmp_path / "losses.json"
    place.write_text(json.dumps({**table().to_json(), **change}))
    with pytest.raises(PrivetError):
        LossTable.load(place)


def test_a_run_that_is_none_is_refused():
    with pytest.raises(UnknownRecord):
        LossRun.from_json({"size": 3})


def test_ours_says_what_it_was_measured_on_and_where_it_ends():
    ours = measured_by_us()
    assert "standard library" in ours.measured_on
    assert f"{ours.sizes[-1]:,}" in ours.not_for
    assert len(ours.sizes) >= 3

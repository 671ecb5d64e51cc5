"""Attacks on several things: intervals that hold together, and of each attack what got furthest."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadUsage
from privet.verbs import VerbWork
from privet.verbs._attack_verb import AttackOptions, AttackVerb, freed, furthest, together


@dataclass(frozen=True)
class Found:
    attack: str
    success: object
    baseline: float
    bound: float | None = None
    notes: tuple = ()


def found(attack, value, *, low=0.0, baseline=0.5, bound=None):
    return Found(attack, SimpleNamespace(value=value, low=low), baseline, bound)


def test_confidence_is_shared_so_that_all_hold_together():
    assert together(1) == pytest.approx(0.95)
    assert together(5) == pytest.approx(0.99)
    assert together(2, 0.9) == pytest.approx(0.95)


def test_a_broken_promise_goes_before_a_better_guess():
    near, beyond = found("x", 0.9, bound=0.95), found("x", 0.6, low=0.58, bound=0.55)
    (best,) = furthest([("a", near), ("b", beyond)], 2)
    assert best.success.value == pytest.approx(0.6)
    assert best.notes == ("The furthest of 2 things that were looked for: b.",)
    (better,) = furthest([("a", found("x", 0.6)), ("b", found("x", 0.7))], 2)
    assert better.success.value == pytest.approx(0.7)
    assert furthest([("", near)], 1) == (near,), "one thing alone needs no note"
    assert {one.attack for one in furthest([("a", near), ("a", replace(near, attack="y"))], 2)} == {"x", "y"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ({"label": "diagnosis"}, {"label": "diagnosis"}),
        ({"quasi": "zip"}, {"quasi": ["zip"]}),
        ({"quasi": "zip, born"}, {"quasi": ["zip", "born"]}),
    ],
)
def test_settings_of_words_are_columns_numbers_and_lists(said, meant):
    assert AttackOptions(of="x", settings=said).settings == meant


@pytest.mark.parametrize("name", ["address", "backend", "folder", "nothing"])
def test_where_work_is_done_is_not_for_a_file_to_say(name):
    with pytest.raises(ValueError, match=f"takes no {name}"):
        AttackOptions(of="x", settings={name: "1"})


def test_rows_are_freed_of_terms_that_were_checked():
    table = pv.open_table(pa.table({"x": [1]}))
    assert freed(table).terms == ()
    assert freed("rows.csv") == "rows.csv"


def test_a_step_that_made_nothing_to_attack_is_named():
    work = VerbWork(AttackOptions(of="safe"), None, None, None, "", name="look")
    with pytest.raises(BadUsage, match="'look' attacks 'safe'"):
        AttackVerb().run(work)

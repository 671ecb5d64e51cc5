"""Measures of one table by hand: missing values, weights, and how far sets are searched."""

import numpy as np
import pyarrow as pa
import pytest

from privet.audits import _disclosure_measures as measures
from privet.audits import audit
from privet.audits._person_records import people
from privet.errors import BadAudit, BadUsage
from privet.source import open_table


def test_missing_values_are_shown_under_all_three_meanings() -> None:
    table = pa.table({"a": [2, 3, None, 2, 1, None, 1, 2]})
    told = {
        meaning: audit(table, quasi=["a"], sensitive=[], unit="row", missing=meaning)
        for meaning in ("own value", "wildcard", "ignored")
    }
    effects = told["own value"].to_json()["missing"]["effects"]
    assert {name: one["k"] for name, one in effects.items()} == {"own value": 1, "wildcard": 3, "ignored": 1}
    assert effects["ignored"]["left_out"] == 2
    assert told["wildcard"].alike.sizes.k == 3
    assert sorted(told["wildcard"].alike.of_each.tolist()) == [3, 4, 5, 8]
    assert told["wildcard"].to_json()["classes"]["overlapping"]
    with pytest.raises(BadUsage, match="missing is one of"):
        audit(table, quasi=["a"], missing="nothing")


def test_survey_weights_give_the_individual_risk() -> None:
    frequency, total = 1, 45.5
    table = pa.table({"town": ["a", "b", "b"], "w": [total, 50.0, 50.0]})
    told = audit(table, quasi=["town"], sensitive=[], unit="row", weights="w")
    share = frequency / total
    assert told.survey is not None
    assert told.survey.highest == pytest.approx(share / (1 - share) * np.log(1 / share))
    with pytest.raises(BadAudit, match="survey weights"):
        audit(table, quasi=["town"], unit="row", weights="town") if False else audit(
            pa.table({"town": ["a"], "w": [0.5]}), quasi=["town"], unit="row", weights="w"
        )


def records(**columns):
    return people(open_table(pa.table(columns)).relation, list(columns), ())


@pytest.mark.parametrize(
    ("width", "largest"), [(1, 1), (14, 14), (15, 7), (20, 4), (40, 3), (400, 1), (30_000, 1)]
)
def test_sets_are_searched_while_there_are_not_too_many(width: int, largest: int) -> None:
    """Of 15 columns there are 16,383 sets of up to 7 and 22,818 of up to 8; of 14, 16,383 in all."""
    assert measures._largest(width) == largest


def test_all_meanings_agree_where_nothing_is_missing() -> None:
    codes = measures.codes_of(records(a=[1, 1, 2]), ["a"])
    (effect,) = measures.missing_effects(codes)
    assert (effect.semantics, effect.k, effect.uniques, effect.left_out) == ("own value", 1, 1, 0)
    assert effect.mean_risk == pytest.approx(2 / 3)


def test_what_is_ignored_is_counted_as_left_out() -> None:
    codes = measures.codes_of(records(a=[1, 1, None]), ["a"])
    effects = {one.semantics: one for one in measures.missing_effects(codes)}
    assert (effects["ignored"].k, effects["ignored"].left_out) == (2, 1)
    assert (effects["own value"].k, effects["own value"].uniques) == (1, 1)
    assert effects["wildcard"].k == 3


def test_what_everybody_is_missing_leaves_no_class_at_all() -> None:
    codes = measures.codes_of(records(a=pa.array([None, None], pa.int64())), ["a"])
    effects = {one.semantics: one for one in measures.missing_effects(codes)}
    assert (effects["ignored"].k, effects["ignored"].left_out) == (0, 2)


def test_classes_add_up_to_the_people() -> None:
    found = measures.alike(measures.codes_of(records(a=[1, 1, 1, 2, 2, 3, 4]), ["a"]), "own value")
    assert (found.sizes.sizes.tolist(), found.sizes.numbers.tolist()) == ([1, 2, 3], [2, 1, 1])
    assert not found.overlapping


def test_uniques_without_each_column() -> None:
    codes = measures.codes_of(records(a=[1, 1, 2, 2], b=[1, 2, 1, 1]), ["a", "b"])
    assert measures.sizes_without(codes) == {"a": 1, "b": 0}
    assert measures.sizes_without(measures.codes_of(records(a=[1, 2]), ["a"])) == {"a": 0}


@pytest.mark.parametrize("weights", [[0.99, 2.0], [float("nan"), 2.0]])
def test_what_is_no_weight_is_refused(weights: list[float]) -> None:
    ours = records(town=["a", "b"], w=weights)
    with pytest.raises(BadAudit, match="survey weights"):
        measures.survey_risk(ours, measures.codes_of(ours, ["town"]), "w")

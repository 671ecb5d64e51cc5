"""Transforms as verbs: which columns they touch, which steps they take, and what makes no sense."""

from types import SimpleNamespace

import pytest

from privet.errors import BadUsage
from privet.verbs import verbs
from privet.verbs._verb_options import validated

CASES = {
    "suppress": ({"columns": ["a"], "rare": {"b": 5}, "values": {"c": "x,y"}}, {"a", "b", "c"}, 3),
    "mask": ({"column": ["a", "b"], "keep_last": 2}, {"a", "b"}, 2),
    "round": ({"multiples": {"a": "5"}}, {"a"}, 1),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_touched_is_what_is_done(name):
    said, touched, steps = CASES[name]
    verb = verbs()[name]
    options = validated(verb.options, said)
    assert set(verb.touched(options).changed) == touched
    made, _ = verb.steps(SimpleNamespace(options=options))
    assert len(made) == steps


def test_a_column_that_is_left_out_goes_last():
    verb = verbs()["suppress"]
    options = validated(verb.options, {"columns": ["a"], "rare": {"a": 5}})
    made, _ = verb.steps(SimpleNamespace(options=options))
    assert [step.__name__ for step, _, _ in made] == ["suppress_rare", "suppress_columns"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("suppress", {}),
        ("suppress", {"rare": {"a": 0}}),
        ("mask", {"column": []}),
        ("mask", {"column": "a", "keep_first": -1}),
        ("mask", {"column": "a", "placeholder": "x", "number": "y"}),
        ("round", {"multiples": {}}),
        ("round", {"multiples": {"a": "five"}}),
        ("round", {}),
    ],
)
def test_what_makes_no_sense_is_refused(name, said):
    with pytest.raises(BadUsage):
        validated(verbs()[name].options, said)


def test_values_of_a_policy_and_words_of_a_command_line_are_the_same():
    options = verbs()["suppress"].options
    assert validated(options, {"values": {"a": "x, y"}}) == validated(options, {"values": {"a": ["x", "y"]}})
    assert verbs()["mask"].options(column="a") == verbs()["mask"].options(column=["a"])

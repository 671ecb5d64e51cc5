"""What a specification costs one person over time."""

from fractions import Fraction

import pytest
from tests.protect.collect.specifications import VALUES

import privet as pv


def terms(oracle="grr", **more):
    return pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(2), oracle, **more).over_time


def test_fresh_reports_add_up() -> None:
    assert terms().forever is None
    assert terms().most is None
    assert terms(per="lifetime", most=3).most == 6
    assert terms(per="day", most=3).says() == [
        "A person gives at most 3 a day: epsilon 6 per person and day."
    ]


def test_kept_answers_are_paid_for_once_and_by_value() -> None:
    found = terms("l-grr", settings={"once": 500})
    assert (found.forever, found.change, found.most) == (2, 2, 24)
    assert abs(found.report - 0.5) < 1e-12
    assert found.to_json()["epsilon_of_a_changed_value"] == "2"
    assert terms("dbitflip", settings={"chosen": 2}).most == 6
    assert terms("l-grr", per="lifetime", most=3).most == 6
    assert "epsilon 2, for ever" in " ".join(found.says())


def test_reports_that_are_repeated_are_paid_for_once() -> None:
    found = terms(memory="value")
    assert (found.forever, found.most, found.repeats) == (2, 24, True)
    numbers = pv.Collection("m", pv.NumberIn(0, 60), pv.LocalDP(2), memory="value").over_time
    assert numbers.most is None
    assert numbers.charge == Fraction(2)


def test_an_oracle_with_a_memory_of_its_own_takes_no_other() -> None:
    with pytest.raises(pv.PrivetError, match="by itself"):
        terms("rappor", memory="value")


def test_what_is_stated_comes_back_and_older_specifications_keep_their_fingerprint() -> None:
    made = pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(2), "grr", memory="value", shuffler=1000)
    assert pv.Collection.from_json(made.to_json()) == made
    assert "memory" not in pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(2), "grr").to_json()
    with pytest.raises(pv.PrivetError):
        pv.Collection.from_json({**made.to_json(), "memory": "none"})
    with pytest.raises(pv.PrivetError):
        pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(2), shuffler=1)


def test_a_shuffler_amplifies_only_where_it_is_declared_and_reports_are_fresh() -> None:
    def made(**more):
        return pv.Collection("emoji", pv.OneOf(VALUES), pv.LocalDP(1), "grr", **more)

    assert 0.0528 - 5e-5 <= made(shuffler=10_000).shuffled(1e-6) <= 0.0535 + 5e-5
    with pytest.raises(pv.PrivetError, match="no shuffler"):
        made().shuffled(1e-6)
    with pytest.raises(pv.PrivetError, match="drawn anew"):
        made(shuffler=10_000, memory="value").shuffled(1e-6)

"""Promises on classes of rows: checked on the way in, the same after a round trip, one plain sentence each."""

import json
from fractions import Fraction

import pytest

from privet.errors import BadAmount, UnsoundAlgebra
from privet.guarantee._privacy_units import Person, Row
from privet.guarantee._promise_registry import (
    AlphaK,
    ApproxDP,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    PureDP,
    RenyiDP,
    RiskThreshold,
    TCloseness,
    ZeroConcentratedDP,
    promise_from_json,
)

EVERY = [
    KAnonymity(5),
    LDiversity("ill", 3, "recursive", Fraction(4)),
    TCloseness("ill", "0.2", "ordered"),
    KMap(5),
    KMap(3, "poisson", sampling_fraction="0.01", significance="0.05"),
    DeltaPresence(0, "0.2"),
    BetaLikeness("ill", 2, "enhanced"),
    DeltaDisclosure("ill", "1.5", "refuse"),
    AlphaK("ill", "0.5", 3),
    RiskThreshold(highest="0.2"),
    RiskThreshold(highest="0.2", average="0.05"),
    PopulationUniqueness("0.01", "0.1", "zayatz"),
]


@pytest.mark.parametrize("promise", EVERY, ids=lambda promise: promise.kind)
def test_a_round_trip_changes_nothing(promise):
    again = promise_from_json(json.loads(json.dumps(promise.to_json())))
    assert again == promise
    assert hash(again) == hash(promise)


@pytest.mark.parametrize("promise", EVERY, ids=lambda promise: promise.kind)
def test_each_promise_is_one_sentence(promise):
    said = promise.sentence()
    assert said.endswith(".")
    assert said[0].isupper()
    assert "Fraction" not in said


def test_they_join_and_have_no_shares():
    joint = KMap(5) & BetaLikeness("ill", 2) & KMap(5)
    assert len(list(joint)) == 2
    with pytest.raises(UnsoundAlgebra):
        KMap(5) * 2


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: KMap(1),
        lambda: KMap(5, "guess"),
        lambda: KMap(5, "poisson"),
        lambda: KMap(5, sampling_fraction="0.1", significance="0.1"),
        lambda: KMap(5, "poisson", sampling_fraction=2, significance="0.1"),
        lambda: DeltaPresence("0.5", "0.2"),
        lambda: DeltaPresence(-1, "0.2"),
        lambda: DeltaPresence(0, 2),
        lambda: BetaLikeness("ill", 0),
        lambda: BetaLikeness("ill", 1, "best"),
        lambda: DeltaDisclosure("ill", 1, "ignore"),
        lambda: AlphaK("ill", "1.5", 3),
        lambda: AlphaK("ill", "0.5", 1),
        RiskThreshold,
        lambda: RiskThreshold(highest=2),
        lambda: PopulationUniqueness(1, "0.1"),
        lambda: PopulationUniqueness("0.1", 0),
        lambda: PopulationUniqueness("0.1", "0.1", "guess"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()


@pytest.mark.parametrize("promise", [PureDP(1), ApproxDP(1, "1e-6"), ZeroConcentratedDP(1), RenyiDP(8, 1)])
def test_a_person_is_spoken_of_only_where_persons_are_the_unit(promise):
    assert "a given person is in" in promise.sentence_about(Person("id"))
    of_rows = promise.sentence_about(Row())
    assert "a given row is in" in of_rows
    assert "person" not in of_rows
    assert "a given person or row is in" in promise.sentence()
    both = (promise & KAnonymity(5)).sentence_about(Row())
    assert of_rows in both
    assert KAnonymity(5).sentence() in both

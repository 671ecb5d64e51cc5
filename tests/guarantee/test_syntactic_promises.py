"""Promises on classes of rows: checked on the way in, the same after a round trip, one plain sentence each."""

import json
from fractions import Fraction

import pytest

from privet.errors import BadAmount, UnsoundAlgebra
from privet.guarantee._privacy_units import Person
from privet.guarantee._promise_registry import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    RiskThreshold,
    SafeHarbor,
    TCloseness,
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


@pytest.mark.parametrize(
    "at_its_edge",
    [
        lambda: KAnonymity(2),
        lambda: LDiversity("ill", 2),
        lambda: LDiversity("ill", 2, "entropy"),
        lambda: TCloseness("ill", 1),
        lambda: TCloseness("ill", "0.2", "hierarchical"),
        lambda: SafeHarbor(1990),
        lambda: KMap(2),
        lambda: KMap(2, "zero-truncated-poisson", sampling_fraction=1, significance=1),
        lambda: DeltaPresence(0, 1),
        lambda: DeltaPresence("0.2", "0.2"),
        lambda: AlphaK("ill", 1, 2),
        lambda: RiskThreshold(average=1),
        lambda: PopulationUniqueness(0, 1),
    ],
)
def test_edges_are_allowed(at_its_edge):
    assert promise_from_json(at_its_edge().to_json()) == at_its_edge()


@pytest.mark.parametrize(
    "beyond",
    [
        lambda: KAnonymity(1),
        lambda: KAnonymity(True),
        lambda: LDiversity("ill", 1),
        lambda: LDiversity("", 2),
        lambda: LDiversity(3, 2),
        lambda: LDiversity("ill", 2, "sparse"),
        lambda: LDiversity("ill", 2, "recursive"),
        lambda: LDiversity("ill", 2, "distinct", 3),
        lambda: LDiversity("ill", 2, "recursive", 0),
        lambda: TCloseness("ill", "1.01"),
        lambda: TCloseness("ill", 0),
        lambda: TCloseness("ill", "0.1", "round"),
        lambda: SafeHarbor(1989),
        lambda: KMap(5, "poisson", sampling_fraction="0.1"),
        lambda: KMap(5, "poisson", significance="0.1"),
        lambda: KMap(5, sampling_fraction="0.1"),
        lambda: DeltaPresence("0.21", "0.2"),
        lambda: AlphaK("ill", 0, 2),
        lambda: RiskThreshold(average="1.1"),
        lambda: PopulationUniqueness(-1, "0.5"),
        lambda: PopulationUniqueness(0, "1.1"),
    ],
)
def test_beyond_the_edges_is_refused(beyond):
    with pytest.raises(BadAmount):
        beyond()


def test_others_are_one_fewer_than_k_and_people_where_people_are_the_unit():
    assert "the same as at least 4 others in" in KAnonymity(5).sentence()
    assert "no fewer than 5 records" in KAnonymity(5).sentence()
    assert "the same as at least 1 other in" in KAnonymity(2).sentence()
    of_people = KAnonymity(5).sentence_about(Person("id"))
    assert "records of at least 4 other people" in of_people
    assert "no fewer than 5 people" in of_people
    assert "records of at least 1 other person in" in KAnonymity(2).sentence_about(Person("id"))
    assert "records of at least 2 other people" in AlphaK("ill", "0.5", 3).sentence_about(Person("id"))


def test_figures_in_sentences_are_those_of_the_promise():
    assert "more than 3 times as likely" in BetaLikeness("ill", 2).sentence()
    assert "at most 4.49 times" in DeltaDisclosure("ill", "1.5").sentence()  # e^1.5 = 4.4817, rounded up
    both = RiskThreshold(highest="0.2", average="0.05").sentence()
    assert both.endswith("at most 0.2 for any record and 0.05 on average.")
    assert RiskThreshold(average="0.05").sentence().endswith("at most 0.05 on average.")
    assert "as estimated" not in KMap(5).sentence()
    assert "as estimated" in EVERY[4].sentence()

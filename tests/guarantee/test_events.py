"""Events that combine others: what they refuse, and how a tree of them is multiplied out."""

from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee._events import (
    EVENT_CLASSES,
    SCHEMA,
    TRIAL_LAWS,
    Composed,
    Event,
    Gaussian,
    Laplace,
    PoissonSampled,
    Repeated,
    SealedPlan,
    Selected,
    TruncatedPoissonSampled,
    event_from_json,
    event_kinds,
    leaves,
)

ONE, OTHER = Laplace(2), Gaussian(3)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Composed([]),
        lambda: Composed([ONE, "laplace"]),
        lambda: Repeated(ONE, 0),
        lambda: Repeated(ONE, True),
        lambda: Repeated("laplace", 2),
        lambda: PoissonSampled(0, ONE),
        lambda: PoissonSampled("1.01", ONE),
        lambda: PoissonSampled("0.5", None),
        lambda: TruncatedPoissonSampled("0.5", 0, 9, OTHER),
        lambda: TruncatedPoissonSampled("0.5", 5, 0, OTHER),
        lambda: TruncatedPoissonSampled(2, 5, 9, OTHER),
        lambda: TruncatedPoissonSampled("0.5", 5, 9, 1),
        lambda: SealedPlan(ONE, 0),
        lambda: SealedPlan(ONE, 1),
        lambda: SealedPlan(1, "1e-6"),
        lambda: Selected([], 10),
        lambda: Selected([ONE], "0.5"),
        lambda: Selected([ONE], 10**6 + 1),
        lambda: Selected([ONE], 10, "uniform"),
        lambda: Selected([1], 10),
    ],
)
def test_what_is_no_event_is_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()


def test_edges_are_allowed():
    assert Repeated(ONE, 1).count == 1
    assert PoissonSampled(1, ONE).q == 1
    assert TruncatedPoissonSampled(1, 1, 1, OTHER).batch == 1
    assert Selected([ONE], 1).mean == 1  # exact: a fraction, as given
    assert Selected([ONE], 10**6).mean == 10**6  # exact: a fraction, as given
    assert SealedPlan(ONE, "1e-30").delta == Fraction(1, 10**30)


def test_a_selection_is_logarithmic_unless_said_otherwise():
    assert TRIAL_LAWS == ("logarithmic", "geometric", "poisson")
    assert [Selected([ONE], 2, law).law for law in TRIAL_LAWS] == list(TRIAL_LAWS)
    assert Selected([ONE], 2) == Selected([ONE], 2, "logarithmic")
    assert "law" not in Selected([ONE], 2).to_json()


def test_counts_are_multiplied_out():
    tree = Repeated(Composed([ONE, Repeated(OTHER, 3), ONE]), 5)
    assert leaves(tree) == {ONE: 10, OTHER: 15}
    assert leaves(ONE) == {ONE: 1}


def test_samples_selections_and_plans_are_leaves():
    for leaf in (
        PoissonSampled("0.1", Repeated(OTHER, 3)),
        SealedPlan(Repeated(ONE, 3), "1e-6"),
        Selected([Repeated(ONE, 3)], 10),
    ):
        assert leaves(Repeated(leaf, 2)) == {leaf: 2}


def test_leaves_come_in_the_order_of_their_texts():
    names = [event.canonical() for event in leaves(Composed([OTHER, ONE, Laplace(1)]))]
    assert names == sorted(names)


def test_records_are_of_the_first_schema_and_every_class_can_be_read():
    assert SCHEMA == 1
    assert frozenset(event_kinds().values()) == EVENT_CLASSES
    tree = Composed(
        [Repeated(PoissonSampled("0.1", OTHER), 3), SealedPlan(ONE, "1e-6"), Selected([ONE], 2, "poisson")]
    )
    assert event_from_json(tree.to_json()) == tree
    assert all(issubclass(one, Event) for one in EVENT_CLASSES)

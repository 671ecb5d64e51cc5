"""The keywords of a release: what one kind takes is what all together take, and nothing else."""

import pytest
from tests.protect.hospital import open_stays

import privet as pv
from privet.errors import BadUsage
from privet.protect.pac import PacOptions
from privet.protect.query import (
    BatchOptions,
    BatchPlan,
    EveryOption,
    QuestionOptions,
    QuestionPlan,
    SpineOptions,
    SpinePlanned,
)


def keywords(kind):
    return set(kind.__annotations__)


def test_every_option_is_that_of_some_release():
    together = (
        keywords(QuestionOptions) | keywords(BatchOptions) | keywords(SpineOptions) | keywords(PacOptions)
    )
    assert keywords(EveryOption) == together
    assert not EveryOption.__required_keys__, "all may be left out"


def test_what_is_explained_is_what_is_released_less_the_booking():
    booking = {"purpose", "analyst", "again"}
    assert keywords(QuestionOptions) - keywords(QuestionPlan) == booking
    assert keywords(BatchOptions) - keywords(BatchPlan) == booking
    assert keywords(SpineOptions) - keywords(SpinePlanned) == booking | {"progress"}


@pytest.mark.parametrize("option", ["progress", "tabel", "epsilon", "why_not"])
def test_a_keyword_of_something_else_is_refused(option, ledger):
    question = open_stays().agg(n=pv.count())
    with pytest.raises(BadUsage, match=f"no argument '{option}'"):
        pv.release(question, pv.PureDP(1), ledger=ledger, why="test", **{option: None})
    assert ledger.balance().spends == 0

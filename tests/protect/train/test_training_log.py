"""A log is for the owner alone: what anybody may see stands apart, and nothing of the rest leaves by printing or pickling."""

import pickle

import pytest

from privet.errors import SealBroken
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.gradients import OwnerView, Progress


def told():
    log = TrainingLog("readmissions")
    log.progress(Progress(1, 2, 0.5, 0.1, 1.0, 0.25))
    log.owner(OwnerView(1, 4711, 0.123456, 0.5, 0))
    log.measure({"auroc": 0.87654}, {"auroc": 0.91234})
    return log


def test_it_prints_and_pickles_nothing_of_what_it_holds():
    log = told()
    for text in (repr(log), str(log), f"{log}"):
        assert text == "<log of 1 steps, for the owner alone>"
    for way in (pickle.dumps, lambda one: one.__reduce_ex__(2)):
        with pytest.raises(SealBroken):
            way(log)
    assert not hasattr(log, "__dict__")


def test_a_new_training_drops_what_was_noted_before():
    log = told()
    log.begin("another", "epsilon 1", 0.25)
    assert (log.title, log.promised, log.before) == ("another", "epsilon 1", 0.25)  # exact: figures as given
    assert (log.public, log.views) == ((), ())


def test_figures_are_handed_out_as_copies():
    log = told()
    log.measured["auroc"] = 1.0
    log.twin.clear()
    assert log.measured == {"auroc": 0.87654}  # exact: figures as given
    assert log.twin == {"auroc": 0.91234}  # exact: figures as given
    log.measure({"accuracy": 0.5})
    assert log.twin == {}

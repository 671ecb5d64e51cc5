"""Remarks reach whoever listens, each text once, and nobody else."""

import pytest

from privet.errors._remarks import listening, remark


def test_each_text_is_said_once_and_given_back() -> None:
    heard: list[str] = []
    with listening(heard.append):
        assert remark("a") == "a"
        remark("b")
        remark("a")
    assert heard == ["a", "b"]


def test_nobody_hears_what_is_said_outside() -> None:
    heard: list[str] = []
    with listening(heard.append):
        pass
    assert remark("late") == "late"
    assert heard == []


def test_the_inner_listener_hears_and_the_outer_one_again_afterwards() -> None:
    outer: list[str] = []
    inner: list[str] = []
    with listening(outer.append):
        with pytest.raises(ZeroDivisionError), listening(inner.append):
            print(len(remark("inside")) / 0)
        remark("after")
    assert (outer, inner) == (["after"], ["inside"])

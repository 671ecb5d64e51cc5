"""Limits for reading: each refusal names its limit, and says how it is raised in words that work."""

import dataclasses
import re

import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.engine import _reader_limits as reader_limits
from privet.engine._reader_limits import VARIABLE, ReaderLimits


def test_a_limit_holds_at_its_edge():
    limits = ReaderLimits(columns=3)
    limits.within("columns", 3)
    with pytest.raises(errors.SourceTooLarge, match="4 columns, and 3 are allowed") as caught:
        limits.within("columns", 4)
    assert caught.value.details == {"limit": "columns", "allowed": 3}


def test_every_limit_that_refuses_has_words():
    unsaid = {one.name for one in dataclasses.fields(ReaderLimits)} - set(reader_limits._SAID)
    assert unsaid == {"ratio_from", "memory_bytes", "spill_bytes"}


def test_the_hint_works(monkeypatch):
    wide = pa.table({f"c{at}": [1] for at in range(20)})
    monkeypatch.setenv(VARIABLE, "columns=10, name_letters=5")
    with pytest.raises(errors.SourceTooLarge) as caught:
        pv.open_table(wide)
    said = re.search(rf"{VARIABLE}=(\S+) in the environment", caught.value.hint)
    assert said
    monkeypatch.setenv(VARIABLE, said[1])
    assert len(pv.open_table(wide).relation.columns) == 20


def test_names_that_are_too_long_are_refused_without_them(tmp_path):
    (tmp_path / "t.csv").write_text("a," + "Canary" * 300 + "\n1,2\n")
    with pytest.raises(errors.SourceTooLarge, match="1,800 letters") as caught:
        pv.open_table(tmp_path / "t.csv")
    assert "Canary" not in str(caught.value)


@pytest.mark.parametrize(
    "said", ["columns", "columns=", "columns=-1", "columns=0", "colums=5", "columns=1,columns=2", "x"]
)
def test_what_cannot_be_understood_is_refused(monkeypatch, said):
    monkeypatch.setenv(VARIABLE, said)
    with pytest.raises(errors.BadSpeed, match=VARIABLE):
        reader_limits.in_force()


def test_without_a_word_the_defaults_are_in_force(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert reader_limits.in_force() == ReaderLimits()
    assert ReaderLimits(**ReaderLimits().record()) == ReaderLimits()

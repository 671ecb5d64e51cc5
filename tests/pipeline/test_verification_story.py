"""The story of a verification: what was not looked at proves nothing, and a key is trusted because somebody says so."""

from tests.evidence.keys import FORGER
from tests.pipeline.forgery import told

from privet.evidence import KeyHistory
from privet.pipeline import verify
from privet.pipeline._verification_story import Check, Finding, VerifiedEvidence


def test_without_a_key_nothing_is_proven(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = verify(whole / "out")
    assert not found.broken
    assert not found.proven
    assert "Name it with --key" in str(found)


def test_where_nothing_was_looked_at_nothing_is_proven():
    assert not VerifiedEvidence("x", ()).proven
    assert not VerifiedEvidence("x", (Check("ledger", Finding.HOLDS, "it verifies."),)).proven


def test_another_data_set_s_key_does_not_fit(whole):
    other = KeyHistory.first(FORGER, "2020-01-01T00:00:00+00:00")
    assert "key was replaced" in told(verify(whole / "out", key=other))

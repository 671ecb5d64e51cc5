"""What can be verified: a run, what was given away of it, or one thing; anything else is refused."""

import shutil

import pytest
from tests.pipeline.forgery import told

from privet.errors import BadUsage, FileProblem
from privet.pipeline import verify


def test_a_whole_run_is_proven_with_the_public_keys_alone(whole, keys):
    found = verify(whole / "out", key=keys)
    assert found.proven, str(found)
    assert str(found).startswith("out: all holds")
    assert "can be told with the ledger" in str(found)


def test_what_is_no_evidence_is_refused(tmp_path, keys):
    with pytest.raises(FileProblem):
        verify(tmp_path / "nothing", key=keys)
    with pytest.raises(BadUsage):
        verify(tmp_path, key=keys)
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    assert "deep" in told(verify(deep, key=keys))


def test_what_was_given_away_is_proven_without_what_is_the_owners(whole, keys, tmp_path):
    """An outsider gets `public/` and the keys, and neither journal nor record."""
    shutil.copytree(whole / "out" / "public", tmp_path / "public")
    for place in (tmp_path / "public", tmp_path):
        found = verify(place, key=keys)
        assert found.proven, str(found)
        assert {one.of for one in found.checks} == {
            "beds.json", "ledger", "report-public.html", "report-public.json", "risk", "safe.parquet",
        }  # fmt: skip
    assert verify(tmp_path / "public", key=keys, ledger=whole / "stays.ledger").proven
    answer = tmp_path / "public" / "beds.json"
    answer.write_text(answer.read_text().replace('"epsilon": "0.5"', '"epsilon": "0.1"'))
    assert "not what was signed" in told(verify(tmp_path / "public", key=keys))

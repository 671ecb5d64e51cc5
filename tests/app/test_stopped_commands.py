"""Commands that are stopped wherever they change a file: a slice of `tests.faults`, which goes through every verb, fault and place."""

from pathlib import Path

import pytest
from tests import faults
from tests.source_tree import listed

QUERY = faults.TRIALS["query"]


@pytest.mark.parametrize("kind", ["kill", "ENOSPC"])
def test_a_question_is_paid_for_once_and_its_file_is_whole(tmp_path: Path, kind: str) -> None:
    found = list(faults.tour(tmp_path, QUERY, (kind,), stride=4, first=2))
    assert len(found) >= 2
    wrong = [f"{kind} at {at}: {one}" for _, at, _, faulty in found for one in faulty]
    assert not wrong, listed(wrong)
    assert any(ended for _, _, ended, _ in found)  # the fault was met


def test_what_is_half_written_lost_or_paid_for_twice_is_seen(tmp_path: Path) -> None:
    folder = faults.template(tmp_path / "here", QUERY)
    assert faults.faults_of(QUERY, folder) == []
    assert not faults.is_done(QUERY, folder)
    (folder / "answer.json").write_text('{"a": ', encoding="utf-8")
    assert faults.faults_of(QUERY, folder) == ["answer.json is half-written"]
    (folder / "answer.json").unlink()
    assert faults.faults_of(QUERY, folder) == ["answer.json is lost"]
    tally = dict.fromkeys(faults.COUNTED, 0)
    faults._count(tally, ["2 spends, and not 1", "the second try ended with 1: …"])
    faults._count(tally, [])
    assert tally == {
        **dict.fromkeys(faults.COUNTED, 0),
        "trials": 2,
        "completed": 1,
        "spent once": 1,
        "spent otherwise": 1,
        "stuck": 1,
    }


def test_random_kills_are_told_as_they_came_out(tmp_path: Path) -> None:
    tally = faults.kills(tmp_path, QUERY, many=2, seed=1)
    assert tally["kills"] == 2
    assert tally["completed"] == tally["spent once"] == tally["trials"]

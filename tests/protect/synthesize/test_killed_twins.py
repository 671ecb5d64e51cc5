"""A twin whose making is killed between booking and storing is paid for once, and rounds that were stored stay as they are."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# How many things the ledger stores: the booking; class shares, three rounds and the end, or the transcript.
STORED = {"evolution": 5, "mst": 1}


@pytest.mark.parametrize("method", STORED)
def test_killed_at_every_store_point_it_is_paid_once_and_draws_no_stored_round_anew(
    tmp_path: Path, method: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.protect.synthesize.killed_twins", str(tmp_path), method],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == 2 * (1 + STORED[method]), "before and after each"
    for line in lines:
        assert line["died"] == -9, line
        assert line["ended"] == 0, line["told"]
        assert line["before"]["spends"] == (line["at"] > 1), "booked before anything is drawn"
        assert line["after"]["spends"] == 1
        assert len(line["after"]["stored"]) == STORED[method]
        kept = len(line["before"]["stored"])
        assert kept == (line["at"] - 2) // 2 if line["at"] > 2 else kept == 0
        assert line["after"]["stored"][:kept] == line["before"]["stored"], "the same noise for the same round"
        assert line["again"] == 0
        assert line["same"], "the receipt and the rows that were asked for"

"""A run that is killed with SIGKILL wherever it touches a file goes on, books nothing twice and leaves nothing half-written."""

import json
import subprocess
import sys
from pathlib import Path

# Of the points at which a run touches a file; the others are tried by `python -m tests.pipeline.killing FOLDER 1`.
STRIDE = 30
STANDING = {"public/beds.json", "public/safe.parquet", "public/long.json", "owner/run.json"}


def test_killed_at_many_points_a_run_goes_on(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.pipeline.killing", str(tmp_path), str(STRIDE)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) >= 4
    for line in lines:
        assert line["died"] == -9, line
        assert set(line["stood"]) <= STANDING
        told = line["told"]
        assert line["ended"] == 0, told
        assert told["ended"]
        assert told["same"]
        assert set(told["left"]) == STANDING | {"owner/journal.jsonl", "owner/.privet/made.jsonl"}
        spends = [name for name, kind in told["booked"] if kind == "spend"]
        assert sorted(spends) == ["beds", "long"]

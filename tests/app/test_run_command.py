"""run: limits and stale plans have exit codes of their own."""

from pathlib import Path

import pytest
from tests.app.doors import say
from tests.pipeline.hospital import ANONYMIZE, RELEASE, project


def test_a_beaten_limit_ends_with_six_after_everything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = project(tmp_path, ANONYMIZE, "limits: {linkage-weakest: 0.01}\n")
    ended = say(capsys, "run", "-p", str(policy), "--json")
    assert ended.code == 6
    assert ended.json()["error"]["code"] == "E-POLICY-005"
    assert (tmp_path / "out" / "owner" / "run.json").exists()
    assert (tmp_path / "out" / "public" / "safe.parquet").exists()


def test_a_stale_plan_ends_with_seven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = project(tmp_path, RELEASE)
    assert say(capsys, "plan", "-p", str(policy)).code == 0
    policy.write_text(policy.read_text() + "# a word more\n")
    ended = say(capsys, "run", str(tmp_path / "plan.json"), "-p", str(policy), "--json")
    assert (ended.code, ended.json()["error"]["code"]) == (7, "E-POLICY-004")

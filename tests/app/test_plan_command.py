"""plan: what nobody has said, and vaults that never end, are refused before anything is done."""

from pathlib import Path

import pytest
from tests.app.doors import say
from tests.pipeline.hospital import RELEASE, project

from privet import examples


def test_what_only_people_can_say_is_a_gap_until_they_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    examples.write(tmp_path / "stays.csv", examples.hospital(40, 7))
    asked = ("init", "stays.csv", "--unit", "patient_id", "--json")
    assert say(capsys, *asked).json()["open"] == ["use", "basis", "recipients"]
    for command in ("plan", "run"):
        refused = say(capsys, command, "--json")
        assert refused.code == 10
        assert refused.json()["error"]["code"] == "E-POLICY-003"
        assert len(refused.json()["error"]["details"]["faults"]) == 3
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "privet.schema.json",
        "privet.signing",
        "privet.yaml",
        "stays.csv",
    ]


@pytest.mark.parametrize(
    ("vaults", "code"),
    [
        ("{a.vault: {}}", 10),
        ("{out/a.vault: {purpose: research}}", 7),
        ("{a.vault: {purpose: resaerch}}", 2),
    ],
)
def test_vaults_without_an_end_or_among_outputs_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], vaults: str, code: int
) -> None:
    said = say(capsys, "plan", "-p", str(project(tmp_path, RELEASE, f"vaults: {vaults}\n")), "--json")
    assert said.code == code, said.out

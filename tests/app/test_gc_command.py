"""gc: outputs and vaults go when their purpose has ended, and not before."""

from pathlib import Path

import pytest
from tests.app.doors import say
from tests.pipeline.hospital import RELEASE, project

from privet.ledger import clock
from privet.protect.transform.pseudonyms import KeyRing, KeyScope, Vault


def test_outputs_go_when_their_purpose_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = project(tmp_path, RELEASE)
    assert say(capsys, "run", "-p", str(policy)).code == 0
    gc = ("gc", "-p", str(policy), "--json")
    assert say(capsys, *gc, "--dry-run").json()["expired"] == []
    later = clock.now().replace(year=2091)
    monkeypatch.setattr(clock, "now", lambda: later)
    listed = say(capsys, *gc, "--dry-run").json()["expired"]
    assert [one["path"] for one in listed] == ["public/beds.json"]
    assert (tmp_path / "out" / "public" / "beds.json").exists()
    assert say(capsys, *gc).json()["expired"] == listed
    assert not (tmp_path / "out" / "public" / "beds.json").exists()
    assert say(capsys, *gc).json()["expired"] == []


def test_vaults_end_with_their_purpose_or_sooner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vaults = "vaults: {a.vault: {purpose: research}, b.vault: {purpose: research, expires: 2080-01-01}, no.vault: {purpose: planning}}\n"
    policy = project(tmp_path, RELEASE, vaults)
    for name in ("a.vault", "b.vault", "c.vault"):
        Vault(tmp_path / name, KeyRing.fresh()).tokens(["10017"], KeyScope("stays", "patient_id"))
    gc = ("gc", "-p", str(policy), "--json")
    listed = say(capsys, *gc, "--dry-run").json()
    assert listed["expired"] == []
    assert {one["path"]: one["expires"] for one in listed["kept"]} == {
        "a.vault": "2090-06-30",
        "b.vault": "2080-01-01",
    }
    later = clock.now().replace(year=2085)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert [one["path"] for one in say(capsys, *gc, "--dry-run").json()["expired"]] == ["b.vault"]
    assert (tmp_path / "b.vault").exists()
    assert [one["path"] for one in say(capsys, *gc).json()["expired"]] == ["b.vault"]
    assert not (tmp_path / "b.vault").exists()
    assert (tmp_path / "c.vault").exists()  # nobody said that it ends
    journal = (tmp_path / "out" / "owner" / "journal.jsonl").read_text()
    assert '"path": "b.vault"' in journal

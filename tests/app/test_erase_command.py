"""erase: what cannot be recalled is said, and the vault forgets."""

import base64
import hashlib
from pathlib import Path

import pytest
from tests.app.doors import say
from tests.pipeline.hospital import ANONYMIZE, RELEASE, project

from privet.protect.transform.pseudonyms import KeyRing, KeyScope, Vault


def _encodings(secret: str) -> list[bytes]:
    raw = secret.encode()
    return [
        raw,
        raw.hex().encode(),
        base64.b64encode(raw)[:-4],
        *(hashlib.new(name, raw).hexdigest().encode() for name in ("md5", "sha1", "sha256")),
    ]


def test_erasing_says_what_cannot_be_recalled_and_empties_the_vault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from privet.protect.transform.pseudonyms._key_storage import save_keys

    vaults = "vaults: {stays.vault: {purpose: research}, other.vault: {purpose: planning}}\n"
    policy = project(tmp_path, ANONYMIZE + RELEASE, vaults)
    (tmp_path / "other.vault").write_bytes(b"")
    assert say(capsys, "run", "-p", str(policy)).code == 0
    monkeypatch.setenv("PRIVET_PASSPHRASE", "correct horse battery staple")
    ring = KeyRing.fresh()
    save_keys(ring, str(tmp_path / "keys"))
    vault = Vault(tmp_path / "stays.vault", ring)
    scope = KeyScope("stays", "patient_id")
    tokens = vault.tokens(["10017", "10018"], scope)
    erase = ("erase", "10017", "-p", str(policy), "--vault", str(tmp_path / "stays.vault"))
    said = say(capsys, *erase, "--keys", str(tmp_path / "keys"), "--json")
    assert said.code == 0, said.out
    possible = {one["what"]: one["possible"] for one in said.json()["recalls"]}
    assert possible == {
        "stays.csv": True, "public/safe.parquet": False, "public/beds.json": False, "the ledger": False, "stays.vault": True,
        "owner/run.json": True, "owner/report.html": True, "owner/report.json": True, "other.vault": True,
    }  # fmt: skip
    assert said.json()["erased"] == 1
    assert "10017" not in said.out + said.err
    everything = b"".join(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.name != "stays.csv"
    )
    assert not [form for form in _encodings("10017")[3:] if form in everything]
    assert vault.values(tokens, scope)[1] == "10018"

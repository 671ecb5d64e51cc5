"""init, plan, run, gc and erase: a newcomer's way, what ends when, and canaries that appear nowhere."""

import base64
import codecs
import hashlib
import json
import re
import tempfile
from pathlib import Path

import pytest
from tests.app.doors import say
from tests.pipeline.hospital import ANONYMIZE, RELEASE, TRAIN, patients, project

from privet import examples

CANARY = "Kanarienvogel"


def _readable(text: str) -> list[bytes]:
    """Ways to write a text that can be read back: as it is, turned round, as numbers, for mails and addresses."""
    raw = text.encode()
    shifted = [base64.b64encode(b"_" * skip + raw)[4:-4] for skip in range(3)]
    return [
        raw,
        raw.lower(),
        raw.upper(),
        raw[::-1],
        raw.hex().encode(),
        raw.hex().upper().encode(),
        text.encode("utf-16-le"),
        text.encode("utf-16-be"),
        "".join(f"%{byte:02X}" for byte in raw).encode(),
        "".join(f"\\u{byte:04x}" for byte in raw).encode(),
        codecs.encode(text, "rot13").encode(),
        base64.b32encode(raw)[:-8],
        *shifted,
    ]


def _digests(secrets: list[str]) -> tuple[set[bytes], set[bytes]]:
    """Hashes of texts: as words, and of some as they are."""
    words, plain = set(), set()
    for secret in secrets:
        for name in ("md5", "sha1", "sha224", "sha256", "sha512", "blake2b", "blake2s", "sha3_256"):
            digest = hashlib.new(name, secret.encode()).digest()
            plain |= {digest[:12]} if len(plain) < 400 else set()
            words |= {digest.hex().encode(), base64.b64encode(digest).rstrip(b"=")}
            words.add(base64.urlsafe_b64encode(digest).rstrip(b"="))
    return words, plain


def _content(file: Path) -> bytes:
    """What is in a file; Parquet is compressed, so its values are written out beside."""
    raw = file.read_bytes()
    if file.suffix != ".parquet":
        return raw
    import pyarrow.parquet as pq

    found = pq.read_table(file)
    return raw + json.dumps([found.to_pylist(), str(found.schema.metadata)], default=str).encode()


def test_canaries_in_identifiers_appear_nowhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa

    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    rows = patients()
    secrets = []
    people = rows["patient_id"].to_pylist()
    for name in ("patient_id", "name", "ssn", "email", "phone", "note"):
        planted = [f"{CANARY}-{name}-{person}-zq" for person in people]
        secrets += sorted(set(planted))
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(planted))
    examples.write(tmp_path / "stays.csv", rows)
    held = ANONYMIZE.replace("columns", "holdout: 0.3, columns")
    policy = project(tmp_path, held + RELEASE + TRAIN + "  - {do: audit, purpose: planning, name: look}\n")
    said = [
        say(capsys, "plan", "-p", str(policy)),
        say(capsys, "run", "-p", str(policy)),
        say(capsys, "run", "-p", str(policy), "--json"),
        say(capsys, "ledger", "history", str(tmp_path / "stays.ledger")),
        say(capsys, "report", str(tmp_path / "out"), "--public"),
        say(capsys, "erase", secrets[0], "-p", str(policy)),
        say(capsys, "gc", "-p", str(policy), "--dry-run"),
    ]
    assert [one.code for one in said] == [0] * len(said), [one.err for one in said]
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.name != "stays.csv"]
    assert {file.name for file in files} >= {
        "plan.json", "journal.jsonl", "run.json", "stays.ledger", "beds.json", "report.html", "report.json",
    }  # fmt: skip
    everything = b"\n".join([*map(_content, files), *(f"{one.out}{one.err}".encode() for one in said)])
    assert not [form for form in _readable(CANARY) if form in everything]
    words, plain = _digests(secrets)
    written = set(re.findall(rb"[0-9A-Za-z+/_-]{20,}", everything))
    assert not words & (written | {one.lower() for one in written})
    assert not [digest for digest in plain if digest in everything]


@pytest.mark.parametrize("form", _readable(CANARY))
def test_the_search_for_canaries_would_find_them(form: bytes) -> None:
    text = f"{CANARY}-email-10017-zq"
    assert form in b"".join(_readable(text)) or form in base64.b32encode(text.encode())


def test_canaries_in_broken_rows_are_not_repeated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = project(tmp_path, RELEASE)
    good = (tmp_path / "stays.csv").read_text(encoding="utf-8").splitlines()
    for broken in (
        f"{CANARY},{CANARY}",
        good[1] + f",{CANARY}" * 3,
        f'"{CANARY}',
        good[1].replace(",", f";{CANARY}"),
    ):
        (tmp_path / "stays.csv").write_text("\n".join([*good, broken, *good[1:]]) + "\n", encoding="utf-8")
        for command in (
            ("plan", "-p", str(policy)),
            ("run", "-p", str(policy)),
            ("audit", str(tmp_path / "stays.csv")),
        ):
            said = say(capsys, *command)
            assert CANARY not in said.out + said.err
            assert "Traceback" not in said.err
            assert said.code in (0, 1, 2), said.err

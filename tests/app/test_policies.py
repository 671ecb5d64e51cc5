"""init, plan, run, gc and erase: a newcomer's way, what ends when, and canaries that appear nowhere."""

import base64
import codecs
import hashlib
import json
import re
import tempfile
from pathlib import Path

import pytest
import yaml
from tests.app.doors import Said
from tests.pipeline.hospital import ANONYMIZE, RELEASE, TRAIN, patients, project

from privet import examples
from privet.app import _cli as cli
from privet.ledger import clock
from privet.protect.transform.pseudonyms import KeyRing, KeyScope, Vault


def say(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """One command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    said = capsys.readouterr()
    return Said(int(ended.value.code or 0), said.out, said.err)


def test_a_newcomer_gets_from_a_table_to_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    examples.write(tmp_path / "My stays.csv", examples.hospital(60, 7))
    refused = say(capsys, "init", "My stays.csv", "--yes", "--json").json()["error"]
    assert refused["code"] == "E-DATASET-002"
    assert "--unit patient_id" in refused["hint"]
    assert say(capsys, "audit", "My stays.csv", "--write-roles", "roles.yaml").code == 0
    init = ("init", "My stays.csv", "--yes", "--unit", "patient_id", "--roles", "roles.yaml")
    assert "nobody has confirmed" in say(capsys, *init, "--json").json()["error"]["message"]
    roles = Path("roles.yaml")
    roles.write_text(roles.read_text(encoding="utf-8").replace("confirmed: no", "confirmed: A. Keeper"))
    assert say(capsys, *init).code == 0
    # One data set has one ledger: the one that `privet query` and `privet train` would make.
    assert "My stays.csv.ledger" in Path("privet.yaml").read_text(encoding="utf-8")
    text = (tmp_path / "privet.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=./privet.schema.json\n")
    assert json.loads((tmp_path / "privet.schema.json").read_text())["title"] == "Policy"
    content = yaml.safe_load(text)  # nothing in it was read off the rows but what columns are
    assert not any("bounds" in column or "values" in column for column in content["columns"].values())
    assert content["dataset"]["unit"] == {"column": "patient_id", "max_rows": 20, "max_groups": 5}
    planned = say(capsys, "plan", "--json")
    assert planned.code == 0
    assert [step["kind"] for step in planned.json()["steps"]] == ["audit", "anonymize", "release"]
    ran = say(capsys, "run", "plan.json", "--json")
    assert ran.code == 0, ran.err + ran.out
    assert ran.json()["steps"][2]["spent"] == planned.json()["steps"][2]["cost"]
    assert say(capsys, "plan", "--json").json()["steps"][2]["state"] == "kept"
    assert say(capsys, "run", "plan.json").code == 0
    assert say(capsys, "init", "My stays.csv").code == 2  # it is there already


def test_without_confirmed_roles_no_rows_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nobody has confirmed is neither published nor picked: the drafted policy counts people, and that is all."""
    monkeypatch.chdir(tmp_path)
    examples.write(tmp_path / "stays.csv", examples.hospital(60, 7))
    said = say(capsys, "init", "stays.csv", "--yes", "--unit", "patient_id", "--json").json()
    assert set(said["columns"].values()) == {"unknown"}
    assert "name" in said["withheld"]
    planned = say(capsys, "plan", "--json").json()
    assert [(step["kind"], step["read"]) for step in planned["steps"]] == [("release", ["patient_id"])]
    assert say(capsys, "run", "plan.json").code == 0
    assert not list((tmp_path / "out").glob("*.parquet"))


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
        "privet.yaml",
        "stays.csv",
    ]


def test_a_beaten_limit_ends_with_six_after_everything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = project(tmp_path, ANONYMIZE, "limits: {linkage-weakest: 0.01}\n")
    ended = say(capsys, "run", "-p", str(policy), "--json")
    assert ended.code == 6
    assert ended.json()["error"]["code"] == "E-POLICY-005"
    assert (tmp_path / "out" / "run.json").exists()
    assert (tmp_path / "out" / "safe.parquet").exists()


def test_a_stale_plan_ends_with_seven(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = project(tmp_path, RELEASE)
    assert say(capsys, "plan", "-p", str(policy)).code == 0
    policy.write_text(policy.read_text() + "# a word more\n")
    ended = say(capsys, "run", str(tmp_path / "plan.json"), "-p", str(policy), "--json")
    assert (ended.code, ended.json()["error"]["code"]) == (7, "E-POLICY-004")


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
    assert [one["path"] for one in listed] == ["beds.json"]
    assert (tmp_path / "out" / "beds.json").exists()
    assert say(capsys, *gc).json()["expired"] == listed
    assert not (tmp_path / "out" / "beds.json").exists()
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
    journal = (tmp_path / "out" / "journal.jsonl").read_text()
    assert '"path": "b.vault"' in journal


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
        "stays.csv": True, "safe.parquet": False, "beds.json": False, "the ledger": False, "stays.vault": True,
        "run.json": True, "report.html": True, "report.json": True, "other.vault": True,
    }  # fmt: skip
    assert said.json()["erased"] == 1
    assert "10017" not in said.out + said.err
    everything = b"".join(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.name != "stays.csv"
    )
    assert not [form for form in _encodings("10017")[3:] if form in everything]
    assert vault.values(tokens, scope)[1] == "10018"


def _encodings(secret: str) -> list[bytes]:
    raw = secret.encode()
    return [
        raw,
        raw.hex().encode(),
        base64.b64encode(raw)[:-4],
        *(hashlib.new(name, raw).hexdigest().encode() for name in ("md5", "sha1", "sha256")),
    ]


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


def test_editors_get_the_schema_of_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from privet.pipeline._policy_schema import policy_schema

    assert say(capsys, "schema", "--policy", "--json").json() == json.loads(policy_schema())
    place = tmp_path / "policy.json"
    assert say(capsys, "schema", "--policy", "-o", str(place)).code == 0
    assert place.read_text(encoding="utf-8") == policy_schema()
    assert say(capsys, "schema").code == 2
    assert say(capsys, "schema", "--policy", "-o", str(tmp_path / "policy.txt")).code == 2


def test_a_table_of_identifiers_alone_has_nothing_to_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"Ann Lee{n},a{n}@example.org,+49 30 12345{n:02d}\n" for n in range(40))
    (tmp_path / "people.csv").write_text(f"name,email,phone\n{rows}", encoding="utf-8")
    said = say(capsys, "init", "people.csv", "--yes", "--unit", "row", "--json")
    assert said.code == 2
    assert "privet pseudonymize" in said.json()["error"]["hint"]
    assert not (tmp_path / "privet.yaml").exists()

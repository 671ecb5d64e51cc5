"""init, plan, run, gc and erase: a newcomer's way, refusals that leave nothing, and canaries that appear nowhere."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.app.doors import Said
from tests.pipeline.hospital import ANONYMIZE, HEAD, RELEASE, TRAIN, patients, project

from privet import examples
from privet.app import cli
from privet.ledger import clock

GOOD = yaml.safe_load(f"{HEAD}steps:\n{ANONYMIZE}{RELEASE}limits: {{linkage-exact: 0.5}}\n")


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
    assert say(capsys, "init", "My stays.csv", "--yes").code == 0
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


def test_what_only_people_can_say_is_a_gap_until_they_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    examples.write(tmp_path / "stays.csv", examples.hospital(40, 7))
    assert say(capsys, "init", "stays.csv", "--json").json()["open"] == ["use", "basis", "recipients"]
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
        (tmp_path / name).write_bytes(b"SQLite")
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
    from privet.protect.anonymize.pseudonyms import KeyRing, Scope, Vault
    from privet.protect.anonymize.pseudonyms.key_places import save_keys

    vaults = "vaults: {stays.vault: {purpose: research}, other.vault: {purpose: planning}}\n"
    policy = project(tmp_path, ANONYMIZE + RELEASE, vaults)
    (tmp_path / "other.vault").write_bytes(b"")
    assert say(capsys, "run", "-p", str(policy)).code == 0
    monkeypatch.setenv("PRIVET_PASSPHRASE", "correct horse battery staple")
    ring = KeyRing.fresh()
    save_keys(ring, str(tmp_path / "keys"))
    vault = Vault(tmp_path / "stays.vault", ring)
    scope = Scope("stays", "patient_id")
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


def test_canaries_in_identifiers_appear_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow as pa

    rows = patients()
    hidden = ("patient_id", "name", "ssn", "email", "phone", "note")
    secrets = []
    for name in hidden:
        people = rows["patient_id"].to_pylist()
        planted = [f"Kanarienvogel-{name}-{person}-zq" for person in people]
        secrets += sorted(set(planted))[:40]
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(planted))
    examples.write(tmp_path / "stays.csv", rows)
    policy = project(
        tmp_path, ANONYMIZE + RELEASE + TRAIN + "  - {do: audit, purpose: planning, name: look}\n"
    )
    planned = say(capsys, "plan", "-p", str(policy))
    ran = say(capsys, "run", "-p", str(policy))
    assert ran.code == 0, ran.err
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.name != "stays.csv"]
    assert {"plan.json", "journal.jsonl", "run.json", "stays.ledger", "beds.json"} <= {
        file.name for file in files
    }
    everything = b"".join(file.read_bytes() for file in files)
    everything += "".join((planned.out, planned.err, ran.out, ran.err)).encode()
    assert b"Kanarienvogel" not in everything
    assert not [secret for secret in secrets for form in _encodings(secret) if form in everything]


def _places(content: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here] if here else []
    inner = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, value in inner:
        found += _places(value, (*here, key))
    return found


PLACES = _places(GOOD)
JUNK: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**20),
    st.floats(),
    st.text(max_size=12),
    st.lists(st.text(max_size=3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.sampled_from(
        ["row", "name", "diagnosis", "../x", "TO BE STATED", "2020-01-01", "SELECT * FROM stays; DROP"]
    ),
)


def _mutated(content: Any, place: tuple[Any, ...], how: str, junk: Any) -> Any:
    content = json.loads(json.dumps(content, default=str))
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    if how == "remove":
        del inner[place[-1]]
    elif how == "rename" and isinstance(inner, dict):
        inner[f"{place[-1]}x"] = inner.pop(place[-1])
    else:
        inner[place[-1]] = junk
    return content


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzzed")
    examples.write(folder / "stays.csv", examples.hospital(10, 7))
    return folder


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.sampled_from(PLACES), st.sampled_from(["remove", "rename", "junk", "junk", "junk"]), JUNK)
def test_mutated_policies_end_politely_and_spend_nothing(
    fuzzed: Path, capsys: pytest.CaptureFixture[str], place: tuple[Any, ...], how: str, junk: Any
) -> None:
    policy = fuzzed / "privet.yaml"
    policy.write_text(yaml.safe_dump(_mutated(GOOD, place, how, junk), allow_unicode=True), encoding="utf-8")
    said = say(capsys, "plan", "-p", str(policy), "-o", str(fuzzed / "plan.json"), "--json")
    assert said.code in (0, 1, 2, 7, 8), said.out
    assert said.json().get("error", {}).get("code") != "E-GENERAL-001", said.out  # no bug of ours
    assert "Traceback" not in said.err + said.out
    assert (said.code == 0) == ("error" not in said.json())
    if said.code:  # what cannot be planned is not run either
        assert say(capsys, "run", "-p", str(policy), "--json").code == said.code
    left = {file.name for file in fuzzed.rglob("*")}
    assert left <= {"privet.yaml", "stays.csv", "plan.json"}


def _broken_files() -> list[bytes]:
    good = b"patient_id,ward,days\n" + b"".join(b"%d,ICU,%d\n" % (n, n % 9) for n in range(60))
    heads = [good[:at] for at in range(0, 60, 6)]
    turned = [bytes((byte + at) % 256 for byte in good) for at in range(1, 16)]
    cut = [good.replace(b",", mark) for mark in (b"\x00", b"\xff", b"\n", b'"', b",,", b";", b"\t", b" ")]
    odd = [
        b"", b"\n", b"\n\n\n", b",,,\n", b"a,a\n1,2\n", b"\xef\xbb\xbf", b"\x1f\x8b\x08", b"PAR1", b"PAR1" * 9, b"{}",
        b"[1,2", b"a\n" + b"x" * 100_000, b"SQLite format 3\x00", b"\x00" * 500, good[::-1], b"patient_id\n", good + b'"',
    ]  # fmt: skip
    return [*heads, *turned, *cut, *odd]


BROKEN = _broken_files()


def test_broken_data_ends_politely_and_spends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(BROKEN) == 50
    for number, content in enumerate(BROKEN):
        folder = tmp_path / str(number)
        folder.mkdir()
        ending = (".csv", ".parquet", ".jsonl")[number % 3] if number % 2 else ".csv"
        policy = folder / "privet.yaml"
        text = f"{HEAD}steps:\n{RELEASE}".replace("stays.csv", f"stays{ending}")
        policy.write_text(text, encoding="utf-8")
        (folder / f"stays{ending}").write_bytes(content)
        for command in ("plan",) if number % 5 else ("plan", "run"):
            said = say(capsys, command, "-p", str(policy), "--json")
            assert said.code in (1, 2), (number, said.out)
            assert said.json()["error"]["code"] != "E-GENERAL-001", (number, said.out)
            assert "Traceback" not in said.err + said.out
        assert sorted(file.name for file in folder.iterdir()) == ["privet.yaml", f"stays{ending}"]

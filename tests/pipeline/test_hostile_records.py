"""Plans, journals, records and policies that somebody else wrote: refused, with nothing lost, and nothing spent."""

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.app.test_policies import say
from tests.ledger.hot_journal import plant
from tests.pipeline.hospital import HEAD, RELEASE, TRAIN, project
from tests.pipeline.hostile_ward import (
    AUDIT,
    Capture,
    copied,
    edited,
    later,
    made_here,
    refused,
    rekeyed,
    spends,
    state,
)

from privet.ledger import Ledger
from privet.pipeline._run_journal import RunJournal
from privet.pipeline._run_plan import RunPlan
from privet.protect.transform.pseudonyms import KeyRing, KeyScope, Vault

# --- links in the folder of the outputs ---------------------------------------------------------


def planted(ward: Path, canary: Path, where: str) -> None:
    """Put a link to the canary where a run will write or remove."""
    key = RunPlan.load(ward / "plan.json").steps[0].key
    place = ward / where.format(key=key)
    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = ward / "out" / "owner" / ".privet" / key
    if place.parent == scratch:
        (scratch / "key").write_text(key)
    place.symlink_to(canary / "file" if place.name in ("journal.jsonl", "lock") else canary)


@pytest.mark.parametrize(
    "where",
    [
        "out",
        "out/owner",
        "out/public",
        "out/owner/.privet",
        "out/owner/.privet/lock",
        "out/owner/.privet/{key}",
        "out/owner/.privet/{key}/made",
        "out/owner/.privet/{key}/replaced",
        "out/owner/journal.jsonl",
        "out/owner/look.json",
    ],
)
def test_links_among_the_outputs_are_not_followed(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, where: str
) -> None:
    policy = copied(prepared, "look", ward)
    planted(ward, canary, where)
    before = state(canary)
    mode = canary.stat().st_mode
    said = say(capsys, "run", "-p", str(policy), "--json")
    refused(said, "E-GENERAL-006", "E-GENERAL-007")
    assert state(canary) == before
    assert canary.stat().st_mode == mode
    assert spends(ward) == 0


@pytest.mark.parametrize("kind", ["file", "folder", "folder like a model", "table"])
def test_what_somebody_put_among_the_outputs_is_not_replaced(ward: Path, capsys: Capture, kind: str) -> None:
    step = TRAIN if "folder" in kind else RELEASE
    policy = project(ward, step)
    place = ward / "out" / "public" / ("risk" if "folder" in kind else "beds.json")
    place.parent.mkdir(parents=True)
    if kind == "file":
        place.write_text('{"my": "notes"}')
    elif kind == "table":
        place.write_text("patient,ward\n1,A\n")
    else:
        place.mkdir()
        (place / "thesis.txt").write_text("precious")
        if kind == "folder like a model":
            (place / "model.json").write_text('{"artifact": "released-model"}')
            (place / "model.safetensors").write_bytes(b"")
    before = state(ward)
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-GENERAL-007")
    assert state(ward) == before
    assert spends(ward) == 0


# --- journals -----------------------------------------------------------------------------------


def set_path(path: str) -> Callable[[dict[str, Any]], None]:
    def change(line: dict[str, Any]) -> None:
        if line["what"] == "made":
            line["made"]["path"] = path
        if line["what"] == "done":
            line["record"]["made"]["path"] = path

    return change


def set_path_and_plan(path: str) -> Callable[[dict[str, Any]], None]:
    """A journal that is of one piece: somebody took the trouble."""
    keys: list[str] = []

    def change(line: dict[str, Any]) -> None:
        if line["what"] == "begun":
            line["plan"]["steps"][0]["to"] = path
            line["plan"]["steps"][0] = rekeyed(line["plan"]["steps"][0])
            keys.append(line["plan"]["steps"][0]["key"])
        if line["what"] in ("made", "done"):
            line["key"] = keys[-1]
        set_path(path)(line)

    return change


PLACES = [
    "{canary}",
    "../../elsewhere",
    "../stays.csv",
    "..",
    ".",
    "",
    "a\0b",
    "x" * 300,
    "../out/../stays.csv",
    "public/mine",
    "public",
    "owner/.privet",
    "owner/journal.jsonl",
]


@pytest.mark.parametrize("forge", [set_path, set_path_and_plan])
@pytest.mark.parametrize("path", PLACES, ids=lambda path: ascii(path)[:20])
def test_gc_removes_nothing_that_a_forged_journal_names(  # noqa: PLR0917
    prepared: Path,
    ward: Path,
    canary: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    forge: Any,
) -> None:
    policy = copied(prepared, "ran", ward)
    made_here(ward)
    (ward / "out" / "public" / "mine").mkdir()
    (ward / "out" / "public" / "mine" / "thesis.txt").write_text("precious")
    edited(ward, forge(path.format(canary=canary)))
    later(monkeypatch)
    before = state(ward.parent)
    for command in (("gc", "--dry-run"), ("gc",)):
        refused(say(capsys, *command, "-p", str(policy), "--json"), "E-POLICY-007", "E-GENERAL-007")
    assert state(ward.parent) == before


def test_gc_takes_what_was_made_and_leaves_what_was_changed(
    ward: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = project(ward, RELEASE + AUDIT)
    assert say(capsys, "run", "-p", str(policy)).code == 0
    later(monkeypatch)
    beds = ward / "out" / "public" / "beds.json"
    whole = beds.read_text()
    beds.write_text(whole + " ")
    said = say(capsys, "gc", "-p", str(policy), "--json")
    refused(said, "E-GENERAL-007")
    assert said.json()["error"]["details"] == {"files": ["public/beds.json"]}
    assert beds.exists()
    assert (ward / "out" / "owner" / "look.json").exists()  # nothing goes unless all of it may
    beds.write_text(whole)
    assert len(say(capsys, "gc", "-p", str(policy), "--json").json()["expired"]) == 2
    assert not beds.exists()
    assert RunJournal(ward / "out").standing() == {}


def test_an_output_that_was_exchanged_for_a_link_stays(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = copied(prepared, "ran", ward)
    (ward / "out" / "public" / "beds.json").rename(canary / "beds.json")
    (ward / "out" / "public" / "beds.json").symlink_to(canary / "beds.json")
    later(monkeypatch)
    before = state(ward.parent)
    refused(say(capsys, "gc", "-p", str(policy), "--json"), "E-GENERAL-006", "E-GENERAL-007")
    assert state(ward.parent) == before


# --- vaults -------------------------------------------------------------------------------------


def vault(place: Path, dataset: str = "stays") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    Vault(place, KeyRing.fresh()).tokens(["10017"], KeyScope(dataset, "patient_id"))
    return place


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("stays.csv", ("E-GENERAL-007",)),
        ("stays.ledger", ("E-GENERAL-007",)),
        ("privet.yaml", ("E-GENERAL-007",)),
        ("other.vault", ("E-GENERAL-007",)),
        ("folder", ("E-GENERAL-007",)),
        ("pipe", ("E-GENERAL-007",)),
        ("link.vault", ("E-GENERAL-006",)),
        ("linked/real.vault", ("E-GENERAL-006",)),
        ("../outside.vault", ("E-POLICY-001",)),
        ("{outside}", ("E-POLICY-001",)),
        ("folder/../../outside.vault", ("E-POLICY-001",)),
        ("./mine.vault", ("E-POLICY-001",)),
        ("..", ("E-POLICY-001",)),
        ("x" * 300, ("E-POLICY-001",)),
        ('"a\\0b"', ("E-POLICY-001",)),
        ('""', ("E-POLICY-001",)),
        ('"mine.vault "', ("E-POLICY-001",)),
        ('"\\uFF0E\\uFF0E/outside.vault"', ("E-POLICY-001",)),
    ],
)
def test_gc_removes_vaults_of_this_data_set_alone(
    ward: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, name: str, codes: tuple[str, ...]
) -> None:
    outside, mine = vault(ward.parent / "outside.vault"), vault(ward / "mine.vault")
    vault(ward / "other.vault", "another hospital")
    vault(ward.parent / "real" / "real.vault")
    (ward / "link.vault").symlink_to(outside)
    (ward / "linked").symlink_to(ward.parent / "real")
    (ward / "folder").mkdir()
    (ward / "folder" / "thesis.txt").write_text("precious")
    os.mkfifo(ward / "pipe")
    named = name.format(outside=outside)
    policy = project(
        ward, RELEASE, f"vaults:\n  mine.vault: {{expires: 2026-01-01}}\n  {named}: {{expires: 2026-01-01}}\n"
    )
    with Ledger(ward / "stays.ledger", limit=None) if (ward / "stays.ledger").exists() else _new(ward):
        pass
    later(monkeypatch)
    before = state(ward.parent)
    for command in (("gc", "--dry-run"), ("gc",)):
        refused(say(capsys, *command, "-p", str(policy), "--json"), *codes)
    assert state(ward.parent) == before
    assert mine.exists()


def _new(ward: Path) -> Ledger:
    from privet.guarantee._promise_registry import ApproxDP

    return Ledger(ward / "stays.ledger", limit=ApproxDP("5", "1e-5"))


def test_a_vault_of_a_policy_without_a_name_stays(
    ward: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = vault(ward / "mine.vault")
    policy = project(
        ward,
        RELEASE,
        "vaults: {mine.vault: {expires: 2026-01-01}}\n",
        head=HEAD.replace("  name: stays\n", ""),
    )
    later(monkeypatch)
    refused(say(capsys, "gc", "-p", str(policy), "--json"), "E-GENERAL-007")
    assert mine.exists()


# --- ledgers and what lies beside them ----------------------------------------------------------


def test_a_journal_beside_the_ledger_has_nothing_deleted(
    prepared: Path, ward: Path, canary: Path, capsys: Capture
) -> None:
    policy = copied(prepared, "ran", ward)
    plant(ward / "stays.ledger", canary / "file")
    before = state(canary)
    for command in (
        ("plan", "-p", str(policy)),
        ("run", "-p", str(policy)),
        ("ledger", "history", str(ward / "stays.ledger")),
    ):
        refused(say(capsys, *command, "--json"), "E-GENERAL-006")
    assert state(canary) == before


def test_a_journal_beside_a_vault_has_nothing_deleted(
    ward: Path, canary: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = project(ward, RELEASE, "vaults: {mine.vault: {expires: 2026-01-01}}\n")
    plant(vault(ward / "mine.vault"), canary / "file")
    before = state(canary)
    monkeypatch.setenv("PRIVET_KEYS", f"k1={base64.b64encode(os.urandom(32)).decode()}")
    refused(
        say(capsys, "erase", "10017", "-p", str(policy), "--vault", str(ward / "mine.vault"), "--json"),
        "E-GENERAL-006",
    )
    later(monkeypatch)
    refused(say(capsys, "gc", "-p", str(policy), "--json"), "E-GENERAL-007")
    assert state(canary) == before
    assert (ward / "mine.vault").exists()


@pytest.mark.parametrize(
    "place", ["{outside}", "../new.ledger", "../elsewhere/../new.ledger", "link.ledger", "to/new.ledger"]
)
def test_a_policy_opens_no_new_ledger_elsewhere(
    ward: Path, canary: Path, capsys: Capture, place: str
) -> None:
    (ward / "link.ledger").symlink_to(ward.parent / "new.ledger")
    (ward / "to").symlink_to(canary)
    named = place.format(outside=ward.parent / "new.ledger")
    policy = project(ward, RELEASE, head=HEAD.replace("ledger: stays.ledger", f"ledger: {named}"))
    before = state(ward.parent)
    for command in ("plan", "run"):
        refused(say(capsys, command, "-p", str(policy), "--json"), "E-GENERAL-006")
    assert state(ward.parent) == before


@pytest.mark.parametrize("content", [b"", b"notes of mine", b"SQLite format 3\0"])
def test_a_file_of_somebody_elses_is_not_made_a_ledger(
    ward: Path, canary: Path, capsys: Capture, content: bytes
) -> None:
    (canary / "notes").write_bytes(content)
    policy = project(ward, RELEASE, head=HEAD.replace("ledger: stays.ledger", f"ledger: {canary / 'notes'}"))
    before = state(ward.parent)
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-GENERAL-006", "E-LEDGER-006")
    assert state(ward.parent) == before


def test_a_ledger_that_is_there_and_one_beside_the_data_are_used_wherever_they_are(
    ward: Path, tmp_path: Path, capsys: Capture
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    policy = project(ward, RELEASE)
    (ward / "stays.csv").rename(shared / "stays.csv")
    head = HEAD.replace("source: stays.csv", f"source: {shared / 'stays.csv'}")
    policy.write_text(
        head.replace("ledger: stays.ledger", f"ledger: {shared / 'stays.csv.ledger'}") + f"steps:\n{RELEASE}"
    )
    assert say(capsys, "run", "-p", str(policy)).code == 0
    assert (shared / "stays.csv.ledger").exists()
    other = tmp_path / "other"
    other.mkdir()
    again = other / "privet.yaml"
    again.write_text(
        head.replace("ledger: stays.ledger", f"ledger: {shared / 'stays.csv.ledger'}") + f"steps:\n{RELEASE}"
    )
    assert say(capsys, "run", "-p", str(again)).code == 0


# --- records of runs ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["{canary}/tradeoff.json", "../../elsewhere/tradeoff.json", "..", ""])
def test_a_report_reads_nothing_that_a_record_names_elsewhere(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, path: str
) -> None:
    policy = copied(prepared, "ran", ward)
    record = json.loads((ward / "out" / "owner" / "run.json").read_text())
    record["steps"][0].update(kind="tradeoff")
    record["steps"][0]["made"]["path"] = path.format(canary=canary)
    (ward / "out" / "owner" / "run.json").write_text(json.dumps(record))
    refused(say(capsys, "report", str(policy), "--json"), "E-GENERAL-006")


@pytest.mark.parametrize(
    "settings",
    ["cache: ../elsewhere", "workers: 9", "members: x", "backend: ray", "address: ray://x", "progress: x"],
)
def test_the_settings_of_an_attack_are_the_attacks_own(
    ward: Path, canary: Path, capsys: Capture, settings: str
) -> None:
    steps = (
        "  - {do: anonymize, purpose: research, name: safe, k: 3, max_suppressed: 0.1, columns: [zip, sex, diagnosis]}\n"
        f"  - {{do: attack, purpose: research, name: tried, of: safe, attacks: [linkage-exact], settings: {{{settings}}}}}\n"
    )
    policy = project(ward, steps)
    before = state(ward.parent)
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-POLICY-001")
    assert state(ward.parent) == before
    assert state(canary) != {}

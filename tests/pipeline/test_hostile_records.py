"""Plans, journals, records and policies that somebody else wrote: refused, with nothing lost, and nothing spent."""

import base64
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.app.doors import Said
from tests.app.test_policies import say
from tests.ledger.hot_journal import plant
from tests.pipeline.hospital import HEAD, RELEASE, TRAIN, project

from privet.ledger import Ledger, clock
from privet.pipeline._run import run
from privet.pipeline._run_journal import RunJournal
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_planner import make_plan
from privet.protect.transform.pseudonyms import KeyRing, KeyScope, Vault

AUDIT = "  - {do: audit, purpose: planning, name: look}\n"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A folder outside of the project that must stay as it is."""
    found = tmp_path / "elsewhere"
    (found / "made").mkdir(parents=True)
    (found / "replaced").mkdir()
    for place in ("file", "made/file", "replaced/file", "seed"):
        (found / place).write_text("precious, and 32 characters long")
    return found


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three projects: planned with an audit, planned with a release, and run with a release."""
    found = tmp_path_factory.mktemp("prepared")
    for name, step in (("look", AUDIT), ("beds", RELEASE), ("ran", RELEASE)):
        (found / name).mkdir()
        policy = project(found / name, step)
        make_plan(policy).save(found / name / "plan.json")
        if name == "ran":
            run(policy)
    return found


def copied(prepared: Path, name: str, ward: Path) -> Path:
    """One of them, with all times as they were; the policy's path."""
    shutil.copytree(prepared / name, ward, dirs_exist_ok=True)
    return ward / "privet.yaml"


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """The folder of a project."""
    found = tmp_path / "ward"
    found.mkdir()
    return found


def state(folder: Path) -> dict[str, str]:
    """Everything in a folder: names, links and contents."""
    return {
        str(path.relative_to(folder)): f"-> {path.readlink()}"
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
        if path.name not in ("lock", ".privet", "stays.ledger-shm", "stays.ledger-wal")
    }


def spends(folder: Path) -> int:
    if not (folder / "stays.ledger").exists():
        return 0
    with Ledger(folder / "stays.ledger") as ledger:
        return sum(entry.kind in ("spend", "promise") for entry in ledger.history())


def refused(said: Said, *codes: str) -> None:
    assert said.code != 0, said.out
    assert said.json()["error"]["code"] in codes, said.out
    assert "Traceback" not in said.err


# --- plans --------------------------------------------------------------------------------------

NAMES = [
    "{canary}", "", ".", "..", "../..", "../../../elsewhere", "made/../../../../elsewhere", "/", "a\0b", "x" * 5000,
    "A" * 64, "\uff0e\uff0e", "0" * 63, "0" * 65, "0" * 64,
]  # fmt: skip


def rekeyed(step: dict[str, Any]) -> dict[str, Any]:
    """A step whose key fits what it says, as its reader computes it."""
    known = [step[name] for name in ("name", "kind", "purpose", "to", "recipient", "expires", "inputs")]
    return {**step, "key": hashlib.sha256(json.dumps(known).encode()).hexdigest()}


@pytest.mark.parametrize("key", [*NAMES, None, 7, ["a"], {"a": "b"}], ids=lambda key: ascii(key)[:24])
def test_a_key_is_computed_and_not_read(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, key: Any
) -> None:
    policy = copied(prepared, "look", ward)
    plan = json.loads((ward / "plan.json").read_text())
    plan["steps"][0]["key"] = key.format(canary=canary) if isinstance(key, str) else key
    (ward / "plan.json").write_text(json.dumps(plan))
    before = state(ward.parent)
    refused(say(capsys, "run", str(ward / "plan.json"), "-p", str(policy), "--json"), "E-POLICY-007")
    assert state(ward.parent) == before


FORGED: list[Callable[[dict[str, Any], str], None]] = [
    lambda plan, _: plan["steps"][0].update(to="../stays.csv"),
    lambda plan, there: plan["steps"][0].update(to=there),
    lambda plan, _: plan["steps"][0].update(to="other.json"),
    lambda plan, _: plan["steps"][0].update(inputs="0" * 64),
    lambda plan, there: plan["steps"][0].update(inputs=there),
    lambda plan, _: plan["steps"][0].update(recipient="everybody"),
    lambda plan, _: plan["steps"][0].update(expires="2000-01-01"),
    lambda plan, _: plan["steps"][0].update(kind="train"),
    lambda plan, _: plan["steps"][0].update(purpose="research"),
    lambda plan, _: plan["steps"][0].update(cost={"epsilon": "0", "delta": "0"}),
    lambda plan, _: plan["steps"][0].update(cost={}, state="stored"),
    lambda plan, _: plan["steps"][0].update(state="kept", cost={}),
    lambda plan, _: plan["steps"][0].update(state="lost"),
    lambda plan, _: plan["steps"][0].update(state="free"),
    lambda plan, _: plan["steps"][0].update(errors=["none at all"]),
    lambda plan, _: plan["steps"][0].update(promise="nothing is ever learned"),
    lambda plan, _: plan["steps"][0].update(query="SELECT 1"),
    lambda plan, _: plan["steps"][0].update(read=["name"]),
    lambda plan, _: plan["steps"][0].update(read="name"),
    lambda plan, _: plan["steps"][0].update(more="text"),
    lambda plan, _: plan["steps"][0].pop("inputs"),
    lambda plan, _: plan["steps"].append(plan["steps"][0]),
    lambda plan, _: plan["steps"].clear(),
    lambda plan, _: plan.update(steps={"0": plan["steps"][0]}),
    lambda plan, _: plan.update(data=["x"]),
    lambda plan, _: plan.update(schema=1),
]


@pytest.mark.parametrize("forge", FORGED, ids=lambda _: "")
def test_a_forged_plan_is_not_run(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, forge: Callable[[dict[str, Any], str], None]
) -> None:
    policy = copied(prepared, "beds", ward)
    plan = json.loads((ward / "plan.json").read_text())
    forge(plan, str(canary))
    if isinstance(plan["steps"], list):  # by somebody who knows how keys are made
        plan["steps"] = [rekeyed({"inputs": "", **step}) for step in plan["steps"]]
    (ward / "plan.json").write_text(json.dumps(plan))
    before = state(ward.parent)
    said = say(capsys, "run", str(ward / "plan.json"), "-p", str(policy), "--json")
    refused(said, "E-POLICY-001", "E-POLICY-004", "E-POLICY-007", "E-GUARANTEE-004")
    assert state(ward.parent) == before
    assert spends(ward) == 0


def test_a_plan_that_nobody_touched_still_runs(ward: Path, capsys: Capture) -> None:
    policy = project(ward, RELEASE)
    assert say(capsys, "plan", "-p", str(policy)).code == 0
    assert say(capsys, "run", str(ward / "plan.json"), "-p", str(policy)).code == 0
    assert RunPlan.load(ward / "plan.json").steps[0].key in (ward / "out" / "journal.jsonl").read_text()


# --- links in the folder of the outputs ---------------------------------------------------------


def planted(ward: Path, canary: Path, where: str) -> None:
    """Put a link to the canary where a run will write or remove."""
    key = RunPlan.load(ward / "plan.json").steps[0].key
    place = ward / where.format(key=key)
    place.parent.mkdir(parents=True, exist_ok=True)
    scratch = ward / "out" / ".privet" / key
    if place.parent == scratch:
        (scratch / "key").write_text(key)
    place.symlink_to(canary / "file" if place.name in ("journal.jsonl", "lock") else canary)


@pytest.mark.parametrize(
    "where",
    [
        "out",
        "out/.privet",
        "out/.privet/lock",
        "out/.privet/{key}",
        "out/.privet/{key}/made",
        "out/.privet/{key}/replaced",
        "out/journal.jsonl",
        "out/look.json",
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


@pytest.mark.parametrize("model", ["linear", "objective"])
@pytest.mark.parametrize("kind", ["link", "second name"])
def test_a_seed_that_leads_elsewhere_is_not_overwritten(
    ward: Path, canary: Path, capsys: Capture, model: str, kind: str
) -> None:
    head = (
        HEAD
        if model == "linear"
        else HEAD.replace("{column: patient_id, max_rows: 6, max_groups: 2}", "{column: row}")
    )
    policy = project(ward, TRAIN.replace("records: 150", f"records: 150, model: {model}"), head=head)
    scratch = ward / "out" / ".privet" / make_plan(policy).steps[0].key
    scratch.mkdir(parents=True)
    (scratch / "key").write_text(scratch.name)
    if kind == "link":
        (scratch / "seed").symlink_to(canary / "seed")
    else:
        os.link(canary / "seed", scratch / "seed")
    before = state(canary)
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-GENERAL-006")
    assert state(canary) == before
    assert spends(ward) == 0


@pytest.mark.parametrize("how", ["file", "folder"])
def test_work_in_progress_that_no_run_made_stays(
    prepared: Path, ward: Path, capsys: Capture, how: str
) -> None:
    policy = copied(prepared, "look", ward)
    scratch = ward / "out" / ".privet" / RunPlan.load(ward / "plan.json").steps[0].key
    (scratch / "made").mkdir(parents=True)
    (scratch / "made" / "mine.txt").write_text("precious")
    if how == "file":
        (scratch / "key").write_text("another")
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-GENERAL-007")
    assert (scratch / "made" / "mine.txt").read_text() == "precious"


@pytest.mark.parametrize("kind", ["file", "folder", "folder like a model", "table"])
def test_what_somebody_put_among_the_outputs_is_not_replaced(ward: Path, capsys: Capture, kind: str) -> None:
    step = TRAIN if "folder" in kind else RELEASE
    policy = project(ward, step)
    place = ward / "out" / ("risk" if "folder" in kind else "beds.json")
    place.parent.mkdir()
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


def later(monkeypatch: pytest.MonkeyPatch, year: int = 2091) -> None:
    moment = clock.now().replace(year=year)
    monkeypatch.setattr(clock, "now", lambda: moment)


def edited(ward: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """The journal with every line changed by somebody."""
    file = ward / "out" / "journal.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        change(line)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


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
    "mine",
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
    (ward / "out" / "mine").mkdir()
    (ward / "out" / "mine" / "thesis.txt").write_text("precious")
    edited(ward, forge(path.format(canary=canary)))
    later(monkeypatch)
    before = state(ward.parent)
    for command in (("gc", "--dry-run"), ("gc",)):
        refused(say(capsys, *command, "-p", str(policy), "--json"), "E-POLICY-007", "E-GENERAL-007")
    assert state(ward.parent) == before


CHANGES: list[Callable[[dict[str, Any]], Any]] = [
    lambda line: line.update(what="burn"),
    lambda line: line.pop("at"),
    lambda line: line.update(more=1),
    lambda line: line.update(key="0" * 64) if "key" in line else None,
    lambda line: line.update(step="other") if "step" in line else None,
    lambda line: line["made"].update(expires="soon") if "made" in line else None,
    lambda line: line["made"].update(expires="2001-01-01") if "made" in line else None,
    lambda line: line["made"].update(recipient="everybody") if "made" in line else None,
    lambda line: line["made"].pop("digest") if "made" in line else None,
    lambda line: line.update(made=[]) if "made" in line else None,
    lambda line: line.update(record={}) if "record" in line else None,
    lambda line: line["plan"]["steps"][0].update(key="..") if line["what"] == "begun" else None,
    lambda line: line.update(plan="..") if line["what"] == "ended" else None,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda _: "")
def test_every_line_of_a_journal_is_held_against_what_it_can_say(
    prepared: Path,
    ward: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[dict[str, Any]], Any],
) -> None:
    policy = copied(prepared, "ran", ward)
    edited(ward, change)
    later(monkeypatch)
    before, booked = state(ward), spends(ward)
    for command in (("gc",), ("run",), ("erase", "10017")):
        refused(
            say(capsys, *command, "-p", str(policy), "--json"),
            "E-POLICY-007",
            "E-GUARANTEE-004",
            "E-POLICY-002",
        )
    assert state(ward) == before
    assert spends(ward) == booked


def test_gc_takes_what_was_made_and_leaves_what_was_changed(
    ward: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = project(ward, RELEASE + AUDIT)
    assert say(capsys, "run", "-p", str(policy)).code == 0
    later(monkeypatch)
    beds = ward / "out" / "beds.json"
    whole = beds.read_text()
    beds.write_text(whole + " ")
    said = say(capsys, "gc", "-p", str(policy), "--json")
    refused(said, "E-GENERAL-007")
    assert said.json()["error"]["details"] == {"files": ["beds.json"]}
    assert beds.exists()
    assert (ward / "out" / "look.json").exists()  # nothing goes unless all of it may
    beds.write_text(whole)
    assert len(say(capsys, "gc", "-p", str(policy), "--json").json()["expired"]) == 2
    assert not beds.exists()
    assert RunJournal(ward / "out").standing() == {}


def test_an_output_that_was_exchanged_for_a_link_stays(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = copied(prepared, "ran", ward)
    (ward / "out" / "beds.json").rename(canary / "beds.json")
    (ward / "out" / "beds.json").symlink_to(canary / "beds.json")
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
    record = json.loads((ward / "out" / "run.json").read_text())
    record["steps"][0].update(kind="tradeoff")
    record["steps"][0]["made"]["path"] = path.format(canary=canary)
    (ward / "out" / "run.json").write_text(json.dumps(record))
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

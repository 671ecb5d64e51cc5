"""Before a run begins: what stands in its way is what was made here, as the file layer noted it, or the run is refused.

A journal, a plan and a policy are files that others may edit. What they name is replaced or removed only if it is the very
thing that was made in that place.
"""

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.app.doors import say
from tests.pipeline.hospital import HEAD, LATER, RELEASE, TRAIN, project
from tests.pipeline.hostile_ward import AUDIT, Capture, copied, later, made_here, refused, spends, state

from privet.artifact import content_digest, is_making
from privet.pipeline._run import run
from privet.pipeline._run_admission import mark
from privet.pipeline._run_journal import RunJournal, work_folder
from privet.pipeline._run_plan import RunPlan
from privet.protect.transform.pseudonyms import KeyRing, KeyScope, Vault

OTHER = RELEASE.replace("epsilon: 0.5", "epsilon: 0.25")


def in_place(ward: Path) -> Path:
    return ward / "out" / "public" / "beds.json"


def test_what_a_run_made_is_noted_and_replaced_by_the_next(ward: Path, capsys: Capture) -> None:
    policy = project(ward, RELEASE)
    run(policy)
    first = in_place(ward).read_bytes()
    assert is_making(work_folder(ward / "out"), "public/beds.json", in_place(ward))
    project(ward, OTHER)
    assert say(capsys, "run", "-p", str(policy)).code == 0
    assert in_place(ward).read_bytes() != first
    assert [path.name for path in in_place(ward).parent.iterdir()] == ["beds.json"]


def copy_over(place: Path) -> None:
    """The same bytes, as another file."""
    shutil.copy2(place, place.with_suffix(".copy"))
    place.with_suffix(".copy").replace(place)


def restored(place: Path) -> None:
    """The whole folder of outputs as a backup has it."""
    out = place.parents[1]
    out.rename(out.parent / "old")  # which stays, so that the copy cannot come by its inode
    shutil.copytree(out.parent / "old", out, symlinks=True)


def second_name(place: Path) -> None:
    os.link(place, place.parents[2] / "second")


def edited_by_hand(place: Path) -> None:
    place.write_text(place.read_text() + " ")


def exchanged_for_a_pipe(place: Path) -> None:
    place.unlink()
    os.mkfifo(place)


def exchanged_for_a_socket(place: Path) -> None:
    place.unlink()
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(place.parent)
        made.bind(place.name)
        os.chdir(here)


CHANGES = (copy_over, restored, second_name, edited_by_hand, exchanged_for_a_pipe, exchanged_for_a_socket)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_anything_else_in_its_place_is_neither_replaced_nor_removed(
    prepared: Path,
    ward: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
) -> None:
    policy = copied(prepared, "ran", ward)
    made_here(ward)
    change(in_place(ward))
    project(ward, OTHER)
    before, booked = state(ward.parent), spends(ward)
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-GENERAL-006", "E-GENERAL-007")
    assert (state(ward.parent) | {"ward/privet.yaml": ""}, spends(ward)) == (
        before | {"ward/privet.yaml": ""},
        booked,
    )
    later(monkeypatch)
    for more in (("--dry-run",), ()):
        refused(say(capsys, "gc", "-p", str(policy), *more, "--json"), "E-GENERAL-006", "E-GENERAL-007")
    assert state(ward.parent) == before


def test_a_copied_project_goes_on_and_keeps_what_it_has(prepared: Path, ward: Path, capsys: Capture) -> None:
    """Nothing has to be replaced: what was made stands, and another step joins it."""
    policy = copied(prepared, "ran", ward)
    project(ward, RELEASE + LATER)
    before = in_place(ward).read_bytes()
    assert say(capsys, "run", "-p", str(policy)).code == 0
    assert in_place(ward).read_bytes() == before
    assert spends(ward) == 2


PRECIOUS = "precious, and years of work"


@pytest.mark.parametrize("like", ["nothing of ours", "a model", "the model itself, and more"])
def test_a_folder_that_a_plan_leads_to_is_not_deleted(ward: Path, capsys: Capture, like: str) -> None:
    """The first attack of the issue: a step whose place or key is somebody's folder."""
    policy = project(ward, TRAIN)
    place = ward / "out" / "public" / "risk"
    if like == "the model itself, and more":
        run(policy)
        project(ward, TRAIN.replace("epsilon: 2", "epsilon: 1"))
    else:
        place.mkdir(parents=True)
    if like == "a model":
        (place / "model.json").write_text(json.dumps({"schema": 1, "artifact": "released-model"}))
        (place / "model.safetensors").write_bytes(b"")
    (place / "thesis.txt").write_text(PRECIOUS)
    booked = spends(ward)
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-GENERAL-007")
    assert (place / "thesis.txt").read_text() == PRECIOUS
    assert spends(ward) == booked


@pytest.mark.parametrize("kind", ["pipe", "empty folder", "link", "second name"])
def test_what_was_put_into_a_model_keeps_it_in_place(
    ward: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    policy = project(ward, TRAIN)
    run(policy)
    planted = ward / "out" / "public" / "risk" / "more"
    (ward / "theirs").write_text(PRECIOUS)
    if kind == "pipe":
        os.mkfifo(planted)
    elif kind == "empty folder":
        planted.mkdir()
    elif kind == "link":
        planted.symlink_to(ward / "theirs")
    else:
        os.link(ward / "theirs", planted)
    later(monkeypatch)
    refused(say(capsys, "gc", "-p", str(policy), "--json"), "E-GENERAL-007")
    assert os.path.lexists(planted)
    assert (ward / "theirs").read_text() == PRECIOUS


def test_a_record_of_what_was_made_that_somebody_wrote_removes_nothing_else(
    prepared: Path, ward: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Journal and note name the file with its true inode and digest; the plan of the run does not know it."""
    policy = copied(prepared, "ran", ward)
    (ward / "out" / "public" / "thesis.json").write_text(PRECIOUS)
    made_here(ward)
    journal = ward / "out" / "owner" / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for line in lines:
        if line["what"] == "made":
            line["made"]["path"] = "public/thesis.json"
            line["made"]["digest"] = content_digest(ward / "out" / "public" / "thesis.json")
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    later(monkeypatch)
    refused(say(capsys, "gc", "-p", str(policy), "--json"), "E-POLICY-007")
    assert (ward / "out" / "public" / "thesis.json").read_text() == PRECIOUS


# --- vaults -------------------------------------------------------------------------------------

VAULTS = "vaults:\n  {name}: {{expires: 2026-01-01}}\n"


def vault(place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    Vault(place, KeyRing.fresh()).tokens(["10017"], KeyScope("stays", "patient_id"))
    return place


@pytest.mark.parametrize("kind", ["copy", "second name", "of another policy", "made here"])
def test_a_vault_goes_only_where_it_was_made_and_by_its_own_policy(
    ward: Path, capsys: Capture, kind: str
) -> None:
    """The second attack of the issue: a policy that lists what is not its own under `vaults`."""
    place = vault(ward / "sub" / "a.vault")
    if kind == "copy":
        shutil.copy2(place, place.with_name("b.vault"))
        place = place.with_name("b.vault")
    elif kind == "second name":
        os.link(place, ward / "b.vault")
    elif kind == "of another policy":
        (ward / "sub" / "privet.yaml").write_text(HEAD)
    policy = project(ward, AUDIT, VAULTS.format(name=place.relative_to(ward)))
    said = say(capsys, "gc", "-p", str(policy), "--json")
    if kind == "made here":
        assert said.code == 0, said.out
        assert not place.exists()
    else:
        refused(said, "E-GENERAL-007")
        assert place.exists()


# --- what is said of a plan ---------------------------------------------------------------------


def test_reasons_in_the_ledger_name_the_plan(prepared: Path) -> None:
    plan = RunPlan.load(prepared / "ran" / "plan.json")
    assert mark(plan) == f"[plan {plan.digest[:16]}]"


def test_a_killed_removal_is_said_by_the_next(
    ward: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = project(ward, RELEASE)
    run(policy)
    later(monkeypatch)
    in_place(ward).unlink()  # as a kill between the removal and its line leaves it
    assert say(capsys, "gc", "-p", str(policy)).code == 0
    assert RunJournal(ward / "out").kept() == {}

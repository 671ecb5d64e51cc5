"""Work in progress: a folder that no run made stays, and nothing is followed elsewhere."""

import contextlib
import os
from pathlib import Path

import pytest
from tests.app.test_policies import say
from tests.pipeline.hospital import HEAD, TRAIN, project
from tests.pipeline.hostile_ward import Capture, copied, refused, spends, state

from privet.errors import NotMadeHere, UnsafePath
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_planner import make_plan
from privet.pipeline._scratch_folder import MARK, cleared, forget_scratch, opened_scratch


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
    scratch = ward / "out" / "owner" / ".privet" / make_plan(policy).steps[0].key
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
    scratch = ward / "out" / "owner" / ".privet" / RunPlan.load(ward / "plan.json").steps[0].key
    (scratch / "made").mkdir(parents=True)
    (scratch / "made" / "mine.txt").write_text("precious")
    if how == "file":
        (scratch / "key").write_text("another")
    refused(say(capsys, "run", "-p", str(policy), "--json"), "E-GENERAL-007")
    assert (scratch / "made" / "mine.txt").read_text() == "precious"


KEY = "a" * 64


def test_a_folder_is_marked_taken_up_again_and_goes(tmp_path):
    place = opened_scratch(tmp_path, KEY)
    assert (place / MARK).read_text() == KEY
    assert place.stat().st_mode & 0o077 == 0
    (place / "part").mkdir()
    (place / "part" / "x").write_text("kept")
    assert opened_scratch(tmp_path, KEY) == place
    assert (place / "part" / "x").exists()
    assert not cleared(place, "part").exists()
    forget_scratch(tmp_path, KEY)
    assert not place.exists()


def test_a_folder_of_another_mark_is_neither_used_nor_removed(tmp_path):
    place = tmp_path / KEY
    place.mkdir()
    (place / MARK).write_text(KEY + "b")
    (place / "theirs").write_text("precious")
    with pytest.raises(NotMadeHere):
        opened_scratch(tmp_path, KEY)
    with contextlib.suppress(NotMadeHere, UnsafePath):
        forget_scratch(tmp_path, KEY)
    assert (place / "theirs").read_text() == "precious"


def test_a_link_among_the_work_is_refused(tmp_path):
    place = opened_scratch(tmp_path, KEY)
    (tmp_path / "secret").write_text("theirs")
    (place / "seed").symlink_to(tmp_path / "secret")
    with pytest.raises(UnsafePath, match="seed"):
        opened_scratch(tmp_path, KEY)
    (place / "seed").unlink()
    os.link(tmp_path / "secret", place / "seed")
    with pytest.raises(UnsafePath, match="seed"):
        opened_scratch(tmp_path, KEY)

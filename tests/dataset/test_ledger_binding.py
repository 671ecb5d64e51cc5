"""A data set's key signs for one ledger: who edits the declaration gets neither a second budget nor around approval."""

import json
import shutil

import pytest
from tests.evidence.keys import FORGER, OWNER, SINCE
from tests.pipeline.hospital import RELEASE, project

from privet.dataset import DataSet, demand_approval, make_signing_key, rotate_signing_key, signing_of
from privet.dataset._ledger_binding import NOTE, bound_ledger
from privet.errors import EvidenceBroken, SecondLedger
from privet.evidence import FOLDER, KeyHistory, Signing
from privet.ledger import Ledger
from privet.pipeline import make_plan, run

LEDGER = "stays.ledger"


@pytest.fixture
def ward(tmp_path):
    """A project with a key that was run once."""
    policy = project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    run(policy)
    return policy


def elsewhere(policy):
    """What somebody does who may write everything but the key's folder and the ledger."""
    text = policy.read_text(encoding="utf-8")
    assert LEDGER in text
    policy.write_text(text.replace(LEDGER, "fresh.ledger"), encoding="utf-8")
    for link in policy.parent.glob("*.ledger.link"):
        link.unlink()
    shutil.rmtree(policy.parent / "out", ignore_errors=True)


@pytest.mark.parametrize(
    "act", [run, make_plan, lambda p: DataSet.read(p).ledger(), lambda p: DataSet.read(p).existing_ledger()]
)
def test_a_second_ledger_is_refused_whatever_the_declaration_says(ward, act):
    elsewhere(ward)
    with pytest.raises(SecondLedger, match="signs for another"):
        act(ward)
    assert not (ward.parent / "fresh.ledger").exists()


def test_a_ledger_that_is_gone_is_not_begun_anew(ward):
    (ward.parent / LEDGER).unlink()
    for link in ward.parent.glob("*.ledger.link"):
        link.unlink()
    with pytest.raises(SecondLedger):
        run(ward)
    assert not (ward.parent / LEDGER).exists()


def test_approval_is_not_done_without_by_another_ledger(tmp_path):
    policy = project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    with DataSet.read(policy).ledger() as ledger:
        demand_approval(ledger, signing_of(tmp_path), [OWNER.public], 1)
    elsewhere(policy)
    with pytest.raises(SecondLedger):
        run(policy)


def test_the_same_ledger_at_another_place_is_the_same(ward):
    with Ledger(ward.parent / LEDGER) as book:
        assert bound_ledger(ward.parent) == book.id
    elsewhere(ward)
    (ward.parent / LEDGER).rename(ward.parent / "fresh.ledger")
    run(ward)


def test_a_new_key_signs_for_the_same_ledger(ward):
    rotate_signing_key(ward.parent)
    run(ward)
    elsewhere(ward)
    with pytest.raises(SecondLedger):
        run(ward)


@pytest.mark.parametrize("how", ["edited", "forged", "unsigned", "empty"])
def test_a_note_that_the_key_did_not_sign_is_refused(ward, how):
    note = ward.parent / FOLDER / NOTE
    record = json.loads(note.read_text(encoding="utf-8"))
    other = {**record, "ledger": "0" * 64}
    stranger = Signing(FORGER, KeyHistory.first(FORGER, SINCE))
    unsigned = {name: value for name, value in other.items() if name != "signature"}
    found = {"edited": other, "forged": stranger.signed(other), "unsigned": unsigned, "empty": {}}[how]
    note.write_text(json.dumps(found), encoding="utf-8")
    with pytest.raises(EvidenceBroken):
        run(ward)


def test_without_a_key_nothing_is_noted(tmp_path):
    policy = project(tmp_path, RELEASE)
    run(policy)
    assert not (tmp_path / FOLDER).exists()
    assert bound_ledger(tmp_path) is None

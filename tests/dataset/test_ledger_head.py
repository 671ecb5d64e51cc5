"""The newest entry of a data set's ledger is noted beside its key: a copy from before the last spends is told."""

import json
import os
import shutil
import signal
import stat

import pytest
from tests.evidence.keys import FORGER, SINCE
from tests.faults import forked
from tests.pipeline.hospital import LATER, RELEASE, project

from privet.dataset import DataSet, accept_ledger, make_signing_key, rotate_signing_key
from privet.dataset._ledger_binding import NOTE, bound_ledger
from privet.dataset._ledger_head import ELSEWHERE, HEAD, HeadNote, noted
from privet.errors import EvidenceBroken, FileProblem, LedgerRolledBack, NoSigningKey, UnsafePath
from privet.evidence import FOLDER, KeyHistory, Signing
from privet.guarantee import DiscreteLaplace
from privet.ledger import RESTORED, Ledger
from privet.pipeline import make_plan, run, verify

TENTH = DiscreteLaplace(10)
LEDGER = "stays.ledger"


@pytest.fixture
def ward(tmp_path):
    """A project with a key, and one booking in its ledger; beside it, a copy from before the booking."""
    policy = project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    booked(policy)
    shutil.copy(tmp_path / LEDGER, tmp_path / "before")
    booked(policy)
    return policy


def booked(policy):
    with DataSet.read(policy).ledger() as book:
        return book.charge(TENTH, why="a count").receipt


def put_back(policy):
    """What somebody does who may write the ledger, and not the key's folder."""
    for file in policy.parent.glob(f"{LEDGER}*"):
        if file.name in (LEDGER, f"{LEDGER}-wal", f"{LEDGER}-shm"):
            file.unlink()
    shutil.copy(policy.parent / "before", policy.parent / LEDGER)


def entries(policy):
    with Ledger(policy.parent / LEDGER) as book:
        return list(book.history())


def test_the_newest_entry_is_noted_for_its_owner_alone(ward):
    last = entries(ward)[-1]
    ledger, head, _ = noted(ward.parent)
    assert (ledger, head) == (bound_ledger(ward.parent), (last.number, last.hash))
    assert stat.S_IMODE((ward.parent / FOLDER / HEAD).stat().st_mode) == 0o600
    assert HEAD in (ward.parent / FOLDER / ".gitignore").read_text(encoding="utf-8").split()


@pytest.mark.parametrize(
    "act", [booked, run, make_plan, lambda p: DataSet.read(p).existing_ledger(), lambda p: DataSet.read(p).ledger()]
)  # fmt: skip
def test_an_older_copy_is_refused_before_anything_is_read_or_booked(ward, act):
    put_back(ward)
    there = len(entries(ward))
    with pytest.raises(LedgerRolledBack) as caught:
        act(ward)
    assert "privet ledger accept" in caught.value.hint
    assert len(entries(ward)) == there


def test_what_others_book_meanwhile_is_noted_too(ward):
    with DataSet.read(ward).ledger() as book:
        forked(lambda: booked(ward).entry)
        last = book.charge(TENTH, why="a count").receipt.entry
    assert noted(ward.parent)[1].number == last == len(entries(ward))


def test_a_kill_between_entry_and_note_locks_nobody_out(ward):
    def killed():
        HeadNote.note = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        booked(ward)

    assert forked(killed)[0] == -signal.SIGKILL
    assert noted(ward.parent)[1].number == len(entries(ward)) - 1
    assert booked(ward).entry == len(entries(ward)) == noted(ward.parent)[1].number


@pytest.mark.parametrize("call", range(12))
def test_a_kill_at_any_change_of_a_file_of_the_first_booking_locks_nobody_out(tmp_path, call):
    from privet.artifact import _file_calls as calls

    policy = project(tmp_path, RELEASE)
    make_signing_key(tmp_path)

    def killed():
        seen = 0

        def fault(_, size):
            nonlocal seen
            seen += 1
            if seen > call:
                os.kill(os.getpid(), signal.SIGKILL)
            return size

        calls._fault = fault
        booked(policy)

    forked(killed)
    booked(policy)
    assert noted(tmp_path)[1].number == len(entries(policy))


def test_what_was_booked_past_the_data_set_is_noted_with_the_next(ward):
    with Ledger(ward.parent / LEDGER) as book:
        book.charge(TENTH, why="by hand")
    assert booked(ward).entry == noted(ward.parent)[1].number == len(entries(ward))


def test_nothing_is_booked_where_nothing_can_be_noted(ward, monkeypatch):
    from privet.dataset import _ledger_binding as binding

    def full(_):
        raise FileProblem("no room", "")

    there = len(entries(ward))
    monkeypatch.setattr(binding, "refuse_unwritable", full)
    with pytest.raises(FileProblem):
        booked(ward)
    assert len(entries(ward)) == there


def test_a_note_that_is_gone_is_missed(ward):
    (ward.parent / FOLDER / HEAD).unlink()
    with pytest.raises(LedgerRolledBack, match="gone"):
        booked(ward)


def test_a_ledger_from_before_there_were_notes_is_noted_with_its_next_booking(ward):
    from privet.dataset import signing_of

    (ward.parent / FOLDER / HEAD).unlink()
    record = json.loads((ward.parent / FOLDER / NOTE).read_text(encoding="utf-8"))
    bare = {name: value for name, value in record.items() if name not in ("head", "signature")}
    (ward.parent / FOLDER / NOTE).write_text(json.dumps(signing_of(ward.parent).signed(bare)))
    DataSet.read(ward).existing_ledger().close()
    assert not (ward.parent / FOLDER / HEAD).exists()
    assert booked(ward).entry == noted(ward.parent)[1].number
    (ward.parent / FOLDER / HEAD).unlink()
    with pytest.raises(LedgerRolledBack, match="gone"):
        booked(ward)


@pytest.mark.parametrize("how", ["edited", "forged", "unsigned", "empty"])
def test_a_note_that_the_key_did_not_sign_is_refused(ward, how):
    note = ward.parent / FOLDER / HEAD
    record = json.loads(note.read_text(encoding="utf-8"))
    other = {**record, "number": 1}
    stranger = Signing(FORGER, KeyHistory.first(FORGER, SINCE))
    unsigned = {name: value for name, value in other.items() if name != "signature"}
    found = {"edited": other, "forged": stranger.signed(other), "unsigned": unsigned, "empty": {}}[how]
    note.write_text(json.dumps(found), encoding="utf-8")
    with pytest.raises(EvidenceBroken):
        booked(ward)


def test_a_key_that_is_renewed_while_the_ledger_is_open_signs_on(ward):
    with DataSet.read(ward).ledger() as book:
        book.charge(TENTH, why="a count")
        rotate_signing_key(ward.parent)
        book.charge(TENTH, why="a count")
    assert booked(ward).entry == noted(ward.parent)[1].number


@pytest.mark.parametrize("lost", ["ledger", "note", "both"])
def test_what_is_accepted_is_entered_for_ever(ward, lost):
    newest = str(len(entries(ward)))
    if lost != "note":
        put_back(ward)
    if lost != "ledger":
        (ward.parent / FOLDER / HEAD).unlink()
    there = len(entries(ward))
    with Ledger(ward.parent / LEDGER) as book:
        found = accept_ledger(ward.parent, book, why="the disk was lost")
        assert book.anchors(RESTORED) == [found]
        book.verify()
    assert found.said == {"noted": "unknown" if lost != "ledger" else newest, "found": str(there)}
    assert booked(ward).entry == there + 2
    assert noted(ward.parent)[1].number == there + 2


def test_nothing_is_accepted_without_a_key(tmp_path):
    policy = project(tmp_path, RELEASE)
    booked(policy)
    with Ledger(tmp_path / LEDGER) as book, pytest.raises(NoSigningKey):
        accept_ledger(tmp_path, book, why="no reason")
    assert not (tmp_path / FOLDER).exists()


def test_verify_tells_an_older_copy(tmp_path):
    policy = project(tmp_path, RELEASE + LATER)
    make_signing_key(tmp_path)
    run(policy)
    shutil.copy(tmp_path / LEDGER, tmp_path / "before")

    def ledger_checks():
        found = verify(tmp_path / "out", key=tmp_path / FOLDER / "keys.json", ledger=tmp_path / LEDGER)
        return [one for one in found.checks if "noted" in str(one)]

    assert [one.finding.name for one in ledger_checks()] == ["HOLDS"]
    booked(policy)
    assert [one.finding.name for one in ledger_checks()] == ["HOLDS"]
    put_back(policy)
    assert [one.finding.name for one in ledger_checks()] == ["FAILS"]


# --- ledger and key folder put back together ---------------------------------------------------


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """A project with one booking more than its backup, in which key folder and ledger lie side by side; a note is kept elsewhere."""
    (tmp_path / "ward").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv(ELSEWHERE, str(tmp_path / "elsewhere"))
    policy = project(tmp_path / "ward", RELEASE)
    make_signing_key(tmp_path / "ward")
    shutil.copytree(tmp_path / "ward", tmp_path / "unbooked")
    booked(policy)
    shutil.copytree(tmp_path / "ward", tmp_path / "backup")
    booked(policy)
    return policy


def restored(policy, backup="backup"):
    shutil.rmtree(policy.parent)
    shutil.copytree(policy.parent.parent / backup, policy.parent)


@pytest.mark.parametrize("backup", ["backup", "unbooked"])
def test_a_backup_of_ledger_and_key_together_is_told_by_a_note_elsewhere(watched, monkeypatch, backup):
    restored(watched, backup)
    with pytest.raises(LedgerRolledBack):
        booked(watched)
    monkeypatch.delenv(ELSEWHERE)
    booked(watched)  # nothing here can tell
    assert sum(one.kind == "spend" for one in entries(watched)) == (2 if backup == "backup" else 1)


def test_what_was_booked_where_no_note_is_kept_elsewhere_is_no_older_book(watched, monkeypatch):
    folder = os.environ[ELSEWHERE]
    monkeypatch.delenv(ELSEWHERE)
    booked(watched)
    monkeypatch.setenv(ELSEWHERE, folder)
    rotate_signing_key(watched.parent)
    last = booked(watched).entry
    (note,) = (watched.parent.parent / "elsewhere").iterdir()
    assert json.loads(note.read_text(encoding="utf-8"))["number"] == last
    assert stat.S_IMODE(note.stat().st_mode) == 0o600


@pytest.mark.parametrize("how", ["gone", "edited", "pipe"])
def test_a_place_elsewhere_that_cannot_be_believed_books_nothing(watched, how):
    (note,) = (watched.parent.parent / "elsewhere").iterdir()
    there = len(entries(watched))
    if how == "gone":
        shutil.rmtree(note.parent)
    else:
        record = json.loads(note.read_text(encoding="utf-8"))
        note.unlink()
        if how == "pipe":
            os.mkfifo(note)
        else:
            note.write_text(json.dumps({**record, "number": 1}), encoding="utf-8")
    with pytest.raises(
        UnsafePath if how == "pipe" else LedgerRolledBack if how == "gone" else EvidenceBroken
    ):
        booked(watched)
    assert len(entries(watched)) == there


def test_an_older_pair_is_accepted_knowingly(watched):
    newest = len(entries(watched))
    restored(watched)
    with Ledger(watched.parent / LEDGER) as book:
        accepted = accept_ledger(watched.parent, book, why="the disk was lost")
    assert accepted.said["noted"] == str(newest)
    booked(watched)


def test_verify_tells_an_older_pair(tmp_path, monkeypatch):
    (tmp_path / "ward").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv(ELSEWHERE, str(tmp_path / "elsewhere"))
    policy = project(tmp_path / "ward", RELEASE)
    make_signing_key(policy.parent)
    run(policy)
    shutil.copytree(policy.parent, tmp_path / "backup")
    booked(policy)
    for backup, finding in ((False, "HOLDS"), (True, "FAILS")):
        if backup:
            restored(policy)
        here = policy.parent
        found = verify(here / "out", key=here / FOLDER / "keys.json", ledger=here / LEDGER)
        assert [one.finding.name for one in found.checks if "noted" in str(one)] == [finding]

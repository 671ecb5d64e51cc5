"""What a kill leaves is cleared away by the next writer; nothing else is."""

import os
import signal

import pytest

from privet.artifact import OwnerOnly, clear_unfinished, written_folder, written_whole
from privet.artifact import _file_calls as calls
from privet.artifact import _work_rooms as rooms
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger


def killed(work):
    """Do it in a process of its own, which does not come to its end."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def left_by_a_kill(folder, name="a.json"):
    assert killed(lambda: written_whole(folder / name, OwnerOnly(die)))
    (left,) = folder.glob(f".{name}.*")
    return left


def test_the_next_writer_clears_what_a_kill_left(tmp_path):
    left_by_a_kill(tmp_path)
    written_whole(tmp_path / "a.json", OwnerOnly("x"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_names_cannot_be_foretold(tmp_path):
    names = set()
    for _ in range(20):
        with calls.folder_handle(tmp_path) as around, rooms.work_room(tmp_path / "a", around) as (room, _):
            names.add(room.name)
            assert room.stat().st_mode & 0o777 == 0o700
    assert len(names) == 20


def test_a_room_in_use_is_left_alone(tmp_path):
    with calls.folder_handle(tmp_path) as around, rooms.work_room(tmp_path / "a", around) as (room, _):
        clear_unfinished(tmp_path, "a")
        assert room.is_dir()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_given_such_a_name_stays(tmp_path):
    """Somebody who may rename, and not delete, would have its owner delete it."""
    left = left_by_a_kill(tmp_path)
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o700)
    (precious / "file").write_text("precious")
    clear_unfinished(tmp_path, "a.json")
    precious.rename(left)
    clear_unfinished(tmp_path, "a.json")
    written_whole(tmp_path / "a.json", OwnerOnly("x"))
    assert (left / "file").read_text() == "precious"
    # A mark that was copied along with another folder's is not this one's.
    (left / f".made-here-{left.stat().st_ino + 1}").touch()
    clear_unfinished(tmp_path, "a.json")
    assert (left / "file").exists()


def test_links_and_other_names_are_left_alone(tmp_path):
    left = left_by_a_kill(tmp_path)
    (tmp_path / ".a.json.abcdefgh.partial").symlink_to(left)
    clear_unfinished(tmp_path, "b.json")
    assert left.is_dir()
    clear_unfinished(tmp_path, "a.json")
    assert [path.name for path in tmp_path.iterdir()] == [".a.json.abcdefgh.partial"]


def test_many_names_are_cleared_in_one_look_at_the_folder(tmp_path, monkeypatch):
    left = [left_by_a_kill(tmp_path, name) for name in ("a.json", "b.json", "c.json")]
    looks = []

    listed = calls.names_in

    def names_in(handle):
        looks.append(os.fstat(handle).st_ino)
        return listed(handle)

    monkeypatch.setattr(calls, "names_in", names_in)
    (tmp_path / ".b.json.partial").mkdir()  # too short for a drawn name
    clear_unfinished(tmp_path, "a.json", "b.json", "d.json")
    assert [room.exists() for room in left] == [False, False, True]
    assert (tmp_path / ".b.json.partial").is_dir()
    assert looks.count(tmp_path.stat().st_ino) == 1


def test_a_room_that_holds_a_ledger_stays(tmp_path):
    left = left_by_a_kill(tmp_path)
    with Ledger(left / "book.ledger", limit=PureDP(1)):
        pass
    clear_unfinished(tmp_path, "a.json")
    assert (left / "book.ledger").exists()


@pytest.mark.parametrize("at", range(1, 9))
def test_killed_at_any_call_an_old_folder_or_the_new_one_stands(tmp_path, at):
    target = tmp_path / "model"
    written_folder(target, OwnerOnly({"a": "old", "b": "old"}))
    seen = []

    def work():
        def fault(call, size):
            seen.append(call)
            if len(seen) == at:
                die()
            return size

        calls._fault = fault
        written_folder(target, OwnerOnly({"a": "new", "b": "new"}))

    assert killed(work)
    assert (target / "a").read_text() == (target / "b").read_text()
    written_folder(target, OwnerOnly({"a": "again", "b": "again"}))
    assert [path.name for path in tmp_path.iterdir()] == ["model"]

"""Files appear whole or not at all."""

import threading

import pytest

from privet.artifact._atomic_write import written_folder, written_whole
from privet.artifact._audience import OwnerOnly, Publishable
from privet.errors import FileProblem


def test_a_failure_leaves_what_was_there(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")

    def half(path):
        path.write_text("new, but")
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        written_whole(target, OwnerOnly(half))
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_is_not_there_is_said_clearly(tmp_path):
    with pytest.raises(FileProblem, match="could not be written"):
        written_whole(tmp_path / "no" / "a.txt", OwnerOnly("x"))


def test_threads_that_write_the_same_file_do_not_meet(tmp_path):
    target, start, faults = tmp_path / "a.txt", threading.Barrier(8), []

    def write(number):
        start.wait()
        try:
            for _ in range(20):
                written_whole(target, OwnerOnly(str(number) * 1000))
        except Exception as fault:  # noqa: BLE001
            faults.append(fault)

    at_once(write, 8)
    assert faults == []
    assert len(set(target.read_text())) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_threads_that_put_folders_in_one_place_leave_one_whole(tmp_path):
    target, faults = tmp_path / "model", []

    def save(number):
        try:
            for _ in range(20):
                files = {"record": str(number), "content": str(number)}
                written_folder(target, Publishable(files, "holds nothing from the data"))
        except Exception as fault:  # noqa: BLE001
            faults.append(fault)

    at_once(save, 8)
    assert faults == []
    assert (target / "record").read_text() == (target / "content").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def at_once(work, many):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

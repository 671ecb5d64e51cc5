"""What is removed is what was recognised; a folder goes in one step, and a secret is overwritten first."""

import os
import signal
from pathlib import Path

import pytest

from privet.artifact import _file_calls as calls
from privet.artifact import _file_removal as removal
from privet.artifact._file_removal import remove, remove_inside, shred
from privet.errors import FileProblem, NotMadeHere


def test_only_what_is_recognised_is_removed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    for name in ("file", "folder"):
        with pytest.raises(NotMadeHere):
            remove_inside(tmp_path, name, lambda _: False)
        assert (tmp_path / name).exists()
        remove_inside(tmp_path, name, lambda _: True)
        assert not (tmp_path / name).exists()
        remove_inside(tmp_path, name, lambda _: False)  # what is not there is gone already


def test_secrets_are_overwritten_before_they_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "seed"
    secret.write_bytes(b"s" * 40)
    kept = os.open(secret, os.O_RDONLY)
    shred(secret)
    shred(secret)  # gone already
    assert os.read(kept, 100) == bytes(40)
    os.close(kept)
    assert not secret.exists()


def test_a_folder_that_cannot_be_written_is_said_clearly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(removal.calls, "unlink", refuse)
    with pytest.raises(FileProblem, match="permission denied"):
        remove_inside(tmp_path, "file", lambda _: True)


def test_a_folder_leaves_its_name_in_one_step(tmp_path: Path) -> None:
    """Killed at any call, all of it stands or nothing can be seen of it; and the next one clears what is left."""
    for at in range(1, 12):
        folder = tmp_path / str(at) / "model"
        folder.mkdir(parents=True)
        for name in ("a", "b", "c"):
            (folder / name).write_text("x")
        child = os.fork()
        if child == 0:
            seen: list[str] = []

            def fault(call: str, size: int, seen: list[str] = seen, at: int = at) -> int:
                seen.append(call)
                if len(seen) == at:
                    os.kill(os.getpid(), signal.SIGKILL)
                return size

            calls._fault = fault
            remove_inside(folder.parent, "model", lambda _: True)
            os._exit(0)
        os.waitpid(child, 0)
        assert not folder.exists() or len(list(folder.iterdir())) == 3
        folder.mkdir(exist_ok=True)
        remove_inside(folder.parent, "model", lambda _: True)
        assert list(folder.parent.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(tmp_path / "precious")
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    remove(tmp_path / "folder")
    remove(tmp_path / "link")
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]
    assert (tmp_path / "precious" / "file").exists()

"""Names from files lead nowhere else, and only what is recognised is removed."""

import os
import sqlite3
from pathlib import Path

import pytest
from tests.ledger.hot_journal import plant

from privet.artifact._confined_paths import checked_name, inside, opened, refuse_planted_journal
from privet.artifact._file_removal import discard, discard_empty, remove_inside, shred
from privet.errors import NotMadeHere, UnsafePath

BAD = [
    "", ".", "..", "/", "//", "/etc/passwd", "../x", "a/../../x", "a/..", "./a", "a/", "a//b", "a\\b", "..\\x",
    "C:\\x", "C:x", "a\0b", "\0", "a\nb", "a\x1b[2J", "x" * 256, "\u00e9" * 128, " a", "a ", "a.", "...", "\u2024\u2024",
    "\uff0e\uff0e", "\uff0fetc", "e\u0301", "\u202egnp.exe", "a\u200bb", "\ud800", "\ufb01le", "K\u212a",
    "/" * 5000, "a/" * 40 + "a", "*", "a?", 'a"', "<a>", "a|b", "con.json", "AUX", "nul", "lpt1.tar.gz", None, 7, b"a", ["a"], {"a": 1},
]  # fmt: skip
GOOD = [
    "a",
    "beds.json",
    ".privet",
    "My stays.csv",
    "\u00e9",
    "\u4eba.vault",
    "a" * 64,
    "-",
    "~",
    "a\u2215b",
    "~a",
    "..a",
    "a..b",
]


@pytest.mark.parametrize("name", BAD, ids=lambda name: ascii(name)[:20])
@pytest.mark.parametrize("folders", [False, True])
def test_what_is_not_a_plain_name_is_refused(tmp_path: Path, name: object, *, folders: bool) -> None:
    with pytest.raises(UnsafePath):
        checked_name(name, folders=folders)
    with pytest.raises(UnsafePath):
        inside(tmp_path, name, folders=folders)
    with pytest.raises(UnsafePath):
        remove_inside(tmp_path, name, lambda _: True, folders=folders)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", GOOD)
def test_plain_names_are_taken_as_they_are(tmp_path: Path, name: str) -> None:
    assert checked_name(name) == name
    assert inside(tmp_path, name) == tmp_path.joinpath(name)
    assert inside(tmp_path, f"sub/{name}", folders=True) == tmp_path / "sub" / name
    with pytest.raises(UnsafePath):
        checked_name(f"sub/{name}")


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A folder that is somebody's, with a file in it."""
    found = tmp_path / "elsewhere"
    (found / "made").mkdir(parents=True)
    (found / "file").write_text("precious")
    (found / "made" / "file").write_text("precious")
    return found


def whole(canary: Path) -> bool:
    return (canary / "file").read_text() == (canary / "made" / "file").read_text() == "precious"


def test_links_are_refused_wherever_they_are_on_the_way(tmp_path: Path, canary: Path) -> None:
    folder = tmp_path / "out"
    (folder / "real").mkdir(parents=True)
    (folder / "link").symlink_to(canary)
    (folder / "real" / "link").symlink_to(canary)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "out2").symlink_to(folder)
    for base, name in (
        (folder, "link"),
        (folder, "link/file"),
        (folder, "link/made"),
        (folder, "real/link"),
        (folder, "real/link/made"),
        (folder, "dangling"),
        (tmp_path / "out2", "real"),
    ):
        for act in (inside, lambda b, n, **k: remove_inside(b, n, lambda _: True, **k)):
            with pytest.raises(UnsafePath):
                act(base, name, folders=True)  # type: ignore[operator]
    assert whole(canary)
    assert (folder / "real").is_dir()


def test_links_inside_a_folder_are_removed_and_not_followed(tmp_path: Path, canary: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to(canary)
    remove_inside(tmp_path, "folder", lambda _: True)
    assert whole(canary)


@pytest.mark.parametrize(
    "swap", ["folder for a link", "file for a link", "file for another", "parent for a link"]
)
def test_what_takes_its_place_in_the_meantime_stays(tmp_path: Path, canary: Path, swap: str) -> None:
    base = tmp_path / "base"
    (base / "sub" / "folder").mkdir(parents=True)
    (base / "sub" / "file").write_text("x")
    (canary / "folder").mkdir()
    (canary / "folder" / "file").write_text("precious")
    name = "sub/file" if swap.startswith("file") else "sub/folder"

    def exchange(place: Path) -> bool:
        """Somebody is quick: between looking and removing, something else stands there."""
        if swap == "parent for a link":
            (base / "sub").rename(tmp_path / "aside")
            (base / "sub").symlink_to(canary)
        elif swap == "file for another":
            (base / "other").write_text("precious")
            (base / "other").replace(place)
        else:
            place.rename(tmp_path / "aside")
            place.symlink_to(canary if swap.startswith("folder") else canary / "file")
        return True

    if swap == "parent for a link":  # what was recognised is removed, where it is now
        remove_inside(base, name, exchange, folders=True)
        assert not (tmp_path / "aside" / "folder").exists()
    else:
        with pytest.raises(NotMadeHere):
            remove_inside(base, name, exchange, folders=True)
    assert whole(canary)
    assert (canary / "folder" / "file").read_text() == "precious"


def test_pipes_are_neither_opened_nor_removed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotMadeHere):
        remove_inside(tmp_path, "pipe", lambda _: True)
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        with pytest.raises(UnsafePath), opened(tmp_path / "pipe", flags):
            pass


def test_files_with_two_names_and_links_are_not_opened(tmp_path: Path, canary: Path) -> None:
    os.link(canary / "file", tmp_path / "second")
    (tmp_path / "link").symlink_to(canary / "file")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("second", "link", "dangling"):
        with pytest.raises(UnsafePath), opened(tmp_path / name, os.O_RDWR | os.O_CREAT):
            pass
        with pytest.raises(UnsafePath):
            shred(tmp_path / name)
    assert whole(canary)
    assert not (tmp_path / "nowhere").exists()


def test_what_a_caller_made_is_taken_away_and_links_are_not_followed(tmp_path: Path, canary: Path) -> None:
    (tmp_path / "link").symlink_to(canary)
    for path in (tmp_path / "link", tmp_path / "nothing"):
        discard(path)
    assert not (tmp_path / "link").is_symlink()
    assert whole(canary)
    discard_empty(canary)
    assert whole(canary)


def test_a_journal_that_would_have_a_file_deleted_is_refused(tmp_path: Path, canary: Path) -> None:
    database = tmp_path / "t.db"
    made = sqlite3.connect(database)
    made.execute("CREATE TABLE t (a)")
    made.commit()
    made.close()
    refuse_planted_journal(database)  # none there
    (tmp_path / "t.db-journal").write_bytes(b"\0" * 600)
    refuse_planted_journal(database)  # one that names nobody
    plant(database, canary / "file")
    (tmp_path / "link.db").symlink_to(database)
    for path in (database, tmp_path / "link.db"):
        with pytest.raises(UnsafePath, match="journal"):
            refuse_planted_journal(path)
    made = sqlite3.connect(database)  # what SQLite itself would have done
    made.execute("SELECT * FROM t").fetchall()
    made.close()
    assert not (canary / "file").exists()


def test_a_journal_that_goes_while_one_looks_is_none(tmp_path, monkeypatch):
    """SQLite removes its journal when a change is done; another thread may have opened it by then."""
    database, real = tmp_path / "people.vault", os.open
    journal = tmp_path / "people.vault-journal"
    journal.write_bytes(b"")

    def going(path, *rest):
        handle = real(path, *rest)
        Path(path).unlink()
        return handle

    monkeypatch.setattr(os, "open", going)
    refuse_planted_journal(database)
    assert not journal.exists()

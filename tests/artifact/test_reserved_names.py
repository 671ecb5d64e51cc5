"""Names that some system keeps for itself are given to nothing, through whichever door of the file layer."""

from pathlib import Path

import pytest

from privet.artifact import (
    OwnerOnly,
    Publishable,
    append_line,
    is_plain,
    move_into,
    new_file,
    own_folder,
    private_folder,
    refuse_unwritable,
    written_folder,
    written_whole,
)
from privet.artifact import _file_calls as calls
from privet.artifact._atomic_write import empty_file, private_file, room_beside
from privet.artifact._reserved_names import is_reserved
from privet.errors import BadUsage
from privet.guarantee import PureDP
from privet.ledger import Ledger

RESERVED = [
    "con.json", "CON", "Aux", "aux.html", "nul", "NUL.tar.gz", "prn.txt", "com1", "COM9.csv", "lpt0.json", "com\u00b9.json",
    "con .json", "conin$", "CONOUT$.txt", "clock$", "a.json.", "a.json ", "a. .", "model. ", "...", "a..", " ",
]  # fmt: skip
FREE = [
    "icon.json", "console", "aux-1.json", "auxiliary.html", "nul1", "com", "com10", "lpt", "lptx.json", "a.con", "a con.json",
    ".con", ".privet", "..a", "a b.json", ".", "..", "com\u2074", "\u00e9.json",
]  # fmt: skip


def _moved(path: Path) -> None:
    made = path.with_name("made")
    made.write_text("x")
    try:
        move_into(made, path)
    finally:
        made.unlink(missing_ok=True)


def _beside(path: Path) -> None:
    with room_beside(path):
        pass


DOORS = {
    "written whole": lambda path: written_whole(path, OwnerOnly("x")),
    "published": lambda path: written_whole(path, Publishable("x", "holds nothing from the data")),
    "new file": lambda path: new_file(path, b"x"),
    "empty file": empty_file,
    "private file": private_file,
    "line": lambda path: append_line(path, b"x"),
    "folder with files": lambda path: written_folder(path, OwnerOnly({"a": "x"})),
    "file in a folder": lambda path: written_folder(path.with_name("folder"), OwnerOnly({path.name: "x"})),
    "moved": _moved,
    "own folder": own_folder,
    "private folder": private_folder,
    "room": _beside,
    "before the work": refuse_unwritable,
    "ledger": lambda path: Ledger(path, limit=PureDP(1)),
}


@pytest.mark.parametrize("name", RESERVED, ids=ascii)
def test_devices_and_ends_that_are_cut_off_are_known(name: str) -> None:
    assert is_reserved(name)
    assert not is_plain(name)


@pytest.mark.parametrize("name", FREE, ids=ascii)
def test_names_that_merely_look_like_them_are_free(name: str) -> None:
    assert not is_reserved(name)


@pytest.mark.parametrize("name", ["con.json", "AUX", "a.json.", "b "])
@pytest.mark.parametrize("door", DOORS)
def test_nothing_is_made_under_such_a_name(tmp_path: Path, door: str, name: str) -> None:
    with pytest.raises(BadUsage):
        DOORS[door](tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["rename", "rename_new", "exchange"])
def test_nothing_is_renamed_to_one(tmp_path: Path, call: str) -> None:
    (tmp_path / "a").write_text("x")
    with calls.folder_handle(tmp_path) as folder, pytest.raises(BadUsage):
        getattr(calls, call)("a", folder, "nul", folder)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]

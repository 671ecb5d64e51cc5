"""What was made is known again; an edited, copied or foreign thing is not."""

import shutil

import pytest

from privet.artifact import OwnerOnly, is_making, private_folder, record_making, written_folder, written_whole
from privet.errors import UnsafePath


@pytest.fixture
def work(tmp_path):
    return private_folder(tmp_path / ".privet")


def test_a_file_and_a_folder_are_known_after_they_got_their_name(tmp_path, work):
    for made in (
        written_whole(tmp_path / "a.json", OwnerOnly("x")),
        written_folder(tmp_path / "model", OwnerOnly({"w": "x"})),
    ):
        record_making(work, f"public/{made.name}", made)
        named = made.rename(tmp_path / f"named-{made.name}")
        assert is_making(work, f"public/{made.name}", named)
        assert not is_making(work, "public/other", named)


def test_what_was_changed_or_copied_or_put_there_is_not(tmp_path, work):
    place = written_whole(tmp_path / "a.json", OwnerOnly("x"))
    record_making(work, "a.json", place)
    shutil.copy(place, tmp_path / "copy")
    (tmp_path / "copy").replace(place)
    assert not is_making(work, "a.json", place)
    record_making(work, "a.json", place)
    place.write_text("y")
    assert not is_making(work, "a.json", place)
    place.unlink()
    assert not is_making(work, "a.json", place)
    folder = written_folder(tmp_path / "model", OwnerOnly({"w": "x"}))
    record_making(work, "model", folder)
    (folder / "thesis").write_text("precious")
    assert not is_making(work, "model", folder)


def test_a_line_that_was_cut_short_says_nothing_and_the_next_one_stands(tmp_path, work):
    place = written_whole(tmp_path / "a.json", OwnerOnly("x"))
    (work / "made.jsonl").write_bytes(b'{"name": "a.js')
    assert not is_making(work, "a.json", place)
    record_making(work, "a.json", place)
    assert is_making(work, "a.json", place)


def test_a_record_that_somebody_else_could_have_written_is_not_used(tmp_path, monkeypatch):
    folder = private_folder(tmp_path / "theirs")
    monkeypatch.setattr("os.geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(UnsafePath, match="somebody else"):
        private_folder(folder)


def test_a_folder_of_the_owners_that_was_open_is_closed(tmp_path):
    (tmp_path / "owner").mkdir(mode=0o755)
    (tmp_path / "owner").chmod(0o755)
    assert private_folder(tmp_path / "owner").stat().st_mode & 0o777 == 0o700
    (tmp_path / "link").symlink_to(tmp_path / "owner")
    with pytest.raises(UnsafePath):
        private_folder(tmp_path / "link")

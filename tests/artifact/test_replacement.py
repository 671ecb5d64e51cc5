"""What stands under a name is replaced if it is ours, and is back in its place if it turns out not to be."""

import pytest

from privet.artifact import OwnerOnly, replace_inside, written_folder, written_whole
from privet.artifact import _file_calls as calls
from privet.errors import FileProblem, NotMadeHere, UnsafePath
from privet.guarantee import PureDP
from privet.ledger import Ledger


@pytest.fixture(params=["exchange", "rename"])
def _system(request, monkeypatch):
    """A system that can exchange two names, and one that cannot."""
    if request.param == "rename":
        monkeypatch.setattr(calls, "_renameat2", lambda: None)


def made(tmp_path, kind, text):
    room = tmp_path / "room"
    room.mkdir(exist_ok=True)
    if kind == "file":
        return written_whole(room / "a", OwnerOnly(text))
    return written_folder(room / "a", OwnerOnly({"part": text}))


def content(place):
    return (place / "part").read_text() if place.is_dir() else place.read_text()


pytestmark = pytest.mark.usefixtures("_system")


@pytest.mark.parametrize("old", [None, "file", "folder"])
@pytest.mark.parametrize("new", ["file", "folder"])
def test_it_gets_its_name_and_what_was_ours_goes(tmp_path, old, new):
    out = tmp_path / "out"
    out.mkdir()
    if old:
        made(tmp_path, old, "old").rename(out / "a")
    assert replace_inside(made(tmp_path, new, "new"), out, "a", lambda _: True) == out / "a"
    assert content(out / "a") == "new"
    assert [path.name for path in out.iterdir()] == ["a"]
    assert not (tmp_path / "room" / "a").exists()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_not_recognised_stays_and_so_does_what_was_made(tmp_path, kind):
    out = tmp_path / "out"
    out.mkdir()
    made(tmp_path, kind, "precious").rename(out / "a")
    new = made(tmp_path, kind, "new")
    with pytest.raises(NotMadeHere):
        replace_inside(new, out, "a", lambda _: False)
    assert (content(out / "a"), content(new)) == ("precious", "new")
    assert [path.name for path in out.iterdir()] == ["a"]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_was_put_there_in_between_comes_back(tmp_path, kind):
    """It is recognised, then exchanged for something else: what leaves its name is looked at once more."""
    out = tmp_path / "out"
    out.mkdir()
    made(tmp_path, kind, "ours").rename(out / "a")
    new = made(tmp_path, kind, "new")
    asked = []

    def recognised(place):
        asked.append(place)
        if len(asked) > 1:
            return content(place) == "ours"
        (out / "a").rename(tmp_path / "stolen")
        precious = tmp_path / "precious"
        precious.mkdir()
        (precious / "part").write_text("precious")
        (precious if kind == "folder" else precious / "part").rename(out / "a")
        return True

    with pytest.raises(NotMadeHere):
        replace_inside(new, out, "a", recognised)
    assert len(asked) == 2
    assert (content(out / "a"), content(new)) == ("precious", "new")
    assert [path.name for path in out.iterdir()] == ["a"]


def test_links_and_names_that_lead_elsewhere_are_refused(tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / "link").symlink_to(elsewhere)
    new = made(tmp_path, "file", "new")
    for name in ("link", "link/a", "../elsewhere/a", "..", "", "/a"):
        with pytest.raises(UnsafePath):
            replace_inside(new, out, name, lambda _: True)
    assert list(elsewhere.iterdir()) == []
    assert new.exists()


def test_a_ledger_is_not_replaced(tmp_path):
    with Ledger(tmp_path / "a", limit=PureDP(1)):
        pass
    with pytest.raises(FileProblem, match="is a ledger"):
        replace_inside(made(tmp_path, "file", "new"), tmp_path, "a", lambda _: True)

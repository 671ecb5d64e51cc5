"""An output lies where its type says: the owner's among the owner's, what may be given away apart from it."""

import os
import stat

import pytest

from privet.artifact import (
    OwnerOnly,
    Publishable,
    is_output_name,
    output_folders,
    output_name,
    output_place,
    outputs_around,
)
from privet.artifact._output_folders import for_audience
from privet.errors import UnsafePath

PUBLIC = Publishable("beds.json", "released under a promise")


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_type_says_where_it_lies(tmp_path):
    assert output_name(OwnerOnly("run.json")) == "owner/run.json"
    assert output_name(PUBLIC) == "public/beds.json"
    assert output_place(tmp_path, PUBLIC) == tmp_path / "public" / "beds.json"
    assert output_name(for_audience("r.html", public=False)) == "owner/r.html"
    assert output_name(for_audience("r.html", public=True)) == "public/r.html"
    with pytest.raises(TypeError):
        output_name(Publishable(OwnerOnly("run.json"), "released under a promise"))


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022])
def test_the_folders_have_their_rights_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        out = output_folders(tmp_path / "out")
    finally:
        os.umask(before)
    assert [rights(place) for place in (out, out / "owner", out / "public")] == [0o700, 0o700, 0o755]
    (out / "owner").chmod(0o755)  # somebody opened it
    out.chmod(0o755)  # the owner lets others look into what is public
    output_folders(out)
    assert [rights(place) for place in (out, out / "owner")] == [0o755, 0o700]


@pytest.mark.parametrize("where", ["out", "out/owner", "out/public"])
def test_links_in_their_place_are_refused(tmp_path, where):
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    place = tmp_path / where
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath):
        output_folders(tmp_path / "out")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert rights(tmp_path / "elsewhere") == 0o755


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("owner/run.json", True), ("public/beds.json", True), ("beds.json", False), ("owner", False), ("owner/", False),
        ("owner/a/b", False), ("public/../owner/run.json", False), ("Public/beds.json", False), ("/owner/x", False),
        ("other/beds.json", False), ("owner/\0", False), (None, False), (7, False), (["owner", "x"], False),
    ],
)  # fmt: skip
def test_names_of_outputs_are_plain_and_in_one_of_the_two(name, known):
    assert is_output_name(name) is known


def test_a_record_belongs_to_the_outputs_around_it(tmp_path):
    output_folders(tmp_path / "out")
    assert outputs_around(tmp_path / "out" / "owner" / "run.json") == tmp_path / "out"
    assert outputs_around(tmp_path / "home" / "owner" / "run.json") == tmp_path / "home" / "owner"
    assert outputs_around(tmp_path / "kept" / "run.json") == tmp_path / "kept"

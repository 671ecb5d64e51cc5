"""Fingerprints name a snapshot and tell nothing about what is in it."""

import os
import subprocess
import sys

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadDeclaration, SourceChanged
from privet.source import _snapshot as fingerprint

FRAME = pa.table({"a": [1, 2]})


def csv(folder, text, stamp=10**18, name="t.csv"):
    path = folder / name
    path.write_text(text)
    os.utime(path, ns=(stamp, stamp))
    return path


def test_a_stated_version_always_wins(tmp_path):
    path = csv(tmp_path, "a\n1\n")
    assert pv.open_table(path, version="v1").fingerprint == "t@v1"
    assert pv.open_table(FRAME, version=" v1 ", name="t").fingerprint == "t@v1"
    with pytest.raises(BadDeclaration):
        fingerprint.stated("t", " ")


def test_a_file_keeps_its_fingerprint_while_it_lies_there(tmp_path):
    path = csv(tmp_path, "a\n1\n")
    assert pv.open_table(path).fingerprint == pv.open_table(path).fingerprint


def test_what_the_rows_say_does_not_enter(tmp_path):
    """Otherwise anybody could check a guess about the contents against a public receipt."""
    found = []
    for folder, text in (("one", "a\n1\n"), ("two", "a\n2\n3\n")):
        (tmp_path / folder).mkdir()
        found.append(pv.open_table(csv(tmp_path / folder, text)).fingerprint)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "other", [{"stamp": 10**18 + 1}, {"text": "b\n1\n"}, {"text": "a\nx\n"}, {"name": "u.csv"}]
)
def test_another_time_schema_or_name_is_another_snapshot(tmp_path, other):
    first = pv.open_table(csv(tmp_path, "a\n1\n")).fingerprint
    assert pv.open_table(csv(tmp_path, **{"text": "a\n1\n", **other})).fingerprint != first


@pytest.mark.parametrize("version", [None, "v1"])
def test_a_table_whose_file_has_changed_is_refused(tmp_path, version):
    """A lazy file is read late: an answer must not come from other data than its receipt names."""
    path = csv(tmp_path, "a\n1\n")
    table = pv.open_table(path, version=version)
    assert table.fingerprint
    csv(tmp_path, "a\n2\n", stamp=10**18 + 5)
    with pytest.raises(SourceChanged):
        _ = table.fingerprint
    path.unlink()
    with pytest.raises(SourceChanged):
        _ = table.fingerprint


def test_frames_in_memory_never_share_a_fingerprint():
    program = "import privet as pv, pyarrow as pa; print(pv.open_table(pa.table({'a': [1, 2]})).fingerprint)"
    elsewhere = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = [pv.open_table(FRAME).fingerprint, pv.open_table(FRAME).fingerprint, elsewhere.stdout.strip()]
    assert len(set(found)) == 3
    assert all(one.startswith("snapshot:") and len(one) == 73 for one in found)

"""Hierarchies in files: ARX's form and YAML trees."""

import pytest
from tests.engine.told import told

from privet.errors import BadHierarchy, HierarchyUnreadable, PrivetError
from privet.protect.anonymize.hierarchies import (
    Hierarchy,
    csv_text,
    from_tree,
    read_folder,
    read_hierarchy,
)


def test_arx_files_round_trip(tmp_path):
    file = tmp_path / "adult_hierarchy_native-country.csv"
    file.write_text("United-States;America;*\nEngland;Europe;*\n", encoding="utf-8")
    found = read_hierarchy(file)
    assert found.column == "native-country"
    assert found.paths() == [("United-States", "America", "*"), ("England", "Europe", "*")]
    assert csv_text(found) == file.read_text(encoding="utf-8")


def test_texts_with_the_delimiter_survive(tmp_path):
    made = Hierarchy.from_paths("x", [("a;b", '"q"', "*"), ("c", "d", "*")])
    file = tmp_path / "x.csv"
    file.write_text(csv_text(made), encoding="utf-8")
    assert read_hierarchy(file, "x").paths() == made.paths()


def test_a_tree_in_yaml(tmp_path):
    file = tmp_path / "letter.yaml"
    file.write_text("column: letter\ntree:\n  vowel: [a, e]\n  other:\n    hard: [k, t]\n", encoding="utf-8")
    found = read_hierarchy(file)
    assert found.column == "letter"
    assert ("a", "a", "vowel", "*") in found.paths()
    assert ("k", "hard", "other", "*") in found.paths()


def test_a_folder_names_every_column_without_a_file(tmp_path):
    (tmp_path / "t_hierarchy_sex.csv").write_text("m;*\nf;*\n", encoding="utf-8")
    (tmp_path / "age.yaml").write_text("young: [1, 2]\nold: [3]\n", encoding="utf-8")
    found = read_folder(tmp_path, ["sex", "age"])
    assert found["sex"].values == ("m", "f")
    assert found["age"].labels[1] == ("young", "old")
    (tmp_path / "u_hierarchy_sex.csv").write_text("m;*\n", encoding="utf-8")
    with pytest.raises(HierarchyUnreadable) as refusal:
        read_folder(tmp_path, ["sex", "age", "zip"])
    assert refusal.value.details["columns"] == ["sex", "zip"]


@pytest.mark.parametrize("content", ["a: b", "tree: 7", "a: [", "{}"])
def test_what_is_not_a_tree_is_refused(tmp_path, content):
    file = tmp_path / "x.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(HierarchyUnreadable):
        read_hierarchy(file)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(HierarchyUnreadable):
        read_hierarchy(tmp_path / "absent.csv")
    with pytest.raises(HierarchyUnreadable):
        read_folder(tmp_path / "absent", ["a"])
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(HierarchyUnreadable):
        read_hierarchy(tmp_path / "x.csv")
    with pytest.raises(BadHierarchy):
        from_tree("x", {"g": ["a", "a"]})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.yaml", b"[" * 100_000),
        ("c.yaml", b"tree: &a [*a]"),
        ("c.yaml", b"tree: {north: [Wharfinger"),
        ("c.yaml", b"tree: {north: [2026-02-30, Wharfinger]}"),
        ("c.yaml", b"Wharfinger: \xff"),
        ("c.csv", b"Wharfinger;\xff"),
        ("c.csv", b"Wharfinger;" + b"x" * 200_000),
    ],
)
def test_files_made_to_break_readers_are_refused_without_their_words(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PrivetError) as caught:
        read_hierarchy(tmp_path / name)
    assert "Wharfinger" not in told(caught.value)

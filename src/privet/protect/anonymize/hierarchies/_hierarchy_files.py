"""Hierarchies in files: ARX's form (one path per line, separated by `;`) and trees in YAML."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from privet._outgoing_text import for_csv, from_csv
from privet.errors import HierarchyUnreadable
from privet.evidence import checked_yaml, given_text
from privet.protect.anonymize.hierarchies._hierarchy import ANY, Hierarchy

DELIMITER = ";"


def read_hierarchy(path: str | Path, column: str | None = None) -> Hierarchy:
    """The hierarchy in a file: .csv in ARX's form, .yaml or .yml as a tree.

    The column is named by the caller, by `column:` in YAML, or by the file (`*_hierarchy_COLUMN.csv`).
    """
    place = Path(path)
    text = None
    with suppress(OSError, UnicodeDecodeError):  # whose words would quote the file
        text = given_text(place, encoding="utf-8-sig")
    if text is None:
        raise HierarchyUnreadable(
            f"the file {place.name!r} cannot be read as text.", "Save it as UTF-8, and check its name."
        )
    if place.suffix in (".yaml", ".yml"):
        return _from_yaml(text, column or place.stem, place.name, named=column is not None)
    name = column or place.stem.rpartition("_hierarchy_")[2]
    rows = csv.reader(text.splitlines(), delimiter=DELIMITER)
    lines = None
    with suppress(csv.Error):
        lines = [[from_csv(cell) for cell in line] for line in rows if line]
    if lines is None:
        raise HierarchyUnreadable(
            f"the file {place.name!r} cannot be read as paths.", "Write value;group;* on each line."
        )
    return Hierarchy.from_paths(name, lines)


def read_folder(folder: str | Path, columns: Sequence[str]) -> dict[str, Hierarchy]:
    """One hierarchy for each column, from a folder with `*_hierarchy_COLUMN.csv` or `COLUMN.yaml`.

    All columns without a file, or with several, are named at once.
    """
    place = Path(folder)
    if not place.is_dir():
        raise HierarchyUnreadable(f"there is no folder {place.name!r}.", "Give the folder of hierarchies.")
    found = {name: sorted(_files(place, name)) for name in columns}
    wrong = [f"{name!r} has {len(files) or 'none'}" for name, files in found.items() if len(files) != 1]
    if wrong:
        raise HierarchyUnreadable(
            "every column needs one file: " + ", ".join(wrong) + ".",
            "Name files *_hierarchy_COLUMN.csv or COLUMN.yaml, or make one with `privet hierarchy suggest`.",
            columns=[name for name, files in found.items() if len(files) != 1],
        )
    return {name: read_hierarchy(files[0], name) for name, files in found.items()}


def _files(folder: Path, column: str) -> Iterator[Path]:
    for file in folder.iterdir():
        is_csv = file.suffix == ".csv" and (file.stem.endswith(f"_hierarchy_{column}") or file.stem == column)
        if is_csv or (file.suffix in (".yaml", ".yml") and file.stem == column):
            yield file


def csv_text(hierarchy: Hierarchy) -> str:
    """The hierarchy in ARX's form."""
    import io

    out = io.StringIO()
    rows = csv.writer(out, delimiter=DELIMITER, lineterminator="\n")
    rows.writerows([for_csv(value) for value in path] for path in hierarchy.paths())
    return out.getvalue()


def _from_yaml(text: str, column: str, file: str, *, named: bool) -> Hierarchy:
    import yaml

    record = nothing = object()
    with suppress(yaml.YAMLError, ValueError):  # whose words would quote the file
        checked_yaml(text, what=f"the file {file!r}")
        record = yaml.safe_load(text)
    if record is nothing:
        raise HierarchyUnreadable(f"the file {file!r} is not YAML.", "Check indentation and quotes.")
    if isinstance(record, dict) and "tree" in record:
        column = column if named else str(record.get("column", column))
        record = record["tree"]
    return from_tree(column, record)


def from_tree(column: str, tree: Any) -> Hierarchy:
    """A hierarchy from a tree: groups are mappings, the innermost hold lists of values. The root is added.

    Where branches differ in depth, a value repeats itself until its first group: it is generalized later.
    """
    paths = list(_paths(column, tree, ()))
    if not paths:
        raise HierarchyUnreadable(
            f"the tree of {column!r} holds no values.", "List the values of each group."
        )
    depth = max(len(path) for path in paths)
    return Hierarchy.from_paths(column, [(*[path[0]] * (depth - len(path)), *path, ANY) for path in paths])


def _paths(column: str, tree: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(tree, dict):
        for group, below in tree.items():
            yield from _paths(column, below, (str(group), *above))
    elif isinstance(tree, list):
        for value in tree:
            if isinstance(value, (dict, list)):
                yield from _paths(column, value, above)
            else:
                yield ("" if value is None else str(value), *above)
    else:
        raise HierarchyUnreadable(
            f"the tree of {column!r} is not made of groups and lists of values.",
            "Write group: [value, value].",
        )

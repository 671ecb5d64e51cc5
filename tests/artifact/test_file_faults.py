"""Wherever the file layer is stopped, and however: what was there stands or what was wanted does, and the next try works."""

import ast
import inspect

import pytest
from tests.artifact.file_faults import ERRORS, KILLS, OPERATIONS, lost, points, seen, stopped
from tests.artifact.test_file_calls import LAYER, OS, writes
from tests.source_tree import SOURCE, nodes

from privet.artifact import _file_calls as calls
from privet.artifact import clear_unfinished

KINDS = (*ERRORS, *KILLS, "short")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_fault_at_any_call_leaves_the_old_or_the_new_and_the_next_try_works(tmp_path, name, kind):
    operation = OPERATIONS[name]
    places = {part: tmp_path / part for part in ("before", "after")}
    for place in places.values():
        place.mkdir()
        operation.prepare(place)
    before = seen(places["before"], operation.grows)
    reached = points(operation, places["after"])
    after = seen(places["after"], operation.grows)
    assert reached, "it changes nothing"
    for at, call in enumerate(reached, 1):
        folder = tmp_path / str(at)
        folder.mkdir()
        operation.prepare(folder)
        stopped(operation, folder, kind, at)
        found = seen(folder, operation.grows)
        begun = operation.remade is not None and kind in KILLS and found == lost(before) != after
        assert found in (before, after) or begun or operation.also(found), (call, at, found)
        if begun:
            (folder / "room").rmdir()
            operation.remade(folder)
        if not operation.done(folder):
            operation.act(folder)
        assert seen(folder, operation.grows) == after, (call, at)
        left = [path.name for path in folder.rglob(".*.partial")]
        # Clearing away is done as far as it can be; what it leaves, the next one clears.
        assert not left or kind in KILLS or call in ("unlink", "rmdir"), (call, at, left)
        clear_unfinished(folder, "a")
        assert not list(folder.rglob(".*.partial")), (call, at)


def test_every_call_that_changes_a_file_passes_the_place_where_faults_are_put():
    """In the layer such calls stand in one module, and each function there that makes one says so before."""
    for path in sorted(LAYER - {"artifact/_file_calls.py"}):
        found = {
            word
            for node in nodes(SOURCE / path)
            if (word := writes(node)) is not None and not ast.unparse(node).startswith("calls.")
        }
        # Folders are opened by handles, files through `opened`, which says so; names are drawn by tempfile.
        assert found <= {"os.open", "new_file", "mktemp", "TemporaryDirectory"}, (path, found)
    changing = OS - {"open"}
    for name, function in inspect.getmembers(calls, inspect.isfunction):
        tree = ast.parse(inspect.getsource(function))
        made = {node.func.attr for node in ast.walk(tree)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name) and node.func.value.id == "os"}  # fmt: skip
        said = any(
            isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reached"
            for node in ast.walk(tree)
        )
        assert said or not made & (changing | {"fsync"}), name


def test_the_calls_of_all_kinds_are_among_those_that_are_tried(tmp_path):
    tried = set()
    for name, operation in OPERATIONS.items():
        folder = tmp_path / name
        folder.mkdir()
        operation.prepare(folder)
        tried |= set(points(operation, folder))
    text = inspect.getsource(calls)
    known = {node.args[0].value for node in ast.walk(ast.parse(text))
             if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "reached"}  # fmt: skip
    assert tried == known - {"truncate"}, (
        "a line that could not be written whole is taken back after a fault alone"
    )

"""The suite itself: each module has its tests, and what needs real data has a twin that runs everywhere."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.source_tree import REPOSITORY, SOURCE, listed, modules, nodes

TESTS = REPOSITORY / "tests"


def files_of_tests() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


# --- a test file for each module ---------------------------------------------------------------


def home_of_tests(module: str) -> str:
    """Where the tests of a module are: `protect/train/_plan.py` has `tests/protect/train/test_plan.py`."""
    folder, _, name = module.rpartition("/")
    return f"{folder}/test_{name.lstrip('_')}".lstrip("/")


def modules_to_test() -> list[str]:
    """Every module by its path within the package: not the front doors, which only name what others hold."""
    return [
        path.relative_to(SOURCE).as_posix() for path in modules() if path.stem not in {"__init__", "__main__"}
    ]


def without_tests(names: list[str], tests: set[str]) -> list[str]:
    return [name for name in names if home_of_tests(name) not in tests]


def test_each_module_has_a_file_of_tests_of_its_name() -> None:
    tests = {path.relative_to(TESTS).as_posix() for path in files_of_tests()}
    missing = without_tests(modules_to_test(), tests)
    assert not missing, "write a file of tests for each: " + listed(missing)


def test_a_module_without_tests_is_seen() -> None:
    tests = {"protect/train/test_plan.py", "test_errors.py"}
    names = ["protect/train/plan.py", "protect/train/noise.py", "protect/plan.py", "errors.py"]
    assert without_tests(names, tests) == ["protect/train/noise.py", "protect/plan.py"]
    assert home_of_tests("ledger/_chain.py") == "ledger/test_chain.py"


def test_folders_of_tests_are_those_of_the_source() -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    folders = {path.relative_to(TESTS).parts[0] for path in files_of_tests() if path.parent != TESTS}
    assert folders - rooms <= {"laws", "statistical", "conformance"}


# --- twins of what needs real data -------------------------------------------------------------


def twins_in(path: Path) -> dict[str, list[str]]:
    """The tests of a file, each with the twins that its marks name."""
    return {
        node.name: [
            keyword.value.value
            for mark in node.decorator_list
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.real_data"
            for keyword in mark.keywords
            if keyword.arg == "twin" and isinstance(keyword.value, ast.Constant)
        ]
        for node in nodes(path)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def faults_of_twins(folder: dict[str, list[str]]) -> list[str]:
    """Twins that are not in the folder, or need real data themselves."""
    return [
        f"{name}: {twin} is no test of this room that runs without real data"
        for name, twins in folder.items()
        for twin in twins
        if folder.get(twin) != []
    ]


def test_what_needs_real_data_has_a_twin_that_does_not() -> None:
    folders: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for path in files_of_tests():
        folders.setdefault(path.relative_to(TESTS).parts[:2], {}).update(twins_in(path))
    assert sum(bool(twins) for tests in folders.values() for twins in tests.values()) > 20
    faults = [fault for tests in folders.values() for fault in faults_of_twins(tests)]
    assert not faults, listed(faults)


def test_a_twin_that_is_none_is_seen() -> None:
    tests = {"a": ["b"], "b": [], "c": ["nobody"], "d": ["a"]}
    assert len(faults_of_twins(tests)) == 2


def test_real_data_are_read_in_one_place() -> None:
    """What reads them there without the mark fails; what reads them elsewhere would not be noticed."""
    pattern = re.compile("[\"'/]shared[\"'/]" + r".{0,9}\bdata\b")
    strays = [
        path.relative_to(TESTS).as_posix()
        for path in sorted(TESTS.rglob("*.py"))
        if path.name != "real_data.py" and pattern.search(path.read_text(encoding="utf-8"))
    ]
    assert not strays, listed(strays)


def test_real_data_without_the_mark_are_refused() -> None:
    from tests.real_data import real_data

    with pytest.raises(AssertionError, match="names its twin"):
        real_data("adult")


# --- several workers ---------------------------------------------------------------------------


def test_a_file_is_one_workers_and_spark_is_one_workers() -> None:
    from tests.conftest import work_unit

    assert work_unit("tests/engine/test_a.py::test_b[duckdb]") == "tests/engine/test_a.py"
    assert work_unit("tests/engine/test_a.py::test_b[pyspark-2]") == "spark"
    assert work_unit("tests/engine/test_c.py::test_a_spark_frame") == "spark"


def test_what_is_dear_is_begun_early() -> None:
    from collections import OrderedDict

    from tests.conftest import DEAREST, dearest_first

    assert all(unit == "spark" or (REPOSITORY / unit).is_file() for unit in DEAREST)
    queue = OrderedDict.fromkeys(["tests/a.py", DEAREST[1], "tests/b.py", DEAREST[0]])
    dearest_first(queue)
    assert list(queue) == [DEAREST[0], DEAREST[1], "tests/a.py", "tests/b.py"]


def test_numbers_are_crunched_by_one_thread() -> None:
    """Two workers with two threads each on two cores wait for each other, spinning."""
    import numpy as np
    import torch
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    assert torch.get_num_threads() == 1


def test_two_workers_keep_to_their_units(tmp_path: Path) -> None:
    """The plugin that hands tests out calls us: else both workers would start Spark and make every fixture."""
    for number in range(4):
        lines = ["import os", "import pytest", "", "@pytest.fixture(scope='module')", "def made():"]
        lines += [f"    open(f'{tmp_path}/made-{number}-' + str(os.getpid()), 'w').close()", ""]
        lines += [f"def test_{at}(made): pass" for at in range(6)]
        (tmp_path / f"test_{number}.py").write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            "-p",
            "tests.conftest",
            "-p",
            "no:cacheprovider",
            str(tmp_path),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "24 passed" in done.stdout, done.stdout + done.stderr
    assert len(list(tmp_path.glob("made-*"))) == 4

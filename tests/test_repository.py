"""The repository around the code: pins, extras, sizes, and nothing that only works on one machine."""

import ast
import os
import re
import runpy
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from tests.source_tree import REPOSITORY, SOURCE, listed, modules, nodes

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
TEXT = {".py", ".md", ".toml", ".txt", ".svg", ".yaml", ".yml", ".cfg", ".ini", ".json", ".html", ".css", ""}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").split()
    return {plain(line.split("==")[0]): line.split("==")[1] for line in lines}


def needed(name: str, extras: frozenset[str], found: dict[str, str]) -> None:
    """Collects the versions of a distribution and of everything it needs here."""
    from packaging.requirements import Requirement

    try:
        distribution = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return
    for text in distribution.requires or []:
        requirement = Requirement(text)
        wanted = [{"extra": extra} for extra in extras] or [{"extra": ""}]
        if requirement.marker and not any(requirement.marker.evaluate(case) for case in wanted):
            continue
        key = plain(requirement.name)
        inner = frozenset(requirement.extras)
        if f"{key}{sorted(inner)}" in found:
            continue
        try:
            found[f"{key}{sorted(inner)}"] = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            continue
        needed(requirement.name, inner, found)


def tracked() -> list[Path]:
    """The files of the project; without git, everything that is not built."""
    try:
        listing = subprocess.run(
            ["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return [path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    files = [REPOSITORY / line for line in listing.stdout.splitlines()]
    return [path for path in files if path.is_file() and path.suffix in TEXT]


def test_every_dependency_is_pinned_as_installed() -> None:
    found: dict[str, str] = {}
    needed("privet", frozenset({"dev", "spark"}), found)
    # A local version ("+cpu") says how torch was built, not which it is; what it brings for its graphics cards differs.
    installed = {
        name: version.split("+")[0]
        for key, version in found.items()
        if not (name := key.split("[")[0]).startswith(("nvidia-", "cuda-", "triton"))
    }
    installed.pop("privet", None)
    installed.pop("setuptools", None)  # comes with some Pythons
    assert len(installed) > 30
    pinned = pins()
    assert {name: version for name, version in installed.items() if pinned.get(name) != version} == {}


def test_pins_meet_the_bounds_of_the_project() -> None:
    from packaging.requirements import Requirement

    pinned = pins()
    for text in PROJECT["project"]["dependencies"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(pinned[plain(requirement.name)]), text


def test_the_extras_are_all_there() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    named = {
        "spark",
        "postgres",
        "torch",
        "tabular",
        "ebm",
        "language",
        "images",
        "gguf",
        "onnx",
        "opacus",
        "synth",
        "federated",
        "web",
        "keyring",
        "presidio",
        "linkage",
        "collect",
    }
    # Real tables are for the tests and benchmarks alone.
    named |= {"all", "dev", "realdata"}
    assert set(extras) == named
    inside = re.fullmatch(r"privet\[(.*)\]", extras["all"][0])
    assert inside
    assert set(inside[1].split(",")) == set(extras) - {"all", "dev", "realdata"}


def test_types_are_shipped() -> None:
    assert (SOURCE / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["project"]["classifiers"]


def test_the_licence_is_the_one_declared() -> None:
    text = (REPOSITORY / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "Version 2.0" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["project"]["license"] == "Apache-2.0"


def test_the_changelog_tells_of_this_version() -> None:
    assert f"## {PROJECT['project']['version']}" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_integration_run_is_the_test_command() -> None:
    script = REPOSITORY / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text(encoding="utf-8").splitlines()[-1] == "make test"


def unpleasant(path: Path) -> list[str]:
    """What makes a module hard to read, and what to do about it."""
    found = []
    if len(path.read_text(encoding="utf-8").splitlines()) > 600:
        found.append("split the module")
    if path.stem in {"utils", "common", "core", "base", "helpers", "manager"}:
        found.append("name it for its idea")
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            found.append(f"line {node.lineno} prints: say it with privet.app._terminal, or return it")
        elif (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (node.end_lineno or 0) - node.body[0].lineno > 80
        ):
            found.append(f"split the function {node.name}")
    return found


def test_source_stays_pleasant() -> None:
    faults = [f"{path.relative_to(SOURCE)}: {said}" for path in modules() for said in unpleasant(path)]
    assert not faults, listed(faults)


def test_what_is_unpleasant_is_seen(tmp_path: Path) -> None:
    long = "def act():\n" + "    x = 1\n" * 82
    for name, text, count in [
        ("fine", "def act():\n    return 1\n", 0),
        ("long", "x = 1\n" * 601, 1),
        ("utils", "", 1),
        ("loud", "print(1)\nprint(2)\n", 2),
        ("deep", long, 1),
        ("later", f"async {long}", 1),
    ]:
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        assert len(unpleasant(path)) == count, name


def test_nothing_belongs_to_one_machine_or_one_moment() -> None:
    # The patterns are put together here, so that this file does not contain what it looks for.
    words = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
    paths = ["/wo" + "rk/", "/ho" + "me/", "/Us" + "ers/", "/opt/" + "pypi", "C:" + "\\\\Users"]
    pattern = re.compile("|".join([rf"\b{word}\b" for word in words] + [re.escape(path) for path in paths]))
    strays = [
        f"{path.relative_to(REPOSITORY)}:{number}"
        for path in tracked()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not strays, listed(strays)


@cache
def float_tool() -> tuple[dict[str, Any], Any]:
    """The tool, and the names of floats that it finds in the source: read once."""
    tool = runpy.run_path(str(REPOSITORY / "tools" / "float_equality.py"))
    return tool, tool["float_names"](SOURCE)


def equalities(text: str, folder: Path) -> list[str]:
    """What the tool finds in a file with this text."""
    tool, names = float_tool()
    path = folder / "test_made_up.py"
    path.write_text(text, encoding="utf-8")
    return [said for _, said in tool["places"](path, names)]


def test_no_test_or_code_asks_whether_computed_floats_are_equal() -> None:
    """The last bit is the processor's: say how near is near enough, or why an equality is exact (`# exact: …`)."""
    faults = float_tool()[0]["found"](SOURCE, REPOSITORY / "tests")
    assert not faults, listed(faults)


@pytest.mark.parametrize(
    "line",
    [
        "assert made.loss == 0",
        "assert found.success.value == found.bound == 1",
        "assert x == 0.3",
        "assert shares.tolist() == [0.5, 0.25]",
        "assert rows.mean() == wanted",
        "assert one / 3 == two / 3",
        "assert (n, p) == (3, 0.1)",
        "if spread.std() == 0: pass",
        "assert made.loss != other.loss",
        "assert made.loss == 0  # exact:",
    ],
)
def test_an_equality_of_floats_is_found(line: str, tmp_path: Path) -> None:
    assert equalities(line, tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        "assert made.loss == pytest.approx(0)",
        "assert made.loss == 0  # exact: a constant",
        "assert made.loss < 1e-12",
        "assert made.rows == 3",
        "assert path == folder / 'name'",
        "assert verdict == Verdict.WITHIN.value",
        "assert made.epsilon == math.inf",
        "assert made.loss is None",
        "assert made.width == len(names)",
    ],
)
def test_other_comparisons_are_left_alone(line: str, tmp_path: Path) -> None:
    assert equalities(line, tmp_path) == []


def test_tests_are_not_lost() -> None:
    """Every test module has a test, and no two in one folder differ by case alone."""
    empty = [
        path.name
        for path in (REPOSITORY / "tests").rglob("test_*.py")
        if not re.search(
            r"^\s*(?:async )?def test_|^Test\w+ = |^class Test", path.read_text(encoding="utf-8"), re.M
        )
    ]
    assert empty == []


def test_each_benchmark_starts_as_make_bench_starts_it() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert '$(BIN)/python -m "bench.$$module"' in makefile
    faults = []
    for module in sorted(path.stem for path in (REPOSITORY / "bench").glob("[a-z]*.py")):
        command = [sys.executable, "-m", f"bench.{module}", "--help"]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if done.returncode != 0 or "usage" not in done.stdout:
            faults.append(f"bench.{module}: {done.stderr}")
    assert not faults, listed(faults)

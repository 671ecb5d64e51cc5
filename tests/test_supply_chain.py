"""What Privet is made of and comes in: locks, licences, bounds that age, builds, the threat model's tests."""

import ast
import json
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.source_tree import REPOSITORY, listed, nodes
from tools import aging_bounds, build_twice, licences, write_lock, write_sbom

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
DEVELOPMENT = {"dev", "all", "realdata"}

# --- locks ---------------------------------------------------------------------------------------


def test_the_locks_hold_every_pin_with_its_digests() -> None:
    assert write_lock.faults() == []
    held = write_lock.read_lock((REPOSITORY / write_lock.EVERYTHING).read_text(encoding="utf-8"))
    assert len(held) > 100
    assert set(write_lock.pins()) - set(held) == write_lock.UNLOCKED
    # Files for other systems are there too: a library with compiled parts has several.
    assert len(held["numpy"][1]) > 6


def test_a_lock_that_lags_behind_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = write_lock.pins()
    monkeypatch.setattr(write_lock, "pins", lambda: {**pins, "numpy": "9.9", "new": "1.0"})
    assert {fault.partition(": ")[2] for fault in write_lock.faults()} == {
        "numpy==9.9 is missing",
        "new==1.0 is missing",
    }


@pytest.mark.parametrize(
    ("file", "ours"),
    [
        ("numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", True),
        ("numpy-2.4.6-cp313-cp313-macosx_11_0_arm64.whl", True),
        ("numpy-2.4.6-cp313-cp313t-macosx_11_0_arm64.whl", False),
        ("numpy-2.4.6-cp39-cp39-manylinux_2_28_x86_64.whl", False),
        ("numpy-2.4.6-pp311-pypy311_pp73-manylinux_2_28_x86_64.whl", False),
        ("opendp-0.16.0-cp310-abi3-win_amd64.whl", True),
        ("opendp-0.16.0-cp310-abi3-win32.whl", False),
        ("rich-15.0.0-py3-none-any.whl", True),
        ("rich-15.0.0.tar.gz", True),
        ("rich-15.0.0.tar.gz.asc", False),
    ],
)
def test_files_for_what_privet_is_made_for_are_locked(file: str, ours: bool) -> None:
    assert write_lock.is_ours(file) is ours


def test_a_lock_is_read_as_it_was_written() -> None:
    entries = {"a": ("1.0", ["0" * 64, "1" * 64]), "b-c": ("2", ["2" * 64])}
    assert write_lock.read_lock(write_lock.lock_text(entries)) == entries


def test_make_installs_by_digest_and_names_no_index() -> None:
    installs = [line.strip() for line in MAKEFILE.splitlines() if line.strip().startswith("$(INSTALL)")]
    unhashed = [line for line in installs if "--require-hashes" not in line]
    # The package itself is here; torch brings what its machine needs.
    assert [line.rpartition(" ")[2] for line in unhashed] == [".", "torch", "torch"]
    assert len(installs) - len(unhashed) == 2
    files = ["Makefile", "pyproject.toml", "constraints.txt", write_lock.BASE, write_lock.EVERYTHING]
    for name in files:
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        assert not re.search(r"index-url|find-links|trusted-host|https?://", text), name


# --- licences and the bill of materials ----------------------------------------------------------

# Run-time distributions whose licence is not on the permissive list, or not in their metadata: each was looked at.
LOOKED_AT = {
    "python-stdnum": (
        "LGPL-2.1-or-later",
        "imported unchanged; anybody can put another version in its place",
    ),
    "psycopg": ("LGPL-3.0-only", "an extra; imported unchanged, replaceable"),
    "psycopg-binary": ("LGPL-3.0-only", "an extra; imported unchanged, replaceable"),
    "interpret-core": ("unknown", "an extra; MIT by the licence file in its sources"),
    "regex": ("Apache-2.0 AND CNRI-Python", "by way of transformers; CNRI-Python is permissive"),
    "tqdm": ("unknown", "by way of transformers; MPL-2.0 and MIT: its own files stay open, unchanged here"),
    "torch": (
        "Apache-2.0 AND Apache-2.0 WITH LLVM-exception AND BSD-2-Clause AND BSD-3-Clause AND BSL-1.0 AND MIT",
        "an extra; every part is permissive (BSL-1.0 is the Boost licence)",
    ),
}


def run_time() -> set[str]:
    """What is installed because Privet or one of its extras needs it when it runs."""
    extras = tuple(set(PROJECT["optional-dependencies"]) - DEVELOPMENT)
    return set(write_sbom.installed("privet", extras)) - {"privet"}


def is_for_a_graphics_card(name: str) -> bool:
    return name.startswith(("nvidia-", "cuda-", "triton"))


def test_run_time_distributions_have_licences_that_were_looked_at() -> None:
    found = {name: licences.licence_of(name) for name in run_time() if not is_for_a_graphics_card(name)}
    assert len(found) > 50
    odd = {name: said for name, said in found.items() if not licences.is_permissive(said)}
    # What torch is put together from differs with its build.
    new = {name: said for name, said in odd.items() if name not in LOOKED_AT}
    assert not new, listed([f"{name}: {said}" for name, said in sorted(new.items())])
    changed = [name for name, said in odd.items() if name != "torch" and LOOKED_AT[name][0] != said]
    assert not changed, f"look again at the licence of {changed}"
    assert set(LOOKED_AT) <= set(found), "something on the list is no longer used"


@pytest.mark.parametrize(
    ("expression", "permissive"),
    [
        ("MIT", True),
        ("MIT OR Apache-2.0", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND BSD-3-Clause", True),
        ("MIT AND GPL-3.0-only", False),
        ("AGPL-3.0-or-later", False),
        ("(MIT OR Apache-2.0) AND Unlicense", True),
        ("(MIT OR GPL-2.0-only) AND Unlicense", False),
        ("unknown", False),
    ],
)
def test_licences_are_told_apart(expression: str, permissive: bool) -> None:
    assert licences.is_permissive(expression) is permissive


def test_the_bill_of_materials_names_everything_once_and_who_needs_it() -> None:
    made = write_sbom.document()
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    parts = {one["name"]: one for one in made["components"]}
    assert len(parts) == len(made["components"]) > 100
    pinned = write_lock.pins()
    assert {name for name in parts if name not in pinned and not is_for_a_graphics_card(name)} == set()
    assert all(
        one["version"].split("+")[0] == pinned.get(name, one["version"]) for name, one in parts.items()
    )
    assert all(one["licenses"] for one in parts.values())
    held = write_lock.read_lock((REPOSITORY / write_lock.EVERYTHING).read_text(encoding="utf-8"))
    for name, (_, digests) in held.items():
        if name in parts:
            (kept,) = parts[name]["externalReferences"]
            assert [one["content"] for one in kept["hashes"]] == digests
    references = {one["bom-ref"] for one in (*made["components"], made["metadata"]["component"])}
    assert {one["ref"] for one in made["dependencies"]} == references
    assert {inner for one in made["dependencies"] for inner in one["dependsOn"]} <= references
    assert json.dumps(made, sort_keys=True) == json.dumps(write_sbom.document(), sort_keys=True)


# --- bounds that age -----------------------------------------------------------------------------


def test_bounds_that_age_still_have_their_reason() -> None:
    gone = {bound.name: said for bound in aging_bounds.BOUNDS if (said := bound.gone())}
    assert not gone, f"try without the bound: python tools/aging_bounds.py --try ({gone})"


def test_what_would_notice_a_version_beyond_a_bound_is_there() -> None:
    named = [test for bound in aging_bounds.BOUNDS for test in bound.tests]
    assert [test for test in named if not (REPOSITORY / test).exists()] == []


def test_each_bound_that_is_watched_is_there_and_each_that_is_there_is_watched() -> None:
    stated = {}
    for text in PROJECT["dependencies"]:
        need = Requirement(text)
        ends = [one.version for one in need.specifier if one.operator == "<"]
        stated[canonicalize_name(need.name)] = ends[0] if ends else None
    assert {bound.name: bound.below for bound in aging_bounds.BOUNDS}.items() <= stated.items()
    # Below the next major version of what changes with it: these are no bounds against something known.
    usual = {"opendp", "dp-accounting", "ibis-framework", "osqp", "python-stdnum"}
    assert {name for name, end in stated.items() if end} - usual == {one.name for one in aging_bounds.BOUNDS}


def test_a_reason_that_is_gone_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = {"dp-accounting": ["attrs>=22", "numpy"], "ibis-framework": ["sqlglot>=23.4"]}
    monkeypatch.setattr(metadata, "requires", lambda name: needs[name])
    monkeypatch.setattr(metadata, "version", lambda _: "13.1.0")
    watched = {bound.name: bound for bound in aging_bounds.BOUNDS}
    assert "attrs 24" in watched["attrs"].gone()
    assert "13.1" in watched["sqlglot"].gone()
    needs["ibis-framework"] = ["sqlglot>=30"]
    assert "newer sqlglot" in watched["sqlglot"].gone()
    from privet.engine import _engine_versions

    monkeypatch.setitem(_engine_versions.ADMITTED, "duckdb", ((1, 5), (2, 2)))
    assert "2.2" in watched["duckdb"].gone()


# --- builds --------------------------------------------------------------------------------------


def test_two_builds_are_equal_and_the_wheel_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["build_twice", str(tmp_path / "dist")])
    assert build_twice.main() == 0, capsys.readouterr().err
    made = sorted(path.name for path in (tmp_path / "dist").iterdir())
    version = PROJECT["version"]
    assert made == ["SHA256SUMS", f"privet-{version}-py3-none-any.whl", f"privet-{version}.tar.gz"]


def test_builds_that_differ_are_seen() -> None:
    assert build_twice.faults({"a": b"1", "b": b"2"}, {"a": b"1", "b": b"3", "c": b""}) == [
        "b differs between two builds",
        "c differs between two builds",
    ]


# --- what is said about it -----------------------------------------------------------------------


def test_the_threat_model_names_tests_that_exist() -> None:
    page = (REPOSITORY / "docs" / "concept" / "threat-model.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", page)
    rows = [
        line
        for line in page.splitlines()
        if line.startswith("| ") and not line.startswith(("| ---", "| they", "| what"))
    ]
    assert len(named) > 25
    # In the tables of what actors try, each line has a test.
    tried = [
        row for row in rows if row.count("|") == 4 and "who may have it" not in row and "tests/" not in row
    ]
    assets = page.split("## Actors")[0]
    assert [row for row in tried if row not in assets] == []
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (REPOSITORY / file).is_file()
        or name not in {node.name for node in nodes(REPOSITORY / file) if isinstance(node, ast.FunctionDef)}
    ]
    assert not missing, listed(missing)


def test_how_to_report_and_what_is_supported_is_said() -> None:
    page = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    assert "## How to report" in page
    assert "## What is supported" in page
    assert "SECURITY.md" in (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")

"""Bounds of pyproject.toml that age: why each is there, and whether the reason still holds.

    python tools/aging_bounds.py          says of each bound whether its reason is still seen in what is installed
    python tools/aging_bounds.py --try    also installs the newest version beyond each bound beside the others, in a folder
                                          of its own, and runs the tests that would notice (minutes; needs an index)

A bound whose reason is gone keeps security fixes out. `tests/test_supply_chain.py` fails when that can be seen from metadata.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Bound:
    """A bound, why it is there, and how one sees that it can go."""

    name: str
    below: str
    reason: str
    gone: Callable[[], str]  # what has changed, or nothing
    tests: tuple[str, ...]  # what would notice a version beyond it


def _allows(holder: str, name: str, version: str) -> bool:
    """Whether an installed distribution would take a version of another."""
    needs = [Requirement(text) for text in metadata.requires(holder) or []]
    found = [one.specifier for one in needs if canonicalize_name(one.name) == name and one.marker is None]
    return all(one.contains(Version(version)) for one in found or [SpecifierSet()])


def _attrs() -> str:
    return "dp-accounting takes attrs 24 now" if _allows("dp-accounting", "attrs", "24.1.0") else ""


def _sqlglot() -> str:
    if not _allows("ibis-framework", "sqlglot", "29.0.1"):
        return "Ibis asks for a newer sqlglot now"
    # Whether our reader of SQL knows the new trees is seen by trying; at the latest when Ibis has moved on.
    tried = "12.0"
    now = ".".join(metadata.version("ibis-framework").split(".")[:2])
    return "" if now == tried else f"Ibis is {now}, and the bound was set for {tried}: try again"


def _duckdb() -> str:
    sys.path.insert(0, str(ROOT / "src"))
    from privet.engine._engine_versions import ADMITTED

    _, below = ADMITTED["duckdb"]
    return "" if below <= (2, 0) else f"the engine room admits DuckDB below {'.'.join(map(str, below))}"


BOUNDS = (
    Bound(
        "attrs", "24", "dp-accounting asks for less; a newer one makes resolvers take an old dp-accounting", _attrs,
        ("tests/guarantee",),
    ),
    Bound(
        "sqlglot", "30", "from 30 on ROLLUP is another tree, which our reader of SQL refuses", _sqlglot,
        ("tests/protect/query/sql", "tests/engine/test_expression_compiler.py", "tests/engine/test_dialects.py"),
    ),
    Bound(
        "duckdb", "2.0", "DuckDB 2.0 reads not-a-number by the statistics of a file: one person can change others' rows",
        _duckdb, ("tests/engine", "tests/conformance/test_failures_on_engines.py"),
    ),
)  # fmt: skip


def tried(bound: Bound) -> str:
    """What the tests say with the newest version beyond a bound."""
    with tempfile.TemporaryDirectory(prefix="privet-bound-") as folder:
        wanted = f"{bound.name}>={bound.below}"
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, wanted]
        if subprocess.run(install, capture_output=True, check=False).returncode:
            return f"there is no {wanted} yet"
        paths = [folder, str(ROOT / "src"), str(ROOT)]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *bound.tests],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            capture_output=True,
            text=True,
            check=False,
        )
        last = (done.stdout.strip().splitlines() or ["nothing was said"])[-1]
        return ("its tests pass, so the bound may go: " if done.returncode == 0 else "still needed: ") + last


def main() -> int:
    """Say of each bound whether it is still needed."""
    found = 0
    for bound in BOUNDS:
        gone = bound.gone()
        found += bool(gone)
        print(f"{bound.name}<{bound.below}: {gone or 'the reason holds'} ({bound.reason})")
        if "--try" in sys.argv[1:]:
            print(f"  tried: {tried(bound)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

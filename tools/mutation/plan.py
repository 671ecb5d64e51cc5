"""What is mutated and with which tests: `scope.toml` read against a copy of the repository."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from shutil import copy2

from tools.mutation import children
from tools.mutation.impact import Traced

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent


@dataclass(frozen=True)
class Scope:
    """One part of the code with the tests that may notice its mutants."""

    name: str
    modules: tuple[str, ...]  # patterns
    tests: tuple[str, ...]  # files and folders
    without: tuple[str, ...] = ()
    first: tuple[str, ...] = ()  # test files that every mutant meets

    def holds(self, module: str) -> bool:
        """Whether a module belongs to it."""
        return any(fnmatch(module, pattern) for pattern in self.modules) and not any(
            fnmatch(module, pattern) for pattern in self.without
        )

    def files(self, root: Path) -> list[str]:
        """Its test files."""
        found = []
        for pattern in self.tests:
            for path in sorted(root.glob(pattern)):
                found += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        return list(dict.fromkeys(str(path.relative_to(root)) for path in found))


@dataclass(frozen=True)
class Plan:
    """The floor, the scopes, and the mutants that nothing can notice, with the reason."""

    floor: float
    skip: tuple[str, ...]
    scopes: tuple[Scope, ...]
    equivalent: Mapping[str, str]

    def owner(self, module: str) -> Scope | None:
        """The first scope that holds a module."""
        return next((scope for scope in self.scopes if scope.holds(module)), None)


def read_plan() -> Plan:
    """The plan as it is written beside this file."""
    content = tomllib.loads((HERE / "scope.toml").read_text(encoding="utf-8"))
    listed = tomllib.loads((HERE / "survivors.toml").read_text(encoding="utf-8")).get("survivor", [])
    scopes = tuple(
        Scope(**{key: value if key == "name" else tuple(value) for key, value in one.items()})
        for one in content["scope"]
    )
    reasons = {f"{one['module']}|{key}": one["why"] for one in listed for key in one["mutants"]}
    return Plan(float(content["floor"]), tuple(content["skip"]), scopes, reasons)


def copied(folder: Path) -> Path:
    """A copy of everything under version control, in which mutants may do what they like."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    copy = folder / "copy"
    for name in listed.stdout.splitlines():
        if (REPOSITORY / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            copy2(REPOSITORY / name, copy / name)
    return copy


def modules_of(source: Path) -> dict[str, str]:
    """Every module and its path below `source`."""
    paths = [path.relative_to(source) for path in sorted(source.rglob("*.py")) if path.name != "__init__.py"]
    return {".".join(path.with_suffix("").parts): str(path) for path in paths}


def digest(path: Path) -> str:
    """What a file holds, in short."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def impact(
    copy: Path, files: Sequence[str], skip: Sequence[str], kept: Path
) -> tuple[dict[str, Traced], list[str]]:
    """What every test of these files calls, and the libraries they import; traced again where a file changed."""
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    found, log = copy.parent / "traced.json", copy.parent / "traced.log"
    for file in files:
        mark = digest(copy / file)
        if known.get(file, {}).get("digest") == mark:
            continue
        print(f"tracing {file}", flush=True)
        found.unlink(missing_ok=True)
        children.waited(children.started(lambda file=file: children.traced(copy, [file], skip, found), log))
        if not found.exists():
            raise SystemExit(f"error: {file} could not be run:\n{log.read_text()[-2000:]}")
        known[file] = {"digest": mark, **json.loads(found.read_text(encoding="utf-8"))}
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(known), encoding="utf-8")
    for file in files:
        for name in known[file]["failed"]:
            print(f"fails on the code as it is, and is left out: {name}", flush=True)
    tests = {
        name: Traced(one["seconds"], frozenset(one["calls"]))
        for file in files
        for name, one in known[file]["tests"].items()
        if not any(word in name for word in skip)
    }
    return tests, list(dict.fromkeys(name for file in files for name in known[file]["modules"]))

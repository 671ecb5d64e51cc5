"""Builds wheel and source archive twice, compares them byte by byte, and tries the wheel in an empty environment.

    python tools/build_twice.py [FOLDER]     FOLDER (dist) gets the two files and SHA256SUMS

The second build is made from a copy of the sources with other dates, elsewhere and in another order of files. The wheel must
hold the pages of the errors and the types, install without anything else and import.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What an archive is made from; dates inside are this moment, not that of the build (reproducible-builds.org).
SOURCES = (
    "src",
    "tests",
    "docs",
    "examples",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "SECURITY.md",
)
EPOCH = "1767225600"
NEEDED = (
    "privet/py.typed",
    "privet/__init__.pyi",
    "privet/errors/pages/E-LEDGER-001.md",
    "privet/report/templates/page.html",
)
_BUILD = "import sys; from hatchling import build; print(build.{}(sys.argv[1]))"


def built(sources: Path, folder: Path) -> dict[str, bytes]:
    """Both archives of a folder of sources, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("build_wheel", "build_sdist"):
        subprocess.run(
            [sys.executable, "-c", _BUILD.format(kind), str(folder)],
            cwd=sources,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
            capture_output=True,
            check=True,
        )
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def copied(target: Path, *, stamp: int) -> Path:
    """A copy of the sources, every file of it last changed at `stamp`, without what tools leave lying about."""
    left_out = shutil.ignore_patterns("__pycache__", "*.pyc", ".*_cache", "demo-output")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=left_out)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    for path in sorted(target.rglob("*"), reverse=bool(stamp % 2)):
        os.utime(path, (stamp, stamp))
    return target


def tried(wheel: Path, room: Path) -> str:
    """The version that the wheel has in an environment with nothing else in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(room)], check=True)
    python = room / "bin" / "python"
    place = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--target",
            place,
            str(wheel),
        ],
        check=True,
    )
    told = subprocess.run(
        [python, "-I", "-c", "import privet, privet.errors as e; print(privet.__version__); assert e.page_of('E-LEDGER-001')"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return told.stdout.strip()


def faults(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """Where two builds differ."""
    names = sorted({*one, *other})
    return [f"{name} differs between two builds" for name in names if one.get(name) != other.get(name)]


def main() -> int:
    """Build, compare, try, and keep what was built."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    with tempfile.TemporaryDirectory(prefix="privet-build-") as name:
        room = Path(name)
        first = built(copied(room / "one" / "privet", stamp=1_700_000_001), room / "out-one")
        second = built(copied(room / "two" / "elsewhere", stamp=1_600_000_000), room / "out-two")
        wrong = faults(first, second)
        wheel = next(path for path in (room / "out-one").glob("*.whl"))
        inside = zipfile.ZipFile(wheel).namelist()
        wrong += [f"{wheel.name} lacks {part}" for part in NEEDED if part not in inside]
        if not wrong:
            version = tried(wheel, room / "empty")
        for fault in wrong:
            print(f"error: {fault}", file=sys.stderr)
        if wrong:
            return 1
        target.mkdir(parents=True, exist_ok=True)
        sums = {file: hashlib.sha256(content).hexdigest() for file, content in first.items()}
        for file, content in first.items():
            (target / file).write_bytes(content)
        (target / "SHA256SUMS").write_text(
            "".join(f"{sums[file]}  {file}\n" for file in sums), encoding="utf-8"
        )
    print(f"privet {version}: built twice, equal to the byte; installed and imported alone")
    for file, digest in sums.items():
        print(f"{digest}  {target / file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

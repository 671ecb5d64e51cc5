"""Writes the locks: every pin of constraints.txt with the digests of its files, for `pip install --require-hashes`.

    python tools/write_lock.py            requirements.lock and requirements-base.lock, from the indexes that pip uses here
    python tools/write_lock.py --check    only say whether they hold the pins (needs no network)

pip's own report names the one file that was chosen on this machine; another system, processor or Python takes another
file of the same version. So the digests are those of all files that an index offers for the versions of Python, systems
and processors that Privet is made for. Torch is not in the lock: which libraries it brings depends on the graphics card,
and pip checks either all digests or none. It is installed by its exact version alone.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
EVERYTHING, BASE = "requirements.lock", "requirements-base.lock"
UNLOCKED = {"torch"}
BUILD = ("hatchling", "editables")  # what makes the package itself installable
HEAD = "# Written by tools/write_lock.py from constraints.txt. Install with: pip install --require-hashes --no-deps -r THIS\n"
_PYTHONS = re.compile(r"(?:cp3(?:11|12|13)|py3\d*|py2\.py3|cp3\d+(?=-abi3))(?:\.|-)")
_SYSTEMS = re.compile(r"any$|manylinux\S*_(?:x86_64|aarch64)$|macosx|win_amd64$")
_LINK = re.compile(r"""<a\s[^>]*href=["']([^"']+)["'][^>]*>""", re.IGNORECASE)


def pins() -> dict[str, str]:
    """The pinned version of each distribution."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def base_names() -> set[str]:
    """What people get who install no extra, and what builds the package."""
    found: set[str] = set()
    todo = [("privet", frozenset[str]()), *((name, frozenset[str]()) for name in BUILD)]
    while todo:
        name, extras = todo.pop()
        for text in metadata.requires(name) or []:
            need = Requirement(text)
            if need.marker is None or any(need.marker.evaluate({"extra": one}) for one in (*extras, "")):
                key = canonicalize_name(need.name)
                if key not in found or need.extras:
                    todo.append((need.name, frozenset(need.extras)))
                found.add(key)
    return {*found, *BUILD} - {"privet"}


def is_ours(file: str) -> bool:
    """Whether a file is for a Python, a system and a processor that Privet is made for."""
    if not file.endswith(".whl"):
        return file.endswith((".tar.gz", ".zip"))
    python, abi, system = file[: -len(".whl")].split("-")[-3:]
    return (
        bool(_PYTHONS.match(f"{python}-{abi}"))
        and not abi.endswith("t")
        and any(_SYSTEMS.search(one) for one in system.split("."))
    )


def _indexes() -> list[str]:
    """The indexes that pip is set up to use here."""
    from pip._internal.models.index import (
        PyPI,
    )  # the default is pip's affair, and named nowhere in this project

    def said(name: str) -> list[str]:
        command = [sys.executable, "-m", "pip", "config", "get", f"global.{name}"]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        return os.environ.get(f"PIP_{name.replace('-', '_').upper()}", "").split() or found

    return [*(said("index-url") or [PyPI.simple_url]), *said("extra-index-url")]


def _links(index: str, name: str) -> Iterator[str]:
    """The addresses of a project's files, digests after the #."""
    place = f"{index.rstrip('/')}/{name}/"
    ask = f"{place}index.html" if place.startswith("file:") else place
    try:
        with urllib.request.urlopen(ask, timeout=60) as page:
            text = page.read().decode()
    except OSError:
        return
    if text.lstrip().startswith("{"):
        for file in json.loads(text)["files"]:
            yield f"{file['url']}#sha256={file['hashes'].get('sha256', '')}"
        return
    for link in _LINK.findall(text):
        yield urllib.parse.urljoin(ask, html.unescape(link))


def _digest(link: str) -> str:
    address, _, given = link.partition("#")
    if given.startswith("sha256=") and len(given) == 71:
        return given.removeprefix("sha256=")
    if not address.startswith("file:"):
        return ""
    return hashlib.sha256(
        Path(urllib.parse.unquote(urllib.parse.urlsplit(address).path)).read_bytes()
    ).hexdigest()


def digests(indexes: list[str], name: str, version: str) -> list[str]:
    """The digests of all files of one version."""
    spelled = "[-_.]+".join(re.escape(part) for part in name.split("-"))
    stem = re.compile(rf"{spelled}-{re.escape(version)}(?:-|\.tar\.gz|\.zip)", re.IGNORECASE)
    found = set()
    for index in indexes:
        for link in _links(index, name):
            file = urllib.parse.unquote(link.partition("#")[0].rpartition("/")[2])
            if stem.match(file) and is_ours(file):
                found.add(_digest(link))
    return sorted(found - {""})


def lock_text(entries: dict[str, tuple[str, list[str]]]) -> str:
    """A lock as pip reads it."""
    return HEAD + "".join(
        f"{name}=={version}" + "".join(f" \\\n    --hash=sha256:{one}" for one in found) + "\n"
        for name, (version, found) in sorted(entries.items())
    )


def read_lock(text: str) -> dict[str, tuple[str, list[str]]]:
    """The distributions of a lock with their versions and digests."""
    joined = text.replace("\\\n", " ")
    found = {}
    for line in joined.splitlines():
        if line.strip() and not line.startswith("#"):
            pin, *hashes = line.split()
            name, _, version = pin.partition("==")
            found[name] = (version, [one.removeprefix("--hash=sha256:") for one in hashes])
    return found


def faults() -> list[str]:
    """Where the locks differ from the pins."""
    wanted, found = pins(), []
    everything = {name: version for name, version in wanted.items() if name not in UNLOCKED}
    for file, names in ((EVERYTHING, set(everything)), (BASE, base_names() & set(everything))):
        path = ROOT / file
        held = read_lock(path.read_text(encoding="utf-8")) if path.exists() else {}
        found += [f"{file}: {name} is not pinned" for name in sorted(set(held) - names)]
        for name in sorted(names):
            version, hashes = held.get(name, ("", []))
            if version != everything[name]:
                found.append(f"{file}: {name}=={everything[name]} is missing")
            elif not hashes or not all(re.fullmatch(r"[0-9a-f]{64}", one) for one in hashes):
                found.append(f"{file}: {name} has no digest")
    return found


def main() -> int:
    """Write the locks, or check them."""
    if "--check" in sys.argv[1:]:
        for fault in faults():
            print(fault, file=sys.stderr)
        return 1 if faults() else 0
    indexes, base = _indexes(), base_names()
    entries = {}
    for name, version in pins().items():
        if name in UNLOCKED:
            continue
        entries[name] = (version, digests(indexes, name, version))
        if not entries[name][1]:
            print(f"error: no index here offers {name}=={version}", file=sys.stderr)
            return 1
    for file, names in ((EVERYTHING, set(entries)), (BASE, base)):
        text = lock_text({name: entry for name, entry in entries.items() if name in names})
        (ROOT / file).write_text(text, encoding="utf-8")
        print(f"wrote {file}: {text.count('==')} distributions, {text.count('--hash')} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes what is installed beside Privet as a CycloneDX document: names, versions, licences, digests, who needs whom.

    python tools/write_sbom.py dist/sbom.cdx.json
    python tools/write_sbom.py dist/sbom.cdx.json --validate     also holds it against the schema of CycloneDX 1.6 (needs an index)

Everything in it comes from the metadata of the installed distributions and from requirements.lock; the same environment gives
the same document to the byte, so it has neither a date nor a serial number. CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/.
The validator is that of cyclonedx-python-lib, installed into a folder of its own that goes afterwards.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools.licences import licence_of  # noqa: E402
from tools.write_lock import EVERYTHING, read_lock  # noqa: E402

EXTRAS = ("dev", "spark")
VALIDATOR = "cyclonedx-python-lib[json-validation]>=8"
_VALIDATES = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
faults = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding="utf-8").read(), all_errors=True)
print("\\n".join(f"{'/'.join(map(str, one.data.absolute_path))}: {one.data.message}" for one in faults or ()))
"""


def installed(name: str = "privet", extras: tuple[str, ...] = EXTRAS) -> dict[str, set[str]]:
    """Each distribution that is needed and there, with those that it needs itself."""
    found: dict[str, set[str]] = {}
    todo = [(canonicalize_name(name), frozenset(extras))]
    seen = set()
    while todo:
        one, wanted = todo.pop()
        if (one, wanted) in seen:
            continue
        seen.add((one, wanted))
        found.setdefault(one, set())
        for text in metadata.requires(one) or []:
            need = Requirement(text)
            if need.marker and not any(need.marker.evaluate({"extra": extra}) for extra in (*wanted, "")):
                continue
            key = canonicalize_name(need.name)
            if key != one and _is_there(key):
                found[one].add(key)
            if _is_there(key):
                todo.append((key, frozenset(need.extras)))
    return found


def document() -> dict[str, Any]:
    """The whole document."""
    graph = installed()
    locked = read_lock((ROOT / EVERYTHING).read_text(encoding="utf-8"))
    own = _component("privet", [])
    parts = [_component(name, locked.get(name, ("", []))[1]) for name in sorted(graph) if name != "privet"]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [
            {"ref": _reference(name), "dependsOn": sorted(_reference(one) for one in graph[name])}
            for name in sorted(graph)
        ],
    }


def _component(name: str, digests: list[str]) -> dict[str, Any]:
    version = metadata.version(name)
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": _reference(name),
        "name": name,
        "version": version,
        "purl": _reference(name),
        "licenses": [_licence(licence_of(name))],
    }
    if digests:
        # A version has one file for each system; CycloneDX takes the digests of files in references to where they are from.
        found["externalReferences"] = [
            {
                "type": "distribution",
                "url": _reference(name),
                "hashes": [{"alg": "SHA-256", "content": one} for one in digests],
            }
        ]
    return found


def _licence(said: str) -> dict[str, Any]:
    joined = any(word in said for word in (" AND ", " OR ", " WITH "))
    return {"expression": said} if joined else {"license": {"name": said}}


def _reference(name: str) -> str:
    return f"pkg:pypi/{name}@{metadata.version(name).replace('+', '%2B')}"


def _is_there(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def faults_of(target: Path) -> list[str]:
    """What the schema of CycloneDX 1.6 refuses in a document, in its strict form: no field that it does not know."""
    with tempfile.TemporaryDirectory(prefix="privet-sbom-") as folder:
        environment = {**os.environ, "PYTHONPATH": folder}
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, VALIDATOR]
        subprocess.run(install, check=True, capture_output=True)
        command = [sys.executable, "-c", _VALIDATES, str(target)]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.split("\n") if done.stdout.strip() else []


def main() -> int:
    """Write the document."""
    words = [word for word in sys.argv[1:] if word != "--validate"]
    target = Path(words[0] if words else ROOT / "dist" / "sbom.cdx.json")
    target.parent.mkdir(parents=True, exist_ok=True)
    made = document()
    target.write_text(json.dumps(made, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"wrote {target}: {len(made['components'])} components")
    if "--validate" not in sys.argv[1:]:
        return 0
    faults = faults_of(target)
    print("\n".join(faults) or "it is valid")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

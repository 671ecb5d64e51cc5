"""A project that somebody else may write in: what it holds, what it has spent, and how its journal is edited."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.app.doors import Said

from privet.artifact import record_making
from privet.ledger import Ledger, clock

AUDIT = "  - {do: audit, purpose: planning, name: look}\n"
Capture = pytest.CaptureFixture[str]


def copied(prepared: Path, name: str, ward: Path) -> Path:
    """One of the prepared projects, with all times as they were; the policy's path. What was made is a copy, then."""
    shutil.copytree(prepared / name, ward, dirs_exist_ok=True)
    return ward / "privet.yaml"


def made_here(ward: Path) -> None:
    """Let the copied outputs count as made where they are now, so that something else has to refuse them."""
    out = ward / "out"
    for place in (out / "public").iterdir():
        record_making(out / "owner" / ".privet", f"public/{place.name}", place)


def state(folder: Path) -> dict[str, str]:
    """Everything in a folder: names, links and contents."""
    return {
        str(path.relative_to(folder)): f"-> {path.readlink()}"
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else "folder"
        for path in sorted(folder.rglob("*"))
        if path.name not in ("lock", ".privet", "stays.ledger-shm", "stays.ledger-wal")
    }


def spends(folder: Path) -> int:
    """How many releases the ledger of a project knows."""
    if not (folder / "stays.ledger").exists():
        return 0
    with Ledger(folder / "stays.ledger") as ledger:
        return sum(entry.kind in ("spend", "promise") for entry in ledger.history())


def refused(said: Said, *codes: str) -> None:
    """A command was refused, in words."""
    assert said.code != 0, said.out
    assert said.json()["error"]["code"] in codes, said.out
    assert "Traceback" not in said.err


def rekeyed(step: dict[str, Any]) -> dict[str, Any]:
    """A step whose key fits what it says, as its reader computes it."""
    known = [step[name] for name in ("name", "kind", "purpose", "to", "recipient", "expires", "inputs")]
    return {**step, "key": hashlib.sha256(json.dumps(known).encode()).hexdigest()}


def later(monkeypatch: pytest.MonkeyPatch, year: int = 2091) -> None:
    """A day on which everything has ended."""
    moment = clock.now().replace(year=year)
    monkeypatch.setattr(clock, "now", lambda: moment)


def edited(ward: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """The journal with every line changed by somebody."""
    file = ward / "out" / "owner" / "journal.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        change(line)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

"""Twins whose making is killed with SIGKILL before or after the n-th thing that the ledger stores, then asked for again.

    python -m tests.protect.synthesize.killed_twins FOLDER evolution|mst|aim|evolve

Every run is a process of its own, forked off after everything is imported. Prints one JSON line for each point: how the
first process died, what the ledger held then, and what it held after the second.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tests.pipeline.killing import forked
from tests.protect.synthesize.evolution.texts import LABELS, notes, phrases
from tests.protect.synthesize.people import rows, table

import privet as pv
from privet.ledger import Ledger

LIMIT = pv.ZeroConcentratedDP(5)
PROMISE = pv.ZeroConcentratedDP("0.5")
STORES = ("charge", "remember")


def made(place: Path, method: str) -> dict[str, Any]:
    """The twin, from a ledger in a file."""
    with Ledger(place / "twin.ledger", limit=LIMIT) as book:
        if method == "evolution":
            twin = pv.synthesize(
                notes(60), PROMISE, ledger=book, why="killed", generator=phrases(), text="note", label="ward",
                labels=LABELS, rows=10, evolution=pv.EvolutionSettings(rounds=3, population=8, variations=1),
            )  # fmt: skip
        else:
            opened = table(place=place / "people.parquet", unit=pv.Row())
            twin = pv.synthesize(opened, PROMISE, ledger=book, why="killed", method=method, rows=20)
        return {"rows": twin.rows, "receipt": twin.receipt.to_json() if twin.receipt else None}


def dying(place: Path, method: str, at: int | None) -> int:
    """Make it in this process; dies at the n-th point, or gives how many there were."""
    seen = 0

    def reached() -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            reached()
            found = real(*given, **named)
            reached()
            return found

        return called

    for name in STORES:
        setattr(Ledger, name, watched(getattr(Ledger, name)))
    made(place, method)
    return seen


def held(place: Path) -> dict[str, Any]:
    """What the ledger books and stores, in its order."""
    file = place / "twin.ledger"
    if not file.exists():
        return {"spends": 0, "stored": []}
    with Ledger(file) as book:
        book.verify()
        entries = list(book.history())
    return {
        "spends": sum(entry.kind == "spend" for entry in entries),
        "stored": [json.dumps(entry.body, sort_keys=True) for entry in entries if entry.kind == "release"],
    }


def main(folder: Path, method: str) -> None:
    """Kill at every point."""

    def fresh(name: str) -> Path:
        place = folder / f"{method} {name}"
        place.mkdir(parents=True)
        pq.write_table(rows(200), place / "people.parquet")
        return place

    code, points = forked(lambda: dying(fresh("whole"), method, None))
    if code:
        raise SystemExit(str(points))
    for at in range(1, int(points) + 1):
        place = fresh(str(at))
        died, _ = forked(lambda place=place, at=at: dying(place, method, at))
        _, before = forked(lambda place=place: held(place))
        ended, told = forked(lambda place=place: made(place, method))
        _, after = forked(lambda place=place: held(place))
        again, same = forked(lambda place=place: made(place, method))
        line = {"at": at, "died": died, "before": before, "ended": ended, "told": told, "after": after}
        sys.stdout.write(json.dumps({**line, "again": again, "same": same == told}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

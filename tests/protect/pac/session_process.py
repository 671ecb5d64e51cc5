"""A process of its own that opens a session, asks in it, and may be killed at a chosen moment: `python session_process.py …`."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import privet as pv
from privet.errors import SessionProblem
from privet.ledger import Ledger
from privet.protect.pac import _pac_session as sessions

COLUMNS, WORLDS = ["age", "cost"], 16


def opened(folder: Path, ledger: Ledger) -> pv.PacSession:
    """The session of the folder's table."""
    table = pv.open_table(
        folder / "people.csv",
        unit=pv.Person("who", max_rows=1),
        bounds={"age": (0, 100), "cost": (0, 5_000)},
        version="1",
    )
    return pv.PacSession(table, WORLDS, ledger=ledger, path=folder / "one.session")


def ended(*_: object, **__: object) -> None:
    """Nothing of this process is tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at(moment: str) -> None:
    """Have the process end at once in the middle of a release."""
    if moment == "computing":
        sessions.drawn = ended  # type: ignore[assignment]
    elif moment == "drawn":
        Ledger.remember = ended  # type: ignore[assignment, method-assign]
    elif moment == "stored":
        sessions.SessionHistory.enter = ended  # type: ignore[assignment, method-assign]


def asked(folder: Path, promises: list[str]) -> list[list[float]]:
    """Ask in turn, opening the session for each question and waiting where somebody has it; say how often one waited."""
    found, waited = [], 0
    with Ledger(folder / "one.ledger") as ledger:
        for promise in promises:
            while True:
                try:
                    with opened(folder, ledger) as session:
                        found.append(
                            list(session.release(pv.PacFunction.covariance(), promise, COLUMNS).numbers)
                        )
                    break
                except SessionProblem as refused:
                    if "in use" not in refused.fact:
                        raise
                    waited += 1
                    time.sleep(0.02)
    print(json.dumps({"numbers": found, "waited": waited}))
    return found


if __name__ == "__main__":
    where, moment, *rest = sys.argv[1:]
    killed_at(moment)
    asked(Path(where), rest)

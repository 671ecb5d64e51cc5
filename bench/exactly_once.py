"""Whether questions stay answered exactly once under kill -9: the whole way from a file to an answer, again and again.

Several processes ask the same questions of one file in the same order, each as soon as the one before is answered, and
are killed at random moments. At the end every question must have one spend, and everybody must have seen one answer to
it. Run from the repository:

    python -m bench.exactly_once                        a hundred kills on each store
    python -m bench.exactly_once --kills 1000           more of them
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import itertools
import json
import multiprocessing
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import privet as pv
from privet.ledger import Ledger

STORES = ("sqlite", "postgres")
EPSILON = "0.001"
FORK = multiprocessing.get_context("fork")


def ask_for_ever(where: str, file: Path, seen: Path) -> None:
    """Ask one question after another, and note what was answered."""
    line = os.open(seen, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    table = pv.open_table(file, unit=pv.Row())
    with Ledger(where) as ledger:
        for number in itertools.count():
            question = f"SELECT COUNT(*) AS n FROM stays WHERE days > {number}"
            answer = pv.release(
                question, pv.PureDP(EPSILON), table=table, ledger=ledger, why=f"question {number}"
            )
            said = hashlib.sha256(json.dumps(answer.to_json(), sort_keys=True).encode()).hexdigest()
            os.write(line, f"{number} {said}\n".encode())


@contextlib.contextmanager
def place(store: str, folder: Path) -> Iterator[str]:
    if store == "sqlite":
        yield str(folder / "book.ledger")
        return
    import pgserver

    with tempfile.TemporaryDirectory(prefix="privet-bench-", ignore_cleanup_errors=True) as room:
        server = pgserver.get_server(room)
        try:
            yield f"{server.get_uri()}#once"
        finally:
            server.cleanup()


def wait_for_an_answer(seen: Path) -> None:
    """Until somebody has been answered: kills before that show nothing."""
    there, end = (seen.stat().st_size if seen.exists() else 0), time.monotonic() + 60
    while (seen.stat().st_size if seen.exists() else 0) == there and time.monotonic() < end:
        time.sleep(0.02)


def measure(store: str, kills: int, at_once: int, seed: int) -> dict[str, int | str]:
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="privet-bench-") as room, place(store, Path(room)) as where:
        file, seen = Path(room) / "stays.csv", Path(room) / "seen"
        file.write_text("ward,days\n" + "".join(f"A,{days}\n" for days in range(200)))
        Ledger(where, limit=pv.PureDP(1000), unit=pv.Row()).close()
        done = 0
        while done < kills:
            children = [FORK.Process(target=ask_for_ever, args=(where, file, seen)) for _ in range(at_once)]
            for child in children:
                child.start()
            wait_for_an_answer(seen)
            for child in children:
                time.sleep(rng.uniform(0, 0.2))
                assert child.pid is not None
                os.kill(child.pid, signal.SIGKILL)
                child.join()
                done += 1
        with Ledger(where) as ledger:
            ledger.verify()
            spends = Counter(entry.body["question"] for entry in ledger.history() if entry.kind == "spend")
            again = sum(one.code == "drawn-again" for one in ledger.incidents())
        answers: dict[str, set[str]] = {}
        for line in seen.read_text().split("\n")[:-1]:
            number, said = line.split()
            answers.setdefault(number, set()).add(said)
    return {
        "store": store,
        "kills": done,
        "questions": len(spends),
        "answered": len(answers),
        "booked_twice": sum(count > 1 for count in spends.values()),
        "answered_twice": sum(len(said) > 1 for said in answers.values()),
        "drawn_again": again,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=100, help="on each store")
    parser.add_argument("--at-once", type=int, default=3, help="processes that ask at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", choices=STORES, action="append", help="only this store")
    given = parser.parse_args()
    for heavy in ("ibis", "duckdb", "opendp.prelude", "privet.protect.query", "sqlglot"):
        importlib.import_module(heavy)  # once, and not in each process
    rows = [measure(store, given.kills, given.at_once, given.seed) for store in given.store or STORES]
    for row in rows:
        print(
            f"{row['store']}: {row['kills']} kills, {row['questions']} questions, {row['answered']} answered; "
            f"booked twice: {row['booked_twice']}, answered in two ways: {row['answered_twice']}, "
            f"drawn again at no cost: {row['drawn_again']}"
        )
    print(json.dumps({"bench": "exactly_once", "rows": rows}, indent=2))
    if any(row["booked_twice"] or row["answered_twice"] for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

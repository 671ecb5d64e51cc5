"""Four processes at once over one file and one ledger, compared with one that does it all; and what a copy of a process is told."""

import faulthandler
import json
import multiprocessing
import os
import pickle
import sys
import tempfile
from pathlib import Path

import at_once

import privet as pv
from privet.errors import AnotherProcess

VERBS = ["counts", "sql", "batch", "audit", "anonymize", "explain", "means", "public join"]


def work(folder, ledger, names):
    """In a fresh process: open the file and the ledger, and do some of the work."""
    faulthandler.dump_traceback_later(400, exit=True)
    at_once.without_noise()
    people = at_once.opened(folder / "people.parquet")
    jobs, book = at_once.tasks(people, folder), at_once.ledger_in(folder, ledger)
    return {name: jobs[name](book) for name in names}


def in_child(people, folder):
    """In a forked copy: the parent's table is refused before anything is booked, and a table of its own works."""
    book = at_once.ledger_in(folder, "forked")
    question = people.agg(n=pv.count())
    told = []
    for attempt in (
        lambda: pv.release(question, at_once.PROMISE, ledger=book, why="to compare"),
        lambda: pv.audit(people),
        lambda: pv.anonymize(people, pv.KAnonymity(5), max_suppressed="0.1"),
    ):
        try:
            attempt()
        except AnotherProcess as refusal:
            told.append(refusal.code)
    anew = at_once.opened(at_once.rows()).agg(n=pv.count())
    count = pv.release(anew, at_once.PROMISE, ledger=book, why="to compare")["n"]
    return told, count, book.balance().spends


def forked(people, folder):
    """What a forked child says, and how it ends: by itself, as a program does."""
    reading, writing = os.pipe()
    faulthandler.cancel_dump_traceback_later()  # a child would wait for the thread that keeps the time
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(120, exit=True)
        with os.fdopen(writing, "w") as back:
            json.dump(in_child(people, folder), back)
        sys.exit(0)
    faulthandler.dump_traceback_later(200, exit=True)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    return said and json.loads(said), os.waitpid(child, 0)[1]


def main():
    at_once.without_noise()
    faults = []
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        people = at_once.opened(at_once.in_parquet(folder))
        with multiprocessing.get_context("spawn").Pool(4) as pool:
            shares = [(folder, "shared", VERBS[at::4]) for at in range(4)]
            found = {name: made for part in pool.starmap(work, shares) for name, made in part.items()}
        jobs, alone = at_once.tasks(people, folder), at_once.ledger_in(folder, "alone")
        for name in VERBS:
            if found[name] != jobs[name](alone):
                faults.append(name)
        if at_once.ledger_in(folder, "shared").balance().spent != alone.balance().spent:
            faults.append("ledger")
        try:
            pickle.dumps(people)
            faults.append("pickled")
        except AnotherProcess:
            pass
        if hasattr(os, "fork"):
            said, ended = forked(people, folder)
            if said != [["E-ENGINE-008"] * 3, [at_once.ROWS], 1] or ended:
                faults.append(f"forked: {said}, {ended}")
    print(json.dumps({"faults": faults}))


if __name__ == "__main__":
    faulthandler.dump_traceback_later(400, exit=True)
    main()

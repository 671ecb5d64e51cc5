"""What threads do at once with one shared table, compared with one thread that does it all: run in a process of its own.

    python at_once.py SOURCE... [--rounds 5] [--only counts sql] [--patience 300]

Noise is patched away and training has a fixed seed, so that what is given must be equal. The source "else" stands for the
verbs that ask no table. A freeze ends the process and shows where its threads stand.
"""

import argparse
import datetime
import faulthandler
import json
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

import privet as pv
from privet.mechanism import _opendp_samplers as sampling

ROWS = 400
ROLES = {"id": "direct", "sex": "quasi", "age": "quasi", "ward": "insensitive", "cause": "sensitive"}
WARDS = ["A", "B", "C"]
PROMISE = pv.PureDP("0.5")


def rows(number=ROWS):
    """One row for each person; nothing about them is random."""
    at = np.arange(number)
    return pa.table(
        {
            "id": at,
            "ward": [WARDS[i % 7 % 3] for i in at],
            "sex": ["f" if i % 2 else "m" for i in at],
            "age": 20 + at * 7 % 60,
            "days": at * 11 % 31,
            "cause": [f"c{i % 5}" for i in at],
            "back": at * 13 % 5 == 0,
        }
    )


def in_memory(_):
    return rows()


def in_pandas(_):
    return rows().to_pandas()


def in_parquet(folder):
    from pyarrow import parquet

    parquet.write_table(rows(), folder / "people.parquet")
    return folder / "people.parquet"


def in_csv(folder):
    from pyarrow import csv

    csv.write_csv(rows(), folder / "people.csv")
    return folder / "people.csv"


def in_duckdb(folder):
    import duckdb

    people = rows()
    with duckdb.connect(folder / "people.duckdb") as database:
        database.register("frame", people)
        database.execute("CREATE TABLE people AS SELECT * FROM frame")
    return folder / "people.duckdb"


def in_sqlite(folder):
    import sqlite3

    people = rows()
    columns = "id INTEGER, ward TEXT, sex TEXT, age INTEGER, days INTEGER, cause TEXT, back BOOLEAN"
    database = sqlite3.connect(folder / "people.sqlite")
    database.execute(f"CREATE TABLE people ({columns})")
    database.executemany(
        f"INSERT INTO people VALUES ({', '.join('?' * 7)})",
        (tuple(row.values()) for row in people.to_pylist()),
    )
    database.commit()
    database.close()
    return folder / "people.sqlite"


def in_ibis(_):
    """Over a connection of the caller's."""
    import ibis

    return ibis.duckdb.connect().create_table("people", rows())


def in_postgres(folder):
    import pgserver
    import psycopg

    server = pgserver.get_server(folder / "postgres")
    address = server.get_uri()
    with psycopg.connect(address) as connection:
        connection.execute(
            "CREATE TABLE people (id bigint, ward text, sex text, age bigint, days bigint, cause text, back boolean)"
        )
        with connection.cursor().copy("COPY people FROM STDIN") as copy:
            for row in rows().to_pylist():
                copy.write_row(tuple(row.values()))
    return f"{address}#public.people"


def in_spark(_):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "1g",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate().createDataFrame(rows())


SOURCES = {
    "arrow": in_memory,
    "pandas": in_pandas,
    "parquet": in_parquet,
    "csv": in_csv,
    "duckdb": in_duckdb,
    "sqlite": in_sqlite,
    "ibis": in_ibis,
    "postgres": in_postgres,
    "spark": in_spark,
}


def opened(thing):
    return pv.open_table(
        thing,
        unit=pv.Person("id", max_rows=1),
        roles=ROLES,
        keys={"ward": WARDS, "sex": ["f", "m"], "back": [False, True]},
        bounds={"days": (0, 30), "age": (0, 100)},
        name="people",
    )


def told(answer):
    """What an answer says, apart from its receipt."""
    return answer.keys, [(one.name, one.values) for one in answer.answers]


def tasks(people, folder):
    """Every verb that asks a table, by name: what it does with a ledger, and gives to be compared."""
    first = people.group_by("ward").agg(n=pv.count(), days=pv.sum("days"))
    second = people.where(pv.col("age") > 40).group_by("sex").agg(n=pv.persons(), days=pv.mean("days"))
    wards = pv.open_public(pa.table({"ward": WARDS, "floor": [1, 2, 2]}), name="wards")
    joined = people.join(wards, on="ward").group_by("floor").agg(n=pv.count())
    found_keys = people.group_by("cause").agg(n=pv.count())
    spread = people.group_by("sex").agg(middle=pv.median("age"))
    spine = pv.spine(
        people,
        levels=["ward"],
        cells=["sex"],
        leaves=pv.KeySet([(ward,) for ward in WARDS]),
        keys={"sex": ["f", "m"]},
    )
    sql = "SELECT ward, COUNT(*) AS n, AVG(days) AS days FROM people WHERE age < 60 GROUP BY ward"

    def ask(question, promise=PROMISE, **more):
        def asked(ledger):
            answer = pv.release(question, promise, ledger=ledger, why="to compare", **more)
            return [told(each) for each in answer] if isinstance(answer, tuple) else told(answer)

        return asked

    def counted(ledger):
        released = pv.release(spine, pv.ApproxDP(1, "1e-6"), ledger=ledger, why="to compare")
        return [(level.name, np.asarray(level.counts).tolist()) for level in released.levels]

    def anonymized(_):
        safe = pv.anonymize(people, pv.KAnonymity(5), max_suppressed="0.1")
        written = safe.held.sort_by([(name, "ascending") for name in safe.held.column_names])
        return written.to_pylist()

    def trained(ledger):
        columns = ["age", "days", "ward", "sex"]
        model = pv.train(
            people,
            pv.ApproxDP(2, "1e-6"),
            target="back",
            ledger=ledger,
            records=ROWS,
            columns=columns,
            why="to compare",
        )
        return {name: weights.shape for name, weights in model.fitted.weights.items()}

    return {
        "counts": ask(first),
        "means": ask(second),
        "sql": ask(sql, table=people),
        "batch": ask([people.agg(n=pv.count()), second]),
        "public join": ask(joined),
        "found keys": ask(found_keys, pv.ApproxDP(1, "1e-6")),
        "bins": ask(spread),
        "spine": counted,
        "explain": lambda _: str(pv.explain(first, PROMISE)),
        "audit": lambda _: pv.audit(people).to_json(),
        "anonymize": anonymized,
        "train": trained,
    }


def released_figures(folder):
    """A mobility report, which asks a table of its own."""
    from privet import examples

    visits = pv.open_table(examples.visits(people=60, days=8), unit=pv.Person("user_day"), name="visits")
    days = [datetime.date(2020, 1, 6) + datetime.timedelta(days=at) for at in range(8)]
    report = pv.mobility(
        visits,
        levels=("country",),
        regions={"country": {"Example": 1e6}},
        categories=("grocery", "parks"),
        days=days,
        baseline=days[:7],
    )

    def asked(ledger):
        released = pv.release(report, pv.PureDP(report.epsilon), ledger=ledger, why="to compare")
        return [(one.day, one.category, one.change, one.low, one.high) for one in released.changes]

    return asked


def network(_):
    """Torch's one generator feeds the dropout of every network that is trained at the same time."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)
    features = torch.randn(80, 4)
    labels = (features[:, 0] > 0).long()
    weights = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Tanh(), nn.Linear(8, 2)).state_dict()

    def fresh():
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Tanh(), nn.Linear(8, 2))
        model.load_state_dict(weights)
        return model

    plan = pv.train.plan(fresh(), pv.ApproxDP(3, "1e-3"), records=80, batch=80, steps=8, clipping=1.0)

    def trained(ledger):
        done = pv.train_model(fresh(), (features, labels), plan, ledger=ledger, why="to compare")
        return {name: value.tolist() for name, value in done.weights().items()}

    return trained


def attacked(_):
    people = rows(240).select(["ward", "sex", "age", "days"])

    def found(_):
        report = pv.attack(
            people.slice(0, 120),
            members=people.slice(0, 120),
            control=people.slice(120),
            attacks=["exact-match", "distance-to-closest"],
        )
        return [estimate.sentence() for estimate in report]

    return found


def pseudonyms(folder):
    """The first to come makes the vault; all find the same tokens in it."""
    people, keys = opened(rows(40)), pv.KeyRing.fresh()

    def renamed(_):
        vault = pv.Vault(folder / "people.vault", keys)
        made = pv.pseudonymize(people, "sex", keys=keys, dataset="d", method="vault", vault=vault)
        return made.to_arrow()["sex"].to_pylist()

    return renamed


def compared(folder):
    """A sweep over the strengths of protections, which asks every verb in turn."""
    people = pv.open_table(
        in_parquet(folder), unit=pv.Person("id", max_rows=1), roles={**ROLES, "back": "sensitive"}
    )
    sweep = pv.Sweep(k=(5,), k_all=(), l=None, epsilon=(2,), repeats=2)

    def points(_):
        found = pv.tradeoff(people, target="back", sweep=sweep, standing="surrogate")
        return [point.label for point in found.points]

    return points


def tasks_besides(folder):
    """Verbs that ask no shared table, each several times at once."""
    made = {
        "network": network(folder),
        "attack": attacked(folder),
        "pseudonymize": pseudonyms(folder),
        "mobility": released_figures(folder),
        "tradeoff": compared(folder),
    }
    return {f"{name} {number}": job for name, job in made.items() for number in range(3)}


def without_noise():
    """Draws become nothing at all, so that what differs is not chance."""
    from privet.mechanism._secret_seed import SecretSeed

    SecretSeed.fresh = classmethod(lambda cls: cls._of(bytes(32)))
    for name in ("draw_discrete_laplace", "draw_discrete_gaussian"):
        setattr(sampling, name, lambda n, _: np.zeros(n, np.int64))
    sampling.draw_noisy_max = lambda scores, *_: int(scores.argmax())


def ledger_in(folder, *names):
    return pv.Ledger(folder / f"{''.join(names)}.ledger", limit=pv.ApproxDP(1000, "0.1"))


def kind(name):
    """The verb of a job, without its number."""
    return name.rstrip(" 0123456789")


def together(jobs):
    """Every job in a thread of its own, all begun at once: what each gives, or its error."""
    found, start = {}, threading.Barrier(len(jobs))

    def work(name, job):
        start.wait()
        try:
            found[name] = job()
        except Exception as error:  # noqa: BLE001  whatever it is, it is told
            found[name] = f"{type(error).__name__}: {error}"

    threads = [threading.Thread(target=work, args=pair) for pair in jobs.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def compare(source, rounds, chosen):
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        asks_table = source in SOURCES
        jobs = tasks(opened(SOURCES[source](folder)), folder) if asks_table else tasks_besides(folder)
        jobs = {name: job for name, job in jobs.items() if not chosen or kind(name) in chosen}

        def books(called):
            """One ledger for all questions to a table; without one, units differ."""
            return {what: ledger_in(folder, called, "" if asks_table else what) for what in map(kind, jobs)}

        began, found, shared = time.perf_counter(), [], []
        for number in range(rounds):  # first of all, while nothing is loaded or remembered yet
            book = books(f"shared{number}")
            found.append(together({name: partial(job, book[kind(name)]) for name, job in jobs.items()}))
            shared.append(next(iter(book.values())).balance().spent)
        after, alone = time.perf_counter(), books("alone")
        wanted = {name: job(alone[kind(name)]) for name, job in jobs.items()}
        faults = [
            (name, str(each[name])[:500]) for each in found for name in jobs if each[name] != wanted[name]
        ]
        if asks_table:
            spent = next(iter(alone.values())).balance().spent
            faults += [("ledger", f"{each}") for each in shared if each != spent]
        times = {"together": (after - began) / rounds, "alone": time.perf_counter() - after}
    return {"source": source, "faults": faults, **times}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", nargs="+", choices=[*SOURCES, "else"])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--patience", type=float, default=300)
    parser.add_argument("--only", nargs="*", default=[])
    asked = parser.parse_args()
    without_noise()
    bad = False
    for source in asked.sources:
        faulthandler.dump_traceback_later(asked.patience, exit=True)
        found = compare(source, asked.rounds, asked.only)
        bad |= bool(found["faults"])
        print(json.dumps(found), flush=True)
    sys.exit(bad)


if __name__ == "__main__":
    main()

"""How many durable spends a second a ledger takes, and whether that depends on how many it already holds.

Each measured spend is a full `charge`: priced, admitted against two budgets, chained, and on disk before the permit.
For each number of entries held, spends alternate between that ledger and a fresh one, so that both see the same
disk at the same time; the ratio of the medians is the figure that matters. Because waiting for the disk hides the
work, the same is measured once more without waiting. For PostgreSQL, round trips are counted on the wire, and spends
are timed once more with a server that is 10 ms away. Run from the repository:

    python -m bench.ledger                    a table, then one JSON document
    python -m bench.ledger --held 0 1000      other numbers of entries
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Opaque,
    Repeated,
)
from privet.guarantee._privacy_units import Person
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger

HELD = [0, 1_000, 10_000]
SPENDS = 200
STORES = ("sqlite", "postgres")


def events() -> Iterator[Event]:
    """Events of many kinds, no two alike, so that nothing can be remembered from one to the next."""
    for i in itertools.count(1):
        yield DiscreteLaplace(10**6 + i, 1 + i % 5)
        yield DiscreteGaussian(10**4 + i, 1 + i % 3, 1 + i % 4)
        yield Exponential(Fraction(1, 10**5 + i))
        yield Opaque(Fraction(1, 10**5 + i), Fraction(1, 10**15 + i))
        yield Composed([DiscreteLaplace(10**7 + i), DiscreteGaussian(10**5 + i)])
        yield Repeated(DiscreteLaplace(10**7 + i), 1 + i % 9)


def opened(where: str) -> Ledger:
    ledger = Ledger(where, limit=ApproxDP(10**5, "0.01"), unit=Person("id"), accounting="zcdp")
    ledger.open_budget(ApproxDP(10**4, "0.001"), purpose="bench")
    return ledger


def wait_for_disk(ledger: Ledger, store: str, *, waiting: bool) -> None:
    """Switch durability off for filling, and for seeing the work itself behind the disk. No user may do this."""
    statement = {
        "sqlite": f"PRAGMA synchronous = {'FULL' if waiting else 'OFF'}",
        "postgres": f"SET synchronous_commit = {'on' if waiting else 'off'}",
    }[store]
    with ledger._book.store._turn() as connection:  # type: ignore[attr-defined]  # noqa: SLF001
        connection.execute(statement)


def timed(ledger: Ledger, event: Event) -> float:
    start = time.perf_counter()
    ledger.charge(event, why="timed", purpose="bench")
    return time.perf_counter() - start


@contextlib.contextmanager
def places(store: str) -> Iterator[Iterator[str]]:
    """Fresh places for ledgers of one kind."""
    with tempfile.TemporaryDirectory() as folder:
        if store == "sqlite":
            yield (str(Path(folder) / f"{number}.ledger") for number in itertools.count())
            return
        import pgserver

        server = pgserver.get_server(folder)
        try:
            yield (f"{server.get_uri()}#b{number}" for number in itertools.count())
        finally:
            server.cleanup()


def medians(fresh: Ledger, book: Ledger, stream: Iterator[Event], spends: int) -> tuple[float, float]:
    """Median seconds of a spend in each, taking turns and taking turns at going first."""
    times: dict[Ledger, list[float]] = {fresh: [], book: []}
    for number, event in enumerate(itertools.islice(stream, spends)):
        for ledger in (fresh, book) if number % 2 else (book, fresh):
            times[ledger].append(timed(ledger, event))
    return statistics.median(times[fresh]), statistics.median(times[book])


def measure(store: str, held: list[int], spends: int) -> list[dict[str, float | int | str]]:
    rows: list[dict[str, float | int | str]] = []
    with places(store) as place:
        stream, book, there = events(), opened(next(place)), 0
        for count in held:
            wait_for_disk(book, store, waiting=False)
            for event in itertools.islice(stream, max(0, count - there)):
                book.charge(event, why="fill", purpose="bench")
            with opened(next(place)) as fresh:
                wait_for_disk(book, store, waiting=True)
                first, later = medians(fresh, book, stream, spends)
                for ledger in (fresh, book):
                    wait_for_disk(ledger, store, waiting=False)
                work_first, work_later = medians(fresh, book, stream, spends)
            there = max(there, count) + 2 * spends
            rows.append(
                {
                    "store": store,
                    "held": count,
                    "milliseconds": round(later * 1e3, 3),
                    "per_second": round(1 / later, 1),
                    "ratio_to_empty": round(later / first, 3),
                    "work_milliseconds": round(work_later * 1e3, 3),
                    "work_ratio_to_empty": round(work_later / work_first, 3),
                }
            )
        book.close()
    return rows


def far_away(spends: int, *, delay: float = 0.01) -> dict[str, float]:
    """Round trips of one spend, and spends a second, with a server that is so many seconds away."""
    import pgserver
    from tests.ledger.wire import wire

    with tempfile.TemporaryDirectory(prefix="privet-bench-", ignore_cleanup_errors=True) as folder:
        server = pgserver.get_server(folder)
        try:
            with wire(server.get_uri(), delay) as line, opened(f"{line.address}#far") as ledger:
                stream = events()
                timed(ledger, next(stream))
                before, times = (
                    line.round_trips,
                    [timed(ledger, event) for event in itertools.islice(stream, spends)],
                )
                return {
                    "milliseconds_away": delay * 1e3,
                    "round_trips": round((line.round_trips - before) / spends, 2),
                    "per_second": round(1 / statistics.median(times), 1),
                }
        finally:
            server.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--held", type=int, nargs="+", default=HELD, help="entries held when measuring")
    parser.add_argument("--spends", type=int, default=SPENDS, help="spends timed at each number")
    parser.add_argument("--store", choices=STORES, action="append", help="only this store")
    given = parser.parse_args()
    rows = [
        row for store in given.store or STORES for row in measure(store, sorted(given.held), given.spends)
    ]
    print(f"{'store':<10}{'held':>8}{'ms':>9}{'spends/s':>10}{'ratio':>8}{'ms without disk':>17}{'ratio':>8}")
    for row in rows:
        cells = (
            f"{row['store']:<10}",
            f"{row['held']:>8}",
            f"{row['milliseconds']:>9}",
            f"{row['per_second']:>10}",
            f"{row['ratio_to_empty']:>8}",
            f"{row['work_milliseconds']:>17}",
            f"{row['work_ratio_to_empty']:>8}",
        )
        print("".join(cells))
    far = far_away(min(given.spends, 50)) if "postgres" in (given.store or STORES) else None
    if far is not None:
        print(
            f"a server {far['milliseconds_away']:g} ms away: {far['round_trips']:g} round trips a spend, {far['per_second']:g} spends/s"
        )
    print(json.dumps({"bench": "ledger", "spends": given.spends, "rows": rows, "far": far}, indent=2))


if __name__ == "__main__":
    main()

"""PAC privacy: 128 worlds in one pass against 128 scans, a Python function on all cores, and the best attacker against its bound.

Each contender of the first part runs in a process of its own on the same Parquet file, once on ten rows so that libraries are
loaded, and reports CPU seconds (of its children too) and peak memory.
The scans are as plain as can be: one statement for each world, with the engine's own hash and no bound on anybody. Run it with
`python -m bench.pac [--rows 10000000] [--releases 10000]`. It fails where one pass costs more than an eighth of the scans, where
memory grows with the rows, or where the attacker beats the bound that is promised.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEOPLE, UPPER, WORLDS = 100_000, 200, 128
MEMORY = "800MB"
LEAST_RATIO, MOST_GROWTH = 8.0, 1.5
SCAN = """SELECT count(*), sum(w), avg(w) FROM (SELECT u, least(greatest(v, 0), {upper}) AS w FROM read_parquet('{path}'))
WHERE (hash(u) >> {bit}) & 1 = {side}"""


def generate(path: Path, rows: int) -> None:
    """Rows of 100,000 people with one value each."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(1)
    people = draw.integers(0, PEOPLE, rows)
    pq.write_table(pa.table({"u": people, "v": draw.lognormal(3, 1, rows)}), path)


def one_pass(path: str, unit: str) -> None:
    """The whole way: open, plan, book, add up all worlds, noise."""
    import privet as pv

    whose = pv.Row() if unit == "row" else pv.Person("u", max_rows=200)
    table = pv.open_table(
        path, unit=whose, bounds={"v": (0, UPPER)}, speed=pv.Speed(memory_limit=MEMORY, threads=2)
    )
    ledger = pv.Ledger.in_memory(limit=pv.PacPrivacy(1))
    question = table.agg(n=pv.count(), total=pv.sum("v"), mean=pv.mean("v"))
    pv.release(question, pv.PacPrivacy("1/16"), ledger=ledger, why="bench", worlds=WORLDS)


def scans(path: str) -> None:
    """One plain statement for each world."""
    import duckdb

    connection = duckdb.connect(config={"memory_limit": MEMORY, "threads": 2})
    for world in range(WORLDS):
        text = SCAN.format(path=path, bit=world // 2, side=world % 2, upper=UPPER)
        connection.sql(text).fetchall()


def measured(what: str, path: Path) -> dict[str, float]:
    """CPU seconds and peak memory of a contender in a process of its own."""
    words = [sys.executable, "-m", "bench.pac", "--contender", what, "--path", str(path)]
    found = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True, env=os.environ)
    return dict(json.loads(found.stdout.splitlines()[-1]))


def contend(what: str, path: str) -> None:
    """Run one contender and report."""
    with tempfile.TemporaryDirectory() as room:
        tiny = Path(room) / "tiny.parquet"
        generate(tiny, 10)
        run(what, str(tiny))
    before = cpu_seconds()
    run(what, path)
    print(json.dumps({"cpu_s": cpu_seconds() - before, "peak_mb": peak_megabytes()}))


def run(what: str, path: str) -> None:
    """One contender's work."""
    if what == "scans":
        scans(path)
    else:
        one_pass(path, what.partition(" ")[2])


def cpu_seconds() -> float:
    """Of this process and of those it has started."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def peak_megabytes() -> float:
    """The most memory that this very process has held; what it was forked from does not count."""
    said = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text("utf-8"))
    return int(said[1]) / 1024 if said else math.nan


def passes(rows: int) -> list[str]:
    """One pass beside the scans, and its memory at a tenth of the rows."""
    faults = []
    with tempfile.TemporaryDirectory() as room:
        large, small = Path(room) / "large.parquet", Path(room) / "small.parquet"
        generate(large, rows)
        generate(small, rows // 10)
        slow = measured("scans", large)
        print(f"{rows:,} rows, {WORLDS} worlds of count, sum and mean")
        print(f"  {WORLDS} scans: {slow['cpu_s']:.1f} s CPU, {slow['peak_mb']:.0f} MB")
        for unit in ("row", "person"):
            fast, less = measured(f"pass {unit}", large), measured(f"pass {unit}", small)
            ratio, growth = slow["cpu_s"] / fast["cpu_s"], fast["peak_mb"] / less["peak_mb"]
            print(
                f"  one pass by {unit}: {fast['cpu_s']:.1f} s CPU ({ratio:.1f}x less), {fast['peak_mb']:.0f} MB "
                f"({growth:.2f}x that of {rows // 10:,} rows)"
            )
            faults += [f"one pass by {unit} is only {ratio:.1f}x cheaper"] * (ratio < LEAST_RATIO)
            faults += [f"memory by {unit} grows with the rows, {growth:.2f}x"] * (growth > MOST_GROWTH)
    return faults


def busy(rows: object) -> float:
    """Something that takes a while in plain Python."""
    total = 0.0
    for value in rows[:, 0].tolist() * 6:  # type: ignore[index]
        total += math.sin(value)
    return total


def cores() -> list[str]:
    """A Python function on 64 worlds: how many cores are at work."""
    import numpy as np
    import pyarrow as pa

    import privet as pv

    rows = pa.table({"u": np.arange(60_000), "v": np.random.default_rng(2).random(60_000)})
    table = pv.open_table(rows, unit=pv.Person("u", max_rows=1), bounds={"v": (0, 1)})
    ledger = pv.Ledger.in_memory(limit=pv.PacPrivacy(1))
    spent = []
    for processes in (1, os.cpu_count() or 1):
        began, before = time.monotonic(), time.process_time()
        asked = table.apply(busy, ["v"])
        pv.release(
            asked,
            pv.PacPrivacy("1/16"),
            ledger=ledger,
            why="bench",
            worlds=64,
            processes=processes,
            again=True,
        )
        spent.append(time.monotonic() - began)
        print(
            f"  {processes} processes: {spent[-1]:.1f} s, of which {time.process_time() - before:.1f} s CPU here"
        )
    print(f"  all cores: {spent[0] / spent[1]:.2f}x faster on {os.cpu_count()} cores")
    return []


def worlds_of_an_outlier(worlds: int = 64, records: int = 40) -> tuple[object, object]:
    """The mean of each half of some records, one of which stands out, and in which worlds that one is."""
    import numpy as np

    draw = np.random.default_rng(4)
    inside = np.empty((worlds, records), bool)
    inside[0::2] = draw.random((worlds // 2, records)) < 0.5
    inside[1::2] = ~inside[0::2]
    values = draw.normal(0, 1, records)
    values[0] = 100
    return inside @ values / np.maximum(inside.sum(axis=1), 1), inside[:, 0]


def successes(nats: str, releases: int, noise: float) -> tuple[float, float]:
    """How often the best attacker names the outlier's membership, and the world, from releases with this share of the noise."""
    import numpy as np

    import privet as pv
    from privet.guarantee import PacRelease, Repeated
    from privet.mechanism import SecretWorld, pac_gaussian
    from privet.mechanism import _pac_gaussian as drawing
    from privet.sealed import OutputGrid, SealedWorlds

    means, member = worlds_of_an_outlier()
    exact = OutputGrid.alike(-200, 200, 1).encode(np.asarray(means)[:, None])
    outputs = SealedWorlds(exact)
    ledger = pv.Ledger.in_memory(limit=pv.PacPrivacy(10**6), unit=pv.Row())
    permits = ledger.charge(Repeated(PacRelease(nats), releases), why="bench").parts()
    # The outputs and the level prior are the same each time, and so is the noise's scale: it is computed once.
    enough = drawing._sigma  # noqa: SLF001
    scale = functools.cache(
        lambda nats, balanced: enough(exact, np.full(64, 1 / 64), nats, balanced=balanced)
    )
    drawing._sigma = lambda *given, balanced: noise * scale(given[2], balanced)  # noqa: SLF001
    hits = {"member": 0, "world": 0}
    try:
        for permit in permits:
            secret = SecretWorld.fresh(outputs.worlds)
            _, after = pac_gaussian(outputs, secret, permit)
            drawn = secret._index  # noqa: SLF001
            weights = after.weights()
            said = bool(weights @ np.asarray(member) >= 0.5)
            hits["member"] += said == bool(np.asarray(member)[drawn])
            hits["world"] += int(weights.argmax()) == drawn
    finally:
        drawing._sigma = enough  # noqa: SLF001
    return hits["member"] / releases, hits["world"] / releases


def attacked(releases: int) -> list[str]:
    """The best attacker on an outlier's membership and on the world: within the bound, and beyond it with half the noise."""
    import privet as pv

    faults = []
    for nats in ("1/128", "1/16", "1/4"):
        bound, of_world = pv.PacPrivacy(nats).posterior(), pv.PacPrivacy(nats).posterior(1 / 64)
        for share in (1.0, 0.5):
            member, world = successes(nats, releases, share)
            error = 3 * math.sqrt(bound * (1 - bound) / releases)
            print(
                f"  {nats} nats, {share:.0%} of the noise: membership {member:.2%} (bound {bound:.2%} ± {error:.2%}), "
                f"world {world:.2%} (bound {of_world:.2%})"
            )
            if share == 1 and (member > bound + error or world > of_world + error):
                faults.append(f"the attacker beats the bound at {nats} nats")
            if share < 1 and member <= bound + error:
                faults.append(f"half of the noise at {nats} nats is not noticed")
    return faults


def main() -> None:
    """All parts, or one contender."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--rows", type=int, default=10_000_000)
    words.add_argument("--releases", type=int, default=10_000)
    words.add_argument("--contender")
    words.add_argument("--path", default="")
    said = words.parse_args()
    if said.contender:
        contend(said.contender, said.path)
        return
    faults = passes(said.rows)
    print("a Python function on 64 worlds")
    faults += cores()
    print(f"the best attacker, {said.releases:,} releases")
    faults += attacked(said.releases)
    if faults:
        raise SystemExit("; ".join(faults))


if __name__ == "__main__":
    main()

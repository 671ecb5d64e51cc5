"""Collections against pure-ldp and multi-freq-ldpy: CPU seconds to randomise and to estimate, memory, and words found.

Each contender runs in a process of its own, one after the other: the peers in environments with the libraries of their
time, since they fail with today's. Values follow Zipf's law over 1,024 categories at epsilon 4. The peers get as many people as
take about half a minute; their seconds are scaled to `--people`, the fixed part apart. Ours reads 64 bits of cryptographic
randomness for each probability; the peers use floats of a generator that can be predicted. Fast local hashing is compared
with the peers' local hashing, whose place it takes, and with their own fast one. `--words` and `--memory` run by themselves:
recall of prefix extension (`pem`) or of joined fragments (`sfp`) over words of an invented language (words are drawn without
any list), and the peak memory of many reports. Run it with `python -m bench.collect [--people 1000000]`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.groupby import ROOT, peer_python

SIZE, EPSILON = 1024, 4
OLD = ("numpy<2", "xxhash<4")
PURE = ("pure-ldp==1.2.0", *OLD, "scikit-learn", "statsmodels", "bitarray")
MULTI = ("multi-freq-ldpy==0.2.5", *OLD)
# How many people the peers get.
PEERS = {"olh": 3_000, "flh": 100_000, "oue": 30_000, "cms": 50_000}
ORACLES = tuple(PEERS)


def ours(oracle: str, people: int) -> dict[str, Any]:
    """The whole way: values to a table of reports, and reports to an answer with intervals."""
    import resource
    import time

    import numpy as np
    import pyarrow as pa

    import privet as pv
    from privet.mechanism import WordStream

    weights = 1 / np.arange(1, SIZE + 1)
    values = np.random.default_rng(1).choice(SIZE, people, p=weights / weights.sum())
    spec = pv.Collection("bench", pv.OneOf(list(range(SIZE))), pv.LocalDP(EPSILON), oracle)
    # Libraries are loaded before the clock runs, as the peers' are.
    pv.estimate(spec.randomize([1, 2, 3]), spec)
    WordStream.fresh()
    column = pa.array(values)
    start = time.process_time()
    reports = spec.randomize(column)
    encoding = time.process_time() - start
    start = time.process_time()
    answer = pv.estimate(reports, spec)
    estimating = time.process_time() - start
    found, true = np.array(answer["count"]), np.bincount(values, minlength=SIZE)
    low, high = np.array(answer.error("count")).T
    return {
        "fixed": 0.0,
        "encode": encoding,
        "estimate": estimating,
        "people": people,
        "error": float(np.sqrt(((found - true) ** 2).mean())),
        "covered": float(((low <= true) & (true <= high)).mean()),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def memory(people: int) -> dict[str, Any]:
    """Reports written part by part, and then counted from their file."""
    import resource
    import tempfile
    import time

    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import privet as pv

    spec = pv.Collection("bench", pv.OneOf(list(range(SIZE))), pv.LocalDP(EPSILON), "olh")
    draw = np.random.default_rng(1)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as room:
        place, writer = Path(room) / "reports.parquet", None
        for at in range(0, people, 1_000_000):
            table = spec.randomize(pa.array(draw.integers(0, SIZE, min(1_000_000, people - at))))
            writer = writer or pq.ParquetWriter(place, table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()
        encoding = time.process_time() - start
        start = time.process_time()
        pv.estimate(place, spec)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"people": people, "encode": encoding, "estimate": time.process_time() - start, "peak_mb": peak}


def words(people: int, epsilon: float, seeds: int, oracle: str) -> dict[str, Any]:
    """Recall of the 10, 50 and 100 most frequent words of 4 to 8 letters, over several collections."""
    import time

    import numpy as np
    import pyarrow as pa

    import privet as pv

    draw = np.random.default_rng(3)
    letters = np.array(list("etaoinshrdlcumwfgypbvkjxqz"))
    chances = 1 / np.arange(1, 27) ** 0.6
    lengths = draw.integers(4, 9, 40_000)
    language = list(
        dict.fromkeys("".join(draw.choice(letters, length, p=chances / chances.sum())) for length in lengths)
    )[:20_000]
    weights = 1 / np.arange(1, len(language) + 1) ** 1.0
    spec = pv.Collection("words", pv.TextOf(8), pv.LocalDP(epsilon), oracle)
    recalls, start = [], time.process_time()
    for seed in range(seeds):
        places = np.random.default_rng(seed).choice(len(language), people, p=weights / weights.sum())
        found = pv.estimate(spec.randomize(pa.array(language).take(pa.array(places))), spec)
        often = np.argsort(-np.bincount(places, minlength=len(language)), kind="stable")
        recalls.append(
            [
                len({language[at] for at in often[:top]} & set(found["word"][:top])) / top
                for top in (10, 50, 100)
            ]
        )
    mean, least = np.mean(recalls, axis=0).tolist(), np.min(recalls, axis=0).tolist()
    return {
        "oracle": oracle,
        "people": people,
        "epsilon": epsilon,
        "recall": dict(zip(("top 10", "top 50", "top 100"), mean, strict=True)),
        "least": dict(zip(("top 10", "top 50", "top 100"), least, strict=True)),
        "cpu_s_each": (time.process_time() - start) / seeds,
    }


def told(command: list[str]) -> dict[str, Any]:
    """What a contender printed last, or why it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def seconds(found: dict[str, Any], people: int) -> float:
    """CPU seconds for so many people."""
    each = (found["encode"] + found["estimate"]) / found["people"]
    return float(found["fixed"] + each * people)


def compared(people: int) -> list[dict[str, Any]]:
    """All oracles, ours and the peers'."""
    peers = Path(ROOT) / "bench" / "peers"
    pure = [peer_python(*PURE), str(peers / "pure_ldp_oracles.py")]
    multi = [peer_python(*MULTI), str(peers / "multi_freq_ldpy_oracles.py")]
    results, baseline = [], None
    for oracle in ORACLES:
        us = told([sys.executable, "-m", "bench.collect", "--contender", oracle, "--people", str(people)])
        line: dict[str, Any] = {"oracle": oracle, "ours_cpu_s": round(seconds(us, people), 3), **us}
        arguments = [oracle, str(PEERS[oracle]), str(SIZE), str(EPSILON)]
        found = {"pure-ldp": told([*pure, *arguments])}
        if oracle in ("olh", "oue"):
            found["multi-freq-ldpy"] = told([*multi, *arguments])
        for name, peer in found.items():
            line[name] = peer.get("failed") or {
                "cpu_s": round(seconds(peer, people), 1),
                "times_ours": round(seconds(peer, people) / seconds(us, people), 1),
            }
        if oracle == "olh" and "failed" not in found["pure-ldp"]:
            baseline = seconds(found["pure-ldp"], people)
        if oracle == "flh" and baseline is not None:
            line["pure-ldp's olh"] = {"times_ours": round(baseline / seconds(us, people), 1)}
        print(json.dumps(line))
        results.append(line)
    return results


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--epsilon", type=float, default=8.0, help="of --words")
    parser.add_argument("--seeds", type=int, default=4, help="collections of --words")
    parser.add_argument("--words", action="store_true", help="recall of words nobody listed, alone")
    parser.add_argument("--oracle", choices=["pem", "sfp"], default="pem", help="of --words")
    parser.add_argument("--memory", action="store_true", help="memory of many reports alone")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        print(json.dumps(ours(given.contender, given.people)))
    elif given.words:
        print(json.dumps(words(given.people, given.epsilon, given.seeds, given.oracle)))
    elif given.memory:
        print(json.dumps(memory(given.people)))
    else:
        print(json.dumps({"people": given.people, "results": compared(given.people)}))


if __name__ == "__main__":
    main()

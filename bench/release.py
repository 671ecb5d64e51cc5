"""Private group-bys against OpenDP-polars and PipelineDP: CPU, memory, and error at equal epsilon, delta and unit.

Each contender answers each question in a process of its own, one after the other, on the same table. Nobody in it
has more rows than the caps allow, so that bounding drops nothing anywhere and what is compared is noise. The error
of an answer is the median over all groups of |released - exact| / |exact|; a group that is not shown, or shown
without a value, counts as an error of 1. One release of a thousand groups leaves that median uncertain by about 5 %:
with `--repeats` it is taken over the groups of so many releases, and CPU and memory are means. The median is asked for
as peers give it, among as many candidates and without an interval; "median with interval" is ours by default, which
spends a tenth of epsilon on what no peer gives. Run it with `python -m bench.release [--rows 10000000] [--repeats 5]`;
PipelineDP, which works on Python rows, takes part up to a million.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.groupby import GROUPS, MEMORY, PER_GROUP, PER_PERSON, ROOT, UPPER, measure, peer_python

WITH_DELTA = "count, sum, mean with delta"
WITH_INTERVAL = "median with interval"
# Question: epsilon, delta.
QUESTIONS = {
    "count, sum, mean": ("1", "0"),
    WITH_DELTA: ("1", "1e-6"),
    "median": ("1", "0"),
    WITH_INTERVAL: ("1", "0"),
    "unknown keys": ("1", "1e-6"),
}
OPENDP, PIPELINE = "opendp[polars]==0.16.0", "pipeline-dp==0.3.1"
MOST_PYTHON_ROWS = 1_000_000


def generate(path: Path, rows: int) -> dict[str, Any]:
    """Persons in exactly five groups each, twice; groups of very different sizes."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(1)
    persons = max(1, rows // (PER_PERSON * PER_GROUP))
    # One group out of each residue class, so that the five are different ones.
    weights = 1 / np.arange(1, GROUPS // PER_PERSON + 1) ** 0.8
    picked = draw.choice(GROUPS // PER_PERSON, (persons, PER_PERSON), p=weights / weights.sum())
    groups = (picked * PER_PERSON + np.arange(PER_PERSON)).repeat(PER_GROUP)
    columns = {
        "u": np.arange(persons).repeat(PER_PERSON * PER_GROUP),
        "g": groups.astype("int32"),
        "v": draw.lognormal(3, 1, len(groups)).clip(0, UPPER),
    }
    order = draw.permutation(len(groups))
    columns = {name: column[order] for name, column in columns.items()}
    pq.write_table(pa.table(columns), path)
    return columns


def truth(columns: dict[str, Any]) -> dict[str, dict[int, float]]:
    """The exact answers, by group."""
    import numpy as np

    order = np.argsort(columns["g"], kind="stable")
    groups, starts = np.unique(columns["g"][order], return_index=True)
    found: dict[str, dict[int, float]] = {name: {} for name in ("n", "total", "mean", "median")}
    for group, values in zip(groups.tolist(), np.split(columns["v"][order], starts[1:]), strict=True):
        found["n"][group] = float(len(values))
        found["total"][group] = float(values.sum())
        found["mean"][group] = float(values.mean())
        found["median"][group] = float(np.median(values))
    return found


def ours(path: str, question: str, out: str) -> int:
    """The whole way: open, plan, book, bound, aggregate, noise, error bars."""
    import privet as pv
    from privet.engine._engine_speed import Speed

    epsilon, delta = QUESTIONS[question]
    promise = pv.ApproxDP(epsilon, delta) if delta != "0" else pv.PureDP(epsilon)
    known = question != "unknown keys"
    table = pv.open_table(
        path,
        unit=pv.Person("u", max_rows=PER_PERSON * PER_GROUP, max_groups=PER_PERSON),
        bounds={"v": (0, UPPER)},
        keys={"g": range(GROUPS)} if known else {},
        speed=Speed(memory_limit=MEMORY, threads=2),
    )
    if question == "median":
        query = table.group_by("g").agg(median=pv.median("v", interval=0))
    elif question == WITH_INTERVAL:
        query = table.group_by("g").agg(median=pv.median("v"))
    else:
        query = table.group_by("g").agg(n=pv.count("v"), total=pv.sum("v"), mean=pv.mean("v"))
    with tempfile.TemporaryDirectory() as room:
        ledger = pv.Ledger(Path(room) / "bench.ledger", limit=promise)
        answer = pv.release(query, promise, ledger=ledger, why="bench")
    answers = {"g": answer["g"], **{one.name: one.values for one in answer.answers}}
    Path(out).write_text(json.dumps(answers), encoding="utf-8")
    return len(answer)


def errors(answers: dict[str, list[Any]], exact: dict[str, dict[int, float]]) -> dict[str, list[float]]:
    """The relative errors of each answer, group by group."""
    found = {}
    for name, by_group in exact.items():
        if name in answers:
            told = dict(zip(answers["g"], answers[name], strict=True))
            found[name] = [
                1.0 if told.get(group) is None else abs(told[group] - value) / abs(value)
                for group, value in by_group.items()
            ]
    return found


def contenders(question: str, path: Path, archive: Path, out: Path, rows: int) -> dict[str, list[str]]:
    """The command of each contender for one question."""
    epsilon, delta = QUESTIONS[question]
    mine = [
        sys.executable,
        "-m",
        "bench.release",
        "--contender",
        question,
        "--path",
        str(path),
        "--out",
        str(out),
    ]
    peers = ROOT / "bench" / "peers"
    asked = ["median" if question == WITH_INTERVAL else question, epsilon, delta, str(out)]
    # With a delta a peer may use either noise, and is measured with both.
    noises = ["laplace", "gaussian"] if question == WITH_DELTA else ["laplace"]
    opendp = [peer_python(OPENDP), str(peers / "opendp_release.py"), str(path), *asked]
    found = {"ours": mine} | {f"opendp polars, {noise}": [*opendp, noise, str(rows)] for noise in noises}
    if rows <= MOST_PYTHON_ROWS:
        pipeline = [peer_python(PIPELINE), str(peers / "pipeline_dp_release.py"), str(archive), *asked]
        found |= {f"pipeline-dp, {noise}": [*pipeline, noise] for noise in noises}
    return found


def repeated(command: list[str], name: str, out: Path, exact: Any, repeats: int) -> dict[str, Any]:
    """One contender's mean cost, and the median error over the groups of all its releases."""
    results, parts = [], []
    for _ in range(repeats):
        out.unlink(missing_ok=True)
        results.append(measure(command, name))
        if "failed" in results[-1] or not out.exists():
            return results[-1]
        parts.append(errors(json.loads(out.read_text(encoding="utf-8")), exact))
    found = {
        what: round(statistics.mean(result[what] for result in results), 2)
        if isinstance(value, int | float)
        else value
        for what, value in results[0].items()
    }
    pooled = {what: statistics.median(error for one in parts for error in one[what]) for what in parts[0]}
    return {**found, "median_error": {what: round(error, 5) for what, error in pooled.items()}}


def compare(
    question: str, path: Path, archive: Path, exact: Any, *, rows: int, repeats: int
) -> list[dict[str, Any]]:
    """Every contender's cost and errors for one question, and its ratios to ours."""
    out = path.parent / "answers.json"
    results = [
        {"question": question, **repeated(command, name, out, exact, repeats)}
        for name, command in contenders(question, path, archive, out, rows).items()
    ]
    us = results[0]
    for result in results[1:]:
        if "median_error" in result and "median_error" in us:
            result["cpu_ours/theirs"] = round(us["cpu_s"] / result["cpu_s"], 3)
            result["memory_ours/theirs"] = round(us["peak_mb"] / result["peak_mb"], 3)
            result["error_ours/theirs"] = {
                name: round(us["median_error"][name] / error, 3) if error else None
                for name, error in result["median_error"].items()
            }
    return results


def main() -> None:
    """Run all contenders and print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--question", choices=list(QUESTIONS), action="append", help="only these")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        import resource

        groups = ours(given.path, given.contender, given.out)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(json.dumps({"groups": groups, "peak_mb": peak}))
        return
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as room:
        path, archive = Path(room) / "table.parquet", Path(room) / "table.npz"
        columns = generate(path, given.rows)
        if given.rows <= MOST_PYTHON_ROWS:
            import numpy as np

            np.savez(archive, **columns)
        exact = truth(columns)
        del columns
        for question in given.question or QUESTIONS:
            for result in compare(question, path, archive, exact, rows=given.rows, repeats=given.repeats):
                print(result, flush=True)
                results.append(result)
    print(json.dumps({"rows": given.rows, "results": results}))


if __name__ == "__main__":
    main()

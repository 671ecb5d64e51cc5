"""Attacks against peers: the same task, CPU seconds beside how far each got.

Every contender runs in a process of its own, one after the other, on one thread and the same file, and reports the CPU
seconds of the attack alone and of the whole process with its imports. A peer lives in an environment of its own under
.bench. Run it with `python -m bench.attack [--only membership]`.

Membership: 64 shadow logistic regressions on 10,000 records with 100 features, half of them members. Ours is LiRA;
adversarial-robustness-toolbox has no LiRA, so its own attack by shadow models stands beside it, with the cheapest and
the usual of its attack classifiers.

Criteria: singling out in one and in three columns, linkability and inference of each column in turn, on 10,000 rows
with 12 columns of which three in ten were copied into the published table; 2,000 guesses each, members against control.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.groupby import ROOT, peer_python

ART = "adversarial-robustness-toolbox==1.20.1"
SHADOWS = 64
ANONYMETER = "anonymeter==1.1.0"
GUESSES = 2_000
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def measure(command: list[str], name: str) -> dict[str, Any]:
    """What a contender says of itself, with the CPU and wall seconds of its whole process."""
    before, start = os.times(), time.monotonic()
    process = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **ONE_THREAD}, cwd=ROOT
    )
    after, wall = os.times(), time.monotonic() - start
    if process.returncode:
        return {"contender": name, "failed": (process.stderr.strip().splitlines() or ["no message"])[-1]}
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    said = json.loads(process.stdout.strip().splitlines()[-1])
    return {"contender": name, **said, "process_cpu_s": round(cpu, 2), "wall_s": round(wall, 1)}


# --- membership -----------------------------------------------------------------------------------------------


def generate_membership(path: Path, rows: int, width: int) -> None:
    """Features of different scales and a noisy label, members first."""
    import numpy as np

    draw = np.random.default_rng(1)
    features = draw.normal(size=(rows, width)) * draw.uniform(0.5, 2, width)
    features *= draw.lognormal(0, 0.5, rows)[:, None]  # some people are far from the others
    labels = (features @ draw.normal(size=width) / np.sqrt(width) + draw.normal(size=rows) > 0).astype(int)
    np.savez(path, features=features, labels=labels)


def our_membership(path: str) -> dict[str, Any]:
    """LiRA by the name that users call it by."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    from privet.attacks._attack_registry import Case, attacks

    given = np.load(path)
    features, labels = given["features"], given["labels"]
    half = len(labels) // 2
    target = LogisticRegression(max_iter=1000).fit(features[:half], labels[:half])
    lira = next(one for one in attacks("model") if one.name == "membership-lira")
    started = time.process_time()
    case = Case(
        members=(features[:half], labels[:half]),
        control=(features[half:], labels[half:]),
        settings={"shadows": SHADOWS},
    )
    found = lira.run(target, case)
    return {
        "attack_cpu_s": round(time.process_time() - started, 2),
        "auc": round(found.success.value, 4),
        "low": round(found.success.low, 4),
        "true_positives_at_1%": round(found.details["true positives"]["1 %"]["value"], 4),
    }


def membership(*, rows: int = 10_000, width: int = 100) -> list[dict[str, Any]]:
    """Ours and the peer with its attack classifiers."""
    peer = peer_python(ART)
    subprocess.run([peer, "-m", "pip", "install", "--quiet", "packaging", "scikit-learn"], check=True)
    script = str(ROOT / "bench" / "peers" / "art_membership.py")
    with tempfile.TemporaryDirectory() as room:
        path = str(Path(room) / "membership.npz")
        generate_membership(Path(path), rows, width)
        found = [
            measure(
                [sys.executable, "-m", "bench.attack", "--contender", "membership", "--path", path], "ours"
            )
        ]
        found += [measure([peer, script, path, str(SHADOWS), kind], f"ART, {kind}") for kind in ("lr", "gb")]
    return ratios(found, "attack_cpu_s")


# --- the three criteria on tables --------------------------------------------------------------------------------


def generate_criteria(room: Path, rows: int) -> None:
    """Twelve columns, half of them numbers; three in ten published rows are copies, the others are fresh."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    def fresh(seed: int) -> pa.Table:
        draw = np.random.default_rng(seed)
        level = draw.normal(size=rows)
        numbers = {
            f"number_{j}": np.round(10 * (draw.normal(size=rows) + level * (j % 3)), 1) for j in range(6)
        }
        kinds = {f"kind_{j}": draw.choice(list("abcdefgh")[: 3 + j], rows) for j in range(6)}
        return pa.table({**numbers, **kinds})

    members = fresh(1)
    copied = members.slice(0, 3 * rows // 10)
    published = pa.concat_tables([copied, fresh(3).slice(0, rows - copied.num_rows)])
    for name, table in (("members", members), ("control", fresh(2)), ("published", published)):
        pq.write_table(table, room / f"{name}.parquet")


def our_criteria(path: str) -> dict[str, Any]:
    """The four attacks by name, one round each."""
    import pyarrow.parquet as pq

    from privet.attacks._attack_registry import Case, attacks

    room = Path(path)
    case = Case(
        members=pq.read_table(room / "members.parquet"),
        control=pq.read_table(room / "control.parquet"),
        settings={"guesses": GUESSES, "repeats": 1},
    )
    published = pq.read_table(room / "published.parquet")
    known = {one.name: one for one in attacks("table")}
    names = {
        "singling-out-univariate": "singling out, univariate",
        "singling-out-multivariate": "singling out, multivariate",
        "linkability": "linkability",
        "inference": "inference",
    }
    said: dict[str, Any] = {}
    total = time.process_time()
    for name, called in names.items():
        started = time.process_time()
        details = known[name].run(published, case).details
        each = list(details.get("risk_by_column", {"": details["risk"]["value"]}).values())
        risk = sum(each) / len(each)
        said[called] = {"cpu_s": round(time.process_time() - started, 2), "risk": round(risk, 3)}
    return {"attack_cpu_s": round(time.process_time() - total, 2), **said}


def criteria(*, rows: int = 10_000) -> list[dict[str, Any]]:
    """Ours and the peer."""
    peer = peer_python(ANONYMETER)
    subprocess.run([peer, "-m", "pip", "install", "--quiet", "pyarrow"], check=True)
    script = str(ROOT / "bench" / "peers" / "anonymeter_criteria.py")
    with tempfile.TemporaryDirectory() as room:
        generate_criteria(Path(room), rows)
        mine = [sys.executable, "-m", "bench.attack", "--contender", "criteria", "--path", room]
        found = [measure(mine, "ours"), measure([peer, script, room, str(GUESSES)], "anonymeter")]
    return ratios(found, "attack_cpu_s")


# --- all -------------------------------------------------------------------------------------------------------

COMPARISONS: dict[str, Callable[[], list[dict[str, Any]]]] = {"membership": membership, "criteria": criteria}
CONTENDERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "membership": our_membership,
    "criteria": our_criteria,
}


def ratios(found: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Each contender's seconds over ours, the first."""
    ours = found[0].get(key)
    return [{**one, "ratio": round(one[key] / ours, 1)} if ours and key in one else one for one in found]


def main() -> None:
    """Run the comparisons and print a line for each contender."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=sorted(COMPARISONS))
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        print(json.dumps(CONTENDERS[given.contender](given.path)))
        return
    for name, compare in COMPARISONS.items():
        if given.only in {None, name}:
            print(name)
            for row in compare():
                print("  " + json.dumps(row))


if __name__ == "__main__":
    main()

"""Accuracy at equal epsilon, delta and unit: ours against DP-EBM (interpret), diffprivlib and Opacus, on several data sets.

Each contender sees the same rows, the same public bounds, scales and values, and the same splits. Peers run in
environments of their own. The hidden unit is one row that is added or removed, as the peers understand their own
guarantees, and the number of rows is public, as the peers take it to be. diffprivlib is pure, so it needs no delta;
of its five models, and of the four settings of Opacus' logistic regression, the one that does best on a data set over
all epsilons is shown, chosen with sight of the scores.

    python -m bench.accuracy [--seeds 10] [--epsilon 0.1 0.5 1 2 4 8] [--set breast digits hospital wine made wide …]
                             [--adult FILE] [--mnist FOLDER] [--german FILE] [--affairs FILE]
                             [--contender ours trees ebm diffprivlib opacus open] [--only-run]

Prints a table for each data set: mean ± standard error over splits of the score (area under the curve for two classes,
accuracy for more), and by how much ours leads the better peer on the same splits. Every fit is one line of
`.bench/accuracy.jsonl`, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench.groupby import peer_python
from bench.sets.tables import BUNDLED, GIVEN, SEEN, TUNED, DataSet

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / ".bench" / "accuracy.jsonl"
EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
FOREIGN = ("logistic-longest", "logistic-half", "logistic-unit", "bayes", "forest")
OPACUS = ("opacus-brief", "opacus-long", "opacus-far", "opacus-calm")
METHODS: dict[str, tuple[str, ...]] = {
    "ours": ("ours",),
    "trees": ("boosted_trees",),  # ours too, where model="boosted_trees" is asked for
    "ebm": ("ebm",),
    "diffprivlib": FOREIGN,
    "opacus": OPACUS,
    "open": ("open-logistic", "open-boosting"),  # without privacy: what there is to be had
}
FLOORS = {
    ("adult", 1.0, "auroc"): 0.90,
    ("breast cancer", 1.0, "accuracy"): 0.92,
    ("digits", 2.0, "accuracy"): 0.90,
}
Job = tuple[str, float, int]  # method, epsilon, seed


# --- what was found is kept ---------------------------------------------------------------------


def how(method: str) -> str:
    """Changes with the code behind a method, so that figures of other code are not taken for its."""
    peers = ROOT / "bench" / "peers"
    train = ROOT / "src" / "privet" / "protect" / "train"
    ours = (
        "tabular/_default_hyperparameters", "tabular/_feature_basis", "tabular/_automatic_choice",
        "_shrunken_centroids", "_standardized_rows", "_spike_slab_posterior", "_spiked_covariance", "_score_calibration",
    )  # fmt: skip
    files = {
        "ours": [train / f"{name}.py" for name in ours],
        "boosted_trees": [train / f"{name}.py" for name in ("_boosted_trees", "_split_proposals")],
        "ebm": [peers / "interpret_boosting.py"],
        **{name: [peers / "diffprivlib_models.py"] for name in FOREIGN},
        **{name: [peers / "opacus_logistic.py"] for name in OPACUS},
    }
    found = files.get(method, [])
    return hashlib.sha256(b"".join(path.read_bytes() for path in found)).hexdigest()[:12]


def kept() -> list[dict[str, Any]]:
    """All lines so far."""
    return [json.loads(line) for line in KEPT.read_text("utf-8").splitlines()] if KEPT.exists() else []


def keep(data: DataSet, job: Job, shares: np.ndarray, seconds: float) -> None:
    """One line more."""
    method, epsilon, seed = job
    line = {
        "set": data.name,
        "rows": len(data),
        "method": method,
        "how": how(method),
        "epsilon": epsilon,
        "seed": seed,
        "seconds": round(seconds, 3),
        **scores(shares, data.wanted()[data.split(seed)[1]]),
    }
    KEPT.parent.mkdir(exist_ok=True)
    with KEPT.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def scores(shares: np.ndarray, wanted: np.ndarray) -> dict[str, float]:
    """The area under the curve for two classes, accuracy and log-loss."""
    from sklearn.metrics import log_loss, roc_auc_score

    shares = np.clip(np.nan_to_num(shares), 1e-12, 1)
    shares = shares / shares.sum(axis=1, keepdims=True)
    found = {"accuracy": float((shares.argmax(axis=1) == wanted).mean())}
    found["log_loss"] = float(log_loss(wanted, shares, labels=list(range(shares.shape[1]))))
    if shares.shape[1] == 2:
        found["auroc"] = float(roc_auc_score(wanted, shares[:, 1]))
    return found


# --- contenders ---------------------------------------------------------------------------------


def ours(data: DataSet, job: Job) -> np.ndarray:
    """`pv.train` as anybody calls it, or with the learner that is named; the number of rows public as it is for the peers."""
    import pyarrow as pa

    import privet as pv

    train, test = data.split(job[2])
    rows = pa.table({name: pa.array(values) for name, values in data.columns.items()})
    promise = pv.ApproxDP(job[1], data.delta)
    with tempfile.TemporaryDirectory() as room, pv.Ledger(Path(room) / "l", limit=promise) as ledger:
        table = pv.open_table(rows.take(train), unit=pv.Row())
        model = pv.train(
            table, promise, target=data.target, schema=data.schema, records=len(train), ledger=ledger,
            model="auto" if job[0] == "ours" else job[0],
        )  # fmt: skip
        shares = model.predict_proba(rows.take(test))
    return np.asarray(shares[:, [list(model.classes).index(name) for name in data.classes]])


def unprotected(data: DataSet, job: Job) -> np.ndarray:
    """Without any privacy, on the same columns: a regression on indicators of 32 bins, or boosted trees."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

    train, test = data.split(job[2])
    codes, wanted = data.codes(), data.wanted()
    named = np.flatnonzero(data.categories())
    if job[0] == "open-boosting":
        machine: Any = HistGradientBoostingClassifier(
            learning_rate=0.05,
            max_iter=200,
            categorical_features=named if len(named) else None,
            random_state=0,
        )
    else:
        binned = codes.copy()
        numbers = data.categories() == 0
        binned[:, numbers] = np.minimum(codes[:, numbers] * 32, 31).astype(int)
        smooth = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), list(range(codes.shape[1]))),
            (FunctionTransformer(), list(np.flatnonzero(numbers))),
        )
        machine, codes = make_pipeline(smooth, LogisticRegression(max_iter=500)), binned
    return np.asarray(machine.fit(codes[train], wanted[train]).predict_proba(codes[test]))


def elsewhere(data: DataSet, jobs: list[Job]) -> Iterator[np.ndarray]:
    """A peer in its own environment, fed job by job."""
    method, python = jobs[0][0], sys.executable
    if method == "ebm":  # this and Opacus are part of the development set-up
        script = "interpret_boosting.py"
    elif method in OPACUS:
        script = "opacus_logistic.py"
    else:
        script, python = "diffprivlib_models.py", peer_python("diffprivlib==0.6.6", "scikit-learn==1.7.2")
    with tempfile.TemporaryDirectory() as room:
        splits = {seed: data.split(seed) for _, _, seed in jobs}
        np.savez(
            Path(room) / "table.npz",
            codes=data.codes(),
            categories=data.categories(),
            wanted=data.wanted(),
            **{f"train{seed}": split[0] for seed, split in splits.items()},
            **{f"test{seed}": split[1] for seed, split in splits.items()},
        )
        command = [python, str(ROOT / "bench" / "peers" / script), room, str(data.delta)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
            assert peer.stdin is not None
            assert peer.stdout is not None
            for job in jobs:
                peer.stdin.write(json.dumps(job) + "\n")
                peer.stdin.flush()
                if peer.stdout.readline().strip() != "done":
                    raise RuntimeError(f"{script} failed at {job} on {data.name}")
                yield np.load(Path(room) / "shares.npy")


def run(data: DataSet, name: str, epsilons: list[float], seeds: int) -> None:
    """What is lacking of one contender on one data set."""
    if name in ("ebm", "trees") and len(data.classes) != 2:
        return  # these know two classes only
    there = {(k["set"], k["rows"], k["method"], k["how"], k["epsilon"], k["seed"]) for k in kept()}
    asked = [0.0] if name == "open" else epsilons
    jobs: list[Job] = [(m, e, s) for s in range(seeds) for m in METHODS[name] for e in asked]
    jobs = [(m, e, s) for m, e, s in jobs if (data.name, len(data), m, how(m), e, s) not in there]
    if not jobs:
        return
    here = name in ("ours", "trees", "open")
    if here:
        fit = unprotected if name == "open" else ours
        answers: Iterator[np.ndarray] = (fit(data, job) for job in jobs)
    else:
        answers = elsewhere(data, jobs)
    began = time.process_time() if here else time.monotonic()
    with closing(answers):  # type: ignore[type-var]
        for job, shares in zip(jobs, answers, strict=True):
            now = time.process_time() if here else time.monotonic()
            keep(data, job, shares, now - began)
            print(f"  {data.name} {job}", flush=True)
            began = now


# --- tables -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """One figure of one data set: by method, epsilon and seed."""

    each: dict[Job, float]
    epsilons: list[float]
    seeds: int

    @classmethod
    def of_set(cls, data: DataSet, figure: str, epsilons: list[float], seeds: int) -> Found:
        """What was kept of it, by the code as it is now."""
        each = {
            (k["method"], k["epsilon"], k["seed"]): k[figure]
            for k in kept()
            if (k["set"], k["rows"], k["how"]) == (data.name, len(data), how(k["method"]))
        }
        return cls(each, epsilons, seeds)

    def at(self, method: str, epsilon: float) -> np.ndarray:
        """One value for each split, nan where there is none."""
        return np.array([self.each.get((method, epsilon, seed), math.nan) for seed in range(self.seeds)])

    def mean_at(self, method: str, epsilon: float) -> float:
        """Over splits."""
        values = self.at(method, epsilon)
        return float(values[~np.isnan(values)].mean()) if not np.isnan(values).all() else math.nan

    def mean(self, method: str) -> float:
        """Over epsilons and splits."""
        return float(np.mean([self.mean_at(method, epsilon) for epsilon in self.epsilons]))


def table(data: DataSet, epsilons: list[float], seeds: int) -> dict[str, Any]:
    """Print what is known of one data set, and say who leads."""
    figure = "auroc" if len(data.classes) == 2 else "accuracy"
    found = Found.of_set(data, figure, epsilons, seeds)
    best, steps = (
        max(group, key=lambda method: np.nan_to_num(found.mean(method))) for group in (FOREIGN, OPACUS)
    )
    shown_methods = ("ours", "ebm", best, steps)
    rivals = [method for method in shown_methods[1:] if not math.isnan(found.mean(method))]
    ceiling = {method: found.mean_at(method, 0.0) for method in METHODS["open"]}
    tuned = (
        ", settings were found on it" if data.name in TUNED else ", looked at" if data.name in SEEN else ""
    )
    print(f"\n### {data.name}: {len(data):,} rows, {figure}, delta {data.delta:g}{tuned}")
    print(f"without privacy: {', '.join(f'{name[5:]} {value:.3f}' for name, value in ceiling.items())}\n")
    print(f"| epsilon | ours | DP-EBM | diffprivlib ({best}) | Opacus ({steps[7:]}) | lead | splits |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for epsilon in epsilons:
        rival = max(rivals, key=lambda method: found.mean_at(method, epsilon), default="ours")
        lead = found.at("ours", epsilon) - found.at(rival, epsilon)
        shown = [_said(found.at(method, epsilon)) for method in shown_methods]
        many = int(np.sum(~np.isnan(found.at("ours", epsilon))))
        print(f"| {epsilon:g} | {' | '.join(shown)} | {_said(lead, sign='+')} | {many} |")
    means = {method: found.mean(method) for method in shown_methods}
    lead_of_all = means["ours"] - max((means[method] for method in rivals), default=math.nan)
    shown = ["–" if math.isnan(value) else f"{value:.3f}" for value in means.values()]
    verdict = "at least as good" if lead_of_all >= 0 else "BEHIND" if rivals else "alone"
    print(f"| mean | {' | '.join(shown)} | {lead_of_all:+.3f} | {verdict} |")
    _floor(data, seeds)
    return {"set": data.name, "figure": figure, "means": means, "open": ceiling, "lead": lead_of_all}


def _floor(data: DataSet, seeds: int) -> None:
    for (name, epsilon, figure), floor in FLOORS.items():
        if name == data.name:
            found = Found.of_set(data, figure, [epsilon], seeds)
            ceiling = max(found.mean_at(method, 0.0) for method in METHODS["open"])
            said = _said(found.at("ours", epsilon))
            least = f"at epsilon {epsilon:g} {figure} is {said}; at least {floor:.2f} is asked for"
            print(f"\n{least}, and there is {ceiling:.3f} to be had without privacy.", flush=True)


def _said(values: np.ndarray, sign: str = "") -> str:
    values = values[~np.isnan(values)]
    if not len(values):
        return "–"
    error = f" ± {values.std(ddof=1) / math.sqrt(len(values)):.3f}" if len(values) > 1 else ""
    return f"{values.mean():{sign}.3f}{error}"


def chosen(given: argparse.Namespace) -> list[DataSet]:
    """The data sets that were asked for, and why others are left out."""
    sets = [BUNDLED[name]() for name in given.set]
    for name, maker in GIVEN.items():
        path = getattr(given, name)
        if path is None:
            print(f"{name} is left out: it does not come with the project; give --{name} PATH.")
        else:
            sets.append(maker(path))
    return sets


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epsilon", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--set", nargs="*", default=list(BUNDLED), choices=list(BUNDLED))
    for name in GIVEN:
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--contender", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--only-run", action="store_true", help="print no tables")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    given = parser.parse_args()
    sets = chosen(given)
    for data in sets:
        for name in given.contender:
            run(data, name, given.epsilon, given.seeds)
    found = [] if given.only_run else [table(data, given.epsilon, given.seeds) for data in sets]
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

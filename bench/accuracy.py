"""Accuracy at equal epsilon, delta and unit: ours against DP-EBM (interpret) and diffprivlib, on several data sets.

Each contender sees the same rows, the same public bounds and values, and the same splits. diffprivlib runs in an
environment of its own (it needs scikit-learn 1.7.2); its models are pure, so they need no delta. The hidden unit is one
row that is added or removed, as the peers understand their own guarantees: DP-EBM is given its own full epsilon here.

    python -m bench.accuracy [--seeds 10] [--epsilon 0.1 0.5 1 2 4 8] [--set breast digits hospital]
                             [--adult FOLDER] [--mnist FOLDER] [--without ebm]

Prints mean ± standard error of the score (area under the curve for two classes, accuracy for more), and a verdict
for each data set: ours is at least as good on average over epsilons, or not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import subprocess
import tempfile
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True)
class DataSet:
    """Rows, public bounds and values, and what the delta is."""

    name: str
    columns: dict[str, Any]
    schema: dict[str, dict[str, Any]]
    target: str
    delta: float

    @property
    def classes(self) -> list[str]:
        """The classes of the target."""
        return list(self.schema[self.target]["values"])

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Four fifths to learn from."""
        order = np.random.default_rng(seed).permutation(len(self.columns[self.target]))
        cut = len(order) * 4 // 5
        return order[:cut], order[cut:]

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Features between 0 and 1 by the public bounds, categories as indicators; classes as numbers."""
        parts = []
        for name, known in self.schema.items():
            if name == self.target:
                continue
            values = np.asarray(self.columns[name])
            if known["kind"] == "category":
                parts += [(values.astype(str) == str(value)).astype(float) for value in known["values"]]
            else:
                width = known["upper"] - known["lower"]
                parts.append(np.clip((values.astype(float) - known["lower"]) / width, 0, 1))
        wanted = np.array([self.classes.index(str(value)) for value in self.columns[self.target]])
        return np.stack(parts, axis=1), wanted


def breast() -> DataSet:
    """569 patients, thirty measurements, ranges as published, rounded up to powers of two."""
    from sklearn.datasets import load_breast_cancer

    held = load_breast_cancer()
    names = [f"m{at:02}" for at in range(held.data.shape[1])]
    tops = [float(2 ** np.ceil(np.log2(top))) for top in held.data.max(axis=0)]
    schema: dict[str, dict[str, Any]] = {
        name: {"kind": "number", "lower": 0, "upper": top} for name, top in zip(names, tops, strict=True)
    }
    schema["benign"] = {"kind": "category", "values": ["0", "1"]}
    columns = {name: held.data[:, at] for at, name in enumerate(names)}
    return DataSet("breast cancer", {**columns, "benign": held.target.astype(str)}, schema, "benign", 1e-4)


def digits() -> DataSet:
    """1,797 images of 8 x 8 pixels, brightness 0 to 16."""
    from sklearn.datasets import load_digits

    held = load_digits()
    return _pixels("digits", held.data, held.target, 16, 1e-5)


def mnist(folder: Path) -> DataSet:
    """The idx files of MNIST; pixels averaged over 2 x 2."""
    images = _idx(folder, "train-images-idx3-ubyte")[:, :, :]
    labels = _idx(folder, "train-labels-idx1-ubyte")
    small = images.reshape(len(images), 14, 2, 14, 2).mean(axis=(2, 4)).reshape(len(images), -1)
    return _pixels("MNIST", small, labels, 255, 1e-5)


def _idx(folder: Path, name: str) -> np.ndarray:
    path = next(
        path
        for path in (folder / name, folder / f"{name}.gz", folder / name.replace("-idx", ".idx"))
        if path.exists()
    )
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    axes = content[3]
    shape = [int.from_bytes(content[4 + 4 * at : 8 + 4 * at], "big") for at in range(axes)]
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


def _pixels(name: str, images: np.ndarray, labels: np.ndarray, brightest: int, delta: float) -> DataSet:
    names = [f"p{at:03}" for at in range(images.shape[1])]
    schema: dict[str, dict[str, Any]] = {p: {"kind": "number", "lower": 0, "upper": brightest} for p in names}
    schema["digit"] = {"kind": "category", "values": [str(digit) for digit in range(10)]}
    columns = {pixel: images[:, at].astype(float) for at, pixel in enumerate(names)}
    return DataSet(name, {**columns, "digit": labels.astype(str)}, schema, "digit", delta)


def adult(folder: Path) -> DataSet:
    """The census income set; bounds as in its documentation, values as they occur, which its code book lists."""
    from pyarrow import csv

    path = next(path for path in (folder / "adult.csv", folder) if path.is_file())
    first = path.read_text("utf-8").split("\n", 1)[0]
    rows = csv.read_csv(path, parse_options=csv.ParseOptions(delimiter=";" if ";" in first else ","))
    rows = rows.rename_columns([name.strip() for name in rows.column_names])
    target = next(n for n in ("salary-class", "income", "class", "salary") if n in rows.column_names)
    known = {"age": (0, 100), "education-num": (0, 16), "hours-per-week": (0, 100), "capital-gain": (0, 99_999), "capital-loss": (0, 4_500), "fnlwgt": (0, 1_500_000)}  # fmt: skip
    schema: dict[str, dict[str, Any]] = {}
    columns = {}
    for name in rows.column_names:
        values = rows[name].to_pylist()
        if name in known:
            low, high = known[name]
            schema[name] = {"kind": "number", "lower": low, "upper": high}
            if name.startswith("capital"):
                schema[name]["scale"] = "log"
            columns[name] = [float(value) for value in values]
        else:
            columns[name] = [str(value).strip() for value in values]
            schema[name] = {"kind": "category", "values": sorted(set(columns[name]))}
    return DataSet("adult", columns, schema, target, 1e-6)


def hospital() -> DataSet:
    """The bundled example: is a patient readmitted? One row for each patient, the first; lists as the form prints them."""
    from privet.examples import hospital as bundled

    rows = bundled(patients=4000)
    persons = np.asarray(rows["patient_id"])
    _, first = np.unique(persons, return_index=True)
    rows = rows.take(first)
    schema: dict[str, dict[str, Any]] = {
        "days": {"kind": "number", "lower": 0, "upper": 60},
        "cost": {"kind": "number", "lower": 0, "upper": 100_000, "scale": "log"},
        "age": {"kind": "number", "lower": 0, "upper": 110},
    }
    columns = {
        "days": np.asarray(rows["days"], dtype=float),
        "cost": np.asarray(rows["cost"], dtype=float),
        "age": np.array([2026 - day.year for day in rows["born"].to_pylist()], dtype=float),
    }
    for name in ("sex", "ward", "diagnosis", "readmitted"):
        columns[name] = np.array([str(value).lower() for value in rows[name].to_pylist()])
        schema[name] = {"kind": "category", "values": sorted(set(columns[name].tolist()))}
    return DataSet("hospital", columns, schema, "readmitted", 1e-5)


# --- contenders --------------------------------------------------------------------------------


def ours(data: DataSet, train: np.ndarray, test: np.ndarray, epsilon: float) -> float:
    """`pv.train` as anybody calls it, the number of rows public as it is for the peers."""
    import pyarrow as pa

    import privet as pv

    rows = pa.table({name: pa.array(values) for name, values in data.columns.items()})
    promise = pv.ApproxDP(epsilon, data.delta)
    with tempfile.TemporaryDirectory() as room, pv.Ledger(Path(room) / "l", limit=promise) as ledger:
        table = pv.open_table(rows.take(train), unit=pv.Row())
        model = pv.train(
            table, promise, target=data.target, schema=data.schema, records=len(train), ledger=ledger
        )
        shares = model.predict_proba(rows.take(test))
    order = [list(model.classes).index(name) for name in data.classes]
    return score(shares[:, order], data.numbers()[1][test])


def boosted(data: DataSet, train: np.ndarray, test: np.ndarray, epsilon: float) -> float:
    """DP-EBM as its authors use it, with bounds and types given."""
    if len(data.classes) != 2:
        return math.nan
    from interpret.privacy import DPExplainableBoostingClassifier

    names = [name for name in data.schema if name != data.target]
    table = np.array([np.asarray(data.columns[name], dtype=object) for name in names], dtype=object).T
    kinds = ["nominal" if data.schema[name]["kind"] == "category" else "continuous" for name in names]
    bounds = {
        at: (float(data.schema[name]["lower"]), float(data.schema[name]["upper"]))
        for at, name in enumerate(names)
        if kinds[at] == "continuous"
    }
    wanted = data.numbers()[1]
    machine = DPExplainableBoostingClassifier(
        feature_names=names,
        feature_types=kinds,
        privacy_bounds=bounds,
        epsilon=epsilon,
        delta=data.delta,
        n_jobs=1,
    )
    machine.fit(table[train], wanted[train])
    return score(machine.predict_proba(table[test]), wanted[test])


def elsewhere(data: DataSet, train: np.ndarray, test: np.ndarray, epsilon: float) -> float:
    """The logistic regression of diffprivlib, in its own environment."""
    features, wanted = data.numbers()
    with tempfile.TemporaryDirectory() as room:
        np.savez(Path(room) / "in.npz", train=features[train], test=features[test], wanted=wanted[train])
        subprocess.run(
            [_diffprivlib(), str(ROOT / "bench" / "peers" / "diffprivlib_logistic.py"), room, str(epsilon)],
            check=True,
            capture_output=True,
        )
        return score(np.load(Path(room) / "out.npy"), wanted[test])


def _diffprivlib() -> str:
    room = ROOT / ".bench" / "diffprivlib"
    python = room / "bin" / "python"
    if not python.exists():
        venv.create(room, with_pip=True)
        needs = ["diffprivlib==0.6.6", "scikit-learn==1.7.2"]
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *needs], check=True)
    return str(python)


CONTENDERS: dict[str, Callable[[DataSet, np.ndarray, np.ndarray, float], float]] = {
    "ours": ours,
    "ebm": boosted,
    "diffprivlib": elsewhere,
}


def score(shares: np.ndarray, wanted: np.ndarray) -> float:
    """The area under the curve for two classes, the accuracy for more."""
    from sklearn.metrics import roc_auc_score

    if shares.shape[1] == 2:
        return float(roc_auc_score(wanted, shares[:, 1]))
    return float((shares.argmax(axis=1) == wanted).mean())


def compare(data: DataSet, epsilons: list[float], seeds: int, names: list[str]) -> dict[str, Any]:
    """Run all contenders on one data set, print as it goes, and say who won."""
    print(
        f"\n{data.name}: {len(data.columns[data.target]):,} rows, delta {data.delta:g}, {seeds} splits",
        flush=True,
    )
    means: dict[str, list[float]] = {name: [] for name in names}
    for epsilon in epsilons:
        shown = []
        for name in names:
            found = np.array([CONTENDERS[name](data, *data.split(seed), epsilon) for seed in range(seeds)])
            error = found.std(ddof=1) / math.sqrt(seeds) if seeds > 1 else math.nan
            means[name].append(float(found.mean()))
            shown.append(f"{name} {found.mean():.3f} ± {error:.3f}")
        print(f"  epsilon {epsilon:<4g} {'   '.join(shown)}", flush=True)
    average = {name: float(np.mean(values)) for name, values in means.items()}
    rivals = [value for name, value in average.items() if name != "ours" and not math.isnan(value)]
    verdict = "at least as good" if all(average["ours"] >= value for value in rivals) else "BEHIND"
    print(
        f"  on average {', '.join(f'{n} {v:.3f}' for n, v in average.items())}: ours is {verdict}", flush=True
    )
    return {"set": data.name, "epsilons": epsilons, "means": means, "verdict": verdict}


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--epsilon", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--set", nargs="+", default=["breast", "digits", "hospital"])
    parser.add_argument("--adult", type=Path)
    parser.add_argument("--mnist", type=Path)
    parser.add_argument("--without", nargs="+", default=[], choices=[n for n in CONTENDERS if n != "ours"])
    parser.add_argument("--json", type=Path, help="also write the figures here")
    given = parser.parse_args()
    makers = {"breast": breast, "digits": digits, "hospital": hospital}
    sets = [makers[name]() for name in given.set if name in makers]
    sets += [adult(given.adult)] if given.adult else []
    sets += [mnist(given.mnist)] if given.mnist else []
    names = [name for name in CONTENDERS if name not in given.without]
    found = [compare(data, given.epsilon, given.seeds, names) for data in sets]
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

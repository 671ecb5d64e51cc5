"""Ready-made functions under PAC privacy beside what their authors published: Iris k-means, and SVM and forest on grains like Rice.

Every function is run once on 128 halves; then the output of random halves is noised many times, with the exact optimum of
the log-det bound and, on the same halves with the same normal draws, with the papers' formula, both in the directions in which outputs
vary: so the two are compared pair by pair. Accuracy is that of the released centres, weights or responses on rows that were not
learned from (Iris: on all rows, as clusters have no labels). Settings are those of the library, chosen on other grains and tables:
`--choose` shows how they do on breast cancer, wine and grains of another seed, none of which is scored.
Rice itself is not at hand: its grains are made up here, with means and deviations that were remembered, not looked up, so that figures
on them are beside the authors' and not comparable digit by digit. Centroids of breast cancer, 20 means of very unlike spreads, are
beside them for an output whose numbers vary unequally. Half a nat and more bound no membership well (1/2 nat 95 %, ln 2 and more nothing),
and still the guess of a rare attribute: there the exact optimum is worth most, and how much is shown. Run it with
`python -m bench.pac_learners [--only SVM]`.
It fails where an accuracy lies below the authors' (Sridhar, Xiao and Devadas 2025), where the exact optimum adds as much noise as their
formula or gives numbers that lie farther off, or where at up to 1/4 nat its accuracy lies behind theirs by more than three standard errors
of the paired difference (beyond that either noise is too small to change an accuracy).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import privet as pv
from privet.engine import world_rows
from privet.guarantee import linearised_noise, log_det_noise
from privet.protect.pac import WorldRows, outputs_of

WORLDS = 128
SEED = 2_101  # of the grains that are scored
NATS = {"1/4": 0.25, "1/16": 0.0625, "1/128": 1 / 128}
LARGE = {"1/2": 0.5, "1": 1.0, "2": 2.0}
# What the authors report, where they do (accuracy at each budget); without noise .950, .9065 and .913.
PUBLISHED = {
    "Iris k-means": {"1/4": 0.945, "1/16": 0.883, "1/128": 0.674},
    "Rice SVM": {"1/4": 0.9061, "1/128": 0.893},
    "Rice forest": {"1/128": 0.912},
}
GRAIN = ("area", "perimeter", "major", "minor", "eccentricity", "convex", "extent")
GRAIN_BOUNDS = {
    "area": (7_000, 20_000),
    "perimeter": (350, 560),
    "major": (140, 245),
    "minor": (58, 110),
    "eccentricity": (0.75, 0.96),
    "convex": (7_000, 20_000),
    "extent": (0.45, 0.9),
}


def grains(cammeo: int, osmancik: int, seed: int) -> pa.Table:
    """Made-up ellipses whose axes have means and deviations remembered of the two varieties, and what follows from these."""
    draw = np.random.default_rng(seed)
    major = np.concatenate([draw.normal(205.5, 10.3, cammeo), draw.normal(176.3, 9.4, osmancik)])
    minor = np.concatenate([draw.normal(88.8, 5.4, cammeo), draw.normal(84.5, 5.3, osmancik)])
    area = np.pi / 4 * major * minor * draw.normal(0.99, 0.006, len(major))
    around = (
        np.pi * (1.5 * (major + minor) / 2 - np.sqrt(major * minor) / 2) * draw.normal(1.01, 0.01, len(major))
    )
    eccentricity = np.sqrt(1 - np.square(minor / major))
    convex = area * draw.normal(1.023, 0.005, len(major))
    extent = draw.normal(0.66, 0.077, len(major))
    made = dict(zip(GRAIN, (area, around, major, minor, eccentricity, convex, extent), strict=True))
    return pa.table({**made, "variety": ["Cammeo"] * cammeo + ["Osmancik"] * osmancik})


def outputs(applied: Any) -> NDArray[np.float64]:
    """The function on every world."""
    batches = world_rows(applied.table.relation, applied.columns, applied.unit, seed="bench", worlds=WORLDS)
    rows = WorldRows.of(batches, applied.columns, applied.bounds, "arrow", WORLDS)
    found, failed = outputs_of(rows, applied.function, applied.function.shape, WORLDS)
    assert not failed
    return found


class Compared(NamedTuple):
    """Mean accuracies of both kinds of noise, their paired difference with its standard error, and how their noises compare."""

    exact: float
    papers: float
    ahead: float
    error: float
    ratio: float  # the papers' total variance over the optimum's
    farther: float  # the mean square that numbers lie off with the papers' formula, over that with the optimum, as drawn


def compared(
    found: NDArray[np.float64], applied: Any, score: Callable[[Any], float], nats: float, draws: int
) -> Compared:
    """Both kinds of noise on the same halves with the same draws."""
    steps = np.broadcast_to(np.subtract(*applied.function.clip[::-1]), applied.function.shape).reshape(-1)
    scaled = found / steps  # as the public grid weighs the numbers
    values, axes = np.linalg.eigh(np.cov(scaled.T, ddof=0).reshape(len(steps), -1))
    noises = [noise(np.maximum(values, 0), nats) for noise in (log_det_noise, linearised_noise)]
    draw = np.random.default_rng(3)
    scores, off = np.empty((draws, 2)), np.empty((draws, 2))
    for at in range(draws):
        half, normal = scaled[draw.integers(WORLDS)], draw.normal(size=len(steps))
        for which, noise in enumerate(noises):
            noisy = half + axes @ (np.sqrt(noise) * normal)
            off[at, which] = np.square(noisy - half).sum()
            scores[at, which] = score((noisy * steps).reshape(applied.function.shape))
    apart = scores[:, 0] - scores[:, 1]
    exact, papers = scores.mean(axis=0)
    error = float(apart.std(ddof=1) / np.sqrt(draws))
    ratio, farther = noises[1].sum() / noises[0].sum(), off[:, 1].mean() / off[:, 0].mean()
    return Compared(float(exact), float(papers), float(apart.mean()), error, float(ratio), float(farther))


def iris() -> tuple[Any, Callable[[Any], float]]:
    """Centres of petals from a public start, the middle of what a flora says of each species."""
    from sklearn.datasets import load_iris

    every = load_iris()
    rows = pa.table({"length": every.data[:, 2], "width": every.data[:, 3]})
    table = pv.open_table(rows, unit=pv.Row(), bounds={"length": (0, 8), "width": (0, 3)})
    applied = table.apply(pv.PacFunction.kmeans(3, start=[[1.5, 0.25], [4.25, 1.3], [5.5, 2]], pull=20))
    return applied, lambda numbers: float(
        np.mean(np.array(applied.read(numbers).predict(every.data[:, 2:])) == every.target)
    )


def centroids() -> tuple[Any, Callable[[Any], float]]:
    """The means of ten measurements of benign and malignant cells, by a plain function; scored by which of the two lies nearer."""
    from sklearn.datasets import load_breast_cancer

    every = load_breast_cancer()
    order = np.random.default_rng(9).permutation(len(every.data))
    # Rounded up to a power of ten: all that is taken from the rows, as of measurements whose units are known.
    upper = 10.0 ** np.ceil(np.log10(every.data[:, :10].max(axis=0)))
    values, target = every.data[order, :10], every.target[order]
    cut = len(order) * 4 // 5
    names = [f"x{at}" for at in range(10)]
    rows = pa.table({**dict(zip(names, values[:cut].T, strict=True)), "ill": target[:cut] == 0})
    table = pv.open_table(
        rows, unit=pv.Row(), bounds={name: (0, float(end)) for name, end in zip(names, upper, strict=True)}
    )

    def means(half: pa.Table) -> NDArray[np.float64]:
        found = np.column_stack([half[name].to_numpy() for name in names])
        ill = half["ill"].to_numpy(zero_copy_only=False)
        return np.stack([found[~ill].mean(axis=0), found[ill].mean(axis=0)])

    clip = (np.zeros((2, 10)), np.tile(upper, (2, 1)))
    applied = table.apply(means, [*names, "ill"], rows="arrow", shape=(2, 10), clip=clip)

    def score(numbers: NDArray[np.float64]) -> float:
        away = [np.square((values[cut:] - one) / upper).sum(axis=1) for one in numbers]
        return float(np.mean((away[1] < away[0]) == (target[cut:] == 0)))

    return applied, score


def rice(function: pv.PacFunction) -> Any:
    """3,048 grains to learn from, four fifths of Rice."""
    table = pv.open_table(
        grains(1_304, 1_744, SEED),
        unit=pv.Row(),
        bounds=GRAIN_BOUNDS,
        keys={"variety": ["Cammeo", "Osmancik"]},
    )
    return table.apply(function, list(GRAIN))


def tasks() -> dict[str, tuple[Any, Callable[[Any], float]]]:
    """What is learned, and how it is scored."""
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline

    test, public = grains(326, 436, SEED + 1), grains(8, 8, SEED + 2)
    wanted = np.array(test["variety"].to_pylist())
    ends = np.array([GRAIN_BOUNDS[name] for name in GRAIN])

    def scaled(rows: pa.Table) -> NDArray[np.float64]:
        found = np.column_stack([rows[name].to_numpy() for name in GRAIN])
        return np.asarray((found - ends[:, 0]) / (ends[:, 1] - ends[:, 0]))

    def pupil(responses: NDArray[np.float64]) -> float:
        """Least squares from the released numbers, along the direction in which the public grains differ most: it averages the noise."""
        learned = make_pipeline(PCA(1), LinearRegression()).fit(scaled(public), responses[:, 0])
        return float(np.mean((learned.predict(scaled(test)) > 0.5) == (wanted == "Osmancik")))

    machine = rice(pv.PacFunction.svm("variety"))
    return {
        "Iris k-means": iris(),
        "Breast cancer centroids": centroids(),
        "Rice SVM": (
            machine,
            lambda numbers: float(np.mean(np.array(machine.read(numbers).predict(test)) == wanted)),
        ),
        "Rice forest": (rice(pv.PacFunction.forest("variety", points=public, trees=20)), pupil),
    }


def others() -> dict[str, tuple[Any, str, tuple[Any, ...], pa.Table]]:
    """Tables to choose settings by: their rows, the target, its classes, and rows to score on; bounds are rounded ranges."""
    from sklearn.datasets import load_breast_cancer, load_wine

    found = {}
    for name, load in (("breast cancer", load_breast_cancer), ("wine", load_wine)):
        every = load()
        order = np.random.default_rng(9).permutation(len(every.data))
        names = [f"x{at}" for at in range(every.data.shape[1])]
        rows = pa.table({**dict(zip(names, every.data[order].T, strict=True)), "y": every.target[order]})
        bounds = {
            one: (float(low), float(high))
            for one, low, high in zip(names, every.data.min(0), every.data.max(0), strict=True)
        }
        cut = len(order) * 4 // 5
        classes = tuple(range(len(every.target_names)))
        table = pv.open_table(rows.slice(0, cut), unit=pv.Row(), bounds=bounds, keys={"y": classes})
        found[name] = (table, "y", classes, rows.slice(cut))
    table = pv.open_table(
        grains(1_304, 1_744, 77), unit=pv.Row(), bounds=GRAIN_BOUNDS, keys={"variety": ["Cammeo", "Osmancik"]}
    )
    found["other grains"] = (table, "variety", ("Cammeo", "Osmancik"), grains(326, 436, 78))
    return found


def choose(draws: int) -> None:
    """The machine's accuracy by its strength, on tables that are not scored."""
    for name, (table, target, classes, test) in others().items():
        wanted = np.array(test[target].to_pylist())
        for strength in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0):
            names = [one for one in table.columns if one != target]
            applied = table.apply(pv.PacFunction.svm(target, classes=classes, strength=strength), names)
            found = outputs(applied)
            right = [
                compared(
                    found,
                    applied,
                    lambda numbers, applied=applied, wanted=wanted, test=test: float(
                        np.mean(np.array(applied.read(numbers).predict(test)) == wanted)
                    ),
                    amount,
                    draws,
                ).exact
                for amount in NATS.values()
            ]
            print(f"{name}, strength {strength}: " + " ".join(f"{one:.3f}" for one in right), flush=True)


def main() -> None:
    """Every task at every budget."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--draws", type=int, default=1_000)
    words.add_argument("--only", default="")
    words.add_argument("--choose", action="store_true")
    said = words.parse_args()
    if said.choose:
        choose(said.draws)
        return
    faults = []
    for name, (applied, score) in tasks().items():
        if said.only not in name:
            continue
        found = outputs(applied)
        bare = float(np.mean([score(one.reshape(applied.function.shape)) for one in found]))
        print(f"{name}: {bare:.4f} without noise, {found.shape[1]} numbers", flush=True)
        for nats, amount in (NATS | LARGE).items():
            both = compared(found, applied, score, amount, said.draws)
            published = PUBLISHED.get(name, {}).get(nats)
            print(
                f"  {nats:>5} nats: {both.exact:.4f} with the exact optimum, {both.papers:.4f} with the papers' formula "
                f"(ahead by {both.ahead:+.5f} ± {both.error:.5f}), whose noise has {both.ratio:.4f} times the variance "
                f"({both.farther:.4f} as drawn)"
                + ("" if published is None else f" (published: {published:.4f})"),
                flush=True,
            )
            faults += [f"{name} at {nats} lies below what was published"] * (both.exact < (published or 0))
            faults += [f"{name} at {nats} lies behind the papers' formula"] * (
                (nats in NATS and both.ahead < -3 * both.error) or both.ratio <= 1 or both.farther <= 1
            )
    if faults:
        raise SystemExit("; ".join(faults))


if __name__ == "__main__":
    main()

"""MST on private-pgm's inference (mbi): run by `bench.synthesize` in the peer's environment.

Arguments: the CSV file, the JSON file with the sizes of the columns, epsilon, delta, the CSV file to write. Prints one line
of JSON. mbi holds no mechanism, so the steps of McKenna, Miklau and Sheldon ("Winning the NIST Contest", 2021) stand here:
every column measured with a third of rho, cells below three standard deviations made one, a spanning tree of pairs chosen
with a third, its pairs measured with the last; 1,000 and 5,000 iterations of mirror descent, as the authors run it.
"""

import itertools
import json
import math
import sys
import time

import networkx as nx
import numpy as np
import pandas as pd
from mbi import Dataset, Domain, LinearMeasurement, estimation
from scipy.special import softmax

DRAWS = np.random.default_rng()


def rho_of(epsilon: float, delta: float) -> float:
    """The largest rho whose conversion keeps (epsilon, delta) (Canonne, Kamath and Steinke 2020, Proposition 12)."""
    orders = 1 + np.geomspace(1e-3, 1e6, 200_000)

    def log_delta(rho: float) -> float:
        terms = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders) - np.log(orders - 1)
        return float(terms.min())

    low, high = 0.0, epsilon + 1
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if log_delta(middle) <= math.log(delta) else (low, middle)
    return low


def noisy(data: Dataset, columns: tuple[str, ...], sigma: float) -> np.ndarray:
    """Counts with Gaussian noise."""
    exact = np.asarray(data.project(columns).datavector())
    return exact + DRAWS.normal(0, sigma, exact.size)


class Scaled:
    """The counts of a column whose last cell stands for many."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __call__(self, factor: object) -> object:
        """What is compared with the measurement."""
        counts = factor.datavector()
        return counts.at[-1].multiply(self.scale)


def compressed(
    data: Dataset, sigma: float
) -> tuple[Dataset, list[LinearMeasurement], dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Every column measured; cells that the noise hides become one."""
    columns, sizes, measured, parts = {}, {}, [], {}
    for name in data.domain.attrs:
        counts = noisy(data, (name,), sigma)
        clear, hidden = np.flatnonzero(counts >= 3 * sigma), np.flatnonzero(counts < 3 * sigma)
        place = np.full(counts.size, len(clear))
        place[clear] = np.arange(len(clear))
        columns[name], sizes[name] = place[data.df[name]], len(clear) + bool(len(hidden))
        parts[name] = clear, hidden
        if not len(hidden):
            measured.append(LinearMeasurement(counts, (name,), sigma))
            continue
        scale = 1 / math.sqrt(len(hidden))
        kept = np.append(counts[clear], counts[hidden].sum() * scale)
        measured.append(LinearMeasurement(kept, (name,), sigma, Scaled(scale)))
    return Dataset(pd.DataFrame(columns), Domain.fromdict(sizes)), measured, parts


def tree(data: Dataset, measured: list[LinearMeasurement], rho: float) -> list[tuple[str, str]]:
    """A spanning tree of the pairs that independent columns explain worst, by the exponential mechanism."""
    model = estimation.mirror_descent(data.domain, measured, iters=1_000)
    pairs = list(itertools.combinations(data.domain.attrs, 2))
    worth = {
        pair: float(
            np.abs(
                np.asarray(data.project(pair).datavector()) - np.asarray(model.project(pair).datavector())
            ).sum()
        )
        for pair in pairs
    }
    graph = nx.Graph()
    graph.add_nodes_from(data.domain.attrs)
    epsilon = math.sqrt(8 * rho / (len(data.domain.attrs) - 1))
    while nx.number_connected_components(graph) > 1:
        open_ = [pair for pair in pairs if not nx.has_path(graph, *pair)]
        odds = softmax(0.5 * epsilon * np.array([worth[pair] for pair in open_]))
        graph.add_edge(*open_[DRAWS.choice(len(open_), p=odds)])
    return [tuple(sorted(edge, key=data.domain.attrs.index)) for edge in graph.edges]


def main() -> None:
    """Make the twin and write it."""
    source, domain, epsilon, delta, out = sys.argv[1:]
    started = time.process_time()
    data = Dataset.load(source, domain)
    rho = rho_of(float(epsilon), float(delta))
    sigma = math.sqrt(3 * len(data.domain.attrs) / (2 * rho))
    small, measured, parts = compressed(data, sigma)
    pairs = tree(small, measured, rho / 3)
    sigma = math.sqrt(3 * len(pairs) / (2 * rho))
    measured += [LinearMeasurement(noisy(small, pair, sigma), pair, sigma) for pair in pairs]
    made = estimation.mirror_descent(small.domain, measured, iters=5_000).synthetic_data()
    rows = {}
    for name, (clear, hidden) in parts.items():
        codes = made.df[name].to_numpy()
        of_many = DRAWS.choice(hidden, len(codes)) if len(hidden) else codes
        rows[name] = np.where(codes < len(clear), clear[np.minimum(codes, len(clear) - 1)], of_many)
    pd.DataFrame(rows).to_csv(out, index=False)
    print(json.dumps({"cpu_s": round(time.process_time() - started, 1)}))


if __name__ == "__main__":
    main()

"""Singling out, linkability and inference with anonymeter: run by `bench.attack` in the peer's environment.

Arguments: the folder with the three tables, the number of guesses. Prints one line of JSON.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

warnings.simplefilter("ignore")


def main() -> None:
    """Time each criterion by itself."""
    room, guesses = Path(sys.argv[1]), int(sys.argv[2])
    members, control, published = (
        pd.read_parquet(room / f"{name}.parquet") for name in ("members", "control", "published")
    )
    said: dict[str, object] = {}
    total = time.process_time()
    for mode in ("univariate", "multivariate"):
        started = time.process_time()
        one = SinglingOutEvaluator(ori=members, syn=published, control=control, n_attacks=guesses, seed=1)
        one.evaluate(mode=mode)
        said[f"singling out, {mode}"] = result(one, started)
    names = list(members.columns)
    started = time.process_time()
    two = LinkabilityEvaluator(
        ori=members, syn=published, control=control, n_attacks=guesses, aux_cols=(names[::2], names[1::2])
    )
    two.evaluate(n_jobs=1)
    said["linkability"] = result(two, started)
    started = time.process_time()
    risks = {}
    for name in names:
        three = InferenceEvaluator(
            ori=members,
            syn=published,
            control=control,
            n_attacks=guesses,
            secret=name,
            aux_cols=[other for other in names if other != name],
            regression=name.startswith("number"),
        )
        three.evaluate(n_jobs=1)
        risks[name] = three.risk().value
    said["inference"] = {
        "cpu_s": round(time.process_time() - started, 2),
        "risk": round(sum(risks.values()) / len(risks), 3),
    }
    print(json.dumps({"attack_cpu_s": round(time.process_time() - total, 2), **said}))


def result(evaluator: object, started: float) -> dict[str, float]:
    """Seconds and the risk beyond control."""
    return {
        "cpu_s": round(time.process_time() - started, 2),
        "risk": round(evaluator.risk().value, 3),  # type: ignore[attr-defined]
    }


if __name__ == "__main__":
    main()

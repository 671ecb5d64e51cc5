"""Questions of `bench.release` through PipelineDP's local backend; runs in an environment of its own.

Arguments: the columns as a NumPy archive, the question, epsilon, delta ("0" for none), where to write the answers, and
the noise.
"""

import json
import resource
import sys
from pathlib import Path

import numpy as np
import pipeline_dp

GROUPS, PER_PERSON, PER_GROUP, UPPER = 1_000, 5, 2, 200.0
PATH, QUESTION, EPSILON, DELTA, OUT, NOISE = sys.argv[1:7]

columns = np.load(PATH)
rows = list(zip(columns["u"].tolist(), columns["g"].tolist(), columns["v"].tolist(), strict=True))
budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=float(EPSILON), total_delta=float(DELTA))
engine = pipeline_dp.DPEngine(budget, pipeline_dp.LocalBackend())
sums = [pipeline_dp.Metrics.COUNT, pipeline_dp.Metrics.SUM, pipeline_dp.Metrics.MEAN]
metrics = [pipeline_dp.Metrics.PERCENTILE(50)] if QUESTION == "median" else sums
parameters = pipeline_dp.AggregateParams(
    metrics=metrics,
    noise_kind=pipeline_dp.NoiseKind.GAUSSIAN if NOISE == "gaussian" else pipeline_dp.NoiseKind.LAPLACE,
    max_partitions_contributed=PER_PERSON,
    max_contributions_per_partition=PER_GROUP,
    min_value=0.0,
    max_value=UPPER,
)
extractors = pipeline_dp.DataExtractors(
    privacy_id_extractor=lambda row: row[0],
    partition_extractor=lambda row: row[1],
    value_extractor=lambda row: row[2],
)
public = None if QUESTION == "unknown keys" else list(range(GROUPS))
result = engine.aggregate(rows, parameters, extractors, public_partitions=public)
budget.compute_budgets()
released = dict(result)
names = {"count": "n", "sum": "total", "mean": "mean", "percentile_50": "median"}
answers = {"g": list(released)}
for theirs, ours in names.items():
    if released and theirs in next(iter(released.values()))._fields:
        answers[ours] = [float(getattr(row, theirs)) for row in released.values()]
Path(OUT).write_text(json.dumps(answers), encoding="utf-8")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"groups": len(released), "peak_mb": peak}))

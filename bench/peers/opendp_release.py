"""Questions of `bench.release` through OpenDP's Polars front end; runs in an environment of its own.

Arguments: the Parquet file, the question, epsilon, delta ("0" for none), where to write the answers, the
noise, and the number of rows. `truncate_num_groups(k)` of 0.16 keeps k - 1 groups and works only with keep="first", so it gets one more.
"""

import json
import math
import resource
import sys
from pathlib import Path

import opendp.prelude as dp
import polars as pl

GROUPS, PER_PERSON, PER_GROUP, UPPER = 1_000, 5, 2, 200.0
PATH, QUESTION, EPSILON, DELTA, OUT, NOISE, ROWS = (*sys.argv[1:7], int(sys.argv[7]))

dp.enable_features("contrib")


def rho_for(epsilon: float, delta: float) -> float:
    """The largest rho whose zCDP conversion, by OpenDP's own map, is (epsilon, delta)."""
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)

    def found(rho: float) -> float:
        noise = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale=math.sqrt(1 / (2 * rho))))
        return noise.map(1.0).epsilon(delta)

    low, high = 1e-9, 50.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if found(middle) <= epsilon else (low, middle)
    return low


epsilon, delta = float(EPSILON), float(DELTA)
unknown = QUESTION == "unknown keys"
if NOISE == "gaussian":
    loss = dp.loss_of(rho=rho_for(epsilon, delta))
elif delta and unknown:
    loss = dp.loss_of(epsilon=epsilon, delta=delta)
else:
    loss = dp.loss_of(epsilon=epsilon)
most = 2 * ROWS
keys = {"max_groups": GROUPS} | ({} if unknown else {"invariant": "keys"})
context = dp.Context.compositor(
    data=pl.scan_parquet(PATH).with_columns(pl.col("g").cast(pl.Int64)),
    privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("u")),
    privacy_loss=loss,
    split_evenly_over=1,
    margins=[
        dp.polars.Margin(max_length=most),
        dp.polars.Margin(by=["g"], max_length=most, **keys),
    ],
)
value = pl.col("v").fill_nan(0.0).fill_null(0.0)
candidates = [UPPER * i / 1_000 for i in range(1, 1_000)]
asked = {
    "count, sum, mean": [dp.len().alias("n"), value.dp.sum((0.0, UPPER)).alias("total")],
    "count, sum, mean with delta": [dp.len().alias("n"), value.dp.sum((0.0, UPPER)).alias("total")],
    "median": [value.dp.median(candidates).alias("median")],
    "unknown keys": [dp.len().alias("n"), value.dp.sum((0.0, UPPER)).alias("total")],
}[QUESTION]
query = (
    context.query()
    .truncate_num_groups(PER_PERSON + 1, by=["g"], keep="first")
    .truncate_per_group(PER_GROUP, by=["g"])
    .group_by("g")
    .agg(*asked)
)
if not unknown:
    query = query.with_keys(pl.LazyFrame({"g": list(range(GROUPS))}, schema={"g": pl.Int64}))
released = query.release().collect()
answers = {name: released[name].to_list() for name in released.columns}
if "total" in answers:
    answers["mean"] = [
        t / n if n and n > 0 else None for t, n in zip(answers["total"], answers["n"], strict=True)
    ]
Path(OUT).write_text(json.dumps(answers), encoding="utf-8")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"groups": len(released), "peak_mb": peak}))

"""Quantiles by group through OpenDP's Polars front end; runs in an environment of its own.

Arguments: the Parquet file, epsilon, the share, the number of candidates, repeats. Prints one list for each repeat.
"""

import json
import resource
import sys

import opendp.prelude as dp
import polars as pl

path, epsilon, share, count, repeats = (
    sys.argv[1],
    float(sys.argv[2]),
    float(sys.argv[3]),
    int(sys.argv[4]),
    int(sys.argv[5]),
)
GROUPS, UPPER = 50, 200.0
dp.enable_features("contrib")
frame = pl.scan_parquet(path).with_columns(pl.col("g").cast(pl.Int64))
candidates = [UPPER * at / count for at in range(count + 1)]
values = []
for _ in range(repeats):
    context = dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
        margins=[
            dp.polars.Margin(max_length=20_000_000),
            dp.polars.Margin(by=["g"], invariant="keys", max_length=20_000_000, max_groups=GROUPS),
        ],
    )
    released = (
        context.query()
        .group_by("g")
        .agg(pl.col("v").fill_nan(0.0).fill_null(0.0).dp.quantile(share, candidates))
        .with_keys(pl.LazyFrame({"g": list(range(GROUPS))}, schema={"g": pl.Int64}))
        .release()
        .collect()
        .sort("g")
    )
    values.append(released["v"].to_list())
print(json.dumps({"values": values, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))

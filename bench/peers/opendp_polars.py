"""The same question asked through OpenDP's Polars front end; runs in an environment of its own.

`truncate_num_groups(k)` of 0.16 keeps k - 1 groups and works only with keep="first", so it gets one more.
"""

import json
import resource
import sys

import opendp.prelude as dp
import polars as pl

GROUPS, PER_PERSON, PER_GROUP, UPPER = 1_000, 5, 2, 200.0

dp.enable_features("contrib")
frame = pl.scan_parquet(sys.argv[1]).with_columns(pl.col("g").cast(pl.Int64))
context = dp.Context.compositor(
    data=frame,
    privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("u")),
    privacy_loss=dp.loss_of(epsilon=3.0),
    split_evenly_over=1,
    margins=[
        dp.polars.Margin(max_length=20_000_000),
        dp.polars.Margin(by=["g"], invariant="keys", max_length=20_000_000, max_groups=GROUPS),
    ],
)
query = (
    context.query()
    .truncate_num_groups(PER_PERSON + 1, by=["g"], keep="first")
    .truncate_per_group(PER_GROUP, by=["g"])
    .group_by("g")
    .agg(dp.len(), pl.col("v").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, UPPER)))
    .with_keys(pl.LazyFrame({"g": list(range(GROUPS))}, schema={"g": pl.Int64}))
)
released = query.release().collect()
print(
    json.dumps(
        {"groups": len(released), "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
    )
)

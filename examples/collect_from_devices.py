"""Collect statistics from people who trust nobody: design, randomise, estimate, compare. What docs/guide/collect.md walks through."""

import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

import privet as pv

emoji = ["😂", "❤", "😍", "😭", "😊", "👍"]
spec = pv.Collection("emoji", pv.OneOf(emoji), pv.LocalDP(2), per="day")
print(spec)
print(f"expected: ± {pv.expected_error(spec, 20_000):.4f} of all people")

monday = ["😂"] * 9_000 + ["❤"] * 6_000 + ["😭"] * 5_000
friday = ["😂"] * 12_000 + ["❤"] * 6_000 + ["😭"] * 2_000

with TemporaryDirectory() as folder:
    reports = spec.randomize(monday)  # on the devices; nothing else leaves them
    pq.write_table(reports, Path(folder) / "monday.parquet")
    spec.save(Path(folder) / "emoji.json")

    same = pv.Collection.load(Path(folder) / "emoji.json")  # on the server
    print(pv.estimate(Path(folder) / "monday.parquet", same, top=3))

    phone = spec.device(
        Path(folder) / "phone.json"
    )  # one person's side: it has its own budget, and refuses past it
    body = spec.batch([phone.report("😂")])  # what it sends to `privet collect serve`
    print(f"a batch of {len(body)} bytes")

after = spec.randomize(friday)
print(pv.estimate_change(reports, after, spec))
days = {datetime.date(2026, 3, 2): reports, datetime.date(2026, 3, 6): after}
print(pv.estimate_trend(days, spec, values=["😂"]))

minutes = pv.Collection("minutes", pv.NumberIn(0, 60), pv.LocalDP(1))
print(pv.estimate(minutes.randomize([12.5, 30, 7] * 3_000), minutes))

words = pv.Collection("words", pv.TextOf(4, "abcdefgh"), pv.LocalDP(8))
print(pv.estimate(words.randomize(["bead"] * 6_000 + ["cafe"] * 3_000), words, top=2))

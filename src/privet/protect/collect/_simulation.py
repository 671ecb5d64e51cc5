"""Made-up people: a collection tried out from end to end, so that its errors can be seen before anybody is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Publishable, ReleasedAnswer, written_whole
from privet.errors import BadUsage, checked
from privet.mechanism import WordStream, draw_below
from privet.protect.collect._collected import Collected, collected
from privet.protect.collect._collection import Collection
from privet.protect.collect._counted_nouns import numbered
from privet.protect.collect._estimate import answer_from
from privet.protect.collect._questions import NumberIn, Several, TextOf

if TYPE_CHECKING:
    import pyarrow as pa

PART = 500_000
WORDS = 2_000
_FINE = 2**20


@checked
def simulate(
    collection: Collection,
    people: int,
    *,
    seed: int | None = None,
    out: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[ReleasedAnswer, dict[str, Any]]:
    """The estimate from so many made-up people, and how far it was from what they had.

    Categories and words are distributed by Zipf's law, numbers like the smaller of two uniform ones. `out` keeps the
    reports (.parquet, or .jsonl as devices would send them).
    """
    if isinstance(people, bool) or people < 1:
        raise BadUsage("people is a whole number, 1 or more.", "Write people=100_000.")
    if out is not None and Path(out).suffix not in (".parquet", ".jsonl"):
        raise BadUsage("reports are written as .parquet or .jsonl.", "Give the file one of these endings.")
    stream = WordStream.fresh() if seed is None else WordStream.seeded(seed)
    total, truth, tables = Collected(), _Truth(collection), []
    for start in range(0, people, PART):
        values = truth.drawn(min(PART, people - start), stream)
        table = collection.reports_from(values, stream)
        total = total + collected(table, collection)
        if out is not None:
            tables.append(table)
        if progress is not None:
            progress(f"{min(start + PART, people):,} of {numbered(people, 'person', 'people')}")
    if out is not None:
        _kept(tables, collection, Path(out))
    answer = answer_from(total, collection)
    return answer, truth.compared(answer)


class _Truth:
    """What made-up people have: drawn part by part, and counted."""

    def __init__(self, collection: Collection) -> None:
        self.question = collection.question
        self.counts: dict[tuple[str, Any], int] = {}
        self.sums: dict[str, tuple[float, int]] = {}
        self.words = _made_words(self.question) if isinstance(self.question, TextOf) else []

    def drawn(self, many: int, stream: WordStream) -> Any:
        if isinstance(self.question, Several):
            return {
                name: self._drawn(name, one, many, stream) for name, one in self.question.questions.items()
            }
        return self._drawn("", self.question, many, stream)

    def _drawn(self, name: str, question: Any, many: int, stream: WordStream) -> Any:
        import pyarrow as pa

        if isinstance(question, NumberIn):
            both = [draw_below(stream, many, _FINE) for _ in range(2)]
            numbers = question.low + np.minimum(*both) / _FINE * (question.high - question.low)
            total, count = self.sums.get(name, (0.0, 0))
            self.sums[name] = total + float(numbers.sum()), count + many
            return numbers
        values = self.words if isinstance(question, TextOf) else list(question.values)
        weights = 1 / np.arange(1, len(values) + 1)
        edges = np.cumsum(weights) / weights.sum()
        places = np.searchsorted(edges, draw_below(stream, many, _FINE) / _FINE, side="right")
        places = np.minimum(places, len(values) - 1)
        for place, count in enumerate(np.bincount(places, minlength=len(values)).tolist()):
            if count:
                self.counts[name, values[place]] = self.counts.get((name, values[place]), 0) + count
        return pa.array(values).take(pa.array(places))

    def compared(self, answer: ReleasedAnswer) -> dict[str, Any]:
        """How many intervals hold the truth, and the root mean square of the errors."""
        inside, errors = [], []
        names = answer.keys.get("question", ("",) * len(answer))
        values = next(answer.keys[key] for key in ("value", "word", "of") if key in answer.keys)
        column = answer.answers[0]
        for row, (name, value) in enumerate(zip(names, values, strict=True)):
            low, high, found = column.low[row], column.high[row], column.values[row]
            if low is None or high is None or found is None:
                continue
            true = self._true(name, value)
            inside.append(low <= true <= high)
            errors.append((found - true) ** 2)
        return {
            "intervals": len(inside),
            "covered": float(np.mean(inside)),
            "root_mean_square_error": float(np.sqrt(np.mean(errors))),
            "found_of_top_20": self._found(values) if self.words else None,
        }

    def _true(self, name: str, value: Any) -> float:
        if value == "mean" and name in self.sums:
            total, count = self.sums[name]
            return total / count
        found = self.counts.get((name, value))
        if found is None and isinstance(
            self.question, Several
        ):  # categories of several questions are shown as text
            found = next(
                (many for (one, it), many in self.counts.items() if one == name and str(it) == value), 0
            )
        return float(found or 0)

    def _found(self, values: Any) -> float:
        often = sorted(self.counts, key=lambda key: -self.counts[key])[:20]
        return len({word for _, word in often} & set(values)) / max(len(often), 1)


def _made_words(question: TextOf) -> list[str]:
    """Different words over the alphabet, of all lengths, in an order that nothing depends on."""
    letters, words, at = question.alphabet, dict[str, None](), 1
    most = min(WORDS, sum(len(letters) ** length for length in range(1, question.length + 1)) // 2 + 1)
    while len(words) < most:
        at = at * 6364136223846793005 % 2**64 + 1442695040888963407
        length = 1 + (at >> 33) % question.length
        rest, made = at >> 11, []
        for _ in range(length):
            made.append(letters[rest % len(letters)])
            rest = rest // len(letters) or (at ^ len(words)) >> 7
        words["".join(made)] = None
    return list(words)


def _kept(tables: list[pa.Table], collection: Collection, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.concat_tables(tables, promote_options="permissive")
    if path.suffix == ".parquet":
        written_whole(
            path, Publishable(lambda partial: pq.write_table(table, partial), "released under a promise")
        )
    else:
        text = "\n".join(collection.lines(table)) + "\n"
        written_whole(path, Publishable(text, "released under a promise"))

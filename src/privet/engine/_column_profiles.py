"""What the columns of a table look like: a bounded sample of distinct values, and figures about all rows.

Owner only, like everything that is read off the data: a `Profile` holds raw values in memory, for detectors
to look at. It prints none of them, and nothing here can flow into a release.

Two scans for up to `WIDTH` columns at a time. The first counts; the second takes the distinct values whose
portable hash is smallest (a bottom-k sample, Cohen and Kaplan, PODC 2007), with their counts. So the sample
is uniform over the distinct values, is the same on every engine and in every order of rows, and long text is
cut inside the engine.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from privet.engine import _keyed_hash as keyed_hash
from privet.engine._dialects import canonical, keep_if, whole
from privet.engine._engine_results import fetch
from privet.engine._identifiers import did_you_mean
from privet.engine._relation import DUCKDB, ColumnKind, Relation
from privet.errors import UnknownColumn

WIDTH = 40  # columns that share a scan
LONGEST = 2_000  # characters of a value that are looked at
SAMPLE_TEXT = 400_000  # characters that one column's sample may hold
_FEWEST = 100  # values of long text that are looked at nevertheless
_ALL_UP_TO = 4  # times the sample: so many distinct values are all fetched, and counted exactly
_KEY = "profile"
_APART = "\x1f"


@dataclass(frozen=True, eq=False)
class Profile:
    """One column as its owner sees it.

    `values` are distinct values in text form, cut to `LONGEST` characters, each with the number of its rows.
    If `exact` is false there are more of them, and `distinct` is an estimate with a relative error of at most
    about two parts in a hundred (one standard error).
    """

    kind: ColumnKind
    type: str  # in the engine's words: "int64", "array<string>", …
    rows: int
    missing: int
    distinct: int
    exact: bool
    shortest: int | None  # characters of text
    longest: int | None
    values: tuple[tuple[str, int], ...] = field(repr=False)

    @property
    def present(self) -> int:
        """Rows that have a value."""
        return self.rows - self.missing


@dataclass(frozen=True)
class _Figures:
    rows: int
    present: int
    about: int  # distinct values, roughly
    shortest: int | None
    longest: int | None

    def sample(self, wanted: int) -> int:
        """How many values to take: fewer if they are long, so that wide tables of text fit into memory."""
        length = min(self.longest or 1, LONGEST)
        return max(min(wanted, SAMPLE_TEXT // max(length, 1)), min(wanted, _FEWEST))


def profile(
    relation: Relation, columns: Sequence[str] | None = None, *, sample: int = 2_000
) -> dict[str, Profile]:
    """A profile of each column, in the order asked for; all columns if none is named.

    Stability: none is claimed. Lists and structures are looked at in their text form, bytes are not looked at.
    """
    kinds = relation.columns
    names = list(kinds) if columns is None else list(columns)
    for name in names:
        if name not in kinds:
            raise UnknownColumn(f"there is no column {name!r}.", did_you_mean(name, kinds))
    found: dict[str, Profile] = {}
    for start in range(0, len(names), WIDTH):
        found |= _profiled(relation, names[start : start + WIDTH], kinds, sample)
    return found


def _profiled(
    relation: Relation, names: list[str], kinds: dict[str, ColumnKind], sample: int
) -> dict[str, Profile]:
    figures = _figures(relation, names)
    samples = _samples(relation, names, figures, sample)
    types = relation.table.schema()
    return {
        name: Profile(
            kind=kinds[name],
            type=str(types[name]),
            rows=one.rows,
            missing=one.rows - one.present,
            distinct=distinct,
            exact=exact,
            shortest=one.shortest,
            longest=one.longest,
            values=values,
        )
        for (name, one), (values, distinct, exact) in zip(figures.items(), samples, strict=True)
    }


def _figures(relation: Relation, names: list[str]) -> dict[str, _Figures]:
    """One scan that counts rows, missing values, distinct values (roughly) and letters."""
    table = relation.table
    asked: dict[str, Any] = {"rows": table.count()}
    for at, name in enumerate(names):
        value = _looked_at(table[name], relation.engine)
        asked[f"present{at}"] = value.count()
        if not table[name].type().is_binary():
            asked[f"about{at}"] = value.approx_nunique()
        if value.type().is_string():
            length = _text(table[name]).length()
            asked[f"shortest{at}"], asked[f"longest{at}"] = length.min(), length.max()
    got = fetch(table.aggregate(**asked), relation.engine).to_pylist()[0]
    return {
        name: _Figures(
            got["rows"],
            got[f"present{at}"],
            got.get(f"about{at}", 0),
            got.get(f"shortest{at}"),
            got.get(f"longest{at}"),
        )
        for at, name in enumerate(names)
    }


def _samples(
    relation: Relation, names: list[str], figures: dict[str, _Figures], sample: int
) -> Iterator[tuple[tuple[tuple[str, int], ...], int, bool]]:
    """For each column: sampled values with their counts, how many there are in all, and whether that is exact."""
    cut: dict[int, int | None] = {}
    marked = {}
    for at, name in enumerate(names):
        about, wanted = figures[name].about, figures[name].sample(sample)
        if about:
            cut[at] = None if about <= _ALL_UP_TO * wanted else keyed_hash.PRIME * 2 * wanted // about
            marked[at] = _marked(relation.table[name], cut[at], relation.engine)
    counted = _counted_by_histogram if relation.engine == DUCKDB else _counted_by_group
    found: dict[int, list[tuple[int, str, int]]] = {}
    for at, text, count in counted(relation, marked) if marked else ():
        order, value = (0, text) if cut[at] is None else _parted(text)
        found.setdefault(at, []).append((order, value, count))
    for at, name in enumerate(names):
        one = figures[name]
        yield _chosen(found.get(at, []), one.sample(sample), one, every=cut.get(at) is None)


def _marked(value: Any, cut: int | None, engine: str) -> Any:
    """The value as text; if not all are wanted, behind its place in hashed order, and missing beyond the cut."""
    import ibis

    seen = _looked_at(value, engine)
    text = seen.cast("string")
    if cut is None:
        return text
    word = keyed_hash.combined([keyed_hash.word(seen, engine, _KEY)], _KEY)
    order = keyed_hash.round_of(keyed_hash.round_of(word, 0, _KEY), 1, _KEY)
    return keep_if((order < whole(cut)) & seen.notnull(), order.cast("string") + ibis.literal(_APART) + text)


def _counted_by_histogram(relation: Relation, marked: dict[int, Any]) -> Iterator[tuple[int, str, int]]:
    """How often each text occurs, column by column: DuckDB has an aggregate for that, and scans once."""
    asked = {f"h{at}": _histogram()(text) for at, text in marked.items()}
    got = fetch(relation.table.aggregate(**asked), relation.engine).to_pylist()[0]
    for at in marked:
        for text, count in got[f"h{at}"] or ():
            yield at, text, count


@functools.cache
def _histogram() -> Any:
    import ibis

    def counts(value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        ...

    return ibis.udf.agg.builtin(counts, name="histogram", signature=(("string",), "map<string, int64>"))


def _counted_by_group(relation: Relation, marked: dict[int, Any]) -> Iterator[tuple[int, str, int]]:
    """The same on other engines: all columns below each other, behind their numbers, in one scan."""
    import ibis

    numbered = [ibis.literal(f"{at}{_APART}") + text for at, text in marked.items()]
    spread = relation.table.select(v=ibis.array(numbered).unnest())
    spread = spread.filter(spread.v.notnull())
    for row in fetch(spread.group_by("v").aggregate(n=spread.count()), relation.engine).to_pylist():
        at, text = _parted(row["v"])
        yield at, text, row["n"]


def _parted(text: str) -> tuple[int, str]:
    number, _, rest = text.partition(_APART)
    return int(number), rest


def _chosen(
    found: list[tuple[int, str, int]], wanted: int, figures: _Figures, *, every: bool
) -> tuple[tuple[tuple[str, int], ...], int, bool]:
    values = sorted(found)
    first = tuple((value, count) for _, value, count in values[:wanted])
    if every or len(values) <= wanted:
        return first, len(values), every
    return first, _estimated([count for _, count in first], values[wanted - 1][0], figures.present), False


def _estimated(counts: list[int], last: int, present: int) -> int:
    """Distinct values in all, from a bottom-k sample.

    By the place of the last hash the relative error is 1/√k (Beyer et al., SIGMOD 2007). Rows divided by the
    mean count is exact where all values are alike, as identifiers are, and wrong where a few are frequent:
    it is taken where it agrees with the first within four of its errors.
    """
    many = len(counts)
    by_rows = present * many / sum(counts)
    by_place = (many - 1) * keyed_hash.PRIME / max(last, 1)
    agree = abs(by_rows / by_place - 1) < 4 / math.sqrt(many)
    return min(max(round(by_rows if agree else by_place), many), present)


def _looked_at(value: Any, engine: str) -> Any:
    """The column as detectors see it: canonical, in text form if it is not a plain value, long text cut."""
    dtype = value.type()
    if dtype.is_binary():
        return value
    if dtype.is_string() or dtype.is_uuid() or _nested(dtype):
        return _text(value).substr(0, LONGEST)
    return canonical(value, engine)


def _text(value: Any) -> Any:
    return value.cast("string")


def _nested(dtype: Any) -> bool:
    """Whether a type has no plain value: lists, structures, maps, JSON, times of day and the like."""
    plain = (dtype.is_boolean(), dtype.is_numeric(), dtype.is_date(), dtype.is_timestamp())
    return not any(plain)

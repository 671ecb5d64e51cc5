"""What the search for a person key looks at: a few candidate columns with all rows of some of their values."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privet.audits.columns import unit_of
from privet.disclosure import RepeatedWitness, distinct, joined
from privet.engine import ColumnKind, FrequencyTable, Share, frequency_table, keyed_sample

if TYPE_CHECKING:
    from privet.audits._column_finding import ColumnFinding
    from privet.engine import Profile, Relation

Integers = NDArray[np.int64]

BUDGET = 20_000  # rows for each candidate
MOST_KEYS, MOST_COLUMNS = 12, 60
_FEWEST, _UNIQUE, _REPEATED = 4, 0.97, 0.10
_MISSING = 0.10
_GROUPS = 50  # values of a candidate that are looked at, at least, however many rows they have
_LONG = 64  # characters of text beyond which a column is no witness
_MARGIN = 1.1


@dataclass(frozen=True, eq=False)
class Sampled:
    """Rows as codes, for the owner only: which belong to the sample of each candidate, and the columns beside them."""

    keys: tuple[str, ...]
    columns: tuple[str, ...]
    matrix: NDArray[np.int64] = field(repr=False)  # by column, missing below 0
    members: dict[str, NDArray[np.bool_]] = field(repr=False)
    sizes: dict[str, tuple[int, int]] = field(repr=False)  # values and rows in the whole table
    whole: bool

    @property
    def sentence(self) -> str | None:
        """What was looked at, if not everything was."""
        if self.whole:
            return None
        return (
            f"the table is large: of each candidate, all rows of some values were looked at, chosen by a keyed hash "
            f"(about {BUDGET:,} rows)"
        )

    def codes(self, name: str) -> Integers:
        """The codes of a column in all sampled rows."""
        found: Integers = self.matrix[self.columns.index(name)]
        return found

    def rows_of(self, key: str) -> NDArray[np.bool_]:
        """The rows that were sampled for a candidate."""
        return self.members[key]

    def distinct(self, name: str) -> int:
        """Values that a column has in the sample."""
        return int(self.codes(name).max(initial=-1)) + 1

    def size(self, columns: Sequence[str]) -> tuple[int, int]:
        """How many values a key has over how many rows; of two columns, those of the sample."""
        if len(columns) == 1:
            return self.sizes[columns[0]]
        rows = self.rows_of(columns[-1])
        return distinct(joined([self.codes(name)[rows] for name in columns])), int(rows.sum())

    def witnesses(self, beside: Sequence[str], rows: NDArray[np.bool_]) -> dict[str, RepeatedWitness]:
        """The other columns in these rows."""
        every = bool(rows.all())
        return {
            name: self._whole(name) if every else RepeatedWitness.of(self.codes(name)[rows])
            for name in self.columns
            if name not in beside and not (name in self.keys and self._same(name, beside[-1]))
        }

    @functools.cached_property
    def _known(self) -> dict[str, RepeatedWitness]:
        return {}

    def _whole(self, name: str) -> RepeatedWitness:
        """A column in all rows, prepared once."""
        if name not in self._known:
            self._known[name] = RepeatedWitness.of(self.codes(name))
        return self._known[name]

    def _same(self, name: str, key: str) -> bool:
        """Whether two candidates number the same things: then neither speaks for the other."""
        rows = self.rows_of(key)
        one, other = self.codes(name)[rows], self.codes(key)[rows]
        return distinct(joined([one, other])) <= _MARGIN * min(distinct(one), distinct(other))


def sampled(
    relation: Relation, findings: Mapping[str, ColumnFinding], profiles: Mapping[str, Profile]
) -> Sampled:
    """Read what the search needs: everything if that is little, else samples of whole values in one scan."""
    rows = max((profile.rows for profile in profiles.values()), default=0)
    keys = _candidates(profiles)
    columns = _columns(keys, findings, profiles)
    sizes = {name: (profiles[name].distinct, rows) for name in keys}
    if not keys:
        return Sampled((), (), np.zeros((0, 0), np.int64), {}, {}, whole=True)
    if rows <= BUDGET:
        found = frequency_table(relation, columns)
        matrix = _matrix(found, columns)
        every = {name: matrix[columns.index(name)] >= 0 for name in keys}
        return Sampled(keys, columns, matrix, every, sizes, whole=True)
    shares = {name: _share(profiles[name]) for name in keys}
    found, flags = keyed_sample(relation, columns, shares)
    matrix = _matrix(found, columns)
    marked = _repeated(found, flags)
    members = {name: marked[at] & (matrix[columns.index(name)] >= 0) for at, name in enumerate(keys)}
    return Sampled(keys, columns, matrix, members, sizes, whole=False)


def _share(profile: Profile) -> Share:
    """So many values that their rows fit the budget; of few values with very many rows, some rows of each."""
    size = profile.rows / max(profile.distinct, 1)
    values = min(profile.distinct, max(_GROUPS, BUDGET / size))
    return Share(values / max(profile.distinct, 1), min(1.0, BUDGET / (values * size)))


def _matrix(found: FrequencyTable, columns: Sequence[str]) -> NDArray[np.int64]:
    """Codes by column, each row as often as it occurs, missing values as -1."""
    matrix = np.empty((len(columns), int(found.counts.sum())), np.int64)
    for at in range(len(columns)):
        labels = found.labels[at]
        codes = found.codes[:, at].astype(np.int64)
        if labels.null_count:
            codes[codes == len(labels) - 1] = -1
        matrix[at] = np.repeat(codes, found.counts)
    return matrix


def _repeated(found: FrequencyTable, flags: Sequence[str]) -> list[NDArray[np.bool_]]:
    """For each flag, the rows in which it is true."""
    marked = []
    for name in flags:
        at = found.columns.index(name)
        truth = np.array([label is True for label in found.labels[at].to_pylist()], np.bool_)
        marked.append(np.repeat(truth[found.codes[:, at]], found.counts))
    return marked


def _candidates(profiles: Mapping[str, Profile]) -> tuple[str, ...]:
    """Discrete columns that repeat, but not all the time: those whose names promise most, then the finest."""
    fit = [name for name, profile in profiles.items() if _may_be_key(profile)]

    def promise(name: str) -> tuple[float, int]:
        unit = unit_of(name)
        return (-(unit.points if unit else 0.0), -profiles[name].distinct)

    return tuple(sorted(fit, key=promise)[:MOST_KEYS])


def _may_be_key(profile: Profile) -> bool:
    if profile.kind not in (ColumnKind.INTEGER, ColumnKind.TEXT, ColumnKind.REAL):
        return False
    if profile.missing > _MISSING * profile.rows or (profile.longest or 0) > _LONG:
        return False
    if profile.kind is ColumnKind.REAL and not all(_is_whole(value) for value, _ in profile.values):
        return False
    if not _FEWEST <= profile.distinct <= _UNIQUE * profile.present:
        return False
    counts = [count for _, count in profile.values]
    return sum(count for count in counts if count > 1) >= _REPEATED * sum(counts)


def _is_measured(profile: Profile) -> bool:
    """Whether values are measurements or times, which may all differ and still be more alike within a person."""
    fractions = profile.kind is ColumnKind.REAL and not all(_is_whole(value) for value, _ in profile.values)
    return fractions or profile.kind in (ColumnKind.DATE, ColumnKind.TIMESTAMP)


def _is_whole(text: str) -> bool:
    try:
        return float(text).is_integer()
    except ValueError:
        return False


def _columns(
    keys: Sequence[str], findings: Mapping[str, ColumnFinding], profiles: Mapping[str, Profile]
) -> tuple[str, ...]:
    """The candidates and the columns that may speak for or against them, the most telling ones if there are many."""
    others = [
        name
        for name, profile in profiles.items()
        if name not in keys
        and profile.kind is not ColumnKind.OTHER
        and (profile.longest or 0) <= _LONG
        and profile.distinct >= 2
        and (profile.distinct <= _UNIQUE * profile.present or _is_measured(profile))
    ]

    def telling(name: str) -> tuple[bool, bool, int]:
        finding = findings[name]
        return (finding.unknown, finding.missing_share > 0.5, finding.distinct)

    room = max(0, MOST_COLUMNS - len(keys))
    chosen = set(sorted(others, key=telling)[:room])
    rest = sorted((name for name in others if name in chosen), key=lambda name: -profiles[name].distinct)
    return (*rest, *keys)

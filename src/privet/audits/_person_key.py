"""Which column says whose rows they are: candidates with evidence, for somebody who knows the data to confirm.

    found = person_keys(table, classify(table))
    found.candidates[0].columns, found.candidates[0].confidence      # ("id",), "proposed"

The data speak first (`privet.disclosure._repeated_measures`), so that a key is found whatever it is called; names add to
it, or take away. A key may be two columns, where numbers start anew in each centre. Candidates never hold a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from privet.audits._key_evidence import sentences
from privet.audits._key_sample import Sampled, sampled
from privet.audits.columns import unit_of
from privet.disclosure import (
    CONSTANT,
    FEWEST,
    Measures,
    common_multiple,
    joined,
    measures,
    restarts,
    unique_share,
)
from privet.engine import ColumnKind, key_name

if TYPE_CHECKING:
    from privet.audits._column_finding import ColumnFinding
    from privet.engine import Profile
    from privet.source import Table

Kind = Literal["person", "household", "group"]
Confidence = Literal["proposed", "ask", "weak"]
PROPOSED, ASK, SHOWN = 2.5, 2.0, 1.0
_NEAR = 1.0  # of two keys so close in score, the finer one is the person's
_STATIC, _CROSSING, _BALANCED, _BLOCKS = (0.0, 1.0, 2.0, 2.5), 1.5, 0.5, 0.5
_CLUSTERED, _UNRELATED, _DIFFERENT = (0.0, 0.5, 1.0), -2.0, -1.5
_SAME = 0.8  # of the values within which what makes a person is constant, or they are not persons
_HOUSEHOLD = 8.0  # rows of one value, on average, up to which people who differ may be a household
_MANY_PEOPLE = 30.0  # and beyond which they are none, whatever the name says
_UNIQUE = 0.97  # values for each row above which a column hardly repeats
_MOST_OUTER, _MOST_INNER = (
    50,
    6,
)  # values of the column that numbers start anew in; keys that are tried with one
# What makes a person: it does not change from row to row.
ATTRIBUTES = (
    "user.demographic.gender",
    "user.demographic.date_of_birth",
    "user.demographic.year_of_birth",
    "user.demographic.race",
    "user.name",
)


@dataclass(frozen=True)
class PersonKey:
    """A column, or two together, that may say whose rows they are.

    `confidence` is "proposed" where it may stand as a default, "ask" where a person must be asked, "weak" where it is
    shown for completeness. If `one_row_each`, no value repeats: each row is somebody else's, if it numbers persons.
    """

    columns: tuple[str, ...]
    kind: Kind
    score: float
    confidence: Confidence
    values: int
    rows: int
    evidence: tuple[str, ...]
    one_row_each: bool = False

    @property
    def name(self) -> str:
        """The columns in a sentence."""
        return self.columns[0] if len(self.columns) == 1 else f"({', '.join(self.columns)})"

    @property
    def option(self) -> str:
        """What `--unit` and `Person(…)` call it."""
        return key_name(self.columns)

    def sentence(self) -> str:
        """What speaks for it."""
        return f"{self.name}: " + "; ".join(self.evidence)

    def to_json(self) -> dict[str, Any]:
        """For `--json`; holds no value of the data."""
        return {
            "columns": list(self.columns),
            "unit": self.option,
            "kind": self.kind,
            "score": round(self.score, 2),
            "confidence": self.confidence,
            "values": self.values,
            "rows": self.rows,
            "one_row_each": self.one_row_each,
            "evidence": list(self.evidence),
        }


@dataclass(frozen=True)
class PersonKeys:
    """The candidates, the best first; and what is known where no column is one."""

    candidates: tuple[PersonKey, ...] = ()
    unkeyed: str | None = (
        None  # a sentence, if rows seem to come in blocks for each person and no column says whose
    )
    sampled: str | None = None  # a sentence, if not all values were looked at

    @property
    def repeated(self) -> tuple[PersonKey, ...]:
        """Candidates by which somebody has several rows, and about which a person must be asked."""
        return tuple(one for one in self.candidates if not one.one_row_each and one.score >= ASK)

    @property
    def proposed(self) -> PersonKey | None:
        """The key that may stand as a default until somebody confirms it; None if none may."""
        return next((one for one in self.repeated if one.confidence == "proposed"), None)

    def to_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "candidates": [one.to_json() for one in self.candidates],
            "several_rows_without_a_key": self.unkeyed,
            "sampled": self.sampled,
        }


def person_keys(
    table: Table, findings: Mapping[str, ColumnFinding], profiles: Mapping[str, Profile]
) -> PersonKeys:
    """The columns that may say whose rows they are, from the data and from their names.

    Args:
        table: The table.
        findings: What its columns are, by `classify`.
        profiles: What its columns look like, by `privet.engine._column_profiles.profile`.
    """
    data = sampled(table.relation, findings, profiles)
    single = [_measured(data, (name,)) for name in data.keys]
    found = [*_without_restarts(single, data, findings), *_pairs(single, data, findings)]
    keys = _ranked([_key(one, data, findings) for one in found], {one.columns: one.marks for one in found})
    alone = tuple(_numbers(findings, profiles))
    explained = any(key.score >= ASK for key in keys) or any(one.marks.balanced for one in found)
    return PersonKeys(
        tuple(key for key in (*keys, *alone) if key.score >= SHOWN),
        None if explained else _unkeyed(profiles),
        data.sentence,
    )


@dataclass(frozen=True)
class _Marked:
    """A possible key with its marks."""

    columns: tuple[str, ...]
    marks: Measures
    restarts_in: str | None = None  # numbers start anew in this column, so that alone it says nothing
    unique_with: float = field(default=0.0)


def _measured(data: Sampled, columns: tuple[str, ...]) -> _Marked:
    rows = data.rows_of(columns[-1])
    key = joined([data.codes(name)[rows] for name in columns])
    return _Marked(columns, measures(key, data.witnesses(columns, rows)))


# --- composite keys ----------------------------------------------------------------------------


def _outer(inner: _Marked, data: Sampled, findings: Mapping[str, ColumnFinding]) -> list[str]:
    """Columns of few values in which a key's numbers could start anew."""
    marks = inner.marks
    return [
        name
        for name in data.columns
        if name not in inner.columns
        and 2 <= data.distinct(name) <= _MOST_OUTER
        and name not in marks.static
        and marks.constant.get(name, 1.0) < _SAME
        and not findings[name].category.startswith(ATTRIBUTES)
    ]


def _pairs(single: list[_Marked], data: Sampled, findings: Mapping[str, ColumnFinding]) -> list[_Marked]:
    """Two columns that say together what neither says alone: what varies within one is constant within both."""
    found = []
    order = sorted(single, key=lambda one: -_score(one, findings))
    for inner in [one for one in order if not one.marks.static][:_MOST_INNER]:
        best: _Marked | None = None
        for outer in _outer(inner, data, findings):
            rows = data.rows_of(inner.columns[0])
            if restarts(data.codes(inner.columns[0])[rows], data.codes(outer)[rows]) < 0.5:
                continue
            pair = _measured(data, (outer, inner.columns[0]))
            if _explains(pair.marks, inner.marks) and (best is None or _better(pair, best)):
                best = pair
        found += [best] if best else []
    return found


def _explains(pair: Measures, alone: Measures) -> bool:
    """Whether several columns become constant by taking the second one in, and persons still have several rows."""
    new = [name for name in pair.static if alone.constant.get(name, 1.0) < _SAME]
    enough = len(new) >= 2 or (len(new) == 1 and bool(pair.crossing))
    return enough and pair.several >= max(FEWEST, 0.5 * pair.values) and pair.values >= 1.3 * alone.values


def _better(one: _Marked, other: _Marked) -> bool:
    return (len(one.marks.static), -one.marks.values) > (len(other.marks.static), -other.marks.values)


def _without_restarts(
    single: list[_Marked], data: Sampled, findings: Mapping[str, ColumnFinding]
) -> list[_Marked]:
    """Keys, marked where their numbers start anew in another column and name nobody alone: (year, id) is unique."""
    found = []
    for one in single:
        within = next((name for name in _outer(one, data, findings) if _is_row_number(one, name, data)), None)
        nobody = one.marks.unrelated or _differs(one.marks, findings) is not None
        found.append(_Marked(one.columns, one.marks, within if nobody else None))
    return found


def _is_row_number(one: _Marked, outer: str, data: Sampled) -> bool:
    rows = data.rows_of(one.columns[0])
    inner, other = data.codes(one.columns[0])[rows], data.codes(outer)[rows]
    return unique_share(joined([other, inner])) >= 0.995 and restarts(inner, other) >= 0.5


# --- scores and kinds --------------------------------------------------------------------------


def _differs(marks: Measures, findings: Mapping[str, ColumnFinding]) -> str | None:
    """A column that makes a person and differs within values: whoever they are, they are not one person each."""
    made = [
        name
        for name, share in marks.constant.items()
        if share < _SAME and name in findings and findings[name].category.startswith(ATTRIBUTES)
    ]
    return min(made, key=lambda name: marks.constant[name], default=None)


def _score(one: _Marked, findings: Mapping[str, ColumnFinding]) -> float:
    marks = one.marks
    name = unit_of(one.columns[-1])
    total = name.points if name else 0.0
    total += _STATIC[min(len(marks.static), 3)] + _CROSSING * bool(marks.crossing)
    total += _BALANCED * marks.balanced + _BLOCKS * bool(marks.blocks)
    if marks.clustered:
        total += _CLUSTERED[2 if 3 * len(marks.clustered) >= len(marks.varying) else 1]
    if marks.unrelated:
        total += _UNRELATED
    if _differs(marks, findings) is not None and not _is_household(one):
        total += _DIFFERENT
    return total - (_CROSSING * bool(marks.crossing) if one.restarts_in else 0.0)


def _is_household(one: _Marked) -> bool:
    """Whether the name says so, and there are not too many rows of each."""
    name = unit_of(one.columns[-1])
    return name is not None and name.kind == "household" and one.marks.rows <= _MANY_PEOPLE * one.marks.values


def _kind(one: _Marked, findings: Mapping[str, ColumnFinding]) -> Kind:
    name = unit_of(one.columns[-1])
    if _is_household(one):
        return "household"
    if name is not None and name.kind == "group":
        return "group"
    if _differs(one.marks, findings) is None:
        return "person"
    return "household" if one.marks.rows / one.marks.values <= _HOUSEHOLD else "group"


def _key(one: _Marked, data: Sampled, findings: Mapping[str, ColumnFinding]) -> PersonKey:
    score, kind = _score(one, findings), _kind(one, findings)
    values, rows = data.size(one.columns)
    said = sentences(
        one.columns,
        one.marks,
        values=values,
        rows=rows,
        name=unit_of(one.columns[-1]),
        differs=None if kind == "person" else _differs(one.marks, findings),
        restarts_in=one.restarts_in,
    )
    return PersonKey(one.columns, kind, score, _confidence(score, kind), values, rows, said)


def _confidence(score: float, kind: Kind) -> Confidence:
    if score >= PROPOSED and kind != "group":
        return "proposed"
    return "ask" if score >= ASK else "weak"


def _ranked(keys: list[PersonKey], marks: Mapping[tuple[str, ...], Measures]) -> list[PersonKey]:
    """The best first; but of two that are nearly as good, the one inside the other: a person is in a household.

    Two columns together must be clearly better than any one.
    """
    alone = max((key.score for key in keys if len(key.columns) == 1), default=0.0)
    usable = [key for key in keys if len(key.columns) == 1 or key.score >= alone + _NEAR]
    order = sorted(usable, key=lambda key: (-key.score, key.kind == "group", -key.values))
    if not order:
        return []
    first = order[0]
    for key in order[1:]:
        near = key.score >= max(first.score - _NEAR, ASK) and key.kind != "group"
        if near and key.values > first.values and _inside(key, first, marks):
            first = key
    return [first, *(key for key in order if key is not first)]


def _inside(fine: PersonKey, coarse: PersonKey, marks: Mapping[tuple[str, ...], Measures]) -> bool:
    """Whether each value of one key belongs to one value of the other."""
    constant = marks[fine.columns].constant
    return all(name in fine.columns or constant.get(name, 0.0) >= CONSTANT for name in coarse.columns)


# --- where nothing repeats, or nothing says whose ----------------------------------------------


def _numbers(findings: Mapping[str, ColumnFinding], profiles: Mapping[str, Profile]) -> list[PersonKey]:
    """Columns that number something and never repeat: if they number persons, each row is another person's."""
    found = []
    for name, finding in findings.items():
        profile, unit = profiles[name], unit_of(name)
        plain = profile.kind in (ColumnKind.INTEGER, ColumnKind.TEXT) and profile.present > 1
        if not plain or finding.role != "direct" or finding.distinct < _UNIQUE * profile.rows:
            continue
        points = unit.points if unit and unit.kind in ("person", "household", "") else 0.0
        if points <= 0:
            continue
        said = (
            f"{finding.distinct:,} values over {profile.rows:,} rows, so that it hardly repeats",
            finding.reason,
        )
        found.append(
            PersonKey(
                (name,), "person", points, "weak", finding.distinct, profile.rows, said, one_row_each=True
            )
        )
    return sorted(found, key=lambda key: -key.score)


def _unkeyed(profiles: Mapping[str, Profile]) -> str | None:
    """A sentence where values of columns occur in multiples of one number of rows, and no column says whose."""
    blocks: dict[int, list[str]] = {}
    for name, profile in profiles.items():
        whole = profile.exact and len(profile.values) == profile.distinct and profile.missing == 0
        if whole and 1 < profile.distinct < profile.rows / 2:
            size = common_multiple([count for _, count in profile.values])
            if size > 1:
                blocks.setdefault(size, []).append(name)
    if not blocks:
        return None
    size, names = max(blocks.items(), key=lambda pair: (len(pair[1]), pair[0]))
    listed = " and ".join(repr(name) for name in names[:3])
    return (
        f"every value of {listed} occurs in a multiple of {size} rows: rows may come in blocks of {size} for each person, "
        "and no column says whose they are"
    )

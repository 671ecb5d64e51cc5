"""People an attacker looks for, and how likely each published row is theirs: the truth that linkage is scored with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks._attack_registry import Case
from privet.attacks.tables._record_matching import Matched, matched
from privet.attacks.tables._released_rows import (
    Released,
    columns_with,
    refuse_absent,
    refuse_empty,
    rows_of,
)
from privet.attacks.tables._table_codes import as_text
from privet.errors import BadAttack, NoPower
from privet.guarantee import Person
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Owners:
    """People with what is known of them, their published candidates, and their own original rows.

    Where a published row does not say whose it is, an original row is taken to be any of those that fit it: rows of
    a class are in random order.
    """

    columns: tuple[tuple[str, str], ...]  # published and known names
    published: pa.Table = field(repr=False)
    known: pa.Table = field(repr=False)
    matched: Matched = field(repr=False)  # by what the attacker knows
    truth: Matched = field(repr=False)  # by the original rows
    person: NDArray[np.int64] = field(repr=False)  # pairs of a person …
    row: NDArray[np.int64] = field(repr=False)  # … and an original row of theirs
    unit: NDArray[np.int64] | None = field(
        repr=False, default=None
    )  # whose each original row is; None: one each
    named: bool = False  # whether published rows say which of them are of one person

    @cached_property
    def _published_own(self) -> NDArray[np.float64]:
        """For each pair how surely the row was published: 1, or 0 where it was suppressed."""
        return np.asarray((self.truth.fits[self.row] @ self.truth.sizes) > 0, float)

    @cached_property
    def findable(self) -> NDArray[np.int64]:
        """People with a published row."""
        found = np.bincount(self.person, weights=self._published_own, minlength=self.known.num_rows) > 0
        people = np.flatnonzero(found)
        if not len(people):
            raise NoPower(
                "nobody who is looked for has a row in the published table.",
                "Give people who are in it: the original as members, and who is who as truth.",
            )
        return people

    def own_rows(self) -> NDArray[np.float64]:
        """How many published rows each findable person has."""
        found = np.bincount(self.person, weights=self._published_own, minlength=self.known.num_rows)
        return np.asarray(found[self.findable], float)

    def chances_of_all(self) -> NDArray[np.float64]:
        """For each person the chance to be named by somebody who draws evenly among the people behind the rows that fit."""
        mine, theirs = self.matched.fits[self.person], self.truth.fits[self.row]
        both = np.asarray(mine.multiply(theirs) @ self.matched.sizes, float)
        whole = np.asarray(theirs @ self.truth.sizes, float)
        among = np.divide(both, whole, out=np.zeros(len(both)), where=whole > 0)
        own = np.zeros(self.known.num_rows)
        np.maximum.at(own, self.person, among)
        return np.asarray(own / np.maximum(self.rivals, 1), float)

    @cached_property
    def rivals(self) -> NDArray[np.int64]:
        """For each person how many people are behind the rows that fit: where people have several rows, fewer than rows."""
        rows = self.matched.candidates
        if self.unit is None:
            return rows
        from scipy.sparse import csr_array

        known = self.unit >= 0
        shape = (len(self.unit), int(self.unit.max(initial=0)) + 1)
        whose = csr_array(
            (np.ones(int(known.sum()), np.int64), (np.flatnonzero(known), self.unit[known])), shape=shape
        )
        behind = csr_array(self.truth.fits.T @ whose)
        people = csr_array(self.matched.fits @ behind)
        return np.asarray(np.minimum(rows, np.diff(people.indptr)), np.int64)

    def chances(self) -> NDArray[np.float64]:
        """The chances of findable people."""
        return self.chances_of_all()[self.findable]

    def candidates(self) -> NDArray[np.int64]:
        """How many rows fit each findable person."""
        return self.matched.candidates[self.findable]

    def alone(self) -> NDArray[np.bool_]:
        """People with one row that fits (or rows of one person, where rows say so), fitting nobody else."""
        suitors = np.asarray(self.matched.fits.sum(axis=0)).reshape(-1)
        one = (self.rivals if self.named else self.matched.candidates) == 1
        rivals = np.asarray(self.matched.fits @ (suitors - 1)).reshape(-1)
        found: NDArray[np.bool_] = one & (rivals == 0)
        return found

    def chance_that(self, rows: NDArray[np.int64], people: NDArray[np.int64]) -> NDArray[np.float64]:
        """For pairs of a published row and a person, the chance that the row is theirs."""
        from scipy.sparse import csr_array

        if not len(rows):
            return np.zeros(0)
        shape = (self.known.num_rows, self.truth.fits.shape[0])
        owns = csr_array((np.ones(len(self.person)), (self.person, self.row)), shape=shape)
        whole = np.asarray(self.truth.fits @ self.truth.sizes, float)
        share = csr_array(self.truth.fits.multiply(1 / np.maximum(whole, 1)[:, None]))
        belongs = csr_array(owns @ share)[people]  # claims × classes of original rows
        classes = self.truth.class_of[rows]
        picked = csr_array((np.ones(len(rows)), (np.arange(len(rows)), classes)), shape=belongs.shape)
        found = np.asarray(belongs.multiply(picked).sum(axis=1), float).reshape(-1)
        return np.asarray(np.minimum(1.0, found), float)

    def notes(self) -> tuple[str, ...]:
        """What the attacker could not read."""
        return tuple(
            f"{number} published values of {column!r} could not be read without its hierarchy: each was taken to stand "
            "for everything that is not published as it is."
            for column, number in self.matched.unread.items()
        )


def owners_of(released: Released, case: Case) -> Owners:
    """Whom the attacker looks for: the people of `auxiliary`, or everybody in the original.

    Settings: `quasi`, the columns to link by; `link`, their names in the auxiliary table where they differ; `truth`,
    a table that says who is who (a column of the original and one of the auxiliary table, by name); `hierarchies`.
    """
    original = rows_of(case.members)
    known = original if case.auxiliary is None else rows_of(case.auxiliary)
    refuse_empty(published=released.rows, members=original, auxiliary=known)
    quasi = columns_with("quasi", released, case)
    link = dict(case.setting("link", {}))
    pairs = tuple((name, link.get(name, name)) for name in quasi)
    if case.auxiliary is not None and not link:
        pairs = tuple(pair for pair in pairs if pair[1] in known.column_names)
    if not pairs:
        raise BadAttack(
            "the auxiliary table has none of the columns to link by.",
            "Say which mean the same: link={'born': 'date_of_birth'}.",
        )
    refuse_absent(original, [name for name, _ in pairs], "the original table")
    refuse_absent(known, [name for _, name in pairs], "the auxiliary table")
    hierarchies = case.setting("hierarchies", None)
    fits = matched(released.rows, known, pairs, hierarchies)
    person, row, names = _who(original, known, case)
    identity = None if names is None else _identity(released.rows, original, names)
    truth = (
        _by_identity(*identity) if identity is not None else _by_cells(released, original, pairs, fits, case)
    )
    if identity is None:
        truth.refuse_strangers()
    return Owners(
        pairs,
        released.rows,
        known,
        _same_classes(fits, truth),
        truth,
        person,
        row,
        _unit(original, names),
        identity is not None,
    )


def _unit(original: pa.Table, name: str | None) -> NDArray[np.int64] | None:
    """Whose each original row is, as a whole number."""
    if name is None:
        return None
    texts = as_text(original.column(name))
    return _place(texts, texts.combine_chunks().unique().drop_null())


def _by_cells(
    released: Released, original: pa.Table, pairs: Sequence[tuple[str, str]], fits: Matched, case: Case
) -> Matched:
    if case.auxiliary is None:
        return fits
    return matched(
        released.rows, original, [(ours, ours) for ours, _ in pairs], case.setting("hierarchies", None)
    )


def _by_identity(published: NDArray[np.int64], original: NDArray[np.int64]) -> Matched:
    """Rows that say whose they are: each is a class of its own."""
    from scipy.sparse import csr_array

    from privet.disclosure.linkage import joined

    pairs = joined(original, published)
    shape = (len(original), len(published))
    # A person's several rows share the published ones: each original row stands for its part of them.
    fits = csr_array((np.ones(len(pairs.left), np.int64), (pairs.left, pairs.right)), shape=shape)
    return Matched(np.arange(len(published)), np.ones(len(published), np.int64), fits)


def _same_classes(fits: Matched, truth: Matched) -> Matched:
    """Both tables by the same classes: rows one by one, where the truth names rows."""
    if len(fits.sizes) == len(truth.sizes) and np.array_equal(fits.class_of, truth.class_of):
        return fits
    from scipy.sparse import csr_array

    rows = len(fits.class_of)
    spread = csr_array(
        (np.ones(rows, np.int64), (fits.class_of, np.arange(rows))), shape=(len(fits.sizes), rows)
    )
    return Matched(truth.class_of, truth.sizes, csr_array(fits.fits @ spread), fits.unread)


def _who(
    original: pa.Table, known: pa.Table, case: Case
) -> tuple[NDArray[np.int64], NDArray[np.int64], str | None]:
    """Pairs of a person and an original row of theirs, and the original's column that names people."""
    if case.auxiliary is None:
        return _everybody(original, case)
    truth = case.setting("truth", None)
    if truth is None:
        raise BadAttack(
            "nothing says who is who in the auxiliary table.",
            "Set truth to a table with a column of the original and one of the auxiliary table.",
        )
    who = rows_of(truth)
    theirs = next((name for name in who.column_names if name in known.column_names), None)
    ours = next((name for name in who.column_names if name in original.column_names and name != theirs), None)
    if ours is None or theirs is None:
        raise BadAttack(
            "the truth does not say who is who in both tables.",
            "It needs a column of the original and one of the auxiliary table, by the same names.",
        )
    person = _index(who.column(theirs), known.column(theirs))
    return *_joined(person, who.column(ours), original.column(ours)), ours


def _everybody(original: pa.Table, case: Case) -> tuple[NDArray[np.int64], NDArray[np.int64], str | None]:
    """Everybody is looked for, by each of their rows; all rows of one person are theirs."""
    from privet.disclosure.linkage import joined

    stated = case.setting("unit", None)
    if stated is None and isinstance(case.members, Table) and isinstance(case.members.unit, Person):
        stated = case.members.unit.column
    unit = _unit(original, stated if stated in original.column_names else None)
    everybody = np.arange(original.num_rows)
    if unit is None:
        return everybody, everybody, None
    pairs = joined(unit, unit)
    return pairs.left, pairs.right, stated


def _joined(
    person: NDArray[np.int64], names: Any, original: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each line of the truth all rows of that name."""
    from privet.disclosure.linkage import joined

    distinct = as_text(names).combine_chunks().unique().drop_null()
    pairs = joined(
        np.where(person >= 0, _place(as_text(names), distinct), -1), _place(as_text(original), distinct)
    )
    return person[pairs.left], pairs.right


def _index(values: Any, among: Any) -> NDArray[np.int64]:
    """Where each value stands first in another column; -1 where it does not."""
    import pyarrow as pa

    return _place(as_text(values), as_text(among).combine_chunks().cast(pa.string()))


def _place(values: Any, distinct: Any) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    found = pc.fill_null(pc.index_in(values, value_set=distinct, skip_nulls=True), -1)
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)


def _identity(
    published: pa.Table, original: pa.Table, name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Whose each published and original row is, if both have the column that names people."""
    if name not in published.column_names:
        return None
    distinct = as_text(original.column(name)).combine_chunks().unique().drop_null()
    return _place(as_text(published.column(name)), distinct), _place(as_text(original.column(name)), distinct)

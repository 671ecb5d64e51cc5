"""Records that an attack on a model works with: features, and the labels where they are known.

Tables are kept as Arrow and handed to the model in the kind they came in (pandas, polars, Arrow), arrays as they are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class AttackRecords:
    """Features (an array or an Arrow table) and labels, row by row."""

    features: Any
    labels: NDArray[Any] | None = None
    kind: str = "array"  # how the model wants them: array, pandas, polars or arrow

    def __len__(self) -> int:
        return int(self.features.shape[0])

    @property
    def native(self) -> Any:
        """The features in the kind that they came in."""
        if self.kind == "pandas":
            return self.features.to_pandas()
        if self.kind == "polars":
            import polars

            return polars.from_arrow(self.features)
        return self.features

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; x0, x1, … for an array."""
        if self.kind == "array":
            return tuple(f"x{j}" for j in range(self.features.shape[1]))
        return tuple(self.features.column_names)

    def take(self, rows: NDArray[Any]) -> AttackRecords:
        """Some of the rows: positions, or a mask."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        features = self.features[rows] if self.kind == "array" else self.features.take(rows)
        return replace(self, features=features, labels=None if self.labels is None else self.labels[rows])

    def column(self, name: str | int) -> NDArray[Any]:
        """One column's values."""
        at = self.position(name)
        if self.kind == "array":
            return np.asarray(self.features[:, at])
        return np.asarray(self.features.column(at).to_pandas())

    def position(self, name: str | int) -> int:
        """Where a column stands."""
        names = self.columns
        if isinstance(name, int) and -len(names) <= name < len(names):
            return name % len(names)
        if name in names:
            return names.index(str(name))
        raise BadAttack("there is no such column in the records.", f"There are {len(names)} columns.")

    def with_value(self, name: str | int, value: Any) -> AttackRecords:
        """The same records with one column set to one value, as an attacker tries it."""
        at = self.position(name)
        if self.kind == "array":
            changed = self.features.copy()
            changed[:, at] = value
            return replace(self, features=changed)
        import pyarrow as pa

        field = self.features.schema.field(at)
        values = pa.array([value] * len(self), type=field.type)
        return replace(self, features=self.features.set_column(at, field, values))

    def without(self, name: str | int) -> AttackRecords:
        """The same records without a column."""
        at = self.position(name)
        if self.kind == "array":
            return replace(self, features=np.delete(self.features, at, axis=1))
        return replace(self, features=self.features.remove_column(at))

    def digest(self) -> str:
        """A name for exactly this content."""
        found = hashlib.sha256(self.kind.encode())
        columns = [self.features] if self.kind == "array" else [self.column(name) for name in self.columns]
        for values in [*columns, *([] if self.labels is None else [self.labels])]:
            found.update(f"{values.dtype}{values.shape}".encode())
            if values.dtype.hasobject:
                found.update("\x1f".join(map(repr, values.ravel().tolist())).encode())
            else:
                found.update(np.ascontiguousarray(values).tobytes())
        found.update("\x1f".join(() if self.kind == "array" else self.columns).encode())
        return found.hexdigest()


def records_of(thing: Any, label: str | None = None) -> AttackRecords:
    """Records from what people hold: features, (features, labels), or a table with the label's column named."""
    if isinstance(thing, AttackRecords):
        return thing
    if isinstance(thing, tuple) and len(thing) == 2:
        found, labels = records_of(thing[0]), np.asarray(thing[1])
        if labels.shape != (len(found),):
            raise BadAttack(
                "there is not one label for each record.", "Give features and labels of one length."
            )
        return replace(found, labels=labels)
    found = _features(thing)
    if label is None or found.kind == "array":
        return found
    labels = found.column(label)
    return replace(found.without(label), labels=labels)


def _features(thing: Any) -> AttackRecords:
    import pyarrow as pa

    module = type(thing).__module__.partition(".")[0]
    if module == "pandas":
        return AttackRecords(pa.Table.from_pandas(thing, preserve_index=False), kind="pandas")
    if module == "polars":
        return AttackRecords(thing.to_arrow(), kind="polars")
    if isinstance(thing, pa.Table):
        return AttackRecords(thing.combine_chunks(), kind="arrow")
    if module == "torch":
        thing = thing.detach().cpu().numpy()
    try:
        found = np.asarray(thing)
    except ValueError:
        found = np.empty(0)
    if found.ndim < 2 or not len(found):
        raise BadAttack(
            "records are an array with a row each, or a pandas, polars or Arrow table, and at least one.",
            "Give (features, labels), or a table and the name of its label.",
        )
    return AttackRecords(found)


def stacked(*parts: AttackRecords) -> AttackRecords:
    """Records one below the other; labels only where all have them."""
    first = parts[0]
    shapes = {part.features.shape[1:] if part.kind == "array" else part.columns for part in parts}
    if len({part.kind for part in parts}) > 1 or len(shapes) > 1:
        raise BadAttack(
            "members, control and auxiliary records are of different kinds or widths.",
            "Give them all as arrays, or all as tables with the same columns.",
        )
    if first.kind == "array":
        features: Any = np.concatenate([part.features for part in parts])
    else:
        import pyarrow as pa

        try:
            features = pa.concat_tables(
                [part.features for part in parts], promote_options="permissive"
            ).combine_chunks()
        except pa.ArrowException:
            differ = [
                name
                for name in first.columns
                if len({str(part.features.schema.field(name).type) for part in parts}) > 1
            ]
            raise BadAttack(
                f"members, control and auxiliary records hold different kinds of values in {', '.join(differ)}.",
                "Is it numbers in one and text in another? Write all alike.",
                columns=differ,
            ) from None
    known = [part.labels for part in parts if part.labels is not None]
    return AttackRecords(features, np.concatenate(known) if len(known) == len(parts) else None, first.kind)


def matrix(records: AttackRecords) -> NDArray[np.float64]:
    """Features as numbers, for an attacker's own learner: text becomes its position among the sorted values."""
    if (
        records.kind == "array"
        and not records.features.dtype.hasobject
        and records.features.dtype.kind in "fiub"
    ):
        return np.asarray(records.features, float).reshape(len(records), -1)
    return np.column_stack([coded(records.column(name)) for name in range(len(records.columns))])


def coded(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers as they are, anything else as positions among its sorted distinct values."""
    if values.dtype.kind in "fiub":
        return values.astype(float)
    return np.unique(values.astype(str), return_inverse=True)[1].astype(float)

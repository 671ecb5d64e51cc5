"""Applying a recipe: the rows are changed column by column, written, read back and checked against the rule."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import METADATA, FoundTransformation, Provenance, ReleasedTable, Risks, Treatment
from privet.disclosure import Codes
from privet.engine import (
    FrequencyTable,
    Relation,
    frequency_table,
    number_of_rows,
    plain_batches,
    read_through,
)
from privet.errors import PromiseBroken
from privet.guarantee import SafeHarbor
from privet.protect._admission import admitted
from privet.protect._file_counts import COUNT, codes_of, codes_of_frequencies, counted
from privet.protect._residual_risk import RiskView, risks
from privet.protect._row_order import in_random_order
from privet.protect._row_writer import checked_target, publish
from privet.protect.transform.recipes._safe_harbor import (
    ELSEWHERE,
    OLDEST,
    POOLED,
    ColumnRule,
    Harbor,
    safe_harbor,
)
from privet.protect.transform.recipes._zip_areas import ZipAreas, zip_areas
from privet.source import Role, Table

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.ledger import Ledger

NOTES = (
    "Safe Harbor also asks that you know of no way to identify somebody with what is left.",
    "The rule is about columns. The risk that remains stands beside it: read it before you publish.",
)
_COARSE = (Harbor.ZIP, Harbor.DATE, Harbor.BIRTH, Harbor.AGE)


def apply_safe_harbor(
    table: Table,
    kinds: Mapping[str, Harbor | str],
    *,
    out: str | Path | None = None,
    areas: ZipAreas | None = None,
    today: datetime.date | None = None,
    ledger: Ledger | None = None,
    why: str = "anonymized by the Safe Harbor rule",
) -> ReleasedTable:
    """The table as HIPAA's Safe Harbor allows it, with the risk before and after.

    Args:
        table: the table. Its quasi-identifiers, and what the rule makes coarse, are what the risk is about.
        kinds: what each column is to the rule: "remove", "zip", "date", "birth date", "age" or "keep".
        out: the file to write, .parquet or .csv; without one the rows stay in memory.
        areas: the ZIP areas that are too small; the list of the census of 2000 if left out.
        today: against which ages are reckoned.
        ledger: where the promise is recorded.
        why: the reason, for the ledger.
    """
    admitted([table], "table", ledger=ledger)
    target = checked_target(out, table.snapshot.file)
    areas = areas or zip_areas()
    rules = safe_harbor(table, kinds, areas=areas, today=today or datetime.datetime.now(datetime.UTC).date())
    kept = [rule for rule in rules if rule.harbor is not Harbor.REMOVE]
    read_through(table.relation)
    quasi = [
        rule.column for rule in kept if rule.harbor in _COARSE or table.roles.get(rule.column) is Role.QUASI
    ]
    sensitive = [rule.column for rule in kept if table.roles.get(rule.column) is Role.SENSITIVE]
    sensitive = [name for name in sensitive if name not in quasi]
    before, after = _risks(table.relation, kept, quasi, sensitive)
    promise = SafeHarbor(areas.year)
    receipt = ledger.record(promise, why=why, unit=table.unit, data=table.fingerprint) if ledger else None
    released = ReleasedTable(
        promise=promise,
        found=FoundTransformation(
            search="recipe",
            metric="columns changed",
            loss=sum(rule.harbor is not Harbor.KEEP for rule in rules) / max(1, len(rules)),
            output_type="rule by column",
            optimal=False,
            nodes_evaluated=0,
            levels={},
            suppressed_rows=0,
            classes=after.classes,
        ),
        columns=tuple(_treatment(rule, table, quasi) for rule in rules),
        before=before,
        after=after,
        utility={},
        provenance=_provenance(table, areas),
        receipt=receipt,
        notes=NOTES,
        path=target,
    )
    schema = _schema(table.relation, kept)
    held = publish(
        target,
        schema,
        in_random_order(_changed(table.relation, kept, schema), schema, number_of_rows(table.relation)),
        metadata={METADATA: released.metadata()},
        check=_checker(schema, kept, quasi=quasi, sensitive=sensitive, planned=after, areas=areas),
    )
    return replace(released, held=held)


def _treatment(rule: ColumnRule, table: Table, quasi: Sequence[str]) -> Treatment:
    role = table.roles.get(rule.column)
    said = role.value if role else "quasi" if rule.column in quasi else ""
    loss = {Harbor.REMOVE: 1.0, Harbor.KEEP: 0.0}.get(rule.harbor)
    return Treatment(rule.column, said or ("direct" if loss == 1 else "insensitive"), rule.done, loss=loss)


def _provenance(table: Table, areas: ZipAreas) -> Provenance:
    return Provenance(
        question="HIPAA Safe Harbor, 45 CFR 164.514(b)(2)",
        data=table.fingerprint,
        engine=table.relation.engine,
        versions={"privet": version("privet")},
        stages=(
            "identifiers removed, ZIP codes, dates and ages made coarse",
            f"ZIP areas: {areas.source} ({areas.year})",
            "the written file read back and checked against the rule",
        ),
    )


# --- rows --------------------------------------------------------------------------------------


def _schema(relation: Relation, kept: Sequence[ColumnRule]) -> pa.Schema:
    import pyarrow as pa

    source = relation.table.select(*(rule.column for rule in kept)).schema().to_pyarrow()
    return pa.schema(
        [
            source.field(rule.column) if rule.harbor is Harbor.KEEP else pa.field(rule.column, pa.string())
            for rule in kept
        ]
    )


def _changed(relation: Relation, kept: Sequence[ColumnRule], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in plain_batches(relation, [rule.column for rule in kept]):
        columns = [rule.change(batch[rule.column]).cast(schema.field(rule.column).type) for rule in kept]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


# --- figures -----------------------------------------------------------------------------------


def _risks(
    relation: Relation, kept: Sequence[ColumnRule], quasi: Sequence[str], sensitive: Sequence[str]
) -> tuple[Risks, Risks]:
    if not quasi:
        nothing = Risks(0, 0, 0, 0, 0.0, 0.0, {}, {})
        return nothing, nothing
    found = frequency_table(relation, [*quasi, *sensitive])
    changes = {rule.column: rule.change for rule in kept}
    return (
        risks(codes_of_frequencies(found), RiskView(quasi, sensitive)),
        risks(_recoded(found, changes), RiskView(quasi, sensitive)),
    )


def _recoded(found: FrequencyTable, changes: Mapping[str, Callable[[Any], Any]]) -> Codes:
    """The codes that the changed values will have: the change is made to labels, not to rows."""
    import pyarrow.compute as pc

    columns, labels = [], []
    for at, name in enumerate(found.columns):
        changed = changes[name](found.labels[at])
        known = pc.unique(changed)
        places = pc.index_in(changed, value_set=known, skip_nulls=False).to_numpy(zero_copy_only=False)
        columns.append(np.asarray(places, np.int32)[found.codes[:, at]])
        labels.append(known)
    missing = tuple(known.index(None).as_py() if known.null_count else None for known in labels)
    every = Codes(
        found.columns,
        np.stack(columns, axis=1) if len(found) else found.codes,
        found.counts,
        tuple(max(1, len(known)) for known in labels),
        missing,
    )
    return every.only(found.columns)


# --- the written file --------------------------------------------------------------------------


def _checker(
    schema: pa.Schema,
    kept: Sequence[ColumnRule],
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    planned: Risks,
    areas: ZipAreas,
) -> Callable[[Path, str], None]:
    def check(path: Path, ending: str) -> None:
        for rule in kept:
            if rule.harbor in _COARSE:
                values = counted(path, ending, schema, [rule.column])[rule.column].to_pylist()
                if not all(value is None or _allowed(rule.harbor, value, areas) for value in values):
                    raise PromiseBroken(
                        f"the written column {rule.column!r} holds values that the rule forbids; "
                        "nothing was published."
                    )
        if quasi:
            table = counted(path, ending, schema, [*quasi, *sensitive])
            measured = risks(codes_of(table, [*quasi, *sensitive])[0], RiskView(quasi, sensitive))
            rows = int(np.asarray(table[COUNT]).sum())
            if rows != planned.rows or measured.classes != planned.classes:
                raise PromiseBroken(
                    "the written file does not hold the rows that were planned; nothing was published.",
                    "Check that nothing changes the source, and run again.",
                )

    return check


def _allowed(harbor: Harbor, value: str, areas: ZipAreas) -> bool:
    if harbor is Harbor.ZIP:
        return value == ELSEWHERE or (
            re.fullmatch(r"[0-9]{3}", value) is not None and value not in areas.sparse
        )
    if harbor is Harbor.AGE:
        try:
            return value == POOLED or float(value) <= OLDEST
        except ValueError:
            return False
    return re.fullmatch(r"[0-9]{4}( or before)?", value) is not None

"""`anonymize`: from a table and a promise to a file that keeps it, and the account of what was lost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np

from privet.artifact import METADATA, FoundTransformation, Provenance, ReleasedTable, SearchPoint, Treatment
from privet.disclosure import Missing
from privet.engine import FrequencyTable, frequency_table, read_through
from privet.errors import Unreachable, checked
from privet.guarantee import Number, Promise
from privet.ledger import Ledger
from privet.protect._admission import admitted
from privet.protect._file_counts import codes_of_frequencies
from privet.protect._residual_risk import RiskView, risks
from privet.protect._row_order import in_random_order
from privet.protect._row_writer import checked_target, publish
from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize import _loss_figures as figures
from privet.protect.anonymize._anonymize_request import (
    AnonymizeRequest,
    request,
    with_persons,
    with_target,
)
from privet.protect.anonymize._hierarchy_codes import Laid, laid_against
from privet.protect.anonymize._population import alike, codes, seen
from privet.protect.anonymize._publication import Publication, references, verify
from privet.protect.anonymize._recoding import Recoded, Recoding, recoding
from privet.protect.anonymize._utility_report import usefulness
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import Solution, refuse_unfit
from privet.protect.anonymize.search import search as find
from privet.source import Table

_POINTS = 2_000  # of the lattice, kept for the picture


@dataclass(frozen=True, eq=False)
class _Work:
    """What is known once the search has ended."""

    asked: AnonymizeRequest
    full: FrequencyTable = field(repr=False)
    people: FrequencyTable | None = field(repr=False)
    laid: Laid = field(repr=False)
    solution: Solution = field(repr=False)
    plan: Recoding = field(repr=False)
    how: str
    seconds: float


@checked
def anonymize(  # noqa: PLR0913  one door with everything that can be asked
    table: Table,
    promise: Promise,
    *,
    max_suppressed: Number = 0,
    hierarchies: Mapping[str, Hierarchy] | str | Path | None = None,
    search: str = "optimal",
    metric: str = "loss",
    weights: Mapping[str, float] | None = None,
    missing: Missing = "own value",
    population: Table | None = None,
    target: str | None = None,
    out: str | Path | None = None,
    ledger: Ledger | None = None,
    why: str = "anonymized",
) -> ReleasedTable:
    """The table with its quasi-identifiers made coarse until the promise holds, at the least loss.

    Args:
        table: the table, with the roles of its columns. Quasi-identifiers are generalized, sensitive and insensitive
            columns published as they are, direct identifiers and columns without a role left out.
        promise: `KAnonymity(5) & LDiversity("diagnosis", 3)`, for example. Where people have several rows, classes
            are counted in people; promises that cannot be kept so are refused.
        max_suppressed: the share of rows that may be left out.
        hierarchies: a folder with one file for each column, or hierarchies by column; made from the values where
            none is given.
        search: "optimal" (one level for each column, proven), "anytime" (the same without proof), "local" (each
            row to its own level) or "mondrian" (sets of values).
        metric: what to lose little of: "loss", "loss-geometric", "loss-rank", "precision", "discernibility",
            "class-size" or "entropy".
        weights: columns that matter more (or less) than 1.
        missing: what a gap in a quasi-identifier means. "own value": gaps look like gaps. "wildcard": a gap looks
            like every value, for promises that only count rows. "ignored": rows with a gap are left out, and count
            as suppressed.
        population: the table of everybody, for k-map and delta-presence.
        target: a column to predict; measures how much a model trained on the result loses.
        out: the file to write, .parquet or .csv; without one the rows stay in memory.
        ledger: where the promise is recorded.
        why: the reason, for the ledger.

    Guarantee:
        The promise holds in the written file: it is computed from the file, by other code than the search's, before
        the file gets its name. Rows stand in random order, so that their places say nothing either. It is about
        linking by the quasi-identifiers; it is not differential privacy.
    """
    admitted([table], "table", ledger=ledger)
    asked = with_target(request(table, promise, max_suppressed, missing), target)
    refuse_unfit(promise, search, missing, population=population is not None)
    to = checked_target(out, table.snapshot.file)
    started = time.perf_counter()
    read_through(table.relation)
    asked = with_persons(asked)
    full, people = _counted(asked, population)
    laid = laid_against(full, asked, hierarchies)
    solution = find(
        codes_of_frequencies(full),
        laid.quasi,
        promise,
        max_suppressed=asked.max_suppressed,
        metric=metric,
        weights=weights,
        how=search,
        sensitive_ladders=laid.sensitive,
        population=codes(people),
        missing=missing,
        persons=asked.persons,
    )
    plan = recoding(solution, laid.quasi, full)
    work = _Work(asked, full, people, laid, solution, plan, search, time.perf_counter() - started)
    released = _artifact(work, target)
    if ledger is not None:
        receipt = ledger.record(promise, why=why, unit=table.unit, data=table.fingerprint)
        released = replace(released, receipt=receipt)
    return _published(work, replace(released, path=to))


def _counted(
    asked: AnonymizeRequest, population: Table | None
) -> tuple[FrequencyTable, FrequencyTable | None]:
    """Every combination of values with its count: the only thing that the search looks at."""
    whose = [asked.persons] if asked.persons is not None else []
    full = frequency_table(asked.table.relation, [*asked.quasi, *asked.sensitive, *asked.counted, *whose])
    if not len(full):
        raise Unreachable("the table has no rows.", "Give a table with rows.")
    if population is None:
        return full, None
    return alike(full, population, asked.quasi)


# --- the account -------------------------------------------------------------------------------


def _artifact(work: _Work, target: str | None) -> ReleasedTable:
    asked, solution, table = work.asked, work.solution, work.asked.table
    published, _ = work.plan.codes(work.full)
    view = RiskView(asked.quasi, asked.sensitive, asked.missing, asked.persons)
    after = risks(published, view)
    return ReleasedTable(
        promise=asked.promise,
        found=FoundTransformation(
            search=work.how,
            metric=solution.metric,
            loss=float(solution.value[0]),
            output_type=solution.output_type,
            optimal=solution.optimal,
            nodes_evaluated=solution.nodes_evaluated,
            levels=_levels(work),
            suppressed_rows=solution.suppressed_rows,
            classes=after.classes,
            seconds=round(work.seconds, 3),
            points=_points(work),
            missing=asked.missing,
        ),
        columns=_treatments(work),
        before=risks(codes_of_frequencies(work.full), view),
        after=after,
        utility={
            **figures.losses(solution, work.laid.quasi),
            **usefulness(solution, work.plan, work.laid.quasi, work.full, target),
        },
        provenance=Provenance(
            question=f"{table.name}, anonymized by {', '.join(asked.quasi)}",
            data=table.fingerprint,
            engine=table.relation.engine,
            versions={"privet": version("privet")},
            stages=_stages(work),
        ),
        notes=_notes(asked),
    )


def _levels(work: _Work) -> dict[str, int]:
    """The level of each column; where rows have levels of their own, the highest that is published."""
    if work.solution.sets is not None:
        return {}
    kept = ~work.solution.suppressed
    nodes = work.solution.nodes[kept]
    highest = nodes.max(axis=0) if len(nodes) else np.zeros(len(work.asked.quasi), int)
    return dict(zip(work.asked.quasi, map(int, highest), strict=True))


def _treatments(work: _Work) -> tuple[Treatment, ...]:
    solution, asked = work.solution, work.asked
    leaves = [len(ladder.hierarchy.values) for ladder in work.laid.quasi]
    losses = loss.column_losses(solution.shares, solution.counts, solution.suppressed, leaves)
    found = {
        column.name: Treatment(
            column.name, "quasi", _done(column, work), column.level, column.top, float(lost)
        )
        for column, lost in zip(work.plan.columns, losses, strict=True)
    }
    for names, role, done, lost in (
        (asked.sensitive, "sensitive", "published as it was", 0.0),
        ((*asked.kept, *asked.counted), "insensitive", "published as it was", 0.0),
        (asked.removed, "direct", "removed", 1.0),
        (asked.unspoken, "none stated", "left out: nobody said what it is", 1.0),
    ):
        found |= {name: Treatment(name, role, done, loss=lost) for name in names}
    return tuple(found[name] for name in asked.table.columns)


def _done(column: Recoded, work: _Work) -> str:
    if work.solution.sets is not None:
        return "sets of values, row by row"
    if column.level is None:
        return f"levels up to {column.top}, row by row"
    if column.level == 0:
        return "published as it was"
    return f"generalized to level {column.level} of {column.top}"


def _points(work: _Work) -> tuple[SearchPoint, ...]:
    rows = int(work.full.counts.sum())
    good = [node for node in work.solution.visited if node.feasible]
    step = max(1, len(good) // _POINTS)
    return tuple(
        SearchPoint(
            float(node.value), node.classes / max(1, rows - node.suppressed_rows), node.suppressed_rows
        )
        for node in good[::step]
    )


def _stages(work: _Work) -> tuple[str, ...]:
    made = [ladder.column for ladder in work.laid.quasi if ladder.column in work.laid.made]
    proof = "proven optimal" if work.solution.optimal else "the best found, not proven optimal"
    return (
        f"counted {len(work.plan.combinations):,} combinations of quasi-identifiers",
        *([f"hierarchies made from the values of {', '.join(made)}"] if made else []),
        f"{work.how} search for the least {work.solution.metric}: {proof}",
        "every published value checked to cover the original one",
        "the written file read back, and the promise computed from it",
    )


def _notes(asked: AnonymizeRequest) -> tuple[str, ...]:
    notes = ["Suppressed rows are not in the file. The others stand in random order."]
    if asked.missing == "wildcard":
        notes.append("A missing value counts as a match of every value, so that classes overlap.")
    if asked.missing == "ignored":
        notes.append("Rows that miss a quasi-identifier are left out.")
    if asked.persons is not None:
        notes.append("People have several rows: classes are counted in people, not in rows.")
    if asked.unspoken:
        notes.append(f"Left out, because nobody said what they are: {', '.join(asked.unspoken)}.")
    return tuple(notes)


def _published(work: _Work, released: ReleasedTable) -> ReleasedTable:
    """Write, read back, check; only then does the file get its name."""
    publication = Publication(work.asked, work.plan, work.full)
    known = references(work.full, work.asked.sensitive, work.laid.sensitive)
    people = seen(work.people, work.plan, work.laid.quasi, sets=work.solution.sets is not None)

    def check(path: Path, ending: str) -> None:
        verify(publication, path, ending, promise=work.asked.promise, references=known, people=people)

    held = publish(
        released.path,
        publication.schema,
        in_random_order(publication.batches(), publication.schema, int(work.full.counts.sum())),
        metadata={METADATA: released.metadata()},
        check=check,
    )
    return replace(released, held=held, pairs=tuple(publication.pairs))

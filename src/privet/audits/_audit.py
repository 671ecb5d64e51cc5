"""`audit`: what a table would give away, before anything is done to it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privet.audits import _disclosure_measures as disclosure_measures
from privet.audits._advice import advise
from privet.audits._audit_result import Audit
from privet.audits._column_choice import ColumnChoice, choose
from privet.audits._column_classification import ColumnFinding, classify, propose
from privet.audits._contribution_spread import Contributions, contributions
from privet.audits._person_key import PersonKeys
from privet.audits._person_records import PersonRecords, people
from privet.audits._population_table import in_population
from privet.audits._privacy_unit import EVERY_ROW, whose_rows
from privet.audits.linkage_risk import Linkage, Linker, shared_columns, simulate
from privet.disclosure import SEMANTICS, Missing, column_sets, keys, singling_out, suda, unicity
from privet.disclosure import population as estimated
from privet.engine import number_of_rows
from privet.errors import BadAudit, NothingToAudit, checked
from privet.guarantee import Person, Row, Unit
from privet.source import Table, admitted_by, open_table

FRACTIONS = (0.01, 0.1, 0.5)  # sampling fractions shown where none is known
SHARES = (0.05, 0.2, 0.8)  # of people, that sets of columns single out
LARGEST_KNOWN = 6  # attributes that the unicity curve's attacker knows at most
LARGEST_KEY, KEY_LIMIT = 5, 60_000_000
MOST_GROUPS = 1_000  # values of a column that one would group by
STAGES = 9

Progress = Callable[[str], None]


@checked
def audit(  # noqa: PLR0913  one door for everything an audit can be given
    table: Any,
    *,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    roles: Mapping[str, str] | None = None,
    unit: str | Sequence[str] | Unit | None = None,
    population: Any = None,
    auxiliary: Any = None,
    truth: Any = None,
    link: Mapping[str, str] | None = None,
    linker: Linker = "auto",
    weights: str | None = None,
    fraction: float | None = None,
    missing: Missing = "own value",
    presidio: bool = False,
    source: str | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Measure what a table would give away: who can be found in it, by what, and what would be learned.

    Args:
        table: A `Table`, or anything that `open_table` takes.
        quasi: The columns an outsider may know; found by looking at the table if left out.
        sensitive: The columns an outsider must not learn; found likewise.
        roles: Roles of columns by your own word, which always wins: {"zip": "quasi"}.
        unit: The column that says whose row it is, several that say it together, "row" if each row is one person's, or a
            unit (`Person("patient_id")`, `Row()`). If nobody says it, the audit counts by the key that the data propose,
            or else counts rows, and says so.
        population: A table of everybody the people were drawn from, for k-map and journalist risk.
        auxiliary: A table that an attacker could have, to link with.
        truth: Who is who in both tables, to score the linkage: the unit's column, and one of the auxiliary table.
        link: Columns that mean the same: {"born": "date_of_birth"}; found by names and categories if left out.
        linker: "splink" (extra `privet[linkage]`), "own", or "auto": splink where it is installed.
        weights: A column of survey weights, for the individual risk in a sample.
        fraction: What part of the population the table holds; several are shown where it is not known.
        missing: What a missing value means for who looks alike: "own value", "wildcard" or "ignored".
            Sets of columns and scores always count it as a value of its own.
        presidio: Also look into text with Presidio (extra `privet[presidio]`), offline.
        source: What commands in the advice call the table; its name if left out.
        progress: Told what begins, `STAGES` times.

    Returns:
        An `Audit`, for the owner only; `Audit.publishable()` for others.
    """
    say = progress or (lambda _: None)
    asked = _Asked(
        population=population,
        auxiliary=auxiliary,
        truth=truth,
        link=link,
        linker=linker,
        weights=weights,
        fraction=fraction,
        missing=missing,
    )
    opened = _opened(table)
    admitted_by(opened, "audit")
    say("looking at the columns")
    rows = number_of_rows(opened.relation)
    if rows == 0:
        raise NothingToAudit("the table has no rows.", "Check that this is the right source.")
    proposal = propose(opened, roles=_stated(opened, roles, quasi, sensitive), presidio=presidio)
    findings, whose = proposal.columns, whose_rows(opened, proposal.keys, _whose(unit))
    chosen = choose(opened, findings, whose, quasi=quasi, sensitive=sensitive, weights=weights)
    say("reading the rows")
    needed = [
        *chosen.compared,
        *chosen.sensitive,
        *_linking(opened, findings, asked),
        *([weights] if weights else []),
    ]
    records = people(
        opened.relation,
        list(dict.fromkeys(needed)),
        whose.columns,
        quasi=chosen.quasi,
        sensitive=chosen.sensitive,
    )
    found = _measured(opened, findings, chosen, records, proposal.keys, asked=asked, say=say)
    return replace(found, advice=advise(found, source or opened.name))


@dataclass(frozen=True)
class _Asked:
    """What the caller wants beyond the table itself, checked."""

    population: Any
    auxiliary: Any
    truth: Any
    link: Mapping[str, str] | None
    linker: Linker
    weights: str | None
    fraction: float | None
    missing: Missing

    def __post_init__(self) -> None:
        if self.missing not in SEMANTICS:
            raise BadAudit("that is not a meaning of missing values.", f"Say one of: {', '.join(SEMANTICS)}.")
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise BadAudit("the sampling fraction is above 0, and at most 1.", "Write fraction=0.01 for 1 %.")
        if self.truth is not None and self.auxiliary is None:
            raise BadAudit("a truth needs an auxiliary table that it is about.", "Name both, or neither.")

    @functools.cached_property
    def other(self) -> Table | None:
        """The auxiliary table, opened."""
        return None if self.auxiliary is None else _opened(self.auxiliary)

    @functools.cached_property
    def other_findings(self) -> dict[str, ColumnFinding]:
        """What the auxiliary table's columns are."""
        return {} if self.other is None else classify(self.other)


def _whose(unit: str | Sequence[str] | Unit | None) -> str | Sequence[str] | None:
    """The unit as it is asked for: a column, or that every row is somebody's own."""
    if isinstance(unit, Person):
        return unit.column
    return EVERY_ROW if isinstance(unit, Row) else unit


def _opened(thing: Any) -> Table:
    return thing if isinstance(thing, Table) else open_table(thing)


def _stated(
    table: Table,
    roles: Mapping[str, str] | None,
    quasi: Sequence[str] | None,
    sensitive: Sequence[str] | None,
) -> dict[str, str]:
    """Everything the user has said about columns: when opening the table, as roles, and by name."""
    said = {name: role.value for name, role in table.roles.items()}
    said.update(roles or {})
    said.update({name: "quasi" for name in quasi or () if name in table.columns})
    said.update({name: "sensitive" for name in sensitive or () if name in table.columns})
    return said


def _pairs(
    table: Table, findings: Mapping[str, ColumnFinding], asked: _Asked
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The columns to link by, and the direct identifiers that both tables have."""
    if asked.other is None:
        return (), ()
    both = shared_columns(
        {name: (kind, findings[name].category) for name, kind in table.columns.items()},
        {name: (kind, asked.other_findings[name].category) for name, kind in asked.other.columns.items()},
        asked.link,
    )
    hidden = ("direct", "free text")
    usable = both if asked.link else tuple(pair for pair in both if findings[pair[0]].role not in hidden)
    return usable, tuple(mine for mine, _ in both if findings[mine].role == "direct")


def _linking(table: Table, findings: Mapping[str, ColumnFinding], asked: _Asked) -> list[str]:
    return [mine for mine, _ in _pairs(table, findings, asked)[0]]


def _measured(
    table: Table,
    findings: dict[str, ColumnFinding],
    chosen: ColumnChoice,
    records: PersonRecords,
    keys_of_persons: PersonKeys,
    *,
    asked: _Asked,
    say: Progress,
) -> Audit:
    say("counting people who look alike")
    codes = disclosure_measures.codes_of(records, chosen.quasi)
    alike = disclosure_measures.alike(codes, asked.missing)
    effects = disclosure_measures.missing_effects(codes)
    inside = (
        in_population(records, chosen.quasi, _opened(asked.population))
        if asked.population is not None
        else None
    )
    say("looking into the groups")
    diversity = disclosure_measures.diversities(records, chosen.quasi, chosen.sensitive)
    say("estimating uniqueness in the population")
    fractions = _fractions(asked.fraction, len(records), inside.people if inside else None)
    estimates = tuple(estimated(alike.sizes, fraction) for fraction in fractions)
    say("searching for sets of columns that single out")
    every, known = disclosure_measures.walks(records, chosen.quasi, chosen.compared)
    sets = column_sets(every, largest=disclosure_measures.LARGEST_SET)
    say("drawing the attacker's curve")
    most = min(LARGEST_KNOWN, len(every.table.columns))
    curve = unicity(every, largest=most, draws=disclosure_measures.draws(every, most - every.searched))
    say("linking with the other table" if asked.other else "counting contributions")
    linked = _linked(table, findings, chosen, records, asked)
    say("putting it together")
    return Audit(
        table=table.name,
        rows=records.rows,
        people=len(records),
        unit=chosen.unit,
        person_keys=keys_of_persons,
        several=records.several,
        varying=tuple(name for name in records.varying if name in chosen.quasi),
        columns=findings,
        quasi=chosen.quasi,
        quasi_origin=chosen.how,
        sensitive=chosen.sensitive,
        left_out=chosen.left_out,
        missing=asked.missing,
        missing_effects=effects,
        alike=alike,
        diversity=diversity,
        population=estimates,
        in_population=inside,
        survey=disclosure_measures.survey_risk(records, codes, asked.weights) if asked.weights else None,
        suda=suda(known),
        fraction=fractions[0],
        column_sets=sets,
        keys=keys(every.table, largest=LARGEST_KEY, limit=KEY_LIMIT),
        singling_out=tuple(singling_out(every, share) for share in SHARES),
        unicity=curve,
        uniques_without=disclosure_measures.sizes_without(codes),
        linkage=linked,
        contributions=_contributions(records, chosen),
        records=records,
    )


def _fractions(stated: float | None, people: int, population: int | None) -> tuple[float, ...]:
    if stated is not None:
        return (stated,)
    return (min(1.0, people / population),) if population else FRACTIONS


def _linked(
    table: Table,
    findings: Mapping[str, ColumnFinding],
    chosen: ColumnChoice,
    records: PersonRecords,
    asked: _Asked,
) -> Linkage | None:
    if asked.other is None:
        return None
    columns, direct = _pairs(table, findings, asked)
    return simulate(
        table,
        records,
        asked.other,
        columns=columns,
        direct=direct,
        unit=chosen.unit.column,
        truth=None if asked.truth is None else _opened(asked.truth),
        linker=asked.linker,
    )


def _contributions(records: PersonRecords, chosen: ColumnChoice) -> Contributions | None:
    """Groups are counted for columns that people would group by: those with few values that vary."""
    if not chosen.unit.columns:
        return None
    groups = [
        name
        for name in records.columns
        if name in records.varying and records.cardinality(name) <= MOST_GROUPS
    ]
    return contributions(records, " and ".join(chosen.unit.columns), groups)

"""Where rows are read: a closed list of verbs with known stability, on DuckDB, Spark and PostgreSQL.

One calls: `Relation`, `aggregate`, `frequency_table`, `expressions`.
Never: lets an exact aggregate out unsealed, fails because of a row, or knows budgets and noise.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.engine import expressions as expressions
    from privet.engine import splink_linkage as splink_linkage
    from privet.engine._bin_counts import Binned as Binned
    from privet.engine._bin_counts import Branched as Branched
    from privet.engine._bin_counts import CellMeasure as CellMeasure
    from privet.engine._bin_counts import Distinct as Distinct
    from privet.engine._bin_counts import Ranked as Ranked
    from privet.engine._bounded_rows import OWNER as OWNER
    from privet.engine._bounded_rows import unit_rows as unit_rows
    from privet.engine._coded_rows import Finder as Finder
    from privet.engine._coded_rows import coded_batches as coded_batches
    from privet.engine._coded_rows import plain_batches as plain_batches
    from privet.engine._coded_rows import repeated as repeated
    from privet.engine._column_profiles import Profile as Profile
    from privet.engine._column_profiles import profile as profile
    from privet.engine._column_replacement import COUNT as COUNT
    from privet.engine._column_replacement import INTO as INTO
    from privet.engine._column_replacement import distinct as distinct
    from privet.engine._column_replacement import kind_type as kind_type
    from privet.engine._column_replacement import present as present
    from privet.engine._column_replacement import replace as replace
    from privet.engine._column_replacement import replace_by as replace_by
    from privet.engine._column_replacement import rows as rows
    from privet.engine._column_replacement import settled as settled
    from privet.engine._column_replacement import with_columns as with_columns
    from privet.engine._composite_key import is_made as is_made
    from privet.engine._composite_key import key_name as key_name
    from privet.engine._composite_key import key_parts as key_parts
    from privet.engine._composite_key import with_key as with_key
    from privet.engine._constant_ranges import LARGE as LARGE
    from privet.engine._constant_ranges import MOST_NESTED as MOST_NESTED
    from privet.engine._constant_ranges import SMALL as SMALL
    from privet.engine._constant_ranges import measured as measured
    from privet.engine._contribution_bounds import Contribution as Contribution
    from privet.engine._engine_results import fetch as fetch
    from privet.engine._engine_results import read_through as read_through
    from privet.engine._engine_speed import Speed as Speed
    from privet.engine._engine_versions import version_of as version_of
    from privet.engine._frequency_table import FrequencyTable as FrequencyTable
    from privet.engine._frequency_table import frequency_table as frequency_table
    from privet.engine._group_measures import SUM_KINDS as SUM_KINDS
    from privet.engine._group_measures import Measure as Measure
    from privet.engine._holdout_split import held_out as held_out
    from privet.engine._holdout_split import wording as wording
    from privet.engine._identifiers import did_you_mean as did_you_mean
    from privet.engine._keyed_sample import Share as Share
    from privet.engine._keyed_sample import keyed_sample as keyed_sample
    from privet.engine._open_relation import Opened as Opened
    from privet.engine._open_relation import open_anything as open_anything
    from privet.engine._open_relation import open_file as open_file
    from privet.engine._open_relation import split_file as split_file
    from privet.engine._open_relation import tables_at as tables_at
    from privet.engine._owner_only import extent as extent
    from privet.engine._owner_only import listed as listed
    from privet.engine._owner_only import number_of_rows as number_of_rows
    from privet.engine._owner_only import occurring as occurring
    from privet.engine._owner_only import public_rows as public_rows
    from privet.engine._per_person import PersonSummary as PersonSummary
    from privet.engine._per_person import collapse as collapse
    from privet.engine._person_joins import join_persons as join_persons
    from privet.engine._person_joins import unread_in as unread_in
    from privet.engine._public_bins import Categories as Categories
    from privet.engine._public_bins import EvenBins as EvenBins
    from privet.engine._public_bins import UnevenBins as UnevenBins
    from privet.engine._public_joins import INNER as INNER
    from privet.engine._public_joins import apply_mapping as apply_mapping
    from privet.engine._public_joins import join_public as join_public
    from privet.engine._relation import DUCKDB as DUCKDB
    from privet.engine._relation import ColumnKind as ColumnKind
    from privet.engine._relation import Relation as Relation
    from privet.engine._relation import kinds_in as kinds_in
    from privet.engine._roll_ups import RollUp as RollUp
    from privet.engine._row_operations import derive as derive
    from privet.engine._row_operations import filter_rows as filter_rows
    from privet.engine._row_operations import project as project
    from privet.engine._sealed_aggregates import SealedGroups as SealedGroups
    from privet.engine._sealed_aggregates import aggregate as aggregate
    from privet.engine._sealed_aggregates import prepare as prepare
    from privet.engine._silenced_libraries import quiet as quiet
    from privet.engine._table_transfer import moved as moved
    from privet.engine.expressions import DATE_UNITS as DATE_UNITS
    from privet.engine.expressions import TIME_UNITS as TIME_UNITS
    from privet.engine.expressions import And as And
    from privet.engine.expressions import Arithmetic as Arithmetic
    from privet.engine.expressions import Column as Column
    from privet.engine.expressions import Compare as Compare
    from privet.engine.expressions import DatePart as DatePart
    from privet.engine.expressions import Expression as Expression
    from privet.engine.expressions import Floor as Floor
    from privet.engine.expressions import IsMissing as IsMissing
    from privet.engine.expressions import Literal as Literal
    from privet.engine.expressions import Not as Not
    from privet.engine.expressions import Pick as Pick
    from privet.engine.expressions import Round as Round
    from privet.engine.expressions import Truncate as Truncate
    from privet.engine.expressions import check as check
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

"""Versioned records that leave the house, and the one place that writes, replaces and removes files.

One calls: `ReleasedAnswer`, `ReleasedTable`, `ReleasedModel`, `RiskEstimate`, `Receipt`, `written_whole`.
Never: holds a row of the original table.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.artifact._answer_arithmetic import Draw as Draw
    from privet.artifact._answer_arithmetic import Quantity as Quantity
    from privet.artifact._answer_arithmetic import Ratio as Ratio
    from privet.artifact._atomic_write import is_there as is_there
    from privet.artifact._atomic_write import unfinished as unfinished
    from privet.artifact._atomic_write import written_whole as written_whole
    from privet.artifact._confined_paths import checked_name as checked_name
    from privet.artifact._confined_paths import inside as inside
    from privet.artifact._confined_paths import is_plain as is_plain
    from privet.artifact._confined_paths import opened as opened
    from privet.artifact._confined_paths import refuse_planted_journal as refuse_planted_journal
    from privet.artifact._feature_encoding import CategoryColumn as CategoryColumn
    from privet.artifact._feature_encoding import Column as Column
    from privet.artifact._feature_encoding import Features as Features
    from privet.artifact._feature_encoding import NumberColumn as NumberColumn
    from privet.artifact._feature_encoding import Scale as Scale
    from privet.artifact._feature_encoding import as_arrow as as_arrow
    from privet.artifact._feature_encoding import as_text as as_text
    from privet.artifact._feature_encoding import days_since as days_since
    from privet.artifact._file_removal import LEDGER_MARK as LEDGER_MARK
    from privet.artifact._file_removal import discard as discard
    from privet.artifact._file_removal import discard_empty as discard_empty
    from privet.artifact._file_removal import ledgers_in as ledgers_in
    from privet.artifact._file_removal import refuse_ledgers as refuse_ledgers
    from privet.artifact._file_removal import remove as remove
    from privet.artifact._file_removal import remove_inside as remove_inside
    from privet.artifact._file_removal import shred as shred
    from privet.artifact._fitted_weights import FittedWeights as FittedWeights
    from privet.artifact._fitted_weights import ModelTarget as ModelTarget
    from privet.artifact._fitted_weights import decided as decided
    from privet.artifact._fitted_weights import number_of as number_of
    from privet.artifact._fitted_weights import probabilities as probabilities
    from privet.artifact._key_values import priced as priced
    from privet.artifact._notebook_display import Displayed as Displayed
    from privet.artifact._notebook_display import Framed as Framed
    from privet.artifact._notebook_display import Picture as Picture
    from privet.artifact._notebook_display import Pictured as Pictured
    from privet.artifact._own_files import is_own_work as is_own_work
    from privet.artifact._receipt import FORGETS as FORGETS
    from privet.artifact._receipt import IN_MEMORY as IN_MEMORY
    from privet.artifact._receipt import Receipt as Receipt
    from privet.artifact._receipt import with_note as with_note
    from privet.artifact._record_files import METADATA as METADATA
    from privet.artifact._record_files import load_record as load_record
    from privet.artifact._released_answer import Answer as Answer
    from privet.artifact._released_answer import NoiseTerm as NoiseTerm
    from privet.artifact._released_answer import Provenance as Provenance
    from privet.artifact._released_answer import ReleasedAnswer as ReleasedAnswer
    from privet.artifact._released_hierarchy import MeasuredCounts as MeasuredCounts
    from privet.artifact._released_hierarchy import ReleasedHierarchy as ReleasedHierarchy
    from privet.artifact._released_hierarchy import ReleasedLevel as ReleasedLevel
    from privet.artifact._released_model import RECORD as RECORD
    from privet.artifact._released_model import ReleasedModel as ReleasedModel
    from privet.artifact._released_table import ColumnPair as ColumnPair
    from privet.artifact._released_table import FoundTransformation as FoundTransformation
    from privet.artifact._released_table import ReleasedTable as ReleasedTable
    from privet.artifact._released_table import Risks as Risks
    from privet.artifact._released_table import SearchPoint as SearchPoint
    from privet.artifact._released_table import Treatment as Treatment
    from privet.artifact._risk_estimate import UNLIMITED as UNLIMITED
    from privet.artifact._risk_estimate import Adversary as Adversary
    from privet.artifact._risk_estimate import AttackCost as AttackCost
    from privet.artifact._risk_estimate import IntervalEstimate as IntervalEstimate
    from privet.artifact._risk_estimate import RiskEstimate as RiskEstimate
    from privet.artifact._risk_estimate import Verdict as Verdict
    from privet.artifact._risk_estimate import figure as figure
    from privet.artifact._test_power import Planted as Planted
    from privet.artifact._test_power import Power as Power
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

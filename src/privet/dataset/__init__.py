"""The data set: its sources, privacy unit, roles, bounds, purposes, retention and its one ledger.

One calls: `DataSet`, the gate of every verb: rows come from it, on its terms, or they do not come.
Never: guesses whose rows they are, or deletes a ledger.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.dataset._bare_sources import open_public as open_public
    from privet.dataset._bare_sources import open_table as open_table
    from privet.dataset._budget_forecast import Till as Till
    from privet.dataset._budget_forecast import existing as existing
    from privet.dataset._budget_forecast import head_of as head_of
    from privet.dataset._budget_forecast import open_purpose as open_purpose
    from privet.dataset._budget_forecast import till as till
    from privet.dataset._data_set import DataSet as DataSet
    from privet.dataset._dataset_rows import Seen as Seen
    from privet.dataset._dataset_rows import ledger_place as ledger_place
    from privet.dataset._dataset_rows import opened as opened
    from privet.dataset._dataset_rows import remember_ledger as remember_ledger
    from privet.dataset._dataset_rows import seen as seen
    from privet.dataset._dataset_tables import Tables as Tables
    from privet.dataset._declaration import PUBLISHED as PUBLISHED
    from privet.dataset._declaration import Budget as Budget
    from privet.dataset._declaration import Declaration as Declaration
    from privet.dataset._declaration import DeclaredColumn as DeclaredColumn
    from privet.dataset._declaration import Part as Part
    from privet.dataset._declaration import Positive as Positive
    from privet.dataset._declaration import Purpose as Purpose
    from privet.dataset._declaration import RoleName as RoleName
    from privet.dataset._declaration import Source as Source
    from privet.dataset._declaration import Unit as Unit
    from privet.dataset._declaration_faults import SAY_IT as SAY_IT
    from privet.dataset._declaration_faults import Faults as Faults
    from privet.dataset._declaration_faults import cross_faults as cross_faults
    from privet.dataset._declaration_faults import faults_of as faults_of
    from privet.dataset._declaration_faults import raise_all as raise_all
    from privet.dataset._legal_basis import claims_none as claims_none
    from privet.dataset._legal_basis import lawful_point as lawful_point
    from privet.dataset._legal_basis import special_point as special_point
    from privet.dataset._owner_rows import owner_rows as owner_rows
    from privet.dataset._purpose_gaps import OPEN as OPEN
    from privet.dataset._purpose_gaps import purpose_gaps as purpose_gaps
    from privet.dataset._purpose_gaps import recipients_of as recipients_of
    from privet.dataset._statement import ASK_UNIT as ASK_UNIT
    from privet.dataset._statement import Statement as Statement
    from privet.dataset._text_columns import as_written as as_written
    from privet.dataset._yaml_positions import Placed as Placed
    from privet.dataset._yaml_positions import placed as placed
    from privet.dataset._yaml_positions import read_placed as read_placed
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

"""The data set: its sources, privacy unit, roles, bounds, purposes, retention and its one ledger.

One calls: `DataSet`, the gate of every verb: rows come from it, on its terms, or they do not come.
Never: guesses whose rows they are, or deletes a ledger.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.dataset._approvers import Approvers as Approvers
    from privet.dataset._approvers import anchor_keys as anchor_keys
    from privet.dataset._approvers import approvers_in as approvers_in
    from privet.dataset._approvers import demand_approval as demand_approval
    from privet.dataset._approvers import refuse_forged_demand as refuse_forged_demand
    from privet.dataset._approvers import refuse_other_keys as refuse_other_keys
    from privet.dataset._bare_reports import estimate as estimate
    from privet.dataset._bare_reports import estimate_change as estimate_change
    from privet.dataset._bare_reports import estimate_trend as estimate_trend
    from privet.dataset._bare_sources import open_public as open_public
    from privet.dataset._bare_sources import open_table as open_table
    from privet.dataset._budget_forecast import Till as Till
    from privet.dataset._budget_forecast import existing as existing
    from privet.dataset._budget_forecast import head_of as head_of
    from privet.dataset._budget_forecast import open_nats as open_nats
    from privet.dataset._budget_forecast import open_purpose as open_purpose
    from privet.dataset._budget_forecast import till as till
    from privet.dataset._data_set import DataSet as DataSet
    from privet.dataset._dataset_rows import Seen as Seen
    from privet.dataset._dataset_rows import ledger_place as ledger_place
    from privet.dataset._dataset_rows import opened as opened
    from privet.dataset._dataset_rows import remember_ledger as remember_ledger
    from privet.dataset._dataset_rows import seen as seen
    from privet.dataset._dataset_rows import split_persons as split_persons
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
    from privet.dataset._ledger_binding import accept_ledger as accept_ledger
    from privet.dataset._ledger_binding import bind_ledger as bind_ledger
    from privet.dataset._ledger_binding import refuse_other_ledger as refuse_other_ledger
    from privet.dataset._ledger_head import elsewhere as elsewhere
    from privet.dataset._ledger_head import noted as noted
    from privet.dataset._legal_basis import claims_none as claims_none
    from privet.dataset._legal_basis import lawful_point as lawful_point
    from privet.dataset._legal_basis import special_point as special_point
    from privet.dataset._owner_rows import owner_rows as owner_rows
    from privet.dataset._purpose_gaps import OPEN as OPEN
    from privet.dataset._purpose_gaps import purpose_gaps as purpose_gaps
    from privet.dataset._purpose_gaps import recipients_of as recipients_of
    from privet.dataset._signing_key import SIGNER as SIGNER
    from privet.dataset._signing_key import make_own_key as make_own_key
    from privet.dataset._signing_key import make_signing_key as make_signing_key
    from privet.dataset._signing_key import public_keys_of as public_keys_of
    from privet.dataset._signing_key import public_of as public_of
    from privet.dataset._signing_key import rotate_signing_key as rotate_signing_key
    from privet.dataset._signing_key import signer_in as signer_in
    from privet.dataset._signing_key import signing_of as signing_of
    from privet.dataset._statement import ASK_UNIT as ASK_UNIT
    from privet.dataset._statement import Statement as Statement
    from privet.dataset._text_columns import as_written as as_written
    from privet.dataset._yaml_positions import Placed as Placed
    from privet.dataset._yaml_positions import placed as placed
    from privet.dataset._yaml_positions import read_placed as read_placed
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

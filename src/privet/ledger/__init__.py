"""The book: append-only, hash-chained budgets and spends, in SQLite or PostgreSQL.

One calls: `Ledger.charge`, which books first and returns a one-shot permit.
Never: sees data, or issues a permit that is not booked.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.ledger import clock as clock
    from privet.ledger._account_statements import Balance as Balance
    from privet.ledger._account_statements import Quote as Quote
    from privet.ledger._account_statements import Verification as Verification
    from privet.ledger._account_states import DATA_SET as DATA_SET
    from privet.ledger._account_states import NATS as NATS
    from privet.ledger._account_states import Account as Account
    from privet.ledger._account_states import admit as admit
    from privet.ledger._account_states import charged_scopes as charged_scopes
    from privet.ledger._account_states import from_text as from_text
    from privet.ledger._account_states import scope_of as scope_of
    from privet.ledger._account_states import to_text as to_text
    from privet.ledger._adaptive_run import AdaptiveRun as AdaptiveRun
    from privet.ledger._adaptive_run import run_budget as run_budget
    from privet.ledger._anchors import APPROVERS as APPROVERS
    from privet.ledger._anchors import JOURNAL as JOURNAL
    from privet.ledger._anchors import KEYS as KEYS
    from privet.ledger._anchors import PLAN as PLAN
    from privet.ledger._anchors import RESTORED as RESTORED
    from privet.ledger._anchors import SENT as SENT
    from privet.ledger._anchors import SESSION as SESSION
    from privet.ledger._anchors import Anchor as Anchor
    from privet.ledger._approval_demand import APPROVAL_DOMAIN as APPROVAL_DOMAIN
    from privet.ledger._approval_demand import DEMAND_DOMAIN as DEMAND_DOMAIN
    from privet.ledger._approval_demand import approval_record as approval_record
    from privet.ledger._approval_demand import demand_follows as demand_follows
    from privet.ledger._approval_demand import who_approved as who_approved
    from privet.ledger._budget_lookup import fresh as fresh
    from privet.ledger._entries_table import shares_left as shares_left
    from privet.ledger._entry_text import digest as digest
    from privet.ledger._existing_ledger import existing_ledger as existing_ledger
    from privet.ledger._hash_chain import GENESIS as GENESIS
    from privet.ledger._hash_chain import Entry as Entry
    from privet.ledger._head_witness import Head as Head
    from privet.ledger._head_witness import HeadWitness as HeadWitness
    from privet.ledger._incidents import Incident as Incident
    from privet.ledger._ledger import Ledger as Ledger
    from privet.ledger._ledger_terms import LedgerTerms as LedgerTerms
    from privet.ledger._ledger_terms import bound as bound
    from privet.ledger._ledger_terms import unit_words as unit_words
    from privet.ledger._permit import Permit as Permit
    from privet.ledger._permit import selection_of as selection_of
    from privet.ledger._privacy_filters import Filter as Filter
    from privet.ledger._privacy_filters import filter_of as filter_of
    from privet.ledger._throwaway_ledger import Throwaway as Throwaway
    from privet.ledger._throwaway_ledger import throwaway as throwaway
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

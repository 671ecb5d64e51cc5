"""The book: append-only, hash-chained budgets and spends. It never sees data."""

from privet.ledger.book import Ledger
from privet.ledger.chain import Entry
from privet.ledger.incidents import Incident
from privet.ledger.permit import Permit
from privet.ledger.statements import Balance, Quote, Verification

__all__ = ["Balance", "Entry", "Incident", "Ledger", "Permit", "Quote", "Verification"]

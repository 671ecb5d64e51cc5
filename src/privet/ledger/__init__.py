"""The book: append-only, hash-chained budgets and spends. It never sees data."""

from privet.ledger.permit import Permit

__all__ = ["Permit"]

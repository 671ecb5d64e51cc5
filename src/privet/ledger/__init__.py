"""The book: append-only, hash-chained budgets and spends. It never sees data."""

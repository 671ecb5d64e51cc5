"""`privet ledger`: balance, history, verify, export."""

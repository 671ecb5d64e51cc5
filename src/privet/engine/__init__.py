"""The only room that touches rows: a closed list of verbs with known stability."""

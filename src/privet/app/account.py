"""`privet account`: the privacy calculator."""

"""The promise beside the evidence, for people to read."""

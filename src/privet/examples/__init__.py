"""Seeded, realistic data sets for the demo, the tests and the benchmarks."""

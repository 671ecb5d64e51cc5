"""Attacks on released statistics: reconstruction, differencing, averaging, trackers."""

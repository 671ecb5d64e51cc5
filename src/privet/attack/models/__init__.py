"""Attacks on models: membership, attributes, inversion."""

"""Versioned records that leave the house."""

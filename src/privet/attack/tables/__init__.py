"""Attacks on released tables and synthetic data: linkage, singling out, inference, membership."""

"""Attacks on released tables and synthetic data: linkage, singling out, inference, membership."""

from privet.attack.tables import closeness, density, inference, linkability, linkage, singling_out

__all__ = ["closeness", "density", "inference", "linkability", "linkage", "singling_out"]

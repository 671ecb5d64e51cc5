"""Linkage of two tables of people on integer codes: exact joins and Fellegi and Sunter's model."""

"""How much a table discloses: mathematics on integer codes and counts, without values, rows or randomness."""

from privet.disclosure.codes import Codes, Groups

__all__ = ["Codes", "Groups"]

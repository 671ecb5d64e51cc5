"""Searching for the least loss that keeps a promise: over the lattice, tuple by tuple, or without hierarchies.

One calls: `search`, which gives a `Solution`; `refuse_unfit` tells a search from the promises it cannot keep.
Never: reads a row or a value: it works on integer codes and how often each tuple of them stands there.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.anonymize.search._infeasibility import HOW as HOW
    from privet.protect.anonymize.search._infeasibility import refuse_unfit as refuse_unfit
    from privet.protect.anonymize.search._recoding_solution import Solution as Solution
    from privet.protect.anonymize.search._recoding_solution import Visited as Visited
    from privet.protect.anonymize.search._search import search as search
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

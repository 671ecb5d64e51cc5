"""Transforms of single columns, each of use alone: suppress, mask, round, code, shift, aggregate, swap, rank-swap, PRAM."""

from privet.protect.anonymize.rewritten import Rewritten
from privet.protect.anonymize.transforms.coarsening import code_ends, round_to
from privet.protect.anonymize.transforms.dates import shift_dates
from privet.protect.anonymize.transforms.masking import mask, numbered, placeholder
from privet.protect.anonymize.transforms.microaggregation import mdav, microaggregate
from privet.protect.anonymize.transforms.perturbing import pram, rank_swap, swap
from privet.protect.anonymize.transforms.suppressing import suppress_cells, suppress_columns, suppress_rare

__all__ = [
    "Rewritten",
    "code_ends",
    "mask",
    "mdav",
    "microaggregate",
    "numbered",
    "placeholder",
    "pram",
    "rank_swap",
    "round_to",
    "shift_dates",
    "suppress_cells",
    "suppress_columns",
    "suppress_rare",
    "swap",
]

"""Transforms of columns, each of use alone: suppress, mask, round, code, shift, aggregate, exchange; pseudonyms; recipes of law.

One calls: the transform by its name, with a table; each returns `Rewritten` rows and what became of them.
Never: promises that people are hidden: a transform changes columns, and an audit or an attack says what that is worth.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.transform._date_shift import shift_dates as shift_dates
    from privet.protect.transform._masks import mask as mask
    from privet.protect.transform._masks import numbered as numbered
    from privet.protect.transform._masks import placeholder as placeholder
    from privet.protect.transform._microaggregation import mdav as mdav
    from privet.protect.transform._microaggregation import microaggregate as microaggregate
    from privet.protect.transform._record_swapping import pram as pram
    from privet.protect.transform._record_swapping import rank_swap as rank_swap
    from privet.protect.transform._record_swapping import swap as swap
    from privet.protect.transform._rewritten_table import Rewritten as Rewritten
    from privet.protect.transform._suppression import suppress_cells as suppress_cells
    from privet.protect.transform._suppression import suppress_columns as suppress_columns
    from privet.protect.transform._suppression import suppress_rare as suppress_rare
    from privet.protect.transform._top_coding import code_ends as code_ends
    from privet.protect.transform._top_coding import round_to as round_to
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

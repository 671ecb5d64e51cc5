"""Linkage of two tables of people on integer codes: exact joins and Fellegi and Sunter's model.

One calls: `aligned`, then `exact_claims` or `probable_claims`.
Never: sees a value or a name.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.disclosure.linkage._aligned_sides import MISSING as MISSING
    from privet.disclosure.linkage._aligned_sides import Sides as Sides
    from privet.disclosure.linkage._aligned_sides import aligned as aligned
    from privet.disclosure.linkage._candidate_pairs import Pairs as Pairs
    from privet.disclosure.linkage._candidate_pairs import blocks as blocks
    from privet.disclosure.linkage._candidate_pairs import joined as joined
    from privet.disclosure.linkage._linkage_claims import MOST_PAIRS as MOST_PAIRS
    from privet.disclosure.linkage._linkage_claims import THRESHOLD as THRESHOLD
    from privet.disclosure.linkage._linkage_claims import Claims as Claims
    from privet.disclosure.linkage._linkage_claims import exact_claims as exact_claims
    from privet.disclosure.linkage._linkage_claims import mutual as mutual
    from privet.disclosure.linkage._linkage_claims import probable_claims as probable_claims
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

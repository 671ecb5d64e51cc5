"""Making something safe: the only room that may call a mechanism.

One calls: its sub-rooms: `anonymize`, `collect`, `pac`, `transform`, `query`, `synthesize`, `tabulate`, `train`, and
`statistical_release` above three of them.
Never: releases what the terms of the rows do not admit; sub-rooms never know each other.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect._admission import admitted as admitted
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

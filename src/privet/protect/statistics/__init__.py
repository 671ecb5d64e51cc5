"""Statistics under central differential privacy: `release` and `explain`, whatever kind of question is asked."""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.statistics._release import explain as explain
    from privet.protect.statistics._release import release as release
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

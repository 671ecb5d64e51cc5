"""Statistics under central differential privacy, whatever kind of question is asked.

One calls: `release`, which books and answers, and `explain`, which says what that would cost and how far answers would be off.
Never: does any of it itself: the room of the question's kind does.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.statistical_release._release import explain as explain
    from privet.protect.statistical_release._release import release as release
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

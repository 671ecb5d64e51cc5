"""The doors: the command line, made from the declarations of the verbs.

One calls: `main`.
Never: decides or computes anything itself.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.app._cli import main as main
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)

"""Numbers and names as people read them in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence."""
    shown = list(names[:most])
    rest = len(names) - len(shown)
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def percent(share: float) -> str:
    """A share as people read it; small ones are not rounded to nothing, nor large ones to everything."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    return f"{share:.1%}".replace("%", " %").replace(".0 ", " ")

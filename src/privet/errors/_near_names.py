"""Which name was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A hint that names what was probably meant, or everything there is if nothing is near."""
    listed = list(known)
    if not isinstance(name, str):
        name = ""
    near = difflib.get_close_matches(name, listed, n=3, cutoff=0.6) or difflib.get_close_matches(
        name.lower(), listed, n=3, cutoff=0.6
    )
    if near:
        return f"Did you mean {' or '.join(repr(one) for one in near)}?"
    shown = ", ".join(repr(one) for one in listed[:12]) + (", …" if len(listed) > 12 else "")
    return f"There is {shown}." if listed else "There are none."

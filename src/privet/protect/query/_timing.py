"""Answers at set times, so that how long a question took says nothing.

The time an engine needs depends on the data: a filter that nobody meets is quick. Whoever can measure that learns
something the noise does not cover (Haeberlen, Pierce and Narayan 2011). With a pace, an answer or an error leaves at
the next whole multiple of it: only the number of multiples can be seen, and it is one as long as the pace is longer
than the slowest question.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from privet.errors import BadUsage

LONGEST = 86_400.0


def check_pace(seconds: float | None) -> None:
    """Refuse what is no length of time."""
    if seconds is not None and not 0 < seconds <= LONGEST:
        raise BadUsage(
            "a pace is a number of seconds above nought, and at most a day.", "Write pace=2, or --pace 2."
        )


@contextmanager
def paced(seconds: float | None) -> Iterator[None]:
    """Leave at the next whole multiple of `seconds` after entering, also with an error; None leaves at once."""
    if seconds is None:
        yield
        return
    check_pace(seconds)
    seconds = float(seconds)
    entered = time.monotonic()
    try:
        yield
    finally:
        taken = time.monotonic() - entered
        time.sleep(math.ceil(taken / seconds) * seconds - taken)

"""Names of columns and tables: what can be used as one, and which one was probably meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from privet.engine._reader_limits import in_force
from privet.errors import BadColumnNames, did_you_mean

__all__ = ["checked_names", "did_you_mean"]

# What stands in a first line that is data: numbers, dates, addresses. A name may hold digits, not be made of them.
_DATA = re.compile(r"[-+]?[\d.,:/\s-]*\d[\d.,:/\s%-]*([eE][-+]?\d+)?|\S+@\S+\.\S+")


def checked_names(names: Sequence[object], *, from_text: bool = False) -> None:
    """Refuse names that no query can use: none at all, too many or too long, empty, or equal (letter case does not count).

    Engines rename equal columns silently, each in its own way, and then a role or a bound lands on the wrong
    one. `from_text` also refuses a first line that looks like data: its values would turn into names, and
    names are shown. Neither kind of message repeats such a line.
    """
    if not names:
        raise BadColumnNames("the table has no columns.", "Check that this is the right source.")
    if not all(isinstance(name, str) for name in names):
        raise BadColumnNames("a column's name is not text.", "Rename the columns: frame.columns = [...].")
    texts = [str(name) for name in names]
    limits = in_force()
    limits.within("columns", len(texts))
    limits.within("name_letters", max(map(len, texts)))
    empty = [place for place, name in enumerate(texts, start=1) if not name.strip()]
    if from_text and any(_DATA.fullmatch(name.strip()) for name in texts):
        raise BadColumnNames(
            "the first line looks like data, not like names of columns.",
            "Add a first line that names the columns. It is not repeated here, since it may be somebody's record.",
        )
    if empty:
        raise BadColumnNames(f"column {empty[0]} has no name.", "Name every column.", positions=empty)
    seen = Counter(name.lower() for name in texts)
    twice = sorted({name for name in texts if seen[name.lower()] > 1})
    if twice:
        said = "" if from_text else f": {', '.join(repr(name) for name in twice)}"
        places = [place for place, name in enumerate(texts, start=1) if seen[name.lower()] > 1]
        raise BadColumnNames(
            f"columns {', '.join(str(place) for place in places)} have equal names{said}.",
            "Rename them; letter case does not tell columns apart.",
            positions=places,
        )

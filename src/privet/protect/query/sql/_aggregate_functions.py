"""The aggregate functions of SQL, from what estimators declare, and what is said of those that cannot be private.

`FUNCTIONS` is keyed by the parser's name of the function (`Sum`, `StddevPop`, …), or by its own in capitals where
the parser does not know it.
"""

from __future__ import annotations

from privet.protect.query.estimators import ESTIMATORS, CallReader

FUNCTIONS: dict[str, CallReader] = {
    name: reader for one in ESTIMATORS for name, reader in one.functions.items()
}
# As people write them, for completion.
AGGREGATE_NAMES = tuple(dict.fromkeys(call.partition("(")[0] for one in ESTIMATORS for call in one.written))

# What cannot be private as it stands, and what to ask instead.
INSTEAD = {
    "Mode": "Ask for MOST_COMMON(ward, 5).",
    "Max": "One person decides the largest value. Ask for a high quantile.",
    "Min": "One person decides the smallest value. Ask for a low quantile.",
    "First": "It would show one person's value.",
    "Last": "It would show one person's value.",
    # ANY_VALUE is read as FIRST that ignores nulls.
    "IgnoreNulls": "Missing values never count; ANY_VALUE and FIRST would show one person's value.",
    "ArrayAgg": "It would list people's values.",
    "GroupConcat": "It would list people's values.",
    "ArgMax": "It would show one person's value.",
    "ArgMin": "It would show one person's value.",
}

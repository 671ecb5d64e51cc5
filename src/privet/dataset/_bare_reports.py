"""`estimate`, `estimate_change` and `estimate_trend` as programs call them: from reports that no declaration speaks for.

Reports that a `privet.yaml` declares come as its tables, on its terms; named by their path they are refused, as `open_table`
refuses any declared file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from privet.dataset._data_set import DataSet
from privet.protect import collect

_Said = ParamSpec("_Said")
_Found = TypeVar("_Found")


def _of_bare_reports(estimating: Callable[_Said, _Found], *names: str) -> Callable[_Said, _Found]:
    """The same function, which first looks at the arguments with these names: they come first, in this order."""

    @wraps(estimating)
    def estimated(*said: _Said.args, **named: _Said.kwargs) -> _Found:
        for reports in (*said[: len(names)], *(named[name] for name in names if name in named)):
            for thing in _things(reports):
                DataSet.refuse_declared(thing)
        return estimating(*said, **named)

    return estimated


def _things(reports: Any) -> Iterator[Any]:
    if isinstance(reports, Mapping):
        reports = list(reports.values())
    if isinstance(reports, list | tuple):
        for one in reports:
            yield from _things(one)
    else:
        yield reports


estimate = _of_bare_reports(collect.estimate, "reports")
estimate_change = _of_bare_reports(collect.estimate_change, "before", "after")
estimate_trend = _of_bare_reports(collect.estimate_trend, "reports")

"""Which test calls which function, and how long it takes: so that a mutant meets the tests that can notice it, fast ones first."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

_INNER = re.compile(r"\.<locals>\.<\w+>")


@dataclass(frozen=True)
class Traced:
    """One test as it ran on the code as it is."""

    seconds: float
    calls: frozenset[str]  # "path of the module:qualified name"


class Tracing:
    """A plugin for pytest that notes what each test calls; what a shared fixture calls counts for whoever uses it."""

    def __init__(self, source: Path, skip: Sequence[str]) -> None:
        self._root, self._skip = f"{source}/", skip
        self._names: dict[Any, str] = {}
        self._calls: set[str] = set()
        self._of_fixture: defaultdict[str, set[str]] = defaultdict(set)
        self.failed: list[str] = []
        self.tests: dict[str, tuple[float, set[str], list[str]]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out tests by their names."""
        items[:] = [item for item in items if not any(word in item.nodeid for word in self._skip)]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        """Trace one test."""
        self._calls, began = set(), time.process_time()
        sys.settrace(self._trace)
        threading.settrace(self._trace)
        yield
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        self.tests[item.nodeid] = (
            time.process_time() - began,
            self._calls,
            list(getattr(item, "fixturenames", [])),
        )

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, None, None]:
        """Trace one fixture."""
        before, self._calls = self._calls, set()
        yield
        if fixturedef.scope != "function":
            self._of_fixture[fixturedef.argname] |= self._calls
        self._calls = before | self._calls

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that fails on the code as it is: it could kill nothing."""
        if report.failed:
            self.failed.append(report.nodeid)

    def _trace(self, frame: FrameType, _: str, __: object) -> None:
        code = frame.f_code
        name = self._names.get(code)
        if name is None:
            path = code.co_filename
            inside = path.startswith(self._root)
            name = f"{path[len(self._root) :]}:{_INNER.sub('', code.co_qualname)}" if inside else ""
            self._names[code] = name
        if name:
            self._calls.add(name)

    def to_json(self) -> dict[str, dict[str, Any]]:
        """Every test that passed, with its time and its calls."""
        return {
            name: {
                "seconds": round(seconds, 4),
                "calls": sorted(calls.union(*(self._of_fixture[fixture] for fixture in fixtures))),
            }
            for name, (seconds, calls, fixtures) in self.tests.items()
            if name not in self.failed
        }


class Chosen:
    """A plugin for pytest that keeps the chosen tests, in the order of the list."""

    def __init__(self, names: Iterable[str]) -> None:
        self._order = {name: number for number, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep and order."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self._order), key=lambda item: self._order[item.nodeid]
        )


def chosen(
    tests: Mapping[str, Traced], path: str, function: str, *, seconds: float, own: Sequence[str]
) -> tuple[list[str], float]:
    """The tests for a mutant of a function, and their time: those that call it, the module's own file first.

    What runs when a module is imported, every test may notice that calls anything in it. Fast files come first, and in each the fast
    tests; of other files no more are taken than fit into `seconds`, but always one.
    """
    wanted, inside = f"{path}:{function}", f"{path}:"
    called = any(wanted in test.calls for test in tests.values())
    fitting = {
        name: test
        for name, test in tests.items()
        if (wanted in test.calls if called else any(call.startswith(inside) for call in test.calls))
        or _file(name).endswith(tuple(own))
    }
    files: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(fitting, key=lambda name: fitting[name].seconds):
        files[_file(name)].append(name)

    def turn(file: str) -> tuple[bool, float]:
        return not file.endswith(tuple(own)), sum(fitting[name].seconds for name in files[file])

    kept, total = [], 0.0
    for name in (name for file in sorted(files, key=turn) for name in files[file]):
        taken = _file(name).endswith(tuple(own)) or not kept or total + fitting[name].seconds <= seconds
        if taken:
            kept.append(name)
            total += fitting[name].seconds
    return kept, total


def among(tests: Mapping[str, Traced], files: Sequence[str]) -> dict[str, Traced]:
    """The tests of files whose paths end so."""
    return {name: test for name, test in tests.items() if _file(name).endswith(tuple(files))}


def _file(name: str) -> str:
    return name.partition("::")[0]

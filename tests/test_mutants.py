"""The tool that makes code wrong on purpose: what it changes, what it leaves alone, and which tests it runs."""

from __future__ import annotations

import textwrap
from fnmatch import fnmatch

import pytest
from tools.mutation.children import KILLED, SURVIVED, TIMEOUT, UNTESTED, verdict
from tools.mutation.impact import Traced, among, chosen
from tools.mutation.mutants import AS_IT_IS, compiled, mutants_of
from tools.mutation.plan import REPOSITORY, modules_of, read_plan


def changed(source: str) -> list[str]:
    return [f"{mutant.before} => {mutant.after}" for mutant in mutants_of("made.up", textwrap.dedent(source))]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("x = a < b", ["a < b => a <= b", "a < b => a >= b"]),
        ("x = a == b", ["a == b => a != b"]),
        ("x = a and b", ["a and b => a or b"]),
        ("x = not a", ["not a => a"]),
        ("x = a + b", ["a + b => a - b"]),
        ("x += y", ["x += y => x -= y"]),
        ("x = 7", ["7 => 8", "7 => 6"]),
        ("x = 0.5", ["0.5 => 1.0"]),
        ("x = True", ["True => False"]),
        ("x = max(a)", ["max => min"]),
        ("x = np.floor(a)", ["np.floor => np.ceil"]),
        ("check(a)", ["check(a) => pass"]),
        ("if a: x = b", ["a => not a"]),
        ("x = [a for a in b if a]", ["a => not a"]),
        ("def f():\n    raise ValueError(3)", ["raise ValueError(3) => pass"]),
    ],
)
def test_what_is_changed(source: str, wanted: list[str]) -> None:
    assert changed(source) == wanted


@pytest.mark.parametrize(
    "source",
    [
        '"""A text of 3 words."""',
        'x = "text"',
        'x = f"{a + 1}"',
        "x: int | None = None",
        "def f(a: int | None) -> A | None: ...",
        "assert a < 3",
        "@dataclass(frozen=True)\nclass A: ...",
        "x = isinstance(a, B | C)",
        "x = zip(a, b, strict=True)",
        "if TYPE_CHECKING:\n    x = 3",
        "class A:\n    def __repr__(self):\n        return str(3)",
        "A = B | C",
    ],
)
def test_what_is_left_alone(source: str) -> None:
    assert changed(source) == []


def test_a_mutant_runs_with_its_change_and_no_other() -> None:
    source = "def f(a, b):\n    return a + b if a < b else 10\n"
    found = {}
    for mutant in mutants_of("made.up", source):
        space: dict[str, object] = {}
        exec(compiled(source, "made_up.py", mutant.place), space)
        found[mutant.after] = [space["f"](*pair) for pair in ((1, 2), (2, 2), (3, 2))]  # type: ignore[operator]
    exec(compiled(source, "made_up.py", AS_IT_IS), space)
    assert [space["f"](*pair) for pair in ((1, 2), (2, 2))] == [3, 10]  # type: ignore[operator]
    assert found == {
        "a - b": [-1, 10, 10],
        "a <= b": [3, 4, 10],
        "a >= b": [10, 4, 5],
        "11": [3, 11, 11],
        "9": [3, 9, 9],
    }


def test_equal_changes_of_a_function_are_told_apart_and_samples_repeat() -> None:
    source = "class A:\n    def f(self):\n        return [1, 1]\n"
    first, second = mutants_of("made.up", source), mutants_of("another.name", f"x = y\n{source}")
    assert len({mutant.key for mutant in first}) == len(first) == 4
    assert [mutant.key for mutant in first] == [mutant.key for mutant in second]
    assert first[0].key == "A.f: 1 => 2 #0"
    assert [mutant.rank("2") for mutant in first] == [mutant.rank("2") for mutant in second]
    assert {mutant.rank("2") for mutant in first}.isdisjoint(mutant.rank() for mutant in first)


def test_a_mutant_meets_the_tests_that_call_its_function_the_modules_own_first() -> None:
    tests = {
        "tests/test_far.py::quick": Traced(0.1, frozenset({"a/b.py:f"})),
        "tests/test_far.py::slow": Traced(50.0, frozenset({"a/b.py:f"})),
        "tests/test_far.py::other": Traced(0.1, frozenset({"a/b.py:g"})),
        "tests/test_b.py::slower": Traced(0.5, frozenset({"a/b.py:f"})),
        "tests/test_b.py::own": Traced(0.2, frozenset()),
    }
    own = ["tests/test_b.py::own", "tests/test_b.py::slower"]
    assert sorted(among(tests, ["test_b.py"])) == own
    assert chosen(tests, "a/b.py", "f", seconds=10, own=["test_b.py"])[0] == [
        *own,
        "tests/test_far.py::quick",
    ]
    assert chosen(tests, "a/b.py", "", seconds=100, own=["test_b.py"])[0] == [
        *own,
        "tests/test_far.py::quick",
        "tests/test_far.py::other",
        "tests/test_far.py::slow",
    ]
    assert chosen(tests, "a/c.py", "f", seconds=10, own=["test_c.py"])[0] == []


def test_only_failing_crashing_and_hanging_tests_notice() -> None:
    assert [verdict(code) for code in (0, 1, 2, 5, -9, -1)] == [
        SURVIVED,
        KILLED,
        KILLED,
        UNTESTED,
        KILLED,
        TIMEOUT,
    ]


def test_the_plan_speaks_of_what_there_is() -> None:
    """A module or a test file that was renamed must not fall out of the run unnoticed."""
    plan, modules = read_plan(), modules_of(REPOSITORY / "src")
    for scope in plan.scopes:
        assert scope.files(REPOSITORY), scope.name
        for pattern in scope.modules:
            assert any(fnmatch(module, pattern) for module in modules), (
                f"tools/mutation/scope.toml: {pattern}"
            )
    every = {
        f"{module}|{mutant.key}"
        for module, path in modules.items()
        if plan.owner(module) is not None
        for mutant in mutants_of(module, (REPOSITORY / "src" / path).read_text(encoding="utf-8"))
    }
    assert set(plan.equivalent) - every == set(), (
        "tools/mutation/survivors.toml lists what is no longer there"
    )
    assert all(plan.equivalent.values())

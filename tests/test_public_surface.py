"""What `import privet` offers, and what it costs."""

import importlib
import json
import pkgutil
import subprocess
import sys
from types import FunctionType, ModuleType

import pytest
from tests.source_tree import listed

import privet

HEAVY = [
    "dp_accounting", "duckdb", "fastapi", "ibis", "jinja2", "numpy", "opendp", "pandas", "psycopg", "pyarrow",
    "pyspark", "rich", "scipy", "sklearn", "sqlglot", "torch",
]  # fmt: skip


def packages() -> list[str]:
    found = pkgutil.walk_packages(privet.__path__, "privet.")
    return ["privet", *(module.name for module in found if not module.name.endswith("__main__"))]


def loaded_by(program: str) -> set[str]:
    """Which heavy libraries a fresh interpreter has loaded after running a program."""
    report = "\nimport json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    result = subprocess.run(
        [sys.executable, "-c", program + report], capture_output=True, text=True, check=True
    )
    return set(HEAVY) & set(json.loads(result.stdout.splitlines()[-1]))


def test_every_public_name_can_be_had() -> None:
    for name in privet.__all__:
        assert getattr(privet, name).__name__ == name


def test_public_names_are_sorted_and_listed() -> None:
    assert list(privet.__all__) == sorted(set(privet.__all__))
    assert set(privet.__all__) <= set(dir(privet))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Leger'"):
        _ = privet.Leger


def faults_of_module(module: ModuleType) -> list[str]:
    """What a module exports and has not, in which order, and what is not documented."""
    exported = list(getattr(module, "__all__", []))
    found = [f"{member} is exported and not there" for member in exported if not hasattr(module, member)]
    if exported != sorted(exported):
        found.append("__all__ is not sorted")
    if not module.__doc__:
        found.append("has no docstring")
    there = {member: getattr(module, member, None) for member in exported}
    return found + [
        f"{name} has no docstring"
        for name, it in there.items()
        if isinstance(it, type | FunctionType) and not it.__doc__
    ]


def test_modules_export_what_they_have_and_it_is_documented() -> None:
    names = packages()
    assert len(names) > 500
    faults = [f"{name}: {said}" for name in names for said in faults_of_module(importlib.import_module(name))]
    assert not faults, listed(faults)


def test_a_bad_module_is_seen() -> None:
    module = ModuleType("made_up")
    module.__all__ = ["b", "a"]
    module.b = lambda: None
    assert len(faults_of_module(module)) == 4


def test_importing_privet_loads_nothing_heavy() -> None:
    assert loaded_by("import privet") == set()


def test_promises_and_units_load_nothing_heavy() -> None:
    program = "import privet as pv; pv.PureDP(1) & pv.KAnonymity(5); pv.Person('id', max_rows=3)"
    assert loaded_by(program) == set()


def test_a_ledger_loads_nothing_heavy() -> None:
    assert loaded_by("import privet as pv; pv.Ledger") == set()


def test_help_loads_no_numerics() -> None:
    program = (
        "import sys\nfrom privet.app._cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as stop:\n    assert stop.code == 0, stop.code"
    )
    assert loaded_by(program) <= {"rich"}


def test_version_is_the_distribution_s() -> None:
    from importlib.metadata import version

    assert version("privet") == privet.__version__

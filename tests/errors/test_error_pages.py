"""Every code's page is there for whoever installed the package, and the wheel takes them in."""

import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from privet import errors
from privet.errors._error_pages import page_of, pages

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def test_every_code_has_a_page_that_can_be_read() -> None:
    assert list(pages()) == list(errors.catalogue())
    for code in pages():
        assert page_of(code).startswith(f"# {code}: {errors.catalogue()[code].__name__}")


def test_the_wheel_holds_the_pages_where_they_are_looked_for() -> None:
    """In a checkout they lie among the documentation; an installed package has them beside its errors."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    taken = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert taken["docs/errors"] == "privet/errors/pages"
    assert (REPOSITORY / "docs" / "errors").is_dir()
    # A wheel that is built from the source distribution needs them there too.
    assert "docs" in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    packed = files("privet.errors") / "pages"
    if packed.is_dir():  # not a checkout
        assert {one.name.removesuffix(".md") for one in packed.iterdir()} >= set(errors.catalogue())


def test_pages_inside_the_package_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "E-LEDGER-001.md").write_text("# E-LEDGER-001: packed\n", encoding="utf-8")
    (folder / "index.md").write_text("# not a page of a code\n", encoding="utf-8")
    monkeypatch.setattr("privet.errors._error_pages.files", lambda _: tmp_path)
    assert list(pages()) == ["E-LEDGER-001"]
    assert page_of("E-LEDGER-001") == "# E-LEDGER-001: packed\n"

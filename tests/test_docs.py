"""The documentation has no dead links, and its examples run."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.source_tree import REPOSITORY, listed

FOLDERS = ("docs", "src", "tests", "bench", "examples")
PAGES = sorted(
    [*REPOSITORY.glob("*.md"), *(page for folder in FOLDERS for page in (REPOSITORY / folder).rglob("*.md"))]
)
EXAMPLES = sorted((REPOSITORY / "examples").glob("*.py"))
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
WRITTEN = re.compile(r'^`{3,}\w+ title="([^"]+)"$', re.MULTILINE)  # files that a recipe has its reader write
SNIPPET = re.compile(r"(?<![\w/])(?:examples|bench|tools|tests)/[\w/]+\.py\b")


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    found = set()
    for heading in HEADING.findall(prose(page)):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower()
        found.add(plain.replace(" ", "-"))
    return found


def name(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def dead_links(page: Path) -> list[str]:
    dead = []
    for link in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        outside = page.is_relative_to(REPOSITORY / "docs") and not target.is_relative_to(REPOSITORY / "docs")
        if not target.exists() or outside or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


def missing_files(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    named = set(SNIPPET.findall(text)) - set(WRITTEN.findall(text))
    return [file for file in sorted(named) if not (REPOSITORY / file).is_file()]


def titles(page: Path) -> list[str]:
    return re.findall(r"^# .+$", prose(page), re.MULTILINE)


def test_links_lead_somewhere() -> None:
    dead = [f"{name(page)}: {link}" for page in PAGES for link in dead_links(page)]
    assert not dead, listed(dead)


def test_files_named_in_a_page_exist() -> None:
    missing = [f"{name(page)}: {file}" for page in PAGES for file in missing_files(page)]
    assert not missing, listed(missing)


def test_a_page_has_one_title() -> None:
    faults = [f"{name(page)}: {len(titles(page))} titles" for page in PAGES if len(titles(page)) != 1]
    assert not faults, listed(faults)


def test_a_bad_page_is_seen() -> None:
    assert len(PAGES) > 100
    page = REPOSITORY / "docs" / "index.md"
    with pytest.MonkeyPatch.context() as patch:
        text = "# One\n# Two\n[a](nowhere.md) [b](#nothing) [c](../README.md) [d](#one) tools/nothing.py\n"
        patch.setattr(Path, "read_text", lambda *_, **__: text)
        assert dead_links(page) == ["nowhere.md", "#nothing", "../README.md"]
        assert missing_files(page) == ["tools/nothing.py"]
        assert len(titles(page)) == 2


def test_the_site_lists_every_page() -> None:
    site = tomllib.loads((REPOSITORY / "zensical.toml").read_text(encoding="utf-8"))
    in_site = set(re.findall(r"'([\w/.-]+\.md)'", str(site["project"]["nav"])))
    pages = {page.relative_to(REPOSITORY / "docs").as_posix() for page in (REPOSITORY / "docs").rglob("*.md")}
    assert in_site <= pages
    assert {page for page in pages - in_site if not page.startswith("errors/E-")} == set()


def test_each_drawer_lists_what_is_in_it() -> None:
    unlisted = []
    for drawer in ("guide", "concept", "reference", "decisions"):
        folder = REPOSITORY / "docs" / drawer
        links = set(LINK.findall(prose(folder / "index.md")))
        unlisted += sorted(
            {name(page) for page in folder.glob("*.md") if page.name not in {"index.md", *links}}
        )
    assert not unlisted, listed(unlisted)


def test_the_reference_is_what_the_code_says() -> None:
    result = subprocess.run(
        [sys.executable, "tools/write_reference.py", "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=name)
def test_examples_run_and_leave_nothing_behind(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = set(example.parent.iterdir())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    said = capfd.readouterr()
    assert said.out.strip()
    assert "Traceback" not in said.err
    assert set(example.parent.iterdir()) == before


def test_an_example_runs_as_a_script(tmp_path: Path) -> None:
    """In a process of its own, as a reader starts it."""
    result = subprocess.run(
        [sys.executable, str(REPOSITORY / "examples" / "ledger_tour.py")],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.strip()

"""The documentation has no dead links, and its examples run."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDERS = ("docs", "src", "tests", "bench", "examples")
PAGES = sorted(
    [*REPOSITORY.glob("*.md"), *(page for folder in FOLDERS for page in (REPOSITORY / folder).rglob("*.md"))]
)
EXAMPLES = sorted((REPOSITORY / "examples").glob("*.py"))
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
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


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        outside = page.is_relative_to(REPOSITORY / "docs") and not target.is_relative_to(REPOSITORY / "docs")
        if not target.exists() or outside or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_named_in_a_page_exist(page: Path) -> None:
    named = set(SNIPPET.findall(page.read_text(encoding="utf-8")))
    assert [file for file in sorted(named) if not (REPOSITORY / file).is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_has_one_title(page: Path) -> None:
    titles = re.findall(r"^# .+$", prose(page), re.MULTILINE)
    assert len(titles) == 1


def test_the_site_lists_every_page() -> None:
    site = tomllib.loads((REPOSITORY / "zensical.toml").read_text(encoding="utf-8"))
    listed = set(re.findall(r"'([\w/.-]+\.md)'", str(site["project"]["nav"])))
    pages = {page.relative_to(REPOSITORY / "docs").as_posix() for page in (REPOSITORY / "docs").rglob("*.md")}
    assert listed <= pages
    assert {page for page in pages - listed if not page.startswith("errors/E-")} == set()


@pytest.mark.parametrize("drawer", ["guide", "concept", "reference", "decisions"])
def test_each_drawer_lists_what_is_in_it(drawer: str) -> None:
    folder = REPOSITORY / "docs" / drawer
    listed = set(LINK.findall(prose(folder / "index.md")))
    assert {page.name for page in folder.glob("*.md")} - {"index.md"} - listed == set()


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
def test_examples_run_and_leave_nothing_behind(example: Path, tmp_path: Path) -> None:
    before = set(example.parent.iterdir())
    result = subprocess.run(
        [sys.executable, str(example)],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.strip()
    assert "Traceback" not in result.stderr
    assert set(example.parent.iterdir()) == before

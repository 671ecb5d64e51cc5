"""The recipes for contributors are followed: their blocks are put into a copy of the repository, and their commands run.

A block titled with a path is a file to write, or with `diff` a change to make; commands of `console` blocks must succeed.
A step is also left out, with `make recipes` each step once, and then one of the commands must fail: a recipe has no step
that nothing needs.
"""

import multiprocessing
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.source_tree import REPOSITORY

PAGES = sorted((REPOSITORY / "docs" / "contributing").glob("*.md"))
BLOCK = re.compile(r'^(`{3,})(\w+)(?: title="([^"]+)")?\n(.*?)^\1$', re.DOTALL | re.MULTILINE)
COPIED = ("src", "tests", "docs/reference", "pyproject.toml")
# What every recipe's tests load; the processes that follow recipes are copies of one that has loaded it.
LIBRARIES = ["pytest", "numpy", "pyarrow.compute", "pyarrow.parquet", "pydantic", "typer", "yaml", "ibis", "duckdb", "opendp"]  # fmt: skip
SECONDS = 300


@dataclass(frozen=True)
class RecipeStep:
    """A file to write or to change."""

    path: str
    text: str
    is_change: bool

    def take(self, folder: Path) -> None:
        """Do it, in a copy of the repository."""
        place = folder / self.path
        if self.is_change:
            old = place.read_text(encoding="utf-8")
            place.write_text(changed(old, self.text), encoding="utf-8")
        else:
            assert not place.exists(), f"{self.path} is there already"
            place.parent.mkdir(exist_ok=True)
            place.write_text(self.text, encoding="utf-8")


@dataclass(frozen=True)
class Recipe:
    """What a page tells a contributor to do."""

    name: str
    steps: tuple[RecipeStep, ...]
    commands: tuple[tuple[str, ...], ...]


def changed(text: str, change: str) -> str:
    """A text after a change: the lines that stay or go must stand in it once, and together; `@@` parts two places."""
    for part in re.split(r"^@@\n", change, flags=re.MULTILINE):
        lines = part.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        found = re.compile(f"^{re.escape(before)}", re.MULTILINE)
        assert len(found.findall(text)) == 1, f"these lines do not stand there once:\n{before}"
        text = found.sub(lambda _, after=after: after, text)
    return text


def read(page: Path) -> Recipe:
    steps, commands = [], []
    for _, language, path, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "console":
            commands += [tuple(shlex.split(line[2:])) for line in text.splitlines() if line.startswith("$ ")]
        elif path:
            steps.append(RecipeStep(path, text, language == "diff"))
    return Recipe(page.stem, tuple(steps), tuple(commands))


RECIPES = [recipe for page in PAGES if (recipe := read(page)).steps]
# The first change to a file that is there, such as the line that lists the new thing; with `make recipes` every step.
EVERY_STEP = bool(os.environ.get("PRIVET_EVERY_STEP"))
LEFT_OUT = [
    (recipe, at)
    for recipe in RECIPES
    for at in (
        range(len(recipe.steps)) if EVERY_STEP else [[step.is_change for step in recipe.steps].index(True)]
    )
]


def followed(recipe: Recipe, folder: Path, *, without: int | None = None) -> bool:
    """Whether all commands of a recipe succeed after its steps, in a process of its own."""
    for part in COPIED:
        source = REPOSITORY / part
        shutil.copytree(source, folder / part) if source.is_dir() else shutil.copy2(source, folder / part)
    for at, step in enumerate(recipe.steps):
        if at != without:
            step.take(folder)
    return all(_succeeds(folder, command) for command in recipe.commands)


def _succeeds(folder: Path, command: Sequence[str]) -> bool:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    process = context.Process(target=_run, args=(str(folder), command))
    process.start()
    process.join(SECONDS)
    assert process.exitcode is not None, "a recipe takes too long"
    return process.exitcode == 0


def _run(folder: str, command: Sequence[str]) -> None:
    """One command, with the modules of the copy and no others."""
    os.chdir(folder)
    os.environ.update({"PYTHONPATH": f"{folder}/src", "PYTHONDONTWRITEBYTECODE": "1"})
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "privet")]:
        del sys.modules[name]
    sys.path[:0] = [f"{folder}/src", folder]
    tool, *arguments = command
    assert tool == "pytest", "recipes run tests"
    sys.exit(int(pytest.main([*arguments, "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"])))


def test_there_is_a_recipe_for_every_plug_point() -> None:
    assert {recipe.name for recipe in RECIPES} >= {"aggregate", "attack", "engine", "mechanism", "verb"}
    assert all(recipe.commands for recipe in RECIPES)
    index = (REPOSITORY / "docs" / "contributing" / "index.md").read_text(encoding="utf-8")
    assert {recipe.name for recipe in RECIPES} == set(re.findall(r"\((\w+)\.md\)", index))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_recipe_can_be_followed(recipe: Recipe, tmp_path: Path) -> None:
    assert followed(recipe, tmp_path)


@pytest.mark.parametrize(("recipe", "without"), LEFT_OUT, ids=lambda one: getattr(one, "name", one))
def test_no_step_of_a_recipe_can_be_left_out(recipe: Recipe, without: int, tmp_path: Path) -> None:
    assert not followed(recipe, tmp_path, without=without)


def test_a_change_is_made_where_its_lines_stand() -> None:
    assert changed("a\nb\nc\n", " a\n+x\n-b\n") == "a\nx\nc\n"
    assert changed("a\nb\nc\n", "-a\n@@\n c\n+d\n") == "b\nc\nd\n"
    for text in ("a\nc\nb\n", "a\nb\na\nb\n", "aa\nb\n"):
        with pytest.raises(AssertionError, match="once"):
            changed(text, " a\n+x\n b\n")

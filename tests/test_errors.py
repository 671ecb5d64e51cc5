"""Every refusal has a code, a group, an exit code and a page."""

import ast
import re
from pathlib import Path

from tests.errors.test_error_kinds import GROUPS
from tests.source_tree import listed, modules, nodes

from privet import errors

PAGES = Path(__file__).resolve().parent.parent / "docs" / "errors"
CATALOGUE = errors.catalogue()


def classes() -> list[type[errors.PrivetError]]:
    return [
        thing
        for thing in vars(errors).values()
        if isinstance(thing, type) and issubclass(thing, errors.PrivetError)
    ]


def test_each_code_has_a_page_and_each_page_a_code() -> None:
    assert {path.stem for path in PAGES.glob("E-*.md")} == set(CATALOGUE)


def test_codes_are_unique_and_well_formed() -> None:
    codes = [cls.code for cls in classes() if cls.code]
    assert sorted(codes) == sorted(CATALOGUE)
    assert len(codes) == len(set(codes))
    assert [code for code in codes if not re.fullmatch(r"E-[A-Z]+-\d{3}", code)] == []


def test_a_subclass_never_inherits_its_code() -> None:
    """An inherited code would point at the wrong page."""
    assert [cls.__name__ for cls in CATALOGUE.values() if "code" not in vars(cls)] == []


def test_codes_have_one_form() -> None:
    assert [code for code in CATALOGUE if not re.fullmatch(r"E-[A-Z]+-\d{3}", code)] == []


def faults_of_class(cls: type[errors.PrivetError]) -> list[str]:
    groups = [group for group in GROUPS if issubclass(cls, group)]
    wrong = {
        "stands in no group, or in several": len(groups) != 1,
        "has not the exit code of its group": any(cls.exit_code != group.exit_code for group in groups),
        "has no docstring": not vars(cls).get("__doc__"),
    }
    return [said for said, found in wrong.items() if found]


def faults_of_page(code: str, text: str) -> list[str]:
    heading = text.partition("\n")[0]
    wrong = {
        "the first line is no heading with its code": not (heading.startswith("# ") and code in heading),
        "does not name its class": CATALOGUE[code].__name__ not in text,
        "does not say what it means, why, and what to do": len(text.splitlines()) < 8,
    }
    return [said for said, found in wrong.items() if found]


def test_each_class_stands_in_one_group_and_keeps_its_exit_code() -> None:
    faults = [f"{code} {said}" for code, cls in CATALOGUE.items() for said in faults_of_class(cls)]
    assert not faults, listed(faults)


def test_each_page_explains_its_class() -> None:
    faults = [
        f"{code}.md: {said}"
        for code in CATALOGUE
        for said in faults_of_page(code, (PAGES / f"{code}.md").read_text(encoding="utf-8"))
    ]
    assert not faults, listed(faults)


def test_a_bad_class_and_a_bad_page_are_seen() -> None:
    class Lost(errors.PrivetError):
        pass

    class Torn(errors.BadInput, errors.Failure):
        """In two groups with two exit codes."""

    assert len(faults_of_class(Lost)) == 2
    assert len(faults_of_class(Torn)) == 2
    assert len(faults_of_page("E-LEDGER-001", "# Something\n")) == 3


def test_the_page_named_in_an_error_exists() -> None:
    assert (PAGES.parent.parent / errors.InternalError("x").page).is_file()


def test_no_error_outside_the_catalogue_is_raised() -> None:
    """Groups are for catching, not for raising: what is raised has a code and a page."""
    source = PAGES.parent.parent / "src" / "privet"
    names = "|".join(["PrivetError", *(group.__name__ for group in GROUPS)])
    raising = re.compile(rf"raise (?:errors\.)?(?:{names})\(")
    strays = [path.name for path in source.rglob("*.py") if raising.search(path.read_text(encoding="utf-8"))]
    assert strays == []


def refusals_without_a_hint(path: Path) -> list[str]:
    """Where an error is made with an empty hint: whoever meets it is left alone with what is wrong."""
    kinds = {cls.__name__ for cls in classes()}
    return [
        f"{path.name}:{node.lineno}"
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in kinds
        and any(isinstance(given, ast.Constant) and given.value == "" for given in node.args)
    ]


def test_every_refusal_says_what_to_do() -> None:
    faults = [fault for path in modules() for fault in refusals_without_a_hint(path)]
    assert not faults, listed(faults)


def test_a_refusal_without_a_hint_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        'raise BadModel("it is bad.", "")\nraise BadModel("it is bad.", "Take another.")\nprint("", "")\n'
    )
    assert refusals_without_a_hint(file) == ["module.py:1"]

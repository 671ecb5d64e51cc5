"""Names: one for each thing, the same wherever it is spoken of, and none that is gone."""

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.source_tree import SOURCE, listed, modules, nodes

# The two halves of a mechanism bear its one name: what is known of its event, and its draw with the proof (decision 0007).
HALVES = ({"guarantee/mechanisms", "mechanism"}, {"guarantee/oracles", "mechanism"})
# Words that end like an activity and are what the literature calls the thing.
NOUNS = {"differencing", "downcoding", "recoding", "standing", "timing"}


def names_that_stand_twice(paths: list[str]) -> list[str]:
    """Modules and folders that share a name, underscore or not; a folder's chief module may bear its name."""
    homes: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders = folder.split("/") if folder else []
        for depth, own in enumerate(folders):
            homes.setdefault(own, set()).add("/".join(folders[: depth + 1]))
        stem = name.removesuffix(".py").lstrip("_")
        if name not in {"__init__.py", "__main__.py"} and (not folders or stem != folders[-1]):
            homes.setdefault(stem, set()).add(f"{folder}/{stem}")
    return [
        f"{name}: {', '.join(sorted(places))}"
        for name, places in sorted(homes.items())
        if len(places) > 1 and {place.rpartition("/")[0] for place in places} not in HALVES
    ]


def test_no_name_stands_for_two_things() -> None:
    """Whoever looks for a word finds one place."""
    faults = names_that_stand_twice([path.relative_to(SOURCE).as_posix() for path in modules()])
    assert not faults, listed(faults)


def test_a_name_that_stands_twice_is_seen() -> None:
    single = ["train/_train.py", "mechanism/_noise.py", "guarantee/mechanisms/_noise.py", "train/__init__.py"]
    assert names_that_stand_twice(single) == []
    for other in ("ledger/train.py", "ledger/_noise.py", "ledger/train/_sum.py", "train/_mechanism.py"):
        assert len(names_that_stand_twice([*single, other])) == 1, other


def test_modules_are_named_for_things() -> None:
    """A lone gerund says what somebody does, and not what is there: `reading`, `weighing`, `running`."""
    stems = {path.stem.lstrip("_") for path in modules()}
    gerunds = {stem for stem in stems if re.fullmatch("[a-z]+ing", stem)}
    assert gerunds == NOUNS


# --- a module is called by its name, also where it is imported ---------------------------------


def _words(name: str) -> set[str]:
    return {word.rstrip("s") for word in name.strip("_").split("_")}


def strange_aliases(path: Path) -> list[str]:
    """Modules of ours that a file imports under words that are not in their names: a second name for one thing."""
    return [
        f"{path.name}:{node.lineno}: {found.name} as {found.asname}"
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("privet")
        for found in node.names
        if found.asname and found.name.startswith("_") and not _words(found.asname) <= _words(found.name)
    ]


def test_a_module_is_imported_under_its_own_name() -> None:
    strange = [fault for path in modules() for fault in strange_aliases(path)]
    assert not strange, listed(strange)


def test_a_second_name_for_a_module_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        "from privet.engine import _dialects as dialects\n"
        "from privet.engine import _group_measures as measures\n"
        "from privet.engine import _keyed_hash as hashing\n"
    )
    assert strange_aliases(file) == ["module.py:3: _keyed_hash as hashing"]


# --- what docstrings and comments name is there ------------------------------------------------

# Names that are none of ours: of other libraries, of the environment, and values that stand as examples.
NOT_OURS = {
    "COLUMN.yaml", "Conv1D", "discrete_laplace.discrete_laplace", "ModelSNB", "NO_COLOR", "PGPASSWORD", "PatientDOB_2", "StddevPop", "User_01", "User_02", "X", "area_code",
    "email_verified", "eval", "n_features_in_", "onnx", "patient_age", "patients.csv.ledger", "patients.csv.ledger.link",
    "per_nombre", "pv.attack", "pv.load_model", "self", "stays.ward", "strip", "torch.func", "townid", "x7",
}  # fmt: skip


def spoken_of(path: Path) -> Iterator[tuple[int, str]]:
    """Names in backticks in the docstrings and comments of a file, and their lines."""
    texts = [
        (node.body[0].lineno, ast.get_docstring(node, clean=False) or "")
        for node in nodes(path)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body
    ]
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    texts += [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
    for line, text in texts:
        for name in re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", text):
            yield line, name


def names_in(path: Path) -> set[str]:
    """Everything that the code of a file calls by a name, its texts (which may be names of files) included."""
    found: set[str] = set()
    for node in nodes(path):
        match node:
            case (
                ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name))
            ):
                found.add(name)
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found |= {*name.split("."), *filter(None, [other])}
            case ast.ImportFrom(module=str(name)):
                found |= set(name.split("."))
            case ast.Constant(value=str(text)):
                found |= set(re.findall(r"\w+", text)) if "`" not in text else set()
    return found


def defined_in(path: Path) -> set[str]:
    """Classes, functions and what is assigned or declared, at any depth."""
    found: set[str] = set()
    for node in nodes(path):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
    return found


def names_that_are_gone(paths: list[Path], home: Path) -> list[str]:
    """Names that are spoken of and are neither in the same file, nor defined anywhere, nor a module's."""
    ours = {part for path in paths for part in path.relative_to(home).with_suffix("").parts}
    defined = {name for path in paths for name in defined_in(path)}
    # `counting.link` is no name of ours because some function has a variable `counting`: owners are classes or modules.
    owners = ours | {name for name in defined if name[0].isupper()}
    gone = []
    for path in paths:
        here = names_in(path)
        for line, name in spoken_of(path):
            first, _, rest = name.partition(".")
            known = first in here or first in (owners if rest else defined | ours)
            if not known and not hasattr(builtins, name) and name not in NOT_OURS:
                gone.append(f"{path.relative_to(home)}:{line}: `{name}`")
    return gone


def test_what_docstrings_and_comments_name_is_there() -> None:
    """A module that was renamed goes on living in sentences that no other check reads."""
    gone = names_that_are_gone(modules(), SOURCE.parent)
    assert not gone, listed(gone)


def test_a_name_that_is_gone_is_seen(tmp_path: Path) -> None:
    (tmp_path / "_hash_chain.py").write_text(
        '"""See `link`, `_hash_chain` and `Chain.link`."""\nclass Chain:\n    def link(self): ...\n'
    )
    (tmp_path / "_book.py").write_text(
        '"""See `_hash_chain.link`, `Chain.link`, `chaining`."""\n# `counting.link`\n'
    )
    assert names_that_are_gone(sorted(tmp_path.glob("*.py")), tmp_path) == [
        "_book.py:1: `chaining`",
        "_book.py:2: `counting.link`",
    ]

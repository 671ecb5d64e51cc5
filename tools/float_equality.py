"""Find equalities of floating-point numbers that were computed: they hold on one machine and fail on the next.

A processor's kernels, the order of a sum and a library's logarithm decide the last bit. In a test, `pytest.approx` says
how near is near enough; in the code, whole numbers, fractions or a look at the structure decide instead. Where an
equality is exact by construction, the line says why: `# exact: counts over a power of two`.

    python tools/float_equality.py        # exits with 1 and names every place

What counts as computed: a float literal, a quotient, a field or property that `src` annotates as a float in most classes
that have it, and what a function returns that returns floats wherever one of its name occurs.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
EXACT = re.compile(r"# exact: \S+")
_FLOATS = {"float", "Floats", "NDArray[np.float64]", "NDArray[np.float32]", "tuple[float, ...]"}
# Calls that give floats, by their last name.
_COMPUTED = {
    "mean", "std", "var", "sqrt", "exp", "log", "log1p", "expm1", "log2", "log10", "norm", "dot", "average",
    "median", "quantile", "expit", "softmax", "logaddexp", "fsum",
}  # fmt: skip


@dataclass(frozen=True)
class Names:
    """What `src` says is a float: fields and properties, and what functions return."""

    fields: frozenset[str]
    functions: frozenset[str]


def float_names(source: Path) -> Names:
    """Fields that are floats in most of the classes that have them, and functions that return floats wherever they occur."""
    fields: defaultdict[str, list[bool]] = defaultdict(list)
    functions: defaultdict[str, list[bool]] = defaultdict(list)
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(_tree(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                for name, annotation in _fields(node):
                    fields[name].append(_is_float(annotation))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
                functions[node.name].append(_is_float(node.returns))
    return Names(
        frozenset(name for name, found in fields.items() if 2 * sum(found) > len(found)),
        frozenset(name for name, found in functions.items() if all(found)),
    )


@cache
def _tree(text: str) -> ast.Module:
    """Parsed once, though the source is read for its names first and for equalities afterwards."""
    return ast.parse(text)


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id, one.annotation
        elif (
            isinstance(one, ast.FunctionDef)
            and one.returns is not None
            and any(_last(decorator).endswith("property") for decorator in one.decorator_list)
        ):
            yield one.name, one.returns


def _is_float(annotation: ast.expr) -> bool:
    return ast.unparse(annotation).strip("'\"").removesuffix(" | None") in _FLOATS


def places(path: Path, names: Names) -> Iterator[tuple[int, str]]:
    """The equalities of computed floats in a file, by line; those that say why they are exact are left out."""
    text = path.read_text(encoding="utf-8")
    if "==" not in text and "!=" not in text:
        return
    lines = text.splitlines()
    for node in ast.walk(_tree(text)):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if not isinstance(operator, ast.Eq | ast.NotEq) or not _suspect(left, right, names):
                continue
            end = node.end_lineno or node.lineno
            # The formatter may put the reason behind the bracket that closes on the next line.
            closes = (
                lines[end : end + 1] if "".join(lines[end : end + 1]).lstrip()[:1] in tuple(")]}") else []
            )
            said = [*lines[node.lineno - 1 : end], *closes]
            if not any(EXACT.search(line) for line in said):
                yield node.lineno, ast.unparse(node)


def _suspect(left: ast.expr, right: ast.expr, names: Names) -> bool:
    if any(_tolerant(side) or _no_number(side) for side in (left, right)):
        return False
    return any(_computed(side, names) for side in (left, right))


def _tolerant(side: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Name | ast.Attribute) and _last(node) == "approx" for node in ast.walk(side)
    )


def _no_number(side: ast.expr) -> bool:
    """What is no float, or no float is by accident: a text, nothing, a member of an enumeration, a size, an infinity."""
    match side:
        case ast.Constant(value=value):
            return not isinstance(value, int | float) or isinstance(value, bool)
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return bool(elements) and all(_no_number(element) for element in elements)
        case ast.Attribute(attr="value", value=ast.Attribute(attr=member)):
            return member.isupper()
        case ast.Call(func=function):
            return _last(function) in {"len", "Fraction", "resolve"}
        case _:
            return _last(side) == "inf"


def _computed(side: ast.expr, names: Names) -> bool:  # noqa: C901  one case for each kind of node
    match side:
        case ast.Constant(value=value):
            return type(value) is float
        case ast.UnaryOp(operand=operand):
            return _computed(operand, names)
        case ast.BinOp(left=one, right=other):
            if isinstance(side.op, ast.Div) and not _is_path(side):
                return True
            return _computed(one, names) or _computed(other, names)
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return any(_computed(element, names) for element in elements)
        case ast.Dict(values=values):
            return any(_computed(value, names) for value in values)
        case ast.Call(func=function):
            last = _last(function)
            if last in {"tolist", "item", "reshape", "ravel"} and isinstance(function, ast.Attribute):
                return _computed(function.value, names)
            return last in _COMPUTED or last == "float" or last in names.functions
        case ast.Attribute(attr=attribute):
            return attribute in names.fields
        case ast.Subscript(value=value):
            return _computed(value, names)
        case _:
            return False


def _is_path(side: ast.expr) -> bool:
    """Whether what is divided is a folder, by a name inside it."""
    if not isinstance(side, ast.BinOp):
        return isinstance(side, ast.JoinedStr) or (
            isinstance(side, ast.Constant) and isinstance(side.value, str)
        )
    return _is_path(side.left) or _is_path(side.right)


def _last(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=function):
            return _last(function)
        case _:
            return ""


def found(*folders: Path) -> list[str]:
    """Every place in these folders, as path:line: comparison."""
    names = float_names(REPOSITORY / "src")
    return [
        f"{path.relative_to(REPOSITORY)}:{line}: {said}"
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        for line, said in sorted(places(path, names))
    ]


def main() -> int:
    """Name the places; 1 if there are any."""
    said = found(REPOSITORY / "src", REPOSITORY / "tests")
    sys.stdout.writelines(f"{line}\n" for line in said)
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())

"""Mutants of a module: its syntax tree with one thing changed that a test should notice.

Changed are comparisons (the boundary moved, the sense turned), connectives, signs, arithmetic, whole and decimal numbers,
truth values, the direction of rounding, conditions; dropped are a `raise` and a call made for its effect. Texts are left
alone, and so is what only types, prints or refuses in words: annotations, decorators, messages, assertions.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_OPPOSITES = {
    one: other
    for pair in (
        ("min", "max"),
        ("any", "all"),
        ("floor", "ceil"),
        ("minimum", "maximum"),
        ("units_up", "units_down"),
        ("float_up", "float_down"),
        ("nextafter_up", "nextafter_down"),
    )
    for one, other in (pair, pair[::-1])
}
AS_IT_IS = -1
# What these functions give is read by people.
_SPEAKING = {"__repr__", "__str__", "sentence", "_repr_html_"}
_DECLARING = {"field", "dataclass", "TypeVar", "isinstance", "issubclass", "cast"}


@dataclass(frozen=True)
class Mutant:
    """One change: where it is, and how the changed expression or statement reads before and after."""

    module: str
    function: str  # the qualified name; empty at the top of the module
    line: int
    before: str
    after: str
    place: int  # among the changes of its module
    nth: int = 0  # among those of its function that read the same

    @property
    def key(self) -> str:
        """A name that outlives changes elsewhere in the file and a new name of the module."""
        return f"{self.function or '<module>'}: {self.before} => {self.after} #{self.nth}"

    def rank(self, seed: str = "") -> str:
        """Where it comes in the sample of a seed: scattered, and the same on every machine."""
        return hashlib.sha256(f"{seed}{self.key}".encode()).hexdigest()


@dataclass(frozen=True)
class _Place:
    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    function: str

    def put(self, other: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, other)
        else:
            getattr(self.parent, self.field)[self.index] = other


def mutants_of(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its text."""
    alike: Counter[str] = Counter()
    found = []
    for number, (place, other) in enumerate(_changes(ast.parse(source))):
        before, after = (_line(node) for node in (place.node, other))
        mutant = Mutant(module, place.function, getattr(place.node, "lineno", 0), before, after, number)
        mutant = Mutant(**{**mutant.__dict__, "nth": alike[mutant.key]})
        alike[Mutant(**{**mutant.__dict__, "nth": 0}).key] += 1
        found.append(mutant)
    return found


def compiled(source: str, path: str, place: int) -> CodeType:
    """The code of a module with the change at one place, or with none at `AS_IT_IS`."""
    tree = ast.parse(source)
    if place == AS_IT_IS:
        return compile(tree, path, "exec", dont_inherit=True)
    for number, (here, other) in enumerate(_changes(tree)):
        if number == place:
            here.put(ast.copy_location(other, here.node))
            return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    raise IndexError(place)


def _line(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else f"{text[:60]} … {text[-37:]}"


def _changes(tree: ast.Module) -> Iterator[tuple[_Place, ast.AST]]:
    for place in _places(tree, ""):
        for other in _others(place):
            yield place, other


def _places(parent: ast.AST, function: str) -> Iterator[_Place]:
    """Every node below that may be changed, with the function it is in."""
    for field, value in ast.iter_fields(parent):
        if field in ("annotation", "returns", "decorator_list", "bases", "type_params", "type_comment"):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or _left_alone(node):
                continue
            inside = function
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                if node.name in _SPEAKING:
                    continue
                kind = ".<locals>" if isinstance(parent, ast.FunctionDef) else ""
                inside = f"{function}{kind}.{node.name}".lstrip(".")
            yield _Place(parent, field, index, node, function)
            if not isinstance(node, ast.Raise):
                yield from _places(node, inside)


def _left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr | ast.Assert | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Call) and _name(node.func) in _DECLARING:
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True
    return isinstance(node, ast.If) and _name(node.test) == "TYPE_CHECKING"


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _others(place: _Place) -> Iterator[ast.AST]:
    """What may stand in a node's place."""
    node = place.node
    if isinstance(node, ast.Compare):
        yield from _compared(node)
    elif isinstance(node, ast.BoolOp):
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _COMPUTED and not _of_types(node):
        yield _with(node, op=_COMPUTED[type(node.op)]())
    elif isinstance(node, ast.Constant):
        yield from (ast.Constant(value) for value in _numbers(node.value))
    elif isinstance(node, ast.Name | ast.Attribute) and place.field == "func" and _name(node) in _OPPOSITES:
        name = _OPPOSITES[_name(node)]
        yield _with(node, **({"id": name} if isinstance(node, ast.Name) else {"attr": name}))
    elif isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield ast.Pass()
    if place.field in ("test", "ifs") and not isinstance(place.parent, ast.While) and not _turned(node):
        yield ast.UnaryOp(ast.Not(), node)


def _compared(node: ast.Compare) -> Iterator[ast.AST]:
    for at, op in enumerate(node.ops):
        for other in _COMPARED[type(op)]:
            yield _with(node, ops=[*node.ops[:at], other(), *node.ops[at + 1 :]])


def _turned(node: ast.AST) -> bool:
    """Whether a condition is turned round by another change already."""
    return (isinstance(node, ast.Compare) and len(node.ops) == 1) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _of_types(node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether it is a union of classes, as in a type alias."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    return isinstance(node.op, ast.BitOr) and any(_name(side)[:1].isupper() for side in sides)


def _numbers(value: object) -> list[bool | int | float]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1] if value else [1]
    if isinstance(value, float):
        return [value * 2 if value else 1.0]
    return []


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other

"""Proof notes beside the code, tied to it by a digest.

`@proven("discrete_laplace.proof.md", digest="…", events=(…,))` says that the note was read against the function as
it stands. The digest covers the function's syntax tree (so formatting, comments and the docstring may change freely),
the constants of its module, and the text of the note; of each event that it draws, also what the note relies on: the
price, the sensitivities covered and the scale (`ASKED`), with the functions of the event's module that they call. When
any of them changes, the test of this module fails until someone reads all of it again and runs
`tools/review_proofs.py --accept <function>`.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from privet.errors import InternalError
from privet.guarantee.mechanisms import Mechanism
from privet.guarantee.oracles import Oracle

SECTIONS = ("Precondition", "Pseudocode", "Statement", "Proof", "References")
# What a proof relies on of the event it is about: how it is priced, what it covers, and what is drawn for it.
# Of an oracle: its odds.
ASKED = ("basic_cost", "concentrated_cost", "covers", "noise_scale", "threshold_at", "odds")

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Proven:
    """One function, the note that proves it, and the digest under which the two were last read together."""

    function: Callable[..., Any]
    note: str
    digest: str
    events: tuple[type[Mechanism] | type[Oracle], ...] = ()

    @property
    def name(self) -> str:
        """The function's name with its module: `discrete_laplace.discrete_laplace`."""
        return f"{self.function.__module__.rpartition('.')[2].lstrip('_')}.{self.function.__qualname__}"

    @property
    def path(self) -> Path:
        """Where the note lies."""
        return Path(__file__).parent / self.note

    def current_digest(self) -> str:
        """The digest of the code and the note as they are now."""
        parts = (
            normalised_source(self.function),
            module_constants(self.function),
            self.path.read_text("utf-8"),
            *(asked_source(event) for event in self.events),
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


_REGISTER: dict[str, Proven] = {}


def proven(
    note: str, *, digest: str, events: tuple[type[Mechanism] | type[Oracle], ...] = ()
) -> Callable[[_Function], _Function]:
    """Mark a function as proven by `note`, which speaks of these events; returns it unchanged."""

    def register(function: _Function) -> _Function:
        record = Proven(function, note, digest, events)
        _REGISTER[record.name] = record
        return function

    return register


def register() -> dict[str, Proven]:
    """Every proven function of the modules imported so far, by name."""
    return dict(sorted(_REGISTER.items()))


def normalised_source(function: Callable[..., Any]) -> str:
    """The function without decorators, comments, docstring and formatting: what it does, and nothing else."""
    return _bare(_syntax_of(function))


def asked_source(event: type[Mechanism] | type[Oracle]) -> str:
    """What a proof relies on of an event, with the functions beside it that this calls; normalised like a function."""
    found: dict[str, str] = {}
    for name in ASKED:
        method = getattr(event, name, None)
        if method is None or method is getattr(Mechanism, name, None):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0]
        found[name] = _bare(tree)
        for node in ast.walk(tree):
            called = (
                getattr(sys.modules[event.__module__], node.id, None) if isinstance(node, ast.Name) else None
            )
            if inspect.isfunction(called) and called.__module__ == event.__module__:
                found[called.__qualname__] = normalised_source(called)
    return "\n".join(found.values())


def _bare(tree: ast.AST) -> str:
    if not isinstance(tree, ast.FunctionDef):
        raise InternalError("only functions can be proven.")
    tree.decorator_list = []
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def module_constants(function: Callable[..., Any]) -> str:
    """The module's own assignments, which the function may read."""
    tree = ast.parse(inspect.getsource(sys.modules[function.__module__]))
    return "\n".join(ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))


def sections(note: str) -> dict[str, str]:
    """A note's text by section title; refuses one that lacks a section, or has them in another order."""
    found: dict[str, str] = {}
    title = ""
    for line in note.splitlines():
        if line.startswith("## "):
            title = line[3:].strip()
            found[title] = ""
        elif title:
            found[title] += line + "\n"
    if tuple(found) != SECTIONS or not all(text.strip() for text in found.values()):
        raise InternalError(f"a proof note needs these sections, none empty: {', '.join(SECTIONS)}.")
    return {name: text.strip() for name, text in found.items()}


def _syntax_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """The function's definition, looked up in its module by name."""
    tree = ast.parse(inspect.getsource(sys.modules[function.__module__]))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function.__qualname__:
            return node
    raise InternalError(f"{function.__qualname__} is not a function at the top of its module.")

"""YAML with the place of everything in it, so that a fault can be pointed at by line and column."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privet.artifact import refuse_password
from privet.errors import BadPolicy, RecordTooDeep
from privet.evidence import record_bytes

Path_ = tuple[str | int, ...]

# A policy is written by people. Anything larger is not one, and anything deeper is an attack on the reader.
_LARGEST, _DEEPEST = 1_000_000, 40


@dataclass(frozen=True)
class Placed:
    """The content of a file, and the line and column (from 1) of each part of it."""

    name: str
    content: Any
    keys: dict[Path_, tuple[int, int]]
    values: dict[Path_, tuple[int, int]]
    digest: str = ""  # SHA-256 of the file

    def place(self, where: Sequence[str | int], *, key: bool = False) -> str:
        """`privet.yaml:4:5` for a part, or for the nearest part around it that is there."""
        found = tuple(where)
        marks = self.keys if key else self.values
        while found and found not in marks and found not in self.values:
            found = found[:-1]
        line, column = marks.get(found) or self.values.get(found, (1, 1))
        return f"{self.name}:{line}:{column}"


def read_placed(path: Path) -> Placed:
    """Read a YAML file; aliases, tags and repeated keys are refused, since they hide what a policy says."""
    try:
        content = record_bytes(path, largest=_LARGEST)
        text = content.decode()
    except OSError as problem:
        raise BadPolicy(
            f"{path.name} cannot be read ({(problem.strerror or 'unknown').lower()}).",
            "`privet init DATA` writes one.",
        ) from None
    except UnicodeDecodeError:
        raise BadPolicy(f"{path.name} is not a text file.", "A policy is YAML in UTF-8.") from None
    except RecordTooDeep:
        raise BadPolicy(f"{path.name} is too large for a policy.", "Is it the right file?") from None
    # Of the very bytes that are read: a file that is exchanged in between is not two things at once.
    return replace(placed(text.replace("\r\n", "\n"), path.name), digest=hashlib.sha256(content).hexdigest())


def placed(text: str, name: str) -> Placed:
    """The content of YAML text with its places."""
    import yaml

    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):  # one by one: left where it gets too deep
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST + 1:
                raise BadPolicy(f"{name} is nested too deeply.", "A policy is a few levels deep.")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                mark = event.start_mark
                raise BadPolicy(
                    f"{name}:{mark.line + 1}:{mark.column + 1} anchors and aliases are not allowed in a policy.",
                    "Write it out.",
                )
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as problem:
        found = getattr(problem, "problem_mark", None)
        place = f":{found.line + 1}:{found.column + 1}" if found is not None else ""
        raise BadPolicy(f"{name}{place} is not YAML.", "Check indentation and quotes there.") from None
    except (RecursionError, ValueError):
        raise BadPolicy(f"{name} is not YAML that can be read.", "Check it with an editor.") from None
    keys: dict[Path_, tuple[int, int]] = {}
    values: dict[Path_, tuple[int, int]] = {}
    content = None if node is None else _content(node, (), name, keys, values)
    return Placed(name, content, keys, values)


def _content(
    node: Any,
    where: Path_,
    name: str,
    keys: dict[Path_, tuple[int, int]],
    values: dict[Path_, tuple[int, int]],
) -> Any:
    import yaml

    values[where] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if len(where) > _DEEPEST:
        raise BadPolicy(f"{name} is nested too deeply.", "A policy is a few levels deep.")
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:
            text = str(getattr(key, "value", ""))
            mark = (key.start_mark.line + 1, key.start_mark.column + 1)
            if not isinstance(key, yaml.ScalarNode) or text in found or not _writable(text):
                raise BadPolicy(
                    f"{name}:{mark[0]}:{mark[1]} "
                    + (f"{text!r} stands here twice." if text in found else "a name is not a word."),
                    "Say each thing once.",
                )
            if key.tag == "tag:yaml.org,2002:merge":
                raise BadPolicy(
                    f"{name}:{mark[0]}:{mark[1]} merge keys are not allowed in a policy.", "Write it out."
                )
            keys[(*where, text)] = mark
            found[text] = _content(value, (*where, text), name, keys, values)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_content(item, (*where, at), name, keys, values) for at, item in enumerate(node.value)]
    loader = yaml.SafeLoader("")
    try:
        str(node.value).encode()  # half a character can be escaped in YAML, and never be written again
        scalar = loader.construct_object(node)
    except (yaml.YAMLError, ValueError):
        line, column = values[where]
        raise BadPolicy(
            f"{name}:{line}:{column} this value cannot be read.", "Put it in quotes if it is text."
        ) from None
    if isinstance(scalar, str):
        refuse_password(scalar, f"{name}:{values[where][0]}:{values[where][1]}")
    return scalar


def _writable(text: object) -> bool:
    """Whether a text can be written to a file again."""
    try:
        str(text).encode()
    except UnicodeEncodeError:
        return False
    return True

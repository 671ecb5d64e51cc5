"""Reading JSON and YAML that somebody may have written to hurt the reader: bounded in size and depth, every name once.

Depth is counted before anything is built: a text of 100,000 brackets is refused at once, where parsers recurse or take
quadratic time. A name that stands twice in one place is refused: two readers would take it for different things.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from pathlib import Path
from typing import Any, BinaryIO

from privet.errors import RecordTooDeep, UnsafePath

LARGEST, DEEPEST = 256_000_000, 100
LARGEST_GIVEN = (
    64_000_000  # of what people write, or have written, for a command to read: lists of values, hierarchies
)
_YAML_LARGEST, _YAML_DEEPEST = 16_000_000, 40
# A string runs to its end or to that of the text, also after a backslash; possessive, so that no text makes this go back.
_MARKS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{\]}]', re.DOTALL)


_READ = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)


def record_bytes(path: str | Path, *, largest: int = LARGEST) -> bytes:
    """What is in a file of ours. A link, a pipe, a device or a socket in its place is refused at once, and not waited for.

    Raises OSError where nothing is there or it may not be read, and `RecordTooDeep` where it is larger than any of ours.
    """
    with record_file(path) as opened:
        return _within(opened, largest, f"{Path(path).name} is larger than any that Privet writes.")


def record_file(path: str | Path) -> BinaryIO:
    """The same, open for reading, for what is too large to be held at once."""
    return _opened(Path(path), _READ)


def given_file(path: str | Path) -> BinaryIO:
    """A file that somebody named, open for reading. A pipe, a device or a socket is refused at once, and not waited for.

    Links are followed, since people name what they like; what they lead to is an ordinary file. Raises OSError where nothing is
    there or it may not be read.
    """
    return _opened(Path(path), _READ & ~getattr(os, "O_NOFOLLOW", 0))


def given_bytes(path: str | Path, *, largest: int = LARGEST_GIVEN) -> bytes:
    """What is in such a file; `RecordTooDeep` where it is larger than any that people write by hand."""
    with given_file(path) as opened:
        return _within(opened, largest, f"{Path(path).name} is larger than {largest:,} bytes.")


def given_text(path: str | Path, *, largest: int = LARGEST_GIVEN, encoding: str = "utf-8") -> str:
    """The same as text, with ends of lines as Python has them; raises UnicodeDecodeError, a ValueError, where it is none."""
    content = given_bytes(path, largest=largest).decode(encoding)
    return content.replace("\r\n", "\n").replace("\r", "\n")


def _opened(file: Path, flags: int) -> BinaryIO:
    """An ordinary file and nothing else; the name is looked at once, so that nothing can be put in its place."""
    try:
        handle = os.open(file, flags)
    except OSError as problem:
        # a link; a socket, or a pipe's other end
        if problem.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise _not_a_file(file) from None
        raise
    except ValueError:  # a name that no system has
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
    opened = os.fdopen(handle, "rb")
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return opened
    opened.close()
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file.name)
    raise _not_a_file(file)


def _within(opened: BinaryIO, largest: int, fact: str) -> bytes:
    content = opened.read(min(os.fstat(opened.fileno()).st_size, largest) + 1)
    if len(content) > largest:
        raise RecordTooDeep(fact, "Is it the right file?")
    return content


def record_text(path: str | Path, *, largest: int = LARGEST) -> str:
    """The same as text; raises UnicodeDecodeError, a ValueError, where it is none."""
    return record_bytes(path, largest=largest).decode()


def refuse_special(path: str | Path) -> None:
    """Refuse a link, a pipe, a device or a socket where a file or folder of ours belongs; nothing there is fine."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise _not_a_file(Path(path))


def _not_a_file(file: Path) -> UnsafePath:
    return UnsafePath(
        f"{file.name} is a link, or no ordinary file: it could lead anywhere, or keep its reader waiting.",
        "Put an ordinary file in its place, or name the file itself.",
    )


def read_json(text: str | bytes, *, what: str = "this record", largest: int = LARGEST) -> Any:
    """What a JSON text says; raises ValueError where it is none, and `RecordTooDeep` where it is larger than any of ours."""
    if len(text) > largest:
        raise RecordTooDeep(f"{what} is larger than any that Privet writes.", "Is it the right file?")
    known = text if isinstance(text, str) else str(text, "utf-8")
    _refuse_deep(known, what)
    return json.loads(known, object_pairs_hook=_once)


def _refuse_deep(text: str, what: str) -> None:
    depth = 0
    for mark in _MARKS.finditer(text):
        found = mark.group()
        if found in "[{":
            depth += 1
            if depth > DEEPEST:
                raise RecordTooDeep(
                    f"{what} is nested more than {DEEPEST} deep.",
                    "No record of ours is: find out who wrote it.",
                )
        elif found in "]}":
            depth -= 1


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def checked_yaml(text: str, *, what: str = "this file", largest: int = _YAML_LARGEST) -> None:
    """Refuse YAML that is too large or too deep to be one of ours, or that points at its own parts; builds nothing.

    Raises PyYAML's own errors where the text is no YAML.
    """
    import yaml

    if len(text) > largest:
        raise RecordTooDeep(f"{what} is larger than any that Privet reads.", "Is it the right file?")
    depth = 0
    for event in yaml.parse(
        text, Loader=yaml.SafeLoader
    ):  # one by one: a deep text is left where it gets too deep
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _YAML_DEEPEST:
            raise RecordTooDeep(
                f"{what} is nested more than {_YAML_DEEPEST} deep.", "Such files are a few levels deep."
            )
        if isinstance(event, yaml.AliasEvent):
            raise RecordTooDeep(f"{what} points at its own parts (anchors and aliases).", "Write it out.")


def read_yaml(text: str, *, what: str = "this file", loader: Any = None) -> Any:
    """What a YAML text says; raises PyYAML's own errors where it is none, and `RecordTooDeep` as `checked_yaml` does."""
    import yaml

    checked_yaml(text, what=what)
    return yaml.load(text, loader or yaml.SafeLoader)  # noqa: S506  a safe loader, or one made from it

"""What a disk may hold after a power cut: a recording of what a program asked the system for, and what could be left of it.

Synced content stays. Of what was not synced anything may be there or not, file by file and write by write; the last write
may be cut within. A name that was made or taken away is certain once its folder was synced, and until then the folder's
changes may be missing from any one on. This is what POSIX leaves open for fsync(2), and what SQLite is built for
(sqlite.org/atomiccommit.html, 2 and 3.1). Only one folder is looked at, and calls not understood there are refused.
"""

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

STRACE = shutil.which("strace")
SECTOR = 512
CALLS = (
    "openat,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,truncate,ftruncate,fallocate,"
    "unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,copy_file_range,sendfile"
)
_LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_HEX = re.compile(r"\\x([0-9a-f]{2})")
_SHARED = "-shm"  # written by way of memory; SQLite makes it anew after a crash


@dataclass(frozen=True)
class Change:
    """One thing that happened in the folder: a write, a cut, a sync, a new or lost name, or a mark of the program."""

    kind: str  # write, cut, sync, make, take, names, mark
    file: int = 0
    name: str = ""
    at: int = 0
    content: bytes = b""


def can_record() -> bool:
    """Whether processes can be traced here."""
    words = [STRACE or "", "-o", os.devnull, "true"]
    return STRACE is not None and subprocess.run(words, check=False, capture_output=True).returncode == 0


def recorded(command: list[str], folder: Path, marks: Path, trace: Path) -> list[Change]:
    """Run a program under strace(1); what it did in the folder, and what it wrote to the file of marks, in order."""
    assert STRACE is not None
    words = [STRACE, "-f", "-y", "-xx", "-s", "16777216", "-e", f"trace={CALLS}", "-o", str(trace), *command]
    subprocess.run(words, check=True, capture_output=True)
    with trace.open(encoding="ascii") as lines:
        return list(_changes(lines, folder.resolve(), marks.resolve()))


def _changes(lines: Iterator[str], folder: Path, marks: Path) -> Iterator[Change]:
    names: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        found = _LINE.match(line)
        if found is None:
            assert "unfinished" not in line, "two processes at once"
            continue
        call, words = found[1], found[2].split(", ")
        place = _place(call, [_plain(word) for word in words[:2]])
        if int(found[3]) < 0 or place is None:
            continue
        if place == marks and call == "write":
            yield Change("mark", content=_bytes(words[1]))
        elif place == folder and call in ("fsync", "fdatasync"):
            yield Change("names")
        elif place.parent == folder and not place.name.endswith(_SHARED):
            if call == "openat":
                assert "O_TRUNC" not in words[2], "a file is cut as it is opened"
                if "O_CREAT" not in words[2] or place.name in names:
                    continue
                names[place.name] = number
            yield _change(call, names.get(place.name, 0), place.name, words, int(found[3]))
            if call in ("unlink", "unlinkat"):
                del names[place.name]


def _change(call: str, file: int, name: str, words: list[str], result: int) -> Change:
    """What a call did to a file in the folder."""
    match call:
        case "openat":
            return Change("make", file, name)
        case "unlink" | "unlinkat":
            return Change("take", file, name)
        case "fsync" | "fdatasync":
            return Change("sync", file)
        case "ftruncate":
            return Change("cut", file, at=int(words[1]))
        case "pwrite64":
            content = _bytes(words[1])
            assert result == len(content), "a short write"
            return Change("write", file, at=int(words[3]), content=content)
    raise AssertionError(f"{call} of {name} is not understood")


def _place(call: str, words: list[str]) -> Path | None:
    """The file or folder that a call is about."""
    at = re.search(r"<(.*)>$", words[0])
    if call in ("openat", "unlinkat"):
        return Path(at[1] if at else "/") / words[1].strip('"')
    if at:
        return Path(at[1])
    return Path(words[0].strip('"')) if words[0].startswith('"') else None


def _plain(word: str) -> str:
    """A word of the trace as text; one that is longer than any name is left as it is."""
    return word if len(word) > 20_000 else _HEX.sub(lambda one: chr(int(one[1], 16)), word)


def _bytes(word: str) -> bytes:
    assert word[0] == word[-1] == '"', "cut off by strace"
    return bytes.fromhex(word[1:-1].replace("\\x", ""))


@dataclass
class Disk:
    """What is certain, and what is not yet."""

    sure: dict[int, bytearray] = field(default_factory=dict)
    open: dict[int, list[Change]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    moves: list[Change] = field(default_factory=list)

    def take(self, change: Change) -> None:
        """One thing more has happened."""
        if change.kind in ("make", "take"):
            self.moves.append(change)
        elif change.kind in ("write", "cut"):
            self.open.setdefault(change.file, []).append(change)
        elif change.kind == "sync":
            for one in self.open.pop(change.file, []):
                _put(self.sure.setdefault(change.file, bytearray()), one)
        elif change.kind == "names":
            self.names, self.moves = _moved(self.names, self.moves), []

    def image(self, keep: dict[int, list[Change]], moves: list[Change]) -> dict[str, bytes]:
        """The files, if of all that is not certain this is there."""
        names, left = _moved(self.names, moves), {}
        for name, file in names.items():
            content = bytearray(self.sure.get(file, b""))
            for one in keep.get(file, []):
                _put(content, one)
            left[name] = bytes(content)
        return left

    def after_a_cut(self, draws: int, rng: random.Random) -> Iterator[tuple[str, dict[str, bytes]]]:
        """What a power cut at this moment may leave, each with how it came about."""
        yield "dropped", self.image({}, [])
        yield "names kept", self.image({}, self.moves)
        yield "content kept", self.image(self.open, [])
        yield "kept", self.image(self.open, self.moves)
        for file, changes in self.open.items():
            if changes[-1].kind == "write" and len(changes[-1].content) > 1:
                size = len(changes[-1].content)
                torn = SECTOR * rng.randrange(0, size // SECTOR) if size > SECTOR else size // 2
                short = Change("write", file, at=changes[-1].at, content=changes[-1].content[:torn])
                yield "torn", self.image({**self.open, file: [*changes[:-1], short]}, self.moves)
        for _ in range(draws if self.open or self.moves else 0):
            share = rng.random()
            some = {file: [one for one in all_ if rng.random() < share] for file, all_ in self.open.items()}
            yield "some", self.image(some, self.moves[: rng.randint(0, len(self.moves))])


def _moved(names: dict[str, int], moves: list[Change]) -> dict[str, int]:
    names = dict(names)
    for move in moves:
        if move.kind == "make":
            names[move.name] = move.file
        else:
            names.pop(move.name, None)
    return names


def _put(content: bytearray, change: Change) -> None:
    """A write beyond the end leaves zeros between."""
    end = change.at + len(change.content)
    if change.kind == "cut":
        del content[change.at :]
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    content[change.at : end] = change.content

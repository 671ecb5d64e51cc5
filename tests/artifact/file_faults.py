"""Everything that the file layer does, stopped at each of its calls in every way: errors, a full disk, short writes, kills."""

import contextlib
import errno
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from privet import artifact
from privet.artifact import OwnerOnly, Publishable
from privet.artifact import _atomic_write as atomic
from privet.artifact import _file_calls as calls
from privet.artifact import _file_removal as removal
from privet.errors import PrivetError

ERRORS = ("EIO", "EACCES", "ENOSPC", "EDQUOT")
KILLS = ("kill", "torn")  # torn: half of what was to be written is, and then the kill
State = dict[str, str]
NEW, OLD = "new content, of some length", "old"
_FILLING = ("create", "write", "mkdir", "sync")  # what a full disk refuses


@dataclass(frozen=True)
class Operation:
    """One thing that the layer does: what is there before, the doing, and whether doing it again is asked for."""

    name: str
    prepare: Callable[[Path], object]
    act: Callable[[Path], object]
    done: Callable[[Path], bool] = lambda _: False  # then it is not done again
    also: Callable[[State], bool] = lambda _: False  # what else may be seen after a fault
    grows: str = ""  # a file of which whole lines alone count
    # What makes anew what was to be moved: a kill may leave it in a room, from where nobody takes it.
    remade: Callable[[Path], object] | None = None


def _file(folder: Path) -> None:
    (folder / "a").write_text(OLD)


def _folder(folder: Path) -> None:
    (folder / "a" / "deep").mkdir(parents=True)
    for name in ("one", "deep/two"):
        (folder / "a" / name).write_text(OLD)


def _made(folder: Path) -> None:
    (folder / "room").mkdir()
    (folder / "room" / "a").write_text(NEW)


def _made_folder(folder: Path) -> None:
    (folder / "room" / "a").mkdir(parents=True)
    (folder / "room" / "a" / "one").write_text(NEW)


def _lines(folder: Path) -> None:
    (folder / "a").write_bytes(b"first\n")


def _cut(folder: Path) -> None:
    (folder / "a").write_bytes(b"first\nsec")


def _both(*preparations: Callable[[Path], object]) -> Callable[[Path], object]:
    def prepare(folder: Path) -> None:
        for one in preparations:
            one(folder)

    return prepare


def _nothing(_: Path) -> None:
    pass


def _filled(part: Path) -> None:
    part.write_text(NEW)


def _there(folder: Path) -> bool:
    return (folder / "a").exists()


def _moved(folder: Path) -> bool:
    return not (folder / "room" / "a").exists()


def _put(folder: Path) -> object:
    return artifact.replace_inside(folder / "room" / "a", folder, "a", lambda _: True)


def _private(folder: Path) -> None:
    (folder / "a").mkdir(mode=0o755)
    (folder / "a").chmod(0o755)


FILES = {"one": NEW, "two": NEW}
OPERATIONS = {
    one.name: one
    for one in (
        Operation("write a text", _nothing, lambda at: artifact.written_whole(at / "a", OwnerOnly(NEW))),
        Operation("replace a file", _file, lambda at: artifact.written_whole(at / "a", OwnerOnly(NEW))),
        Operation("let a library write", _file, lambda at: artifact.written_whole(
            at / "a", Publishable(_filled, "holds nothing from the data"))),
        Operation("rewrite", _file, lambda at: atomic.rewritten(at / "a", NEW)),
        Operation("a new file", _nothing, lambda at: artifact.new_file(at / "a", NEW.encode()), _there),
        Operation("an empty file", _nothing, lambda at: artifact.empty_file(at / "a"), _there),
        Operation("a private file", _nothing, lambda at: artifact.private_file(at / "a")),
        Operation("close a file", _file, lambda at: artifact.private_file(at / "a")),
        Operation("write a folder", _nothing, lambda at: artifact.written_folder(at / "a", OwnerOnly(FILES))),
        Operation("replace a folder", _folder, lambda at: artifact.written_folder(at / "a", OwnerOnly(FILES))),
        Operation("a folder", _nothing, lambda at: artifact.own_folder(at / "a")),
        Operation("folders", _nothing, lambda at: artifact.own_folder(at / "a" / "b", parents=True),
                  also=lambda seen: seen == {"a": "folder"}),
        Operation("a private folder", _private, lambda at: artifact.private_folder(at / "a")),
        Operation("folders of outputs", _nothing, lambda at: artifact.output_folders(at / "a"),
                  also=lambda seen: set(seen) <= {"a", "a/owner", "a/public"}),
        Operation("append the first line", _nothing, lambda at: artifact.append_line(at / "a", NEW.encode()),
                  lambda at: _there(at) and f"{NEW}\n" in (at / "a").read_text(),
                  also=lambda seen: seen == {"a": ""}, grows="a"),
        Operation("append a line", _lines, lambda at: artifact.append_line(at / "a", NEW.encode()),
                  lambda at: f"{NEW}\n" in (at / "a").read_text(), grows="a"),
        Operation("append after a cut line", _cut, lambda at: artifact.append_line(at / "a", NEW.encode()),
                  lambda at: f"{NEW}\n" in (at / "a").read_text(), grows="a"),
        Operation("remove a file", _file, lambda at: artifact.remove(at / "a")),
        Operation("remove a file inside", _file, lambda at: artifact.remove_inside(at, "a", lambda _: True)),
        Operation("remove a folder inside", _folder, lambda at: artifact.remove_inside(at, "a", lambda _: True)),
        Operation("remove an empty folder", lambda at: (at / "a").mkdir(), lambda at: removal.discard_empty(at / "a")),
        Operation("destroy a secret", _file, lambda at: artifact.shred(at / "a"),
                  also=lambda seen: set(seen) == {"a"} and OLD not in seen["a"]),
        Operation("move", _made, lambda at: artifact.move_into(at / "room" / "a", at / "a"), _moved),
        Operation("move over a folder", _both(_made_folder, _folder),
                  lambda at: artifact.move_into(at / "room" / "a", at / "a"), _moved, remade=_made_folder),
        Operation("put in place", _made, _put, _moved),
        Operation("put in place of a file", _both(_made, _file), _put, _moved, remade=_made),
        Operation("put in place of a folder", _both(_made_folder, _folder), _put, _moved, remade=_made_folder),
        Operation("put a folder in place of a file", _both(_made_folder, _file), _put, _moved, remade=_made_folder),
        Operation("note what was made", _file, lambda at: artifact.record_making(at, "a", at / "a"),
                  lambda at: artifact.is_making(at, "a", at / "a"), also=lambda seen: seen == {"a": OLD, "made.jsonl": ""},
                  grows="made.jsonl"),
        Operation("begin and leave", _file, lambda at: artifact.refuse_unwritable(at / "a")),
    )
}  # fmt: skip


def seen(folder: Path, grows: str = "") -> State:
    """All that can be seen: names that are not of work in progress, and whole lines of a file that grows."""
    found = {}
    for place in sorted(folder.rglob("*")):
        name = place.relative_to(folder).as_posix()
        if any(part.endswith(".partial") and part.startswith(".") for part in name.split("/")):
            continue
        text = "folder" if place.is_dir() else place.read_text()
        found[name] = "".join(map(_line, text.split("\n")[:-1])) if name == grows else text
    return found


def _line(text: str) -> str:
    """A line that says something; one that was cut short by a kill, and ended since, says nothing."""
    if text in ("first", NEW):
        return f"{text}\n"
    return "noted\n" if text.startswith("{") and text.endswith("}") else ""


def lost(state: State) -> State:
    """What is seen where a kill left what was to be moved in a room."""
    return {name: text for name, text in state.items() if not name.startswith("room/")}


def points(operation: Operation, folder: Path) -> list[str]:
    """The calls that it makes, in order."""
    found: list[str] = []

    def noted(call: str, size: int) -> int:
        found.append(call)
        return size

    with _fault(noted):
        operation.act(folder)
    return found


def stopped(operation: Operation, folder: Path, kind: str, at: int) -> None:
    """Do it with a fault at its n-th call; what it raises is a refusal in words, or the system's own error."""
    count, torn = 0, False

    def fault(call: str, size: int) -> int:
        nonlocal count, torn
        count += 1
        if torn or (kind == "kill" and count == at):
            os.kill(os.getpid(), signal.SIGKILL)
        if count < at:
            return size
        if kind == "short":
            return min(size, 1 + size // 2) if count == at else size
        if kind == "torn" and count == at:
            torn = True
            return size // 2 if size > 1 else size
        full = kind in ("ENOSPC", "EDQUOT") and call in _FILLING  # it stays full
        if kind in ERRORS and (count == at or full):
            raise OSError(getattr(errno, kind), os.strerror(getattr(errno, kind)))
        return size

    if kind not in KILLS:
        with _fault(fault), contextlib.suppress(PrivetError, OSError):
            operation.act(folder)
        return
    child = os.fork()
    if child == 0:
        calls._fault = fault
        with contextlib.suppress(BaseException):
            operation.act(folder)
        os._exit(0)
    os.waitpid(child, 0)


@contextlib.contextmanager
def _fault(fault: Callable[[str, int], int]) -> Iterator[None]:
    calls._fault = fault
    try:
        yield
    finally:
        calls._fault = None

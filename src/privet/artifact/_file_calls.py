"""The system calls that change files, each in one place: names relative to an opened folder, and no link followed.

Everything that the house writes or removes comes down to these. Tests put a fault in their way (`_fault`): an error, a
full disk, a short write, a kill. No option and no variable of the environment reaches it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from privet.artifact._reserved_names import refuse_reserved

OPEN_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK | getattr(os, "O_CLOEXEC", 0)
_NO_REPLACE, _EXCHANGE = 1, 2  # of renameat2(2)

# Called before each call with its name and the bytes to write; gives how many of them may be, or raises. For tests alone.
_fault: Callable[[str, int], int] | None = None


def reached(call: str, size: int = 0) -> int:
    """That a call is about to be made: how many of the bytes may be written."""
    return size if _fault is None else _fault(call, size)


@contextlib.contextmanager
def folder_handle(path: Path | str, *, within: int | None = None) -> Iterator[int]:
    """A folder by its handle; with `within`, a name in that folder which is no link."""
    flags = OPEN_FOLDER if within is None else OPEN_FOLDER | NO_LINK
    handle = os.open(path, flags, dir_fd=within)
    try:
        yield handle
    finally:
        os.close(handle)


def names_in(folder: int) -> list[str]:
    """What is in a folder."""
    return os.listdir(folder)


def new_file(name: str, folder: int, mode: int) -> int:
    """A file that was not there before."""
    refuse_reserved(name)
    reached("create")
    return os.open(name, _NEW, mode, dir_fd=folder)


def write_all(handle: int, content: bytes) -> None:
    """All of it, however little the system takes at once."""
    left = memoryview(content)
    while left:
        allowed = reached("write", len(left))
        left = left[os.write(handle, left[:allowed]) :]


def truncate(handle: int, size: int) -> None:
    """Take the end of a file away."""
    reached("truncate")
    os.ftruncate(handle, size)


def sync(handle: int) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    reached("sync")
    try:
        os.fsync(handle)
    except OSError as problem:
        # Some file systems cannot sync a folder, and keep its names in order by themselves.
        if problem.errno not in (errno.EINVAL, errno.ENOTSUP) or not stat.S_ISDIR(os.fstat(handle).st_mode):
            raise


def new_folder(name: str, folder: int, mode: int = 0o700) -> None:
    """A folder that was not there before."""
    refuse_reserved(name)
    reached("mkdir")
    os.mkdir(name, mode, dir_fd=folder)


def rename(name: str, folder: int, new: str, into: int) -> None:
    """Give something another name, at once; a file in its place goes."""
    refuse_reserved(new)
    reached("rename")
    os.rename(name, new, src_dir_fd=folder, dst_dir_fd=into)


def exchange(name: str, folder: int, other: str, into: int) -> bool:
    """Let two things change their names, at once; False where the system cannot."""
    refuse_reserved(other)
    if _renameat2() is None:
        return False
    reached("rename")
    return _renamed(name, folder, other, into, _EXCHANGE)


def rename_new(name: str, folder: int, new: str, into: int) -> None:
    """Give something a name that nothing has, at once; raises FileExistsError where something stands there."""
    refuse_reserved(new)
    reached("rename")
    if _renameat2() is not None and _renamed(name, folder, new, into, _NO_REPLACE):
        return
    with contextlib.suppress(FileNotFoundError):
        os.stat(new, dir_fd=into, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    os.rename(name, new, src_dir_fd=folder, dst_dir_fd=into)


def _renamed(name: str, folder: int, new: str, into: int, how: int) -> bool:
    """What Linux can do beyond rename(2); False where this system or its disk cannot."""
    call = _renameat2()
    assert call is not None
    if call(folder, os.fsencode(name), into, os.fsencode(new), how) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), name)


@cache
def _renameat2() -> Callable[..., int] | None:
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    found: Callable[..., int] = call
    return found


def unlink(name: str, folder: int) -> None:
    """Take a file's name away."""
    reached("unlink")
    os.unlink(name, dir_fd=folder)


def remove_folder(name: str, folder: int) -> None:
    """Take an empty folder away."""
    reached("rmdir")
    os.rmdir(name, dir_fd=folder)


def remove_tree(name: str, folder: int) -> None:
    """Take a file, a link, or a folder with all that is in it away; links in it are not followed."""
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode):
        unlink(name, folder)
        return
    with folder_handle(name, within=folder) as inner:
        for part in names_in(inner):
            remove_tree(part, inner)
    remove_folder(name, folder)


def overwrite(handle: int) -> None:
    """Put zeros in place of a file's content, and wait until they are on disk."""
    left, at = os.fstat(handle).st_size, 0
    while left:
        done = os.pwrite(handle, bytes(reached("write", min(left, 1 << 20))), at)
        at, left = at + done, left - done
    sync(handle)


def close_to_others(handle: int, mode: int) -> None:
    """Set the rights of a file or folder."""
    reached("chmod")
    os.fchmod(handle, mode)
